"""The hashed randomness that all kinds of signatures draw from.

Whole numbers of 64 bits and nothing else, so that every machine draws the same. The mixing function
is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
2014, with Stafford's constants). No cryptography: whoever knows the seed can make bags collide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["EMPTY", "LOW", "STEP", "Hashes", "as_signatures", "mix", "seeded", "stream"]

Hashes = NDArray[np.uint64]

EMPTY = 0xFFFFFFFF  # the signature of a bag that holds nothing; no other bag has it
LOW = np.uint64(0xFFFFFFFF)
STEP = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, odd: its multiples lie far apart

_FACTOR_1 = np.uint64(0xBF58476D1CE4E5B9)
_FACTOR_2 = np.uint64(0x94D049BB133111EB)


def mix(numbers: Hashes) -> Hashes:
    """Numbers stirred in place, one to one."""
    numbers ^= numbers >> np.uint64(30)
    numbers *= _FACTOR_1
    numbers ^= numbers >> np.uint64(27)
    numbers *= _FACTOR_2
    numbers ^= numbers >> np.uint64(31)
    return numbers


def stream(seed: int, count: int) -> Hashes:
    """The first `count` random numbers of a seed."""
    numbers = np.arange(1, count + 1, dtype=np.uint64)
    numbers *= STEP
    numbers += np.uint64(seed)
    return mix(numbers)


def seeded(terms: NDArray[np.uint32], seed: np.uint64) -> Hashes:
    """A random number for each term."""
    numbers = terms.astype(np.uint64)
    numbers ^= seed
    return mix(numbers)


def as_signatures(numbers: Hashes) -> NDArray[np.uint32]:
    """The low 32 bits, but never the reserved value."""
    signatures: NDArray[np.uint32] = numbers.astype(np.uint32)  # drops the high half
    return np.minimum(signatures, np.uint32(EMPTY - 1))
