"""Mixing parts into bags against its definition, term by term; and the records of the results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags.bag import NO_SOURCES, SOURCES, BagColumns, Bags, EnrichedBags
from pagekin.enrich.mixture import (
    COCITED,
    OWN,
    RELATED,
    TOPICS,
    Part,
    enrich,
)
from pagekin.kinds import ENRICHED_BAGS
from tests.indexes import make_bag

Weighed = dict[int, float]

# sums of few halves are exact, so the twin meets every tie
_bags = st.dictionaries(st.integers(1, 9), st.sampled_from([1.0, 2.0, 4.0]), max_size=6)
_topics = st.dictionaries(st.integers(5, 12), st.sampled_from([1.0, 3.0]), max_size=3)


def columns(bags: list[Weighed]) -> BagColumns:
    return plain(bags).columns()


def plain(bags: list[Weighed]) -> Bags:
    return Bags.of([make_bag(f"http://{k}.example/", bag, 2) for k, bag in enumerate(bags)])


def plainly(
    bag: Weighed, parts: list[tuple[int, float, Weighed]], topics: Weighed, share: float, most: int
) -> dict[int, tuple[float, int]]:
    """Weight and source of each term of one bag, by the definition."""
    given: dict[int, list[tuple[float, int]]] = {}
    for source, part_share, part in [(OWN, 1.0, bag), *parts]:
        total = sum(part.values())
        for term, weight in part.items():
            whole = float(np.float32(weight / total))
            given.setdefault(term, []).append((whole * part_share, source))
    sums = {term: sum(w for w, _ in some) for term, some in given.items()}
    kept = sorted(sums, key=lambda term: (-round(sums[term], 9), term))[: most or None]
    total = sum(sums[term] for term in kept)
    words_share = (1 - share if topics else 1.0) if kept else 0.0
    mixed = {}
    for term in kept:
        source = max(given[term], key=lambda one: (one[1] == OWN, one[0], -one[1]))[1]
        mixed[term] = [(sums[term] / total * words_share, source)]
    for term, weight in topics.items():
        of_topic = weight / sum(topics.values()) * (1 - words_share)
        mixed.setdefault(term, []).append((of_topic, TOPICS))
    return {
        term: (
            sum(w for w, _ in some),
            max(some, key=lambda one: (one[1] == OWN, one[0], -one[1]))[1],
        )
        for term, some in mixed.items()
    }


@given(
    st.lists(st.tuples(_bags, _bags, _bags, _topics), min_size=1, max_size=5),
    st.sampled_from([0.25, 0.5, 1.0]),
    st.sampled_from([0.25, 0.5]),
    st.sampled_from([0, 2, 4]),
)
def test_twin(rows, part_share, share, most):
    """Weights, order, cut and sources are those of the definition."""
    words, related, beside, topics = (list(column) for column in zip(*rows, strict=True))
    parts = [Part(RELATED, part_share, columns(related)), Part(COCITED, 0.5, columns(beside))]
    made = enrich(plain(words), parts, Part(TOPICS, share, columns(topics)), most)
    expected = [
        plainly(bag, [(RELATED, part_share, a), (COCITED, 0.5, b)], topic, share, most)
        for bag, a, b, topic in rows
    ]
    for bag, k in zip(made.bags, range(len(rows)), strict=True):
        low, high = made.bags.bounds[k : k + 2].tolist()
        assert sorted(expected[k]) == bag.terms.tolist()
        weights = [expected[k][term][0] for term in bag.terms.tolist()]
        assert weights == pytest.approx(bag.weights.tolist(), rel=1e-5)
        heavy = [
            expected[k][term][1] == source or is_near_tie(rows[k], term)
            for term, source in zip(
                bag.terms.tolist(), made.sources[low:high].tolist(), strict=True
            )
        ]
        assert all(heavy)
        assert not len(bag.terms) or float(bag.weights.sum()) == pytest.approx(1, rel=1e-5)
    assert np.array_equal(plain(words).terms, made.plain.terms)


def is_near_tie(row: tuple[Weighed, ...], term: int) -> bool:
    """Do several parts have the term? Their quotients may be equal but for the last bit."""
    return sum(term in part for part in row) > 1


def test_sources_by_hand():
    """A term that a bag has is its own; others belong to the part that gives most of them."""
    own, related = {1: 1.0, 2: 1.0}, {2: 1.0, 3: 1.0}
    halves = [Part(RELATED, 1.0, columns([related]))]
    made = enrich(plain([own]), halves, None, 0)
    assert [1, 2, 3] == made.bags.terms.tolist()
    assert [0.25, 0.5, 0.25] == made.bags.weights.tolist()
    assert [OWN, OWN, RELATED] == made.sources.tolist()
    more = [Part(RELATED, 2.0, columns([related])), Part(COCITED, 3.0, columns([{2: 1.0, 3: 1.0}]))]
    assert [OWN, OWN, COCITED] == enrich(plain([own]), more, None, 0).sources.tolist()


def test_topics_take_their_share():
    """Of bags that have both; a bag with one of them alone is all of it."""
    share = np.array([0.25, 0.25, 0.25, 0.25])
    topics = columns([{9: 1.0}, {9: 1.0}, {}, {}])
    made = enrich(plain([{1: 1.0}, {}, {1: 1.0}, {}]), [], Part(TOPICS, share, topics), 0)
    assert [1, 9, 9, 1] == made.bags.terms.tolist()
    assert [0.75, 0.25, 1.0, 1.0] == made.bags.weights.tolist()
    assert [0, 2, 3, 4, 4] == made.bags.bounds.tolist()
    assert [OWN, TOPICS, TOPICS, OWN] == made.sources.tolist()


def test_nothing():
    """No bags, and bags without a term."""
    for bags in ([], [{}], [{}, {}]):
        parts = [Part(RELATED, 0.5, columns(bags))]
        made = enrich(plain(bags), parts, Part(TOPICS, 0.5, columns(bags)), 300)
        assert [0] * (len(bags) + 1) == made.bags.bounds.tolist()


def test_without_parts_bags_stay():
    """Bags to which nothing is added are what they were, but for the cut."""
    bags = plain([{1: 1.0, 2: 2.0}, {}, {3: 1.0}])
    made = enrich(bags, [], None, 300)
    assert list(bags.records()) == list(made.bags.records())
    assert [OWN] * 3 == made.sources.tolist()


def test_golden_record():
    """`SOURCES PLAIN ORIGIN BAG`, all but the origin in base64."""
    more = [Part(RELATED, 1.0, columns([{30: 1.0}]))]
    [record] = enrich(plain([{20: 1.0}]), more, None, 0).records()
    assert (
        b"!enriched/http://0.example/",
        b"AAE= FAAAAAAAgD8= 1 2 2 2 FAAAAB4AAAAAAAA/AAAAPw==",
    ) == record


@given(st.lists(st.tuples(_bags, _bags), max_size=4))
def test_records_are_read_back(rows):
    """What was written is read."""
    words, related = ([row[k] for row in rows] for k in (0, 1))
    made = enrich(plain(words), [Part(RELATED, 0.5, columns(related))], None, 4)
    records = [(key.removeprefix(ENRICHED_BAGS.prefix), value) for key, value in made.records()]
    read = EnrichedBags.read(records)
    assert read.bags.urls == made.bags.urls
    assert read.bags.origins == made.bags.origins
    for ours, theirs in zip(read.bags.columns(), made.bags.columns(), strict=True):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(read.sources, made.sources)
    for ours, theirs in zip(read.plain, made.plain, strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize(
    "value",
    [
        b"AAA= FAAAAAAAgD8= 1 2 2 2 FAAAAAAAgD8=",  # two sources, one term
        b"AA== FAAAAAA= 1 2 2 2 FAAAAAAAgD8=",  # a plain term and half a weight
        b"AA== FAAAAAAAgD8= 1 2 2 2 FAAAAAA=",
        b"AA== FAAAAAAAgD8=",
        b"A FAAAAAAAgD8= 1 2 2 2 FAAAAAAAgD8=",
    ],
)
def test_damaged_records(value):
    """A value that is none is refused."""
    with pytest.raises(ValueError):
        EnrichedBags.read([(b"http://a.example/", value)])


def test_no_record():
    """Of no records there are no bags."""
    read = EnrichedBags.read([])
    assert 0 == len(read.bags)
    assert NO_SOURCES.tolist() == read.sources.tolist()
    assert 6 == len(SOURCES)
