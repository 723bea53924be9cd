"""`pagekin bag`: the bag of a URL in readable words."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pagekin.commands.arguments import (
    DEFAULT_WORK,
    add_command,
    location,
    print_result,
    read_urls,
)
from pagekin.commands.locations import local_index, local_workspace
from pagekin.errors import NotFoundError, UsageError
from pagekin.printing import print_lines, tell

if TYPE_CHECKING:
    from pagekin.bags.bag import Bag

__all__ = ["add_bag"]

_DESCRIPTION = """\
Show the bag of a URL: its heaviest terms with their weights, each in the form in which it is most
often written, and the links that the bag was made of. With --urls it shows the bags of many URLs,
with --all every bag of the workspace or index.
"""

_EXAMPLES = """\
examples:
  pagekin bag https://en.wikipedia.org/wiki/Bowline
  pagekin bag --work work --all --json > bags.jsonl
"""

_SHOWN = 10
_BAR = 30  # characters


def add_bag(commands: Any) -> None:
    """Declare the command."""
    usage = "%(prog)s [--work DIR | --index DIR] [options] (URL | --urls FILE | --all)"
    summary = "the bag of a URL in readable words"
    add = add_command(
        commands, "bag", _run, summary, _DESCRIPTION, examples=_EXAMPLES, usage=usage
    ).add_argument
    add("url", nargs="?", metavar="URL", help="in any spelling; http:// may be left out")
    add(
        "--work",
        type=location,
        metavar="DIR",
        help=f"the workspace of a build (default: {DEFAULT_WORK})",
    )
    add("--index", type=location, metavar="DIR", help="or an index that a build made")
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
    add(
        "--plain",
        action="store_true",
        help="the bag before it was enriched: nothing but what the page and links to it say",
    )
    add("--json", action="store_true", help="print an object; with --all or --urls one a line")


def _run(options: argparse.Namespace) -> int:
    if options.work and options.index:
        raise UsageError("--work and --index: name one of them")
    if [options.url is not None, options.all, options.urls is not None].count(True) != 1:
        raise UsageError("name either one URL, or --all, or --urls FILE")
    if options.k is not None and options.k < 0:
        raise UsageError("-k takes a number from 0; 0 shows all terms")
    store = _open(options)
    if options.url is not None:
        count = _SHOWN if options.k is None else options.k
        described = store.describe(store.get(options.url), count)
        print_result(described, _lines(described), as_json=options.json, ensure_ascii=False)
        return 0
    missing = 0
    for each in _describe_many(store, options):
        if each is None:
            missing += 1
        elif options.json:
            print_lines([json.dumps(each, ensure_ascii=False)])
        else:
            print_lines([*_lines(each), ""])
    if missing:
        tell(f"pagekin: {missing} of the URLs have no bag")
    return NotFoundError.exit_code if missing else 0


class _Store(NamedTuple):
    """The bags of a workspace or an index."""

    get: Callable[[str], Bag]
    all: Callable[[], Iterator[Bag]]
    describe: Callable[[Bag, int], dict[str, Any]]


def _open(options: argparse.Namespace) -> _Store:
    if options.index is not None:
        from pagekin.query.api import Index

        index, plain = Index.open(local_index(options.index, options)), options.plain
        all_bags = partial(index.all, plain=plain)
        return _Store(partial(index.get, plain=plain), all_bags, index.describe)
    from pagekin.build.bag_store import BagStore

    store = BagStore(local_workspace(options.work or DEFAULT_WORK), plain=options.plain)
    return _Store(store.get, store.all, store.describe)


def _describe_many(store: _Store, options: argparse.Namespace) -> Iterator[dict[str, Any] | None]:
    """Each bag that is asked for; None for a URL without one."""
    count = options.k or 0
    if options.urls is None:
        for bag in store.all():
            yield store.describe(bag, count)
        return
    for url in read_urls(options.urls):
        try:
            yield store.describe(store.get(url), count)
        except (NotFoundError, UsageError) as error:
            tell(f"pagekin: {error}")
            yield None


def _lines(described: dict[str, Any]) -> Iterator[str]:
    """A bag for people."""
    yield f"{described['url']}  {described['title']}".rstrip()
    yield f"  from {_sources(described)}; {described['size']} terms"
    heaviest = max((t["weight"] for t in described["terms"]), default=0.0) or 1.0
    for term in described["terms"]:
        bar = "#" * max(1, round(_BAR * term["weight"] / heaviest))
        source = term.get("source", "own words")
        mark = f"  ({source})" if source != "own words" else ""
        yield f"  {term['weight']:.4f}  {term['display']:24} {bar}{mark}"


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
