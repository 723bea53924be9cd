"""`pagekin blocks`: the blocks of links of a page, what made them, and what the filters took."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from pagekin.commands.page import add_page_arguments, open_page
from pagekin.errors import UsageError

__all__ = ["add_parser", "add_rules", "block_config"]

_DESCRIPTION = """\
Show the blocks of links of a page: their links in order, what bounds each block and which rule made
it, what each filter removed and why. With --html the page is written with its blocks in colours.
Without --url relative links count as links within one unknown site.
"""

_EXAMPLES = """\
examples:
  pagekin blocks --url http://a.example/bees.html --html marked.html bees.html
  pagekin blocks --rules paper --blocks-t1 0.7 --warc crawl.warc.gz http://a.example/bees.html
"""

_RULES = ("default", "structural", "coarse", "paper", "page")


def add_parser(commands: Any) -> None:
    """Declare the command."""
    from pagekin.options import add_flags

    parser = commands.add_parser(
        "blocks",
        usage="%(prog)s [options] (FILE | --warc WARC URL)",
        help="the blocks of links of a page",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add_page_arguments(parser)
    parser.add_argument("--html", metavar="OUT", help="write the page there, its blocks in colours")
    add_rules(parser)
    group = parser.add_argument_group("configuration", "as of pagekin build")
    add_flags(group.add_argument, ("reading", "blocks"))


def add_rules(parser: Any) -> None:
    """Declare --rules, the short form of --blocks-rules."""
    parser.add_argument(
        "--rules",
        choices=_RULES,
        metavar="|".join(_RULES),
        help="the same as --blocks-rules; default: structural",
    )


def block_config(options: argparse.Namespace) -> Any:
    """The configuration that the flags ask for."""
    from pagekin.options import config_from_flags

    if options.rules:
        if options.blocks_rules:
            raise UsageError("--rules and --blocks-rules say the same; name one of them")
        options.blocks_rules = None if options.rules == "default" else options.rules
    return config_from_flags(options)


def run(options: argparse.Namespace) -> int:
    """Print the blocks of a page."""
    from pagekin.blocks.display import block_lines, blocks_as_json
    from pagekin.blocks.page_blocks import blocks_view, described_blocks, page_links
    from pagekin.web.page import NOTHING, TREE

    config = block_config(options)
    view = blocks_view(config.blocks, TREE if options.html else NOTHING)
    page, counters = open_page(options, config, view)
    blocks = described_blocks(page, config.blocks, counters, config.reading)
    links = page_links(page, config.blocks)
    if options.json:
        described = blocks_as_json(page, links, blocks, config.blocks, counters)
        print(json.dumps(described, ensure_ascii=False, indent=2))
    else:
        print("\n".join(block_lines(page, blocks, counters)))
    if options.html:
        _write_marked(Path(options.html), page, links, blocks)
    return 0


def _write_marked(path: Path, page: Any, links: Any, blocks: Any) -> None:
    from pagekin.blocks.display import colour_blocks
    from pagekin.errors import naming
    from pagekin.web.html import to_html

    colour_blocks(page.tree.tops, links, blocks, page.resolver.base)
    with naming(path):
        path.write_bytes(to_html(page.tree))
