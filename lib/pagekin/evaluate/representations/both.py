"""Bags and co-citation together: to be had as soon as there is co-citation."""

from __future__ import annotations

from pagekin.evaluate.representations import cocitation
from pagekin.evaluate.similarities import Material, Representation

__all__ = ["make"]


def make(material: Material) -> Representation:
    """Needs the co-citation table of an index."""
    return cocitation.make(material)
