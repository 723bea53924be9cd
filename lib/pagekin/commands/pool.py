"""`pagekin pool`: the answers of several systems, shuffled and blind, for people to mark."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pagekin.errors import UsageError, naming

__all__ = ["add_parser"]

_DESCRIPTION = """\
Write a pool: for each URL the answers of all systems, shuffled, with a column to be filled with 0
(unrelated, or not to be had), 1 (a similar topic) or 2 (the same topic). The key beside it tells
which system gave which answer; whoever marks should not see it. Systems are the ways to rank the
answers of an index (exact, signatures), and several indexes.
"""

_EXAMPLES = """\
examples:
  pagekin pool --index crawl.index example.org example.net -o pool.tsv
  pagekin pool --index a.index --index b.index --by exact example.org -o pool.tsv
  pagekin evaluate rscore pool.tsv
"""

_WAYS = ("exact", "signatures")


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "pool",
        usage="%(prog)s --index DIR [options] (URL [URL ...] | --urls FILE)",
        help="answers for people to mark",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("url", nargs="*", metavar="URL", help="the pages asked for")
    add("--urls", type=Path, metavar="FILE", help="those in FILE, one a line; -: stdin")
    add(
        "--index",
        required=True,
        action="append",
        type=Path,
        metavar="DIR",
        help="an index; may be given again, for another system",
    )
    add(
        "--by",
        action="append",
        choices=_WAYS,
        help="how answers are ranked; may be given again (default: both)",
    )
    add("-k", type=int, default=15, metavar="N", help="answers of a system (default: %(default)s)")
    add("--seed", type=int, default=1, metavar="N", help="of the order (default: %(default)s)")
    add(
        "-o",
        "--output",
        type=Path,
        default=Path("pool.tsv"),
        metavar="FILE",
        help="the pool; its key becomes FILE with .key before the ending (default: %(default)s)",
    )


def run(options: argparse.Namespace) -> int:
    """Write the pool and its key."""
    from pagekin.commands.bag import read_urls
    from pagekin.evaluate.human_marks import key_path, make_pool

    if bool(options.url) == (options.urls is not None):
        raise UsageError("name URLs, or --urls FILE")
    if options.k < 1:
        raise UsageError("-k takes a number from 1")
    urls = options.url or read_urls(options.urls)
    pool, key = options.output, key_path(options.output)
    for path in (pool, key):
        if path.exists():
            raise UsageError(f"{path} is there already, and somebody's marks may be in it")
    made = make_pool(_answers(options, urls), options.seed)
    for path, text in ((pool, made.pool), (key, made.key)):
        with naming(path):
            path.write_text(text, encoding="utf-8")
    lines = made.pool.count("\n") - 1
    print(f"pagekin: {lines} answers to mark are in {pool}, the key in {key}", file=sys.stderr)
    return 0


def _answers(options: argparse.Namespace, urls: list[str]) -> dict[str, dict[str, list[str]]]:
    """System -> page -> answers, best first."""
    return {
        name: {page: found for url in urls for page, found in [ask(url)]}
        for name, ask in _systems(options).items()
    }


def _systems(options: argparse.Namespace) -> dict[str, Callable[[str], tuple[str, list[str]]]]:
    from pagekin.query.api import Index

    systems: dict[str, Callable[[str], tuple[str, list[str]]]] = {}
    for path in options.index:
        index = Index.open(path)
        for way in dict.fromkeys(options.by or _WAYS):
            name = f"{path.name}:{way}" if len(options.index) > 1 else way
            if name in systems:
                raise UsageError(f"two indexes are named {path.name}; rename one")
            systems[name] = _asker(index, options.k, exact=way == "exact")
    return systems


def _asker(index: Any, k: int, *, exact: bool) -> Callable[[str], tuple[str, list[str]]]:
    def ask(url: str) -> tuple[str, list[str]]:
        answer = index.related(url, k, exact=exact)
        return answer.asked[0].url, [kin.url for kin in answer]

    return ask
