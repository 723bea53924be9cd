"""Goodman-Kruskal gamma and partial gammas, by counting pairs [SIM 2.2 and 2.3, Definition 3].

For a source page, two other pages make a pair where the familial ordering decides: one is nearer.
It is concordant if that one is also the more similar one, discordant if the less similar one, and
tied if both are equally similar; gamma is (C - D) / (C + D), so ties are left out, and as a sparse
strategy looks good by tying the hard pairs away, (C - D) / (C + D + T) is shown too. Counts are
summed over all source pages.

    gamma      all pairs that the familial ordering decides
    sibling    a page of the source's class and one of a sibling class
    cousin     a page of the source's class and a cousin
    unrelated  a page of the source's class and an unrelated one

Similarities are rounded to 12 decimals first, so that no order of additions breaks a tie. Pairs are
counted by sorting and bisection and never made: a source costs n log n.

The counts of each source are kept in results, for later paired comparisons (docs/formats.md), and
are the records of a job that counts them: the number of a page, and base64 of its 14 numbers.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode, b64encode_as_string

from pagekin.errors import InputError
from pagekin.evaluate.labelled_pages import COUSINS, SAME, SIBLINGS, UNRELATED, LabelledPages
from pagekin.evaluate.similarities import Representation
from pagekin.kinds import Pair

__all__ = [
    "DECIMALS",
    "STATISTICS",
    "Counts",
    "Sources",
    "Tally",
    "count_pairs",
    "gamma_of",
    "pack_sources",
    "tally_of_records",
    "tally_records",
    "tally_sources",
    "unpack_sources",
    "with_ties_of",
]

STATISTICS: Final = ("gamma", "sibling", "cousin", "unrelated")
DECIMALS: Final = 12  # of a similarity
_WIDTH: Final = len(STATISTICS) * 3  # counts of a source

Counts = NDArray[np.int64]  # [..., statistic, (concordant, discordant, tied)]
Values = NDArray[np.float64]


class Tally(NamedTuple):
    """What was counted, a row for each source."""

    counts: Counts  # [source, statistic, (concordant, discordant, tied)]
    same: NDArray[np.int64]  # pages of the source's class
    orthogonal: NDArray[np.int64]  # those of them that have nothing in common with it


def tally_sources(
    pages: LabelledPages, representation: Representation, sources: Iterable[int]
) -> Tally:
    """The counts of each source against all other pages."""
    counts, same, orthogonal = [], [], []
    for source in sources:
        similarities = np.delete(representation(source), source)
        distances = np.delete(pages.distances(source), source)
        near = similarities[distances == SAME].round(DECIMALS)
        counts.append(count_pairs(similarities, distances))
        same.append(len(near))
        orthogonal.append(int((near == 0).sum()))
    return Tally(
        np.array(counts, np.int64).reshape(-1, len(STATISTICS), 3),
        np.array(same, np.int64),
        np.array(orthogonal, np.int64),
    )


def count_pairs(similarities: Values, distances: NDArray[np.int8]) -> Counts:
    """Concordant, discordant and tied pairs of each statistic for one source."""
    rounded = similarities.round(DECIMALS)
    if not np.isfinite(rounded).all():
        raise ValueError("a similarity is no finite number")
    same, siblings, cousins, unrelated = (
        np.sort(rounded[distances == k]) for k in (SAME, SIBLINGS, COUSINS, UNRELATED)
    )
    partial = [_compare(same, far) for far in (siblings, cousins, unrelated)]
    rest = [(siblings, cousins), (siblings, unrelated), (cousins, unrelated)]
    total = sum([_compare(near, far) for near, far in rest], np.sum(partial, axis=0))
    return np.array([total, *partial], np.int64)


def _compare(near: Values, far: Values) -> Counts:
    """How often an item of `near` is above, below and equal to one of `far`; both are sorted."""
    if len(near) > len(far):  # the shorter one is looked up in the longer
        above, below, equal = _compare(far, near).tolist()
        return np.array((below, above, equal), np.int64)
    low = int(far.searchsorted(near, "left").sum())
    high = int(far.searchsorted(near, "right").sum())
    pairs = len(near) * len(far)
    return np.array((low, pairs - high, high - low), np.int64)


def gamma_of(counts: NDArray[Any]) -> Values:
    """(C - D) / (C + D) of counts in the last axis; no number where no pair is decided."""
    concordant, discordant = counts[..., 0], counts[..., 1]
    return _ratio(concordant - discordant, concordant + discordant)


def with_ties_of(counts: NDArray[Any]) -> Values:
    """(C - D) / (C + D + T) of counts in the last axis; no number where there is no pair."""
    return _ratio(counts[..., 0] - counts[..., 1], counts.sum(axis=-1))


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> Values:
    result = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=result, where=np.asarray(whole) > 0)
    return result


# --- records of a job ---


def tally_records(tally: Tally, sources: Sequence[int]) -> Iterator[Pair]:
    """A record for each source: its counts, pages of its class, and the orthogonal of these."""
    columns = [tally.counts.reshape(-1, _WIDTH), tally.same, tally.orthogonal]
    for source, row in zip(sources, np.column_stack(columns).astype("<i8"), strict=True):
        yield b"%010d" % source, b64encode(row.tobytes())


def tally_of_records(records: Iterable[Pair]) -> Tally:
    """The counts of all sources, in the order of the records."""
    rows = [np.frombuffer(b64decode(value, validate=True), "<i8") for _, value in records]
    table = np.array(rows, np.int64).reshape(-1, _WIDTH + 2)
    counts = table[:, :_WIDTH].reshape(-1, len(STATISTICS), 3)
    return Tally(counts, table[:, -2], table[:, -1])


# --- counts in results ---


class Sources(NamedTuple):
    """Sources by their keys, with their counts."""

    keys: NDArray[np.uint64]
    counts: Counts


def pack_sources(sources: Sources) -> dict[str, str]:
    """Base64 of the keys, and base64 of zlib of the counts."""
    packed = zlib.compress(sources.counts.astype("<i8").tobytes(), 9)
    keys = sources.keys.astype("<u8").tobytes()
    return {"keys": b64encode_as_string(keys), "counts": b64encode_as_string(packed)}


def unpack_sources(packed: Any, name: str) -> Sources:
    """What `pack_sources` packed; InputError, about what has this name, where it is none."""
    try:
        keys = np.frombuffer(b64decode(packed["keys"], validate=True), "<u8")
        size = len(keys) * _WIDTH * 8
        data = zlib.decompressobj().decompress(b64decode(packed["counts"], validate=True), size + 1)
        counts = np.frombuffer(data, "<i8").reshape(len(keys), len(STATISTICS), 3)
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise InputError(
            f"{name}: holds no counts of sources; it should be the output of"
            " `pagekin evaluate gamma --json`"
        ) from error
    if len(np.unique(keys)) < len(keys) or (counts < 0).any():
        raise InputError(f"{name}: its counts of sources are damaged")
    return Sources(keys, counts)
