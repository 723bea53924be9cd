"""Heads of final bags: of pages that were read, and of no others."""

from __future__ import annotations

from pybase64 import b64decode

from pagekin.bags.bag import Bags
from pagekin.enrich.links import heads_of
from pagekin.kinds import HEADS
from pagekin.stages.page_heads.heads import head_records
from tests.indexes import make_bag

BAGS = [
    make_bag("http://a.example/", {1: 0.5, 2: 0.3, 3: 0.2}),
    make_bag("http://b.example/", {4: 1.0}, crawled=False),
    make_bag("http://c.example/", {}),
]


def test_pages_that_were_read():
    """Each has a record with the head of its bag; a bag without terms has one without weights."""
    bags = Bags.of(BAGS)
    made = {key: b64decode(value) for key, value in head_records(bags.records(), 2)}
    one, _, other = heads_of(bags.columns(), 2)
    prefix = HEADS.prefix
    assert {prefix + b"http://a.example/": one, prefix + b"http://c.example/": other} == made


def test_none():
    """Without such pages there are none."""
    assert [] == list(head_records(Bags.of(BAGS[1:2]).records(), 2))
    assert [] == list(head_records([], 2))
