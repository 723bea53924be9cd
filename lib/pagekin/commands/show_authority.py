"""`pagekin authority`: how well pages and hosts stand, by the links between sites."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pagekin.commands.arguments import add_command, add_index, check_at_least, print_result
from pagekin.commands.locations import local_index

if TYPE_CHECKING:
    from pagekin.authority.table import NodeScores
    from pagekin.query.authority import BestNodes, PageAuthority

__all__ = ["add_authority"]

_DESCRIPTION = """\
Show how a page and its host stand, by the links of the crawl: their PageRank, and their scores as
hubs (that link to good authorities) and as authorities (that good hubs link to), each with its
place. The sum of each score over all pages, or hosts, is 1. Without a URL the best ones are shown.
Links within a site do not count, unless there are hardly others (authority.within_sites of the
build).
"""

_EXAMPLES = """\
examples:
  pagekin authority --index crawl.index
  pagekin authority --index crawl.index --by hub -n 5
  pagekin authority --index crawl.index --json https://en.wikipedia.org/wiki/Bowline
"""

_SHOWN = 10
_SCORES = ("pagerank", "hub", "authority")


def add_authority(commands: Any) -> None:
    """Declare the command."""
    summary = "how well a page and its host stand, by links"
    parser = add_command(commands, "authority", _run, summary, _DESCRIPTION, examples=_EXAMPLES)
    add = parser.add_argument
    add("url", nargs="?", metavar="URL", help="this page, in any spelling, and its host")
    add_index(parser)
    add(
        "--by",
        choices=_SCORES,
        default=_SCORES[0],
        help="without URL: the best by this score (default: %(default)s)",
    )
    add(
        "-n",
        type=int,
        default=_SHOWN,
        metavar="N",
        help="without URL: the best N pages and hosts, at most 100 (default: %(default)s)",
    )
    add("--json", action="store_true", help="print an object")


def _run(options: argparse.Namespace) -> int:
    from pagekin.query.api import Index

    check_at_least(options, n=1)
    with Index(local_index(options.index, options)) as index:
        if options.url:
            page = index.authority(options.url)
            print_result(_page_as_dict(page), _page_lines(page), as_json=options.json)
        else:
            best = index.best_by_authority(options.by, options.n)
            print_result(_best_as_dict(best), _best_lines(best), as_json=options.json)
    return 0


def _page_as_dict(page: PageAuthority) -> dict[str, Any]:
    of_page, of_host = (found and found._asdict() for found in (page.of_page, page.of_host))
    return {**page._asdict(), "of_page": of_page, "of_host": of_host}


def _page_lines(page: PageAuthority) -> Iterator[str]:
    for name, scores in ((page.url, page.of_page), (page.host, page.of_host)):
        yield name
        if scores is None:
            yield "  no link that counts leads here, or from here"
        else:
            yield from (_score_line(scores, score) for score in _SCORES)
    yield f"standing {page.standing:.3f} of 1, by the better PageRank of both"


def _score_line(scores: NodeScores, score: str) -> str:
    value, place = getattr(scores, score), getattr(scores, f"{score}_place")
    return f"  {score:10} {value:.8f}  place {place:,} of {scores.nodes:,}"


def _best_as_dict(best: BestNodes) -> dict[str, Any]:
    def listed(nodes: list[Any]) -> list[dict[str, Any]]:
        return [{"name": node.name, **node.scores._asdict()} for node in nodes]

    return {"by": best.by, "pages": listed(best.pages), "hosts": listed(best.hosts)}


def _best_lines(best: BestNodes) -> Iterator[str]:
    for what, nodes in (("pages", best.pages), ("hosts", best.hosts)):
        yield f"{what} by {best.by}" if nodes else f"no {what} with links that count"
        for node in nodes:
            yield f"  {getattr(node.scores, best.by):.8f}  {node.name}"
