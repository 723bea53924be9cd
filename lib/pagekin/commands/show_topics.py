"""`pagekin topics`: what the snapshot, or a page of it, is about."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from typing import Any

from pagekin.commands.arguments import add_command, add_index, check_at_least, print_result
from pagekin.commands.locations import local_index
from pagekin.printing import refresh

__all__ = ["add_topics"]

_DESCRIPTION = """\
Show the topics that a snapshot taught: for each the words that weigh most, the number of documents
that are nearest to it, and a few of these. With a URL it shows the topics that this page is near,
and what share each has. Topics are learned from a sample of the bags where a build is told so, with
--enrich-topics true.
"""

_EXAMPLES = """\
examples:
  pagekin topics --index crawl.index
  pagekin topics --index crawl.index -n 5 https://en.wikipedia.org/wiki/Bowline
  pagekin topics --index crawl.index -n 0 --json | jq -r '.[].words[0]'
"""

_SHOWN = 20
_WORDS = 5


def add_topics(commands: Any) -> None:
    """Declare the command."""
    summary = "what the snapshot, or a page of it, is about"
    parser = add_command(commands, "topics", _run, summary, _DESCRIPTION, examples=_EXAMPLES)
    add = parser.add_argument
    add("url", nargs="?", metavar="URL", help="the topics of this page, in any spelling")
    add_index(parser)
    add(
        "-n",
        type=int,
        default=_SHOWN,
        metavar="N",
        help="show the first N, 0: all (default: %(default)s)",
    )
    add("--json", action="store_true", help="print a list of objects")


def _run(options: argparse.Namespace) -> int:
    from pagekin.query.api import Index

    check_at_least(options, n=0)
    with Index(local_index(options.index, options)) as index:
        found = index.topics(options.url, _report)
    topics = [topic._asdict() for topic in islice(found, options.n or None)]
    lines = _lines_of_page(topics) if options.url else _lines(topics)
    print_result(topics, lines, as_json=options.json, ensure_ascii=False)
    return 0


def _report(done: int, total: int) -> None:
    refresh(f"topics  {done:,} of {total:,} documents")


def _lines(topics: list[dict[str, Any]]) -> Iterator[str]:
    for topic in topics:
        yield f"{topic['documents']:>9,}  {', '.join(topic['words'][:_WORDS])}"
        yield from (f"{'':11}{url}" for url in topic["examples"])


def _lines_of_page(topics: list[dict[str, Any]]) -> Iterator[str]:
    for topic in topics:
        yield f"  {topic['share']:.4f}  {', '.join(topic['words'][:_WORDS])}"
