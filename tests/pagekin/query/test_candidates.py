"""PROCESSQUERY against plain counting: the same documents and counts, however little is read."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pagekin.index.folder import IndexFolder
from pagekin.minhash.signatures import EMPTY, Signatures
from pagekin.query import candidates
from pagekin.query.candidates import Counted, Limits, count_equal, least_count
from tests.indexes import config_of, make_bag, make_index
from tests.pagekin.query.plain_answers import plain_query

ALL = 1 << 40  # a budget that nothing exceeds
FULL = make_bag("", {20: 1.0})
EMPTY_BAG = make_bag("", {})

Rows = dict[str, Signatures]


def write(folder: Path, rows: Rows, shards: int) -> IndexFolder:
    """An index of these signatures."""
    count = len(next(iter(rows.values())))
    bags = [(FULL if row[0] != EMPTY else EMPTY_BAG)._replace(url=url) for url, row in rows.items()]
    return IndexFolder(make_index(folder, bags, config_of(shards, count), rows))


def found_in(counted: Counted) -> dict[str, int]:
    """URLs and counts."""
    return {
        one.shard.spelt(document): count
        for one in counted.found
        for document, count in zip(one.ids.tolist(), one.scores.tolist(), strict=True)
    }


def random_rows(documents: int, count: int, spread: int, seed: int) -> Rows:
    """Signatures of small ranges, so that many agree; a few hot ones; a few empty rows."""
    chance = np.random.default_rng(seed)
    table = chance.integers(0, spread, (documents, count)).astype(np.uint32)
    table[chance.random((documents, count)) < 0.3] = 1
    table[chance.random(documents) < 0.05] = EMPTY
    return {f"http://a.example/{k:04d}": row for k, row in enumerate(table)}


@pytest.fixture(scope="module", params=[(60, 6, 4, 1), (300, 12, 9, 2), (300, 20, 1000, 3)])
def written(request, tmp_path_factory) -> tuple[Rows, list[IndexFolder]]:
    """Signatures, and indexes of them with 1, 4 and 7 shards."""
    rows = random_rows(*request.param)
    base = tmp_path_factory.mktemp("rows")
    return rows, [write(base / f"shards{n}", rows, n) for n in (1, 4, 7)]


def some_rows(rows: Rows) -> list[Signatures]:
    """Rows to ask for: of documents, and of none."""
    full = [row for row in rows.values() if row[0] != EMPTY]
    none = np.full_like(full[0], 77_777)
    mixed = np.concatenate([full[0][:3], none[3:]])
    return [*full[:12], none, mixed]


def alphas(count: int) -> list[float]:
    """Thresholds: none, the paper's, at each number of equal signatures, and beyond all."""
    return [0.0, 0.15, 0.999, *(k / count for k in range(1, count + 1))]


@pytest.mark.parametrize("look_up", [0, 8, 1_000_000])
def test_twin(written, monkeypatch, look_up):
    """Without a budget the answer is that of Figure 11, be long lists read or looked up in H."""
    monkeypatch.setattr(candidates, "_LOOK_UP", look_up)
    rows, folders = written
    for asked in some_rows(rows):
        for alpha in alphas(len(asked)):
            expected = plain_query({u: r.tolist() for u, r in rows.items()}, asked.tolist(), alpha)
            for folder in folders:
                counted = count_equal(folder.shards, asked, Limits(alpha, ALL))
                assert expected == found_in(counted)
                assert (0, len(expected)) == (counted.capped, len(counted))


