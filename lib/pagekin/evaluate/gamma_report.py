"""What `pagekin evaluate gamma` shows: lines of text, and a report with figures and tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import numpy as np

from pagekin.evaluate.figures import Mark, histogram, plot
from pagekin.evaluate.gamma import STATISTICS, gamma_of, unpack_sources
from pagekin.evaluate.html_page import code, document, figure, link, section, table, text
from pagekin.web.safe_html import escaped

__all__ = ["gamma_lines", "gamma_report"]

_ABOUT = """\
A directory made by people says which pages are near: those of a page's own class before its
siblings, these before cousins, and these before unrelated pages. Gamma is the share of pairs that
the strategy puts in the same order, less the share it puts in the other: 1 is perfect, 0 is
chance. Pairs that it cannot tell apart are left out; and where counting them
changes the value, a diamond shows it. Whiskers hold 95 % of the values of sources drawn anew."""

_COUNTS = ("concordant", "discordant", "tied")
_STEPS = 40  # of the histogram
_NAME = 40  # letters of a branch in a figure
_SHOWN = 5  # of the worst pages, as text


def gamma_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """The figures, by branch too, and the worst pages, from what `--json` prints."""
    yield (
        f"{result['sources']:,} sources of {result['pages']:,} pages in {result['classes']:,}"
        f" classes; {result['missing_urls']:,} pages of the directory are not in the snapshot"
    )
    yield f"{'':10}{'value':>8}{'95 %':>18}{'with ties':>11}" + "".join(
        f"{name:>15}" for name in _COUNTS
    )
    for name, value, ends, with_ties, *counts in _overall(result):
        yield f"{name:10}{value:>8}{ends:>18}{with_ties:>11}" + "".join(f"{c:>15}" for c in counts)
    yield f"orthogonal within a class: {_number(result['orthogonal_share'])}"
    yield ""
    yield f"{'branch':32}{'sources':>8}" + "".join(f"{name:>11}" for name in STATISTICS)
    for b in result["branches"]:
        numbers = "".join(f"{_number(b[name]['value']):>11}" for name in STATISTICS)
        yield f"{b['branch'][:31]:32}{b['sources']:>8,}{numbers}"
    yield ""
    yield "worst pages, and their nearest wrong neighbours"
    for page in result["worst"][:_SHOWN]:
        yield f"  {page['url']}  {', '.join(page['classes'])}  {_number(page['value'])}"
        for near in page["wrong_neighbours"][:2]:
            yield f"      {near['similarity']:.4f}  {near['url']}  {', '.join(near['classes'])}"


def gamma_report(result: Mapping[str, Any], command: str, made: date) -> str:
    """The HTML page."""
    settings = result["settings"]
    share = _number(result["orthogonal_share"])
    sources = (
        f"{result['sources']:,} source pages of {result['pages']:,}, in {result['classes']:,}"
        f" classes. {result['missing_urls']:,} pages of the directory are not in the snapshot."
        f" Of the pairs within a class, {share} have nothing in common."
    )
    overall = _rows_of("Gamma and the partial gammas", {n: result[n] for n in STATISTICS})
    branches = {b["branch"]: b["sibling"] for b in result["branches"]}
    by_branch = _rows_of("Sibling gamma of the sources of each branch", branches)
    heads = ("", "value", "95 %", "with ties", *_COUNTS)
    return document(
        f"Gamma by {settings['by']}",
        "/".join((settings["index"] or settings["work"]).split("/")[-2:]),
        made,
        [
            text(_ABOUT),
            section("All sources", overall, table(heads, _overall(result)), text(sources)),
            section("By branch", by_branch, _branch_table(result)),
            section("By source", *_by_source(result)),
            section("The worst pages", *_worst(result)),
            section("Command", code(command)),
            section("Settings", code(json.dumps(settings, indent=2, ensure_ascii=False))),
        ],
    )


def _overall(result: Mapping[str, Any]) -> Iterator[list[str]]:
    """The cells of each statistic."""
    for name in STATISTICS:
        f = result[name]
        ends = f"{_number(f['low'])} to {_number(f['high'])}"
        counts = [f"{f[key]:,}" for key in _COUNTS]
        yield [name, _number(f["value"]), ends, _number(f["with_ties"]), *counts]


def _rows_of(title: str, statistics: Mapping[str, Mapping[str, Any]]) -> str:
    """A figure with a row for each statistic that has a value."""
    marks = [
        Mark(_cropped(name), "", None, f["value"], f.get("low"), f.get("high"), f["with_ties"])
        for name, f in statistics.items()
        if f["value"] is not None
    ]
    if not marks:
        return text("No pair is decided.")
    return figure(plot(title, "", ("", "gamma"), marks))


def _cropped(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}\N{HORIZONTAL ELLIPSIS}"


def _branch_table(result: Mapping[str, Any]) -> str:
    rows = [
        [
            escaped(b["branch"]),
            f"{b['sources']:,}",
            *(_number(b[name][kind]) for name in STATISTICS for kind in ("value", "with_ties")),
        ]
        for b in result["branches"]
    ]
    heads = [head for name in STATISTICS for head in (name, "with ties")]
    return table(("branch", "sources", *heads), rows)


def _by_source(result: Mapping[str, Any]) -> list[str]:
    """How the sibling gamma of single sources spreads."""
    counts = unpack_sources(result["per_source"], "the result").counts
    values = gamma_of(counts[:, STATISTICS.index("sibling")])
    known = values[~np.isnan(values)]
    if not len(known):
        return [text("No source has siblings to tell from its own class.")]
    shares = (5, 25, 50, 75, 95)
    found = [_number(float(v)) for v in np.percentile(known, shares)]
    title = "Sources by their own sibling gamma"
    return [
        figure(histogram(title, known.tolist(), -1.0, 1.0, _STEPS)),
        table(("sources", *(f"{share} %" for share in shares)), [[f"{len(known):,}", *found]]),
    ]


def _worst(result: Mapping[str, Any]) -> list[str]:
    about = text(
        "Pages whose discordant pairs outweigh the concordant ones most, and the nearest pages"
        " that are not of their class."
    )
    rows = [
        [
            f"{link(w['url'])}<br>{escaped(', '.join(w['classes']))}",
            f"gamma {_number(w['value'])}<br>{w['discordant']:,} of"
            f" {w['discordant'] + w['concordant'] + w['tied']:,} pairs discordant<br>nearest of its"
            f" class: number {w['its_rank']:,}",
            "<br>".join(map(_neighbour, w["wrong_neighbours"])),
        ]
        for w in result["worst"]
    ]
    return [about, table(("page", "what went wrong", "nearest wrong neighbours"), rows, "words")]


def _neighbour(page: Mapping[str, Any]) -> str:
    where = escaped(", ".join(page["classes"]))
    return f"{page['similarity']:.4f} {link(page['url'])} ({page['distance']}: {where})"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
