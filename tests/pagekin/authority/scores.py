"""Tables of scores that a test makes up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pagekin.authority.ranks import RANK_ONE, WHOLE
from pagekin.authority.table import RankedNode, write_scores
from pagekin.tables import url_digest

__all__ = ["JUDGED", "MadeUp", "write_table"]

# the name of a node, its rank in units of one that nobody links to, hub and authority in percent
MadeUp = tuple[str, float, int, int]
JUDGED = {"linking_pages": 3, "vouched_pages": 1}


def write_table(folder: Path, nodes: Iterable[MadeUp], meta: Mapping[str, int] = JUDGED) -> Path:
    """Write authority.arrays into a folder."""
    path = folder / "authority.arrays"
    ranked = [
        RankedNode(name.encode(), int(rank * RANK_ONE), hub * WHOLE // 100, of * WHOLE // 100)
        for name, rank, hub, of in nodes
    ]
    ranked.sort(key=lambda node: url_digest(node.name))
    sums = {
        graph: sum(node.rank for node in ranked if node.name.startswith(b"//") == is_host)
        for graph, is_host in (("pages", False), ("hosts", True))
    }
    write_scores(path, ranked, sums, meta)
    return path
