"""Reports and figures: sound files, whatever the names in them."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.evaluate.page import document, link, table, text
from pagekin.evaluate.svg import Bar, Point, bars, histogram, lines

SVG = "{http://www.w3.org/2000/svg}"
NASTY = '<script>alert("&")</script>'

numbers = st.floats(-1e6, 1e6, allow_nan=False)
labels = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=60)


def parsed(svg):
    root = ElementTree.fromstring(svg)
    assert f"{SVG}svg" == root.tag
    for number in re.findall(r' [xy][12]?="([^"]*)"', svg):
        float(number)
    return root


def boxes(root):
    return [
        tuple(round(float(r.get(key)), 1) for key in ("x", "width"))
        for r in root.iter(f"{SVG}rect")
    ]


@given(labels, st.lists(st.builds(Bar, labels, st.none() | numbers, numbers, numbers, numbers)))
def test_bars_are_sound(title, rows):
    """Any bars make one SVG file of numbers within its frame."""
    root = parsed(bars(title, rows))
    assert sum(row.value is not None for row in rows) == len(boxes(root))
    for x, width in boxes(root):
        assert 0 <= x <= x + width <= 720.2


def test_bars_begin_at_zero():
    """Lengths are in proportion, and values below 0 go to the other side."""
    (x1, w1), (x2, w2), (x3, w3) = boxes(
        parsed(bars("t", [Bar("a", 0.2), Bar("b", 0.4), Bar("c", -0.4)]))
    )
    assert x1 == x2 == pytest.approx(x3 + w3, abs=0.2)
    assert w2 == w3 == pytest.approx(2 * w1, abs=0.2)


@given(st.lists(st.floats(-1, 1, allow_nan=False)))
def test_histogram_counts_all(values):
    """Every value is in one step, the ends included."""
    root = parsed(histogram("t", values, -1.0, 1.0, 10))
    said = [title.text for title in root.iter(f"{SVG}title")][1:]
    assert len(values) == sum(int(s.rpartition(": ")[2].replace(",", "")) for s in said)
    assert 10 == len(said)


points = st.builds(Point, numbers, numbers, st.none() | numbers, st.none() | numbers)


@given(st.dictionaries(labels, st.lists(points, max_size=5), max_size=4))
def test_lines_are_sound(series):
    """Any series make one SVG file, with a circle for each point."""
    root = parsed(lines("t", series))
    assert sum(map(len, series.values())) == len(list(root.iter(f"{SVG}circle")))
    assert len(series) == len(list(root.iter(f"{SVG}polyline")))


def test_escaped():
    """Names are text and never markup."""
    for svg in (bars(NASTY, [Bar(NASTY, 1.0)]), lines(NASTY, {NASTY: [Point(1, 1)]})):
        assert "<script>" not in svg
        parsed(svg)
    page = document(NASTY, [text(NASTY), table([NASTY], [[link(f"http://x.example/{NASTY}")]])])
    assert "<script>" not in page
    assert '"&"' not in page


def test_link():
    """Only web addresses are links."""
    assert '<a href="http://a.example/" rel="noreferrer">http://a.example/</a>' == link(
        "http://a.example/"
    )
    assert "javascript:alert(1)" == link("javascript:alert(1)")
