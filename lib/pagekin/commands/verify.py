"""`pagekin verify`: is an index whole?"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from pagekin.commands.places import add_index, index_here
from pagekin.errors import InputError

__all__ = ["add_parser"]

_DESCRIPTION = """\
Check every checksum of an index, and everything that its files must agree about: URLs in their
order and in their shard, a bag and a row of H for each, words for all terms, and I as the inversion
of H. The exit code is 3 if something is wrong.
"""


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "verify",
        help="check an index",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add_index(parser)
    parser.add_argument("--json", action="store_true", help="a list of what is wrong, as JSON")


def run(options: argparse.Namespace) -> int:
    """Print what is wrong."""
    from pagekin.index.verify import verify_index

    wrong = verify_index(index_here(options.index, options), _report)
    if options.json:
        print(json.dumps(wrong, indent=2))
    elif not wrong:
        print(f"{options.index}: all checksums match, and all files agree")
    else:
        print("\n".join(wrong), file=sys.stderr)
    return InputError.exit_code if wrong else 0


def _report(done: int, total: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[Kverify  shard {done + 1} of {total}\r")
