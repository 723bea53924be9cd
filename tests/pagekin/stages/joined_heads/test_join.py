"""Heads meet links: who hears of a page that was read."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pybase64 import b64encode

from pagekin.counters import Counters
from pagekin.kinds import HEADS, JOINED_HEADS, LINKS, Pair
from pagekin.stages.joined_heads import join
from pagekin.stages.joined_heads.join import ToldHead, join_heads, parse_head, send_links
from pagekin.tables import url_number

URLS = [b"http://h%d.example/%d" % (k % 4, k) for k in range(6)]
HEAD = b"terms"

Web = dict[bytes, tuple[list[bytes], list[tuple[int, int]]]]  # page -> its links, and pairs


def records(web: Web) -> list[Pair]:
    """What the reading and weighted_bags make of these pages."""
    made = []
    for page, (urls, pairs) in web.items():
        places = b" ".join(b"%d %d" % pair for pair in pairs)
        made.append((LINKS.prefix + page, b"%b||%b" % (b" ".join(urls), places)))
        made.append((HEADS.prefix + page, b64encode(HEAD + page)))
    return made


def joined(tasks: list[list[Pair]]) -> tuple[dict[bytes, ToldHead], dict[str, dict[str, int]]]:
    """Who hears of each page, if the records are dealt to tasks in this way."""
    sent = sorted(pair for task in tasks for pair in send_links(task))
    counters = Counters()
    found = list(join_heads(sent, counters))
    assert sorted(found) == found
    pages = [(key.removeprefix(JOINED_HEADS.prefix), value) for key, value in found]
    told = {page: parse_head(page, value) for page, value in pages}
    return told, counters.as_dict()


def test_all_ways():
    """A page tells those that it links to, those that link to it, and those beside it."""
    a, b, c, d, *_ = URLS
    web = {a: ([b, c], [(0, 1)]), b: ([a, d], []), d: ([b, c], [(0, 1)])}
    told, counted = joined([records(web)])
    assert ToldHead(HEAD + b, [a, d], [a, d], {c: 2}) == told[b]
    assert ToldHead(HEAD + a, [b, c], [b], {}) == told[a]
    assert {a, b, d} == set(told)
    assert {"joined_links": {"pages": 3}} == counted


def test_no_links():
    """A page that nobody links to, without links, is told nobody."""
    told, _ = joined([records({URLS[0]: ([], [])})])
    assert {URLS[0]: ToldHead(HEAD + URLS[0], [], [], {})} == told


def test_nothing():
    """Without records there are none."""
    assert ({}, {}) == joined([[]])


def test_hot_page():
    """Of very many pages that link to one, some are told, chosen by lot, and it is counted."""
    pages = [b"http://p%d.example/" % k for k in range(50)]
    web = {page: ([URLS[0]], []) for page in pages} | {URLS[0]: ([], [])}
    with patch.object(join, "MOST_TOLD", 7), patch.object(join, "_GATHERED", 11):
        told, counted = joined([records(web)])
    lots = sorted(pages, key=lambda page: url_number(b"%b %b" % (URLS[0], page)))
    assert sorted(lots[:7]) == told[URLS[0]].citing
    assert {"pages": 51, "hot_pages": 1} == counted["joined_links"]


def test_hot_page_in_the_shuffle():
    """Its reducer gets few of the links: mappers cut them."""
    pages = [b"http://p%d.example/" % k for k in range(5_000)]
    sent = list(send_links(records({page: ([URLS[0]], []) for page in pages})))
    (to_hot,) = [value for key, value in sent if key == URLS[0]]
    assert join.MOST_TOLD == len(to_hot.split())


def by_hand(web: Web, page: bytes, most: int) -> ToldHead:
    """Who hears of a page, by the definition."""

    def some(urls: set[bytes]) -> list[bytes]:
        return sorted(sorted(urls, key=lambda url: url_number(b"%b %b" % (page, url)))[:most])

    beside: Counter[bytes] = Counter()
    for urls, pairs in web.values():
        for pair in pairs:
            one, other = (urls[place] for place in pair)
            beside.update([other] if one == page else [one] if other == page else [])
    citing = {other for other, (urls, _) in web.items() if page in urls}
    times = {url: beside[url] for url in some({*beside})}
    return ToldHead(HEAD + page, sorted(web[page][0]), some(citing), times)


@st.composite
def webs(draw: st.DrawFn) -> Web:
    web: Web = {}
    for page in draw(st.sets(st.sampled_from(URLS))):
        others = [url for url in URLS if url != page]
        urls = draw(st.lists(st.sampled_from(others), unique=True))
        all_pairs = [(a, b) for b in range(len(urls)) for a in range(b)]
        web[page] = (
            urls,
            draw(st.lists(st.sampled_from(all_pairs), unique=True)) if all_pairs else [],
        )
    return web


@given(webs(), st.integers(1, 4), st.integers(1, 4), st.integers(0, 9))
@settings(deadline=None)
def test_twin(web: Web, most: int, tasks: int, gathered: int):
    """However records are dealt to tasks, and whatever these gather, all is by the definition."""
    made = records(web)
    with patch.object(join, "MOST_TOLD", most), patch.object(join, "_GATHERED", gathered):
        told, _ = joined([made[k::tasks] for k in range(tasks)])
    assert {page: by_hand(web, page, most) for page in web} == told


@pytest.mark.parametrize("value", [b"", b"x|a|b", b"AA==|a|b|c", b"AA==|a|b|c x"])
def test_damaged_value(value):
    """What is no head is refused."""
    with pytest.raises(ValueError, match=r"unpack|zip|literal|base64|padding"):
        parse_head(URLS[0], value)
