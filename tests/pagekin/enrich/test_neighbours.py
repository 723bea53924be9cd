"""Neighbours of terms: what is learned, and what bags get of it."""

from __future__ import annotations

import math
from collections import Counter
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.bags.bag import BagColumns
from pagekin.config import EnrichConfig
from pagekin.enrich import neighbours as n
from pagekin.errors import InputError

Bag = list[int]
Learned = dict[int, tuple[int, list[tuple[int, int]]]]  # term -> df, neighbours with their shares

# bags of two subjects: 1 to 4 stand together, and 5 to 8; 9 stands everywhere
SUBJECTS = [[1, 2, 3, 4, 9], [5, 6, 7, 8, 9]] * 4 + [[100 + k] for k in range(90)]


def columns(bags: list[dict[int, float]]) -> BagColumns:
    """These bags, one behind another."""
    terms = [term for bag in bags for term in sorted(bag)]
    weights = [bag[term] for bag in bags for term in sorted(bag)]
    bounds = np.cumsum([0, *map(len, bags)], dtype=np.int64)
    return BagColumns(np.array(terms, np.uint32), np.array(weights, np.float32), bounds)


def learn(bags: list[Bag], config: EnrichConfig) -> n.Nearest:
    found = columns([dict.fromkeys(bag, 1.0) for bag in bags])
    return n.learn_neighbours(found.terms, found.bounds, config)


def as_dict(nearest: n.Nearest) -> Learned:
    found = {}
    for k, term in enumerate(nearest.terms.tolist()):
        low, high = nearest.bounds[k : k + 2].tolist()
        others = nearest.terms[nearest.neighbours[low:high]].tolist()
        shares = nearest.shares[low:high].tolist()
        found[term] = int(nearest.df[k]), list(zip(others, shares, strict=True))
    return found


