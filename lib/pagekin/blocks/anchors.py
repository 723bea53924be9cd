"""The visible text of a link or a page's part, and its words.

Not text: what browsers do not show of `script`, `style`, `noscript`, `select`, `svg`, `iframe`.
The alternative text of an image is text. A word is a run of letters and digits; a Han character or
a Kana is a word by itself, as there are no blanks between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pagekin.web.references import resolve_references

__all__ = ["UNSEEN", "anchor_text", "count_words", "has_text", "squeeze", "squeeze_text"]

UNSEEN: Final = frozenset(("script", "style", "noscript", "select", "svg", "iframe"))
_LONGEST = 1000  # characters of an anchor text; a link around a whole page is no description of one
_MOST_CHARACTERS = 4 * _LONGEST  # as they are written, with all their white space
_MOST_ELEMENTS = 1000
_LOOKS = 4  # so many texts that are not too long are within _MOST_CHARACTERS
_APART = UNSEEN | {"a"}  # whose text belongs to no link around them
_SPECIAL = ("img", *sorted(_APART))  # whose text is not what stands in them

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


def squeeze_text(raw: bytes) -> str:
    """The text of a link of an outline: what its references stand for, squeezed and cut."""
    return squeeze(resolve_references(raw).decode())[:_LONGEST]


def has_text(link: Any) -> bool:
    """Is the text of a link another than ""? In most cases its first characters tell."""
    element = link
    for _ in range(_LOOKS):
        text = element.text
        if text and (len(text) > _LONGEST or not text.isspace()):
            return len(text) <= _LONGEST or anchor_text(link) != ""
        if not len(element) or element[0].tag in _SPECIAL:
            break
        element = element[0]
    return anchor_text(link) != ""


def anchor_text(link: Any) -> str:
    """The text of a link, white space squeezed, cut at _LONGEST characters."""
    if not len(link):
        return squeeze((link.text or "")[:_MOST_CHARACTERS])[:_LONGEST]
    first = link[0]
    if len(link) == 1 and not len(first) and first.tag not in _APART:  # three in five of the rest
        return squeeze(f"{link.text or ''}{_own_text(first)}{first.tail or ''}")[:_LONGEST]
    if next(link.iterdescendants(*_SPECIAL), None) is None:
        return squeeze("".join(link.itertext()))[:_LONGEST]
    pieces = []
    size = 0
    for piece in _pieces(link):
        pieces.append(piece)
        size += len(piece)
        if size > _MOST_CHARACTERS:
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
