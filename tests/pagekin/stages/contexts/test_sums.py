"""Heads are heard: every URL sums up what the pages around it say."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pybase64 import b64encode

from pagekin.config import EnrichConfig
from pagekin.counters import Counters
from pagekin.enrich import links
from pagekin.kinds import CONTEXTS, JOINED_HEADS, Pair
from pagekin.stages.contexts import sums

TERMS = 2
URLS = [b"http://h%d.example/" % k for k in range(5)]


def head(first: int, second: int) -> bytes:
    """A head of two terms."""
    return first.to_bytes(4, "little") + second.to_bytes(4, "little") + b"\xff\x80"


def record(url: bytes, packed: bytes, cited=(), citing=(), **beside: int) -> Pair:
    """What joined_heads makes of a page; `h0=2` stands for a URL beside it on two pages."""
    others = b" ".join(b"http://%b.example/ %d" % (n.encode(), t) for n, t in beside.items())
    lists = b64encode(packed), b" ".join(cited), b" ".join(citing), others
    return JOINED_HEADS.prefix + url, b"|".join(lists)


def heard(tasks: list[list[Pair]], most: int = 100) -> tuple[list[Pair], dict[str, int]]:
    """The contexts that are made of records that are dealt to tasks in this way."""
    config, counters = EnrichConfig(links_terms=TERMS, links_most=most), Counters()
    sent = sorted(pair for task in tasks for pair in sums.tell(task, config, counters))
    made = list(sums.hear(sent, config, counters))
    return made, counters.as_dict().get("contexts", {})


def test_nothing():
    """Without heads there are no contexts."""
    assert ([], {}) == heard([[]])


def test_who_hears_what():
    """A page that links to others is their citing page; those that link to it hear it as cited."""
    a, b, c, *_ = URLS
    made, counted = heard([[record(a, head(1, 2), cited=[b], citing=[c], h3=2)]])
    parts = {key.removeprefix(CONTEXTS.prefix): links.read_contexts([v]) for key, v in made}
    kinds = {url: [len(part.terms) > 0 for part in found] for url, found in parts.items()}
    yes, no = True, False
    assert {b: [yes, no, no], c: [no, yes, no], URLS[3]: [no, no, yes]} == kinds
    assert [1, 2] == parts[b][links.CITING].terms.tolist()
    each = {"citing": 1, "citing_heard": 1, "cited": 1, "cited_heard": 1}
    assert {"urls": 3, **each, "cocited": 1, "cocited_heard": 1} == counted


def test_often_cited_pages_count_less():
    """Of two pages that a page links to, the one with four times the inlinks has half the say."""
    often = [b"http://often%d.example/" % k for k in range(3)]
    pages = [
        record(URLS[1], head(1, 1), citing=[URLS[0]]),
        record(URLS[2], head(2, 2), citing=[URLS[0], *often]),
    ]
    found = dict(heard([pages])[0])
    part = links.read_contexts([found[CONTEXTS.prefix + URLS[0]]])[links.CITED]
    assert 4 == pytest.approx(part.weights[0] / part.weights[1], rel=0.02)


def test_hot_url():
    """A URL that very many pages link to hears few of them, and mappers send no more."""
    pages = [record(b"http://p%d.example/" % k, head(k, k + 1), [URLS[0]]) for k in range(2_000)]
    config = EnrichConfig(links_terms=TERMS)
    ((_, value),) = sums.tell(pages, config, Counters())
    assert 100 == sums.parse_messages(value)[0]
    made, counted = heard([pages[::2], pages[1::2]])
    assert {"citing": 2_000, "citing_heard": 100, "urls": 1} == counted
    assert made == heard([pages])[0]


names = st.sampled_from(["h0", "h1", "h2", "h3"])
urls = st.lists(st.sampled_from(URLS), unique=True)
told = st.tuples(
    st.integers(0, 9), st.integers(0, 9), urls, urls, st.dictionaries(names, st.integers(1, 300))
)


@given(
    st.dictionaries(st.sampled_from(URLS), told), st.integers(1, 3), st.integers(1, 4), st.data()
)
@settings(deadline=None)
def test_twin(pages, most, tasks, data):
    """However records are dealt to tasks, gathered and batched, a URL hears what is told it."""
    made = [
        record(url, head(one, two), cited, citing, **beside)
        for url, (one, two, cited, citing, beside) in pages.items()
    ]
    gathered, at_once = data.draw(st.integers(0, 6)), data.draw(st.integers(1, 3))
    with patch.object(sums, "_GATHERED", gathered), patch.object(sums, "_URLS", at_once):
        found, _ = heard([made[k::tasks] for k in range(tasks)], most)
    by_url: dict[bytes, list[bytes]] = {}
    for url, (one, two, cited, citing, beside) in pages.items():
        said = [(links.CITING, 255, other) for other in cited]
        said += [(links.CITED, round(255 / len(citing) ** 0.5), other) for other in citing]
        said += [
            (links.COCITED, min(255, times), b"http://%b.example/" % name.encode())
            for name, times in beside.items()
        ]
        for kind, weight, other in said:
            row = links.message(kind, weight, links.sender_of(url), head(one, two))
            by_url.setdefault(other, []).append(row)
    size = links.message_size(TERMS)
    expected = [
        (CONTEXTS.prefix + url, links.contexts_of([url], [b"".join(rows)], size, most)[0][0])
        for url, rows in sorted(by_url.items())
    ]
    assert expected == found


@pytest.mark.parametrize("value", [b"", b"0 ", b"3 abcd", b"x abcd"])
def test_damaged_messages(value):
    """What are no messages is refused."""
    with pytest.raises(ValueError, match=r"lengths|literal"):
        sums.parse_messages(value)


@given(st.lists(st.binary(min_size=4, max_size=4), min_size=1, max_size=4))
def test_any_bytes(rows):
    """Messages of any bytes are one value without tab or end of line, and are read back."""
    value = sums.messages_value(rows)
    assert not {*value} & {*b"\t\r\n"}
    assert (len(rows), b"".join(rows)) == sums.parse_messages(value)
