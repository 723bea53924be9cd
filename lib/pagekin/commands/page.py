"""`pagekin page`: what the reader sees of a page, for every question about a strange one."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from pagekin.errors import InputError, NotFoundError, UsageError

__all__ = ["add_page_arguments", "add_parser", "open_page"]

_DESCRIPTION = """\
Show what the reader sees of a page: its title, language and charset, the stream of its words with
links and boundaries, where the links lead, and what was dropped. The page is an HTML file, or a
record of a WARC file. Words in parentheses are dropped (stop words); [ ... -> URL] is a link.
"""

_EXAMPLES = """\
examples:
  pagekin page --url http://a.example/bees.html bees.html
  pagekin page --warc crawl.warc.gz http://a.example/bees.html
"""


def add_parser(commands: Any) -> None:
    """Declare the command."""
    from pagekin.options import add_flags

    parser = commands.add_parser(
        "page",
        usage="%(prog)s [options] (FILE | --warc WARC URL)",
        help="what the reader sees of a page",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add_page_arguments(parser)
    group = parser.add_argument_group(
        "configuration", "as of pagekin build; what concerns more than one page does nothing here"
    )
    add_flags(group.add_argument, ("reading", "text"))


def add_page_arguments(parser: Any) -> None:
    """Declare which page is meant, for every command that shows one."""
    add = parser.add_argument
    add("page", metavar="FILE|URL", help="an HTML file; with --warc the URL of a record")
    add("--warc", metavar="WARC", help="the WARC file (any address) that holds the URL")
    add("--url", default="", metavar="URL", help="the address of FILE; its links start from there")
    add("--charset", default="", metavar="NAME", help="the charset that FILE's HTTP header named")
    add("--json", action="store_true", help="print JSON")


def open_page(options: argparse.Namespace, config: Any, view: Any) -> tuple[Any, Any]:
    """The page that is meant, read as it is wanted, and the counters of its reading."""
    if options.warc and (options.url or options.charset):
        raise UsageError("--url and --charset go with an HTML file; a WARC record has both")
    return (_from_warc if options.warc else _from_file)(options, config, view)


def run(options: argparse.Namespace) -> int:
    """Print a page."""
    from pagekin.options import config_from_flags
    from pagekin.web.page import TEXT
    from pagekin.web.show import describe_page, page_lines

    config = config_from_flags(options)
    page, counters = open_page(options, config, TEXT)
    described = describe_page(page, config.text, counters)
    if options.json:
        print(json.dumps(described, ensure_ascii=False, indent=2))
    else:
        print("\n".join(page_lines(described)))
    return 0


def _from_file(options: argparse.Namespace, config: Any, view: Any) -> tuple[Any, Any]:
    from pagekin.counters import Counters
    from pagekin.web.page import make_page
    from pagekin.web.urls import canonical

    path = Path(options.page)
    if "://" in options.page and not path.exists():
        raise UsageError(f"{options.page}: name the WARC file that holds it with --warc")
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if body.startswith((b"WARC/", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        raise UsageError(f"{path} is a WARC or compressed file; give it with --warc, and a URL")
    url = canonical(options.url) if options.url else "http://localhost/"
    if url is None:
        raise UsageError(f"--url {options.url}: is no web address")
    counters = Counters()
    limit = config.reading.max_page_bytes
    counters.add("pages", "cut_to_limit", int(len(body) > limit))
    page = make_page(url, body[:limit], options.charset, counters, view=view)
    if isinstance(page, str):
        raise InputError(f"{path}: would be left out: {page}")
    return page, counters


def _from_warc(options: argparse.Namespace, config: Any, view: Any) -> tuple[Any, Any]:
    from pagekin.counters import Counters
    from pagekin.web.page import PageReader
    from pagekin.web.reader import read_file
    from pagekin.web.urls import canonical

    wanted = canonical(options.page)
    if wanted is None:
        raise UsageError(f"{options.page}: is no web address")
    refused: list[str] = []
    seen = Counters()
    for record in read_file(options.warc, seen, config.reading.max_page_bytes):
        if canonical(record.url) != wanted:
            continue
        counters = Counters()
        page = PageReader(config.reading, counters, view).read(record)
        if not isinstance(page, str):
            return page, counters
        refused.append(page)
    if seen.notes:
        raise InputError("; ".join(seen.notes))
    if refused:
        raise InputError(f"{wanted} is there and would be left out: {', '.join(refused)}")
    records = seen.get("records", "read")
    raise NotFoundError(f"{wanted} is not among the {records} records of {options.warc}")
