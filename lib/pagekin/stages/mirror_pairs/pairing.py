"""Pages meet by the keys of their sketches, and become pairs that are compared.

    sent      key `!copies/DIGEST`; value URL: pages of one digest have the same sketch
              key `!pairs/bBAND` or `!pairs/sSHINGLE`; value `DIGEST URL`
    output    key `!copies/DIGEST`; value `URL URL`: the least URL of the copies, and another one
              key as it was sent; value `URL URL`, the lesser first

Of copies the least URL alone is paired with others. Copies, and keys of very many pages, make no
quadratic work: of n copies come n - 1 pairs. Where more than 32 pages share a band each of the rest
is paired with the first of them and with the one before it. A shingle of more than 32 pages is left
out; where all shingles are keys, of more than `mirrors.most_pages`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import combinations, islice

from pagekin.config import MirrorConfig
from pagekin.counters import Counters
from pagekin.kinds import COPIES, MIRROR_PAIRS, Pair
from pagekin.mirrors.candidates import bands_of, sampled_shingles
from pagekin.mirrors.shingles import Sketch, unpack
from pagekin.stages.shingles.extractor import read_sketches

__all__ = ["MOST_PAIRED", "pair_up", "send_keys"]

MOST_PAIRED = 32  # pages of a key that are all paired with each other

_BAND, _SHINGLE = MIRROR_PAIRS.prefix + b"b", MIRROR_PAIRS.prefix + b"s"
_DIGITS = 16  # of a key
_DIGEST = 16  # bytes
_BATCH = 256  # pages whose keys are made at once: in two thirds of the time of one by one


def send_keys(pairs: Iterable[Pair], config: MirrorConfig, counters: Counters) -> Iterator[Pair]:
    """The map side: the keys of each page that has enough to say."""
    make_bands = bands_of(config)
    pages = _pages_with_something_to_say(pairs, config.least, counters)
    while batch := list(islice(pages, _BATCH)):
        bands_of_each = make_bands([sketch for _, _, sketch in batch])
        for (url, digest, sketch), bands in zip(batch, bands_of_each, strict=True):
            yield COPIES.prefix + digest, url
            value = b"%b %b" % (digest, url)
            for mark, keys in ((_BAND, bands), (_SHINGLE, sampled_shingles(sketch, config))):
                digits = keys.byteswap().tobytes().hex().encode()
                for k in range(0, len(digits), _DIGITS):
                    yield mark + digits[k : k + _DIGITS], value


def _pages_with_something_to_say(
    pairs: Iterable[Pair], least: int, counters: Counters
) -> Iterator[tuple[bytes, bytes, Sketch]]:
    """URL, digest and sketch of each page of so many shingles."""
    for url, word in read_sketches(pairs):
        sketch = unpack(word)
        if sketch.shingles < least or not len(sketch.fingerprints):
            counters.add("mirrors", "pages_too_short")
            continue
        counters.add("mirrors", "pages")
        yield url, blake2b(word, digest_size=_DIGEST).hexdigest().encode(), sketch


def pair_up(pairs: Iterable[Pair], config: MirrorConfig, counters: Counters) -> Iterator[Pair]:
    """The reduce side: pairs of pages that share a key; values come sorted."""
    most = config.most_pages if config.candidates == "shingles" else MOST_PAIRED
    for key, values in _shared(pairs):
        if COPIES.holds(key):
            found = _copies(values, counters)
        elif key.startswith(_SHINGLE):
            found = _all_pairs(_one_of_each_copy(values), most, counters)
        else:
            found = _near_pairs(_one_of_each_copy(values), counters)
        for one, other in found:
            yield key, b"%b %b" % ((one, other) if one < other else (other, one))


def _shared(pairs: Iterable[Pair]) -> Iterator[tuple[bytes, Iterator[bytes]]]:
    """The keys that more than one page has, with their values: of the 40 of a page few are."""
    rest = iter(pairs)
    last = next(rest, None)
    for pair in rest:
        if last is None or pair[0] != last[0]:  # groupby takes five times as long
            last = pair
            continue
        behind: list[Pair] = []
        values = _values_of(last, pair, rest, behind)
        yield last[0], values
        deque(values, maxlen=0)  # those that nobody looked at
        last = behind[0] if behind else None


def _values_of(
    first: Pair, second: Pair, rest: Iterator[Pair], behind: list[Pair]
) -> Iterator[bytes]:
    """The values of these two and of all others of their key; what comes then goes to `behind`."""
    yield first[1]
    yield second[1]
    for pair in rest:
        if pair[0] != first[0]:
            behind.append(pair)
            return
        yield pair[1]


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
    else:
        counters.add("mirrors", "candidates", len(some) * (len(some) - 1) // 2)
        yield from combinations(some, 2)


def _near_pairs(urls: Iterator[bytes], counters: Counters) -> Iterator[tuple[bytes, bytes]]:
    """Each with each of the first; the rest with the first one and with the one before."""
    first = list(islice(urls, MOST_PAIRED))
    counters.add("mirrors", "candidates", len(first) * (len(first) - 1) // 2)
    yield from combinations(first, 2)
    last = first[-1]
    for number, url in enumerate(urls):
        counters.add("mirrors", "hot_keys", int(not number))
        counters.add("mirrors", "candidates", 2)
        yield first[0], url
        yield last, url
        last = url
