"""Weighing against its definition, term by term; document frequencies that are stored and found."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags import weigh
from pagekin.bags.bag import Bag
from pagekin.bags.weigh import Frequencies, df_factor, incidence_moments, weigh_bags
from pagekin.config import WeightConfig

SCALES = {"none": lambda w: w, "sqrt": math.sqrt, "log": math.log1p}

weights = st.sampled_from([0.0, 0.125, 0.5, 1.0, 1.5, 3.0, 40.0])
raw_bags = st.lists(st.dictionaries(st.integers(16, 30), weights, max_size=8), max_size=6)
configs = st.builds(
    WeightConfig,
    tf=st.sampled_from(list(SCALES)),
    df=st.sampled_from(["none", "log", "sqrt", "nmdf"]),
    terms=st.integers(0, 5),
)


def bag_of(terms: dict[int, float]) -> Bag:
    ordered = sorted(terms)
    hashes = np.array(ordered, np.uint32)
    return Bag("u", True, 1, 1, 1, hashes, np.array([terms[t] for t in ordered], np.float32))


def write(folder: Path, bags: Sequence[dict[int, float]]) -> Frequencies:
    """The document frequencies of these bags."""
    df = Counter(term for bag in bags for term in bag)
    terms = np.array(sorted(df), np.uint32)
    path = folder / "frequencies.arrays"
    Frequencies.write(path, terms, np.array([df[t] for t in sorted(df)], np.uint32), len(bags))
    return Frequencies(path)


def plain_weights(
    bag: dict[int, float], df: Counter[int], config: WeightConfig, moments: tuple[float, float]
) -> dict[int, float]:
    """tf scaling, df factor, cut (of equal weights the smaller term stays), sum 1 [SIM 3.3]."""
    heavy = {
        term: SCALES[config.tf](weight) * float(np.float32(df_factor(df[term], config, *moments)))
        for term, weight in bag.items()
        if weight
    }
    kept = sorted(heavy, key=lambda term: (-heavy[term], term))[: config.terms or None]
    total = math.fsum(heavy[term] for term in kept)
    return {term: heavy[term] / total for term in sorted(kept)}


@given(raw_bags, configs)
def test_twin(tmp_path_factory, bags, config):
    """The final weights of each bag are those of the definition, whatever bags stand beside it."""
    frequencies = write(tmp_path_factory.mktemp("weigh"), bags)
    df = Counter(term for bag in bags for term in bag)
    moments = frequencies.moments(config)
    final = list(weigh_bags(map(bag_of, bags), frequencies, config))
    assert len(bags) == len(final)
    for raw, bag in zip(bags, final, strict=True):
        expected = plain_weights(raw, df, config, moments)
        assert list(expected) == bag.terms.tolist()
        assert list(expected.values()) == pytest.approx(bag.weights.tolist(), rel=1e-6)
        [alone] = weigh_bags([bag_of(raw)], frequencies, config)
        assert alone.weights.tobytes() == bag.weights.tobytes()


@given(raw_bags)
def test_batches(tmp_path_factory, bags):
    """However many bags are weighed together, the bits are the same."""
    frequencies = write(tmp_path_factory.mktemp("weigh"), bags)
    whole = list(map(str, weigh_bags(map(bag_of, bags), frequencies, WeightConfig())))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weigh, "BATCH", 2)
        assert whole == list(map(str, weigh_bags(map(bag_of, bags), frequencies, WeightConfig())))


@given(raw_bags, st.lists(st.integers(10, 40)), st.integers(0, 4))
def test_look_up(tmp_path_factory, bags, asked, table):
    """The df of each term, in any order, and 1 for one that was never counted; so are factors."""
    frequencies = write(tmp_path_factory.mktemp("weigh"), bags)
    df = Counter(term for bag in bags for term in bag)
    terms = np.array(asked, np.uint32)
    expected = [df[term] or 1 for term in asked]
    assert expected == frequencies.df(terms).tolist()
    assert (len(df), len(bags)) == (len(frequencies), frequencies.bags)
    config = WeightConfig(df="sqrt")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weigh, "_IN_A_TABLE", table)
        factors = frequencies.factors(terms, config)
    assert [np.float32(1 / math.sqrt(n)) for n in expected] == factors.tolist()


def test_moments_by_hand():
    """Mean and deviation of ln df, where a term of df n counts n times."""
    logs = [0.0, math.log(2), math.log(2), *[math.log(5)] * 5]
    mean = sum(logs) / 8
    deviation = math.sqrt(sum((x - mean) ** 2 for x in logs) / 8)
    found = incidence_moments(np.array([1, 2, 5]), np.array([1, 1, 1]))
    assert (mean, deviation) == pytest.approx(found)
    nothing = np.array([], np.int64)
    assert (0.0, 0.0) == incidence_moments(nothing, nothing)


@pytest.mark.parametrize(("common", "counted"), [(1.0, [3, 9, 40]), (0.2, [3, 9]), (0.0, [3, 9])])
def test_common_terms_count_nothing_for_the_moments(tmp_path, common, counted):
    """Terms of a larger share of 100 bags are left out, but not those of 20 bags and fewer."""
    terms, df = np.array([1, 2, 3], np.uint32), np.array([3, 9, 40], np.uint32)
    Frequencies.write(tmp_path / "f.arrays", terms, df, 100)
    found = Frequencies(tmp_path / "f.arrays").moments(WeightConfig(common=common))
    logs = [math.log(n) for n in counted for _ in range(n)]
    assert found == pytest.approx((np.mean(logs), np.std(logs)))
    fixed = WeightConfig(mu=2.0, sigma=3.0)
    assert (2.0, 3.0) == Frequencies(tmp_path / "f.arrays").moments(fixed)


def test_factors_by_hand():
    """1, 1 / (1 + log2 df), 1 / sqrt(df), and the bell over ln df."""
    config = {how: WeightConfig(df=how) for how in ("none", "log", "sqrt", "nmdf")}
    assert 1.0 == df_factor(8, config["none"], 1.0, 1.0)
    assert 0.25 == df_factor(8, config["log"], 1.0, 1.0)
    assert 0.25 == df_factor(16, config["sqrt"], 1.0, 1.0)
    assert math.exp(-0.5) == pytest.approx(df_factor(8, config["nmdf"], math.log(8) + 2, 2.0))
    assert 1.0 == df_factor(8, config["nmdf"], 1.0, 0.0)  # one df alone: nothing to choose
