"""How text looks: the styles of elements, as far as the page itself says.

Read are presentational attributes, `style` attributes, the page's `<style>` elements, and what
browsers do by default, in the cascade of CSS 2.1: importance, specificity, place. Linked sheets are
not loaded; rules within `@media` of the screen count.

Of a selector its last part counts, without pseudo-classes, if it is simple: a tag, an id and up to
two classes in one (`td.a.b`). So `#menu a:link` speaks of every link. Rules are found by what they
ask for, so the price of an element does not grow with the sheet.

Colours rest on CSS Color 4 (the names and notations), IEC 61966-2-1 (sRGB) and CIE 15 (L*a*b*,
D65); their distance is the Euclidean one of 1976, as Eq. 1 of [BLOCK] has it. Not read: colour
spaces other than sRGB, system colours, `currentcolor`. Half transparent colours count as opaque.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pagekin.limits import MAX_SHEET

__all__ = [
    "ROOT_STYLE",
    "TRANSPARENT",
    "WIDEST",
    "Colour",
    "Sheets",
    "Style",
    "Styles",
    "declarations",
    "font_size",
    "lab",
    "lab_distance",
    "parse_colour",
]

# --- colours ---

Colour = tuple[int, int, int]

TRANSPARENT: Final = "transparent"
# The largest distance of two colours of sRGB: from green to blue.
WIDEST: Final = 258.7

_NAMED: Final = """
    aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc
    bisque ffe4c4 black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a
    burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50
    cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b
    darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b
    darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000
    darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f
    darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff
    dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0
    forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700
    goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0
    hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa
    lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080
    lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90
    lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa
    lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0
    lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa
    mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371
    mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585
    midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead
    navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500
    orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee palevioletred db7093
    papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6
    purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1
    saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d
    silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa
    springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347
    turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00
    yellowgreen 9acd32
