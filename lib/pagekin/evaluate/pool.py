"""Pools for people to mark: the answers of several systems, shuffled, and blind ([BLOCK]).

What a person sees does not tell which system gave an answer, nor at what rank: that stands in a key
beside it. The seed settles the order, so a pool can be made again.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pagekin.evaluate.rscore import Answer

__all__ = ["Pool", "make_pool"]


class Pool(NamedTuple):
    """The two files of a pool, as text."""

    pool: str  # page, answer, and a place for the mark
    key: str  # page, answer, system, rank


def make_pool(answers: Mapping[str, Mapping[str, Sequence[str]]], seed: int) -> Pool:
    """The pool of system -> page -> answers, best first."""
    ranked = [
        Answer(page, answer, system, rank)
        for system, pages in answers.items()
        for page, found in pages.items()
        for rank, answer in enumerate(found, 1)
    ]
    generator = random.Random(seed)
    pages = sorted({one.page for one in ranked})
    lines = ["page\tanswer\tmark"]
    for page in pages:
        shown = sorted({one.answer for one in ranked if one.page == page})
        generator.shuffle(shown)
        lines += [f"{page}\t{answer}\t" for answer in shown]
    return Pool(_text(lines), _text(_key_lines(ranked)))


def _key_lines(ranked: Iterable[Answer]) -> list[str]:
    rows = sorted(ranked, key=lambda one: (one.page, one.system, one.rank))
    return [
        "page\tanswer\tsystem\trank",
        *(f"{one.page}\t{one.answer}\t{one.system}\t{one.rank}" for one in rows),
    ]


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
