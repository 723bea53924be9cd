"""Pages by their co-citation: not to be had yet, because an index has no table of it.

When an index holds related pairs, `make` reads them here and gives, for a source, the total
similarities of its partners and 0 for all others.
"""

from __future__ import annotations

from pagekin.errors import UsageError
from pagekin.evaluate.similarities import Material, Representation

__all__ = ["make"]


def make(material: Material) -> Representation:
    """Refuses, in one sentence."""
    raise UsageError(
        "an index has no co-citation table yet, so there is nothing to judge --by cocitation or"
        " --by both; --by takes bags, cosine or signatures"
    )
