"""The directory of a made-up web: classes three deep, and the words that pages of a class share.

Of 100 words of a page 28 are those of a class: 69 of 100 of these of the class alone, the others
of the two classes above it. A sixth of the 28 are those of another class of the branch, for no page
is about one thing. So pages of one class are most alike, siblings next, then cousins, which is what
a human directory is taken to say [SIM 2.1]. A branch has one language.
"""

from __future__ import annotations

import math
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from pagekin.synthetic.chance import key_of
from pagekin.synthetic.languages import CODES, Language, language, make_words, shares, spread, zipf

__all__ = ["TABLE", "Topics"]

TABLE = 2048  # words in the table of a class
_LEVELS = ((256, 60), (384, 50), (1408, 60))  # slots and words of the branch, the second, the class
_BRANCHES = (
    *("Arts", "Business", "Games", "Health", "Recreation", "Science", "Society"),
    *CODES[1:],  # by the name that the language gives itself
)
_ENGLISH = len(_BRANCHES) - len(CODES) + 1


class Topics:
    """The classes of a web, numbered from 0."""

    def __init__(self, count: int, seed: int) -> None:
        self.count = count
        self._seed = seed
        self.table = cache(self._table)
        self.words = cache(lambda leaf: self.table(leaf).tolist())
        self.path = cache(self._path)
        self.spaces = [self.language(leaf).space for leaf in range(count)]

    def branch(self, leaf: int) -> int:
        return leaf % len(_BRANCHES)

    def second(self, leaf: int) -> int:
        """The number of the class above within its branch."""
        return leaf // len(_BRANCHES) // self._width

    @cached_property
    def _width(self) -> int:
        return max(2, math.isqrt(self.count // len(_BRANCHES)))

    def code(self, leaf: int) -> str:
        """The language of the class's pages."""
        return CODES[max(self.branch(leaf) - _ENGLISH + 1, 0)]

    def language(self, leaf: int) -> Language:
        return language(self.code(leaf))

    def another(self, leaf: int, chance: int) -> int:
        """Some class of the branch."""
        branch = self.branch(leaf)
        return branch + chance % ((self.count - 1 - branch) // len(_BRANCHES) + 1) * len(_BRANCHES)

    def weights(self) -> NDArray[np.float64]:
        """The share of the pages that each class has."""
        english, *others = shares()
        of_branches = np.array([english / _ENGLISH] * _ENGLISH + others)
        leaves = np.arange(self.count)
        within = (leaves // len(_BRANCHES) + 2.0) ** -0.5
        sums = np.bincount(leaves % len(_BRANCHES), within, len(_BRANCHES))
        weights = of_branches[leaves % len(_BRANCHES)] * within / sums[leaves % len(_BRANCHES)]
        return np.asarray(weights / weights.sum())

    def family(self, leaf: int) -> tuple[int, int]:
        """Equal for classes below the same second one."""
        return self.branch(leaf), self.second(leaf)

    def _path(self, leaf: int) -> str:
        """/Top/A/B/C; the names are words that the classes' pages use."""
        branch = self.branch(leaf)
        top = _BRANCHES[branch] if branch < _ENGLISH else self.language(leaf).name
        second, third = (self._names(leaf, level)[0].capitalize() for level in (1, 2))
        return f"/Top/{top}/{second}_{self.second(leaf)}/{third}_{leaf}"

    def _names(self, leaf: int, level: int) -> NDArray[np.object_]:
        places = (self.branch(leaf), self.second(leaf), leaf)[: level + 1]
        key = key_of(self._seed, "topic", level, *places)
        return make_words(self.code(leaf), key, _LEVELS[level][1])

    def _table(self, leaf: int) -> NDArray[np.object_]:
        parts = [
            spread(self._names(leaf, level), slots, zipf(count, 2.0, 0.8))
            for level, (slots, count) in enumerate(_LEVELS)
        ]
        return np.concatenate(parts)
