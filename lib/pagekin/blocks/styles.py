"""How text looks: the styles of elements, as far as the page itself says.

Read are presentational attributes, `style` attributes, the page's `<style>` elements with simple
selectors, and what browsers do by default, in the cascade of CSS 2.1. Linked sheets are not loaded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from pagekin.blocks.colours import Colour, parse_colour
from pagekin.blocks.declarations import font_size
from pagekin.blocks.sheets import Sheets, rank_attribute

__all__ = ["ROOT_STYLE", "Style", "Styles"]


class Style(NamedTuple):
    """How a text looks."""

    colour: Colour
    background: Colour
    bold: bool
    size: float  # CSS pixels
    family: str  # the first font named; "" for the browser's own


ROOT_STYLE: Final = Style((0, 0, 0), (255, 255, 255), bold=False, size=16.0, family="")

_LINK_COLOUR: Final = "#0000ee"
_BOLD_TAGS: Final = ("b", "strong", "th", "h1", "h2", "h3", "h4", "h5", "h6")
_SIZES: Final = {
    **{"h1": "2em", "h2": "1.5em", "h3": "1.17em", "h5": ".83em", "h6": ".67em"},
    **{"small": "smaller", "sub": "smaller", "sup": "smaller", "big": "larger"},
    **dict.fromkeys(("code", "pre", "tt", "kbd", "samp"), "13px"),
}
_FONT_SIZES: Final = (10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)  # <font size=1> to 7
_LONGEST_FAMILY = 40  # characters

_Declared = dict[str, str]  # property, as Style calls it -> value


class Styles:
    """The styles of one page."""

    def __init__(self, tops: list[Any], source: str = "all") -> None:
        self._sheets = Sheets(tops) if source == "all" else None
        self._link_colour = _link_colour(tops)
        self._memo: dict[tuple[Any, ...], Style] = {}

    def of(self, element: Any, above: Style) -> Style:
        """The style of an element in one of the style `above`."""
        tag, items = element.tag, tuple(element.items())
        key = (above, tag, items)
        style = self._memo.get(key)
        if style is None:
            style = self._memo[key] = _apply(self._declared(tag, dict(items)), above)
        return style

    def _declared(self, tag: str, attributes: dict[str, str]) -> _Declared:
        declared = _defaults(tag, attributes, self._link_colour) | _presentational(tag, attributes)
        if self._sheets:
            get = attributes.get
            ranked = dict(self._sheets.about(tag, get("id", ""), get("class", "")))
            rank_attribute(ranked, get("style", ""))
            declared |= {name: value for name, (_, value) in ranked.items()}
        return declared


def _defaults(tag: str, attributes: dict[str, str], link_colour: str) -> _Declared:
    """What browsers do unasked."""
    declared = {}
    if tag in _BOLD_TAGS:
        declared["bold"] = "bold"
    if tag in _SIZES:
        declared["size"] = _SIZES[tag]
    if tag == "a" and "href" in attributes:
        declared["colour"] = link_colour
    if tag == "mark":
        declared["background"] = "yellow"
    return declared


def _presentational(tag: str, attributes: dict[str, str]) -> _Declared:
    declared = {}
    if "bgcolor" in attributes:
        declared["background"] = _attribute_colour(attributes["bgcolor"])
    if tag == "body" and "text" in attributes:
        declared["colour"] = _attribute_colour(attributes["text"])
    if tag == "font":
        if "color" in attributes:
            declared["colour"] = _attribute_colour(attributes["color"])
        if "size" in attributes:
            declared["size"] = _font_size(attributes["size"])
        if "face" in attributes:
            declared["family"] = attributes["face"]
    return {name: value for name, value in declared.items() if value}


def _attribute_colour(text: str) -> str:
    colour = parse_colour(text, attribute=True)
    return "#{:02x}{:02x}{:02x}".format(*colour) if isinstance(colour, tuple) else ""


def _font_size(text: str) -> str:
    """<font size>: 1 to 7, or a step from 3."""
    word = text.strip()[:3]
    if not word.lstrip("+-").isdecimal() or not word.isascii():
        return ""
    number = int(word) + (3 if word[0] in "+-" else 0)
    return f"{_FONT_SIZES[min(max(number, 1), 7) - 1]}px"


def _link_colour(tops: Iterable[Any]) -> str:
    for top in tops:
        for body in top.iter("body"):
            return _attribute_colour(body.get("link", "")) or _LINK_COLOUR
    return _LINK_COLOUR


def _apply(declared: _Declared, above: Style) -> Style:
    if not declared:
        return above
    colour = parse_colour(declared.get("colour", ""))
    background = parse_colour(declared.get("background", ""))
    return Style(
        colour if isinstance(colour, tuple) else above.colour,
        background if isinstance(background, tuple) else above.background,
        _is_bold(declared.get("bold", ""), above.bold),
        font_size(declared.get("size", ""), above.size),
        _family(declared["family"]) if "family" in declared else above.family,
    )


def _is_bold(weight: str, above: bool) -> bool:
    if weight in ("bold", "bolder"):
        return True
    if weight in ("normal", "lighter"):
        return False
    return int(weight) >= 600 if weight.isdecimal() and len(weight) < 5 else above


def _family(text: str) -> str:
    return text.partition(",")[0].strip(" \"'").lower()[:_LONGEST_FAMILY]
