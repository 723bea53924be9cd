"""What `pagekin evaluate mirrors` shows: lines of text, and a report with plots and tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from pagekin.evaluate.figures import Mark, plot
from pagekin.evaluate.html_page import code, document, figure, link, section, table, text
from pagekin.evaluate.mirror_pairs import PARTS
from pagekin.web.safe_html import escaped

__all__ = ["mirror_lines", "mirror_report"]

_ABOUT: Final = """\
Somebody measured how alike the content of pairs of pages is. A pair is found at a threshold if
edges of at least this resemblance lead from one page to the other. Precision is the share of the
found pairs that are alike, recall the share of the alike pairs that are found, F the harmonic mean
of both. "Groups" are those that the build made, which is what answers fold by."""

_MEASURES: Final = ("precision", "recall", "f")
_NAMES: Final = {"all": "all pairs", "same_host": "same host", "cross_host": "cross host"}
_HEADS: Final = ("threshold", *(f"{name} {m}" for name in _NAMES.values() for m in _MEASURES))


def mirror_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """The figures as text, from what `--json` prints."""
    parts = result["parts"]
    yield _counts(result)
    yield ""
    yield f"{'':11}" + "".join(f"{_NAMES[part]:^33}" for part in PARTS).rstrip()
    yield f"{'threshold':11}" + "".join(f"{m:>11}" for _ in PARTS for m in _MEASURES)
    for cells in _rows(parts):
        yield f"{cells[0]:11}" + "".join(f"{cell:>11}" for cell in cells[1:]).rstrip()
    yield ""
    yield f"{'likeness':11}{'pairs':>9}{'found':>9}{'share':>9}"
    for cells in _likeness_rows(result):
        yield f"{cells[0]:11}" + "".join(f"{cell:>9}" for cell in cells[1:])
    if within := result["within_groups"]:
        yield ""
        yield f"{'pairs within groups':23}{'all':>9}{'other path':>12}"
        for cells in _group_rows(within):
            yield f"{cells[0]:23}{cells[1]:>9}{cells[2]:>12}"
        yield from (f"  {a}  {b}" for a, b in within["others"])
    for name, about in (("wrong", "found, and not alike"), ("missed", "alike, and not found")):
        if result[name]:
            yield ""
            yield about
            for pair in result[name]:
                yield f"  {pair['likeness']:.4f}  {pair['a']}"
                yield f"  {'':6}  {pair['b']}"


def _counts(result: Mapping[str, Any]) -> str:
    left_out = f"; of {result['missing']:,} more a page is not there" if result["missing"] else ""
    return (
        f"{result['pairs']:,} pairs{left_out}; {result['parts']['all']['alike']:,} are alike"
        f" (by {result['alike']:g} and more)"
    )


def _rows(parts: Mapping[str, Any]) -> Iterator[list[str]]:
    """A threshold and the measures of all parts; at last those of the groups."""
    columns = [parts[part]["thresholds"] for part in PARTS]
    for rows in zip(*columns, strict=True):
        cells = [_number(row[m]) for row in rows for m in _MEASURES]
        yield [f"{rows[0]['threshold']:.2f}", *cells]
    groups = [parts[part]["groups"] for part in PARTS]
    if all(groups):
        yield ["groups", *(_number(row[m]) for row in groups for m in _MEASURES)]


def _likeness_rows(result: Mapping[str, Any]) -> Iterator[list[str]]:
    for row in result["by_likeness"]:
        yield [
            f"from {row['from']:.1f}",
            f"{row['pairs']:,}",
            f"{row['found']:,}",
            _number(row["share"]),
        ]


def _group_rows(within: Mapping[str, Any]) -> Iterator[list[str]]:
    for part in PARTS:
        yield [_NAMES[part], f"{within[part]['pairs']:,}", f"{within[part]['other_path']:,}"]


def mirror_report(result: Mapping[str, Any], command: str, made: date) -> str:
    """The HTML page."""
    settings = result["settings"]
    plots = [
        figure(plot(_NAMES[part].capitalize(), "", ("threshold of resemblance", ""), marks))
        for part in PARTS
        if (marks := list(_marks(result["parts"][part])))
    ]
    cells = ([escaped(cell) for cell in row] for row in _rows(result["parts"]))
    parts = [
        text(_ABOUT),
        text(_counts(result)),
        section("By threshold", *plots, table(_HEADS, cells)),
        section(
            "By likeness",
            table(("likeness", "pairs", "found", "share"), _likeness_rows(result)),
        ),
    ]
    if within := result["within_groups"]:
        rows = table(("", "pairs within groups", "of other paths"), _group_rows(within))
        others = ([f"{link(a)}<br>{link(b)}"] for a, b in within["others"])
        named = [table(("some of other paths",), others, "words")] if within["others"] else []
        parts.append(section("Within groups", rows, *named))
    for name, about in (("wrong", "Found, and not alike"), ("missed", "Alike, and not found")):
        if result[name]:
            pairs = (
                [f"{p['likeness']:.4f}", f"{link(p['a'])}<br>{link(p['b'])}"] for p in result[name]
            )
            parts.append(section(about, table(("likeness", "pages"), pairs, "words")))
    parts += [
        section("Command", code(command)),
        section("Settings", code(json.dumps(settings, indent=2, ensure_ascii=False))),
    ]
    corpus = "/".join((settings["index"] or settings["work"]).split("/")[-2:])
    return document("Mirrors", corpus, made, parts)


def _marks(part: Mapping[str, Any]) -> Iterator[Mark]:
    """A line for each measure that is known; that of the groups is level."""
    for measure in _MEASURES:
        for row in part["thresholds"]:
            if (value := row[measure]) is not None:
                yield Mark(f"{measure} at {row['threshold']:.2f}", measure, row["threshold"], value)
    if (groups := part["groups"]) and groups["f"] is not None:
        yield Mark("f of groups", "", None, groups["f"])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
