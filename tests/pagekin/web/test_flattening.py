"""Tags to flat text in C: the same as in Python, on soups of tags and of bytes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagekin.web.flattening import LINK_END_MARK, LINK_MARK, Flattener, text_of
from pagekin.web.references import attribute_value
from pagekin.web.tags import CUTS, LOOKED_AT, NUMBERS, marks_of
from tests.natives import native
from tests.soups import soups

MAX_LINKS = 3
# what tags are made of, so that most of a page is broken
CRUMBS = (
    *("<", ">", "/", '"', "'", "=", " ", "\t", "-", "!", "?", "&amp;", "a", "HREF", "alt", "é"),
    *("<!--", "-->", "--!>", "<script>", "</script", "</script ", "<style ", "</STYLE>", "\x00"),
    *("<a href=", '<a href="x&lt;">', "</a", "<area ", "<img alt=", "<title>", "</TITLE >"),
    *("<svg>", "<svg/>", "</svg>", "<select>", "</select>", "<noscript>", "</noscript>"),
    *("<html lang=", "<base href=", "<meta name=robots ", "<link rel=canonical href="),
    *("<textarea>", "<h1>", "<iframe>"),
)


def in_c(marks: list[bytes], **changes: Any) -> Any:
    arguments = {
        "kinds": NUMBERS,
        "marks": marks,
        "link": LINK_MARK,
        "link_end": LINK_END_MARK,
        "value_of": attribute_value,
        "text_of": text_of,
        "max_links": MAX_LINKS,
    }
    return native("pagekin.web._flat").Flattener(*(arguments | changes).values())


@given(soups() | st.lists(st.sampled_from(CRUMBS), max_size=40).map("".join), st.booleans())
@example("<svg><svg/><svg></svg><a href=x>1</svg>2", False)
@example("<a href=1>a<a href=2>b</a><area href=3 alt=c><a href=4>d", False)
@example("<noscript><html lang=x><noscript></noscript><a href=y></noscript>", True)
@settings(max_examples=2000)
def test_twins(page: str, lean: bool) -> None:
    """Text, links, what the head says and all that is noted are the same."""
    marks = marks_of(CUTS if lean else frozenset())
    expected = Flattener(marks, MAX_LINKS)(page.encode())
    assert tuple(expected) == in_c(marks)(page.encode())


def test_values_are_asked_for() -> None:
    """What Python says of character references is taken, and an error of its passed on."""

    def fail(raw: bytes) -> str:
        raise ValueError(raw.decode())

    marks = marks_of(frozenset())
    for page in (b"<a href='1&amp;2'>", b"<img alt='1&amp;2'>"):
        with pytest.raises(ValueError, match="1&amp;2"):
            in_c(marks, value_of=fail, text_of=fail)(page)
    with pytest.raises(TypeError):
        in_c(marks, text_of=lambda raw: "text")(b"<img alt='1&amp;2'>")


@pytest.mark.parametrize(
    "changes",
    [
        {"kinds": {b"p": 1000}},
        {"kinds": {b"": 1}},
        {"kinds": {b"p" * 21: 1}},
        {"kinds": {"p": 1}},
        {"kinds": {b"p%d" % k: 1 for k in range(600)}},
        {"marks": []},
        {"marks": [b"x"] * LOOKED_AT},
        {"marks": ["x"] * len(marks_of(frozenset()))},
    ],
)
def test_other_tables(changes: dict[str, Any]) -> None:
    """Numbers that are not those of the tags are refused, not read beyond."""
    with pytest.raises((ValueError, TypeError)):
        in_c(changes.pop("marks", marks_of(frozenset())), **changes)


def test_pages_are_bytes() -> None:
    """Nothing else is read, and what was not made reads nothing."""
    made = in_c(marks_of(frozenset()))
    with pytest.raises(TypeError):
        made("page")
    with pytest.raises(TypeError):
        type(made).__new__(type(made))(b"page")
    with pytest.raises(TypeError):
        made.__init__()
