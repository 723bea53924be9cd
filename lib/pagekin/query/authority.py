"""The standing of a page, of its host, and who stands best, as the links of the snapshot tell."""

from __future__ import annotations

from typing import NamedTuple

from pagekin.authority.table import GRAPHS, NodeScores, ScoreTable, host_name
from pagekin.errors import NotFoundError
from pagekin.index.folder import IndexFolder

__all__ = [
    "BestNodes",
    "PageAuthority",
    "RankedName",
    "best_nodes",
    "page_authority",
    "score_table",
]


class PageAuthority(NamedTuple):
    """What links say of a page and of its host; None where no link tells of them."""

    url: str
    host: str
    standing: float  # from 0 to 1, as `prefer` takes it
    of_page: NodeScores | None
    of_host: NodeScores | None


class RankedName(NamedTuple):
    """A page or host that is among the best."""

    name: str
    scores: NodeScores


class BestNodes(NamedTuple):
    """The best by one score, the best first."""

    by: str
    pages: list[RankedName]
    hosts: list[RankedName]


def score_table(folder: IndexFolder) -> ScoreTable:
    """The scores of an index; NotFoundError where it has none."""
    if folder.authority is None:
        raise NotFoundError(
            f"{folder.path} has no scores of links; `pagekin build --authority-scores true` makes"
            " them, and merged indexes have none"
        )
    return folder.authority


def page_authority(folder: IndexFolder, url: str) -> PageAuthority:
    """The standing of a page, by its URL in any spelling."""
    table = score_table(folder)
    for form in folder.forms(url):
        page = form.encode("utf-8", "surrogatepass")
        if table.knows(page) or folder.find(form):
            name = host_name(form)
            of_page, of_host = table.scores(page), table.scores(name)
            return PageAuthority(form, name[2:].decode(), table.standing(form), of_page, of_host)
    raise folder.not_found(url)


def best_nodes(folder: IndexFolder, by: str, count: int) -> BestNodes:
    """The best `count` pages and hosts, of which the table has 100 at the most."""
    table = score_table(folder)
    found = []
    for graph in GRAPHS:
        names = list(table.best(graph, by))[:count]
        told = [(name.decode("utf-8", "replace"), table.scores(name)) for name in names]
        found.append([RankedName(name.removeprefix("//"), s) for name, s in told if s])
    return BestNodes(by, *found)
