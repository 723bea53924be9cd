"""What `pagekin evaluate rivals` shows: the table as lines of text, and a report with a figure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from pagekin.evaluate.figures import Mark, plot
from pagekin.evaluate.html_page import code, document, figure, section, table, text
from pagekin.web.safe_html import escaped

__all__ = ["rival_lines", "rival_report"]

_ABOUT: Final = """\
Each row is judged over the same pages, by a directory that people made. Sibling gamma tells pages
of the source's own class from those of a sibling class, unrelated gamma from unrelated pages: 1 is
perfect order, 0 is chance. "Class among ten" is how many of the ten most similar pages are of the
source's class. Brackets hold 95 % of the values of sources drawn anew. "Less ours" is the row less
our first bags, paired by source; a star says that the interval does not hold 0. A row of fewer
pages is compared with our bags among these alone. "Of page" is the whole text of a page, "of main"
its parts that are not mostly links, "of bag" the words of our bag, the heaviest first. Times are
CPU: a page's, to read and make it or its bag; a question's, to compare a page with all others."""

_HEADS: Final = (
    *("rival", "pages", "sibling", "less ours", "unrelated", "less ours"),
    *("class among ten", "less ours"),
)
_COST_HEADS: Final = (
    *("rival", "CPU ms a page", "bytes a page", "CPU ms a question", "reasons", "pages never read"),
)

Row = Mapping[str, Any]


def _title(row: Row) -> str:
    """A rival with the variant, and the text that it was made of."""
    words = [row["name"], row["variant"], row["text"] and f"of {row['text']}"]
    return " ".join(filter(None, words))


def _cells(row: Row) -> list[str]:
    """How good it is, or why nobody knows."""
    if row["why"]:
        return [_title(row), row["why"]]
    less = row["less_ours"]
    cells = [_title(row), f"{row['pages']:,}"]
    for name in ("sibling", "unrelated"):
        cells += [_value(row[name]), _difference(less[name], 3)]
    return [*cells, f"{row['among_ten']['value']:.2f}", _difference(less["among_ten"], 2)]


def _costs(row: Row) -> list[str]:
    """What it costs, and what it can say."""
    if row["why"]:
        return [_title(row), row["why"]]
    return [
        _title(row),
        "not known" if row["page_ms"] is None else f"{row['page_ms']:.1f}",
        f"{row['page_bytes']:,.0f}",
        f"{row['query_ms']:.2f}",
        "yes" if row["reason"] else "no",
        row["unread"],
    ]


def _value(figures: Mapping[str, float | None]) -> str:
    value, low, high = figures["value"], figures["low"], figures["high"]
    if value is None or low is None or high is None:
        return "none"
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def _difference(d: Mapping[str, float | None], digits: int) -> str:
    value, low, high = d["difference"], d["low"], d["high"]
    if value is None or low is None or high is None:
        return "none"
    if value == low == high == 0:
        return ""  # ours, and ours
    sure = "" if low <= 0 <= high else " *"
    return f"{value:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]{sure}"


def rival_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """The table as text."""
    yield (
        f"{result['pages']:,} pages in {result['classes']:,} classes;"
        f" {result['unread']:,} of them were never read"
    )
    yield ""
    for heads, cells_of in ((_HEADS, _cells), (_COST_HEADS, _costs)):
        rows = [list(heads), *map(cells_of, result["rows"])]
        whole = [row for row in rows if len(row) == len(heads)]  # others say why they are not
        widths = [max(len(row[0]) for row in rows)]
        widths += [max(len(row[k]) for row in whole) for k in range(1, len(heads))]
        for row in rows:
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            yield "  ".join(cells).rstrip()
        yield ""


def rival_report(result: Mapping[str, Any], command: str, made: date) -> str:
    """The HTML page."""
    rows, settings = result["rows"], result["settings"]
    marks = [
        Mark(_title(r), "", None, s["value"], s["low"], s["high"], s["with_ties"])
        for r in rows
        if not r["why"] and (s := r["sibling"])["value"] is not None
    ]
    drawn = figure(plot("Sibling gamma", "", ("", "gamma"), marks)) if marks else ""
    tables = [
        table(heads, [[escaped(cell) for cell in cells_of(row)] for row in rows])
        for heads, cells_of in ((_HEADS, _cells), (_COST_HEADS, _costs))
    ]
    abouts = dict.fromkeys((r["name"], r["about"]) for r in rows)
    named = [[escaped(name), escaped(about)] for name, about in abouts]
    return document(
        "Rivals",
        "/".join(settings["work"].split("/")[-2:]),
        made,
        [
            text(_ABOUT),
            section("How good they are", drawn, tables[0]),
            section("What they cost, and what they can say", tables[1]),
            section("Rivals", table(("name", "what it is"), named, "words")),
            section("Command", code(command)),
            section("Settings", code(json.dumps(settings, indent=2, ensure_ascii=False))),
        ],
    )
