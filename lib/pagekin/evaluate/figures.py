"""Figures as SVG, and as PNG: lines over a number, rows with intervals, and histograms.

SVG is text, made without any library. Sheets have a white ground and colours of their own, so that
a figure looks the same in a report, in a file and as PNG. Marks are plain attributes and one style
sheet, which every viewer knows. Colours are those of Okabe and Ito, that can be told apart without
seeing colours well. Whatever is shown is escaped.

PNG is the SVG, rasterised by resvg with a font that comes as a package: so both formats are one
drawing, and text shows on machines without any font. Both packages are an extra (`pip install
'.[plots]'`) and imported when a PNG is wanted. Letters that the font lacks come from the
fonts of the machine, if it has any.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, Final, NamedTuple

from pagekin.errors import UsageError
from pagekin.web.safe_html import escaped

__all__ = [
    "STYLE",
    "Mark",
    "Scale",
    "histogram",
    "plot",
    "require_png",
    "spread",
    "to_png",
    "wrapped",
]

_WIDTH: Final = 860
_HEIGHT: Final = 330  # of the field of lines, or of a histogram
_LEFT: Final = 66
_RIGHT: Final = 190  # names of series
_ROW: Final = 34
_LINE: Final = 19  # of text
_LETTER: Final = 6.6  # pixels of a letter of 13, about
_TICKS: Final = 6
_DODGE: Final = 7  # pixels between the whiskers of two series at one x
_NEAR: Final = 0.002  # a value with ties so near would only hide the value

_COLOURS: Final = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9"),
    *("#7a5195", "#636363"),
)
_GRID: Final = "#e4e4e4"
_AXIS: Final = "#999999"
_FONT: Final = "Manrope"  # what PNG is drawn with; other viewers take what they have
STYLE: Final = (
    f"text{{font:13px {_FONT},system-ui,sans-serif;fill:#333333}}"
    ".title{font-size:18px;font-weight:600;fill:#111111}.about{fill:#666666}.small{font-size:12px;fill:#666666}"
    ".strong{font-weight:600}"
    + "".join(f".series{k}{{fill:{colour};font-weight:600}}" for k, colour in enumerate(_COLOURS))
)

_ZOOM: Final = 2.0  # of PNG: sharp on screens of double density, and in print at half a page
_FONT_FILES: Final = ("Manrope-Regular.ttf", "Manrope-SemiBold.ttf")
_COVERED: Final = 0x500  # by the font: Latin, Greek and Cyrillic, but for a few
_SIGNS: Final = "\N{MINUS SIGN}\N{EN DASH}\N{HORIZONTAL ELLIPSIS}"


class Mark(NamedTuple):
    """A value in a figure: of a strategy, a statistic, a branch of a directory."""

    name: str
    series: str
    x: float | None
    value: float
    low: float | None = None
    high: float | None = None
    ties: float | None = None  # the value with ties counted

    @property
    def shown_ties(self) -> float | None:
        """The value with ties, where it is worth a mark."""
        known = self.ties is not None and abs(self.ties - self.value) > _NEAR
        return self.ties if known else None

    def __str__(self) -> str:
        known = self.low is not None and self.high is not None
        ends = f" [{self.low:.3f}, {self.high:.3f}]" if known else ""
        ties = "" if self.ties is None else f", with ties {self.ties:.3f}"
        return f"{self.name}: {self.value:.4f}{ends}{ties}"


def plot(title: str, about: str, axes: tuple[str, str], marks: Sequence[Mark]) -> str:
    """Marks on lines over a number, or in rows; `axes` say what x is and what the values are.

    Where marks have an x, those of a series are a line and those without an x are level lines
    across. Otherwise each mark is a row. Whiskers are intervals, diamonds the value with ties
    counted, where it is another one.
    """
    lines = wrapped(about, _WIDTH - 48)
    top = 44.0 + _LINE * len(lines) + 16
    if any(mark.x is not None for mark in marks):
        sheet = _Sheet(top + _HEIGHT + 76)
        _draw_lines(sheet, top, axes, marks)
    else:
        sheet = _Sheet(top + _ROW * len(marks) + 76)
        _draw_rows(sheet, top, axes[1], marks)
    for k, line in enumerate(lines):
        sheet.text(24, 60 + _LINE * k, line, kind="about")
    return sheet.svg(title)


def histogram(title: str, values: Iterable[float], low: float, high: float, count: int) -> str:
    """How many values lie in each of `count` equal steps from `low` to `high`."""
    sizes = [0] * count
    for value in values:
        step = int((value - low) / (high - low) * count)
        sizes[min(max(step, 0), count - 1)] += 1
    top, bottom = 60.0, 60.0 + _HEIGHT
    sheet = _Sheet(bottom + 40)
    across = Scale((low, high), _LEFT, _WIDTH - 30)
    up = Scale((0, *sizes), bottom, top)
    _draw_grid(sheet, across, up)
    width = (across.at(high) - across.at(low)) / count
    for k, size in enumerate(sizes):
        start = low + k * (high - low) / count
        x, y = across.at(start), up.at(size)
        sheet.box((x + 1, y, width - 2, bottom - y), f"{start:.2f} and more: {size:,}")
    return sheet.svg(title)


# --- the sheet ---


class Scale:
    """From values to pixels, with round ticks; the ends are round too."""

    def __init__(self, values: Sequence[float], first: float, last: float) -> None:
        low, high = min(values), max(values)
        least = 1e-6 * max(abs(low), abs(high), 1e-3)  # floats tell no less
        self.step = _round_step(max(high - low, least) / _TICKS)
        self.low = math.floor(low / self.step + 1e-9) * self.step
        self.high = max(math.ceil(high / self.step - 1e-9) * self.step, self.low + self.step)
        self.first, self.last = first, last

    def at(self, value: float) -> float:
        """Where a value lies."""
        share = (value - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)

    def ticks(self) -> list[float]:
        """Round values from end to end."""
        count = round((self.high - self.low) / self.step)
        return [self.low + k * self.step for k in range(count + 1)]

    def shown(self, value: float) -> str:
        """A tick with as many decimals as the step has."""
        decimals = max(0, -math.floor(math.log10(self.step) + 1e-9))
        return f"{value + 0.0:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def _round_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return next(n * power for n in (1, 2, 5, 10) if n * power >= step * (1 - 1e-9))


class _Sheet:
    """Collects the parts of a figure."""

    def __init__(self, height: float) -> None:
        self._height = height
        self._parts: list[str] = []

    def line(self, ends: tuple[float, float, float, float], colour: str, *more: str) -> None:
        """A straight line from x1, y1 to x2, y2."""
        x1, y1, x2, y2 = ends
        place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self._parts.append(f'<line {place} stroke="{colour}" {" ".join(more)}/>')

    def path(self, points: Sequence[tuple[float, float]], colour: str) -> None:
        """A line through points."""
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        more = 'fill="none" stroke-width="2.5" stroke-linejoin="round"'
        self._parts.append(f'<polyline points="{places}" stroke="{colour}" {more}/>')

    def dot(self, x: float, y: float, colour: str, title: object) -> None:
        """A value."""
        look = f'fill="{colour}" stroke="#fff" stroke-width="1.5"'
        self._parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" {look}>{_title(title)}</circle>'
        )

    def diamond(self, x: float, y: float, colour: str, title: object) -> None:
        """A second value."""
        look = f'fill="#fff" stroke="{colour}" stroke-width="1.8"'
        self._parts.append(
            f'<path d="M{x - 5:.1f} {y:.1f}l5 -5l5 5l-5 5z" {look}>{_title(title)}</path>'
        )

    def box(self, place: tuple[float, float, float, float], title: str) -> None:
        """A bar: x, y, width and height."""
        names = ("x", "y", "width", "height")
        size = " ".join(f'{name}="{n:.1f}"' for name, n in zip(names, place, strict=True))
        self._parts.append(f'<rect {size} fill="{_COLOURS[0]}">{_title(title)}</rect>')

    def text(  # noqa: PLR0917 - where, what, how
        self, x: float, y: float, words: str, anchor: str = "start", kind: str = "", more: str = ""
    ) -> None:
        """A line of text."""
        named = f' class="{kind}"' if kind else ""
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
        self._parts.append(f"<text{named} {place} {more}>{escaped(words)}</text>")

    def svg(self, title: str) -> str:
        """The whole figure under its title."""
        self.text(24, 36, title, kind="title")
        size = f'width="{_WIDTH:g}" height="{self._height:g}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {self._height:g}"'
            f' {size} role="img" aria-label="{escaped(title)}">{_title(title)}'
            f'<style>{STYLE}</style><rect {size} rx="6" fill="#fff"/>{"".join(self._parts)}</svg>'
        )


def _title(words: object) -> str:
    """What a viewer shows next to the pointer."""
    return f"<title>{escaped(str(words))}</title>"


def _draw_grid(sheet: _Sheet, across: Scale, up: Scale) -> None:
    """Level lines with their values, and values below the field."""
    for tick in up.ticks():
        y = up.at(tick)
        sheet.line((_LEFT, y, across.last + across.first - _LEFT, y), _GRID)
        sheet.text(_LEFT - 10, y + 4, up.shown(tick), "end", "small")
    for tick in across.ticks():
        sheet.text(across.at(tick), up.first + 22, across.shown(tick), "middle", "small")


def _values(marks: Sequence[Mark]) -> list[float]:
    """All that has to find room."""
    some = (v for m in marks for v in (m.value, m.low, m.high, m.shown_ties))
    return [value for value in some if value is not None]


def _explain_ties(sheet: _Sheet, marks: Sequence[Mark], x: float, y: float) -> None:
    if any(mark.shown_ties is not None for mark in marks):
        sheet.diamond(x, y - 4, _AXIS, "with ties counted")
        sheet.text(x + 12, y, "with ties counted", kind="small")


# --- rows ---


def _draw_rows(sheet: _Sheet, top: float, axis: str, marks: Sequence[Mark]) -> None:
    left = 40 + 7.2 * max(len(mark.name) for mark in marks)
    bottom = top + _ROW * len(marks)
    scale = Scale(_values(marks), left, _WIDTH - 90)
    for tick in scale.ticks():
        x = scale.at(tick)
        sheet.line((x, top - 6, x, bottom), _GRID)
        sheet.text(x, bottom + 20, scale.shown(tick), "middle", "small")
    sheet.text((left + _WIDTH - 90) / 2, bottom + 46, axis, "middle", "small")
    _explain_ties(sheet, marks, _WIDTH - 166, bottom + 46)
    series = list(dict.fromkeys(mark.series for mark in marks))
    for k, mark in enumerate(marks):
        colour = _COLOURS[series.index(mark.series) % len(_COLOURS)]
        _draw_row(sheet, top + _ROW * (k + 0.5), scale, mark, colour)


def _draw_row(sheet: _Sheet, y: float, scale: Scale, mark: Mark, colour: str) -> None:
    sheet.text(scale.first - 14, y + 4.5, mark.name, "end")
    if mark.low is not None and mark.high is not None:
        ends = (scale.at(mark.low), y, scale.at(mark.high), y)
        sheet.line(ends, colour, 'stroke-width="3" stroke-opacity="0.45" stroke-linecap="round"')
    if (ties := mark.shown_ties) is not None:
        sheet.diamond(scale.at(ties), y, colour, mark)
    sheet.dot(scale.at(mark.value), y, colour, mark)
    sheet.text(_WIDTH - 30, y + 4.5, f"{mark.value:.3f}", "end", "strong")


# --- lines ---


def _draw_lines(sheet: _Sheet, top: float, axes: tuple[str, str], marks: Sequence[Mark]) -> None:
    bottom, right = top + _HEIGHT, _WIDTH - _RIGHT
    xs = [mark.x for mark in marks if mark.x is not None]
    across = Scale(xs, _LEFT + 14, right - 14)
    up = Scale(_values(marks), bottom, top)
    _draw_grid(sheet, across, up)
    sheet.line((_LEFT, bottom, right, bottom), _AXIS)
    sheet.text((_LEFT + right) / 2, bottom + 48, axes[0], "middle", "small")
    turned = f'transform="rotate(-90 20 {(top + bottom) / 2:.1f})"'
    sheet.text(20, (top + bottom) / 2, axes[1], "middle", "small", turned)
    _explain_ties(sheet, marks, right + 16, bottom + 48)
    by_series: dict[str, list[Mark]] = {}
    for mark in marks:
        by_series.setdefault(mark.series or mark.name, []).append(mark)
    places = sorted(across.at(x) for x in xs)
    step = _DODGE if any(b - a < _DODGE for a, b in pairwise(places)) else 0.0  # whiskers meet
    ends = {}
    for k, (name, some) in enumerate(by_series.items()):
        shift = step * (k - (len(by_series) - 1) / 2)
        ends[name] = _draw_series(sheet, (across, up), some, _COLOURS[k % len(_COLOURS)], shift)
    _name_series(sheet, ends, right, (top, bottom))


def _draw_series(
    sheet: _Sheet, scales: tuple[Scale, Scale], marks: Sequence[Mark], colour: str, shift: float
) -> float:
    """One series, moved right by so many pixels; gives the height where it ends."""
    across, up = scales
    for mark in (m for m in marks if m.x is None):
        y, left, right = up.at(mark.value), across.first - 14, across.last + 14
        sheet.line((left, y, right, y), colour, 'stroke-width="2" stroke-dasharray="6 5"')
        _draw_ties(sheet, right - 8, up, mark, colour)
    points = [(across.at(m.x) + shift, up.at(m.value), m) for m in marks if m.x is not None]
    points.sort(key=lambda point: point[0])
    sheet.path([(x, y) for x, y, _ in points], colour)
    for x, y, mark in points:
        if mark.low is not None and mark.high is not None:
            look = 'stroke-width="3" stroke-opacity="0.35" stroke-linecap="round"'
            sheet.line((x, up.at(mark.low), x, up.at(mark.high)), colour, look)
        _draw_ties(sheet, x, up, mark, colour)
        sheet.dot(x, y, colour, mark)
    return points[-1][1] if points else up.at(marks[-1].value)


def _draw_ties(sheet: _Sheet, x: float, up: Scale, mark: Mark, colour: str) -> None:
    if (ties := mark.shown_ties) is not None:
        look = 'stroke-width="1" stroke-opacity="0.6" stroke-dasharray="2 3"'
        sheet.line((x, up.at(mark.value), x, up.at(ties)), colour, look)
        sheet.diamond(x, up.at(ties), colour, mark)


def _name_series(
    sheet: _Sheet, ends: Mapping[str, float], right: float, room: tuple[float, float]
) -> None:
    """Names at the ends of the lines, so far apart that they can be read."""
    places = spread(list(ends.values()), _LINE, room[0], room[1])
    for k, (name, place) in enumerate(zip(ends, places, strict=True)):
        colour = _COLOURS[k % len(_COLOURS)]
        sheet.dot(right + 16, place, colour, name)
        sheet.text(right + 28, place + 4.5, name, kind=f"series{k % len(_COLOURS)}")


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The places, moved as little as a gap between neighbours asks for."""
    order = sorted(range(len(places)), key=lambda k: places[k])
    moved = [places[k] for k in order]
    for _ in range(200):
        for k in range(len(moved) - 1):
            if (short := gap - (moved[k + 1] - moved[k])) > 0:
                moved[k] -= short / 2
                moved[k + 1] += short / 2
        moved = [min(max(place, low), high) for place in moved]
    result = [0.0] * len(places)
    for k, place in zip(order, moved, strict=True):
        result[k] = place
    return result


def wrapped(words: str, width: float) -> list[str]:
    """Words in lines of about so many pixels."""
    lines = [""]
    for word in words.split():
        if lines[-1] and (len(lines[-1]) + 1 + len(word)) * _LETTER > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return [line for line in lines if line]


# --- PNG ---


def require_png() -> tuple[Any, str]:
    """The rasteriser and the folder of the font; UsageError says how to get them."""
    try:
        rasteriser, font = import_module("resvg_py"), import_module("font_manrope")
    except ImportError as error:
        raise UsageError(
            f"PNG needs the Python package {error.name}; pip install '.[plots]' brings it"
        ) from error
    return rasteriser, str(font.font_directory)


def to_png(svg: str) -> bytes:
    """The picture, two pixels for each unit of the figure."""
    rasteriser, folder = require_png()
    made: bytes = rasteriser.svg_to_bytes(
        svg_string=svg,
        zoom=_ZOOM,
        background="#ffffff",
        font_family=_FONT,
        sans_serif_family=_FONT,
        font_files=[f"{folder}/{name}" for name in _FONT_FILES],
        skip_system_fonts=all(ord(letter) < _COVERED or letter in _SIGNS for letter in svg),
    )
    return bytes(made)
