"""How the bags of a snapshot are to be packed, from a sample of its pages.

One page in so many is read by the inventory, chosen by its URL, and tells which terms are frequent
and where links lead: some hundred pages of a small snapshot, some thousand of a large one. From all
of them follow the codes of terms, and the cuts of hosts that are large: no range is to hold more
than a small part of what is to be merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from heapq import nlargest
from itertools import groupby
from math import isqrt
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pybase64 import b64decode, b64encode

from pagekin.stages.declaration import Circumstances
from pagekin.stages.fragments.packing import MOST_CODES, host_part, write_packing
from pagekin.text.words import Terms

__all__ = [
    "HEAD",
    "SAMPLE_KEY",
    "Sampling",
    "find_codes",
    "find_cuts",
    "read_links",
    "read_terms",
    "sample_value",
    "sampling_for",
    "sampling_of",
    "write_sampled",
]

SAMPLE_KEY = b"!sample/"
HEAD = 4 << 20  # bytes of each file, where only the sample is read

_FEWEST = 8  # of small snapshots one page in eight, to know words
_FEWEST_FOR_LINKS = 32  # and to know where links lead: each page has dozens of them
_SMALL = 16 << 20  # bytes of compressed pages that are enough of 128 MB, twice as much of 512 MB
_MOST = 256 << 20  # some 20,000 pages: tables of them are made by one process
_RANGES = 32  # of equal size would do for the tasks of one machine
_LARGE = 32 << 20  # terms: a second or two of a reducer, in any snapshot
_FEW = 512  # terms of a sample: eight links, less tells nothing
_LONGEST_CUT = 256  # bytes
_MOST_LINKS = 1000  # of one page


class Sampling(NamedTuple):
    """Which pages are read for the sample."""

    one_in: int  # chosen by their URL
    heads: int  # bytes of each file that are looked at; 0: all
    stands_for: int  # pages of the snapshot, each page of the sample
    words: bool = True  # do they tell their terms, too?


def sampling_of(sizes: Iterable[int], *, whole: bool, words: bool) -> Sampling:
    """How much of files of these compressed sizes is read: of all that they hold if that is read
    anyway, else of their beginnings.
    """
    sizes = list(sizes)
    total = sum(sizes)
    looked_at = total if whole else sum(min(size, HEAD) for size in sizes)
    wanted = min(_MOST, max(_SMALL, isqrt(_SMALL * looked_at // 8)))
    pages = _FEWEST if words else _FEWEST_FOR_LINKS
    while looked_at // pages > wanted:
        pages *= 2
    stands_for = pages * total // looked_at if looked_at else pages
    return Sampling(pages, 0 if whole else HEAD, stands_for, words)


def sampling_for(circumstances: Circumstances) -> Sampling:
    """How much is read in a build: of whole files where they are read for captures anyway."""
    whole = "captures" in circumstances.made_together
    sampling = sampling_of(circumstances.sizes, whole=whole, words=False)
    return sampling._replace(stands_for=round(sampling.stands_for * circumstances.stands_for))


def sample_value(terms: Terms, counts: Terms, links: Mapping[bytes, int]) -> bytes:
    """What a page of the sample tells: its terms and how often each stands there; of each URL that
    it says something about how many terms are to be merged. Of very many URLs the largest are
    told, and of a very long one its beginning, for a cut may be anywhere.
    """
    packed = b64encode(terms.astype("<u4").tobytes() + counts.astype("<u4").tobytes())
    told = nlargest(_MOST_LINKS, sorted(links.items()), key=itemgetter(1))
    words = (b"%d %b" % (size, _shortened(url)) for url, size in sorted(told))
    return b" ".join((packed, *words))


def _shortened(url: bytes) -> bytes:
    start = host_part(url)
    longest = max(_LONGEST_CUT, len(start))
    return url if len(url) <= longest else url[:longest].decode(errors="ignore").encode()


def read_terms(value: bytes) -> tuple[Terms, Terms]:
    """The terms of a page of the sample, with their counts."""
    numbers = np.frombuffer(b64decode(value.partition(b" ")[0], validate=True), "<u4")
    half = len(numbers) // 2
    return numbers[:half], numbers[half:]


def read_links(value: bytes) -> Iterator[tuple[bytes, int]]:
    """The URLs that it says something about, with how many terms are to be merged."""
    _, *words = value.split(b" ")
    return zip(words[1::2], map(int, words[::2]), strict=True)


def find_codes(pages: Iterable[tuple[Terms, Terms]]) -> Terms:
    """The terms of the sample that get codes, the most frequent first."""
    some = [(np.empty(0, np.uint32), np.empty(0, np.uint32)), *pages]
    terms, counts = (np.concatenate(column) for column in zip(*some, strict=True))
    distinct, places = np.unique(terms, return_inverse=True)
    totals = np.bincount(places, counts, len(distinct))
    return distinct[np.lexsort((distinct, -totals))][:MOST_CODES]


def find_cuts(links: Iterable[tuple[bytes, int]], stands_for: int) -> list[bytes]:
    """Where large hosts are cut, if each page of the sample stands for so many."""
    sizes: Counter[bytes] = Counter()
    for url, size in links:
        sizes[url] += size
    most = max(_FEW, min(sizes.total() // _RANGES, _LARGE // stands_for))
    urls = sorted(sizes.items())
    cuts: list[bytes] = []
    for _, of_host in groupby(urls, key=lambda item: host_part(item[0])):
        held = 0
        for url, size in of_host:
            if held and held + size > most:
                cuts.append(url)
                held = 0
            held += size
    return cuts


def write_sampled(path: Path, values: Iterable[bytes], stands_for: int) -> None:
    """Store how bags are packed, by what each page of the sample tells."""
    terms: list[tuple[Terms, Terms]] = []

    def links() -> Iterator[tuple[bytes, int]]:
        for value in values:
            terms.append(read_terms(value))
            yield from read_links(value)

    cuts = find_cuts(links(), stands_for)
    write_packing(path, find_codes(terms), cuts)
