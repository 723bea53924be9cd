"""What a sample is: how much was wanted, what was copied, and how sure that makes a count."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from pagekin.errors import UsageError
from pagekin.web.sources import Source

__all__ = ["Sample", "Span", "Wanted", "parse_wanted"]


class Wanted(NamedTuple):
    """How much is to be read: a share of the bytes, or a number of pages."""

    share: float = 0.0
    pages: int = 0


def parse_wanted(word: str) -> Wanted:
    """
    >>> parse_wanted("1%"), parse_wanted("2000")
    (Wanted(share=0.01, pages=0), Wanted(share=0.0, pages=2000))
    """
    if match := re.fullmatch(r"(\d+(?:\.\d+)?)%", word):
        share = float(match[1]) / 100
        if 0 < share <= 1:
            return Wanted(share=share)
    elif word.isdecimal() and int(word):
        return Wanted(pages=int(word))
    raise UsageError(f"--sample {word}: takes a share such as 1%, or a number of pages")


class Span(NamedTuple):
    """What was copied of a span."""

    pages: int
    bytes: int


@dataclass
class Sample:
    """Files of copied records, and what they stand for."""

    files: list[Source]
    method: str  # spans, files or all
    spans: list[Span]
    total_bytes: int  # of the whole snapshot
    total_files: int
    largest_file: int
    notes: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Of the bytes."""
        return sum(span.bytes for span in self.spans) / max(self.total_bytes, 1)

    @property
    def error(self) -> float:
        """The relative standard error of amounts that grow with the pages: spans differ."""
        pages, size, n = sum(s.pages for s in self.spans), self._size(), len(self.spans)
        if self.method == "all":
            return 0.0
        if n < 2 or not pages:
            return 1.0
        squares = sum((s.pages - pages / size * s.bytes) ** 2 for s in self.spans)
        return math.sqrt(n / (n - 1) * squares * max(0.0, 1 - self.share)) / pages

    def _size(self) -> int:
        return max(1, sum(span.bytes for span in self.spans))
