"""Mirrors judged by pairs of pages of which it is known how alike they are.

Each pair has a strength: the highest threshold of resemblance at which it is still found. Pairs
that are alike and found are right. Precision is the share of the found pairs that are right, recall
the share of the alike pairs that are found, F the harmonic mean of both. They are told for pairs of
one host and of two hosts apart: pages of one site look alike by their menus and frames, and
shingling fails there first (Henzinger, "Finding near-duplicate web pages", 2006).

In groups, which are closed, a pair is found at a threshold if edges of at least this resemblance
lead from one page to the other: `bottlenecks`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pagekin.errors import InputError
from pagekin.web.urls import canonical, host

__all__ = [
    "PARTS",
    "THRESHOLDS",
    "FoundPair",
    "KnownPair",
    "bottlenecks",
    "judge_pairs",
    "pairs_within",
    "read_pairs",
]

THRESHOLDS = tuple(k / 20 for k in range(1, 21))
PARTS = ("all", "same_host", "cross_host")
_LIKENESS = (0.9, 0.7, 0.5, 0.3, 0.1, 0.0)  # from which on recall is told
_SHOWN = 10  # wrong and missed pairs that are named
_LONGEST = 1 << 16  # letters of a line


class KnownPair(NamedTuple):
    """Two pages, and how alike their content is: 0 to 1."""

    a: str
    b: str
    likeness: float

    @property
    def is_of_one_host(self) -> bool:
        return host(self.a) == host(self.b)


class FoundPair(NamedTuple):
    """A pair, and what the build made of it."""

    pair: KnownPair
    strength: float  # it is found at all thresholds up to this one; 0: at none
    together: bool = False  # do both pages belong to one group?


def read_pairs(path: Path) -> list[KnownPair]:
    """The pairs of a file, each once; InputError names the line that is none.

    A line is URL, tab, URL, tab, likeness; what follows behind another tab is not read.
    """
    pairs: dict[frozenset[str], KnownPair] = {}
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST), ""), 1):
                if line.strip() and not line.startswith("#"):
                    pair = _pair(line, f"{path}, line {number}")
                    pairs.setdefault(frozenset(pair[:2]), pair)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    return list(pairs.values())


def _pair(line: str, where: str) -> KnownPair:
    cells = line.rstrip("\r\n").split("\t")
    if len(cells) < 3:
        raise InputError(f"{where}: it takes URL, tab, URL, tab, likeness")
    a, b = map(canonical, cells[:2])
    if a is None or b is None or a == b:
        raise InputError(f"{where}: it needs two different web addresses")
    try:
        likeness = float(cells[2])
    except ValueError:
        likeness = -1.0
    if not 0 <= likeness <= 1:
        raise InputError(f"{where}: a likeness is a number from 0 to 1, and not {cells[2][:20]!r}")
    return KnownPair(a, b, likeness)


def bottlenecks(
    edges: Iterable[tuple[float, int, int]], pairs: Sequence[tuple[int, int]]
) -> list[float]:
    """The strength of each pair of pages in the graph of these edges (resemblance, page, page): the
    greatest that the weakest edge of a path between them can have, and 0 where there is no path.

    Components are joined by the strongest edges first. Each knows the pairs that have one page in
    it, and a pair is decided when both of its components become one.
    """
    strengths = [0.0] * len(pairs)
    parents: dict[int, int] = {}
    waiting: dict[int, set[int]] = {}
    for number, pair in enumerate(pairs):
        for page in pair:
            waiting.setdefault(page, set()).add(number)

    def root_of(page: int) -> int:
        while (parent := parents.get(page, page)) != page:
            parents[page] = page = parents.get(parent, parent)
        return page

    for resemblance, a, b in sorted(edges, reverse=True):
        root, other = root_of(a), root_of(b)
        if root == other:
            continue
        if len(waiting.get(root, ())) < len(waiting.get(other, ())):
            root, other = other, root
        parents[other] = root
        joined, more = waiting.setdefault(root, set()), waiting.pop(other, set())
        for number in joined & more:
            strengths[number] = resemblance
        joined ^= more  # of a decided pair nothing waits
    return strengths


def judge_pairs(
    found: Sequence[FoundPair], alike: float, threshold: float, *, grouped: bool
) -> dict[str, Any]:
    """Precision, recall and F by threshold, and of groups if pages were `grouped`, for all pairs
    and those of one host and of two. Pairs of this likeness or more are alike. Single pairs are
    told, and recall by likeness, as groups have them, or at the `threshold` of the build.
    """
    selected: dict[str, Callable[[FoundPair], bool]] = {
        "all": lambda one: True,
        "same_host": lambda one: one.pair.is_of_one_host,
        "cross_host": lambda one: not one.pair.is_of_one_host,
    }
    result: dict[str, Any] = {
        "pairs": len(found),
        "alike": alike,
        "threshold": threshold,
        "parts": {},
    }
    for part in PARTS:
        own = list(filter(selected[part], found))
        rows = [
            {"threshold": t, **_measured([one for one in own if one.strength >= t], own, alike)}
            for t in THRESHOLDS
        ]
        together = [one for one in own if one.together]
        groups = _measured(together, own, alike) if grouped else None
        result["parts"][part] = {
            "pairs": len(own),
            "alike": sum(one.pair.likeness >= alike for one in own),
            "thresholds": rows,
            "groups": groups,
        }

    def is_found(one: FoundPair) -> bool:
        return one.together if grouped else one.strength >= threshold

    return {**result, **_told(found, alike, is_found)}


def pairs_within(groups: Iterable[Sequence[str]]) -> dict[str, Any]:
    """How many pairs of pages groups of URLs hold, and of how many the paths differ; a few of these
    (a page, and the first of its group) are named. No group is made of pairs: they are counted.
    """
    counts = {part: {"pairs": 0, "other_path": 0} for part in PARTS}
    others: list[list[str]] = []
    for urls in groups:
        places = [(host(url), url.partition("://")[2].partition("/")[2]) for url in urls]
        for part, of, same_path in (
            ("all", [""] * len(places), [path for _, path in places]),
            ("same_host", [name for name, _ in places], places),
        ):
            pairs = _pairs_of_equal(of)
            counts[part]["pairs"] += pairs
            counts[part]["other_path"] += pairs - _pairs_of_equal(same_path)
        strange = (url for url, place in zip(urls, places, strict=True) if place[1] != places[0][1])
        others += ([urls[0], url] for url in islice(strange, _SHOWN - len(others)))
    for name, whole in counts["all"].items():
        counts["cross_host"][name] = whole - counts["same_host"][name]
    return {**counts, "others": others}


def _pairs_of_equal(values: Iterable[Any]) -> int:
    return sum(count * (count - 1) // 2 for count in Counter(values).values())


def _measured(
    told: Sequence[FoundPair], pairs: Sequence[FoundPair], alike: float
) -> dict[str, Any]:
    """How good it is to tell these of the pairs."""
    right = sum(one.pair.likeness >= alike for one in told)
    wanted = sum(one.pair.likeness >= alike for one in pairs)
    precision, recall = _share(right, len(told)), _share(right, wanted)
    f = None if precision is None or recall is None else _f(precision, recall)
    return {
        "found": len(told),
        "right": right,
        "precision": precision,
        "recall": recall,
        "f": f,
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _f(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _told(
    found: Sequence[FoundPair], alike: float, is_found: Callable[[FoundPair], bool]
) -> dict[str, Any]:
    """Recall by likeness, and the pairs that went wrong: those least alike that are found, and
    those most alike that are not.
    """
    ordered = sorted(found, key=lambda one: one.pair)
    ordered.sort(key=lambda one: one.pair.likeness)
    wrong = (one for one in ordered if is_found(one) and one.pair.likeness < alike)
    missed = (one for one in ordered[::-1] if not is_found(one) and one.pair.likeness >= alike)
    return {
        "by_likeness": list(_by_likeness(found, is_found)),
        "wrong": list(map(_shown, islice(wrong, _SHOWN))),
        "missed": list(map(_shown, islice(missed, _SHOWN))),
    }


def _by_likeness(
    found: Sequence[FoundPair], is_found: Callable[[FoundPair], bool]
) -> Iterator[dict[str, Any]]:
    for low in _LIKENESS:
        own = [one for one in found if one.pair.likeness >= low]
        count = sum(map(is_found, own))
        yield {"from": low, "pairs": len(own), "found": count, "share": _share(count, len(own))}


def _shown(one: FoundPair) -> dict[str, Any]:
    return {**one.pair._asdict(), "strength": one.strength}
