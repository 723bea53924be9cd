"""`pagekin pool` and `pagekin evaluate rscore`: answers for people to mark, and their marks."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pagekin.commands.arguments import (
    DEFAULT_WORK,
    add_command,
    check_at_least,
    print_result,
    read_urls,
)
from pagekin.commands.locations import local_index
from pagekin.errors import UsageError, naming
from pagekin.printing import tell

__all__ = ["add_pool", "add_rscore"]

_POOL = """\
Write a pool: for each URL the answers of all systems, shuffled, with a column for people to fill in
0 (unrelated, or cannot be opened), 1 (a similar topic) or 2 (the same topic). The key beside it
tells which system gave which answer; whoever marks should not see it. Systems are the ways to rank
the answers of an index (exact, signatures), and several indexes.
"""

_POOL_EXAMPLES = """\
examples:
  pagekin pool --index crawl.index example.org example.net -o pool.tsv
  pagekin pool --index a.index --index b.index --by exact example.org -o pool.tsv
  pagekin evaluate rscore pool.tsv
"""

_RSCORE = """\
Show the average R-score for R = 1 to 15: of each page asked for, the mean mark of its first R
answers, and of that the mean over the pages. People mark a pool (pagekin pool) with 0: unrelated or
cannot be opened, 1: a similar topic, 2: the same topic. Several files are several people's marks.

The key that pagekin pool wrote beside the pool tells which system gave which answer. A file with
columns system and rank of its own needs none.
"""

_RSCORE_EXAMPLES = """\
examples:
  pagekin pool --index crawl.index example.org example.net -o pool.tsv
  pagekin evaluate rscore pool.tsv
  pagekin evaluate rscore anna.tsv ben.tsv --key pool.key.tsv --json
"""

_WAYS = ("exact", "signatures")


def add_pool(commands: Any) -> None:
    """Declare `pool`."""
    usage = "%(prog)s [options] (URL [URL ...] | --urls FILE)"
    summary = "answers for people to mark"
    add = add_command(
        commands, "pool", _pool, summary, _POOL, examples=_POOL_EXAMPLES, usage=usage
    ).add_argument
    add("url", nargs="*", metavar="URL", help="the pages to ask for")
    add("--urls", type=Path, metavar="FILE", help="those in FILE, one a line; -: stdin")
    add(
        "--index",
        action="append",
        type=Path,
        metavar="DIR",
        help="an index, or the workspace of the build that made it; may be given again, for another"
        f" system (default: {DEFAULT_WORK})",
    )
    add(
        "--by",
        action="append",
        choices=_WAYS,
        help="how answers are ranked; may be given again (default: both)",
    )
    add("-k", type=int, default=15, metavar="N", help="answers of a system (default: %(default)s)")
    add("--seed", type=int, default=1, metavar="N", help="of the order (default: %(default)s)")
    add(
        "-o",
        "--output",
        type=Path,
        default=Path("pool.tsv"),
        metavar="FILE",
        help="the pool; its key becomes FILE with .key before the ending (default: %(default)s)",
    )


def _pool(options: argparse.Namespace) -> int:
    from pagekin.evaluate.human_marks import key_path, make_pool

    if bool(options.url) == (options.urls is not None):
        raise UsageError("name URLs, or --urls FILE")
    check_at_least(options, k=1)
    urls = options.url or read_urls(options.urls)
    pool, key = options.output, key_path(options.output)
    for path in (pool, key):
        if path.exists():
            raise UsageError(f"{path} is there already, and somebody's marks may be in it")
    made = make_pool(_answers(options, urls), options.seed)
    for path, text in ((pool, made.pool), (key, made.key)):
        with naming(path):
            path.write_text(text, encoding="utf-8")
    lines = made.pool.count("\n") - 1
    tell(f"pagekin: {lines} answers to mark are in {pool}, the key in {key}")
    return 0


def _answers(options: argparse.Namespace, urls: list[str]) -> dict[str, dict[str, list[str]]]:
    """System -> page -> answers, best first."""
    return {
        name: {page: found for url in urls for page, found in [ask(url)]}
        for name, ask in _systems(options).items()
    }


def _systems(options: argparse.Namespace) -> dict[str, Callable[[str], tuple[str, list[str]]]]:
    from pagekin.query.api import Index

    systems: dict[str, Callable[[str], tuple[str, list[str]]]] = {}
    paths = options.index or [DEFAULT_WORK]
    for path in paths:
        index = Index.open(local_index(path, options))
        for way in dict.fromkeys(options.by or _WAYS):
            name = f"{path.name}:{way}" if len(paths) > 1 else way
            if name in systems:
                raise UsageError(f"two indexes are named {path.name}; rename one")
            systems[name] = _asker(index, options.k, exact=way == "exact")
    return systems


def _asker(index: Any, k: int, *, exact: bool) -> Callable[[str], tuple[str, list[str]]]:
    def ask(url: str) -> tuple[str, list[str]]:
        answer = index.related(url, k, exact=exact)
        return answer.asked[0].url, [kin.url for kin in answer]

    return ask


def add_rscore(subjects: Any) -> None:
    """Declare `evaluate rscore`."""
    summary = "answers by the marks that people gave them"
    add = add_command(
        subjects, "rscore", _rscore, summary, _RSCORE, examples=_RSCORE_EXAMPLES
    ).add_argument
    add("judgements", nargs="+", type=Path, metavar="JUDGEMENTS.tsv", help="the marked pool")
    add("--key", type=Path, metavar="FILE", help="its key (default: JUDGEMENTS.key.tsv beside it)")
    add("--seed", type=int, default=1, metavar="N", help="of the intervals (default: %(default)s)")
    add("--json", action="store_true", help="print JSON: system -> list of R, value, low and high")


def _rscore(options: argparse.Namespace) -> int:
    from pagekin.evaluate.human_marks import average_r_scores, read_judgements

    answers, marks = read_judgements(options.judgements, options.key)
    scores = average_r_scores(answers, marks, seed=options.seed)
    lines = _rscore_lines(scores, len({page for page, _ in marks}), len(marks))
    print_result(scores, lines, as_json=options.json, ensure_ascii=False, indent=1)
    return 0


def _rscore_lines(scores: Any, pages: int, marks: int) -> Iterator[str]:
    yield f"{pages} pages, {marks} marked answers; in parentheses 95 % over pages"
    yield f"{'R':>3}" + "".join(f"{system:>24}" for system in scores)
    for rows in zip(*scores.values(), strict=True):
        cells = [f"{r['value']:.3f} ({r['low']:.2f} to {r['high']:.2f})" for r in rows]
        yield f"{rows[0]['r']:>3}" + "".join(f"{cell:>24}" for cell in cells)
