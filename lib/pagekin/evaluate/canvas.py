"""A sheet to draw figures on: SVG as text, with scales, a grid and labels that keep apart.

Sheets have a white ground and colours of their own, so that a figure looks the same in a report, in
a file and as PNG. Marks are plain attributes and one style sheet, which every viewer knows. Colours
are those of Okabe and Ito, that can be told apart without seeing colours well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Final

__all__ = ["COLOURS", "FAMILY", "Scale", "Sheet", "spread", "wrapped"]

COLOURS: Final = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9"),
    *("#7a5195", "#636363"),
)
FAMILY: Final = "Manrope"  # what PNG is drawn with; other viewers take what they have
_STYLE: Final = (
    f"text{{font:13px {FAMILY},system-ui,sans-serif;fill:#333333}}"
    ".title{font-size:18px;font-weight:600;fill:#111111}.about{fill:#666666}.small{font-size:12px;fill:#666666}"
    ".strong{font-weight:600}"
)
_LETTER: Final = 6.6  # pixels of a letter of 13, about
_TICKS: Final = 6


class Scale:
    """From values to pixels, with round ticks; the ends are round too."""

    def __init__(self, values: Sequence[float], first: float, last: float) -> None:
        low, high = min(values), max(values)
        self.step = _nice(max(high - low, 1e-9) / _TICKS)
        self.low = math.floor(low / self.step + 1e-9) * self.step
        self.high = max(math.ceil(high / self.step - 1e-9) * self.step, self.low + self.step)
        self._first, self._last = first, last

    def at(self, value: float) -> float:
        """Where a value lies."""
        share = (value - self.low) / (self.high - self.low)
        return self._first + share * (self._last - self._first)

    def ticks(self) -> list[float]:
        """Round values from end to end."""
        count = round((self.high - self.low) / self.step)
        return [self.low + k * self.step for k in range(count + 1)]

    def shown(self, value: float) -> str:
        """A tick with as many decimals as the step has."""
        decimals = max(0, -math.floor(math.log10(self.step) + 1e-9))
        return f"{value + 0.0:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def _nice(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return next(n * power for n in (1, 2, 5, 10) if n * power >= step * (1 - 1e-9))


class Sheet:
    """Collects the parts of a figure."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
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

    def dot(self, x: float, y: float, colour: str, said: str) -> None:
        """A value."""
        look = f'fill="{colour}" stroke="#fff" stroke-width="1.5"'
        self._parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" {look}>{_said(said)}</circle>'
        )

    def diamond(self, x: float, y: float, colour: str, said: str) -> None:
        """A second value."""
        look = f'fill="#fff" stroke="{colour}" stroke-width="1.8"'
        self._parts.append(
            f'<path d="M{x - 5:.1f} {y:.1f}l5 -5l5 5l-5 5z" {look}>{_said(said)}</path>'
        )

    def text(  # noqa: PLR0917 - where, what, how
        self, x: float, y: float, words: str, anchor: str = "start", kind: str = "", more: str = ""
    ) -> None:
        """A line of text."""
        named = f' class="{kind}"' if kind else ""
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
        self._parts.append(f"<text{named} {place} {more}>{escape(words)}</text>")

    def svg(self, title: str) -> str:
        """The whole figure."""
        size = f'width="{self.width:g}" height="{self.height:g}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}"'
            f' {size} role="img" aria-label="{escape(title)}"><title>{escape(title)}</title>'
            f'<style>{_STYLE}</style><rect {size} rx="6" fill="#fff"/>{"".join(self._parts)}</svg>'
        )


def _said(words: str) -> str:
    return f"<title>{escape(words)}</title>"


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
