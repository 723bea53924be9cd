"""What `pagekin sweep` shows of its result: lines of text, Markdown, plots, and an HTML report.

All have a table for each figure, and what is better than what. Differences stand with their
intervals, and with a star where that does not hold 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

from pagekin.errors import naming
from pagekin.evaluate.figures import Mark, plot, require_png, to_png
from pagekin.evaluate.html_page import code, document, section, table, text
from pagekin.evaluate.html_page import figure as framed
from pagekin.web.safe_html import escaped

__all__ = ["sweep_lines", "sweep_markdown", "sweep_report", "write_plots"]

_ORTHOGONAL: Final = "orthogonal"
_NAME: Final = 26  # letters
_COLUMNS: Final = {  # of text: heads, and letters
    **{"sibling": 9, "95 %": 17, "with ties": 11, "cousin": 9, "unrelated": 11},
    **{" with ties": 11, "orthogonal": 12, "window": 9},
}
_MARKDOWN_HEADS: Final = ("strategy", "sibling", "cousin", "unrelated", "orthogonal", "words")
_HTML_HEADS: Final = (
    *("strategy", "sibling", "95 %", "with ties", "cousin", "unrelated", "with ties"),
    *("orthogonal", "words"),
)
_SETTINGS_HEADS: Final = ("strategy", "by", "differs from the defaults in")
_MOST_NAMES: Final = 3  # of snapshots in a title
_DIFFERENCES: Final = ("sibling", "with ties", "unrelated")
_ABOUT: Final = """\
Every strategy is judged by a directory that people made: gamma is the share of pairs of pages that
it puts in the order of the directory, less the share that it puts in the other. Sibling gamma takes
a page of the source's own class and one of a sibling class. Whiskers and brackets hold 95 % of the
values of sources drawn anew; a diamond is the value with tied pairs counted. Differences are paired
by source; a star says that the interval does not hold 0."""

Result = Mapping[str, Any]  # what `--json` prints
Described = Mapping[str, Any]  # a strategy in it, or a figure, or a comparison


def _strategies_of(result: Result, figure: Described) -> list[Described]:
    by_name = {s["name"]: s for s in result["strategies"]}
    return [by_name[name] for name in figure["strategies"]]


def _cells(s: Described) -> tuple[str, ...]:
    """The values of a strategy, as tables show them."""
    near, far = s["sibling"], s["unrelated"]
    return (
        _number(near["value"]),
        "" if near["low"] is None else f"{near['low']:.3f} to {near['high']:.3f}",
        _number(near["with_ties"]),
        _number(s["cousin"]["value"]),
        _number(far["value"]),
        _number(far["with_ties"]),
        _number(s["orthogonal_share"]),
        "" if s["window"] is None else f"{s['window']:.1f}",
    )


def _differences(c: Described) -> list[str]:
    """Of a comparison: sibling gamma, the same with ties counted, unrelated gamma."""
    parts = c["sibling"]["value"], c["sibling"]["with_ties"], c["unrelated"]["value"]
    return [_difference(part) for part in parts]


def _difference(d: Mapping[str, float | None]) -> str:
    value, low, high = d["difference"], d["low"], d["high"]
    if value is None or low is None or high is None:
        return "none"
    sure = "" if low <= 0 <= high else " *"
    return f"{value:+.3f} [{low:+.3f}, {high:+.3f}]{sure}"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


# --- text ---


def sweep_lines(result: Result) -> Iterator[str]:
    """All figures, and the strategies that stand in none."""
    for figure in result["figures"]:
        yield from ["", figure["title"]]
        yield from _text_table(_strategies_of(result, figure))
        for c in figure["comparisons"]:
            sibling, with_ties, _ = _differences(c)
            note = "" if c["same_pages"] else "; they judge other pages"
            yield f"  {c['b']} less {c['a']}: sibling {sibling}; with ties {with_ties}{note}"
    loose = [s for s in result["strategies"] if not s["figure"]]
    if loose:
        yield from ["", "Other strategies", *_text_table(loose)]


def _text_table(strategies: Sequence[Described]) -> Iterator[str]:
    yield " " * _NAME + "".join(f"{head:>{width}}" for head, width in _COLUMNS.items())
    for s in strategies:
        if "left_out" in s:
            yield f"{s['name']:{_NAME}}  left out: {s['left_out']}"
            continue
        cells = zip(_cells(s), _COLUMNS.values(), strict=True)
        yield f"{s['name']:{_NAME}}" + "".join(f"{cell:>{width}}" for cell, width in cells)


# --- Markdown ---


def sweep_markdown(result: Result, plots: str = "") -> Iterator[str]:
    """All figures, to be put into a document; `plots` is the folder of their files, if there are
    any.

    Each row has the difference to the strategy before it in its series, or to the one that the
    figure names. Brackets hold 95 %, parentheses the value with ties where that is another.
    """
    titles = {figure["name"]: figure["title"] for figure in result["figures"]}
    for figure in result["figures"]:
        yield from [f"## {figure['title']}", "", figure["about"], ""]
        if plots:
            yield from [f"![{figure['title']}]({plots}/{figure['file']}.svg)", ""]
        if figure["of"]:
            yield f"The values stand in the table of {titles[figure['of']]}."
        else:
            yield from _markdown_table(figure, _strategies_of(result, figure))
        yield ""


def _markdown_table(figure: Described, strategies: Sequence[Described]) -> Iterator[str]:
    against = figure["against"]
    compared = {c["a" if against else "b"]: c for c in figure["comparisons"]}
    what = f"{against} less this" if against else "less the one before"
    more = [f"{what}: {_DIFFERENCES[0]}", *_DIFFERENCES[1:]] if compared else []
    rows: list[Sequence[str]] = [[*_MARKDOWN_HEADS, *more]]
    rows.append(["---"] * len(rows[0]))
    for s in strategies:
        c = compared.get(s["name"])
        rows.append([*_markdown_cells(s), *(_differences(c) if c else [""] * len(more))])
    yield from (f"| {' | '.join(cells)} |" for cells in rows)


def _markdown_cells(s: Described) -> list[str]:
    if "left_out" in s:
        return [s["name"], f"left out: {s['left_out']}", *[""] * (len(_MARKDOWN_HEADS) - 2)]
    near = s["sibling"]
    ends = "" if near["low"] is None else f" [{near['low']:.3f}, {near['high']:.3f}]"
    return [
        s["name"],
        f"{_number(near['value'])}{ends}{_ties(near)}",
        *(f"{_number(s[name]['value'])}{_ties(s[name])}" for name in ("cousin", "unrelated")),
        *_cells(s)[-2:],
    ]


def _ties(f: Mapping[str, Any]) -> str:
    ties, value = _number(f["with_ties"]), _number(f["value"])
    return "" if ties == value else f" ({ties})"


# --- plots ---


def _figure_svgs(result: Result) -> dict[str, str]:
    """Name -> figure, of those with any value."""
    drawn = {}
    for figure in result["figures"]:
        measure = figure["measure"]
        axis = "gamma" if measure == "gamma" else f"{measure} gamma"
        if measure == _ORTHOGONAL:
            axis = "share of the pairs within a class with nothing in common"
        some = _strategies_of(result, figure)
        if marks := [mark for s in some if (mark := _mark(s, measure))]:
            axes = figure["axis"], axis
            drawn[figure["name"]] = plot(figure["title"], figure["about"], axes, marks)
    return drawn


def _mark(s: Described, measure: str) -> Mark | None:
    if "left_out" in s:
        return None
    place = s["name"], s["series"], s["x"]
    if measure == _ORTHOGONAL:
        return None if s["orthogonal_share"] is None else Mark(*place, s["orthogonal_share"])
    f = s[measure]
    if f["value"] is None:
        return None
    return Mark(*place, f["value"], f["low"], f["high"], f["with_ties"])


def write_plots(folder: Path, result: Result) -> list[Path]:
    """Each figure as SVG and as PNG."""
    require_png()
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    files = {figure["name"]: figure["file"] for figure in result["figures"]}
    for name, svg in _figure_svgs(result).items():
        stem = files[name]
        for path, data in ((f"{stem}.svg", svg.encode()), (f"{stem}.png", to_png(svg))):
            written.append(folder / path)
            with naming(folder / path):
                (folder / path).write_bytes(data)
    return written


# --- HTML ---


def sweep_report(result: Result, command: str, made: date) -> str:
    """One page with every figure and its table, the settings of all strategies, and the command."""
    svgs = _figure_svgs(result)
    settings = result["settings"]
    judged = next((s for s in result["strategies"] if "left_out" not in s), None)
    count = f"{judged['sources']:,} sources of {judged['pages']:,} pages. " if judged else ""
    parts = [
        text(_ABOUT),
        text(
            f"{count}The strategies are those of {settings['strategies']}, the directory is"
            f" {', '.join(settings['directory'])}."
        ),
        *(_html_figure(result, figure, svgs) for figure in result["figures"]),
        section("Settings", table(_SETTINGS_HEADS, _html_settings(result), "words")),
        section("Command", code(command)),
    ]
    return document("Strategies compared", _corpus(settings["snapshot"]), made, parts)


def _corpus(snapshot: Sequence[str]) -> str:
    """What the title calls the snapshot: folders by their names, files by those of their folders.

    >>> _corpus(["data/wiki/0.warc.gz", "data/wiki/1.warc.gz", "more/"])
    'wiki, more'
    """
    names: dict[str, None] = {}
    for place in snapshot:
        *above, name = place.rstrip("/").split("/")
        names[above[-1] if "." in name and above else name] = None
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{', '.join(list(names)[:_MOST_NAMES])}{more}"


def _html_settings(result: Result) -> Iterator[Sequence[str]]:
    for s in result["strategies"]:
        flags = " ".join(f"<code>{escaped(flag)}</code>" for flag in s["flags"].split())
        yield escaped(s["name"]), escaped(s["by"]), flags or "nothing"


def _html_figure(result: Result, figure: Described, svgs: Mapping[str, str]) -> str:
    rows = [_html_row(s) for s in _strategies_of(result, figure)]
    svg = svgs.get(figure["name"])
    drawing = framed(svg) if svg else text("No strategy has a value here.")
    parts = [drawing, table(_HTML_HEADS, rows)]
    if figure["comparisons"]:
        heads = ("difference", *_DIFFERENCES, "better in")
        parts.append(table(heads, map(_html_comparison, figure["comparisons"])))
    return section(figure["title"], *parts)


def _html_row(s: Described) -> Sequence[str]:
    name = escaped(s["name"])
    if "left_out" in s:
        return name, f"left out: {escaped(s['left_out'])}"
    return name, *_cells(s)


def _html_comparison(c: Described) -> Sequence[str]:
    other = "" if c["same_pages"] else " (other pages)"
    sure = c["sibling"]["value"]["b_is_better"]
    return (
        f"{escaped(c['b'])} less {escaped(c['a'])}{other}",
        *_differences(c),
        "" if sure is None else f"{sure:.1%}",
    )
