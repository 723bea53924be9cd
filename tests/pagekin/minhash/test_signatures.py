"""Signatures: the same bits as by definition, of the bag alone, and equal as often as similar."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.config import BuildConfig, SignatureConfig, WeightConfig
from pagekin.errors import UsageError
from pagekin.minhash.signatures import (
    EMPTY,
    as_signatures,
    make_darts,
    make_signer,
    natural_log,
)
from tests.pagekin.minhash.plain_signatures import plain_signatures

METHODS = ("darts", "icws", "linear")
every_method = pytest.mark.parametrize("method", METHODS)

Bag = dict[int, float]


def scaled(bag: Bag) -> Bag:
    """The bag with the sum 1, in 32 bits."""
    total = math.fsum(bag.values())
    return {t: float(np.float32(w / total)) for t, w in bag.items()} if total else bag


def sign(bags: list[Bag], config: SignatureConfig, *, normalised: bool = True) -> np.ndarray:
    terms = np.array([t for bag in bags for t in sorted(bag)], np.uint32)
    weights = np.array([bag[t] for bag in bags for t in sorted(bag)], np.float32)
    bounds = np.cumsum([0, *map(len, bags)], dtype=np.int64)
    return make_signer(config, normalised=normalised).sign(terms, weights, bounds)


def jaccard(a: Bag, b: Bag) -> float:
    shared = math.fsum(min(a[t], b[t]) for t in a.keys() & b.keys())
    return shared / (math.fsum(a.values()) + math.fsum(b.values()) - shared)


terms = st.one_of(st.integers(16, 40), st.integers(16, (1 << 32) - 1))
weights = st.one_of(st.just(0.0), st.floats(1e-6, 1.0), st.sampled_from([0.5, 1.0, 1e-4]))
raw_bags = st.dictionaries(terms, weights, max_size=8)
bags = raw_bags.map(scaled)
configs = st.builds(
    SignatureConfig,
    count=st.sampled_from([1, 2, 5, 16, 80]),
    seed=st.integers(0, (1 << 64) - 1),
    method=st.sampled_from(METHODS),
    copies=st.sampled_from([1, 7, 64]),
)


# --- which bits ---


@settings(max_examples=60, deadline=None)
@given(st.lists(bags, max_size=4), configs)
def test_twin(bags, config):
    """Every row is what the definition says, bit for bit."""
    assert [plain_signatures(bag, config) for bag in bags] == sign(bags, config).tolist()


@settings(max_examples=25, deadline=None)
@given(st.lists(raw_bags, max_size=3), st.sampled_from(["icws", "linear"]), st.floats(1e-3, 1e3))
def test_twin_of_any_sum(raw, method, factor):
    """So it is for bags that are not normalised."""
    config = SignatureConfig(count=6, method=method, copies=3)
    bags = [{t: w * factor for t, w in bag.items()} for bag in raw]
    rows = [plain_signatures(bag, config) for bag in bags]
    assert rows == sign(bags, config, normalised=False).tolist()


BAG = scaled({17: 4.0, 1000: 2.5, 65_536: 1.0, 4_000_000_000: 0.5, 123_456_789: 0.01})
GOLDEN = {
    "darts": [
        41833558,
        484498722,
        746514084,
        550388982,
        2328853224,
        4193880564,
        2474146811,
        3225729930,
    ],
    "icws": [
        1413731112,
        458311300,
        458311300,
        1987543687,
        3995508668,
        810688582,
        3715232050,
        458311300,
    ],
    "linear": [
        547782659,
        3738125447,
        3225729930,
        2153246495,
        1287377149,
        187787518,
        1341884441,
        3298775137,
    ],
}


@every_method
def test_golden(method):
    """A stored index stays readable: these numbers never change."""
    row = sign([BAG], SignatureConfig(method=method))[0]
    assert GOLDEN[method] == row[:8].tolist()
    assert (80, np.uint32) == (len(row), row.dtype)


@settings(max_examples=30, deadline=None)
@given(st.lists(bags, min_size=1, max_size=6), configs, st.randoms(use_true_random=False))
def test_a_bag_alone(bags, config, random):
    """Which bags stand before and behind does not matter."""
    rows = dict(enumerate(sign(bags, config).tolist()))
    order = list(range(len(bags)))
    random.shuffle(order)
    assert [rows[i] for i in order] == sign([bags[i] for i in order], config).tolist()
    assert [rows[i] for i in order[:1]] == sign([bags[order[0]]], config).tolist()


@every_method
def test_batches(method, monkeypatch):
    """Nor does it matter where a batch ends, also within a run of empty bags."""
    bags = [{}, BAG, {}, {}, scaled({1: 1.0, 2: 3.0}), {5: 0.0}, BAG, {}]
    config = SignatureConfig(method=method, copies=16)
    whole = sign(bags, config)
    for size in (1, 500, 1000):
        monkeypatch.setattr("pagekin.minhash.signatures._BATCH", size)
        assert whole.tolist() == sign(bags, config).tolist()


def test_a_part_of_longer_arrays():
    """Bounds need not begin at 0 and need not reach the end."""
    signer = make_signer(SignatureConfig())
    terms = np.array([9, 3, 7, 9], np.uint32)
    weights = np.array([9.0, 0.25, 0.75, 9.0], np.float32)
    row = signer.sign(terms, weights, np.array([1, 3]))
    assert sign([{3: 0.25, 7: 0.75}], SignatureConfig()).tolist() == row.tolist()


# --- bags that hold nothing, or one thing ---


@every_method
def test_empty(method):
    """Bags without weight have the reserved value, and only they."""
    rows = sign([{}, BAG, {3: 0.0, 4: 0.0}], SignatureConfig(method=method))
    assert [True, False, True] == (rows == EMPTY).all(axis=1).tolist()
    assert not (rows[1] == EMPTY).any()
    assert (0, 80) == sign([], SignatureConfig(method=method)).shape


def test_no_signature_is_the_reserved_value():
    """A hash that happens to be it gives way."""
    numbers = np.array([EMPTY, EMPTY - 1, 5 << 32 | EMPTY], np.uint64)
    assert [EMPTY - 1] * 3 == as_signatures(numbers).tolist()


@every_method
@pytest.mark.parametrize("count", [1, 2, 80, 300])
def test_one_term(method, count):
    """A bag of one term fills every place, and is equal to itself and to no other."""
    one, other = sign([{77: 1.0}, {78: 1.0}], SignatureConfig(count=count, method=method))
    assert not (one == EMPTY).any()
    assert not (one == other).any()


@every_method
def test_very_many_light_terms(method):
    """Where no term is heavy enough for a cell of its own, every place is filled still."""
    bag = scaled(dict.fromkeys(range(100, 40_100), 1.0))
    assert not (sign([bag], SignatureConfig(method=method)) == EMPTY).any()


def test_a_bag_without_darts():
    """A bag of terms too light for any dart has one all the same, and it fills every place."""
    bag = {30: 1e-12, 20: 1e-12}
    row = make_darts(5, 80)(np.array([20, 30], np.uint32), np.full(2, 1e-12), np.array([2]))[0]
    assert plain_signatures(bag, SignatureConfig(seed=5)) == row.tolist()


def test_zeros_are_no_terms():
    """A term of weight 0 changes nothing."""
    with_zeros = {**BAG, 1: 0.0, 99_999: 0.0, 4_294_967_295: 0.0}
    for method in METHODS:
        config = SignatureConfig(method=method)
        first, second = sign([BAG, with_zeros], config).tolist()
        assert first == second


# --- what they estimate ---


def many(pair: tuple[Bag, Bag], copies: int) -> list[tuple[Bag, Bag]]:
    """The same pair with other names, over and over."""
    names = np.random.default_rng(8).permutation(1 << 20)
    shift = max(max(bag) for bag in pair) + 1
    a, b = pair
    return [
        ({int(names[t + shift * i]): w for t, w in a.items()},
         {int(names[t + shift * i]): w for t, w in b.items()})
        for i in range(copies)
    ]  # fmt: skip


def estimates(pairs: list[tuple[Bag, Bag]], config: SignatureConfig, **said: bool) -> np.ndarray:
    rows = sign([bag for pair in pairs for bag in pair], config, **said)
    return (rows[::2] == rows[1::2]).mean(axis=1)


SMALL = {
    "half of a term": ({0: 1.0}, {0: 0.5, 1: 0.5}),
    "light terms differ": ({0: 0.9, 1: 0.1}, {0: 0.9, 2: 0.1}),
    "heavy terms differ": ({0: 0.1, 1: 0.9}, {0: 0.1, 2: 0.9}),
    "one heavy, 50 light, which are shared": (
        {0: 0.5, **dict.fromkeys(range(2, 52), 0.01)},
        {1: 0.5, **dict.fromkeys(range(2, 52), 0.01)},
    ),
    "one heavy, shared, 50 light": (
        {0: 0.5, **dict.fromkeys(range(2, 52), 0.01)},
        {0: 0.5, **dict.fromkeys(range(52, 102), 0.01)},
    ),
}


@every_method
@pytest.mark.parametrize("count", [3, 80])
@pytest.mark.parametrize("name", SMALL)
def test_no_bias(name, count, method):
    """Over many terms the mean estimate of a pair is its weighted Jaccard, light terms or heavy."""
    config = SignatureConfig(count=count, method=method, copies=100)
    found = estimates(many(SMALL[name], 600), config)
    truth = jaccard(*SMALL[name])
    assert abs(found.mean() - truth) < 4 * math.sqrt(truth * (1 - truth) / (600 * count))


@settings(max_examples=12, deadline=None)
@given(bags.filter(any), bags.filter(any), st.integers(0, 1 << 60))
def test_no_bias_over_seeds(a, b, first):
    """Over many seeds the mean estimate of any pair is its weighted Jaccard."""
    a, b = ({t: w for t, w in bag.items() if w} for bag in (a, b))
    truth = jaccard(a, b)
    seeds = range(first, first + 60)
    found = [estimates([(a, b)], SignatureConfig(seed=seed))[0] for seed in seeds]
    # binomial error, and what 32 bits of a weight and 320 darts cannot tell apart
    assert abs(np.mean(found) - truth) < 4.5 * math.sqrt(truth * (1 - truth) / 4800) + 2e-3


def spread_pair(random: np.random.Generator, share: float) -> tuple[Bag, Bag]:
    """Two bags of about 150 terms with heavy tails, that share this share of the first one's."""
    names = random.choice(1 << 32, 300, replace=False)
    heavy = random.lognormal(0, 1.2, 150)
    kept = random.random(150) < share
    noise = np.exp(0.3 * (1 - share) * random.standard_normal(150))
    b = dict(zip(names[:150][kept].tolist(), (heavy * noise)[kept].tolist(), strict=True))
    b |= dict(
        zip(names[150:][~kept].tolist(), random.permutation(heavy)[~kept].tolist(), strict=True)
    )
    return scaled(dict(zip(names[:150].tolist(), heavy.tolist(), strict=True))), scaled(b)


