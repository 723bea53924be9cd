"""`pagekin evaluate`: how good the parts of pagekin are, measured against what people said."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from pagekin.commands.blocks import add_rules, block_config
from pagekin.commands.evaluate_gamma import add_gamma
from pagekin.commands.evaluate_rscore import add_rscore

__all__ = ["add_parser"]

_SEGMENTATION = """\
Compare the blocks of links of pages with blocks that people marked. E-precision is the share of our
blocks that equal a marked one, I-precision of those that lie within one; E-recall is the share of
the marked link lists that a block of ours equals, F of E-precision and E-recall both, coverage the
share of marked links that end in a block. Only blocks of two links and more count.

DIR holds index.json, whose "pages" name the HTML file and the marks of each page
(docs/formats.md).
"""

_EXAMPLES = """\
examples:
  pagekin evaluate segmentation marked-pages
  pagekin evaluate segmentation --rules paper --json marked-pages
"""

_COLUMNS = ("blocks", "e_precision", "i_precision", "e_recall", "f", "coverage")


def add_parser(commands: Any) -> None:
    """Declare the command and what it can evaluate."""
    parser = commands.add_parser("evaluate", help="measure pagekin against human judgement")
    subjects = parser.add_subparsers(metavar="SUBJECT", required=True, parser_class=type(parser))
    add_gamma(subjects)
    add_rscore(subjects)
    _add_segmentation(subjects)
    parser.commands = subjects.choices


def _add_segmentation(subjects: Any) -> None:
    from pagekin.options import add_flags

    parser = subjects.add_parser(
        "segmentation",
        help="blocks of links against blocks that people marked",
        description=_SEGMENTATION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=_run_segmentation)
    parser.add_argument("folder", metavar="DIR", help="the folder of marked pages")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_rules(parser)
    group = parser.add_argument_group("configuration", "as of pagekin build; filters do nothing")
    add_flags(group.add_argument, ("blocks",))


def _run_segmentation(options: argparse.Namespace) -> int:
    from pagekin.evaluate.segmentation import evaluate_segmentation, read_marked_pages

    config = block_config(options)
    pages = read_marked_pages(Path(options.folder))
    scores = evaluate_segmentation(pages, config.blocks)
    if options.json:
        print(json.dumps(scores, indent=2))
        return 0
    humans, lists = (scores["after"][name] for name in ("human_blocks", "human_lists"))
    print(f"{scores['after']['pages']} pages; rules: {config.blocks.rules}")
    print(f"{'':10}" + "".join(f"{name:>13}" for name in _COLUMNS))
    print(f"{'by human':10}{humans:>13}   ({lists} distinct lists of links)")
    for name, row in scores.items():
        numbers = "".join(
            f"{row[c]:>13,}" if c == "blocks" else f"{row[c]:>13.3f}" for c in _COLUMNS
        )
        print(f"{name:10}{numbers}")
    return 0
