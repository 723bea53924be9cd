"""Raw bags become final bags: scale, weight by df, cut, normalise [SIM 3.3, 5.2].

In this order: tf scaling of the raw weight, times the df factor, cut to the heaviest `terms` (of
equal weights the smaller hash stays), then a constant sum of 1. The cut comes after the weighting:
measured, it is the largest single gain in quality, and makes bags small.

Final weights are quotients of whole numbers, so that no order of addition shows in their last bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Bag, Weights
from pagekin.bags.frequencies import Frequencies
from pagekin.config import WeightConfig
from pagekin.text.words import Terms

__all__ = ["weigh_bags"]

_BATCH = 2_000  # bags; one numpy call costs as much as 1,000 terms
_SCALE = 2.0**40  # the heaviest term of a bag; 65,536 such terms still add up below 2^63


def weigh_bags(
    bags: Iterable[Bag], frequencies: Frequencies, config: WeightConfig
) -> Iterator[Bag]:
    """The final bags, in the order of the raw ones."""
    rest = iter(bags)
    while batch := tuple(islice(rest, _BATCH)):
        yield from _weigh_batch(batch, frequencies, config)


def _weigh_batch(
    bags: tuple[Bag, ...], frequencies: Frequencies, config: WeightConfig
) -> Iterator[Bag]:
    terms = np.concatenate([bag.terms for bag in bags])
    raw = np.concatenate([bag.weights for bag in bags]).astype(np.float64)
    scaled = _scale_tf(raw, config.tf) * frequencies.factors(terms, config)
    at = 0
    for bag in bags:
        end = at + len(bag.terms)
        kept, weights = _finish(terms[at:end], scaled[at:end], config)
        yield bag._replace(terms=kept, weights=weights)
        at = end


def _scale_tf(raw: NDArray[np.float64], how: str) -> NDArray[np.float64]:
    if how == "sqrt":
        return np.sqrt(raw)
    if how == "log":
        # log1p is not 1 + ln: 1 + ln falls below 0 for far words, which weigh less than 1/e
        return np.log1p(raw)
    return raw


def _finish(
    terms: Terms, scaled: NDArray[np.float64], config: WeightConfig
) -> tuple[Terms, Weights]:
    if not len(terms):
        return terms, scaled.astype("<f4")
    top = max(float(scaled.max()), np.finfo(float).tiny)
    whole = np.rint(scaled * (_SCALE / top)).astype(np.int64)
    if not whole.all():  # a weight of 0 is no term
        terms, whole = terms[whole > 0], whole[whole > 0]
    if config.terms and len(terms) > config.terms:
        heaviest = np.sort(np.lexsort((terms, -whole))[: config.terms])
        terms, whole = terms[heaviest], whole[heaviest]
    total = float(whole.sum()) if config.normalise else _SCALE / top
    return terms, (whole / total).astype("<f4")
