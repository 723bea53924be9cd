"""Pages meet by their keys, and copies, and keys of very many pages, make no quadratic work."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagekin.config import MirrorConfig
from pagekin.counters import Counters
from pagekin.kinds import COPIES, MIRROR_PAIRS, Pair
from pagekin.mirrors.shingles import make_sketch, pack
from pagekin.stages.mirror_pairs.pairing import MOST_PAIRED, pair_up, send_keys

PLAIN = MirrorConfig(candidates="shingles", least=1)
KEY = MIRROR_PAIRS.prefix + b"b0123456789abcdef"


def record(url: str, *numbers: int) -> Pair:
    """What the shingles make of a page."""
    host = url.split("/")[2]
    word = pack(make_sketch(np.array(numbers, np.uint64)))
    path = url.partition(host)[2]
    return f"!shingles/http://{host}/".encode(), path.encode() + b" " + word


def paired(
    records: list[Pair], config: MirrorConfig, counters: Counters
) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Pairs that share a key, and copies."""
    made = [*pair_up(sorted(send_keys(records, config, counters)), config, counters)]
    assert made == sorted(made, key=lambda pair: pair[0])

    def of(kind: bytes) -> set[tuple[str, str]]:
        found = (value.decode().split() for key, value in made if key.startswith(kind))
        return {(one, other) for one, other in found}

    return of(MIRROR_PAIRS.prefix), of(COPIES.prefix)


@given(st.lists(st.sets(st.integers(1, 40), min_size=1, max_size=6), max_size=10))
def test_the_plain_way_pairs_all_pages_that_share_a_shingle(pages: list[set[int]]) -> None:
    """Of equal ones the least URL stands for all, and is paired with each of the others."""
    urls = [f"http://{'abcdefghij'[k]}.example/" for k in range(len(pages))]
    records = [record(url, *page) for url, page in zip(urls, pages, strict=True)]
    first = {frozenset(page): url for page, url in reversed([*zip(pages, urls, strict=True)])}
    expected = {
        (min(a, b), max(a, b)) for (p, a), (q, b) in combinations(first.items(), 2) if p & q
    }
    copies = {
        (first[frozenset(page)], url)
        for page, url in zip(pages, urls, strict=True)
        if first[frozenset(page)] != url
    }
    assert (expected, copies) == paired(records, PLAIN, Counters())


def test_shingles_of_very_many_pages_are_left_out() -> None:
    """And counted; the pages meet by others."""
    counters = Counters()
    records = [record(f"http://h.example/{k}", 1, 10 + k // 2, 100 + k) for k in range(8)]
    config = MirrorConfig(candidates="shingles", least=1, most_pages=3)
    pairs, copies = paired(records, config, counters)
    assert {(f"http://h.example/{k}", f"http://h.example/{k + 1}") for k in (0, 2, 4, 6)} == pairs
    assert not copies
    counted = counters.as_dict()["mirrors"]
    assert {"pages": 8, "shingles_left_out": 1, "candidates": 4} == counted


def test_pages_with_little_to_say_are_nobodys_mirrors() -> None:
    """Below `least` shingles, also of copies; those that have lost all to templates too."""
    counters = Counters()
    config = MirrorConfig(least=3)
    few = [record(f"http://{k}.example/", 1, 2) for k in "abc"]
    none = [record("http://d.example/"), record("http://e.example/")]
    assert (set(), set()) == paired([*few, *none], config, counters)
    assert {"pages_too_short": 5} == counters.as_dict()["mirrors"]


def test_a_thousand_copies_are_a_star() -> None:
    """To the least URL, which alone is paired with others, by any number of bands."""
    counters = Counters()
    text = range(1, 200)
    records = [record(f"http://h{k:04}.example/", *text) for k in range(1000)]
    pairs, copies = paired(
        [*records, record("http://like.example/", *range(1, 199))], MirrorConfig(), counters
    )
    assert {("http://h0000.example/", "http://like.example/")} == pairs
    assert {("http://h0000.example/", f"http://h{k:04}.example/") for k in range(1, 1000)} == copies
    assert 999 == counters.as_dict()["mirrors"]["exact_copies"]


def test_a_key_of_very_many_pages_makes_a_star_and_a_chain() -> None:
    """The first are all paired; each of the rest is paired twice, and no page is left alone."""
    counters = Counters()
    number = 500
    urls = [f"http://h{k:04}.example/".encode() for k in range(number)]
    values = [b"%032x %b" % (k, url) for k, url in enumerate(urls)]
    made = [*pair_up(((KEY, value) for value in values), MirrorConfig(), counters)]
    first = MOST_PAIRED * (MOST_PAIRED - 1) // 2
    assert first + 2 * (number - MOST_PAIRED) == len(made)
    met = {url for _, value in made for url in value.split()}
    assert set(urls) == met
    counted = counters.as_dict()["mirrors"]
    assert {"hot_keys": 1, "candidates": len(made)} == counted


def test_a_page_within_another_is_found() -> None:
    """By the sample of shingles, where bands hardly ever meet; a shingle of many pages is none."""
    long = np.random.default_rng(5).integers(0, 1 << 60, 500).tolist()
    short = [*(n for n in long if n % 32 == 0), *long[:40]]
    records = [record("http://a.example/", *long), record("http://b.example/", *short)]
    pair = ("http://a.example/", "http://b.example/")
    assert {pair} == paired(records, MirrorConfig(), Counters())[0]
    assert not paired(records, MirrorConfig(sampled=0), Counters())[0]
    counters = Counters()
    own = (record(f"http://c{k}.example/", 32, *range(k, k + 990, 33)) for k in range(100, 140))
    sharing = MirrorConfig(permutations=6, rows=6, super_shingles=6)
    paired([*own], sharing, counters)
    assert counters.as_dict()["mirrors"]["shingles_left_out"] >= 1
