"""PNG of a figure: the SVG, rasterised by resvg with a font that comes as a package.

So both formats are one drawing, and text shows on machines without any font. Both packages are an
extra (`pip install 'pagekin[plots]'`) and imported when a PNG is wanted. Letters that the font
lacks come from the fonts of the machine, if it has any.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from pagekin.errors import UsageError
from pagekin.evaluate.canvas import FAMILY

__all__ = ["require_png", "to_png"]

_ZOOM: Final = 2.0  # sharp on screens of double density, and in print at half a page's width
_COVERED: Final = 0x500  # Latin, Greek and Cyrillic, but for a few
_WEIGHTS: Final = ("Manrope-Regular.ttf", "Manrope-SemiBold.ttf")


def require_png() -> tuple[Any, str]:
    """The rasteriser and the folder of the font; UsageError says how to get them."""
    try:
        rasteriser, font = import_module("resvg_py"), import_module("font_manrope")
    except ImportError as error:
        raise UsageError(
            f"PNG needs the Python package {error.name}; pip install 'pagekin[plots]' brings it"
        ) from error
    return rasteriser, str(font.font_directory)


def to_png(svg: str) -> bytes:
    """The picture, two pixels for each unit of the figure."""
    rasteriser, folder = require_png()
    made: bytes = rasteriser.svg_to_bytes(
        svg_string=svg,
        zoom=_ZOOM,
        background="#ffffff",
        font_family=FAMILY,
        sans_serif_family=FAMILY,
        font_files=[f"{folder}/{name}" for name in _WEIGHTS],
        skip_system_fonts=all(ord(letter) < _COVERED or letter in _SIGNS for letter in svg),
    )
    return bytes(made)


_SIGNS: Final = "\N{MINUS SIGN}\N{EN DASH}\N{HORIZONTAL ELLIPSIS}"
