"""Pages meet by the keys of their sketches, and become pairs that are compared.

    sent      key `!copies/DIGEST`; value URL: pages of one digest have the same sketch
              key `!pairs/KEY`; value `DIGEST URL`
    output    key `!copies/DIGEST`; value `URL URL`: the least URL of the copies, and another one
              key `!pairs/KEY`; value `URL URL`, the lesser first

Of copies the least URL alone is paired with others. Copies, and keys of very many pages, make no
quadratic work: of n copies come n - 1 pairs, and where more than `most` pages share a band, each of
the others is paired with the first of them and with the one before it. Shingles of more than
`mirrors.most_pages` are left out, where shingles are the keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import groupby, islice
from operator import itemgetter

from pagekin.config import MirrorConfig
from pagekin.counters import Counters
from pagekin.kinds import COPIES, MIRROR_PAIRS, Pair
from pagekin.mirrors.candidates import keys_of
from pagekin.mirrors.shingles import unpack
from pagekin.stages.shingles.extractor import read_sketches

__all__ = ["MOST_PAIRED", "pair_up", "send_keys"]

MOST_PAIRED = 32  # pages of a band that are all paired with each other

_DIGEST = 16  # bytes


def send_keys(pairs: Iterable[Pair], config: MirrorConfig, counters: Counters) -> Iterator[Pair]:
    """The map side: the keys of each page that has enough to say."""
    make_keys = keys_of(config)
    for url, word in read_sketches(pairs):
        sketch = unpack(word)
        if sketch.shingles < config.least or not len(sketch.fingerprints):
            counters.add("mirrors", "pages_too_short")
            continue
        counters.add("mirrors", "pages")
        digest = blake2b(word, digest_size=_DIGEST).hexdigest().encode()
        yield COPIES.prefix + digest, url
        value = b"%b %b" % (digest, url)
        digits = make_keys(sketch).byteswap().tobytes().hex().encode()
        for k in range(0, len(digits), 16):
            yield MIRROR_PAIRS.prefix + digits[k : k + 16], value


def pair_up(pairs: Iterable[Pair], config: MirrorConfig, counters: Counters) -> Iterator[Pair]:
    """The reduce side: pairs of pages that share a key; values come sorted."""
    for key, group in groupby(pairs, key=itemgetter(0)):
        values = (value for _, value in group)
        if COPIES.holds(key):
            found = _copies(values, counters)
        elif config.candidates == "shingles":
            found = _all_pairs(_one_of_each_copy(values), config.most_pages, counters)
        else:
            found = _near_pairs(_one_of_each_copy(values), counters)
        for one, other in found:
            yield key, b"%b %b" % ((one, other) if one < other else (other, one))


def _copies(urls: Iterator[bytes], counters: Counters) -> Iterator[tuple[bytes, bytes]]:
    """The least URL with each of the others."""
    least = next(urls)
    for url in urls:
        counters.add("mirrors", "exact_copies")
        yield least, url


def _one_of_each_copy(values: Iterator[bytes]) -> Iterator[bytes]:
    """The least URL of each digest."""
    last = b""
    for value in values:
        digest, _, url = value.partition(b" ")
        if digest != last:
            last = digest
            yield url


def _all_pairs(
    urls: Iterator[bytes], most: int, counters: Counters
) -> Iterator[tuple[bytes, bytes]]:
    """Each with each, if they are not too many."""
    some = list(islice(urls, most + 1))
    if len(some) > most:
        counters.add("mirrors", "shingles_left_out")
        return
    for k, url in enumerate(some):
        for other in some[:k]:
            counters.add("mirrors", "candidates")
            yield other, url


def _near_pairs(urls: Iterator[bytes], counters: Counters) -> Iterator[tuple[bytes, bytes]]:
    """Each with each of the first; the rest with the first one and with the one before."""
    first = list(islice(urls, MOST_PAIRED))
    yield from _all_pairs(iter(first), MOST_PAIRED, counters)
    last = first[-1]
    for number, url in enumerate(urls):
        counters.add("mirrors", "hot_keys", int(not number))
        counters.add("mirrors", "candidates", 2)
        yield first[0], url
        yield last, url
        last = url
