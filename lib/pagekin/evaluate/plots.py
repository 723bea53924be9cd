"""Plots of strategies: lines over a number, or rows with intervals. SVG; `png` rasterises it.

Where strategies have an x, those of a series are a line and those without an x are level lines
across. Otherwise each strategy is a row. Whiskers are intervals, diamonds the value with ties
counted, where it is another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from pagekin.evaluate.canvas import COLOURS, Scale, Sheet, spread, wrapped

__all__ = ["Mark", "plot"]

_WIDTH: Final = 860
_HEIGHT: Final = 330  # of the field of lines
_LEFT: Final = 66
_RIGHT: Final = 190  # names of series
_ROW: Final = 34
_LINE: Final = 19  # of text
_GRID: Final = "#e4e4e4"
_AXIS: Final = "#999999"
_DODGE: Final = 7  # pixels between the whiskers of two series at one x
_NEAR: Final = 0.002  # a value with ties so near would only hide the value


class Mark(NamedTuple):
    """A strategy in a figure."""

    name: str
    series: str
    x: float | None
    value: float
    low: float | None = None
    high: float | None = None
    ties: float | None = None  # the value with ties counted


def plot(title: str, about: str, axes: tuple[str, str], marks: Sequence[Mark]) -> str:
    """The figure; `axes` say what x is and what the values are."""
    lines = wrapped(about, _WIDTH - 48)
    top = 44.0 + _LINE * len(lines) + 16
    if any(mark.x is not None for mark in marks):
        sheet = Sheet(_WIDTH, top + _HEIGHT + 76)
        _draw_lines(sheet, top, axes, marks)
    else:
        sheet = Sheet(_WIDTH, top + _ROW * len(marks) + 76)
        _draw_rows(sheet, top, axes[1], marks)
    sheet.text(24, 36, title, kind="title")
    for k, line in enumerate(lines):
        sheet.text(24, 60 + _LINE * k, line, kind="about")
    return sheet.svg(title)


def _ties(mark: Mark) -> float | None:
    """The value with ties, where it is worth a mark."""
    return mark.ties if mark.ties is not None and abs(mark.ties - mark.value) > _NEAR else None


def _values(marks: Sequence[Mark]) -> list[float]:
    """All that has to find room."""
    some = (v for m in marks for v in (m.value, m.low, m.high, _ties(m)))
    return [value for value in some if value is not None]


def _said(mark: Mark) -> str:
    known = mark.low is not None and mark.high is not None
    ends = f" [{mark.low:.3f}, {mark.high:.3f}]" if known else ""
    ties = "" if mark.ties is None else f", with ties {mark.ties:.3f}"
    return f"{mark.name}: {mark.value:.4f}{ends}{ties}"


def _explain_ties(sheet: Sheet, marks: Sequence[Mark], x: float, y: float) -> None:
    if any(_ties(mark) is not None for mark in marks):
        sheet.diamond(x, y - 4, _AXIS, "with ties counted")
        sheet.text(x + 12, y, "with ties counted", kind="small")


# --- rows ---


def _draw_rows(sheet: Sheet, top: float, axis: str, marks: Sequence[Mark]) -> None:
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
        colour = COLOURS[series.index(mark.series) % len(COLOURS)]
        _draw_row(sheet, top + _ROW * (k + 0.5), scale, mark, colour)


def _draw_row(sheet: Sheet, y: float, scale: Scale, mark: Mark, colour: str) -> None:
    sheet.text(scale.at(scale.low) - 14, y + 4.5, mark.name, "end")
    if mark.low is not None and mark.high is not None:
        ends = (scale.at(mark.low), y, scale.at(mark.high), y)
        sheet.line(ends, colour, 'stroke-width="3" stroke-opacity="0.45" stroke-linecap="round"')
    if (ties := _ties(mark)) is not None:
        sheet.diamond(scale.at(ties), y, colour, _said(mark))
    sheet.dot(scale.at(mark.value), y, colour, _said(mark))
    sheet.text(_WIDTH - 30, y + 4.5, f"{mark.value:.3f}", "end", "strong")


# --- lines ---


def _draw_lines(sheet: Sheet, top: float, axes: tuple[str, str], marks: Sequence[Mark]) -> None:
    bottom, right = top + _HEIGHT, _WIDTH - _RIGHT
    placed = [m for m in marks if m.x is not None]
    across = Scale([x for m in placed if (x := m.x) is not None], _LEFT + 14, right - 14)
    up = Scale(_values(marks), bottom, top)
    for tick in up.ticks():
        y = up.at(tick)
        sheet.line((_LEFT, y, right, y), _GRID)
        sheet.text(_LEFT - 10, y + 4, up.shown(tick), "end", "small")
    for tick in across.ticks():
        sheet.text(across.at(tick), bottom + 22, across.shown(tick), "middle", "small")
    sheet.line((_LEFT, bottom, right, bottom), _AXIS)
    sheet.text((_LEFT + right) / 2, bottom + 48, axes[0], "middle", "small")
    turned = f'transform="rotate(-90 20 {(top + bottom) / 2:.1f})"'
    sheet.text(20, (top + bottom) / 2, axes[1], "middle", "small", turned)
    _explain_ties(sheet, marks, right + 16, bottom + 48)
    by_series: dict[str, list[Mark]] = {}
    for mark in marks:
        by_series.setdefault(mark.series or mark.name, []).append(mark)
    step = _DODGE if _meet([across.at(x) for m in placed if (x := m.x) is not None]) else 0.0
    ends = []
    for k, some in enumerate(by_series.values()):
        aside = step * (k - (len(by_series) - 1) / 2)
        ends.append(_draw_series(sheet, (across, up), some, k, aside))
    _name_series(sheet, dict(zip(by_series, ends, strict=True)), right, (top, bottom))


def _meet(places: Sequence[float]) -> bool:
    """Would the whiskers of some lie upon each other?"""
    return any(b - a < _DODGE for a, b in pairwise(sorted(places)))


def _draw_series(
    sheet: Sheet, scales: tuple[Scale, Scale], marks: Sequence[Mark], number: int, aside: float
) -> float:
    """One series, moved aside by so many pixels; gives the height where it ends."""
    colour = COLOURS[number % len(COLOURS)]
    across, up = scales
    for mark in (m for m in marks if m.x is None):
        y, left, right = up.at(mark.value), across.at(across.low) - 14, across.at(across.high) + 14
        sheet.line((left, y, right, y), colour, 'stroke-width="2" stroke-dasharray="6 5"')
        _draw_ties(sheet, right - 8, up, mark, colour)
    points = [(across.at(m.x) + aside, up.at(m.value), m) for m in marks if m.x is not None]
    points.sort(key=lambda point: point[0])
    sheet.path([(x, y) for x, y, _ in points], colour)
    for x, y, mark in points:
        if mark.low is not None and mark.high is not None:
            look = 'stroke-width="3" stroke-opacity="0.35" stroke-linecap="round"'
            sheet.line((x, up.at(mark.low), x, up.at(mark.high)), colour, look)
        _draw_ties(sheet, x, up, mark, colour)
        sheet.dot(x, y, colour, _said(mark))
    return points[-1][1] if points else up.at(marks[-1].value)


def _draw_ties(sheet: Sheet, x: float, up: Scale, mark: Mark, colour: str) -> None:
    if (ties := _ties(mark)) is not None:
        look = 'stroke-width="1" stroke-opacity="0.6" stroke-dasharray="2 3"'
        sheet.line((x, up.at(mark.value), x, up.at(ties)), colour, look)
        sheet.diamond(x, up.at(ties), colour, _said(mark))


def _name_series(
    sheet: Sheet, ends: Mapping[str, float], right: float, room: tuple[float, float]
) -> None:
    """Names beside the ends of the lines, kept apart."""
    places = spread(list(ends.values()), _LINE, room[0], room[1])
    for k, (name, place) in enumerate(zip(ends, places, strict=True)):
        colour = COLOURS[k % len(COLOURS)]
        sheet.dot(right + 16, place, colour, name)
        sheet.text(right + 28, place + 4.5, name, more=f'style="fill:{colour};font-weight:600"')