"""
_NAMES_AND_DIGITS = _NAMED.split()
_HEX: Final = dict(zip(_NAMES_AND_DIGITS[::2], _NAMES_AND_DIGITS[1::2], strict=True))

_MAX_COLOUR = 64  # characters; no colour is longer, and what is longer is not looked at
_DIGITS = re.compile(r"[0-9a-f]+")
_FUNCTION = re.compile(r"(rgb|hsl)a?\(([^()]*)\)")
_CHANNEL = re.compile(r"([+-]?[0-9]{0,9}\.?[0-9]{1,9})(%|deg)?")


@lru_cache(maxsize=4096)
def parse_colour(text: str, *, attribute: bool = False) -> Colour | str | None:
    """The colour, TRANSPARENT, or None for what is no colour.

    In an attribute the "#" may be missing.

    >>> parse_colour("#F80"), parse_colour("teal"), parse_colour("rgb(0 100% 0 / 0)")
    ((255, 136, 0), (0, 128, 128), 'transparent')
    """
    word = text[: _MAX_COLOUR + 1].strip().lower()
    if len(word) > _MAX_COLOUR:
        return None
    if word in _HEX:
        return _from_hex(_HEX[word])
    if word == TRANSPARENT:
        return TRANSPARENT
    if word.startswith("#"):
        return _from_hex(word[1:])
    if match := _FUNCTION.fullmatch(word):
        return _from_function(match[1], match[2])
    return _from_hex(word) if attribute else None


def _from_hex(digits: str) -> Colour | str | None:
    if not _DIGITS.fullmatch(digits) or len(digits) not in (3, 4, 6, 8):
        return None
    if len(digits) < 6:
        digits = "".join(d + d for d in digits)
    if digits[6:] == "00":
        return TRANSPARENT
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def _from_function(name: str, inside: str) -> Colour | str | None:
    matches = [_CHANNEL.fullmatch(w) for w in inside.replace(",", " ").replace("/", " ").split()]
    if len(matches) not in (3, 4) or None in matches:
        return None
    parts = [(float(m[1]), m[2] or "") for m in matches if m]
    if len(parts) == 4 and parts[3][0] <= 0:
        return TRANSPARENT
    if name == "hsl":
        return _from_hsl(parts[0][0], parts[1][0] / 100, parts[2][0] / 100)
    red, green, blue = (_byte(v * 2.55 if unit == "%" else v) for v, unit in parts[:3])
    return red, green, blue


def _from_hsl(hue: float, saturation: float, lightness: float) -> Colour:
    saturation, lightness = (min(max(v, 0.0), 1.0) for v in (saturation, lightness))
    reach = saturation * min(lightness, 1 - lightness)

    def channel(n: int) -> int:
        k = (n + hue / 30) % 12
        return _byte(255 * (lightness - reach * max(-1.0, min(k - 3, 9 - k, 1.0))))

    return channel(0), channel(8), channel(4)


def _byte(value: float) -> int:
    return round(min(max(value, 0.0), 255.0))


@lru_cache(maxsize=4096)
def lab(colour: Colour) -> tuple[float, float, float]:
    """L*, a* and b* of an sRGB colour under D65."""
    red, green, blue = (_linear(c / 255) for c in colour)
    x = _root((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047)
    y = _root(0.2126729 * red + 0.7151522 * green + 0.0721750 * blue)
    z = _root((0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _linear(value: float) -> float:
    return float(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4)


def _root(value: float) -> float:
    return float(value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116)


@lru_cache(maxsize=4096)
def lab_distance(one: Colour, other: Colour) -> float:
    """The distance in CIELAB: 0 for equal colours, 100 for black and white, at most WIDEST.

    >>> round(lab_distance((0, 0, 0), (255, 255, 255)), 3)
    100.0
    """
    return math.dist(lab(one), lab(other))


# --- declarations: what cannot be read is passed over ---

_SIZE_WORDS: Final = {
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
        elif _LENGTH.fullmatch(size) or size in _SIZE_WORDS:
            yield from (("bold", weight), ("size", size), ("family", " ".join(words[k + 1 :])))
            return


def font_size(text: str, above: float) -> float:
    """A size in pixels, within an element of the size `above`."""
    if text in _SIZE_WORDS:
        return _SIZE_WORDS[text]
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


# --- the <style> elements of a page ---

_MAX_NAMES = 12  # classes of an element that are looked at
_PAIR = 2  # classes in one selector
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_BRACES = re.compile(r"([{}])")
_NAME = r"[\w-]+"
_SIMPLE = re.compile(rf"({_NAME}|\*)?((?:[.#]{_NAME}){{0,3}})")
_NAMES = re.compile(rf"([.#])({_NAME})")
_PSEUDO = re.compile(rf"::?{_NAME}(?:\([^()]*\))?")
_SCREENS = ("all", "screen")
_NESTED = 3  # levels of @media

# property -> (important, in the element itself, ids, classes, tags, place of rule and declaration)
# and its value
Ranked = dict[str, tuple[tuple[int, ...], str]]
_Key = tuple[str, str, tuple[str, ...]]  # tag, id, classes; empty: any


class Sheets:
    """All that the <style> elements of a page say."""

    def __init__(self, tops: Iterable[Any]) -> None:
        self._rules = _read_sheets(tops)
        self._pairs = any(len(key[2]) > 1 for key in self._rules)
        self._memo: dict[tuple[str, str, str], Ranked] = {}

    def about(self, tag: str, name: str, classes: str) -> Ranked:
        """What the sheets say of such an element."""
        if not self._rules:
            return {}
        asked = (tag, name, classes)
        if asked not in self._memo:
            ranked: Ranked = {}
            for key in self._keys(tag, name.strip(), tuple(classes.split(None, _MAX_NAMES))):
                for prop, entry in self._rules.get(key, {}).items():
                    _rank(ranked, prop, entry)
            self._memo[asked] = ranked
        return self._memo[asked]

    def _keys(self, tag: str, name: str, classes: tuple[str, ...]) -> Iterator[_Key]:
        """Every selector that could mean the element."""
        names = sorted(set(classes[:_MAX_NAMES]))
        groups: list[tuple[str, ...]] = [(), *((n,) for n in names)]
        if self._pairs:
            groups += [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
        for group in groups:
            for of_tag in (tag, ""):
                yield of_tag, "", group
                if name:
                    yield of_tag, name, group


def _read_sheets(tops: Iterable[Any]) -> dict[_Key, Ranked]:
    texts = [
        "".join(sheet.itertext())
        for top in tops
        for sheet in top.iter("style")
        if _is_screen(sheet.get("media", ""))
    ]
    rules: dict[_Key, Ranked] = {}
    for place, (selectors, body) in enumerate(_rules("\n".join(texts)[:MAX_SHEET]), 1):
        for key in filter(None, map(_key, selectors.split(","))):
            tag, name, classes = key
            specificity = (bool(name), len(classes), bool(tag))
            _rank_all(rules.setdefault(key, {}), (0, *map(int, specificity)), place, body)
    return rules


def _is_screen(media: str) -> bool:
    words = media.lower().replace(",", " ").split()
    return not words or any(word in _SCREENS for word in words) or words[0].startswith("(")


def _rules(css: str) -> Iterator[tuple[str, str]]:
    """(selectors, declarations), those within @media of the screen too."""
    pieces = _BRACES.split(_COMMENT.sub(" ", css))
    open_preludes: list[str] = []
    text = pieces[0]
    for brace, following in zip(pieces[1::2], pieces[2::2], strict=True):
        if brace == "{":
            open_preludes.append(text.rpartition(";")[2].strip().removeprefix("<!--").strip())
        elif open_preludes:
            prelude = open_preludes.pop()
            if not prelude.startswith("@") and _all_screens(open_preludes):
                yield prelude, text
        text = following


def _all_screens(preludes: list[str]) -> bool:
    return len(preludes) <= _NESTED and all(
        p.lower().startswith("@media") and _is_screen(p[len("@media") :]) for p in preludes
    )


def _key(selector: str) -> _Key | None:
    """What the last part of a selector asks for; None if that is not simple."""
    parts = _PSEUDO.sub("", selector).replace(">", " ").replace("+", " ").replace("~", " ").split()
    match = _SIMPLE.fullmatch(parts[-1]) if parts else None
    if not match:
        return None
    names = _NAMES.findall(match[2])
    ids = [name for mark, name in names if mark == "#"]
    classes = sorted({name for mark, name in names if mark == "."})
    if len(ids) > 1 or len(classes) > _PAIR:
        return None
    tag = (match[1] or "").lower()
    return ("" if tag == "*" else tag, ids[0] if ids else "", tuple(classes))


def _rank_all(ranked: Ranked, weight: tuple[int, ...], place: int, body: str) -> None:
    """Rank the declarations of a rule."""
    for number, (prop, value, important) in enumerate(declarations(body)):
        _rank(ranked, prop, ((important, *weight, place, number), value))


def _rank(ranked: Ranked, prop: str, entry: tuple[tuple[int, ...], str]) -> None:
    if prop not in ranked or ranked[prop][0] <= entry[0]:
        ranked[prop] = entry


# --- styles ---


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
_TAG_SIZES: Final = {
    **{"h1": "2em", "h2": "1.5em", "h3": "1.17em", "h5": ".83em", "h6": ".67em"},
    **{"small": "smaller", "sub": "smaller", "sup": "smaller", "big": "larger"},
    **dict.fromkeys(("code", "pre", "tt", "kbd", "samp"), "13px"),
}
_FONT_TAG_SIZES: Final = (10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)  # <font size=1> to 7
_MAX_FAMILY = 40  # characters

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
            _rank_all(ranked, (1, 0, 0, 0), 0, get("style", "")[:MAX_SHEET])
            declared |= {name: value for name, (_, value) in ranked.items()}
        return declared


def _defaults(tag: str, attributes: dict[str, str], link_colour: str) -> _Declared:
    """What browsers do unasked."""
    declared = {}
    if tag in _BOLD_TAGS:
        declared["bold"] = "bold"
    if tag in _TAG_SIZES:
        declared["size"] = _TAG_SIZES[tag]
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
    return f"{_FONT_TAG_SIZES[min(max(number, 1), 7) - 1]}px"


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
    return text.partition(",")[0].strip(" \"'").lower()[:_MAX_FAMILY]
