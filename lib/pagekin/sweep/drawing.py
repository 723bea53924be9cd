"""The figures of a sweep as SVG and PNG files, and the report that holds them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

from pagekin.errors import naming
from pagekin.evaluate.figures import Mark, plot, require_png, to_png
from pagekin.evaluate.html_page import code, document, section, table, text
from pagekin.sweep.lines import cells_of, difference

__all__ = ["figure_svgs", "sweep_report", "write_plots"]

_ORTHOGONAL: Final = "orthogonal"
_ABOUT = """\
Every strategy is judged by a directory that people made: gamma is the share of pairs of pages that
it puts in the order of the directory, less the share that it puts in the other. Sibling gamma takes
a page of the source's own class and one of a sibling class. Whiskers and brackets hold 95 % of the
values of sources drawn anew; a diamond is the value with tied pairs counted. Differences are paired
by source; a star says that the interval does not hold 0."""
_HEADS = ("strategy", "sibling", "95 %", "with ties", "cousin", "unrelated", "with ties")
_MORE = ("orthogonal", "words", "by", "differs from the defaults in")


def figure_svgs(result: Mapping[str, Any]) -> dict[str, str]:
    """Name -> figure, of those with any value."""
    by_name = {s["name"]: s for s in result["strategies"]}
    drawn = {}
    for figure in result["figures"]:
        some = [by_name[name] for name in figure["strategies"]]
        if marks := [mark for s in some if (mark := _mark(s, figure["measure"]))]:
            axes = figure["axis"], _axis(figure["measure"])
            drawn[figure["name"]] = plot(figure["title"], figure["about"], axes, marks)
    return drawn


def _axis(measure: str) -> str:
    if measure == _ORTHOGONAL:
        return "share of the pairs within a class with nothing in common"
    return "gamma" if measure == "gamma" else f"{measure} gamma"


def _mark(s: Mapping[str, Any], measure: str) -> Mark | None:
    if "left_out" in s:
        return None
    place = s["name"], s["series"], s["x"]
    if measure == _ORTHOGONAL:
        return None if s["orthogonal_share"] is None else Mark(*place, s["orthogonal_share"])
    f = s[measure]
    if f["value"] is None:
        return None
    return Mark(*place, f["value"], f["low"], f["high"], f["with_ties"])


def write_plots(folder: Path, result: Mapping[str, Any]) -> list[Path]:
    """Each figure as SVG and as PNG."""
    require_png()
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    files = {figure["name"]: figure["file"] for figure in result["figures"]}
    for name, svg in figure_svgs(result).items():
        stem = files[name]
        for path, data in ((f"{stem}.svg", svg.encode()), (f"{stem}.png", to_png(svg))):
            written.append(folder / path)
            with naming(folder / path):
                (folder / path).write_bytes(data)
    return written


def sweep_report(result: Mapping[str, Any], command: str) -> str:
    """One page with every figure, its table, its command and its configurations."""
    svgs = figure_svgs(result)
    settings = result["settings"]
    judged = next((s for s in result["strategies"] if "left_out" not in s), None)
    said = "" if judged is None else f"{judged['sources']:,} sources of {judged['pages']:,} pages. "
    parts = [
        text(_ABOUT),
        text(f"{said}Strategies of {settings['strategies']}; directory {settings['directory']}."),
        *(_figure(result, figure, svgs, command) for figure in result["figures"]),
        section("Command", code(command)),
    ]
    return document("Strategies compared", parts)


def _figure(
    result: Mapping[str, Any], figure: Mapping[str, Any], svgs: Mapping[str, str], command: str
) -> str:
    by_name = {s["name"]: s for s in result["strategies"]}
    rows = [_row(by_name[name]) for name in figure["strategies"]]
    drawing = svgs.get(figure["name"]) or text("No strategy has a value here.")
    parts = [drawing, table((*_HEADS, *_MORE), rows, "last-words")]
    if figure["comparisons"]:
        heads = ("difference", "sibling", "with ties", "unrelated", "better in")
        parts.append(table(heads, list(_differences(figure["comparisons"]))))
    return section(figure["title"], *parts, code(command))


def _row(s: Mapping[str, Any]) -> Sequence[str]:
    name, flags = escape(s["name"]), f"<code>{escape(s['flags'])}</code>"
    if "left_out" in s:
        return (name, f"left out: {escape(s['left_out'])}", *[""] * 7, escape(s["by"]), flags)
    return (name, *cells_of(s), escape(s["by"]), flags)


def _differences(comparisons: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[str]]:
    for c in comparisons:
        other = "" if c["same_pages"] else " (other pages)"
        sure = c["sibling"]["value"]["b_is_better"]
        yield (
            f"{escape(c['b'])} less {escape(c['a'])}{other}",
            difference(c["sibling"]["value"]),
            difference(c["sibling"]["with_ties"]),
            difference(c["unrelated"]["value"]),
            "" if sure is None else f"{sure:.1%}",
        )
