"""Texts that XXH3-64 does not tell from a given one, in a second: why it names no URL.

XXH3-64 of 128 bytes is a sum of eight numbers, one for each 16 bytes, and what becomes of the sum
can be undone. So a text with a wanted hash is a choice of one block from each of eight lists whose
numbers add up to a wanted sum: the generalised birthday problem (Wagner, CRYPTO 2002), which lists
of 2^17 blocks solve.
"""

from __future__ import annotations

import numpy as np
import xxhash
from numpy.typing import NDArray

__all__ = ["host_like", "url_like"]

Numbers = NDArray[np.uint64]

_BLOCK, _BLOCKS = 16, 8
_BITS = 17  # of a sum that become 0 at each of the two first of three levels
_LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz0123456789", np.uint8)
_FREE = ord("*")
_SUM = 1 << 64
# The secret of XXH3 as far as it is used here, and where in it that of each block stands.
_SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
)
_SECRETS = (0, 32, 64, 96, 112, 80, 48, 16)
_LENGTH_FACTOR, _LAST_FACTOR = 0x9E3779B185EBCA87, 0x165667919E3779F9


def url_like(text: str) -> str:
    """A canonical URL of a host of its own, in its plain spelling, with the XXH3-64 of a text."""
    return _second(text, "http://*****.ex/" + 7 * "/***************")


def host_like(text: str) -> str:
    """A host with the XXH3-64 of a text."""
    return _second(text, "***************a" + 7 * ".**************a")


def _second(text: str, template: str) -> str:
    """A text of 128 bytes with the XXH3-64 of another; `*` in the template is any letter."""
    wanted = xxhash.xxh3_64_intdigest(text.encode())
    total = (_unavalanched(wanted) - _BLOCK * _BLOCKS * _LENGTH_FACTOR) % _SUM
    random = np.random.default_rng(wanted)
    blocks = [
        _blocks(template[_BLOCK * k : _BLOCK * (k + 1)].encode(), random) for k in range(_BLOCKS)
    ]
    sums = [_mixed(some, secret) for some, secret in zip(blocks, _SECRETS, strict=True)]
    sums[0] = sums[0] - np.uint64(total)
    chosen = [np.arange(len(some)).reshape(-1, 1) for some in blocks]  # of each sum its blocks
    for bits in (_BITS, 2 * _BITS, 64):
        pairs = [_pairs(sums[k], sums[k + 1], bits) for k in range(0, len(sums), 2)]
        chosen = [
            np.hstack((chosen[2 * k][a], chosen[2 * k + 1][b])) for k, (a, b) in enumerate(pairs)
        ]
        sums = [sums[2 * k][a] + sums[2 * k + 1][b] for k, (a, b) in enumerate(pairs)]
    found = b"".join(some[k].tobytes() for some, k in zip(blocks, chosen[0][0], strict=True))
    assert xxhash.xxh3_64_intdigest(found) == wanted
    return found.decode()


def _blocks(template: bytes, random: np.random.Generator) -> NDArray[np.uint8]:
    rows = np.tile(np.frombuffer(template, np.uint8), (1 << _BITS, 1))
    free = rows == _FREE
    rows[free] = random.choice(_LETTERS, int(free.sum()))
    return rows


def _mixed(blocks: NDArray[np.uint8], secret: int) -> Numbers:
    """What each block adds: both halves of the product of its halves, in the secret's guise."""
    halves = blocks.view("<u8") ^ np.frombuffer(_SECRET, "<u8", 2, secret)
    a, b = halves[:, 0], halves[:, 1]
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    crossed = (a & low) * (b >> shift)
    middle = (a >> shift) * (b & low) + ((a & low) * (b & low) >> shift) + (crossed & low)
    high: Numbers = (a >> shift) * (b >> shift) + (crossed >> shift) + (middle >> shift)
    return high ^ a * b


def _pairs(some: Numbers, others: Numbers, bits: int) -> tuple[NDArray[np.int64], ...]:
    """The places of all pairs whose sum has so many low bits 0."""
    mask = np.uint64((1 << bits) - 1)
    wanted, keys = some & mask, (np.uint64(0) - others) & mask
    order = np.argsort(keys)
    low, high = (np.searchsorted(keys[order], wanted, side) for side in ("left", "right"))
    sizes = high - low
    ends = np.cumsum(sizes)
    places = np.arange(int(ends[-1])) + np.repeat(low - ends + sizes, sizes)
    return np.repeat(np.arange(len(some)), sizes), order[places]


def _unavalanched(hashed: int) -> int:
    """The sum of which a hash was made."""
    hashed ^= hashed >> 32
    hashed = hashed * pow(_LAST_FACTOR, -1, _SUM) % _SUM
    return hashed ^ hashed >> 37
