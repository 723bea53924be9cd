"""The three kinds of signatures by their definitions: one bag, plain loops, whole numbers."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cache

import numpy as np

from pagekin.config import SignatureConfig

__all__ = ["plain_signatures"]

ALL = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15
EMPTY = 0xFFFFFFFF
P = (1 << 31) - 1
f32 = np.float32


def mix(x: int) -> int:
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & ALL
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & ALL
    return x ^ x >> 31


def drawn(seed: int, number: int) -> int:
    """The number-th random number of a seed, from 1."""
    return mix((number * STEP + seed) & ALL)


def plain_signatures(bag: dict[int, float], config: SignatureConfig) -> list[int]:
    """The row of a bag."""
    held = {term: float(f32(weight)) for term, weight in sorted(bag.items()) if weight > 0}
    if not held:
        return [EMPTY] * config.count
    secret = drawn(config.seed, 1)
    bases = {term: mix(term ^ secret) for term in held}
    row = {"darts": _darts, "icws": _icws, "linear": _linear}[config.method](held, bases, config)
    return [min(number & EMPTY, EMPTY - 1) for number in row]


def _darts(held: dict[int, float], bases: dict[int, int], config: SignatureConfig) -> list[int]:
    m = config.count
    cells = max(64, 4 * m)
    thrown = []  # (rank, hash)
    for term, base in bases.items():
        # marks stand at k + offset for k = 0, 1, ...; the offset is above 0 and at most 1
        offset = (base >> 40) + 1
        k = 0
        while (k << 24) + offset <= math.floor(held[term] * cells * 2**24):
            rank = int(f"{k:032b}"[::-1], 2) ^ base & EMPTY
            thrown.append((rank, mix((base + (k + 1) * STEP) & ALL)))
            k += 1
    if not thrown:
        base = next(iter(bases.values()))
        thrown = [(base & EMPTY, mix((base + STEP) & ALL))]
    best: dict[int, tuple[int, int]] = {}
    for rank, number in thrown:
        j = (number >> 48) * m >> 16
        best[j] = min(best.get(j, (rank, number & EMPTY)), (rank, number & EMPTY))
    hashes = [number for _, number in thrown]
    while len(best) < m:
        hashes = [mix((number + STEP) & ALL) for number in hashes]
        late: dict[int, tuple[int, int]] = {}
        for number in hashes:
            j, key = (number >> 48) * m >> 16, (number >> 16 & EMPTY, number & EMPTY)
            late[j] = min(late.get(j, key), key)
        best = late | best
    return [best[j][1] for j in range(m)]


def _linear(held: dict[int, float], bases: dict[int, int], config: SignatureConfig) -> list[int]:
    m = config.count
    copies = []
    for term, base in bases.items():
        most = min(held[term] * config.copies, 65_535.0)
        number = (math.floor(most * 2**24) + (base >> 40)) >> 24
        copies += [mix((base + (k + 1) * STEP) & ALL) for k in range(number)]
    if not copies:
        copies = [mix((next(iter(bases.values())) + STEP) & ALL)]
    row = []
    for j in range(m):
        a = drawn(config.seed, 2 + 2 * j) % (P - 1) + 1
        b = drawn(config.seed, 3 + 2 * j) % P
        row.append(min(((a * (x >> 33) + b) % P, x & EMPTY) for x in copies)[1])
    return row


def _icws(held: dict[int, float], bases: dict[int, int], config: SignatureConfig) -> list[int]:
    row = []
    for j in range(config.count):
        key = drawn(config.seed, 2 + j)
        best: tuple[f32, int, int] | None = None
        for term, base in bases.items():
            draw = mix(base ^ key)
            r, log_c = _r(draw >> 50), _log_c((draw & EMPTY) + 1)
            b = f32(draw >> 32 & (1 << 18) - 1) * f32(2.0**-18)
            t = np.floor(f32(_ln(held[term])) / r + b)
            height = log_c - r * (t - b) - r
            if best is None or height < best[0]:
                best = (height, int(t), base)
        assert best is not None
        row.append(mix((best[2] + best[1] * STEP) & ALL))
    return row


def _ln(x: float) -> float:
    """ln x = e ln 2 + 2 artanh z, the series from its far end."""
    mantissa, exponent = math.frexp(x)
    if mantissa < 0.7071067811865476:
        mantissa, exponent = 2 * mantissa, exponent - 1
    z = (mantissa - 1) / (mantissa + 1)
    total = 0.0
    for odd in range(25, 0, -2):
        total = total * (z * z) + 1.0 / odd
    return exponent * 0.6931471805599453 + 2 * z * total


@cache
def _grid() -> tuple[list[float], list[float]]:
    """Points from 2^-18 on, each 1 + 2^-11 times the last, and what of Gamma(2, 1) lies below."""
    points, below = [2.0**-18], []
    while len(points) < 34_500:
        points.append(points[-1] * (1 + 2.0**-11))
    for c in points:
        term, rest = 1.0, 0.0
        for k in range(1, 240):
            term = term * c / k
            rest += term if k > 1 else 0.0
        below.append(rest / (rest + c + 1))
    return points, below


def _r(index: int) -> f32:
    points, below = _grid()
    return f32(points[bisect_left(below, (index + 0.5) / 2**14)] * (1 - 2.0**-12))


def _log_c(number: int) -> f32:
    _, below = _grid()
    head = int(f32(number).view(np.int32)) >> 14
    low, high = (float(np.int32(h << 14).view(f32)) * 2.0**-32 for h in (head, head + 1))
    at = bisect_left(below, (min(low, 1.0) + min(high, 1.0)) / 2)
    return f32(-12.476649250079015 + (at - 0.5) * 0.00048816207950135104)
