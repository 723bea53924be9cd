"""`pagekin bag`: the bag of a URL in readable words."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pagekin.commands.places import index_here, place, refuse_remote
from pagekin.errors import InputError, NotFoundError, UsageError

__all__ = ["add_parser", "read_urls"]

_DESCRIPTION = """\
Show the bag of a URL: its heaviest terms, in the form in which they are most often written, with
their weights, and what the bag was made of. With --urls the bags of many URLs, with --all every
bag of the workspace or index.
"""

_EXAMPLES = """\
examples:
  pagekin bag --work work https://en.wikipedia.org/wiki/Bowline
  pagekin bag --work work --all --json > bags.jsonl
"""

_SHOWN = 10
_BAR = 30  # characters


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "bag",
        usage="%(prog)s (--work DIR | --index DIR) [options] (URL | --urls FILE | --all)",
        help="the bag of a URL in readable words",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("url", nargs="?", metavar="URL", help="in any spelling; http:// may be left out")
    add("--work", type=place, metavar="DIR", help="the workspace of a build")
    add("--index", type=place, metavar="DIR", help="or an index that a build made")
    add(
        "-k",
        type=int,
        metavar="N",
        help=f"show the N heaviest terms, 0: all (default: {_SHOWN}; with --all or --urls all)",
    )
    add("--all", action="store_true", help="every bag, in the order of the URLs")
    add(
        "--urls",
        type=Path,
        metavar="FILE",
        help="the bags of the URLs in FILE, one a line; -: stdin",
    )
    add("--json", action="store_true", help="JSON: an object; with --all or --urls one a line")


def run(options: argparse.Namespace) -> int:
    """Print bags."""
    if (options.work is None) == (options.index is None):
        raise UsageError("name a workspace with --work DIR, or an index with --index DIR")
    if [options.url is not None, options.all, options.urls is not None].count(True) != 1:
        raise UsageError("name either one URL, or --all, or --urls FILE")
    if options.k is not None and options.k < 0:
        raise UsageError("-k takes a number from 0; 0 shows all terms")
    store = _open(options)
    if options.url is not None:
        return _show_one(store, options)
    count = 0 if options.k is None else options.k
    missing = 0
    for described in _many(store, options, count):
        if described is None:
            missing += 1
        elif options.json:
            print(json.dumps(described, ensure_ascii=False))
        else:
            print("\n".join(_lines(described)), end="\n\n")
    if missing:
        print(f"pagekin: {missing} of the URLs have no bag", file=sys.stderr)
    return NotFoundError.exit_code if missing else 0


def _open(options: argparse.Namespace) -> Any:
    """A workspace or an index: both know `get`, `all` and `describe`."""
    if options.index is not None:
        from pagekin.query.api import Index

        return Index.open(index_here(options.index, options))
    from pagekin.build.bag_store import BagStore

    return BagStore(refuse_remote(options.work))


def _show_one(store: Any, options: argparse.Namespace) -> int:
    described = store.describe(store.get(options.url), _SHOWN if options.k is None else options.k)
    if options.json:
        print(json.dumps(described, ensure_ascii=False, indent=2))
    else:
        print("\n".join(_lines(described)))
    return 0


def _many(store: Any, options: argparse.Namespace, count: int) -> Iterator[dict[str, Any] | None]:
    if options.urls is None:
        for bag in store.all():
            yield store.describe(bag, count)
        return
    for url in read_urls(options.urls):
        try:
            yield store.describe(store.get(url), count)
        except (NotFoundError, UsageError) as error:
            print(f"pagekin: {error}", file=sys.stderr)
            yield None


def read_urls(path: Path) -> list[str]:
    """The lines of a file of URLs; "-" is standard input."""
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--urls {path}: cannot be read: {error}") from error
    return [line.strip() for line in text.splitlines() if line.strip()]


def _lines(described: dict[str, Any]) -> Iterator[str]:
    """A bag for people."""
    yield described["url"]
    yield f"  from {_sources(described)}; {described['size']} terms"
    heaviest = max((t["weight"] for t in described["terms"]), default=0.0) or 1.0
    for term in described["terms"]:
        bar = "#" * max(1, round(_BAR * term["weight"] / heaviest))
        yield f"  {term['weight']:.4f}  {term['display']:24} {bar}"


def _sources(described: dict[str, Any]) -> str:
    parts = ["its own words"] if described["crawled"] else []
    anchors, pages, hosts = (described[k] for k in ("inlinks", "linking_pages", "linking_hosts"))
    if anchors:
        parts.append(
            f"{_count(anchors, 'link')} on {_count(pages, 'page')} of {_count(hosts, 'host')}"
        )
    return " and ".join(parts) or "nothing"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
