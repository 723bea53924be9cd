"""Adjusting: neighbouring sections are merged into blocks by the six rules of [BLOCK], in order.

Each rule is asked only if no earlier one applied:

1. two link sections on one background are merged
2. a bold section is not merged
3. sections whose average font scores (Eq. 1) differ by more than 0.5 are not merged
4. two sections of more than ten words are not merged
5. a link section and another are merged, if together they are of the type of the larger
6. others are not merged

A merged section stands for both in what follows. Figure 3 is mended: it moves to the next section
in the loop, and the last one is put out too. Blocks of less than two links are none.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Final

from pagekin.blocks.colours import WIDEST, Colour, lab_distance
from pagekin.blocks.model import Segment
from pagekin.blocks.scanning import Place, Section
from pagekin.config import BlockConfig

__all__ = ["RULES", "adjust", "font_score", "merging_rule"]

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
_END = "end of the page"
_NO_FONT: Final = -1.0


def adjust(
    sections: Iterable[Section],
    config: BlockConfig,
    is_valid: Callable[[int], bool] = lambda number: True,
) -> list[Segment]:
    """The blocks of a page. `is_valid` says of a link whether it leads to a web page at all."""
    if config.invalid == "sections":
        sections = [section for section in sections if all(map(is_valid, section.links))]
    found: list[Segment] = []
    merged: Section | None = None
    used: list[str] = []
    for section in sections:
        rule = merging_rule(merged, section, config) if merged else ""
        if merged and RULES[rule]:
            merged.absorb(section)
            used.append(rule)
            continue
        if merged:
            _put_out(merged, used, rule, found)
        merged, used = _copy(section), []
    if merged:
        _put_out(merged, used, _END, found)
    return found


def _copy(section: Section) -> Section:
    copied = copy.copy(section)
    for name in ("links", "texts", "headings", "runs"):
        setattr(copied, name, getattr(section, name).copy())
    return copied


def _put_out(section: Section, used: list[str], ended: str, found: list[Segment]) -> None:
    if len(section.links) < 2:
        return
    joined = ", ".join(f"{used.count(rule)} by {rule}" for rule in RULES if rule in used)
    rule = f"{section.sections} sections ({joined})" if joined else "1 section"
    found.append(Segment(tuple(section.links), section.opened, f"{rule}; ended by: {ended}"))


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
