"""Figures as SVG: bars with intervals, histograms, and lines. Plain text, without any library.

Each figure is a whole SVG file that may also stand inside an HTML page. Colours are readable on
white and on black, and those of series can be told apart without seeing colours well (after Okabe
and Ito). Whatever is shown is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

__all__ = ["Bar", "Point", "bars", "histogram", "lines"]

_WIDTH: Final = 720
_LEFT: Final = 190  # room for labels
_RIGHT: Final = 70  # room for values
_ROW: Final = 26
_HEIGHT: Final = 260  # of figures without rows
_MARGIN: Final = 34
_NEAR: Final = 3  # pixels: a mark so near to the end of its bar would only hide it
_LETTER: Final = 6.4  # pixels of a letter, about
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_STYLE: Final = (
    "text{font:12px system-ui,sans-serif;fill:gray}"
    "line{stroke:gray;stroke-width:1}.grid{stroke-opacity:.2}.whisker{stroke:#e69f00;stroke-width:3}"
)


class Bar(NamedTuple):
    """A bar with its interval; `mark` is a second value, shown as a diamond."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    mark: float | None = None


class Point(NamedTuple):
    """A point of a line."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


def bars(title: str, rows: Sequence[Bar]) -> str:
    """Horizontal bars from 0, one a row, with whiskers."""
    known = [v for row in rows for v in row[1:] if v is not None]
    scale = _Scale(min(0.0, *known, 0.0), max(0.0, *known, 0.0), _LEFT, _WIDTH - _RIGHT)
    height = _MARGIN + _ROW * len(rows) + _MARGIN
    parts = [_grid(scale, _MARGIN, height - _MARGIN)]
    for k, row in enumerate(rows):
        parts += _bar(row, scale, _MARGIN + _ROW * k + _ROW / 2)
    return _figure(title, height, parts)


def histogram(title: str, values: Iterable[float], low: float, high: float, count: int) -> str:
    """How many values lie in each of `count` equal steps from `low` to `high`."""
    sizes = [0] * count
    for value in values:
        step = int((value - low) / (high - low) * count)
        sizes[min(max(step, 0), count - 1)] += 1
    across = _Scale(low, high, 60, _WIDTH - 20)
    up = _Scale(0, max([*sizes, 1]), _HEIGHT - _MARGIN, _MARGIN)
    parts = [_grid(across, _MARGIN, _HEIGHT - _MARGIN)]
    parts += _rungs(up, 60, _WIDTH - 20)
    wide = (across.at(high) - across.at(low)) / count
    for k, size in enumerate(sizes):
        x, y = across.at(low) + k * wide, up.at(size)
        said = f"{low + k * (high - low) / count:.2f} and more: {size:,}"
        parts.append(_box((x + 1, y, wide - 2, up.at(0) - y), _COLOURS[0], said))
    return _figure(title, _HEIGHT, parts)


def lines(title: str, series: Mapping[str, Sequence[Point]]) -> str:
    """A line for each series, with whiskers, and their names beside."""
    points = [point for some in series.values() for point in some]
    ys = [y for p in points for y in (p.y, p.low, p.high) if y is not None] or [0.0, 1.0]
    xs = [p.x for p in points] or [0.0, 1.0]
    across = _Scale(min(xs), max(xs), 60, _WIDTH - _LEFT, padded=False)
    up = _Scale(min(ys), max(ys), _HEIGHT - _MARGIN, _MARGIN)
    parts = [_grid(across, _MARGIN, _HEIGHT - _MARGIN)]
    parts += _rungs(up, 60, _WIDTH - _LEFT)
    for k, (name, some) in enumerate(series.items()):
        parts += _line(name, some, across, up, k)
    return _figure(title, _HEIGHT, parts)


class _Scale:
    """From values to pixels."""

    def __init__(
        self, low: float, high: float, first: float, last: float, *, padded: bool = True
    ) -> None:
        self.step = _nice((high - low) / 5 or 0.2)
        self.low = math.floor(low / self.step + 1e-9) * self.step if padded else low
        self.high = math.ceil(high / self.step - 1e-9) * self.step if padded else high
        if self.high <= self.low:
            self.high = self.low + self.step
        self.first, self.last = first, last

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)

    def ticks(self) -> list[float]:
        first = math.ceil(self.low / self.step - 1e-9)
        last = math.floor(self.high / self.step + 1e-9)
        return [k * self.step for k in range(first, last + 1)]


def _nice(step: float) -> float:
    """The next of 1, 2, 5, 10 ... from `step` on."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(n * power for n in (1, 2, 5, 10) if n * power >= step * (1 - 1e-9))


