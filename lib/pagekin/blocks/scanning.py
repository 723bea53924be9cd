"""Scanning: a page is cut into sections at partitioning tags, as GetBlocks of Debnath et al. does.

A section begins and ends at each start and end tag of the list, so in whatever order the tags are
applied the sections are the same. What stands between two of them (a heading, a bare line) is a
section too; an empty one is none. A link lies in the section of its first content, also when it is
written around the tag that cuts.

Beside links each section keeps what the adjusting stage asks for: its text and words, headings, and
how many characters it has in each style. Texts of `script`, `style` and the like are no texts, but
links in them are links. [BLOCK]; the tag list is not in the paper (docs/decisions/blocks.md).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Final

from pagekin.blocks.anchors import UNSEEN, count_words
from pagekin.blocks.colours import Colour
from pagekin.blocks.linktree import tag_of
from pagekin.blocks.styles import ROOT_STYLE, Style, Styles
from pagekin.config import BlockConfig

__all__ = ["HEADINGS", "Place", "Section", "scan"]

HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_NOT_ON_THE_PAGE = UNSEEN | {"head"}


class Place:
    """An element that cuts, among those around it."""

    __slots__ = ("above",)

    def __init__(self, above: Place | None) -> None:
        self.above = above


class Section:
    """A run of a page between two cuts. It grows while it is scanned, and when others join it."""

    __slots__ = (
        *("bold", "bold_outside_headings", "bold_outside_links", "headings", "home", "link_words"),
        *("links", "opened", "runs", "sections", "texts", "words"),
    )

    def __init__(self, opened: str, home: Place) -> None:
        self.opened = opened  # the tag at which it begins
        self.home = home  # the innermost cutting element around it
        self.sections = 1  # how many it was made of
        self.links: list[int] = []
        self.texts: list[str] = []
        self.headings: dict[str, None] = {}  # tags of those it has text of, in order
        self.words = 0
        self.link_words = 0  # those in links
        self.runs: dict[Style, int] = {}  # characters in each style, white space not counted
        self.bold = 0  # characters
        self.bold_outside_links = 0
        self.bold_outside_headings = 0

    @property
    def characters(self) -> int:
        """All but white space."""
        return sum(self.runs.values())

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def backgrounds(self) -> dict[Colour, int]:
        """Characters on each background, in the order of their first ones."""
        found: dict[Colour, int] = {}
        for style, number in self.runs.items():
            found[style.background] = found.get(style.background, 0) + number
        return found

    def absorb(self, other: Section) -> None:
        """Take over all that another section has."""
        self.sections += other.sections
        self.links += other.links
        self.texts += other.texts
        self.headings.update(other.headings)
        self.words += other.words
        self.link_words += other.link_words
        self.bold += other.bold
        self.bold_outside_links += other.bold_outside_links
        self.bold_outside_headings += other.bold_outside_headings
        for style, number in other.runs.items():
            self.runs[style] = self.runs.get(style, 0) + number


def scan(tops: list[Any], config: BlockConfig, max_links: int = sys.maxsize) -> list[Section]:
    """The sections of a page, in order; links by their numbers, as `find_links` counts them.

    Links behind the first `max_links` are text.
    """
    scanner = _Scanner(config, max_links)
    styles = Styles(tops, config.styles)
    for element, style, seen in _walk(tops, styles, scanner):
        scanner.start(element, style, seen)
    return scanner.sections


def _walk(tops: list[Any], styles: Styles, scanner: _Scanner) -> Iterator[tuple[Any, Style, bool]]:
    """Every element with its style; its end and its tail are told to the scanner on the way."""
    waiting: list[tuple[Any, Style, bool, bool]] = [
        (top, ROOT_STYLE, True, False) for top in reversed(tops)
    ]
    while waiting:
        element, style, seen, done = waiting.pop()
        if done:
            scanner.end(element, style, seen)
            continue
        waiting.append((element, style, seen, True))
        seen = seen and element.tag not in _NOT_ON_THE_PAGE
        own = styles.of(element, style) if seen else style
        yield element, own, seen
        waiting += [(child, own, seen, False) for child in reversed(element)]


def _name(element: Any) -> str:
    return tag_of(str(element.tag), element.get("class", ""), element.get("id", ""))


class _Scanner:
    """Takes the page's elements and texts in order, and makes sections of them."""

    def __init__(self, config: BlockConfig, max_links: int) -> None:
        self._max_links = max_links
        self.sections: list[Section] = []
        self._tags = frozenset(config.tags)
        self._alt = config.alt
        self._section: Section | None = None
        self._opened = "start of the page"
        self._place = Place(None)
        self._number = 0  # of the next link
        self._open_links = 0
        self._headings: list[str] = []  # open ones
        self._waiting: list[int] = []  # open links whose first content is still to come

    def start(self, element: Any, style: Style, seen: bool) -> None:
        tag = element.tag
        if tag in self._tags:
            self._cut(f"<{_name(element)}>")
            self._place = Place(self._place)
        if tag == "a" and element.get("href") is not None:
            if self._number < self._max_links:
                self._waiting.append(self._number)
            self._number += 1
            self._open_links += 1
        elif tag in HEADINGS:
            self._headings.append(tag)
        if tag == "img" and seen:
            self._place_links(style)
            self._text(element.get("alt", "") if self._alt else "", style)
        elif seen and element.text:
            self._text(element.text, style)

    def end(self, element: Any, above: Style, seen: bool) -> None:
        """The element's end tag, and the text behind it, which has the style of the one above."""
        tag = element.tag
        if tag == "a" and element.get("href") is not None:
            self._place_links(above)
            self._open_links -= 1
        elif tag in HEADINGS:
            self._headings.pop()
        if tag in self._tags:
            self._cut(f"</{tag}>")
            self._place = self._place.above or self._place
        if seen and element.tail:
            self._text(element.tail, above)

    def _cut(self, tag: str) -> None:
        self._section = None
        self._opened = tag

    def _here(self) -> Section:
        """The section that is open; a new one behind a cut."""
        if self._section is None:
            self._section = Section(self._opened, self._place)
            self.sections.append(self._section)
        return self._section

    def _place_links(self, style: Style) -> None:
        """The open links have met their first content, or their end."""
        if self._waiting:
            section = self._here()
            section.links += self._waiting
            section.runs.setdefault(style, 0)  # an image has a background too
            self._waiting = []

    def _text(self, text: str, style: Style) -> None:
        pieces = text.split()
        if not pieces:
            return
        self._place_links(style)
        section = self._here()
        words, characters = count_words(text), sum(map(len, pieces))
        section.texts.append(text)
        section.words += words
        section.runs[style] = section.runs.get(style, 0) + characters
        if self._open_links:
            section.link_words += words
        if self._headings:
            section.headings[self._headings[-1]] = None
        if style.bold:
            section.bold += characters
            section.bold_outside_links += 0 if self._open_links else characters
            section.bold_outside_headings += 0 if self._headings else characters
