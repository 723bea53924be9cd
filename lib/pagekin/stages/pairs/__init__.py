"""Pairs of pages that are cited side by side, with their total similarity."""
