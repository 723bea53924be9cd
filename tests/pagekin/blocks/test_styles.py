"""How text looks, as far as the page says: attributes, style sheets, the cascade, colours."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.blocks.styles import (
    ROOT_STYLE,
    TRANSPARENT,
    WIDEST,
    Sheets,
    Style,
    Styles,
    declarations,
    font_size,
    lab,
    lab_distance,
    parse_colour,
)
from tests.trees import tree_page

BLACK, WHITE, RED, BLUE = (0, 0, 0), (255, 255, 255), (255, 0, 0), (0, 0, 238)


def style_of(html: str, source: str = "all") -> Style:
    """The style of the element with id=x."""
    tops = tree_page(html).tree.tops
    styles = Styles(tops, source)
    element = next(e for top in tops for e in top.iter() if e.get("id") == "x")
    line = [element]
    while line[-1].getparent() is not None:
        line.append(line[-1].getparent())
    style = ROOT_STYLE
    for each in reversed(line):
        style = styles.of(each, style)
    return style


def colour_of(html: str) -> object:
    return style_of(html).colour


# --- attributes and browsers ---


def test_plain():
    """Text is black on white where nobody says more."""
    assert Style(BLACK, WHITE, bold=False, size=16.0, family="") == style_of("<p id=x>")


@pytest.mark.parametrize(
    ("html", "field", "expected"),
    [
        ("<b id=x>", "bold", True),
        ("<b><i id=x>", "bold", True),
        ("<h3 id=x>", "bold", True),
        ("<table><tr><th id=x>", "bold", True),
        ("<b><span style='font-weight:normal' id=x>", "bold", False),
        ("<a href=y id=x>", "colour", BLUE),
        ("<a id=x>", "colour", BLACK),
        ("<body link=red><a href=y id=x>", "colour", RED),
        ("<body text=#ff0000><p id=x>", "colour", RED),
        ("<body text=red><a href=y id=x>", "colour", BLUE),
        ("<font color=ff0000><p id=x>", "colour", RED),
        ("<font color=red><a href=y id=x>", "colour", BLUE),
        ("<body bgcolor=red><p id=x>", "background", RED),
        ("<table bgcolor=#f00><tr><td id=x>", "background", RED),
        ("<body bgcolor=nonsense!><p id=x>", "background", WHITE),
        ("<font size=5 id=x>", "size", 24.0),
        ("<font size=+1 id=x>", "size", 18.0),
        ("<font size=-9 id=x>", "size", 10.0),
        ("<font size=big id=x>", "size", 16.0),
        ("<h1 id=x>", "size", 32.0),
        ("<small id=x>", "size", 13.33),
        ("<font face='Arial, sans' id=x>", "family", "arial"),
        ("<mark id=x>", "background", (255, 255, 0)),
    ],
)
def test_attributes_and_defaults(html, field, expected):
    """What attributes and browsers say, of the element or of one around it."""
    assert expected == getattr(style_of(html), field)
    assert expected == getattr(style_of(html), field)


@pytest.mark.parametrize(
    ("css", "field", "expected"),
    [
        ("color:red", "colour", RED),
        ("COLOR : Red ; ", "colour", RED),
        ("color:red;color:blue", "colour", (0, 0, 255)),
        ("color:red;color:nonsense", "colour", RED),
        ("color:red !important;color:blue", "colour", RED),
        ("background:url(a.png) no-repeat #f00", "background", RED),
        ("background:rgb(255, 0, 0) url(x)", "background", RED),
        ("background:#f00;background:url(x)", "background", WHITE),
        ("background-color:red", "background", RED),
        ("background-color:transparent", "background", WHITE),
        ("font-weight:700", "bold", True),
        ("font-weight:500", "bold", False),
        ("font-weight:bolder", "bold", True),
        ("font:bold 12px/1.5 Arial, sans-serif", "bold", True),
        ("font:bold 12px/1.5 Arial, sans-serif", "size", 12.0),
        ("font:italic 12pt 'Comic Sans'", "family", "comic sans"),
        ("font-weight:bold;font:12px x", "bold", False),
        ("font-size:2em", "size", 32.0),
        ("font-size:150%", "size", 24.0),
        ("font-size:x-large", "size", 24.0),
        ("font-size:.5in", "size", 48.0),
        ("font-size:-3px", "size", 16.0),
        ('font-family:"Times New Roman",serif', "family", "times new roman"),
        ("width:3px;;:;x", "colour", BLACK),
    ],
)
def test_style_attribute(css, field, expected):
    """What a style attribute declares."""
    assert expected == getattr(
        style_of(f"<p id=x style='{css}'>".replace("'Comic", "Comic")), field
    )


# --- sheets ---


@pytest.mark.parametrize(
    ("selector", "meant"),
    [
        ("p", True),
        ("P", True),
        ("*", True),
        (".a", True),
        ("p.a", True),
        (".b.a", True),
        ("p.a.b", True),
        ("#x", True),
        ("p#x.a", True),
        ("div, p", True),
        ("div p", True),
        ("table > p", True),
        ("p:hover", True),
        ("p:not(.z)", True),
        ("div", False),
        (".c", False),
        (".a.c", False),
        ("p.A", False),
        ("#y", False),
        ("p div", False),
        ("p[id]", False),
        (".a.b.c", False),
        ("", False),
    ],
)
def test_selectors(selector, meant):
    """Of a selector its last part counts, if it is simple."""
    html = f"<style>{selector} {{color:red}}</style><div></div><p id=x class='a b'>"
    assert (RED if meant else BLACK) == colour_of(html)


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("p{color:red}p{color:blue}", (0, 0, 255)),
        ("p.a{color:red}p{color:blue}", RED),
        ("#x{color:red}p.a.b{color:blue}", RED),
        (".a{color:red}.b{color:blue}", (0, 0, 255)),
        ("p{color:red !important}#x{color:blue}", RED),
        ("<!-- p{color:red} -->", RED),
        ("/* p{color:blue} */p{color:red}", RED),
        ("@import url(x);p{color:red}", RED),
        ("@media screen{p{color:red}}", RED),
        ("@media print{p{color:red}}", BLACK),
        ("@media print{@media screen{p{color:red}}}", BLACK),
        ("@font-face{color:red}", BLACK),
        ("p{color:red", BLACK),
        ("p{color:red}}}p{color:blue}", (0, 0, 255)),
        ("}{{}p{", BLACK),
    ],
)
def test_cascade(css, expected):
    """Importance before specificity before place, and rules of the screen only."""
    assert expected == colour_of(f"<style>{css}</style><p id=x class='a b'>")


def test_sheets_under_attributes():
    """A sheet stands above the element's attributes and below its style."""
    sheet = "<style>font{color:red}</style>"
    assert RED == colour_of(f"{sheet}<font id=x color=blue>")
    assert (0, 0, 255) == colour_of(f"{sheet}<font id=x style='color:blue'>")
    important = "<style>font{color:red !important}</style>"
    assert RED == colour_of(f"{important}<font id=x style='color:blue'>")


