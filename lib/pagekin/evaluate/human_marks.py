"""Answers that people mark: the pool that they are shown, and the R-score of their marks ([BLOCK]).

A pool holds the answers of several systems, shuffled, and blind: what a person sees does not show
which system gave an answer, nor at what rank. A key file next to the pool has that.

The average R-score (Figure 10): of each page asked for, the marks of its first R answers are
averaged; the R-score is the mean of that over the pages. A page with fewer answers is averaged over
those it has, and one with none counts 0. Several people's marks of one answer are averaged first.

Judgements are tab-separated with a line of names: `page`, `answer`, `mark` (0, 1 or 2), and
`system` and `rank`, which a key file holds where the pool was blinded (docs/formats.md).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from pagekin.errors import InputError
from pagekin.evaluate.bootstrap import RESAMPLES, SEED, interval, resample
from pagekin.printing import printable

__all__ = [
    "MARKS",
    "RANKS",
    "Answer",
    "Pool",
    "average_r_scores",
    "key_path",
    "make_pool",
    "read_judgements",
]

MARKS: Final = ("0", "1", "2")
RANKS: Final = 15  # the paper's

_Table = list[dict[str, str]]
Marks = Mapping[tuple[str, str], float]


class Answer(NamedTuple):
    """Where a system put an answer."""

    page: str
    answer: str
    system: str
    rank: int


# --- pools ---


class Pool(NamedTuple):
    """The two files of a pool, as text."""

    pool: str  # page, answer, and a place for the mark
    key: str  # page, answer, system, rank


def make_pool(answers: Mapping[str, Mapping[str, Sequence[str]]], seed: int) -> Pool:
    """The pool of system -> page -> answers, best first; the same seed makes the same again."""
    ranked = sorted(
        (printable(page), system, rank, printable(answer))
        for system, pages in answers.items()
        for page, found in pages.items()
        for rank, answer in enumerate(found, 1)
    )
    generator = random.Random(seed)
    pool = "page\tanswer\tmark\n"
    for page in sorted({page for page, *_ in ranked}):
        shown = sorted({answer for of, *_, answer in ranked if of == page})
        generator.shuffle(shown)
        pool += "".join(f"{page}\t{answer}\t\n" for answer in shown)
    lines = (f"{page}\t{answer}\t{system}\t{rank}\n" for page, system, rank, answer in ranked)
    return Pool(pool, "page\tanswer\tsystem\trank\n" + "".join(lines))


def key_path(pool: Path) -> Path:
    """The path of the key of a blinded pool, in the same folder."""
    return pool.with_name(f"{pool.stem}.key{pool.suffix or '.tsv'}")


# --- marks ---


def read_judgements(
    paths: Sequence[Path], key: Path | None = None
) -> tuple[list[Answer], dict[tuple[str, str], float]]:
    """The answers of all systems, and the mean mark of each page and answer."""
    tables = [_read_table(path, ("page", "answer", "mark")) for path in paths]
    marks = _marks(paths, tables)
    if key is None and not all({"system", "rank"} <= set(t[0]) for t in tables if t):
        key = key_path(paths[0])
    if key is None:
        rows = [row for table in tables for row in table]
        return _answers(rows, paths[0]), marks
    return _answers(_read_table(key, ("page", "answer", "system", "rank")), key), marks


def _read_table(path: Path, needed: Sequence[str]) -> _Table:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    fields = [line.split("\t") for line in lines if line.strip()]
    names = [name.strip() for name in fields[0]] if fields else []
    if lacking := [name for name in needed if name not in names]:
        raise InputError(f"{path}: its first line names no column {', '.join(lacking)}")
    return [dict(zip(names, map(str.strip, row), strict=False)) for row in fields[1:]]


def _marks(paths: Sequence[Path], tables: Sequence[_Table]) -> dict[tuple[str, str], float]:
    given: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    bad = 0
    for table in tables:
        # a table with systems names an answer of several systems several times
        for row in {(r["page"], r.get("answer"), r.get("mark")): r for r in table}.values():
            if row.get("mark") in MARKS:
                given[row["page"], row["answer"]].append(int(row["mark"]))
            else:
                bad += 1
    if bad:
        names = ", ".join(map(str, paths))
        raise InputError(f"{names}: {bad} answers have no mark; each takes 0, 1 or 2")
    return {answer: sum(marks) / len(marks) for answer, marks in given.items()}


def _answers(rows: _Table, path: Path) -> list[Answer]:
    try:
        found = [Answer(r["page"], r["answer"], r["system"], int(r["rank"])) for r in rows]
    except (KeyError, ValueError) as error:
        raise InputError(f"{path}: a line lacks its system or its rank") from error
    return list(dict.fromkeys(found))


# --- scores ---


def average_r_scores(
    answers: Iterable[Answer], marks: Marks, *, seed: int = SEED, resamples: int = RESAMPLES
) -> dict[str, list[dict[str, Any]]]:
    """For each system the R-scores for R = 1 to 15, with intervals over the pages asked for."""
    ranked = _ranked(answers, marks)
    pages = sorted({page for page, _ in ranked})
    return {
        system: _scores([ranked.get((page, system), []) for page in pages], seed, resamples)
        for system in sorted({system for _, system in ranked})
    }


def _ranked(answers: Iterable[Answer], marks: Marks) -> dict[tuple[str, str], list[float]]:
    """The marks of each page's answers by each system, best rank first."""
    ranked: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    lacking = 0
    for one in sorted(answers, key=lambda a: (a.system, a.page, a.rank, a.answer)):
        mark = marks.get((one.page, one.answer))
        lacking += mark is None
        ranked[one.page, one.system].append(mark or 0.0)
    if lacking:
        raise InputError(f"{lacking} answers of the key have no mark in the judgements")
    return ranked


def _scores(marks: Sequence[Sequence[float]], seed: int, resamples: int) -> list[dict[str, Any]]:
    """A row of figures for each R."""
    means = np.array(
        [
            [sum(some[:r]) / len(some[:r]) if some else 0.0 for r in range(1, RANKS + 1)]
            for some in marks
        ]
    )
    drawn = resample(means, resamples, seed) / len(means)
    rows = []
    for k, value in enumerate(means.mean(axis=0).tolist()):
        low, high = interval(drawn[:, k])
        rows.append({"r": k + 1, "value": value, "low": low, "high": high})
    return rows
