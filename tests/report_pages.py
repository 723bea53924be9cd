"""A report as a reader meets it: title, sections, tables cell by cell, and commands."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

__all__ = ["Cell", "ReportPage", "read_report"]


@dataclass
class Cell:
    """A cell of a table."""

    head: str  # what stands before it on a narrow page
    span: int  # columns
    text: str = ""


@dataclass
class ReportPage:
    """What stands on a page."""

    title: str = ""
    paragraphs: list[str] = field(default_factory=list)
    preformatted: list[str] = field(default_factory=list)
    heads: list[list[str]] = field(default_factory=list)  # of each table
    rows: list[list[Cell]] = field(default_factory=list)  # of all tables
    columns: list[int] = field(default_factory=list)  # that the row's table has


def read_report(text: str) -> ReportPage:
    """Read a page, or a part of one."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.page


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = ReportPage()
        self._in = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        match tag:
            case "table":
                self.page.heads.append([])
            case "tr" if self.page.heads[-1]:
                self.page.rows.append([])
                self.page.columns.append(len(self.page.heads[-1]))
            case "th":
                self.page.heads[-1].append("")
            case "td":
                span = int(found.get("colspan") or 1)
                self.page.rows[-1].append(Cell(found.get("data-head") or "", span))
            case "p":
                self.page.paragraphs.append("")
            case "pre":
                self.page.preformatted.append("")
        if tag in {"h1", "p", "pre", "th", "td"}:
            self._in = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._in:
            self._in = ""

    def handle_data(self, data: str) -> None:
        match self._in:
            case "h1":
                self.page.title += data
            case "p":
                self.page.paragraphs[-1] += data
            case "pre":
                self.page.preformatted[-1] += data
            case "th":
                self.page.heads[-1][-1] += data
            case "td":
                self.page.rows[-1][-1].text += data
