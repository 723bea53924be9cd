"""Colours as pages write them, and their distances."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.blocks.colours import TRANSPARENT, WIDEST, lab, lab_distance, parse_colour

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
