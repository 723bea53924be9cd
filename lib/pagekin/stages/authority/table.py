"""The table of scores, of the records that the last round made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pagekin.authority.table import GRAPHS, HOST_MARK, RankedNode, write_scores
from pagekin.kinds import Pair
from pagekin.stages.link_graph.nodes import SELF, Node, parse_node

__all__ = ["write_table"]


def write_table(path: Path, records: Iterable[Pair], counted: Mapping[str, int]) -> None:
    """Write the table of all nodes; `counted` is what the last round counted."""
    told = _Pages()
    sums = {graph: counted.get(f"{graph}_rank", 0) for graph in GRAPHS}
    write_scores(path, told.noted(records), sums, told.meta)


class _Pages:
    """Counts pages with links, and those of them whose host others link to."""

    def __init__(self) -> None:
        self.meta = {"linking_pages": 0, "vouched_pages": 0}

    def noted(self, records: Iterable[Pair]) -> Iterator[RankedNode]:
        for _, value in records:
            if value.startswith(SELF):
                node = parse_node(value)
                self._note(node)
                yield RankedNode(node.name, node.rank, node.hub, node.authority)

    def _note(self, node: Node) -> None:
        if node.name.startswith(HOST_MARK):
            self.meta["linking_pages"] += node.citing
            self.meta["vouched_pages"] += node.citing if node.inlinks else 0