def test_media_of_the_sheet():
    """A sheet for print says nothing of the screen."""
    assert BLACK == colour_of("<style media=print>p{color:red}</style><p id=x>")
    assert RED == colour_of("<style media='print, screen'>p{color:red}</style><p id=x>")


def test_attributes_only():
    """On request only attributes and defaults count."""
    html = "<style>b{color:red}</style><b id=x style='color:red;font-weight:normal' bgcolor=red>"
    assert Style(BLACK, RED, bold=True, size=16.0, family="") == style_of(html, "attributes")


def test_equal_styles_are_one():
    """Elements that look alike share a style; only what differs makes another."""
    assert style_of("<p id=x>") == style_of("<div class=y><p id=x>")


@given(st.text("{}@;:,.#/*!()<>-ab \n\"'", max_size=60))
def test_any_sheet(css):
    """No text is a reason to fail."""
    list(declarations(css))
    font_size(css, 16.0)
    assert isinstance(
        style_of(f"<style>{css}</style><p id=x class='a b' style='{css[:9]}'>"), Style
    )


@pytest.mark.parametrize(
    "css", ["{" * 300_000, "a," * 200_000 + "{color:red}", "/*" * 300_000, "a:b(" * 200_000 + "{}"]
)
def test_time(css):
    """Sheets that are made to be slow take a moment."""
    started = time.process_time()
    Sheets(tree_page(f"<style>{css}</style><p>x").tree.tops)
    assert time.process_time() - started < 10