@every_method
def test_sweep(method):
    """From 0 to 1 the mean estimate is within three standard errors of the truth."""
    random = np.random.default_rng(4)
    for share in np.linspace(0, 1, 11):
        pairs = [spread_pair(random, share) for _ in range(60)]
        truth = np.array([jaccard(a, b) for a, b in pairs])
        found = estimates(pairs, SignatureConfig(method=method))
        binomial = math.sqrt((truth * (1 - truth)).sum() / 80) / len(pairs)
        assert abs((found - truth).mean()) <= 3 * binomial + 1e-9, share


def test_darts_scatter_less_than_binomially():
    """On bags with heavy tails the error is at most 0.9 of that of independent samples."""
    random = np.random.default_rng(6)
    pairs = [spread_pair(random, random.random()) for _ in range(500)]
    truth = np.array([jaccard(a, b) for a, b in pairs])
    error = estimates(pairs, SignatureConfig()) - truth
    assert math.sqrt((error**2).mean()) < 0.9 * math.sqrt((truth * (1 - truth)).mean() / 80)


@pytest.mark.parametrize("method", ["icws", "linear"])
def test_any_sum(method):
    """Methods for any sum estimate the Jaccard of the weights as they are."""
    pair = ({0: 3.0, 1: 8.0}, {0: 6.0, 1: 2.0, 2: 4.0})
    config = SignatureConfig(method=method, copies=64)
    found = estimates(many(pair, 400), config, normalised=False)
    truth = 5 / 18
    assert abs(found.mean() - truth) < 4 * math.sqrt(truth * (1 - truth) / 32_000)