def verifications(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Notes how many documents are looked up in H."""
    seen: list[int] = []
    verify: Callable = candidates._verify

    def noted(found, signatures, least):
        made = verify(found, signatures, least)
        seen.append(len(made.ids))
        return made

    monkeypatch.setattr(candidates, "_verify", noted)
    return seen


@pytest.mark.parametrize(("look_up", "verified"), [(0, True), (1_000_000, False)])
def test_both_ways_are_taken(written, monkeypatch, look_up, verified):
    """The twin above has met both: long lists that are read, and such that are looked up."""
    monkeypatch.setattr(candidates, "_LOOK_UP", look_up)
    seen = verifications(monkeypatch)
    rows, folders = written
    count_equal(folders[0].shards, some_rows(rows)[0], Limits(0.5, ALL))
    assert verified == bool(sum(seen))


def shortest_list(rows: Rows, asked: Signatures) -> set[str]:
    """The documents of the shortest list that is not empty, the first of equal ones."""
    table, urls = np.stack(list(rows.values())), np.array(list(rows))
    lists = [urls[(table[:, j] == asked[j]) & (table[:, 0] != EMPTY)] for j in range(len(asked))]
    return set(min((found.tolist() for found in lists if len(found)), key=len))


@pytest.mark.parametrize("budget", [0, 1, 5, 40, 200, ALL])
@pytest.mark.parametrize("limit", [1, 10, 1000])
def test_small_budget(written, monkeypatch, budget, limit):
    """With a budget: what is found is true, the same for all shards, and what is left out is said.

    Nobody is missing if nothing is said to be left out. Who stands in the shortest list is always
    met, and found if so many are counted exactly.
    """
    monkeypatch.setattr(candidates, "_VERIFIED", limit)
    rows, folders = written
    cut = 0
    for asked, alpha in itertools.product(some_rows(rows)[:6], (0.0, 0.2)):
        plain = plain_query({u: r.tolist() for u, r in rows.items()}, asked.tolist(), alpha)
        answers = [count_equal(f.shards, asked, Limits(alpha, budget, 2)) for f in folders]
        one, *others = map(found_in, answers)
        assert [one] * len(others) == others
        assert 1 == len({answer.capped for answer in answers})
        assert one.items() <= plain.items()
        if limit == 1000:
            assert (shortest_list(rows, asked) & plain.keys()) <= one.keys()
        if answers[0].capped:
            cut += 1
        else:
            assert plain == one
    if budget in {0, ALL}:
        assert cut == (12 if budget == 0 else 0)


def test_budget_of_hot_signatures(tmp_path):
    """Lists are read from the shortest on: who stands in a short one is found and counted exactly.

    Ten documents share a rare signature and all hot ones, ninety the hot ones alone.
    """
    rows = {}
    for k in range(100):
        rare = 9 if k < 10 else 1000 + k
        rows[f"http://a.example/{k:03d}"] = np.array([rare, 1, 1, 1], dtype=np.uint32)
    folder = write(tmp_path / "index", rows, 4)
    asked = next(iter(rows.values()))
    within = count_equal(folder.shards, asked, Limits(0.0, budget=50))
    assert dict.fromkeys(list(rows)[:10], 4) == found_in(within)
    assert 3 == within.capped
    over = count_equal(folder.shards, asked, Limits(0.0, budget=310))
    assert (100, 0) == (len(over), over.capped)
    exactly = count_equal(folder.shards, asked, Limits(0.0, budget=309))
    assert (1, 100) == (exactly.capped, len(exactly))


def test_one_list_at_least(tmp_path):
    """However small the budget, the shortest list is read: the answer is never nothing at all."""
    rows = {f"http://a.example/{k}": np.array([1, 1], dtype=np.uint32) for k in range(50)}
    folder = write(tmp_path / "index", rows, 2)
    counted = count_equal(folder.shards, next(iter(rows.values())), Limits(0.0, budget=0))
    assert (1, dict.fromkeys(rows, 2)) == (counted.capped, found_in(counted))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=12),
    st.sampled_from([0.0, 0.3, 0.34, 0.6, 0.7, 0.99]),
    st.integers(1, 4),
)
def test_any_signatures(tmp_path_factory, table, alpha, shards):
    """Small ranges, all ties: still the documents of plain counting."""
    rows = {f"http://a.example/{k}": np.array(r, dtype=np.uint32) for k, r in enumerate(table)}
    folder = write(tmp_path_factory.mktemp("any") / "index", rows, shards)
    expected = plain_query({u: r.tolist() for u, r in rows.items()}, table[0], alpha)
    assert expected == found_in(
        count_equal(folder.shards, rows["http://a.example/0"], Limits(alpha, ALL))
    )


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 500))
def test_least_count(alpha, count):
    """The least number of equal signatures whose share exceeds alpha, as the paper has it."""
    least = least_count(alpha, count)
    assert least == min(k for k in range(1, count + 2) if k / count > alpha)
