"""Mirrors judged by pairs, against plain counting, and ways through graphs step by step."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.errors import InputError
from pagekin.evaluate.mirror_pairs import (
    PARTS,
    THRESHOLDS,
    FoundPair,
    KnownPair,
    bottlenecks,
    judge_pairs,
    pairs_within,
    read_pairs,
)
from pagekin.web.urls import host

A, B, C, D = (f"http://{name}.example/" for name in "abcd")


# --- the file ---


def test_read(tmp_path):
    """Lines of two URLs and a likeness; each pair counts once, and what follows is not read."""
    path = tmp_path / "pairs.tsv"
    path.write_text(
        f"# pairs\n{A}\t{B}\t1.0000\t1\t0.3\r\n\nHTTP://B.example:80/\t{A}\t0.5\n{A}\t{C}\t0\n"
    )
    assert [KnownPair(A, B, 1.0), KnownPair(A, C, 0.0)] == read_pairs(path)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"{A}\t{B}", "it takes URL, tab, URL, tab, likeness"),
        (f"{A}\tmailto:x\t0.5", "it needs two different web addresses"),
        (f"{A}\t{A}#top\t0.5", "it needs two different web addresses"),
        (f"{A}\t{B}\tmuch", "a likeness is a number from 0 to 1, and not 'much'"),
        (f"{A}\t{B}\t1.5", "a likeness is a number from 0 to 1, and not '1.5'"),
        (f"{A}\t{B}\tnan", "a likeness is a number from 0 to 1, and not 'nan'"),
    ],
)
def test_wrong_line(tmp_path, line, why):
    """The line is named."""
    path = tmp_path / "pairs.tsv"
    path.write_text(f"{A}\t{C}\t1\n{line}\n")
    with pytest.raises(InputError) as error:
        read_pairs(path)
    assert f"{path}, line 2: {why}" == str(error.value)


def test_no_file(tmp_path):
    """A file that is not there is told."""
    with pytest.raises(InputError, match=r"none\.tsv: cannot be read: No such file"):
        read_pairs(tmp_path / "none.tsv")


# --- ways ---

_EDGES = st.lists(st.tuples(st.integers(1, 6), st.integers(0, 7), st.integers(0, 7)), max_size=20)
_PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda p: p[0] != p[1]))


@given(_EDGES, _PAIRS)
def test_bottlenecks(edges, pairs):
    """The strength of a pair is the highest threshold at which a walk over edges of at least so
    much leads from page to page."""
    found = bottlenecks(edges, pairs)
    for (a, b), strength in zip(pairs, found, strict=True):
        assert strength == max((t for t in range(1, 7) if b in reached(a, edges, t)), default=0)


def reached(start: int, edges: list[tuple[int, int, int]], threshold: int) -> set[int]:
    met, rest = {start}, [start]
    while rest:
        page = rest.pop()
        for weight, a, b in edges:
            for one, other in ((a, b), (b, a)):
                if weight >= threshold and one == page and other not in met:
                    met.add(other)
                    rest.append(other)
    return met


# --- measures ---

_FOUND = st.lists(
    st.builds(
        FoundPair,
        st.builds(
            KnownPair,
            st.sampled_from([f"{A}1", f"{B}1"]),
            st.sampled_from([f"{A}2", f"{B}2"]),
            st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]),
        ),
        st.sampled_from([0.0, 0.05, 0.3, 0.5, 0.7, 1.0]),
        st.booleans(),
    ),
    max_size=12,
)


@given(_FOUND, st.booleans())
def test_measures(found, grouped):
    """Precision, recall and F are those of counting, for all pairs, same host and cross host."""
    result = judge_pairs(found, 0.5, 0.4, grouped=grouped)
    assert (len(found), 0.4) == (result["pairs"], result["threshold"])
    for part in PARTS:
        own = [
            one
            for one in found
            if part == "all" or (host(one.pair.a) == host(one.pair.b)) == (part == "same_host")
        ]
        said = result["parts"][part]
        assert THRESHOLDS == tuple(row["threshold"] for row in said["thresholds"])
        rows = [
            (row, [o for o in own if o.strength >= row["threshold"]]) for row in said["thresholds"]
        ]
        rows += [(said["groups"], [o for o in own if o.together])] if grouped else []
        assert grouped == (said["groups"] is not None)
        for row, told in rows:
            right = sum(one.pair.likeness >= 0.5 for one in told)
            alike = sum(one.pair.likeness >= 0.5 for one in own)
            precision = right / len(told) if told else None
            recall = right / alike if alike else None
            assert (len(told), right) == (row["found"], row["right"])
            assert (precision, recall) == (row["precision"], row["recall"])
            if precision is None or recall is None:
                assert row["f"] is None
            else:
                both = precision + recall
                assert row["f"] == (2 * precision * recall / both if both else 0.0)


def test_single_pairs():
    """Pairs that went wrong are named, the worst first; recall is told by likeness."""
    found = [
        FoundPair(KnownPair(A, B, 0.1), 0.9, together=True),
        FoundPair(KnownPair(A, C, 0.3), 0.9, together=True),
        FoundPair(KnownPair(A, D, 1.0), 0.0, together=False),
        FoundPair(KnownPair(B, C, 0.6), 0.8, together=False),
        FoundPair(KnownPair(B, D, 0.95), 0.7, together=True),
    ]
    result = judge_pairs(found, 0.5, 0.5, grouped=True)
    assert [(B, 0.9), (C, 0.9)] == [(one["b"], one["strength"]) for one in result["wrong"]]
    assert [(A, D), (B, C)] == [(one["a"], one["b"]) for one in result["missed"]]
    expected = [(0.9, 2, 1), (0.7, 2, 1), (0.5, 3, 1), (0.3, 4, 2), (0.1, 5, 3), (0.0, 5, 3)]
    told = [(row["from"], row["pairs"], row["found"]) for row in result["by_likeness"]]
    assert expected == told
    assert [0.5] == [row["share"] for row in result["by_likeness"][:1]]
    by_threshold = judge_pairs(found, 0.5, 0.75, grouped=False)
    assert [(A, D), (B, D)] == [(one["a"], one["b"]) for one in by_threshold["missed"]]


_URLS = st.sampled_from(
    [f"{base}{path}" for base in (A, B, "https://a.example/") for path in "xyz"]
)


@given(st.lists(st.lists(_URLS, unique=True, min_size=1), max_size=4))
def test_pairs_within(groups):
    """All pairs of a group, counted without making them."""
    told = pairs_within(groups)
    pairs = [pair for group in groups for pair in combinations(group, 2)]
    others = [(a, b) for a, b in pairs if a[-1] != b[-1]]
    for part, of_part in (("all", {0, 1}), ("same_host", {1}), ("cross_host", {0})):
        counts = [sum((host(a) == host(b)) in of_part for a, b in some) for some in (pairs, others)]
        assert {"pairs": counts[0], "other_path": counts[1]} == told[part]
    assert all(a[-1] != b[-1] for a, b in told["others"])
    assert bool(others) == bool(told["others"])


def test_large_group():
    """A hundred thousand pages of one group take no quadratic time."""
    told = pairs_within([[f"{A}{k % 7}?{k}" for k in range(100_000)]])
    assert 99_999 * 50_000 == told["same_host"]["pairs"]


def test_no_pairs(tmp_path):
    """A file without pairs is no error: nothing is judged."""
    path = tmp_path / "empty.tsv"
    path.write_text("\n")
    assert [] == read_pairs(path)
    result = judge_pairs([], 0.5, 0.5, grouped=True)
    assert (0, None) == (result["pairs"], result["parts"]["all"]["groups"]["f"])
