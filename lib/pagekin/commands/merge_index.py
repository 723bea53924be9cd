"""`pagekin merge-index`: two indexes become one."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

__all__ = ["add_parser"]

_DESCRIPTION = """\
Merge indexes of different pages, made with equal parameters, to one that answers for all of them.
Parameters that differ are refused, and so are pages that were read for more than one of them. Of a
URL that some know only by its anchors the best known bag is kept: that of the page that was read,
or else the one with the most links.

Weights are not computed anew: each bag keeps those that its own build gave it. Of a pair that is
related by co-citation in several the highest total stays.
"""

_EXAMPLE = """\
example:
  pagekin merge-index january.index february.index --index both.index
"""


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "merge-index",
        usage="%(prog)s A B [...] --index C [--shards N] [--json]",
        help="make one index of several",
        description=_DESCRIPTION,
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("sources", nargs="+", type=Path, metavar="A", help="the indexes to merge")
    add("--index", required=True, type=Path, metavar="C", help="the index to make")
    add("--shards", type=int, default=0, metavar="N", help="its shards (default: as many as A has)")
    add("--json", action="store_true", help="say what was made as JSON")


def run(options: argparse.Namespace) -> int:
    """Merge."""
    from pagekin.cocitation.union import kin_pieces
    from pagekin.index.merge import merge_indexes

    made = merge_indexes(options.sources, options.index, options.shards, _report, kin_pieces)
    if options.json:
        print(json.dumps(made, indent=2))
    else:
        print(f"{options.index}: {made['documents']:,} documents in {made['shards']} shards")
        if made["repeated"]:
            print(f"  {made['repeated']:,} URLs were in several; the best known bag was kept")
    return 0


def _report(done: int, total: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[Kmerge  {done:,} of {total:,} documents\r")
