"""Flat text becomes a list of tokens: lower-case words, and markers as they stand.

A word is a run of letters of any script with the marks that belong to them; everything else
separates words [SIM 3.1]. Soft hyphens and joiners, which a reader does not see, vanish instead.

One table look-up for the whole page (numpy) and one `split` cost 0.33 s per 1,000 long pages; a
Unicode regular expression costs 1.06 on the same pages.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pagekin.text.markup import BREAK, CODES, SENTENCE
from pagekin.text.segment import needs_segmenting, segment

__all__ = ["tokenise"]

_INVISIBLE = (0x00AD, 0x200C, 0x200D, 0x2060, 0xFEFF, *range(0xFE00, 0xFE10))
# Letters live below; above are only emoji, private use and variation selectors.
_LAST_LETTER = 0x323B0
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
_AFTER_SENTENCE = " \t\r\n\xa0\"'”’)]»"  # what may stand between a full stop and its <br>


def tokenise(text: str) -> list[str]:
    """The tokens of a page's flat text.

    >>> tokenise("Bees, 2 hives; l'été!")
    ['bees', 'hives', 'l', 'été']
    """
    marked = _mark_sentences(text)
    points = _points(marked)
    if ((points - np.uint32(0x300)) < 0x70).any():  # combining accents: é in two characters
        points = _points(unicodedata.normalize("NFC", marked))
    mapped = _TABLE.take(points)
    if not mapped.all():
        mapped = mapped[mapped != 0]
    tokens = mapped.tobytes().decode("utf-32-le").split()
    if needs_segmenting(text):
        return list(chain.from_iterable(map(_parts, tokens)))
    return tokens


def _points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "replace"), dtype="<u4")


def _parts(token: str) -> Iterable[str]:
    if token.isascii() or not needs_segmenting(token):  # most words, also of a page with some Han
        return (token,)
    return segment(token)


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


_WORD_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc"})
_TABLE = _table()
