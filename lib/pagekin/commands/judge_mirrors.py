"""`pagekin evaluate mirrors`: are mirrors found, and nothing else?"""

from __future__ import annotations

import argparse
import shlex
import sys
from datetime import date
from pathlib import Path
from typing import Any

from pagekin.commands.arguments import DEFAULT_WORK, add_command, print_result
from pagekin.commands.locations import local_index
from pagekin.errors import UsageError, naming
from pagekin.printing import tell

__all__ = ["add_mirror_pairs"]

_ABOUT = """\
Judge mirrors by pairs of pages of which it is known how alike they are: precision, recall and F by
the threshold of resemblance, for pairs of one host and of two hosts apart, and of the groups that
answers fold by. Pairs of a likeness from --alike on should be found, and no others.

With --index a pair is found at a threshold if edges of at least this resemblance lead from one page
to the other; below the threshold of the build there are none. With --work the sketches of both
pages are compared, whether the build met the pair or not: so what a threshold would give is seen
apart from candidates and groups.

PAIRS is a file of lines of URL, tab, URL, tab, likeness from 0 to 1 (docs/formats.md).
"""

_EXAMPLES = """\
examples:
  pagekin evaluate mirrors --index crawl.index pairs.tsv
  pagekin evaluate mirrors --work work --report mirrors.html pairs.tsv
"""


def add_mirror_pairs(subjects: Any) -> None:
    """Declare `mirrors`."""
    summary = "mirrors against pairs of pages of known likeness"
    parser = add_command(subjects, "mirrors", _mirrors, summary, _ABOUT, examples=_EXAMPLES)
    add = parser.add_argument
    add("pairs", type=Path, metavar="PAIRS", help="the file of pairs")
    about = f"the index of a build, or its workspace (default: {DEFAULT_WORK})"
    add("--index", type=Path, metavar="DIR", help=about)
    add("--work", type=Path, metavar="DIR", help="or a workspace, whose sketches are compared")
    add(
        "--alike",
        type=float,
        default=0.5,
        metavar="L",
        help="pairs of this likeness and more are alike (default: %(default)s)",
    )
    add("--json", action="store_true", help="print JSON")
    add("--report", type=Path, metavar="OUT.html", help="write a report with plots")


def _mirrors(options: argparse.Namespace) -> int:
    from pagekin.build.mirror_material import pairs_of_index, pairs_of_workspace
    from pagekin.evaluate.mirror_pairs import judge_pairs, read_pairs
    from pagekin.evaluate.mirror_report import mirror_lines, mirror_report

    if options.work and options.index:
        raise UsageError("--work and --index: name one of them")
    if not 0 < options.alike <= 1:
        raise UsageError(f"--alike {options.alike}: it must be above 0 and at most 1")
    pairs = read_pairs(options.pairs)
    if options.work:
        judged = pairs_of_workspace(options.work, pairs)
    else:
        options.index = options.index or DEFAULT_WORK
        judged = pairs_of_index(local_index(options.index, options), pairs)
    grouped = judged.within_groups is not None
    result = {
        **judge_pairs(judged.found, options.alike, judged.threshold, grouped=grouped),
        "missing": judged.missing,
        "within_groups": judged.within_groups,
        "settings": {
            "pairs": str(options.pairs),
            "index": options.index and str(options.index),
            "work": options.work and str(options.work),
            "alike": options.alike,
        },
    }
    if options.report:
        page = mirror_report(result, shlex.join(["pagekin", *sys.argv[1:]]), date.today())
        with naming(options.report):
            options.report.write_text(page, encoding="utf-8", errors="replace")
        tell(f"pagekin: the report is in {options.report}")
    print_result(result, mirror_lines(result), as_json=options.json, ensure_ascii=False, indent=1)
    return 0
