"""Tags to flat text in C: the same as in Python, on soups of tags and of bytes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagekin.web.flat import LINK_MARKS
from pagekin.web.markup import reader_in_c, reader_in_python
from pagekin.web.tags import CUTS, ELEMENTS, LOOKED_AT, NUMBERS, attribute_value, marks_of
from tests.natives import native
from tests.soups import soups

FEW_LINKS = 3
# what tags are made of, so that most of a page is broken
CRUMBS = (
    *("<", ">", "/", '"', "'", "=", " ", "\t", "-", "!", "?", "&amp;", "a", "HREF", "alt", "é"),
    *("<!--", "-->", "--!>", "<script>", "</script", "</script ", "<style ", "</STYLE>", "\x00"),
    *("<a href=", '<a href="x&lt;">', "</a", "<area ", "<img alt=", "<title>", "</TITLE >"),
    *("<svg>", "<svg/>", "</svg>", "<select>", "</select>", "<noscript>", "</noscript>"),
    *("<html lang=", "<base href=", "<meta name=robots ", "<link rel=canonical href="),
    *("<textarea>", "<h1>", "<iframe>"),
)


def in_c(**changes: Any) -> Any:
    """A reader in C, but for what is changed of what it is made with."""
    arguments = {
        "numbers": NUMBERS,
        "elements": ELEMENTS,
        "marks": [*marks_of(frozenset()), *LINK_MARKS],
        "attribute_value": attribute_value,
        "max_links": FEW_LINKS,
    }
    return native("pagekin.web._html").Reader(*(arguments | changes).values())


@given(soups() | st.lists(st.sampled_from(CRUMBS), max_size=40).map("".join), st.booleans())
@example("<svg><svg/><svg></svg><a href=x>1</svg>2", False)
@example("<a href=1>a<a href=2>b</a><area href=3 alt=c><a href=4>d", False)
@example("<noscript><html lang=x><noscript></noscript><a href=y></noscript>", True)
@settings(max_examples=2000)
def test_twins(page: str, lean: bool) -> None:
    """Text, links, what the head says and all that is noted are the same."""
    without = CUTS if lean else frozenset()
    part = native("pagekin.web._html")
    expected = reader_in_python(without, FEW_LINKS)(page.encode(), False)
    assert expected == reader_in_c(part, without, FEW_LINKS)(page.encode(), False)


def test_values_are_asked_for() -> None:
    """What Python says of character references is taken, and an error of its passed on."""

    def fail(raw: bytes) -> str:
        raise ValueError(raw.decode())

    for page in (b"<a href='1&amp;2'>", b"<img alt='1&amp;2'>"):
        for with_outline in (False, True):
            with pytest.raises(ValueError, match="1&amp;2"):
                in_c(attribute_value=fail)(page, with_outline)
    with pytest.raises(TypeError):
        in_c(attribute_value=lambda raw: raw)(b"<img alt='1&amp;2'>", False)


RIGHT = bytes(range(2, 21))


@pytest.mark.parametrize(
    "changes",
    [
        {"numbers": {b"p": (1000, 1)}},
        {"numbers": {b"p": (1, 256)}},
        {"numbers": {b"p": (-1, 1)}},
        {"numbers": {b"p": (1, -1)}},
        {"numbers": {b"p": (1,)}},
        {"numbers": {b"p": 1}},
        {"numbers": {b"": (1, 1)}},
        {"numbers": {b"p" * 21: (1, 1)}},
        {"numbers": {"p": (1, 1)}},
        {"numbers": {b"p%d" % k: (1, 1) for k in range(600)}},
        {"marks": []},
        {"marks": [b"x"] * LOOKED_AT},
        {"marks": ["x"] * (len(marks_of(frozenset())) + 2)},
        {"elements": RIGHT[1:]},
        {"elements": bytes(19)},
        {"elements": bytes([200] * 19)},
        {"elements": RIGHT[::-1]},
    ],
)
def test_other_tables(changes: dict[str, Any]) -> None:
    """Numbers that are not those of the tags are refused, not read beyond."""
    in_c(elements=RIGHT, numbers=NUMBERS)
    with pytest.raises((ValueError, TypeError)):
        in_c(**changes)


def test_pages_are_bytes() -> None:
    """Nothing else is read, and what was not made reads nothing."""
    made = in_c()
    with pytest.raises(TypeError):
        made("page", False)
    with pytest.raises(TypeError):
        type(made).__new__(type(made))(b"page", False)
    with pytest.raises(TypeError):
        made.__init__()
