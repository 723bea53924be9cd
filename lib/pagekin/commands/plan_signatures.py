"""`pagekin plan-signatures`: how many signatures a wish for recall costs."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pagekin.commands.arguments import add_command, print_result
from pagekin.errors import UsageError

if TYPE_CHECKING:
    from pagekin.minhash.recall import Plan, Row

__all__ = ["add_plan_signatures"]

_DESCRIPTION = """\
Show how many signatures a bag needs (signatures.count of a build), so that a pair of pages whose
true similarity is A is found with probability R or more.

A signature of two bags is equal with a probability that is their similarity. A query finds a page
when the share of equal signatures is above its threshold T. With T = 0 one equal signature is
enough to make it a candidate, which the query then compares exactly.
"""

_EXAMPLES = """\
example:
  pagekin plan-signatures --alpha 0.15 --recall 0.95
      19 signatures: of pairs of similarity 0.15, 95 in 100 have at least one of 19 equal
  pagekin plan-signatures --alpha 0.25 --recall 0.95 --threshold 0.15
      the query's own rule: more than 15 in 100 signatures equal, for pairs of similarity 0.25
  pagekin plan-signatures --alpha 0.3 --m 80
      what 80 signatures, the default of a build, do for pairs of similarity 0.3

The error is that of the similarity estimated from the share of equal signatures: a pair of
similarity 0.3 is estimated as 0.30 +- 0.05 by 80. Four times as many signatures halve it.
"""

_NEIGHBOURS = (20, 40, 80, 160, 256, 400)


def add_plan_signatures(commands: Any) -> None:
    """Declare the command."""
    summary = "how many signatures a bag needs"
    add = add_command(
        commands, "plan-signatures", _run, summary, _DESCRIPTION, examples=_EXAMPLES
    ).add_argument
    add("--alpha", type=float, required=True, metavar="A", help="similarity of the pair, above 0")
    add("--recall", type=float, metavar="R", help="probability to find it, such as 0.95")
    add(
        "--threshold",
        type=float,
        default=0.0,
        metavar="T",
        help="found is what has a share of equal signatures above T (default: 0, one is enough)",
    )
    add("--m", type=int, metavar="M", help="show this number of signatures too")
    add("--json", action="store_true", help="print an object")


def _run(options: argparse.Namespace) -> int:
    from pagekin.minhash.recall import plan, row

    _check(options)
    answer = None
    if options.recall is not None:
        answer = plan(options.alpha, options.recall, options.threshold)
    numbers = {*_NEIGHBOURS, answer.enough if answer else 0, options.m or 0} - {0}
    rows = [row(m, options.alpha, options.threshold) for m in sorted(numbers)]
    lines = [*_sentences(options, answer, rows), "", *_table(answer, rows)]
    print_result(_described(options, answer, rows), lines, as_json=options.json)
    return 0


def _check(options: argparse.Namespace) -> None:
    from pagekin.minhash.recall import MOST

    if options.recall is None and options.m is None:
        raise UsageError("say what recall is wanted (--recall R), or how many signatures (--m M)")
    if options.m is not None and not 1 <= options.m <= MOST:
        raise UsageError(f"--m takes a number of signatures from 1 to {MOST:,}")


def _described(
    options: argparse.Namespace, answer: Plan | None, rows: Iterable[Row]
) -> dict[str, Any]:
    return {
        "alpha": options.alpha,
        "recall": options.recall,
        "threshold": options.threshold,
        "signatures": answer.enough if answer else None,
        "least": answer.least if answer else None,
        "table": [each._asdict() for each in rows],
    }


def _sentences(
    options: argparse.Namespace, answer: Plan | None, rows: Iterable[Row]
) -> Iterator[str]:
    rule = "one equal signature"
    if options.threshold:
        rule = f"a share of equal signatures above {options.threshold:g}"
    pairs = f"pairs of similarity {options.alpha:g} with probability"
    if answer:
        finds = _count(answer.enough)
        yield f"{finds} {pairs} {options.recall:g} or more, by {rule}."
        if answer.least < answer.enough:
            yield f"{answer.least} would do, but some larger numbers would not."
    if options.m:
        found = next(each.recall for each in rows if each.signatures == options.m)
        yield f"{_count(options.m)} {pairs} {found:.4f}, by {rule}."


def _count(number: int) -> str:
    return "1 signature finds" if number == 1 else f"{number:,} signatures find"


def _table(answer: Plan | None, rows: Iterable[Row]) -> Iterator[str]:
    yield "     m   recall   error   bytes in H   bytes in I"
    for each in rows:
        mark = " *" if answer and each.signatures == answer.enough else ""
        span = f"{each.bytes_i_least:,} to {each.bytes_i_most:,}"
        figures = (
            f"{each.signatures:6,}   {each.recall:.4f}   {each.error:.3f}   {each.bytes_h:10,}"
        )
        yield f"{figures}   {span}{mark}"
    yield ""
    yield "Bytes are those of one document. In I it shares the keys with others, or has its own."