def plain_learn(bags: list[Bag], config: EnrichConfig) -> Learned:
    """The slow and obvious program."""
    df = Counter(term for bag in bags for term in bag)
    pairs = Counter(pair for bag in bags for pair in permutations(bag, 2))

    def log(number: int) -> int:
        return round(math.log(number) * 2**20)

    def score(a: int, b: int) -> int:
        together, rarer = pairs[a, b], min(df[a], df[b])
        mutual = max(0, log(together) + log(len(bags)) - log(df[a]) - log(df[b]))
        return mutual * together * rarer // ((together + 1) * (rarer + 1))

    known = {t for t in df if config.words_least <= df[t] <= len(bags) // 10}
    found: Learned = {}
    for a in sorted(known):
        others = [b for b in known if df[b] * 500 >= len(bags) and a != b and pairs[a, b] >= 3]
        scores = sorted((-score(a, b), b) for b in others if score(a, b))[: config.words_nearest]
        total = sum(-s for s, _ in scores)
        found[a] = df[a], [(b, max(1, -s * 65_535 // total)) for s, b in scores]
    return found


def plain_expand(bag: dict[int, float], learned: Learned) -> dict[int, int]:
    """What each term gets of a bag, whose heaviest term weighs 2^24, term by term."""
    given_to: dict[int, int] = {}
    whole = {term: round(weight / max(bag.values()) * 2**24) for term, weight in bag.items()}
    for term, weight in whole.items():
        for other, share in learned.get(term, (0, []))[1]:
            given_to[other] = given_to.get(other, 0) + weight * share
    return given_to


def test_by_hand():
    """Words of one subject are neighbours; a word of all subjects belongs to either by half."""
    found = as_dict(learn(SUBJECTS, EnrichConfig(words_least=4)))
    assert {1, 2, 3, 4, 5, 6, 7, 8, 9} == set(found)
    assert (4, [2, 3, 4]) == (found[1][0], sorted(b for b, _ in found[1][1] if b != 9))
    assert {b for b, _ in found[9][1]} == {1, 2, 3, 4, 5, 6, 7, 8}
    shares = dict(found[1][1])
    assert shares[2] == shares[3] == shares[4] > shares[9]
    assert 65_535 - 4 <= sum(shares.values()) <= 65_535


def test_the_formula():
    """Two terms in 5 bags of 100, each in no other: ln(5 * 100 / 25) * 5/6 * 5/6."""
    found = learn([[1, 2]] * 5 + [[]] * 95, EnrichConfig())
    assert {1: (5, [(2, 65_535)]), 2: (5, [(1, 65_535)])} == as_dict(found)
    ln = np.array([0, *(round(math.log(k) * 2**20) for k in range(1, 101))])
    [score] = n._associations(*(np.array([5]) for _ in range(3)), ln)
    assert math.log(20) * 25 / 36 == pytest.approx(score / 2**20, rel=1e-5)


@pytest.mark.parametrize(
    ("bags", "why"),
    [
        ([], "there are no bags"),
        ([[]] * 9, "bags are empty"),
        ([[1, 2]] * 4 + [[]] * 96, "terms stand in too few bags"),
        ([[1, 2]] * 11 + [[]] * 99, "terms may stand in one bag of ten"),
        ([[1, 2]] * 2 + [[1], [2]] * 3 + [[]] * 92, "they stand together in two bags"),
    ],
)
def test_no_neighbours(bags, why):
    """Without evidence nothing is a neighbour."""
    found = as_dict(learn(bags, EnrichConfig()))
    expected = {1: (11, [(2, 65_535)]), 2: (11, [(1, 65_535)])} if "may" in why else {}
    assert expected == {t: said for t, said in found.items() if said[1]}, why


def test_rare_terms():
    """A term of fewer than one bag in 500 has neighbours, and is nobody's."""
    found = as_dict(learn([[1, 2, 3]] * 5 + [[2, 3]] * 5 + [[]] * 4_990, EnrichConfig()))
    assert {1: {2, 3}, 2: {3}, 3: {2}} == {t: {b for b, _ in ne} for t, (_, ne) in found.items()}


def test_ties():
    """Of equally near terms the smaller ones stay."""
    found = as_dict(learn(SUBJECTS, EnrichConfig(words_least=4, words_nearest=2)))
    assert [1, 2] == [b for b, _ in found[4][1]]


# terms that stand together in several bags are drawn from few
_BAGS = st.lists(
    st.lists(st.integers(1, 12), unique=True, max_size=6).map(sorted), min_size=1, max_size=60
)


@settings(max_examples=200)
@given(_BAGS, st.integers(0, 500), st.integers(2, 6), st.integers(1, 8), st.integers(1, 40))
def test_learned_as_by_the_slow_program(bags, empty, least, nearest, at_once):
    """Whatever the bags, and however many pairs are counted together."""
    bags = [*bags, *[[]] * empty]
    config = EnrichConfig(words_least=least, words_nearest=nearest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(n, "_AT_ONCE", at_once)
        assert plain_learn(bags, config) == as_dict(learn(bags, config))


@given(_BAGS, st.randoms())
def test_order_of_bags(bags, lot):
    """The order of the bags does not show."""
    bags = [*bags, *[[]] * (9 * len(bags))]
    config = EnrichConfig(words_least=2)
    expected = as_dict(learn(bags, config))
    lot.shuffle(bags)
    assert expected == as_dict(learn(bags, config))


def table(folder: Path, nearest: n.Nearest) -> n.Neighbours:
    words = [b"stem%d word%d" % (t, t) for t in nearest.terms.tolist()]
    n.write_neighbours(folder / "neighbours.arrays", nearest, words, {"bags": 100})
    return n.Neighbours(folder / "neighbours.arrays")


_WEIGHTS = st.dictionaries(st.integers(1, 14), st.floats(0.0009765625, 1, width=32), max_size=8)


@settings(max_examples=100)
@given(_BAGS, st.lists(_WEIGHTS, max_size=7))
def test_expanded_as_by_the_slow_program(bags, asked):
    """Each bag gets the most of what its terms give, as many as give, with the sum 1."""
    nearest = learn([*bags, *[[]] * (9 * len(bags))], EnrichConfig(words_least=2))
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(n, "ENOUGH", 0)
        part = table(Path(name), nearest).expand(columns(asked))
    learned = as_dict(nearest)
    for k, bag in enumerate(asked):
        low, high = part.bounds[k : k + 2].tolist()
        given_to = plain_expand(bag, learned)
        most = sum(term in learned for term in bag)
        kept = sorted(given_to, key=lambda term: (-given_to[term], term))[:most]
        total = sum(given_to[term] for term in kept)
        found = dict(zip(part.terms[low:high].tolist(), part.weights[low:high], strict=True))
        expected = {term: float(given_to[term] / total) for term in kept}
        assert expected == pytest.approx(found, rel=1e-5, abs=1e-6)
    assert len(asked) == len(part.bounds) - 1
    assert ("uint32", "float32", "int64") == tuple(str(each.dtype) for each in part)


@st.composite
def _givers_and_tables(draw: st.DrawFn) -> tuple[n.Givers, n.Table, int]:
    targets = draw(st.integers(1, 20))
    share = st.integers(0, n.ONE)
    near = draw(st.lists(st.lists(st.tuples(st.integers(0, targets - 1), share)), max_size=8))
    row, weight = st.integers(0, max(len(near) - 1, 0)), st.integers(0, 1 << 24)
    bags = draw(st.lists(st.lists(st.tuples(row, weight), max_size=9 if near else 0), max_size=6))

    def flat(lists):
        bounds = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        return bounds, *np.array([each for one in lists for each in one], np.int64).reshape(-1, 2).T

    bounds, rows, weights = flat(bags)
    starts, numbers, shares = flat(near)
    return (
        n.Givers(bounds, rows.astype(np.uint32), weights.astype(np.uint32)),
        n.Table(starts, numbers.astype(np.uint32), shares.astype(np.uint16)),
        targets,
    )


@settings(max_examples=300)
@given(_givers_and_tables())
def test_gifts(given_to):
    """They are what a double loop gives: the largest of each bag, of equal ones the first."""
    givers, table, targets = given_to
    found = n.gifts(*given_to)
    for bag in range(len(givers.bounds) - 1):
        sums, most = [0] * targets, int(givers.bounds[bag + 1] - givers.bounds[bag])
        for k in range(*givers.bounds[bag : bag + 2].tolist()):
            row = int(givers.rows[k])
            for p in range(*table.starts[row : row + 2].tolist()):
                sums[table.targets[p]] += int(givers.weights[k]) * int(table.shares[p])
        best = sorted(range(targets), key=lambda t: (-sums[t], t))[:most]
        expected = sorted((t, sums[t]) for t in best if sums[t])
        mine = slice(*found.bounds[bag : bag + 2].tolist())
        assert expected == [*zip(found.targets[mine].tolist(), found.values[mine], strict=True)]


def test_a_bag_by_itself(tmp_path, monkeypatch):
    """What a bag gets does not depend on the bags beside it, to the last bit."""
    monkeypatch.setattr(n, "ENOUGH", 0)
    known = table(tmp_path, learn(SUBJECTS, EnrichConfig(words_least=4)))
    asked = [{1: 0.5, 9: 0.25, 77: 0.25}, {}, {6: 0.1, 8: 0.9}, {78: 1.0}, {9: 1.0}]
    part = known.expand(columns(asked))
    for k, bag in enumerate(asked):
        alone = known.expand(columns([bag]))
        low, high = part.bounds[k : k + 2].tolist()
        assert alone.terms.tolist() == part.terms[low:high].tolist()
        assert alone.weights.tobytes() == part.weights[low:high].tobytes()
    assert [2, 0, 2, 0, 1] == np.diff(part.bounds).tolist()


def test_the_heaviest_of_a_part(tmp_path, monkeypatch):
    """A part has as many terms as give, of equally heavy ones the smaller, and the sum 1."""
    known = table(tmp_path, learn(SUBJECTS, EnrichConfig(words_least=4)))
    monkeypatch.setattr(n, "ENOUGH", 0)
    part = known.expand(columns([{4: 1.0}, {4: 1.0, 77: 1.0}, {2: 0.5, 3: 0.5}]))
    assert [1, 1, 1, 4] == part.terms.tolist()
    assert [1.0, 1.0, 0.5, 0.5] == part.weights.tolist()


def test_short_bags_get_nothing(tmp_path):
    """Of a bag of 99 terms none gives; of one of 100 the heaviest 100 do."""
    known = table(tmp_path, learn(SUBJECTS, EnrichConfig(words_least=4)))
    short = {1_000 + k: 0.5 for k in range(98)}
    asked = [
        {4: 1.0, **short},
        {4: 1.0, 6: 1.0, **short},
        {4: 0.25, 6: 0.25, **short, 98: 0.5, 99: 0.5},
    ]
    assert [0, 2, 0] == np.diff(known.expand(columns(asked)).bounds).tolist()


def test_no_bags(tmp_path):
    """No bags get no parts, and a table of nothing gives empty ones."""
    assert [0] == table(tmp_path, learn(SUBJECTS, EnrichConfig())).expand(
        columns([])
    ).bounds.tolist()
    nothing = table(tmp_path, learn([], EnrichConfig()))
    assert [0, 0, 0] == nothing.expand(columns([{1: 1.0}, {}])).bounds.tolist()


def test_golden(tmp_path, monkeypatch):
    """The bytes that are stored of what was learned."""
    known = table(tmp_path, learn(SUBJECTS, EnrichConfig(words_least=4)))
    assert "c8e0d808c1f124793a7768bcc168283c" == known.file.checksum
    monkeypatch.setattr(n, "ENOUGH", 0)
    part = known.expand(columns([{1: 0.5, 3: 0.25, 9: 0.5}]))
    assert [2, 3, 4] == part.terms.tolist()
    assert "366aba3e942b8b3e366aba3e" == part.weights.tobytes().hex()


def test_another_file(tmp_path):
    """A file of another kind is refused."""
    n.write_arrays(tmp_path / "other.arrays", "resolution", {}, {})
    with pytest.raises(InputError, match="holds resolution, not neighbours of terms"):
        n.Neighbours(tmp_path / "other.arrays")


def test_the_sample():
    """A URL is in the sample by its number alone, and all are where there are few bags."""
    config = EnrichConfig(words_sample=100)
    numbers = [k << 54 for k in range(1 << 10)]
    assert all(n.in_sample(number, 100, config) for number in numbers)
    assert 256 == sum(n.in_sample(number, 400, config) for number in numbers)
    smaller = EnrichConfig(words_sample=50)
    assert all(n.in_sample(k, 400, config) for k in numbers if n.in_sample(k, 400, smaller))


@given(st.lists(_WEIGHTS, max_size=3), st.lists(st.integers(1, 12), max_size=5))
def test_givers(asked, wanted):
    """A related word is told by the word of the bag that brings it most, by a double loop."""
    nearest = learn(SUBJECTS, EnrichConfig(words_least=4))
    learned = as_dict(nearest)
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(n, "ENOUGH", 0)
        known = table(Path(name), nearest)
        for bag in asked:
            part = columns([bag])
            heaviest = max(bag.values(), default=1.0)
            whole = {term: round(weight / heaviest * 2**24) for term, weight in bag.items()}
            expected = []
            for term in wanted:
                gifts = {
                    giver: whole[giver] * share
                    for giver in sorted(bag)
                    for other, share in learned.get(giver, (0, []))[1]
                    if other == term
                }
                expected.append(max(gifts, key=gifts.__getitem__) if gifts else 0)
            found = known.givers(part.terms, part.weights, np.array(wanted, np.uint32))
            assert expected == found
