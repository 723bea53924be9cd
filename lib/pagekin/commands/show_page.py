"""`pagekin page` and `pagekin blocks`: what pagekin makes of one page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pagekin.commands.arguments import add_command, add_configuration, print_result
from pagekin.config import config_from_flags
from pagekin.errors import InputError, NotFoundError, UsageError, naming

__all__ = ["add_block_rules", "add_blocks", "add_page", "config_of_blocks", "page_of_file"]

_PAGE = """\
Show what the reader sees of a page: its title, language and charset, the stream of its words with
links and boundaries, where the links lead, and what was dropped. The page is an HTML file, or a
record of a WARC file. Words in parentheses are dropped (stop words); [ ... -> URL] is a link. With
bag.templates = "anchors" a link in a menu gives a URL that is not read nothing but its own words.
"""

_PAGE_EXAMPLES = """\
examples:
  pagekin page --url http://a.example/bees.html bees.html
  pagekin page --warc crawl.warc.gz http://a.example/bees.html
"""

_BLOCKS = """\
Show the blocks of links of a page: their links in order, the element around each block and the rule
that made it, and which links the filters removed and why. With --html the page is written with its
blocks in colours. Without --url relative links count as links within one unknown site.
"""

_BLOCKS_EXAMPLES = """\
examples:
  pagekin blocks --url http://a.example/bees.html --html marked.html bees.html
  pagekin blocks --rules paper --blocks-t1 0.7 --warc crawl.warc.gz http://a.example/bees.html
