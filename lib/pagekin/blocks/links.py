"""The links of a page as blocks know them, whether it was read as an outline or as a tree.

Anchor texts are made where somebody asks for them: most links of a page are in no block, or repeat
another.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any, Protocol

from pagekin.blocks.anchors import anchor_text, has_text, squeeze_text
from pagekin.web.flat import MAX_LINKS
from pagekin.web.outline import Outline
from pagekin.web.scan import attribute

__all__ = ["Links", "OutlineLinks", "TreeLinks", "find_links", "same_links"]

_rel = attribute("rel")


class Links(Protocol):
    """The first MAX_LINKS <a href> of a page, in order; each is known by its number."""

    hrefs: list[str]  # as written

    def rel(self, number: int) -> str:
        """What it says of itself."""

    def anchor(self, number: int) -> str:
        """Its text, white space squeezed."""

    def has_text(self, number: int) -> bool:
        """Is that another than ""?"""


class OutlineLinks:
    """Those of an outline."""

    def __init__(self, outline: Outline) -> None:
        self.hrefs = outline.hrefs
        self._outline = outline

    def rel(self, number: int) -> str:
        """What it says of itself."""
        raw = self._outline.attributes[self._outline.elements[number]]
        return _rel(raw) or ""

    def anchor(self, number: int) -> str:
        """Its text, white space squeezed."""
        return squeeze_text(self._outline.texts[number])

    def has_text(self, number: int) -> bool:
        """Is that another than ""?"""
        # references and letters beyond ASCII are looked at more closely
        outline = self._outline
        return outline.worded[number] == 1 or squeeze_text(outline.texts[number]) != ""


class TreeLinks:
    """Those of a tree of lxml's elements."""

    def __init__(self, tops: Iterable[Any]) -> None:
        self.elements = find_links(tops)[:MAX_LINKS]
        self.hrefs = [str(link.get("href")) for link in self.elements]

    def rel(self, number: int) -> str:
        """What it says of itself."""
        return str(self.elements[number].get("rel", ""))

    def anchor(self, number: int) -> str:
        """Its text, white space squeezed."""
        return anchor_text(self.elements[number])

    def has_text(self, number: int) -> bool:
        """Is that another than ""?"""
        return has_text(self.elements[number])


def find_links(tops: Iterable[Any]) -> list[Any]:
    """Every <a href> of a page, in order."""
    return [a for top in tops for a in top.iter("a") if a.get("href") is not None]


def same_links(ours: list[str], theirs: list[str]) -> dict[int, int]:
    """Which of our links is which of theirs, by their hrefs.

    Another parser may see some links in another order, or not at all.
    """
    if ours == theirs:
        return dict(enumerate(range(len(ours))))
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    return {a + k: b + k for a, b, size in matcher.get_matching_blocks() for k in range(size)}
