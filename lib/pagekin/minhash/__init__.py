"""Signatures of bags: a few whole numbers whose equality estimates the similarity of two bags."""
