"""`pagekin neighbours`: words that the snapshot taught to be related."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from pagekin.commands.arguments import add_command, add_index, check_at_least, print_result
from pagekin.commands.locations import local_index

__all__ = ["add_neighbours"]

_DESCRIPTION = """\
Show the words that are related to a word in this crawl: those that stand in the same bags more
often than chance would have it. Words are shown in the form in which they are most often written,
the nearest first, with their weights, whose sum is 1. They are learned from a sample of the bags
where a build is told so, with --enrich-neighbours true.
"""

_EXAMPLES = """\
examples:
  pagekin neighbours --index crawl.index lunar
  pagekin neighbours --index crawl.index lunar -n 5 --json
"""

_SHOWN = 30
_BAR = 30  # characters


def add_neighbours(commands: Any) -> None:
    """Declare the command."""
    summary = "the words that are related to a word"
    parser = add_command(commands, "neighbours", _run, summary, _DESCRIPTION, examples=_EXAMPLES)
    add_index(parser)
    add = parser.add_argument
    add("word", metavar="WORD", help="in any form that the crawl has, or that has its stem")
    add("-n", type=int, default=_SHOWN, metavar="N", help="the N nearest (default: %(default)s)")
    add("--json", action="store_true", help="print an object")


def _run(options: argparse.Namespace) -> int:
    from pagekin.query.api import Index

    check_at_least(options, n=1)
    found = Index(local_index(options.index, options)).neighbours(options.word, options.n)
    said = {**found._asdict(), "neighbours": [each._asdict() for each in found.neighbours]}
    print_result(said, _lines(said), as_json=options.json, ensure_ascii=False)
    return 0


def _lines(said: dict[str, Any]) -> Iterator[str]:
    yield f"{said['word']}  in {said['bags']:,} of {said['sample']:,} bags"
    heaviest = max((each["weight"] for each in said["neighbours"]), default=1.0)
    for each in said["neighbours"]:
        bar = "#" * max(1, round(_BAR * each["weight"] / heaviest))
        yield f"  {each['weight']:.4f}  {each['word']:24} {bar}"