channels = st.integers(0, 255)
colours = st.tuples(channels, channels, channels)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("red", (255, 0, 0)),
        (" ReD ", (255, 0, 0)),
        ("rebeccapurple", (102, 51, 153)),
        ("#f80", (255, 136, 0)),
        ("#F80F", (255, 136, 0)),
        ("#ff8800", (255, 136, 0)),
        ("#ff880080", (255, 136, 0)),
        ("#ff880000", TRANSPARENT),
        ("#f800", TRANSPARENT),
        ("transparent", TRANSPARENT),
        ("rgb(1, 2, 300)", (1, 2, 255)),
        ("rgb(10%,0%,100%)", (26, 0, 255)),
        ("rgba(1,2,3,.5)", (1, 2, 3)),
        ("rgba(1,2,3,0)", TRANSPARENT),
        ("rgb(1 2 3 / 0%)", TRANSPARENT),
        ("hsl(120, 100%, 25%)", (0, 128, 0)),
        ("hsl(0deg 100% 50%)", (255, 0, 0)),
        ("hsl(-120, 100%, 50%)", (0, 0, 255)),
        ("", None),
        ("reddish", None),
        ("#gg", None),
        ("#fffff", None),
        ("#ggg", None),
        ("ff8800", None),
        ("rgb(1,2)", None),
        ("rgb(a,b,c)", None),
        ("currentcolor", None),
        ("r" * 10_000, None),
    ],
)
def test_notations(text, expected):
    """Names, digits and functions are colours; what cannot be seen through is opaque."""
    assert expected == parse_colour(text)


@pytest.mark.parametrize(
    ("text", "expected"), [("ff8800", (255, 136, 0)), ("f80", (255, 136, 0)), ("nonsense", None)]
)
def test_attributes(text, expected):
    """In attributes the number sign may be missing."""
    assert expected == parse_colour(text, attribute=True)


@given(st.text(max_size=80))
def test_any_text(text):
    """Any text is a colour or none."""
    found = parse_colour(text)
    assert found in (None, TRANSPARENT) or all(0 <= channel <= 255 for channel in found)


@pytest.mark.parametrize(
    ("colour", "expected"),
    [
        ((255, 255, 255), (100.0, 0.0, 0.0)),
        ((0, 0, 0), (0.0, 0.0, 0.0)),
        ((255, 0, 0), (53.24, 80.09, 67.20)),
        ((0, 0, 255), (32.30, 79.19, -107.86)),
    ],
)
def test_lab(colour, expected):
    """The published values of the primaries."""
    assert expected == pytest.approx(lab(colour), abs=0.01)


def test_distances():
    """Black and white are a hundred apart, and nothing is further apart than green and blue."""
    assert pytest.approx(100.0, abs=1e-4) == lab_distance((0, 0, 0), (255, 255, 255))
    corners = list(itertools.product((0, 255), repeat=3))
    widest = max(lab_distance(a, b) for a in corners for b in corners)
    assert pytest.approx(WIDEST, abs=0.05) == widest
    assert widest == lab_distance((0, 255, 0), (0, 0, 255))


@given(colours, colours)
def test_distance_is_one(one, other):
    """A distance is the same from both ends, and none only between equal colours."""
    assert lab_distance(one, other) == pytest.approx(lab_distance(other, one))
    assert (one == other) == (lab_distance(one, other) < 1e-9)
    assert lab_distance(one, other) <= WIDEST
