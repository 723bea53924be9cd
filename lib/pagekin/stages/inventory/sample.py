"""Where large hosts are cut, from a sample of the pages.

One page in so many is read by the inventory, chosen by lot, and tells where its links lead: some
hundred pages of a small snapshot, some thousand of a large one. From all of them follow the cuts:
no range of URLs is to have more than a small part of the terms that are to be merged.
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

from pagekin.kinds import SAMPLE, Pair
from pagekin.stages.declaration import Circumstances
from pagekin.stages.fragments.parcels import UrlRanges, host_part
from pagekin.tables import url_number
from pagekin.web.page import NOTHING, Page
from pagekin.web.warc import Record

__all__ = [
    "HEAD",
    "Sampler",
    "Sampling",
    "find_cuts",
    "lot_of",
    "read_links",
    "sample_value",
    "sampling_for",
    "sampling_of",
    "write_sampled",
]

HEAD = 4 << 20  # bytes of each file, where only the sample is read

_FEWEST = 32  # of small snapshots one page in 32: each has dozens of links
_SMALL = 16 << 20  # bytes of compressed pages that are enough of 512 MB, twice as much of 2 GB
_MOST = 256 << 20  # some 20,000 pages: tables of them are made by one process
_RANGES = 32  # of equal size would do for the tasks of one machine
_LARGE = 2 << 20  # terms in any snapshot: 3 MB of parcels, 30 MB once a reducer has opened them
_FEW = 512  # terms of a sample: eight links, less tells nothing
_LONGEST_CUT = 256  # bytes
_MOST_LINKS = 1000  # of one page
_OF_LINK, _OF_PAGE = 64, 1000  # terms to be merged, about


class Sampling(NamedTuple):
    """Which pages are read for the sample."""

    one_in: int  # chosen by lot
    heads: int  # bytes of each file that are looked at; 0: all
    stands_for: int  # pages of the snapshot, each page of the sample


def sampling_of(sizes: Iterable[int], *, whole: bool) -> Sampling:
    """How much of files of these compressed sizes is read: of all that they hold if that is read
    anyway, else of their beginnings.
    """
    sizes = list(sizes)
    total = sum(sizes)
    looked_at = total if whole else sum(min(size, HEAD) for size in sizes)
    wanted = min(_MOST, max(_SMALL, isqrt(_SMALL * looked_at // 8)))
    pages = _FEWEST
    while looked_at // pages > wanted:
        pages *= 2
    stands_for = pages * total // looked_at if looked_at else pages
    return Sampling(pages, 0 if whole else HEAD, stands_for)


def sampling_for(circumstances: Circumstances) -> Sampling:
    """How much is read in a build: of whole files where they are read for captures anyway."""
    whole = bool({"captures", "stop_words"} & set(circumstances.made_together))
    sampling = sampling_of(circumstances.sizes, whole=whole)
    return sampling._replace(stands_for=round(sampling.stands_for * circumstances.stands_for))


def lot_of(record: Record) -> int:
    """The number by which a page is chosen or not. Its author chooses the URL, and could find one
    for any number, but not the second of the capture.
    """
    return url_number(f"{record.date} {record.url}".encode("utf-8", "replace"))


class Sampler:
    """Makes records of the pages that are chosen."""

    view = NOTHING  # of a page, but its links

    def __init__(self, one_in: int) -> None:
        self._one_in = one_in

    def wants(self, record: Record) -> bool:
        """Is the page of this record in the sample?"""
        return not lot_of(record) % self._one_in

    def record(self, page: Page) -> Pair:
        """About how many terms it gives to each URL."""
        links = Counter(target.encode() for target in page.targets() if target)
        merged = {url: _OF_LINK * number for url, number in links.items()}
        merged[page.url.encode()] = _OF_PAGE
        key = b"%b%016x" % (SAMPLE.prefix, url_number(page.url.encode()))
        return key, sample_value(merged)


def sample_value(merged: Mapping[bytes, int]) -> bytes:
    """The value of a page of the sample: how many terms it gives to which URL. Of very many URLs
    the largest are told, and of a very long one its beginning, for a cut may be anywhere.
    """
    told = nlargest(_MOST_LINKS, sorted(merged.items()), key=itemgetter(1))
    return b" ".join([b"%d %b" % (size, _shortened(url)) for url, size in sorted(told)])


def _shortened(url: bytes) -> bytes:
    start = host_part(url)
    longest = max(_LONGEST_CUT, len(start))
    return url if len(url) <= longest else url[:longest].decode(errors="ignore").encode()


def read_links(value: bytes) -> Iterator[tuple[bytes, int]]:
    """The URLs of a page of the sample, each with the terms that it gets."""
    words = value.split(b" ")
    return zip(words[1::2], map(int, words[::2]), strict=True)


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
    """Store the ranges of URLs, by what each page of the sample tells."""
    links = (link for value in values for link in read_links(value))
    UrlRanges(find_cuts(links, stands_for)).write(path)
