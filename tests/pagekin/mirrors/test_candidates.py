"""MIPs against the resemblance that they estimate, and bands against their formula."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.config import MirrorConfig
from pagekin.mirrors.candidates import bands_of, make_mips, sampled_shingles
from pagekin.mirrors.shingles import Sketch, make_sketch

ROUNDS = 300


def pair_of(share: float, seed: int) -> tuple[Sketch, Sketch, float]:
    """Two sketches of 200 shingles each, and their resemblance."""
    numbers = np.random.default_rng(seed).integers(0, 1 << 64, 400, np.uint64, endpoint=False)
    shared = round(400 * share / (1 + share))
    one, other = numbers[:200], np.concatenate([numbers[:shared], numbers[200 : 400 - shared]])
    return make_sketch(one), make_sketch(other), shared / (400 - shared)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
def test_equal_mips_estimate_the_resemblance(share: float) -> None:
    """Of 84 minima as many are equal as the pages are alike, within three standard errors."""
    equal, true = 0, 0.0
    for seed in range(ROUNDS):
        one, other, true = pair_of(share, seed)
        equal += np.count_nonzero(make_mips(one, 84) == make_mips(other, 84))
    error = sqrt(true * (1 - true) / (84 * ROUNDS))
    assert abs(equal / (84 * ROUNDS) - true) <= 3 * error


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7])
@pytest.mark.parametrize(("way", "bands", "rows"), [("bands", 28, 3), ("super_shingles", 6, 14)])
def test_pages_meet_with_the_stated_probability(
    way: str, bands: int, rows: int, share: float
) -> None:
    """1 - (1 - s^r)^b for b bands of r rows."""
    make_keys = bands_of(MirrorConfig(candidates=way))
    met, true = 0, 0.0
    for seed in range(ROUNDS):
        one, other, true = pair_of(share, seed)
        keys, others = make_keys([one, other])
        assert len(keys) == len(others) == bands
        met += bool(set(keys.tolist()) & set(others.tolist()))
    expected = 1 - (1 - true**rows) ** bands
    error = sqrt(max(expected * (1 - expected), 1 / ROUNDS) / ROUNDS)
    assert abs(met / ROUNDS - expected) <= 4 * error


def test_mips_are_minima_of_permutations() -> None:
    """Each is the least of the fingerprints times one odd number, modulo 2^32."""
    sketch = make_sketch(np.array([3, 5, (1 << 40) + 9], np.uint64))
    (factor,) = make_mips(make_sketch(np.array([1], np.uint64)), 1).tolist()
    assert factor % 2 == 1
    expected = min(n * factor % (1 << 32) for n in sketch.fingerprints.tolist())
    assert make_mips(sketch, 1).tolist() == [expected]


def test_keys_never_change() -> None:
    """Golden values: pages of different tasks meet by them."""
    sketch = make_sketch(np.array([3, 5, 1 << 63], np.uint64))
    (found,) = bands_of(MirrorConfig(permutations=6))([sketch])
    assert [f"{key:016x}" for key in found.tolist()] == GOLDEN


GOLDEN = ["0000000000000000", "05bb229925d6d76e"]


@given(st.sets(st.integers(0, 1 << 63), min_size=1, max_size=50), st.integers(0, 4))
def test_shingles_as_keys(numbers: set[int], one_in: int) -> None:
    """All of them in the plain way, where there are no bands; else one in so many, or none."""
    sketch = make_sketch(np.array(sorted(numbers), np.uint64))
    plain = MirrorConfig(candidates="shingles", sampled=one_in)
    assert sampled_shingles(sketch, plain).tolist() == sorted(numbers)
    assert [[]] == [bands.tolist() for bands in bands_of(plain)([sketch])]
    sample = sampled_shingles(sketch, MirrorConfig(sampled=one_in)).tolist()
    assert sample == sorted(n for n in numbers if one_in and n % one_in == 0)
