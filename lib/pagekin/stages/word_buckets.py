"""Into how many buckets the words of a snapshot are parted: few where it is small.

A bucket holds the terms whose hashes begin with the same hexadecimal digits. Each costs its records
a few microseconds at each of seven steps; a reducer holds all of one, so there must be many where
there are many words. It follows from the bytes of the snapshot, and so is the same on every runner.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pagekin.bags.vocabulary import DIGITS

__all__ = ["add_digits", "digit_flags", "digits_for"]

_FLAG = "--word-digits"
_FEW = 2  # digits: 256 buckets
_SMALL = 1 << 30  # bytes of a compressed snapshot: some 10,000 terms in each of 256 buckets


def add_digits(add: Callable[..., Any]) -> None:
    """The option of jobs that make records of words; all jobs of a build have the same."""
    about = "hexadecimal digits that name a bucket of words (default: %(default)s)"
    add(_FLAG, type=int, default=DIGITS, choices=(1, 2, 3, 4), help=about)


def digits_for(size: float) -> int:
    """How many they are for a snapshot of so many bytes."""
    return _FEW if size < _SMALL else DIGITS


def digit_flags(size: float) -> tuple[str, ...]:
    """What jobs are told for it."""
    digits = digits_for(size)
    return () if digits == DIGITS else (f"{_FLAG}={digits}",)
