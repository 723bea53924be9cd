"""Plain implementations of asking: loops over all documents, counters and fractions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction

from pagekin.bags.bag import Bag
from pagekin.minhash.signatures import EMPTY

__all__ = ["plain_folding", "plain_jaccard", "plain_query", "plain_ranking"]

Rows = Mapping[str, Sequence[int]]


def plain_query(rows: Rows, asked: Sequence[int], alpha: float) -> dict[str, int]:
    """PROCESSQUERY as Figure 11 has it: all lists are read and counted [SIM 6.2]."""
    m = len(asked)
    inverted: list[dict[int, list[str]]] = [defaultdict(list) for _ in range(m)]
    for url, row in rows.items():
        if row[0] != EMPTY:
            for j, signature in enumerate(row):
                inverted[j][signature].append(url)
    sim = Counter(url for j in range(m) for url in inverted[j].get(asked[j], ()))
    return {url: count for url, count in sim.items() if count / m > alpha}


def plain_jaccard(a: Bag, b: Bag) -> Fraction:
    """Sum of minima over sum of maxima, without rounding."""
    x, y = (
        dict(zip(bag.terms.tolist(), map(Fraction, bag.weights.tolist()), strict=True))
        for bag in (a, b)
    )
    terms = x.keys() | y.keys()
    maxima = sum(max(x.get(t, Fraction(0)), y.get(t, Fraction(0))) for t in terms)
    minima = sum(min(x.get(t, Fraction(0)), y.get(t, Fraction(0))) for t in terms)
    return Fraction(minima) / maxima if maxima else Fraction(0)


def plain_ranking(
    scores: Mapping[str, float], k: int, *, alpha: float = 0.0, per_host: int = 0
) -> list[tuple[str, float]]:
    """The k best above alpha, ties by URL, so many of a host at the most."""
    chosen: list[tuple[str, float]] = []
    hosts: Counter[str] = Counter()
    for url, score in sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])):
        host = url.split("/")[2].partition(":")[0]
        hosts[host] += 1
        if score > alpha and not (per_host and hosts[host] > per_host):
            chosen.append((url, score))
    return chosen[:k]


def plain_folding(
    scores: Mapping[str, float], groups: Sequence[Sequence[str]], asked: set[int]
) -> set[str]:
    """The pages that stand for themselves or for their groups: of each that is not asked for the
    best, of equal ones the first member.
    """
    members = {url for group in groups for url in group}
    found = {url for url in scores if url not in members}
    for number, group in enumerate(groups):
        met = [url for url in group if url in scores]
        if met and number not in asked:
            found.add(max(met, key=lambda url: (scores[url], -met.index(url))))
    return found
