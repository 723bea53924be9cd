"""Block records: what a page says of its links, on one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.blocks.filters import KeptLink as Link
from pagekin.cocitation.block_record import blocks_value, parse_blocks
from pagekin.text.tokens import LINK

URLS = st.from_regex(r"http://[a-z]{1,8}\.example/[a-z/]{0,8}", fullmatch=True)
ANCHORS = st.text(max_size=30)
LINKS = st.builds(Link, URLS, ANCHORS, st.integers(0, 999))


def test_golden():
    """The bytes of a record are fixed: stages read what earlier versions wrote."""
    blocks = [
        [Link("http://b.example/", "Bees", 0), Link("http://c.example/", "蜜蜂", 1)],
        [Link("http://d.example/?q=1", "", 2), Link("http://b.example/", "a  b\tc", 5)],
    ]
    assert (
        b"a.example\x01\x02http://b.example/\x02Bees\x02http://c.example/\x02"
        + "蜜蜂".encode()
        + b"\x012,5\x02http://d.example/?q=1\x02\x02http://b.example/\x02a b c"
    ) == blocks_value("a.example", blocks)


@given(st.lists(st.lists(LINKS, min_size=1, max_size=5), max_size=4))
def test_round_trip(blocks):
    """What is written is read again, on one line without a tab, with white space squeezed."""
    value = blocks_value("a.example", blocks)
    assert not set(b"\n\r\t\0") & set(value)
    page = parse_blocks(value)
    assert b"a.example" == page.domain
    assert len(blocks) == len(page.blocks)
    for block, read in zip(blocks, page.blocks, strict=True):
        assert [link.url.encode() for link in block] == read.urls
        assert [link.place for link in block] == (read.places or list(range(len(block))))
        for link, anchor in zip(block, read.anchors, strict=True):
            assert anchor == b" ".join(anchor.split())
            if link.anchor.isprintable():
                assert " ".join(link.anchor.split()) == anchor.decode()


def test_empty_blocks():
    """A block without links is none; a page may have no block at all."""
    assert b"a.example" == blocks_value("a.example", [[], []])
    assert (b"a.example", []) == parse_blocks(b"a.example")


@pytest.mark.parametrize(
    ("anchor", "stored"),
    [
        ("a\x01b\x02c\x7f", "abc"),
        (f"bees {LINK}and", "bees and"),
        ("  bees\r\n\t honey\u3000", "bees honey"),
        ("x" * 2000, "x" * 1000),
        ("\ud800bees", "?bees"),
    ],
)
def test_anchors(anchor, stored):
    """Nothing in an anchor ends a field or looks like a marker; white space is squeezed."""
    value = blocks_value("a.example", [[Link("http://b.example/", anchor, 0)]])
    assert [stored.encode()] == parse_blocks(value).blocks[0].anchors