def _bar(row: Bar, scale: _Scale, y: float) -> list[str]:
    most = int((_LEFT - 10) / _LETTER)
    label = row.label if len(row.label) <= most else f"{row.label[: most - 1]}…"
    parts = [_text(_LEFT - 8, y + 4, label, "end")]
    if row.value is None:
        return [*parts, _text(_LEFT + 4, y + 4, "no pairs", "start")]
    ends = sorted((scale.at(0), scale.at(row.value)))
    parts.append(
        _box((ends[0], y - 8, ends[1] - ends[0], 16), _COLOURS[0], f"{row.label}: {row.value:.4f}")
    )
    if row.low is not None and row.high is not None:
        x1, x2 = scale.at(row.low), scale.at(row.high)
        parts.append(
            f'<line class="whisker" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
    if row.mark is not None and abs(scale.at(row.mark) - scale.at(row.value)) >= _NEAR:
        x = scale.at(row.mark)
        parts.append(
            f'<path d="M{x - 6:.1f} {y:.1f}l6 -6l6 6l-6 6z" fill="{_COLOURS[1]}">'
            f"<title>with ties: {row.mark:.4f}</title></path>"
        )
    return [*parts, _text(_WIDTH - _RIGHT + 8, y + 4, f"{row.value:.3f}", "start")]


def _line(name: str, some: Sequence[Point], across: _Scale, up: _Scale, number: int) -> list[str]:
    colour = _COLOURS[number % len(_COLOURS)]
    places = [(across.at(p.x), up.at(p.y)) for p in some]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>']
    for point, (x, y) in zip(some, places, strict=True):
        if point.low is not None and point.high is not None:
            y1, y2 = up.at(point.low), up.at(point.high)
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>')
        said = escape(f"{name}: {_shown(point.x)}, {point.y:.4f}")
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"><title>{said}</title>'
            "</circle>"
        )
    beside = _MARGIN + 18 * number
    parts.append(_box((_WIDTH - _LEFT + 14, beside - 9, 10, 10), colour, name))
    return [*parts, _text(_WIDTH - _LEFT + 30, beside, name, "start")]


def _grid(across: _Scale, top: float, bottom: float) -> str:
    parts = []
    for value in across.ticks():
        x = across.at(value)
        kind = "" if abs(value) < across.step / 1e6 else ' class="grid"'
        parts.append(f'<line{kind} x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}"/>')
        parts.append(_text(x, bottom + 16, _shown(value), "middle"))
    return "".join(parts)


def _rungs(up: _Scale, left: float, right: float) -> list[str]:
    parts = []
    for value in up.ticks():
        y = up.at(value)
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(left - 6, y + 4, _shown(value), "end"))
    return parts


def _shown(value: float) -> str:
    return f"{round(value, 9) + 0.0:g}"


def _box(place: tuple[float, float, float, float], colour: str, said: str) -> str:
    x, y, width, height = place
    size = f'width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"'
    title = f"<title>{escape(said)}</title>"
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{colour}">{title}</rect>'


def _text(x: float, y: float, said: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(said)}</text>'


def _figure(title: str, height: float, parts: Iterable[str]) -> str:
    named = escape(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}" role="img"'
        f' aria-label="{named}"><title>{named}</title><style>{_STYLE}</style>'
        f"{_text(8, 18, title, 'start')}{''.join(parts)}</svg>"
    )
