"""What `pagekin sweep --markdown` prints: a table for each figure, to be put into a document.

Each row has the difference to the strategy before it in its series, or to the one that the figure
names. Brackets hold 95 %, parentheses the value with ties where that is another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pagekin.sweep.lines import difference, number

__all__ = ["sweep_markdown"]

_HEADS: Final = ("strategy", "sibling", "cousin", "unrelated", "orthogonal", "words")
_DIFFERENCES: Final = ("sibling", "with ties", "unrelated")


def sweep_markdown(result: Mapping[str, Any], plots: str = "") -> Iterator[str]:
    """All figures; `plots` is the folder of their files, if there are any."""
    by_name = {s["name"]: s for s in result["strategies"]}
    titles = {figure["name"]: figure["title"] for figure in result["figures"]}
    for figure in result["figures"]:
        yield from [f"## {figure['title']}", "", figure["about"], ""]
        if plots:
            yield from [f"![{figure['title']}]({plots}/{figure['file']}.svg)", ""]
        if figure["of"]:
            yield f"The values stand in the table of {titles[figure['of']]}."
        else:
            yield from _table(figure, [by_name[name] for name in figure["strategies"]])
        yield ""


def _table(figure: Mapping[str, Any], strategies: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    against = figure["against"]
    compared = {c["a" if against else "b"]: c for c in figure["comparisons"]}
    what = f"{against} less this" if against else "less the one before"
    more = [f"{what}: {_DIFFERENCES[0]}", *_DIFFERENCES[1:]] if compared else []
    yield _line([*_HEADS, *more])
    yield _line(["---"] * (len(_HEADS) + len(more)))
    for s in strategies:
        own = _differences(compared.get(s["name"])) if more else []
        yield _line([*_cells(s), *own])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(s: Mapping[str, Any]) -> list[str]:
    if "left_out" in s:
        return [s["name"], f"left out: {s['left_out']}", *[""] * (len(_HEADS) - 2)]
    near = s["sibling"]
    ends = "" if near["low"] is None else f" [{near['low']:.3f}, {near['high']:.3f}]"
    return [
        s["name"],
        f"{number(near['value'])}{ends}{_tied(near)}",
        *(f"{number(s[name]['value'])}{_tied(s[name])}" for name in ("cousin", "unrelated")),
        number(s["orthogonal_share"]),
        "" if s["window"] is None else f"{s['window']:.1f}",
    ]


def _tied(f: Mapping[str, Any]) -> str:
    ties, value = number(f["with_ties"]), number(f["value"])
    return "" if ties == value else f" ({ties})"


def _differences(c: Mapping[str, Any] | None) -> list[str]:
    if c is None:
        return [""] * len(_DIFFERENCES)
    parts = c["sibling"]["value"], c["sibling"]["with_ties"], c["unrelated"]["value"]
    return [difference(part) for part in parts]
