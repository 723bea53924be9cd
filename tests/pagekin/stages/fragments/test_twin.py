"""The fast bags against the plain ones of tests/plain.py, on random pages and configurations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

from pagekin.bags.bag import Bag
from pagekin.bags.weigh import Frequencies, weigh_bags
from pagekin.config import BuildConfig, WeightConfig
from pagekin.stages.fragments import merge
from pagekin.text.words import term_hash
from tests.indexes import jaccard
from tests.pages import page_of, raw_bags
from tests.plain import PlainPage, plain_bags, plain_jaccard, plain_weights
from tests.strategies import configs, snapshots, weight_configs


def close(plain: dict[str, float], bag: Bag) -> bool:
    """Same terms, and weights that differ by no more than 32-bit rounding."""
    expected = {term_hash(term): weight for term, weight in plain.items()}
    actual = dict(zip(bag.terms.tolist(), bag.weights.tolist(), strict=True))
    return expected.keys() == actual.keys() and all(
        actual[t] == pytest.approx(expected[t], rel=1e-6) for t in expected
    )


@settings(max_examples=400, deadline=None)
@given(snapshots(), configs())
def test_raw_bags_equal_the_plain_ones(pages: list[PlainPage], config: BuildConfig) -> None:
    """Windows, distances, sources and merging agree with loops over dictionaries."""
    expected = plain_bags(pages, config)
    actual = raw_bags(list(map(page_of, pages)), config)
    assert expected.keys() == actual.keys()
    assert [] == [url for url in expected if not close(expected[url], actual[url])]


@settings(max_examples=50, deadline=None)
@given(snapshots())
def test_small_pieces_and_batches_change_nothing(pages: list[PlainPage]) -> None:
    """Ranges opened one by one, and URLs summed one by one, give the same bytes."""
    made = list(map(page_of, pages))
    expected = {u: b[1:5] for u, b in raw_bags(made, BuildConfig()).items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merge, "_TOGETHER", 40)
        patch.setattr(merge, "_SUMMED", 1)
        pieces = raw_bags(made, BuildConfig(), seed=1)
    assert expected == {u: b[1:5] for u, b in pieces.items()}
    for url, bag in raw_bags(made, BuildConfig()).items():
        assert bag.terms.tobytes() == pieces[url].terms.tobytes()
        assert bag.weights.tobytes() == pieces[url].weights.tobytes()


@settings(max_examples=200, deadline=None)
@given(snapshots(), weight_configs())
def test_final_bags_equal_the_plain_ones(
    tmp_path_factory: pytest.TempPathFactory, pages: list[PlainPage], config: WeightConfig
) -> None:
    """tf scaling, df factor, and normalisation agree with loops over dictionaries."""
    build = BuildConfig()
    expected = plain_weights(plain_bags(pages, build), config)
    raw = list(raw_bags(list(map(page_of, pages)), build).values())
    path = tmp_path_factory.mktemp("df") / "frequencies"
    terms = np.concatenate([np.empty(0, np.uint32), *(bag.terms for bag in raw)])
    distinct, df = np.unique(terms, return_counts=True)
    Frequencies.write(path, distinct, df.astype(np.uint32), len(raw))
    actual = {bag.url: bag for bag in weigh_bags(raw, Frequencies(path), config)}
    for url, plain in expected.items():
        assert close({t: w for t, w in plain.items() if w > 0}, actual[url])


@settings(max_examples=100, deadline=None)
@given(snapshots())
def test_similarities_equal_the_plain_ones(pages: list[PlainPage]) -> None:
    """Bag Jaccard is the sum of minima over the sum of maxima; a bag is all similar to itself."""
    plain = plain_bags(pages, BuildConfig())
    bags = raw_bags(list(map(page_of, pages)), BuildConfig())
    for u, v in itertools.product(plain, plain):
        assert plain_jaccard(plain[u], plain[v]) == pytest.approx(jaccard(bags[u], bags[v]), 1e-5)
    for bag in bags.values():
        assert (1.0 if len(bag.terms) else 0.0) == jaccard(bag, bag)


def test_order_of_pages_is_irrelevant() -> None:
    """The same pages in another order, and shuffled fragments, give the same bytes."""
    tokens = ["bees", "make", "honey", "and", "hives"]
    pages = [PlainPage(f"http://h{k}.example/", tokens[k:]) for k in range(4)]
    forward = raw_bags(list(map(page_of, pages)), BuildConfig(), seed=1)
    backward = raw_bags(list(map(page_of, reversed(pages))), BuildConfig(), seed=2)
    assert {u: b.weights.tobytes() for u, b in forward.items()} == {
        u: b.weights.tobytes() for u, b in backward.items()
    }
