"""`pagekin evaluate rscore`: what people said of the first answers."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

__all__ = ["add_rscore"]

_DESCRIPTION = """\
Show the average R-score for R = 1 to 15: of each page asked for, the mean mark of its first R
answers, and of that the mean over the pages. People mark a pool (pagekin pool) with 0: unrelated or
not to be had, 1: a similar topic, 2: the same topic. Several files are several people's marks.

The key that pagekin pool wrote beside the pool tells which system gave which answer. A file with
columns system and rank of its own needs none.
"""

_EXAMPLES = """\
examples:
  pagekin pool --index crawl.index example.org example.net -o pool.tsv
  pagekin evaluate rscore pool.tsv
  pagekin evaluate rscore anna.tsv ben.tsv --key pool.key.tsv --json
"""


def add_rscore(subjects: Any) -> None:
    """Declare the subject."""
    parser = subjects.add_parser(
        "rscore",
        help="answers by the marks that people gave them",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("judgements", nargs="+", type=Path, metavar="JUDGEMENTS.tsv", help="the marked pool")
    add("--key", type=Path, metavar="FILE", help="its key (default: JUDGEMENTS.key.tsv beside it)")
    add("--seed", type=int, default=1, metavar="N", help="of the intervals (default: %(default)s)")
    add("--json", action="store_true", help="print JSON: system -> list of R, value, low and high")


def run(options: argparse.Namespace) -> int:
    """Print the scores."""
    from pagekin.evaluate.human_marks import average_r_scores, read_judgements

    answers, marks = read_judgements(options.judgements, options.key)
    scores = average_r_scores(answers, marks, seed=options.seed)
    if options.json:
        print(json.dumps(scores, ensure_ascii=False, indent=1))
        return 0
    pages = len({page for page, _ in marks})
    print(f"{pages} pages, {len(marks)} marked answers; in parentheses 95 % over pages")
    print(f"{'R':>3}" + "".join(f"{system:>24}" for system in scores))
    for rows in zip(*scores.values(), strict=True):
        cells = [f"{r['value']:.3f} ({r['low']:.2f} to {r['high']:.2f})" for r in rows]
        print(f"{rows[0]['r']:>3}" + "".join(f"{cell:>24}" for cell in cells))
    return 0
