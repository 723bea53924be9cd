"""HTML pages of reports: names are text, whatever stands in them."""

from __future__ import annotations

from pagekin.evaluate.html_page import document, link, table, text

NASTY = '<script>alert("&")</script>'


def test_escaped():
    """Names are text and never markup."""
    page = document(NASTY, [text(NASTY), table([NASTY], [[link(f"http://x.example/{NASTY}")]])])
    assert "<script>" not in page
    assert '"&"' not in page


def test_link():
    """Only web addresses are links."""
    assert '<a href="http://a.example/" rel="noreferrer">http://a.example/</a>' == link(
        "http://a.example/"
    )
    assert "javascript:alert(1)" == link("javascript:alert(1)")
