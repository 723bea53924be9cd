"""Raw bags become final bags: scale, weight by df, cut, normalise [SIM 3.3, 5.2].

In this order: tf scaling of the raw weight, times the df factor, cut to the heaviest `terms` (of
equal weights the smaller hash stays), then a constant sum of 1. The cut comes after the weighting:
measured, it is the largest single gain in quality, and makes bags small.

The df of a term is the number of bags that hold it: bags of all URLs that have one, after terms of
weight 0 are gone. The paper gives no mu and sigma for its non-monotonic weight: here they are the
mean and standard deviation of ln df over the (bag, term) incidences, so that a term of the middle
of a bag weighs most. Over the vocabulary instead they would be ruined by the long tail of df = 1,
and with the terms of very many bags, which are words of templates, by how many a site repeats.

Final weights are quotients of whole numbers, so that no order of addition shows in their last bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Bag, Bags, Bounds, in_batches
from pagekin.config import WeightConfig
from pagekin.tables import ArrayFile, write_arrays
from pagekin.text.words import Terms

__all__ = [
    "BATCH",
    "Frequencies",
    "by_bag",
    "cut_to_sum_one",
    "df_factor",
    "heaviest",
    "incidence_moments",
    "runs",
    "weigh_bags",
    "weigh_batch",
]

BATCH = 2_000  # bags weighed together; one numpy call costs as much as 1,000 terms
_SCALE = 2.0**40  # the heaviest term of a bag; 65,536 such terms still add up below 2^63

_KIND = "document frequencies"
_IN_A_TABLE = 1 << 20  # df up to which factors are looked up: 5 MB
_COMMON_BAGS = 20  # a term of so many bags is none too common in any snapshot
_NO_WIDTH = 1e-9  # all terms have one df, as in a tiny snapshot: nothing to choose between


def weigh_bags(
    bags: Iterable[Bag], frequencies: Frequencies, config: WeightConfig
) -> Iterator[Bag]:
    """The final bags, in the order of the raw ones."""
    for some in in_batches(bags, BATCH):
        yield from weigh_batch(some, frequencies, config)


def weigh_batch(raw: Bags, frequencies: Frequencies, config: WeightConfig) -> Bags:
    """The final bags of raw ones."""
    tf = _scale_tf(raw.weights.astype(np.float64), config.tf)
    scaled = tf * frequencies.factors(raw.terms, config)
    kept, weights, bounds = cut_to_sum_one(
        scaled, raw.bounds, config.terms, normalise=config.normalise
    )
    return replace(raw, terms=raw.terms[kept], weights=weights.astype("<f4"), bounds=bounds)


def cut_to_sum_one(
    weights: NDArray[np.float64], bounds: Bounds, most: int, *, normalise: bool = True
) -> tuple[NDArray[np.bool_], NDArray[np.float64], Bounds]:
    """Which terms stay: of each bag the heaviest `most` (0: all; of equal weights the smaller
    hashes) that have a weight; their weights with the sum 1 (or the heaviest 1); and the bounds.
    """
    top = by_bag(np.maximum, weights, bounds)
    top[top == 0] = 1.0  # a bag without weight stays one
    whole = np.rint(weights * np.repeat(_SCALE / top, np.diff(bounds))).astype(np.int64)
    kept = heaviest(whole, bounds, most)
    bounds, whole = np.append(0, np.cumsum(kept))[bounds], whole[kept]
    totals = by_bag(np.add, whole, bounds) if normalise else _SCALE / top
    return kept, whole / np.repeat(totals, np.diff(bounds)), bounds


def by_bag(add: np.ufunc, values: NDArray[Any], bounds: Bounds) -> NDArray[Any]:
    """The values of each bag added up, or the like; 0 for an empty bag."""
    full = np.diff(bounds) > 0
    found = np.zeros(len(full), values.dtype)
    found[full] = add.reduceat(values, bounds[:-1][full])
    return found


def _scale_tf(raw: NDArray[np.float64], how: str) -> NDArray[np.float64]:
    if how == "sqrt":
        return np.sqrt(raw)
    if how == "log":
        # log1p is not 1 + ln: 1 + ln falls below 0 for far words, which weigh less than 1/e
        return np.log1p(raw)
    return raw


def runs(starts: NDArray[Any], sizes: NDArray[Any]) -> NDArray[np.int64]:
    """All places of runs that start here and there, run after run.

    >>> runs(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(sizes, dtype=np.int64)
    shifts = starts.astype(np.int64) - (ends - sizes)
    places: NDArray[np.int64] = np.repeat(shifts, sizes) + np.arange(int(sizes.sum()))
    return places


def heaviest(weights: NDArray[Any], bounds: Bounds, most: int) -> NDArray[np.bool_]:
    """Which terms stay: those with a weight, and of each bag the heaviest `most`, or all for 0."""
    kept: NDArray[np.bool_] = weights > 0
    for bag in np.flatnonzero(np.diff(bounds) > most).tolist() if most else ():
        a, b = bounds[bag : bag + 2].tolist()
        mine = weights[a:b]
        least = np.partition(mine, len(mine) - most)[-most]
        heavier = mine > least
        as_heavy = np.flatnonzero(mine == least)  # terms ascend in a bag
        heavier[as_heavy[: most - int(np.count_nonzero(heavier))]] = True
        kept[a:b] &= heavier
    return kept


# --- document frequencies ---


def incidence_moments(values: NDArray[Any], counts: NDArray[Any]) -> tuple[float, float]:
    """Mean and standard deviation of ln df over the (bag, term) incidences, where so many terms
    have each of these df.

    A term of frequency df stands in df bags, so it counts df times. Summed exactly (fsum), value by
    value: the same on every machine.
    """
    pairs = zip(values.tolist(), counts.tolist(), strict=True)
    mass = [(value * count, math.log(value)) for value, count in pairs if value]
    total = sum(m for m, _ in mass)
    if not total:
        return 0.0, 0.0
    mean = math.fsum(m * x for m, x in mass) / total
    variance = math.fsum(m * (x - mean) ** 2 for m, x in mass) / total
    return mean, math.sqrt(variance)


def df_factor(df: int, config: WeightConfig, mu: float, sigma: float) -> float:
    """The factor on the weight of a term that stands in `df` bags."""
    if config.df == "log":
        return 1 / (1 + math.log2(df))
    if config.df == "sqrt":
        return 1 / math.sqrt(df)
    if config.df == "nmdf" and sigma > _NO_WIDTH:
        return math.exp(-0.5 * ((math.log(df) - mu) / sigma) ** 2)
    return 1.0


class Frequencies:
    """The df of every term, looked up in a memory-mapped file."""

    def __init__(self, path: Path) -> None:
        file = ArrayFile(path, _KIND)
        self._terms: Terms = file["terms"]
        self._df = file["df"]
        self._values, self._counts = file["values"], file["counts"]
        self._moments: dict[float, tuple[float, float]] = {}  # by what is too common
        self.bags: int = file.meta["bags"]

    @staticmethod
    def write(path: Path, terms: Terms, df: NDArray[np.uint32], bags: int) -> None:
        """Store ordered terms with their df, over so many bags."""
        values, counts = np.unique(df, return_counts=True)
        arrays = {"terms": terms, "df": df, "values": values, "counts": counts.astype(np.uint32)}
        write_arrays(path, _KIND, {"bags": bags}, arrays)

    def __len__(self) -> int:
        return len(self._terms)

    def df(self, terms: Terms) -> NDArray[np.uint32]:
        """The df of each term; 1 for a term that was never counted."""
        if not len(self._terms):
            return np.ones(len(terms), dtype=np.uint32)
        # in ascending order 126,000 terms are found in 7 ms with this sort, and else in 14
        packed = terms.astype(np.uint64) << np.uint64(32)
        packed |= np.arange(len(terms), dtype=np.uint64)
        packed.sort()
        order = packed.astype(np.uint32)
        wanted = terms[order]
        at = np.minimum(np.searchsorted(self._terms, wanted), len(self._terms) - 1)
        df = np.empty(len(terms), np.uint32)
        df[order] = np.where(self._terms[at] == wanted, self._df[at], np.uint32(1))
        return df

    def moments(self, config: WeightConfig) -> tuple[float, float]:
        """mu and sigma, as far as they are not given: of the terms that are not too common."""
        if config.common not in self._moments:
            rare = self._values <= max(config.common * self.bags, _COMMON_BAGS)
            found = incidence_moments(self._values[rare], self._counts[rare])
            self._moments[config.common] = found
        mu, sigma = self._moments[config.common]
        return config.mu or mu, config.sigma or sigma

    def factors(self, terms: Terms, config: WeightConfig) -> NDArray[np.float32]:
        """The df factor of each term. In 32 bits: the last bits of exp differ between machines."""
        mu, sigma = self.moments(config)

        def factors_of(values: NDArray[Any]) -> NDArray[np.float32]:
            return np.array(
                [df_factor(df, config, mu, sigma) for df in values.tolist()], np.float32
            )

        df = self.df(terms)
        if not len(df) or int(df.max()) > _IN_A_TABLE:
            values, which = np.unique(df, return_inverse=True)
            return factors_of(values)[which]
        met = np.zeros(int(df.max()) + 1, np.bool_)
        met[df] = True
        table = np.zeros(len(met), np.float32)
        table[met] = factors_of(np.flatnonzero(met))
        return table[df]
