"""HTML pages of reports: names are text, and everything fits on the page."""

from __future__ import annotations

import re
from datetime import date

from pagekin.evaluate.html_page import document, figure, link, table, text
from tests.report_pages import read_report

NASTY = '<script>alert("&")</script>'
_RULE = re.compile(r"([^{}\s][^{}]*?)\s*{([^{}]+)}")
_WIDE = re.compile(r"(?<!max-)width:(?!100%)")
DAY = date(2026, 3, 4)


def test_escaped():
    """Names are text and never markup."""
    shown = table([NASTY, NASTY], [[link(f"http://x.example/{NASTY}"), "1"]])
    page = document(NASTY, NASTY, DAY, [text(NASTY), shown])
    assert "<script>" not in page
    assert '"&"' not in page


def test_text():
    """A paragraph may be written in several lines; what a stranger wrote is escaped."""
    assert "<p>one two\\u0007</p>" == text("one\ntwo\a")


def test_link():
    """Only web addresses are links."""
    assert '<a href="http://a.example/" rel="noreferrer">http://a.example/</a>' == link(
        "http://a.example/"
    )
    assert "javascript:alert(1)" == link("javascript:alert(1)")


def test_title():
    """The title says what it is about, of which pages, and when it was made."""
    page = document("Gamma", "wiki", DAY, [])
    assert "<title>Gamma: wiki, 2026-03-04</title>" in page
    assert "<h1>Gamma: wiki</h1>" in page
    assert '<p class="when">2026-03-04</p>' in page
    assert "<h1>Gamma</h1>" in document("Gamma", "", DAY, [])


def test_cells():
    """A cell knows the head of its column, which stands before it on a narrow page; the last one
    of a short row reaches to the end."""
    page = read_report(table(["name", "one", "two"], [["a", "1", "2"], ["b", "left out"]]))
    assert [[("a", ""), ("1", "one"), ("2", "two")], [("b", ""), ("left out", "one")]] == [
        [(cell.text, cell.head) for cell in row] for row in page.rows
    ]
    assert [[1, 1, 1], [1, 2]] == [[cell.span for cell in row] for row in page.rows]


def test_nothing_is_wider_than_the_page():
    """Words break anywhere, commands are wrapped, a drawing shrinks or scrolls in its own frame:
    no rule forbids a break or gives a width but in that frame."""
    page = document("Gamma", "wiki", DAY, [figure("<svg></svg>")])
    (style,) = re.findall("<style>(.*?)</style>", page, re.DOTALL)
    screen, narrow, printed = (dict(re.findall(_RULE, part)) for part in style.split("@media"))
    assert "nowrap" not in style
    assert "overflow-wrap:anywhere" in screen["body"]
    assert "white-space:pre-wrap" in screen["pre"]
    assert "max-width:100%" in screen["svg"]
    assert "overflow-x:auto" in screen[".figure"]
    wide = [name for name, rule in {**screen, **narrow, **printed}.items() if _WIDE.search(rule)]
    assert [".figure svg"] == wide
    assert "display:block" in narrow["table,tbody,tr,td"]  # a list and no table
    assert "overflow:visible" in printed[".figure"]  # paper does not scroll
