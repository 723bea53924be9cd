"""Declarations of CSS: those that say how text looks, as properties of a style.

`font` and `background` are taken apart. What cannot be read says nothing. Rests on CSS 2.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pagekin.blocks.colours import TRANSPARENT, parse_colour

__all__ = ["SIZE_WORDS", "declarations", "font_size"]

SIZE_WORDS: Final = {
    **{"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0},
    **{"x-large": 24.0, "xx-large": 32.0},
}
_ROOT_SIZE = 16.0  # pixels, as all below
_UNITS: Final = {"px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78}
_LARGEST = 10_000.0
_STEP: Final = 1.2  # between a size and the next one

_URL = re.compile(r"url\([^)]*\)?")
_LENGTH = re.compile(r"\+?([0-9]{0,7}\.?[0-9]{1,7})(px|pt|pc|in|cm|mm|em|rem|ex|%)?")
_WORD = re.compile(r"[#\w-]+\([^()]*\)|[#\w.%-]+")


def declarations(body: str) -> Iterator[tuple[str, str, int]]:
    """(property of Style, value, is it important) of all that can be read."""
    for declaration in body.split(";"):
        prop, colon, text = declaration.partition(":")
        value, bang, _ = text.strip().lower().partition("!")
        if not colon or not value:
            continue
        for name, short in _longhands(prop.strip().lower(), value.strip()):
            yield name, short, int(bang == "!")


def _longhands(prop: str, value: str) -> Iterator[tuple[str, str]]:
    if prop == "color":
        if value == "inherit" or parse_colour(value):
            yield "colour", value
    elif prop == "background-color":
        if value == "inherit" or parse_colour(value):
            yield "background", value
    elif prop == "background":
        yield "background", _shorthand_colour(value)
    elif prop == "font-weight":
        yield "bold", value
    elif prop == "font-size":
        yield "size", value
    elif prop == "font-family":
        yield "family", value
    elif prop == "font":
        yield from _font(value)


def _shorthand_colour(value: str) -> str:
    """The colour in `background`; one that names none is transparent."""
    words = _WORD.findall(_URL.sub(" ", value))
    return next((word for word in words if parse_colour(word)), TRANSPARENT)


def _font(value: str) -> Iterator[tuple[str, str]]:
    """Of `bold 12px/1.5 Arial, sans-serif` the weight, the size and the family."""
    words = value.split(None, 5)
    weight = "normal"
    for k, word in enumerate(words):
        size = word.partition("/")[0]
        if word in ("bold", "bolder") or (word.isdecimal() and len(word) == 3):
            weight = word
        elif _LENGTH.fullmatch(size) or size in SIZE_WORDS:
            yield from (("bold", weight), ("size", size), ("family", " ".join(words[k + 1 :])))
            return


def font_size(text: str, above: float) -> float:
    """A size in pixels, within an element of the size `above`."""
    if text in SIZE_WORDS:
        return SIZE_WORDS[text]
    if text in ("smaller", "larger"):
        size = above * _STEP if text == "larger" else above / _STEP
    else:
        match = _LENGTH.fullmatch(text)
        if not match:
            return above
        size = float(match[1]) * _unit(match[2] or "px", above)
    return round(min(max(size, 0.0), _LARGEST), 2)


def _unit(unit: str, above: float) -> float:
    relative = {"em": above, "%": above / 100, "ex": above / 2, "rem": _ROOT_SIZE}
    return relative[unit] if unit in relative else _UNITS[unit]
