"""Stored results in the documents: tables between marks, and plots beside.

A document says where a table goes with `<!-- bench: NAME -->` and `<!-- end: NAME -->`, each a
line of its own. What stands between is written anew; everything else is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.results import Figure, from_json, markdown
from pagekin.errors import NotFoundError, UsageError
from pagekin.evaluate.figures import Mark, plot

__all__ = ["section", "write_documents", "write_plots"]


def write_documents(folder: Path, title: str, said: dict[str, Any], plots: str) -> list[Path]:
    """Put the result where the documents of the folder want it; gives these documents."""
    marks = re.compile(
        rf"(^<!-- bench: {re.escape(title)} -->\n).*?(^<!-- end: {re.escape(title)} -->$)",
        re.DOTALL | re.MULTILINE,
    )
    new = "\n".join(section(said, plots))
    written = []
    for path in sorted(folder.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        changed = marks.sub(lambda found: f"{found[1]}{new}\n{found[2]}", text)
        if marks.search(text):
            path.write_text(changed, encoding="utf-8")
            written.append(path)
    if not written:
        raise NotFoundError(
            f"no document of {folder.name} has a place for {title}: <!-- bench: {title} --> and"
            f" <!-- end: {title} -->, each a line of its own"
        )
    return written


def section(said: dict[str, Any], plots: str) -> Iterator[str]:
    """The lines between the marks."""
    result = from_json(said)
    yield from ("", _circumstances(said), "")
    yield from markdown(result)
    for figure in result.figures:
        yield from ("", f"![{figure.title}]({plots}/{figure.name}.svg)")
    if result.figures or result.notes:
        yield ""


def _circumstances(said: dict[str, Any]) -> str:
    machine = said["machine"]
    options = ", ".join(
        f"{name} {_shown(value)}"
        for name, value in said["options"].items()
        if value not in ([], "")
    )
    return (
        f"{said['date'][:10]}, commit {said['commit'] or 'unknown'}, {machine['processor']},"
        f" {machine['cores']} cores, load before {machine['load_before']:.1f},"
        f" Python {said['python']}. Options: {options}."
    )


def _shown(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


# --- plots ---


def write_plots(folder: Path, said: dict[str, Any]) -> list[Path]:
    """The figures as SVG, and as PNG where that can be made."""
    written = []
    for figure in from_json(said).figures:
        folder.mkdir(parents=True, exist_ok=True)
        svg = drawn(figure)
        path = folder / f"{figure.name}.svg"
        path.write_text(svg, encoding="utf-8")
        written.append(path)
        if (png := _png(svg)) is not None:
            path.with_suffix(".png").write_bytes(png)
            written.append(path.with_suffix(".png"))
    return written


def drawn(figure: Figure) -> str:
    """The figure as SVG."""
    # with an x a series is a line; without one each mark is a row
    marks = [Mark(series, series, x, value) for series, x, value in figure.marks]
    return plot(figure.title, figure.about, figure.axes, marks)


def _png(svg: str) -> bytes | None:
    from pagekin.evaluate.figures import to_png  # noqa: PLC0415 - only plots need it

    try:
        return to_png(svg)
    except UsageError:  # the rasteriser is not installed
        return None
