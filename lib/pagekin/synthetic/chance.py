"""Chance without a state: every number follows from the seed, what it is for, and its place.

The mixer is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
OOPSLA 2014). numpy's generators promise no stream of numbers over versions, and take 20 us to be
seeded, which is what a tenth of a page costs; 700 numbers take 10 us here. No cryptography.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["UInt64s", "draws", "key_of", "mix", "mix_all"]

UInt64s = NDArray[np.uint64]

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15  # 2^64 / golden ratio
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_LONGEST = 1 << 16  # numbers that are kept ready; longer runs are made as they are asked for
_PLACES = np.arange(1, _LONGEST + 1, dtype=np.uint64) * np.uint64(_STEP)


def mix(number: int) -> int:
    """A number of 64 bits that looks like chance."""
    number = (number + _STEP) & _MASK
    number = ((number ^ (number >> 30)) * _FIRST) & _MASK
    number = ((number ^ (number >> 27)) * _SECOND) & _MASK
    return number ^ (number >> 31)


def key_of(seed: int, *places: int | str) -> int:
    """The key of what stands at these places, from which its numbers are drawn."""
    key = mix(seed)
    for place in places:
        number = int.from_bytes(place.encode(), "big") if isinstance(place, str) else place
        while number >> 64:  # long names, eight letters at a time
            key, number = mix(key ^ (number & _MASK)), number >> 64
        key = mix(key ^ number)
    return key


def draws(key: int, count: int) -> UInt64s:
    """So many numbers of a key; fewer are the beginning of more."""
    places = (
        _PLACES[:count]
        if count <= _LONGEST
        else np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_STEP)
    )
    return _mixed(places + np.uint64(key))


def mix_all(numbers: UInt64s) -> UInt64s:
    """What `mix` makes of each."""
    return _mixed(numbers + np.uint64(_STEP))


def _mixed(numbers: UInt64s) -> UInt64s:
    numbers ^= numbers >> np.uint64(30)
    numbers *= np.uint64(_FIRST)
    numbers ^= numbers >> np.uint64(27)
    numbers *= np.uint64(_SECOND)
    numbers ^= numbers >> np.uint64(31)
    return numbers
