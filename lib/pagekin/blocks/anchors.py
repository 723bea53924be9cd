"""The visible text of a link or a page's part, and its words.

Not text: what browsers do not show of `script`, `style`, `noscript`, `select`, `svg`, `iframe`.
The alternative text of an image is text. A word is a run of letters and digits; a Han character or
a Kana is a word by itself, as there are no blanks between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

__all__ = ["UNSEEN", "anchor_text", "count_words", "squeeze"]

UNSEEN: Final = frozenset(("script", "style", "noscript", "select", "svg", "iframe"))
_LONGEST = 1000  # characters of an anchor text; a link around a whole page is no description of one
_MOST_ELEMENTS = 1000
_SPECIAL = ("img", "a", *sorted(UNSEEN))  # whose text is not what stands in them

_KANA = "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD: Final = re.compile(f"[{_KANA}{_HAN}]|[^\\W_{_KANA}{_HAN}]+")


def count_words(text: str) -> int:
    """How many words.

    >>> count_words("Bees, 2 hives: 蜜蜂")
    5
    """
    return sum(1 for _ in _WORD.finditer(text))


def squeeze(text: str) -> str:
    """The text without blanks at its ends, and with single ones between its words."""
    return " ".join(text.split())


def anchor_text(link: Any) -> str:
    """The text of a link, white space squeezed, cut at _LONGEST characters."""
    if not len(link):
        return squeeze((link.text or "")[: 4 * _LONGEST])[:_LONGEST]
    first = link[0]
    if first.tag == "img" and len(link) == 1:  # one in five of those with elements inside
        return squeeze(f"{link.text or ''}{_own_text(first)}{first.tail or ''}")[:_LONGEST]
    if next(link.iterdescendants(*_SPECIAL), None) is None:
        return squeeze("".join(link.itertext()))[:_LONGEST]
    pieces = []
    size = 0
    for piece in _pieces(link):
        pieces.append(piece)
        size += len(piece)
        if size > 4 * _LONGEST:
            break
    return squeeze("".join(pieces))[:_LONGEST]


def _pieces(top: Any) -> Iterator[str]:
    """Texts in their order; a link inside is another link, and its text its own."""
    waiting = [(top, False)]  # elements, and whether only what follows them is still to be said
    for _ in range(_MOST_ELEMENTS):
        if not waiting:
            return
        element, left = waiting.pop()
        if left:
            yield element.tail or ""
            continue
        if element is not top:
            waiting.append((element, True))
        if element.tag in UNSEEN or (element is not top and _is_link(element)):
            continue
        yield _own_text(element)
        waiting += [(child, False) for child in reversed(element)]


def _is_link(element: Any) -> bool:
    return bool(element.tag == "a" and element.get("href") is not None)


def _own_text(element: Any) -> str:
    """The text in front of the first child; of an image what stands for it."""
    if element.tag == "img":
        return f" {element.get('alt', '')} "
    return element.text or ""