"""

_USAGE = "%(prog)s [options] (FILE | --warc WARC URL)"
_RULES = ("default", "structural", "coarse", "paper", "page")


def add_page(commands: Any) -> None:
    """Declare `page`."""
    summary = "what the reader sees of a page"
    parser = add_command(
        commands, "page", _page, summary, _PAGE, examples=_PAGE_EXAMPLES, usage=_USAGE
    )
    _add_which_page(parser.add_argument)
    about = "as of pagekin build; what concerns more than one page does nothing here"
    add_configuration(parser, ("reading", "text"), about=about, on_request=True)


def add_blocks(commands: Any) -> None:
    """Declare `blocks`."""
    summary = "the blocks of links of a page"
    parser = add_command(
        commands, "blocks", _blocks, summary, _BLOCKS, examples=_BLOCKS_EXAMPLES, usage=_USAGE
    )
    _add_which_page(parser.add_argument)
    parser.add_argument("--html", metavar="OUT", help="write the page there, its blocks in colours")
    add_block_rules(parser)
    add_configuration(parser, ("reading", "blocks"), on_request=True)


def _add_which_page(add: Any) -> None:
    add("page", metavar="FILE|URL", help="an HTML file; with --warc the URL of a record")
    add("--warc", metavar="WARC", help="the WARC file (any address) that holds the URL")
    add("--url", default="", metavar="URL", help="the address of FILE; its links start from there")
    add("--charset", default="", metavar="NAME", help="the charset that FILE's HTTP header named")
    add("--json", action="store_true", help="print JSON")


def add_block_rules(parser: Any) -> None:
    """Declare --rules, the short form of --blocks-rules."""
    parser.add_argument(
        "--rules",
        choices=_RULES,
        metavar="|".join(_RULES),
        help="the same as --blocks-rules; default: structural",
    )


def config_of_blocks(options: argparse.Namespace) -> Any:
    """The configuration that the flags ask for, --rules among them."""
    if options.rules:
        if options.blocks_rules:
            raise UsageError("--rules and --blocks-rules say the same; name one of them")
        options.blocks_rules = None if options.rules == "default" else options.rules
    return config_from_flags(options)


def _page(options: argparse.Namespace) -> int:
    from pagekin.bags.fragments import in_menus, read_stream
    from pagekin.text.words import Vocabulary
    from pagekin.web.page import TEXT
    from pagekin.web.show import describe_page, page_lines

    config = config_from_flags(options)
    page, counters = _open_page(options, config, TEXT)
    stream = read_stream(page.flat.text, Vocabulary(config.text).table(page.language))
    menus = in_menus(stream).tolist()
    described = describe_page(page, config.text, counters, menus)
    print_result(described, page_lines(described), as_json=options.json, ensure_ascii=False)
    return 0


def _blocks(options: argparse.Namespace) -> int:
    from pagekin.blocks.display import block_lines, blocks_as_json
    from pagekin.blocks.page_blocks import blocks_view, described_blocks, page_links
    from pagekin.web.page import NOTHING, TREE

    config = config_of_blocks(options)
    view = blocks_view(config.blocks, TREE if options.html else NOTHING)
    page, counters = _open_page(options, config, view)
    blocks = described_blocks(page, config.blocks, counters, config.reading)
    links = page_links(page, config.blocks)
    described = blocks_as_json(page, links, blocks, config.blocks, counters)
    lines = block_lines(page, blocks, counters)
    print_result(described, lines, as_json=options.json, ensure_ascii=False)
    if options.html:
        _write_marked(Path(options.html), page, links, blocks)
    return 0


def _write_marked(path: Path, page: Any, links: Any, blocks: Any) -> None:
    from pagekin.blocks.display import colour_blocks
    from pagekin.web.html import to_html

    sheet = colour_blocks(page.tree.tops, links, blocks, page.resolver)
    with naming(path):
        path.write_bytes(to_html(page.tree, sheet))


def _open_page(options: argparse.Namespace, config: Any, view: Any) -> tuple[Any, Any]:
    """The page that the arguments name, and the counters of its reading."""
    if options.warc and (options.url or options.charset):
        raise UsageError("--url and --charset go with an HTML file; a WARC record has both")
    if options.warc:
        return _page_of_warc(options, config, view)
    return page_of_file(options.page, config, view, options.url, options.charset)


def page_of_file(
    name: str, config: Any, view: Any, address: str = "", charset: str = ""
) -> tuple[Any, Any]:
    """The page in an HTML file, and the counters of its reading."""
    from pagekin.counters import Counters
    from pagekin.web.page import make_page
    from pagekin.web.urls import canonical

    path = Path(name)
    if "://" in name and not path.exists():
        raise UsageError(f"{name}: name the WARC file that holds it with --warc")
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if body.startswith((b"WARC/", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        raise UsageError(f"{path} is a WARC or compressed file; give it with --warc, and a URL")
    url = canonical(address) if address else "http://localhost/"
    if url is None:
        raise UsageError(f"--url {address}: is no web address")
    counters = Counters()
    limit = config.reading.max_page_bytes
    counters.add("pages", "cut_to_limit", int(len(body) > limit))
    page = make_page(url, body[:limit], charset, counters, view=view)
    if isinstance(page, str):
        raise InputError(f"{path}: would be left out: {page}")
    return page, counters


def _page_of_warc(options: argparse.Namespace, config: Any, view: Any) -> tuple[Any, Any]:
    """The first readable page of this URL, or else of another spelling of it."""
    from pagekin.counters import Counters
    from pagekin.web.page import PageReader, read_file
    from pagekin.web.urls import are_spellings, canonical

    wanted = canonical(options.page)
    if wanted is None:
        raise UsageError(f"{options.page}: is no web address")
    pages: list[tuple[Any, Any]] = []  # of other spellings, one at most
    refused: dict[bool, list[str]] = {True: [], False: []}  # by whether the URL is the same
    seen = Counters()
    for record in read_file(options.warc, seen, config.reading.max_page_bytes):
        url = canonical(record.url)
        if url is None or not are_spellings(url, wanted):
            continue
        counters = Counters()
        page = PageReader(config.reading, counters, view).read(record)
        if isinstance(page, str):
            refused[url == wanted].append(page)
        elif url == wanted:
            return page, counters
        elif not pages:
            pages.append((page, counters))
    if seen.notes:
        raise InputError("; ".join(seen.notes))
    if pages and not refused[True]:
        return pages[0]
    if reasons := refused[True] or refused[False]:
        raise InputError(f"{wanted} is there and would be left out: {', '.join(reasons)}")
    records = seen.get("records", "read")
    raise NotFoundError(f"{wanted} is not among the {records} records of {options.warc}")
