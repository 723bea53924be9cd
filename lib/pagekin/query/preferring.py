"""Answers in another order: pages that stand higher are preferred.

A score is multiplied by 1 + weight x standing, whatever it is the score of: a similarity, a total
by co-citation, or the sum of reciprocal ranks. So a weight of 0.1 lets the page that stands highest
pass those that are up to a tenth nearer, by any source, and what nobody links to keeps its score.
Only pages that are answers anyway are put in order, as many as are ranked exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from numbers import Real

from pagekin.errors import UsageError
from pagekin.query.answer import Answer, Kin, Why, admitted
from pagekin.query.ranking import READ, Question

__all__ = ["authority_weight", "in_preferred_order"]

_MOST = 10.0
_DECIMALS = 12  # as scores are rounded elsewhere


def authority_weight(prefer: Mapping[str, float]) -> float:
    """The weight of authority; UsageError where something else is to be preferred."""
    for name, weight in prefer.items():
        if name != "authority" or not isinstance(weight, Real) or not 0 <= weight <= _MOST:
            raise UsageError(
                f"prefer is {name}={weight}; it takes authority and a number from 0 to {_MOST:g}"
            )
    return float(prefer.get("authority", 0.0))


def in_preferred_order(
    answer: Answer, question: Question, weight: float, standing_of: Callable[[str], float]
) -> Answer:
    """The best of an answer that holds more than are asked for, with any number of a host."""
    found = [_preferred(kin, weight, standing_of(kin.url)) for kin in answer]
    found.sort(key=lambda kin: (-kin.score, kin.url.encode()))
    best = replace(answer)
    taken: Counter[str] = Counter()
    kinds = (False, True) if answer.by == "cocitation" else (None,)  # weak kin behind all others
    for weak, crawled in product(kinds, READ[question.read]):
        some = (k for k in found if weak in {None, k.weak} and crawled in {None, k.read})
        admission, missing = question.admission(crawled), question.k - len(best)
        best += admitted(some, lambda kin: kin.url, admission, missing, taken)
        if len(best) == question.k:
            break
    return best


def _preferred(kin: Kin, weight: float, standing: float) -> Kin:
    factor = 1 + weight * standing
    why: Why | None = kin.why and replace(kin.why, standing=standing, preferred_by=factor)
    return replace(kin, score=round(kin.score * factor, _DECIMALS), why=why)
