"""How many signatures are needed: exact binomial tails, no simulation and no approximation.

Each of m signatures of two bags is equal with the probability A, their similarity. A query finds
the pair when the share of equal ones is above a threshold T [SIM 6.2, Figure 11], so with

    recall(m) = P[X > T m],    X ~ Binomial(m, A)

T = 0 asks for one equal signature: that the pair is looked at at all. With T > 0 the recall falls
by a step wherever T m passes a whole number; so there are two answers, the least m that will do,
and the m from which on every larger one will do too. The second is the one to take.

The signatures of darts scatter less than binomially, so for T below A the true recall is a little
higher than said here. The numbers of documents and of words play no part.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import UsageError

__all__ = ["MOST", "Plan", "Row", "plan", "recall", "row"]

MOST = 4096  # signatures of a bag that a build can make
_ROUNDING = 1e-9  # of the wanted probability of a miss: sums of floats are right to 1e-11

_NUMBER = 4  # bytes of a signature, of a document's id, of a key and of a place
_DECIMALS = 6


class Row(NamedTuple):
    """What a number of signatures gives and costs."""

    signatures: int
    recall: float
    error: float  # standard error of the estimated similarity
    bytes_h: int  # a document in H: its signatures
    bytes_i_least: int  # a document in I: its id once for each signature ...
    bytes_i_most: int  # ... and as many keys with their places, if no other document has them


class Plan(NamedTuple):
    """The answer to how many signatures are needed."""

    enough: int  # this many are enough, and so is every larger number
    least: int  # the smallest number that is enough


def recall(count: int, similarity: float, threshold: float = 0.0) -> float:
    """The probability that a pair of this similarity is found."""
    _check_pair(similarity, threshold)
    return 1.0 - _miss(count, similarity, _exact(threshold))


def row(count: int, similarity: float, threshold: float = 0.0) -> Row:
    """One line of the table."""
    found = recall(count, similarity, threshold)
    error = math.sqrt(similarity * (1 - similarity) / count)
    ids = _NUMBER * count
    return Row(count, round(found, _DECIMALS), round(error, _DECIMALS), ids, ids, 3 * ids)


def plan(similarity: float, wanted: float, threshold: float = 0.0) -> Plan:
    """The number of signatures for a recall; UsageError where no number will do."""
    _check_pair(similarity, threshold)
    _check_wish(similarity, wanted, threshold)
    limit = (1 - wanted) * (1 + _ROUNDING)
    exact = _exact(threshold)
    enough = [_miss(m, similarity, exact) <= limit for m in range(1, MOST + 1)]
    if not enough[-1]:
        raise UsageError(
            f"more than {MOST:,} signatures would be needed to find pairs of similarity"
            f" {similarity} with probability {wanted}; lower the recall or the threshold,"
            " or ask for more similar pairs"
        )
    failing = [m for m, good in enumerate(enough, 1) if not good]
    return Plan(failing[-1] + 1 if failing else 1, enough.index(True) + 1)


def _check_pair(similarity: float, threshold: float) -> None:
    if not 0 < similarity <= 1:
        raise UsageError(f"a similarity lies above 0 and not above 1; {similarity} does not")
    if not 0 <= threshold < 1:
        raise UsageError(f"a threshold lies from 0 to below 1; {threshold} does not")


def _check_wish(similarity: float, wanted: float, threshold: float) -> None:
    if not 0 < wanted < 1:
        raise UsageError(f"a recall lies between 0 and 1, and {wanted} does not; try 0.95")
    if similarity <= threshold:
        raise UsageError(
            f"no number of signatures finds pairs of similarity {similarity} reliably above a"
            f" threshold of {threshold}; the threshold must be lower than the similarity"
        )


def _exact(threshold: float) -> Fraction:
    """The decimal that was meant: 0.29 * 100 is 29 and not 28.999999999999996."""
    return Fraction(str(threshold))


def _miss(count: int, similarity: float, threshold: Fraction) -> float:
    """P[X <= T m], the sum of the lower tail."""
    if similarity >= 1:
        return 0.0
    most = math.floor(threshold * count)
    equal = np.arange(most + 1)
    logs = _log_factorials()
    ways = logs[count] - logs[equal] - logs[count - equal]
    chances = equal * math.log(similarity) + (count - equal) * math.log1p(-similarity)
    return min(1.0, math.fsum(np.exp(ways + chances).tolist()))


@cache
def _log_factorials() -> NDArray[np.float64]:
    return np.array([math.lgamma(n + 1) for n in range(MOST + 1)])
