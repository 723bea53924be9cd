"""`pagekin urls`: the pages that an index may be asked for."""

from __future__ import annotations

import argparse
import json
from itertools import chain, islice
from typing import Any

from pagekin.commands.arguments import add_command, add_index, check_at_least
from pagekin.commands.locations import local_index
from pagekin.errors import NotFoundError
from pagekin.printing import print_lines

__all__ = ["add_urls"]

_DESCRIPTION = """\
List the pages that an index may be asked for, in the order of their URLs: whether the page was read
or is known by links alone, how many links lead to it, its URL and its title. What has no bag is
answered only by `pagekin related --by cocitation`.
"""

_EXAMPLES = """\
examples:
  pagekin urls -n 20
  pagekin urls --index crawl.index --host example.org --read
  pagekin urls --index crawl.index --json | jq -r 'select(.inlinks > 9).url'
"""


def add_urls(commands: Any) -> None:
    """Declare the command."""
    summary = "the pages that an index may be asked for"
    parser = add_command(commands, "urls", _run, summary, _DESCRIPTION, examples=_EXAMPLES)
    add_index(parser)
    add = parser.add_argument
    add("--host", default="", metavar="HOST", help="only pages of this host and those below it")
    add("--read", action="store_true", help="only pages that were read")
    add("-n", type=int, metavar="N", help="the first N of them (default: all)")
    add("--json", action="store_true", help="print an object a line")


def _run(options: argparse.Namespace) -> int:
    from pagekin.query.api import Index

    check_at_least(options, n=1)
    pages = Index(local_index(options.index, options)).pages(options.host, read=options.read)
    first = next(pages, None)
    if first is None:
        raise NotFoundError("the index has no such page")
    for page in islice(chain([first], pages), options.n):
        if options.json:
            line = json.dumps(page._asdict(), ensure_ascii=False)
        else:
            state = "read" if page.read else "by links" if page.has_bag else "no bag"
            line = f"{state:8} {page.inlinks:>9,}  {page.url}  {page.title}".rstrip()
        print_lines([line])
    return 0
