"""The counts of each source page, packed into JSON: what a paired comparison needs later.

keys     base64 of a 64-bit hash of each source's URL
counts   base64 of zlib of 64-bit numbers, [source, statistic, (concordant, discordant, tied)]
"""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.errors import InputError
from pagekin.evaluate.gamma import STATISTICS, Counts

__all__ = ["Sources", "pack_sources", "unpack_sources"]

_WIDTH = len(STATISTICS) * 3


class Sources(NamedTuple):
    """Sources by their keys, with their counts."""

    keys: NDArray[np.uint64]
    counts: Counts


def pack_sources(keys: NDArray[np.uint64], counts: Counts) -> dict[str, str]:
    """As text."""
    packed = zlib.compress(counts.astype("<i8").tobytes(), 9)
    return {"keys": _text(keys.astype("<u8").tobytes()), "counts": _text(packed)}


def _text(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def unpack_sources(said: Any, name: str) -> Sources:
    """From text; InputError where it is none of ours."""
    try:
        keys = np.frombuffer(b64decode(said["keys"], validate=True), "<u8")
        size = len(keys) * _WIDTH * 8
        packed = b64decode(said["counts"], validate=True)
        data = zlib.decompressobj().decompress(packed, size + 1)
        counts = np.frombuffer(data, "<i8").reshape(len(keys), len(STATISTICS), 3)
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise InputError(
            f"{name}: holds no counts of sources; it should be the output of"
            " `pagekin evaluate gamma --json`"
        ) from error
    if len(np.unique(keys)) < len(keys) or (counts < 0).any():
        raise InputError(f"{name}: its counts of sources are damaged")
    return Sources(keys, counts)
