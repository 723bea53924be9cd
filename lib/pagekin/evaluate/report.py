"""The report of `pagekin evaluate gamma`: figures, each with its table and its command."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

from pagekin.evaluate.gamma import STATISTICS, gamma_of
from pagekin.evaluate.page import code, document, link, section, table, text
from pagekin.evaluate.sources import unpack_sources
from pagekin.evaluate.svg import Bar, bars, histogram

__all__ = ["gamma_report"]

_ABOUT = """\
A directory made by people says which pages are near: those of a page's own class before its
siblings, these before cousins, and these before unrelated pages. Gamma is the share of pairs that
the strategy puts in the same order, less the share it puts in the other: 1 is perfect, 0 is
chance. Pairs that it cannot tell apart are left out; and where counting them
changes the value, a diamond shows it. Whiskers hold 95 % of the values of sources drawn anew."""

_STEPS = 40


def gamma_report(result: Mapping[str, Any], command: str) -> str:
    """The page, from what `--json` prints."""
    again = code(command)
    return document(
        f"Gamma by {result['settings']['by']}",
        [
            text(_ABOUT),
            section("All sources", _overall_figure(result), _overall_table(result), again),
            section("By branch", _branch_figure(result), _branch_table(result), again),
            section("By source", *_spread(result), again),
            section("The worst pages", *_worst(result), again),
            section("Settings", code(json.dumps(result["settings"], indent=2, ensure_ascii=False))),
        ],
    )


def _overall_figure(result: Mapping[str, Any]) -> str:
    rows = [
        Bar(name, f["value"], f["low"], f["high"], f["with_ties"])
        for name in STATISTICS
        for f in [result[name]]
    ]
    return bars("Gamma and the partial gammas", rows)


def _overall_table(result: Mapping[str, Any]) -> str:
    heads = ("", "value", "95 %", "with ties", "concordant", "discordant", "tied")
    rows = []
    for name in STATISTICS:
        f = result[name]
        ends = f"{_number(f['low'])} to {_number(f['high'])}"
        counts = [f"{f[key]:,}" for key in ("concordant", "discordant", "tied")]
        rows.append([name, _number(f["value"]), ends, _number(f["with_ties"]), *counts])
    share = _number(result["orthogonal_share"])
    said = (
        f"{result['sources']:,} source pages of {result['pages']:,}, in {result['classes']:,}"
        f" classes. {result['missing_urls']:,} pages of the directory are not in the snapshot."
        f" Of the pairs within a class, {share} have nothing in common."
    )
    return table(heads, rows) + text(said)


def _branch_figure(result: Mapping[str, Any]) -> str:
    rows = [
        Bar(b["branch"], b["sibling"]["value"], mark=b["sibling"]["with_ties"])
        for b in result["branches"]
    ]
    return bars("Sibling gamma of the sources of each branch", rows)


def _branch_table(result: Mapping[str, Any]) -> str:
    rows = [
        [
            escape(b["branch"]),
            f"{b['sources']:,}",
            *(_number(b[name][kind]) for name in STATISTICS for kind in ("value", "with_ties")),
        ]
        for b in result["branches"]
    ]
    heads = [head for name in STATISTICS for head in (name, "with ties")]
    return table(("branch", "sources", *heads), rows)


def _spread(result: Mapping[str, Any]) -> list[str]:
    """How the sibling gamma of single sources spreads."""
    counts = unpack_sources(result["per_source"], "the result").counts
    values = gamma_of(counts[:, STATISTICS.index("sibling")])
    known = values[~np.isnan(values)]
    if not len(known):
        return [text("No source has siblings to tell from its own class.")]
    shares = [f"{share} %" for share in (5, 25, 50, 75, 95)]
    found = [_number(float(v)) for v in np.percentile(known, (5, 25, 50, 75, 95))]
    return [
        histogram("Sources by their own sibling gamma", known.tolist(), -1.0, 1.0, _STEPS),
        table(("sources", *shares), [[f"{len(known):,}", *found]]),
    ]


def _worst(result: Mapping[str, Any]) -> list[str]:
    said = text(
        "Pages whose discordant pairs outweigh the concordant ones most, and the nearest pages"
        " that are not of their class."
    )
    rows = [
        [
            f"{link(w['url'])}<br>{escape(', '.join(w['classes']))}",
            f"gamma {_number(w['value'])}<br>{w['discordant']:,} of"
            f" {w['discordant'] + w['concordant'] + w['tied']:,} pairs discordant<br>nearest of its"
            f" class: number {w['its_rank']:,}",
            "<br>".join(map(_neighbour, w["wrong_neighbours"])),
        ]
        for w in result["worst"]
    ]
    return [said, table(("page", "what went wrong", "nearest wrong neighbours"), rows, "words")]


def _neighbour(page: Mapping[str, Any]) -> str:
    where = escape(", ".join(page["classes"]))
    return f"{page['similarity']:.4f} {link(page['url'])} ({page['distance']}: {where})"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
