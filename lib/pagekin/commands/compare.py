"""`pagekin compare`: is one strategy better than another, by how much, and how sure is that."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pagekin.errors import InputError, UsageError

__all__ = ["add_parser"]

_DESCRIPTION = """\
Compare two results of `pagekin evaluate gamma --json` by a paired bootstrap over their source
pages: B less A, the interval that holds 95 % of the differences, and the share of drawings in which
B is better. Both must judge the same pages and classes.
"""

_EXAMPLES = """\
example:
  pagekin evaluate gamma --directory d.tsv --work paper --json > a.json
  pagekin evaluate gamma --directory d.tsv --work ours --json > b.json
  pagekin compare a.json b.json
"""


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "compare",
        help="two results of evaluate gamma: which is better, and how sure that is",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("a", type=Path, metavar="A.json", help="a result")
    add("b", type=Path, metavar="B.json", help="the result that is perhaps better")
    add("--seed", type=int, default=1, metavar="N", help="of drawings (default: %(default)s)")
    add("--resamples", type=int, default=1000, metavar="N", help="drawings (default: %(default)s)")
    add("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    """Print the comparison."""
    from pagekin.evaluate.bootstrap import compare_results

    if options.resamples < 1 or options.seed < 0:
        raise UsageError("--resamples takes a number from 1, --seed one from 0")
    said = compare_results(
        _read(options.a),
        _read(options.b),
        (str(options.a), str(options.b)),
        seed=options.seed,
        resamples=options.resamples,
    )
    print(json.dumps(said, indent=1) if options.json else "\n".join(_lines(said)))
    return 0


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is no JSON") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: is no result of `pagekin evaluate gamma --json`")
    return found


def _lines(said: dict[str, Any]) -> Iterator[str]:
    yield f"{said['sources']:,} sources in both; {said['resamples']:,} drawings"
    yield f"{'':22}{'A':>8}{'B':>8}{'B - A':>9}{'95 %':>20}  B better in"
    for name in ("gamma", "sibling", "cousin", "unrelated"):
        for measure, shown in (("value", name), ("with_ties", f"{name} with ties")):
            yield f"{shown:22}{_row(said[name][measure])}"
    yield _verdict(said["sibling"]["value"])


def _row(d: dict[str, float | None]) -> str:
    if None in d.values():
        return "    no pairs to compare"
    ends = f"{d['low']:+.4f} to {d['high']:+.4f}"
    sure = f"{d['b_is_better']:.1%}"
    return f"{d['a']:>8.4f}{d['b']:>8.4f}{d['difference']:>+9.4f}{ends:>20}{sure:>13}"


def _verdict(d: dict[str, float | None]) -> str:
    low, high = d["low"], d["high"]
    if low is None or high is None:
        return "Nothing can be said of siblings."
    if low > 0:
        return "B is better on siblings: the interval lies above 0."
    if high < 0:
        return "A is better on siblings: the interval lies below 0."
    return "Neither is shown to be better on siblings: the interval holds 0."