@pytest.mark.parametrize("method", ["icws", "linear"])
def test_prefix(method):
    """Fewer signatures are the first of more (those of darts are not)."""
    few, more = (sign([BAG], SignatureConfig(count=count, method=method))[0] for count in (10, 80))
    assert few.tolist() == more[:10].tolist()


def test_other_seeds():
    """Another seed gives other signatures."""
    for method in METHODS:
        rows = [sign([BAG], SignatureConfig(seed=seed, method=method))[0] for seed in range(5)]
        assert not any((a == b).any() for a, b in pairwise(rows))


# --- what is refused ---


def test_darts_want_the_sum_1():
    """Bags of another sum are an error of the program, not a wrong answer."""
    for bag in ({1: 0.5, 2: 0.4}, {1: 2.0}, {1: 1e30}):
        with pytest.raises(ValueError, match="have not the sum 1"):
            sign([BAG, bag], SignatureConfig())
    with pytest.raises(ValueError, match="icws takes any"):
        make_signer(SignatureConfig(), normalised=False)


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf])
def test_weights_that_are_none(weight):
    """Nor are weights below 0, infinite or no number signed."""
    with pytest.raises(ValueError, match="finite"):
        sign([{1: weight}], SignatureConfig(method="icws"), normalised=False)


def test_configuration():
    """darts and bags of any sum do not go together, and the refusal names what does."""
    with pytest.raises(UsageError, match="icws"):
        BuildConfig(weight=WeightConfig(normalise=False))
    loose = WeightConfig(normalise=False)
    other = BuildConfig(weight=loose, signatures=SignatureConfig(method="icws"))
    assert "icws" == other.signatures.method


# --- the logarithm ---


@given(st.floats(1e-300, 1e300))
def test_natural_log(x):
    """It is the logarithm, but for the last bits."""
    found = float(natural_log(np.array([x]))[0])
    assert math.isclose(math.log(x), found, rel_tol=4e-15, abs_tol=2e-15)
