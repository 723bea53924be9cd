"""Cuts runs of Chinese and Japanese characters, which are written without spaces, into words.

Chinese is cut by jieba's method (a dictionary as a directed graph, the most probable path through
it, and a hidden Markov model for what it does not hold), in its Rust edition, rjieba (MIT).
The model stays on: it keeps names the dictionary lacks in one piece.

What it is not: a segmenter of Japanese. Kanji are cut by the Chinese dictionary, a run of Katakana
(mostly a foreign word) stays whole, and so does a run of Hiragana (mostly particles and endings).
Korean has spaces and is left alone. Traditional characters are cut more finely than simplified
ones, as the dictionary holds fewer words in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

__all__ = ["load_dictionary", "needs_segmenting", "segment"]

# With the signs that repeat or replace a Han character: 々 〆 〇.
_HAN = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# The voicing marks and the length mark go with either kind of Kana.
_HIRAGANA = r"\u3041-\u3096\u309d-\u309f\u3099\u309a\u30fc"
_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\u3099\u309a"

# No sentence has so many characters in a row. rjieba is linear (0.13 us a character), but its
# memory grows with the run.
_LONGEST_HAN = 1000

_PARTS = re.compile(
    f"([{_HAN}]{{1,{_LONGEST_HAN}}})|[{_HIRAGANA}]+|[{_KATAKANA}]+|[^{_HAN}{_HIRAGANA}{_KATAKANA}]+"
)
_ALL_HAN = re.compile(f"[{_HAN}]{{1,{_LONGEST_HAN}}}")
_EAST_ASIAN = re.compile(f"[{_HAN}{_HIRAGANA}{_KATAKANA}]")
# Tried first: 2 ns a character where the search above takes 7, and it settles 85 pages of 100.
_BELOW = re.compile(r"[\0-\u3004]*+")


def needs_segmenting(text: str) -> bool:
    """True if `text` holds Han characters or Kana, so that its runs must go through `segment`.

    >>> needs_segmenting("Tōkyō"), needs_segmenting("東京"), needs_segmenting("서울")
    (False, True, False)
    """
    return not _BELOW.fullmatch(text) and _EAST_ASIAN.search(text) is not None


def segment(run: str) -> list[str]:
    """The words of a run of letters; joined they are the run again.

    >>> segment("iphone手机壳"), segment("straße")
    (['iphone', '手机', '壳'], ['straße'])
    """
    if _ALL_HAN.fullmatch(run):  # most of Chinese
        return _cutter()(run)
    words: list[str] = []
    for part in _PARTS.finditer(run):
        words.extend(_cutter()(part[0]) if part[1] else (part[0],))
    return words


def load_dictionary() -> None:
    """Load now what the first Han character else loads."""
    _cutter()


@cache
def _cutter() -> Callable[[str], list[str]]:
    # Imported at the first Han character: the dictionary takes 0.1 s and 33 MB. One is enough for
    # all threads, as cutting does not change it.
    import rjieba  # noqa: PLC0415

    return rjieba.cut
