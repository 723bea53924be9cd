"""The links of a page, their anchor texts, and groups of them that belong together.

A link is an <a href>, known by its number on the page. Pages are read as outlines, or as trees for
the rules of the paper; both give the same links.

Text is what a browser shows: nothing of `script`, `style`, `noscript`, `select`, `svg`, `iframe`,
and of an image its alternative text. A word is a run of letters and digits; a Han character or a
Kana is a word by itself, as there are no blanks between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple, Protocol

from pagekin.limits import MAX_ANCHOR, MAX_LINKS
from pagekin.web.markup import Outline
from pagekin.web.tags import attribute, resolve_references

__all__ = [
    "HEADINGS",
    "UNSEEN",
    "Links",
    "OutlineLinks",
    "Segment",
    "TreeLinks",
    "anchor_text",
    "count_words",
    "element_name",
    "find_links",
    "same_links",
]

HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
UNSEEN: Final = frozenset(("script", "style", "noscript", "select", "svg", "iframe"))
_MAX_RAW_ANCHOR = 4 * MAX_ANCHOR  # characters before white space is squeezed
_MAX_ELEMENTS = 1000  # in one link
_MAX_NAME = 40  # characters of a class or an id that are shown

_KANA = "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD: Final = re.compile(f"[{_KANA}{_HAN}]|[^\\W_{_KANA}{_HAN}]+")
_rel = attribute("rel")


class Segment(NamedTuple):
    """Links of a page that belong together, and why."""

    links: tuple[int, ...]  # their numbers
    tag: str  # the element that holds them
    rule: str  # the rule that made them a block


class Links(Protocol):
    """The first MAX_LINKS <a href> of a page, in order."""

    hrefs: list[str]  # as written

    def rel(self, number: int) -> str:
        """The rel attribute of a link."""

    def anchor(self, number: int) -> str:
        """Its text, white space squeezed."""

    def has_text(self, number: int) -> bool:
        """Whether that is another than ""; found out faster than the text."""


class OutlineLinks:
    """The links of an outline."""

    def __init__(self, outline: Outline) -> None:
        self.hrefs = outline.hrefs
        self._outline = outline

    def rel(self, number: int) -> str:
        """The rel attribute of a link."""
        return _rel(self._outline.attributes[self._outline.elements[number]]) or ""

    def anchor(self, number: int) -> str:
        """Its text, white space squeezed; made where it is asked for, as most links repeat another
        one or are in no block.
        """
        return _squeeze(resolve_references(self._outline.texts[number]).decode())

    def has_text(self, number: int) -> bool:
        """Whether that is another than ""."""
        return self._outline.worded[number] == 1 or self.anchor(number) != ""


class TreeLinks:
    """The links of a tree of lxml's elements."""

    def __init__(self, tops: Iterable[Any]) -> None:
        self.elements = find_links(tops)[:MAX_LINKS]
        self.hrefs = [str(link.get("href")) for link in self.elements]

    def rel(self, number: int) -> str:
        """The rel attribute of a link."""
        return str(self.elements[number].get("rel", ""))

    def anchor(self, number: int) -> str:
        """Its text, white space squeezed."""
        return anchor_text(self.elements[number])

    def has_text(self, number: int) -> bool:
        """Whether that is another than ""."""
        return self.anchor(number) != ""


def find_links(tops: Iterable[Any]) -> list[Any]:
    """Every <a href> of a tree, in order."""
    return [a for top in tops for a in top.iter("a") if a.get("href") is not None]


def same_links(ours: list[str], theirs: list[str]) -> dict[int, int]:
    """Which of our links is which of theirs, by their hrefs.

    Another parser may see some links in another order, or not at all.
    """
    if ours == theirs:
        return dict(enumerate(range(len(ours))))
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    return {a + k: b + k for a, b, size in matcher.get_matching_blocks() for k in range(size)}


def element_name(tag: str, classes: str, id_: str) -> str:
    """An element as it is shown: its tag with the first class, or else its id.

    >>> element_name("ul", "nav top", "x"), element_name("div", "", "foot")
    ('ul.nav', 'div#foot')
    """
    first = classes.split(None, 1)
    if first:
        return f"{tag}.{first[0][:_MAX_NAME]}"
    return f"{tag}#{id_[:_MAX_NAME]}" if id_ else tag


def count_words(text: str) -> int:
    """How many words.

    >>> count_words("Bees, 2 hives: 蜜蜂")
    5
    """
    return sum(1 for _ in _WORD.finditer(text))


def anchor_text(link: Any) -> str:
    """The text of a link of a tree; a link inside it is another one, and its text not a part."""
    pieces, size = [], 0
    for piece in _texts(link):
        pieces.append(piece)
        size += len(piece)
        if size > _MAX_RAW_ANCHOR:
            break
    return _squeeze("".join(pieces))


def _texts(top: Any) -> Iterator[str]:
    """The texts of an element in their order, without recursion: trees may be deep."""
    waiting = [(top, False)]  # elements, and whether only the text behind them is still to come
    for _ in range(_MAX_ELEMENTS):
        if not waiting:
            return
        element, is_read = waiting.pop()
        if is_read:
            yield element.tail or ""
            continue
        if element is not top:
            waiting.append((element, True))
            if element.tag == "a" and element.get("href") is not None:
                continue
        if element.tag in UNSEEN:
            continue
        yield f" {element.get('alt', '')} " if element.tag == "img" else element.text or ""
        waiting += [(child, False) for child in reversed(element)]


def _squeeze(text: str) -> str:
    """The text with single blanks between its words, cut at MAX_ANCHOR characters."""
    return " ".join(text.split())[:MAX_ANCHOR]
