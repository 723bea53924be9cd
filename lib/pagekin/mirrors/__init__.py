"""Mirrors: pages that say the same in other places, found by the runs of words that they share."""
