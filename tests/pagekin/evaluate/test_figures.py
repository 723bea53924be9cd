"""Plots: whole SVG files with every value in them, and the same as PNG."""

from __future__ import annotations

import struct
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagekin.errors import UsageError
from pagekin.evaluate import figures
from pagekin.evaluate.figures import Mark, Scale, histogram, plot, spread, to_png, wrapped

SVG = "{http://www.w3.org/2000/svg}"
MARKS = [
    Mark("a <b>", "one", 1, 0.5, 0.4, 0.6, 0.3),
    Mark("c", "one", 2, 0.7, 0.65, 0.75, 0.7),
    Mark("d", "", None, 0.2),
]
AXES = ("width & more", "sibling gamma")

values = st.floats(-1, 1)


def drawn(marks):
    return ElementTree.fromstring(plot("Title & all", "About it.", AXES, marks))


def texts(root):
    return [node.text for node in root.iter(f"{SVG}text")]


def test_lines():
    """A figure with an x has a line through a series, a level line for what has none, and names."""
    root = drawn(MARKS)
    (line,) = [n for n in root.iter(f"{SVG}polyline") if n.get("points", "").count(",") > 1]
    assert 2 == len(line.get("points", "").split())
    said = [node.text for node in root.iter(f"{SVG}title")]
    assert "a <b>: 0.5000 [0.400, 0.600], with ties 0.300" in said
    assert {"one", "d", *AXES, "Title & all", "About it.", "with ties counted"} <= set(texts(root))


def test_rows():
    """A figure without any x has a row for each strategy, with its value."""
    root = drawn([mark._replace(x=None) for mark in MARKS])
    assert {"a <b>", "c", "d", "0.500", "0.700", "0.200", "sibling gamma"} <= set(texts(root))
    assert 3 == len(list(root.iter(f"{SVG}circle")))
    assert 2 == len(list(root.iter(f"{SVG}path")))  # a diamond, and the one that explains it


marks_of_any = st.builds(
    *(Mark, st.text("ab"), st.text("xy"), values | st.none()),
    *(values, values | st.none(), values | st.none(), values | st.none()),
)


@given(st.lists(marks_of_any))
def test_any_values(marks):
    """Whatever the values are, the figure is sound and everything lies on the sheet."""
    if not marks:
        return
    root = drawn(marks)
    width, height = (float(root.get(name, "")) for name in ("width", "height"))
    for node in root.iter(f"{SVG}circle"):
        assert 0 <= float(node.get("cx", "")) <= width
        assert 0 <= float(node.get("cy", "")) <= height


@given(st.lists(values))
def test_histogram_counts_all(some):
    """Every value is in one step, the ends included; bars stand on the axis and do not overlap."""
    root = ElementTree.fromstring(histogram("t", some, -1.0, 1.0, 10))
    shown = [box.findtext(f"{SVG}title", "") for box in root.iter(f"{SVG}rect")][1:]
    assert 10 == len(shown)
    assert len(some) == sum(int(s.rpartition(": ")[2].replace(",", "")) for s in shown)
    bars = [
        [float(box.get(name, "")) for name in ("x", "y", "width", "height")]
        for box in list(root.iter(f"{SVG}rect"))[1:]
    ]
    assert 1 == len({round(y + height, 6) for _, y, _, height in bars})
    assert all(a[0] + a[2] <= b[0] for a, b in pairwise(bars))


def test_names_are_escaped():
    """Names are text and never markup."""
    nasty = '<script>alert("&")</script>'
    marks = [Mark(nasty, nasty, None, 1.0), Mark(nasty, nasty, 1.0, 1.0)]
    for svg in (plot(nasty, nasty, (nasty, nasty), marks), histogram(nasty, [], 0, 1, 2)):
        assert "<script>" not in svg
        ElementTree.fromstring(svg)


@given(st.lists(values, min_size=1))
@example([0.97, 0.97])
def test_scale(some):
    """All values lie between the ends, which are ticks, and ticks are few and differ as shown."""
    scale = Scale(some, 10.0, 110.0)
    assert all(10 - 1e-6 <= scale.at(value) <= 110 + 1e-6 for value in some)
    ticks = scale.ticks()
    assert 2 <= len(ticks) <= 10
    assert len(ticks) == len({scale.shown(tick) for tick in ticks})


@given(st.lists(st.floats(0, 300), max_size=8))
def test_spread(places):
    """Names keep their order and their distance, where there is room."""
    moved = spread(places, 19, 0, 300)
    order = sorted(range(len(places)), key=places.__getitem__)
    apart = [moved[b] - moved[a] for a, b in pairwise(order)]
    assert all(gap > 12 for gap in apart)


def test_wrapped():
    """Lines break between words; a long word stays whole."""
    assert ["aa bb", "cccccccccccc", "d"] == wrapped("aa bb cccccccccccc d", 40)
    assert [] == wrapped("", 40)


def test_png():
    """The PNG has two pixels for each unit, and shows text without the fonts of the machine."""
    pytest.importorskip("resvg_py")
    svg = plot("Title", "", AXES, MARKS)
    picture = to_png(svg)
    root = ElementTree.fromstring(svg)
    size = tuple(2 * int(float(root.get(name, ""))) for name in ("width", "height"))
    assert b"\x89PNG\r\n\x1a\n" == picture[:8]
    assert size == struct.unpack(">II", picture[16:24])
    assert len(picture) > len(to_png(svg.replace("text", "none"))) + 1000


def test_without_the_extra(monkeypatch):
    """Without the packages for PNG a sentence says how to get them."""

    def missing(name: str) -> None:
        raise ModuleNotFoundError(name, name=name)

    monkeypatch.setattr(figures, "import_module", missing)
    with pytest.raises(UsageError, match="PNG needs the Python package resvg_py; pip install "):
        to_png("<svg/>")
