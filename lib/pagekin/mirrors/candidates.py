"""Which pages are compared: those that share a key, of three ways to make keys of a sketch.

    bands            MIPs, the minima of so many permutations of a page's shingles [TOPK], are cut
                     into bands of r rows. Two pages of resemblance s share one of b bands with the
                     probability 1 - (1 - s^r)^b: with 28 bands of 3 rows .976 for s = .5, .53 for
                     .3 and .03 for .1
    super_shingles   the same with few long bands [Broder]: with 6 of 14 rows .98 for s = .95, .24
                     for .8
    shingles         each shingle is a key: the plain way [TOPK, "Efficient Duplicate Detection in
                     Large Corpora"], which misses nothing, at the price of all pairs of a shingle

A pair of pages is only a candidate; whoever shares a key is compared.

Of pages of which one is contained in the other the resemblance may be small, and none of the first
two ways finds them. So with these a sample of the shingles are keys, too, the same of all pages.

MIPs of a sketch are those of the fingerprints that it has. Of two long texts of unequal length the
samples differ in their reach, and keys are shared less often than by the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from pagekin.config import MirrorConfig
from pagekin.mirrors.shingles import Fingerprints, Sketch, mix

__all__ = ["Keys", "bands_of", "make_mips", "sampled_shingles"]

Keys = Callable[[Sequence[Sketch]], Sequence[Fingerprints]]


def sampled_shingles(sketch: Sketch, config: MirrorConfig) -> Fingerprints:
    """The shingles of a page that are keys."""
    if config.candidates == "shingles":
        return sketch.fingerprints
    if not config.sampled:
        return sketch.fingerprints[:0]
    all_of_them = sketch.fingerprints
    some: Fingerprints = all_of_them[all_of_them % np.uint64(config.sampled) == 0]
    return some


def bands_of(config: MirrorConfig) -> Keys:
    """The function that gives the bands, or super-shingles, of each of some sketches, all of which
    have shingles; where shingles are the keys there are none.
    """
    if config.candidates == "shingles":
        return lambda sketches: [np.zeros(0, np.uint64)] * len(sketches)
    number, rows = config.permutations // config.rows, config.rows
    if config.candidates == "super_shingles":
        number, rows = config.super_shingles, config.permutations // config.super_shingles

    def keys(sketches: Sequence[Sketch]) -> list[Fingerprints]:
        mips = np.array([make_mips(sketch, number * rows) for sketch in sketches], np.uint64)
        bands = mips.reshape(len(sketches), number, rows)
        # keys of different bands are different
        key = np.broadcast_to(np.arange(number, dtype=np.uint64), bands.shape[:2])
        for row in range(rows):
            key = mix(key, bands[:, :, row])
        return [*key]

    return keys


def make_mips(sketch: Sketch, permutations: int) -> NDArray[np.uint32]:
    """The minima of so many permutations of the fingerprints of a sketch, which has some; their
    lower halves are permuted.
    """
    lower = sketch.fingerprints.astype(np.uint32)  # the upper ones of long texts are all small
    minima: NDArray[np.uint32] = (_factors(permutations)[:, None] * lower).min(axis=1)
    return minima


@cache
def _factors(permutations: int) -> NDArray[np.uint32]:
    """Odd numbers: to multiply by one is a permutation of the numbers of 32 bits."""
    digests = (blake2b(b"permutation %d" % k, digest_size=4).digest() for k in range(permutations))
    return np.frombuffer(b"".join(digests), "<u4").astype(np.uint32) | np.uint32(1)
