"""Topics: k-means by exact sums, and tokens of the nearest centroids, as by their definition."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.bags.bag import BagColumns
from pagekin.config import EnrichConfig
from pagekin.enrich import topics as module
from pagekin.enrich.topics import (
    MOST_CENTROIDS,
    MOST_SETS,
    Centroid,
    Topic,
    Topics,
    fit,
    plain_nearest,
    token,
    unit_vectors,
)
from pagekin.text.words import FIRST_HASH, term_hash
from tests.natives import native

Bag = dict[int, float]

terms = st.one_of(st.integers(16, 30), st.sampled_from([1 << 16, 1 << 31, (1 << 32) - 1]))
bags_of = st.dictionaries(terms, st.floats(2**-20, 1.0, width=32), max_size=8)
some_bags = st.lists(bags_of, max_size=24)
configs = st.builds(
    EnrichConfig,
    topics_sets=st.integers(1, 3),
    topics_centroids=st.integers(1, 5),
    topics_rounds=st.integers(0, 3),
    topics_terms=st.integers(1, 6),
    topics_nearest=st.integers(1, 4),
)


def columns(bags: list[Bag]) -> BagColumns:
    ordered = [sorted(bag.items()) for bag in bags]
    return BagColumns(
        np.array([t for bag in ordered for t, _ in bag], np.uint32),
        np.array([w for bag in ordered for _, w in bag], np.float32),
        np.cumsum([0, *map(len, ordered)], dtype=np.int64),
    )


def topics_config(*values: int) -> EnrichConfig:
    """Sets, centroids, rounds, terms, nearest."""
    names = ("sets", "centroids", "rounds", "terms", "nearest")
    return EnrichConfig(**{f"topics_{n}": v for n, v in zip(names, values, strict=True)})


def lots(count: int) -> np.ndarray:
    """Numbers as the hashes of URLs are."""
    return np.random.default_rng(count).integers(0, 1 << 63, count).astype(np.uint64)


def plain_units(bag: Bag) -> dict[int, int]:
    """A bag as a vector of the length 4,096."""
    top = max(bag.values(), default=1.0)
    whole = {t: round(w * (2**20 / top)) for t, w in bag.items()}
    length = float(np.sqrt(sum(w * w for w in whole.values()))) or 1.0
    return {t: round(w * (4096 / length)) for t, w in whole.items()}


def plain_cut(values: dict[int, int], most: int) -> dict[int, int]:
    """The heaviest terms as a vector of the length 8,192."""
    kept = dict(sorted(values.items(), key=lambda item: (-item[1], item[0]))[:most])
    length = float(np.sqrt(sum(v * v for v in kept.values()))) or 1.0
    return {t: x for t, v in sorted(kept.items()) if (x := round(v * (8192 / length)))}


def dot(a: dict[int, int], b: dict[int, int]) -> int:
    return sum(a[t] * b[t] for t in a.keys() & b.keys())


def plain_fit(
    bags: list[Bag], starts: list[list[int]], config: EnrichConfig
) -> list[dict[int, int]]:
    """k-means with loops over all bags and centroids; `starts` are the bags of each set."""
    units = [plain_units(bag) for bag in bags]
    found = []
    for chosen in starts:
        centroids = [plain_cut(units[bag], config.topics_terms) for bag in chosen]
        for _ in range(config.topics_rounds):
            sums: list[dict[int, int]] = [{} for _ in centroids]
            for unit in units:
                cosines = [dot(unit, centroid) for centroid in centroids]
                if max(cosines) > 0:
                    best = sums[cosines.index(max(cosines))]
                    for term, value in unit.items():
                        best[term] = best.get(term, 0) + value
            pairs = zip(sums, centroids, strict=True)
            centroids = [plain_cut(new, config.topics_terms) if new else old for new, old in pairs]
        found += centroids
    return found


def plain_tokens(bag: Bag, centroids: list[dict[int, int]], config: EnrichConfig) -> Bag:
    """The tokens of a bag, by their definition."""
    size, unit, found = len(centroids) // config.topics_sets, plain_units(bag), {}
    for set_ in range(config.topics_sets):
        own = [dot(unit, c) for c in centroids[set_ * size : (set_ + 1) * size]]
        best = sorted(range(size), key=lambda n: (-own[n], n))[: config.topics_nearest]
        total = sum(own[n] ** 2 for n in best)
        found[set_] = {n: own[n] ** 2 / total for n in best if own[n]}
    sets = sum(map(bool, found.values()))
    return {term_hash(token(s, n)): w / sets for s, some in found.items() for n, w in some.items()}


def as_dicts(centroids: list[Centroid]) -> list[dict[int, int]]:
    return [dict(zip(c.terms.tolist(), c.values.tolist(), strict=True)) for c in centroids]


def written(path, centroids: list[Centroid], config: EnrichConfig) -> Topics:
    topics = [Topic([f"w{term}" for term in c.heaviest(2)], c) for c in centroids]
    Topics.write(path / "topics.arrays", topics, config)
    return Topics(path / "topics.arrays")


@settings(max_examples=150)
@given(some_bags, configs)
def test_fit_is_k_means(bags, config):
    """Centroids are those of loops over all bags, by whole numbers, cut in each round."""
    numbers = lots(len(bags))
    size = min(config.topics_centroids, len(bags) // 4)
    starts = [module._draw(numbers, set_, size) for set_ in range(config.topics_sets)]
    expected = plain_fit(bags, starts, config) if size > 1 else []
    assert expected == as_dicts(fit(columns(bags), numbers, config))


@settings(max_examples=60)
@given(st.lists(bags_of, min_size=8, max_size=20), configs, st.randoms())
def test_order_of_the_sample(bags, config, random):
    """The order of the bags leaves no trace, as long as each keeps its lot."""
    numbers = lots(len(bags))
    order = list(range(len(bags)))
    random.shuffle(order)
    shuffled = fit(columns([bags[k] for k in order]), numbers[order], config)
    assert as_dicts(fit(columns(bags), numbers, config)) == as_dicts(shuffled)


@settings(max_examples=150)
@given(some_bags, some_bags, configs)
def test_tokens(tmp_path_factory, sample, bags, config):
    """Tokens are those of the nearest centroids of each set, by squares of cosines, sum 1."""
    centroids = fit(columns(sample), lots(len(sample)), config)
    found = written(tmp_path_factory.mktemp("topics"), centroids, config).tokens(columns(bags))
    assert len(bags) == len(found.bounds) - 1
    for bag, (a, b) in zip(bags, pairwise(found.bounds.tolist()), strict=True):
        expected = plain_tokens(bag, as_dicts(centroids), config) if centroids else {}
        weights = found.weights[a:b].tolist()
        assert sorted(expected) == found.terms[a:b].tolist()
        assert [expected[t] for t in sorted(expected)] == pytest.approx(weights, rel=1e-6)
        assert not weights or sum(weights) == pytest.approx(1)


@settings(max_examples=150)
@given(some_bags, some_bags, configs)
def test_parts_in_c(sample, bags, config):
    """C finds the centroids that Python finds."""
    part = native("pagekin.enrich._topics")
    centroids = fit(columns(sample), lots(len(sample)), config)
    sizes = [len(centroids) // config.topics_sets] * config.topics_sets
    inverted = module._Inverted.of(sizes, module._columns(centroids))
    asked = columns(bags)
    units = unit_vectors(asked)
    numbers, cosines = plain_nearest(asked, units, inverted, config.topics_nearest)
    names = ("directory", "rows", "starts", "numbers", "values", "sets")
    arrays = [getattr(inverted, name) for name in names]
    found = part.nearest(asked.terms, units, asked.bounds, *arrays, config.topics_nearest)
    assert (numbers.tobytes(), cosines.tobytes()) == found


def test_wrong_arrays_are_refused():
    """C reads nothing beyond an array: what does not fit together is an error."""
    part = native("pagekin.enrich._topics")
    bags = columns([{16: 0.5, 17: 0.5}, {17: 1.0}])
    centroid = Centroid(np.array([16, 17], np.uint32), np.array([9, 9], np.uint16))
    inverted = module._Inverted.of([2], module._columns([centroid, centroid]))
    names = ("directory", "rows", "starts", "numbers", "values", "sets")
    good = [bags.terms, unit_vectors(bags), bags.bounds, *(getattr(inverted, n) for n in names)]
    part.nearest(*good, 1)
    for number, array in enumerate(good):
        wrong = [array[:-1], array[:0], array.view(np.uint8)[1:]]
        if number not in {2, 8}:  # one more bag, or set, may be empty
            wrong.append(np.append(array, array[-1:]))
        for each in wrong:
            arrays = [*good[:number], each, *good[number + 1 :]]
            with pytest.raises(ValueError, match="no bags and centroids"):
                part.nearest(*arrays, 1)
    changed = {2: [0, 5, 3], 3: 9, 5: [0, 9, 4], 6: 7, 8: [1, 2]}
    for number, value in changed.items():
        array = good[number].copy()
        array[: len(value) if isinstance(value, list) else None] = value
        with pytest.raises(ValueError, match="no bags and centroids"):
            part.nearest(*good[:number], array, *good[number + 1 :], 1)
    for count in (0, -1, 65):
        with pytest.raises(ValueError, match="no bags and centroids"):
            part.nearest(*good, count)


def test_few_bags():
    """Fewer than eight bags have no topics; a centroid needs four bags."""
    config = topics_config(2, 5, 2, 9, 1)
    numbers = {n: len(fit(columns([{20 + n: 1.0}] * n), lots(n), config)) for n in (0, 1, 7, 8, 50)}
    assert {0: 0, 1: 0, 7: 0, 8: 4, 50: 10} == numbers


def test_separates_what_differs(tmp_path):
    """Bags of two vocabularies get two topics, and a token shows the heaviest words of its own."""
    moon = [{100 + k: 0.4, 110: 0.6} for k in range(8)]
    bees = [{200 + k: 0.4, 210: 0.6} for k in range(8)]
    config = topics_config(1, 2, 3, 9, 1)
    numbers = next(
        lots(16) + np.uint64(k)
        for k in range(99)
        if [True, False] == [bag < 8 for bag in module._draw(lots(16) + np.uint64(k), 0, 2)]
    )
    topics = written(tmp_path, fit(columns(moon + bees), numbers, config), config)
    found = topics.tokens(columns(moon + bees))
    assert [1] * 16 == np.diff(found.bounds).tolist()
    assert 1 == len({*found.terms[:8].tolist()}) == len({*found.terms[8:].tolist()})
    shown = {topics.entries[term].display for term in found.terms.tolist()}
    assert {"topic: w110, w100", "topic: w210, w200"} == shown


def test_no_two_tokens_are_one_term():
    """All tokens that settings allow have hashes of their own, and none is that of a marker."""
    names = [token(s, n) for s in range(MOST_SETS) for n in range(MOST_CENTROIDS)]
    hashes = {term_hash(name) for name in names}
    assert len(names) == len(hashes)
    assert min(hashes) >= FIRST_HASH


def test_golden():
    """Topics are the same on every machine and from version to version: golden numbers."""
    bags = [{16 + (7 * k * j) % 31: 1 / (1 + j) for j in range(6)} for k in range(40)]
    numbers = (np.arange(40, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    found = fit(columns(bags), numbers, topics_config(2, 2, 2, 3, 2))
    expected = [
        {16: 8155, 27: 552, 41: 541},
        {16: 7238, 23: 3217, 30: 2091},
        {16: 7958, 27: 1344, 44: 1406},
        {16: 8156, 20: 572, 24: 518},
    ]
    assert expected == as_dicts(found)
