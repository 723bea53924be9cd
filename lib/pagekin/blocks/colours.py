"""Colours as pages write them, and how far two of them are from each other in CIELAB.

Rests on CSS Color 4 (the names and notations), IEC 61966-2-1 (sRGB) and CIE 15 (L*a*b*, D65). The
distance is the Euclidean one of 1976, as Eq. 1 of [BLOCK] has it. Not read: colour spaces other
than sRGB, system colours, `currentcolor`. Half transparent colours count as opaque.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Final

__all__ = ["TRANSPARENT", "WIDEST", "Colour", "lab", "lab_distance", "parse_colour"]

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
_WORDS = _NAMED.split()
_HEX: Final = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))

_LONGEST = 64  # characters; no colour is longer, and what is longer is not looked at
_DIGITS = re.compile(r"[0-9a-f]+")
_FUNCTION = re.compile(r"(rgb|hsl)a?\(([^()]*)\)")
_NUMBER = re.compile(r"([+-]?[0-9]{0,9}\.?[0-9]{1,9})(%|deg)?")


@lru_cache(maxsize=4096)
def parse_colour(text: str, *, attribute: bool = False) -> Colour | str | None:
    """The colour, TRANSPARENT, or None for what is no colour.

    In an attribute the "#" may be missing.

    >>> parse_colour("#F80"), parse_colour("teal"), parse_colour("rgb(0 100% 0 / 0)")
    ((255, 136, 0), (0, 128, 128), 'transparent')
    """
    word = text[: _LONGEST + 1].strip().lower()
    if len(word) > _LONGEST:
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
    matches = [_NUMBER.fullmatch(w) for w in inside.replace(",", " ").replace("/", " ").split()]
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
