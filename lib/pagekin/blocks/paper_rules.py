"""The rules of the paper: a page is cut into sections, and neighbouring ones become blocks [BLOCK].

Scanning cuts a page at partitioning tags, as GetBlocks of Debnath et al. does. A section begins and
ends at each start and end tag of the list, so in whatever order the tags are applied the sections
are the same. What stands between two of them (a heading, a bare line) is a section too; an empty
one is none. A link lies in the section of its first content, also when it is written around the tag
that cuts. Texts of `script`, `style` and the like are no texts, but links in them are links. The
tag list is not in the paper (docs/decisions/blocks.md).

Adjusting merges neighbouring sections by six rules; each is asked only if no earlier one applied:

1. two link sections on one background are merged
2. a bold section is not merged
3. sections whose average font scores (Eq. 1) differ by more than 0.5 are not merged
4. two sections of more than ten words are not merged
5. a link section and another are merged, if together they are of the type of the larger
6. others are not merged

A merged section stands for both in what follows. Figure 3 is mended: it moves to the next section
in the loop, and the last one becomes a block too. Blocks of less than two links are left out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pagekin.blocks.links import HEADINGS, UNSEEN, Segment, count_words, element_name
from pagekin.blocks.styles import ROOT_STYLE, WIDEST, Colour, Style, Styles, lab_distance
from pagekin.config import BlockConfig

__all__ = ["RULES", "Place", "Section", "adjust", "font_score", "merging_rule", "scan"]

_NOT_ON_THE_PAGE = UNSEEN | {"head"}
# What decides about two neighbours; True where it merges them.
RULES: Final[dict[str, bool]] = {
    "1 link sections": True,
    "2 bold": False,
    "3 font scores": False,
    "4 words": False,
    "5 type of the larger": True,
    "6 otherwise": False,
    "far apart": False,
}
_NO_FONT: Final = -1.0


# --- scanning ---


class Place:
    """An element that cuts, among those around it."""

    __slots__ = ("above",)

    def __init__(self, above: Place | None) -> None:
        self.above = above


@dataclass(slots=True)
class Section:
    """A run of a page between two cuts. It grows while it is scanned, and when others join it."""

    opened: str  # the tag at which it begins
    home: Place  # the innermost cutting element around it
    sections: int = 1  # how many it was made of
    links: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    headings: dict[str, None] = field(default_factory=dict)  # tags of those it has text of
    words: int = 0
    link_words: int = 0  # those in links
    runs: dict[Style, int] = field(default_factory=dict)  # characters in each style, no white space
    bold: int = 0  # characters
    bold_outside_links: int = 0
    bold_outside_headings: int = 0

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
    return element_name(str(element.tag), element.get("class", ""), element.get("id", ""))


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


# --- adjusting ---


def adjust(
    sections: Iterable[Section],
    config: BlockConfig,
    is_valid: Callable[[int], bool] = lambda number: True,
) -> list[Segment]:
    """The blocks of a page. `is_valid` says of a link whether it leads to a web page at all."""
    if config.invalid == "sections":
        sections = [section for section in sections if all(map(is_valid, section.links))]
    merged: list[tuple[Section, list[str]]] = []  # with the rules that merged others into them
    ended: list[str] = []  # what ended each of these
    for section in sections:
        rule = merging_rule(merged[-1][0], section, config) if merged else "6 otherwise"
        if RULES[rule]:
            merged[-1][1].append(rule)
        else:
            merged.append((Section(section.opened, section.home, sections=0), []))
            ended.append(rule)
        merged[-1][0].absorb(section)
    found = zip(merged, [*ended[1:], "end of the page"], strict=False)
    return [_block(*made, end) for made, end in found if len(made[0].links) > 1]


def _block(section: Section, used: list[str], end: str) -> Segment:
    joined = ", ".join(f"{used.count(rule)} by {rule}" for rule in RULES if rule in used)
    rule = f"{section.sections} sections ({joined})" if joined else "1 section"
    return Segment(tuple(section.links), section.opened, f"{rule}; ended by: {end}")


def merging_rule(s: Section, t: Section, config: BlockConfig) -> str:
    """The rule that decides about two neighbours; `RULES` says how it decides."""
    return next((rule for rule, applies in _APPLIES if applies(s, t, config)), "6 otherwise")


def _are_far_apart(s: Section, t: Section, config: BlockConfig) -> bool:
    return config.levels > 0 and not _is_near(s.home, t.home, config.levels)


def _are_link_sections(s: Section, t: Section, config: BlockConfig) -> bool:
    both = _is_link_section(s, config) and _is_link_section(t, config)
    return both and _background(s, config) == _background(t, config)


def _has_bold(s: Section, t: Section, config: BlockConfig) -> bool:
    return _is_bold(s, config) or _is_bold(t, config)


def _differ_in_score(s: Section, t: Section, config: BlockConfig) -> bool:
    scores = font_score(s, config), font_score(t, config)
    return _NO_FONT not in scores and abs(scores[0] - scores[1]) > config.max_score


def _have_many_words(s: Section, t: Section, config: BlockConfig) -> bool:
    return min(s.words, t.words) > config.max_words


def _fit_the_larger(s: Section, t: Section, config: BlockConfig) -> bool:
    types = _is_link_section(s, config), _is_link_section(t, config)
    return types[0] != types[1] and _type_of_both(s, t, config) == types[_larger(s, t, config)]


_APPLIES: Final[tuple[tuple[str, Callable[[Section, Section, BlockConfig], bool]], ...]] = (
    ("far apart", _are_far_apart),
    ("1 link sections", _are_link_sections),
    ("2 bold", _has_bold),
    ("3 font scores", _differ_in_score),
    ("4 words", _have_many_words),
    ("5 type of the larger", _fit_the_larger),
)


def _is_link_section(section: Section, config: BlockConfig) -> bool:
    return _is_link_type(section.words, section.link_words, len(section.links), config)


def _is_link_type(words: int, link_words: int, links: int, config: BlockConfig) -> bool:
    share = link_words / words if words else config.wordless if links else 0.0
    return share > config.t1 and links > config.t2


def _type_of_both(s: Section, t: Section, config: BlockConfig) -> bool:
    words, link_words = s.words + t.words, s.link_words + t.link_words
    return _is_link_type(words, link_words, len(s.links) + len(t.links), config)


def _larger(s: Section, t: Section, config: BlockConfig) -> int:
    """0 for the first, also of two equal ones, or 1."""
    sizes: dict[str, Callable[[Section], int]] = {
        "words": lambda section: section.words,
        "links": lambda section: len(section.links),
        "characters": lambda section: section.characters,
    }
    size = sizes[config.larger]
    return int(size(t) > size(s))


def _background(section: Section, config: BlockConfig) -> Colour:
    backgrounds = section.backgrounds()
    if config.background == "first":
        return next(iter(backgrounds))
    return max(backgrounds, key=lambda colour: backgrounds[colour])


def _is_bold(section: Section, config: BlockConfig) -> bool:
    if config.bold == "all":
        return 0 < section.bold == section.characters
    return {
        "any": section.bold,
        "outside_links": section.bold_outside_links,
        "outside_headings": section.bold_outside_headings,
    }[config.bold] > 0


def font_score(section: Section, config: BlockConfig) -> float:
    """Eq. 1: how much the text stands out from its background, on average; -1 without text."""
    characters = section.characters
    if not characters:
        return _NO_FONT
    total = sum(
        number
        * (config.bold_factor if style.bold else 1.0)
        * _normal(lab_distance(style.colour, style.background), config)
        for style, number in section.runs.items()
    )
    return total / characters


def _normal(distance: float, config: BlockConfig) -> float:
    return distance / WIDEST if config.distance == "widest" else min(distance / 100, 1.0)


def _is_near(one: Place, other: Place, levels: int) -> bool:
    """Is there a cutting element around both that is at most so many of them above each?"""
    return not _around(one, levels).isdisjoint(_around(other, levels))


def _around(place: Place | None, levels: int) -> set[Place]:
    found = set()
    for _ in range(levels + 1):
        if place is None:
            break
        found.add(place)
        place = place.above
    return found
