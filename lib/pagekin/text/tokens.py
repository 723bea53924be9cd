"""Flat text becomes a list of tokens: lower-case words, and markers as they stand.

A word is a run of letters of any script with the marks that belong to them; everything else
separates words [SIM 3.1]. Soft hyphens and joiners, which a reader does not see, vanish instead.

One table look-up for the whole page (numpy) and one `split` cost 0.33 s per 1,000 long pages; a
Unicode regular expression costs 1.06 on the same pages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pagekin.text.markup import BREAK, CODES, LINK_END, SENTENCE
from pagekin.text.segment import needs_segmenting, segment

__all__ = ["tokenise"]

_VARIATIONS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_INVISIBLE = (0x00AD, 0x200C, 0x200D, 0x2060, 0xFEFF, *_VARIATIONS)
# Letters live below; above are only emoji, private use and variation selectors.
_LAST_LETTER = 0x323B0
_EAST_ASIAN = np.uint32(0x3005)  # no letter below is written without spaces, but for Thai's kin
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
# What may stand between a full stop and its <br>.
_AFTER_SENTENCE = " \t\r\n\xa0\"'”’)]»" + LINK_END


def tokenise(text: str) -> list[str]:
    """The tokens of a page's flat text.

    >>> tokenise("Bees, 2 hives; l'été!")
    ['bees', 'hives', 'l', 'été']
    """
    marked = _mark_sentences(text)
    points = _points(marked)
    if ((points - np.uint32(0x300)) < 0x70).any():  # combining accents: é in two characters
        points = _points(unicodedata.normalize("NFC", _without_long_runs(marked, points)))
    mapped = _TABLE.take(points)
    if not mapped.all():
        mapped = mapped[mapped != 0]
    tokens = mapped.tobytes().decode("utf-32-le").split()
    if ((mapped - _EAST_ASIAN) < _LAST_LETTER).any():
        # most words are ASCII, also on a page with some Han, and need no look
        parts = ((token,) if token.isascii() else _parts(token) for token in tokens)
        return list(chain.from_iterable(parts))
    return tokens


def _points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "replace"), dtype="<u4")


def _parts(token: str) -> Iterable[str]:
    return segment(token) if needs_segmenting(token) else (token,)


def _mark_sentences(text: str) -> str:
    """Turn each BREAK that follows the end of a sentence into SENTENCE."""
    parts = text.split(BREAK)
    if len(parts) == 1:
        return text
    last = parts.pop()
    ended = (part.rstrip(_AFTER_SENTENCE).endswith(_SENTENCE_ENDS) for part in parts)
    return (
        "".join(f"{p}{SENTENCE if e else BREAK}" for p, e in zip(parts, ended, strict=True)) + last
    )


def _table() -> NDArray[np.uint32]:
    """Code point -> its lower-case form, 32 (a separator), or 0 (nothing)."""
    letters = [chr(point) for point in range(_LAST_LETTER) if not 0xD800 <= point < 0xE000]
    kept = [c for c in letters if unicodedata.category(c) in _WORD_CATEGORIES]
    table = np.full(0x110000, 32, dtype=np.uint32)
    # "İ" alone has a lower-case form of two characters: its first is the letter
    table[[ord(c) for c in kept]] = [ord(c.lower()[0]) for c in kept]
    table[[ord(marker) for marker in CODES]] = [ord(marker) for marker in CODES]
    table[list(_INVISIBLE)] = 0
    return table


def _without_long_runs(text: str, points: NDArray[np.uint32]) -> str:
    """The text with at most 30 marks on one letter, as Unicode's stream-safe text has (UAX 15, 13).

    Normalising sorts them in quadratic time: 5 MB of them took more than ten minutes. The search
    costs as much as all else that is done to a page, so it is made only where there is such a run.
    """
    marks = np.concatenate([[0], np.cumsum(_IS_MARK.take(points))])
    long_run = (marks[_MOST_MARKS + 1 :] - marks[: -_MOST_MARKS - 1] > _MOST_MARKS).any()
    return _LONG_RUN.sub(r"\1", text) if long_run else text


_MOST_MARKS = 30
_MARKS = [p for p in range(_LAST_LETTER) if unicodedata.combining(chr(p))]
_IS_MARK = np.zeros(0x110000, dtype=np.bool_)
_IS_MARK[_MARKS] = True
_LONG_RUN = re.compile("([{0}]{{{1}}})[{0}]+".format("".join(map(chr, _MARKS)), _MOST_MARKS))
_WORD_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc"})
_TABLE = _table()
