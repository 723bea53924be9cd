"""What `pagekin sweep` prints for people: a table for each figure, and what is better than what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["cells_of", "difference", "number", "sweep_lines"]

_NAME = 26
_HEADS = (
    "sibling",
    "95 %",
    "with ties",
    "cousin",
    "unrelated",
    "with ties",
    "orthogonal",
    "window",
)
_WIDTHS = (9, 17, 11, 9, 11, 11, 12, 9)


def sweep_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """All figures, and the strategies that stand in none."""
    by_name = {s["name"]: s for s in result["strategies"]}
    for figure in result["figures"]:
        yield from ["", figure["title"]]
        yield from _table([by_name[name] for name in figure["strategies"]])
        yield from _comparisons(figure["comparisons"])
    loose = [s for s in result["strategies"] if not s["figure"]]
    if loose:
        yield from ["", "Other strategies", *_table(loose)]


def _table(strategies: list[Mapping[str, Any]]) -> Iterator[str]:
    heads = (f"{head:>{width}}" for head, width in zip(_HEADS, _WIDTHS, strict=True))
    yield f"{'':{_NAME}}" + "".join(heads)
    for s in strategies:
        if "left_out" in s:
            yield f"{s['name']:{_NAME}}  left out: {s['left_out']}"
            continue
        cells = (f"{cell:>{width}}" for cell, width in zip(cells_of(s), _WIDTHS, strict=True))
        yield f"{s['name']:{_NAME}}" + "".join(cells)


def cells_of(s: Mapping[str, Any]) -> tuple[str, ...]:
    """The figures of a strategy, as tables show them."""
    near, far = s["sibling"], s["unrelated"]
    return (
        number(near["value"]),
        "" if near["low"] is None else f"{near['low']:.3f} to {near['high']:.3f}",
        number(near["with_ties"]),
        number(s["cousin"]["value"]),
        number(far["value"]),
        number(far["with_ties"]),
        number(s["orthogonal_share"]),
        "" if s["window"] is None else f"{s['window']:.1f}",
    )


def _comparisons(comparisons: list[Mapping[str, Any]]) -> Iterator[str]:
    for c in comparisons:
        ends = [difference(c["sibling"][measure]) for measure in ("value", "with_ties")]
        note = "" if c["same_pages"] else "; they judge other pages"
        yield f"  {c['b']} less {c['a']}: sibling {ends[0]}; with ties {ends[1]}{note}"


def difference(d: Mapping[str, float | None]) -> str:
    """With its interval, and a star where that does not hold 0."""
    value, low, high = d["difference"], d["low"], d["high"]
    if value is None or low is None or high is None:
        return "none"
    sure = "" if low <= 0 <= high else " *"
    return f"{value:+.3f} [{low:+.3f}, {high:+.3f}]{sure}"


def number(value: float | None) -> str:
    """Three digits, if there is one."""
    return "none" if value is None else f"{value:.3f}"
