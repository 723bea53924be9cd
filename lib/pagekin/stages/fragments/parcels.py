"""Parcels: all that one page says about the URLs of one range, on its way to their reducer.

A range is all URLs of a host, or where a host is large a part of them in their order, from one cut
to the next. Windows of one page overlap, and a page has some hundred links to some fifteen hosts.
So a parcel has the words of all its windows once, as pieces of the page in their order, and of each
link only where in them its window stands. The page's own words go into the parcel of its own range.

A parcel is one value of bytes (docs/formats.md has an example):

    pHOST FLAG COUNT URL URL ...|terms numbers

HOST names the citing host. FLAG is `-`, or in the parcel with the page's own words `0`, or `1`
where a page of another URL speaks for this one, and behind that the title as people read it. COUNT
is the number of terms. URLs lack what all URLs of their host begin with; one without links is the
page itself. Terms take four bytes each: the title (in the parcel with the page's own words all of
it, else what links carry), the pieces of the text, the chains of headings, and the page's id. The
numbers say how many terms the title and the id have, how many chains there are and how long each
is; how many links each URL has; and of each link where its window begins, how many terms it has
before, in and behind its anchor, and its chain. Behind the bar ends of lines are escaped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.fragments import Fragments
from pagekin.kinds import Pair
from pagekin.tables import ArrayFile, write_arrays
from pagekin.text.words import Terms

__all__ = [
    "PARCEL",
    "Opened",
    "PageFragments",
    "UrlRanges",
    "bounds_of",
    "host_part",
    "open_parcels",
    "own_parcel",
    "pack",
    "page_title",
    "pieces_index",
]

Numbers = NDArray[np.int64]

PARCEL = b"p"  # the first byte
_KIND = "packing"
_NO_PAGE, _OWN_PAGE, _OTHER_PAGE = b"-", b"0", b"1"  # flags
# A title holds no control character: two stand for what has a meaning in the head of a parcel.
_TITLE_TO_HEAD = bytes.maketrans(b" |", b"\x1e\x1f")
_TITLE_OF_HEAD = bytes.maketrans(b"\x1e\x1f", b" |")
_TERM_BYTES = 4
_LINK = 5  # numbers of a link
_LONGEST_NUMBER = 5  # bytes
_ESCAPE = b"\x1b"
_UNESCAPED = np.zeros(256, np.uint8)
_UNESCAPED[list(b"enr")] = list(_ESCAPE + b"\n\r")


# --- ranges of URLs ---


def host_part(url: bytes) -> bytes:
    """All of a canonical URL that is before its path, and the path's first slash."""
    end = url.find(b"/", url.find(b"://") + 3)
    return url[: end + 1] if end >= 0 else url


class UrlRanges:
    """Which URLs travel together: those of a host, or of a part of it where it has cuts.

    A range is named by the first URL that it could hold, so ranges are ordered as their URLs are.
    """

    def __init__(self, cuts: Iterable[bytes] = ()) -> None:
        self.cuts = sorted(cuts)  # URLs

    @classmethod
    def read(cls, path: str | Path | None) -> UrlRanges:
        """The ranges that were stored; without a path no host is cut."""
        if not path:
            return cls()
        file = ArrayFile(Path(path), _KIND)
        text = file["cuts"].tobytes()
        return cls([text[a:b] for a, b in pairwise(file["cut_bounds"].tolist())])

    def write(self, path: Path) -> None:
        """Store the cuts."""
        arrays: dict[str, NDArray[Any]] = {
            "cuts": np.frombuffer(b"".join(self.cuts), np.uint8),
            "cut_bounds": np.array([0, *accumulate(map(len, self.cuts))], np.int64),
        }
        write_arrays(path, _KIND, {}, arrays)

    def key_of(self, url: bytes) -> bytes:
        """The name of the range that a URL is in."""
        return self._range(url)[0]

    def split(self, urls: Sequence[bytes]) -> Iterator[tuple[bytes, int, Sequence[bytes]]]:
        """The ranges that sorted URLs are in: each with the length of what all URLs of its host
        begin with, and its URLs.
        """
        first, key, start, end = 0, b"", b"", b""
        for place, url in enumerate(urls):
            if not start or not url.startswith(start) or (end and url >= end):
                if start:
                    yield key, len(start), urls[first:place]
                first = place
                key, start, end = self._range(url)
        if start:
            yield key, len(start), urls[first:]

    def _range(self, url: bytes) -> tuple[bytes, bytes, bytes]:
        """Its name, what all URLs of its host begin with, and the cut behind it, if any."""
        start = host_part(url)
        if not self.cuts:
            return start, start, b""
        place = bisect_right(self.cuts, url)
        before = self.cuts[place - 1] if place else b""
        behind = self.cuts[place] if place < len(self.cuts) else b""
        key = before if before.startswith(start) else start
        return key, start, behind if behind.startswith(start) else b""


# --- numbers as bytes, and pieces of arrays ---


def number_bytes(numbers: Numbers) -> tuple[bytes, Numbers]:
    """Numbers of up to 35 bits as bytes, and where each ends: seven bits a byte, the highest first,
    the last byte with the eighth bit set. So most take one byte, which needs no escape.

    >>> number_bytes(np.array([0, 127, 128]))[0].hex(" ")
    '80 ff 01 80'
    """
    sizes = np.ones(len(numbers), np.int64)
    most = int(numbers.max(initial=0))
    digits = max(1, -(-most.bit_length() // 7))
    for digit in range(1, digits):
        sizes += numbers >> 7 * digit > 0
    ends = np.cumsum(sizes)
    text = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    text[ends - 1] = numbers & 0x7F | 0x80
    for digit in range(1, digits):
        long = np.flatnonzero(sizes > digit)
        text[ends[long] - 1 - digit] = numbers[long] >> 7 * digit & 0x7F
    return text.tobytes(), ends


def read_numbers(text: bytes) -> tuple[Numbers, Numbers]:
    """The numbers of such bytes, and where each ends; ValueError if one is too long."""
    digits = np.frombuffer(text, np.uint8)
    lasts = np.flatnonzero(digits >= 0x80)
    sizes = np.diff(lasts, prepend=-1)
    longest = int(sizes.max(initial=0))
    if longest > _LONGEST_NUMBER or (lasts[-1] + 1 if len(lasts) else 0) != len(digits):
        raise ValueError("no numbers")
    numbers = (digits[lasts] & 0x7F).astype(np.int64)
    for digit in range(1, longest):
        long = np.flatnonzero(sizes > digit)
        numbers[long] += digits[lasts[long] - digit].astype(np.int64) << 7 * digit
    return numbers, lasts + 1


def pieces_index(starts: Numbers, sizes: Numbers) -> Numbers:
    """The places of all items of some pieces of an array, one piece behind the other.

    >>> pieces_index(np.array([7, 0]), np.array([2, 3])).tolist()
    [7, 8, 0, 1, 2]
    """
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + sizes, sizes)


def bounds_of(sizes: Numbers | list[int]) -> Numbers:
    """Where each of some pieces begins that lie one behind the other, and where the last ends."""
    bounds = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=bounds[1:])
    return bounds


# --- packing ---


class PageFragments(NamedTuple):
    """The fragments of a page, and the URLs that they are about."""

    url: str  # the URL that the page's own words are for; "": of this part nobody's
    is_own: bool  # is the page that of this URL?
    host: bytes  # the citing host
    targets: list[str | None]  # of the links, in their order; None: the link is left out
    fragments: Fragments
    title: str
    alone: frozenset[str] = frozenset()  # targets of whose links nothing but the anchors counts


class _Frame(NamedTuple):
    """What all parcels of a page have in common, or what the one with the page's own words has."""

    head: bytes  # the citing host, and the flag
    title: bytes  # its terms
    page_id: bytes
    has_page: bool  # is the page's own URL in it?


class _Group(NamedTuple):
    """The URLs of one page that are in one range: they get one parcel."""

    key: bytes
    common: int  # the length of what all its URLs begin with
    urls: Sequence[bytes]
    page: int  # the number of the page
    frame: _Frame


def _frames(page: PageFragments) -> tuple[_Frame, _Frame]:
    """That of the parcels of a page, and that of the one with its own words."""
    said, page_id = page.fragments, page.fragments.citing_page.tobytes()
    head, flag = PARCEL + page.host + b" ", _OWN_PAGE if page.is_own else _OTHER_PAGE
    flag += page.title.encode().translate(_TITLE_TO_HEAD)
    return (
        _Frame(head + _NO_PAGE, said.citing_title.tobytes(), page_id, has_page=False),
        _Frame(head + flag, said.title.tobytes(), page_id, has_page=True),
    )


def _parts(page: PageFragments) -> Iterator[PageFragments]:
    """A page, and apart from it the links of which nothing but the anchors counts: what else links
    carry stands once in a parcel, and counts for all its links.
    """
    if not page.alone:
        yield page
        return
    alone = [target if target in page.alone else None for target in page.targets]
    others = [None if target in page.alone else target for target in page.targets]
    yield page._replace(targets=others)
    yield page._replace(url="", targets=alone, fragments=page.fragments.anchors_alone())


def pack(pages: Sequence[PageFragments], ranges: UrlRanges | None) -> Iterator[Pair]:
    """The parcels of pages: of each page one for each range that it says something about; without
    ranges one with all its links, under no key.

    Many pages are packed together: a call of numpy takes as long for one of them as for sixteen.
    """
    groups: list[_Group] = []
    url_of: list[int] = []
    known = 0
    pages = list(chain.from_iterable(map(_parts, pages)))
    for number, page in enumerate(pages):
        own_url = [page.url] if ranges and page.url else []
        names = sorted({*filter(None, page.targets), *own_url})
        places = dict(zip(names, range(known, known + len(names)), strict=True))
        url_of += [places.get(target or "", -1) for target in page.targets]
        known += len(names)
        urls, own = [name.encode() for name in names], page.url.encode()
        of_ranges = ranges.split(urls) if ranges else [(b"", 0, urls)] if urls else []
        other, with_page = _frames(page)
        groups += [
            _Group(key, common, some, number, with_page if ranges and own in some else other)
            for key, common, some in of_ranges
        ]
    if groups:
        yield from _parcels([page.fragments for page in pages], groups, np.array(url_of, np.int64))


def _parcels(
    parts: Sequence[Fragments], groups: Sequence[_Group], url_of: Numbers
) -> Iterator[Pair]:
    """The parcel of each group; `url_of` says which of all their URLs each link leads to, or -1."""
    links = np.argsort(url_of, kind="stable")[np.count_nonzero(url_of < 0) :]  # by URL
    url_bounds = bounds_of([len(group.urls) for group in groups])
    counts = np.bincount(url_of[links], minlength=int(url_bounds[-1]))
    link_bounds = bounds_of(counts)[url_bounds]
    group_of = np.repeat(np.arange(len(groups)), np.diff(link_bounds))
    low = np.concatenate([part.low for part in parts])[links]
    start = np.concatenate([part.start for part in parts])[links]
    end = np.concatenate([part.end for part in parts])[links]
    high = np.concatenate([part.high for part in parts])[links]
    above = np.concatenate([part.above for part in parts])[links]
    texts, place = _joined_windows(parts, groups, group_of, low, high)
    chains, sizes, chain_bounds, chain_of = _used_chains(parts, groups, group_of, above)
    titles = [len(group.frame.title) // _TERM_BYTES for group in groups]
    ids = [len(group.frame.page_id) // _TERM_BYTES for group in groups]
    heads = [np.array(titles), np.array(ids), np.diff(chain_bounds)]
    columns = [
        (np.column_stack(heads), np.arange(len(groups) + 1)),
        (sizes.reshape(-1, 1), chain_bounds),
        (counts.reshape(-1, 1), url_bounds),
        (np.column_stack([place, start - low, end - start, high - end, chain_of]), link_bounds),
    ]
    numbers = _number_slices(columns)
    for group, text, headings, some in zip(groups, texts, chains, numbers, strict=True):
        key, common, urls, _, frame = group
        terms = b"".join((frame.title, text, headings, frame.page_id))
        count = b"%d" % (len(terms) // _TERM_BYTES)
        head = b" ".join((frame.head, count, *[url[common:] for url in urls]))
        yield key, b"%b|%b" % (head, _escaped(terms + some))


def _joined_windows(
    parts: Sequence[Fragments],
    groups: Sequence[_Group],
    group_of: Numbers,
    low: Numbers,
    high: Numbers,
) -> tuple[list[bytes], Numbers]:
    """Of each group the pieces of the page that hold all windows, or of the page's own group all of
    the text where that is wanted; and where in them the window of each link begins.
    """
    sizes = np.array([len(parts[group.page].terms) for group in groups])
    base = bounds_of(sizes + 1)  # the positions of a group do not touch those of the next
    own = [
        k for k, group in enumerate(groups) if group.frame.has_page and parts[group.page].content
    ]
    low = np.concatenate([base[group_of] + low, base[own]])
    high = np.concatenate([base[group_of] + high, base[own] + sizes[own]])
    by_position = np.argsort(low, kind="stable")
    low, high = low[by_position], np.maximum.accumulate(high[by_position])
    is_first = np.ones(len(low), np.bool_)  # of a piece
    is_first[1:] = low[1:] > high[:-1]
    starts, ends = low[is_first], high[np.roll(is_first, -1)]
    group = np.searchsorted(base, starts, "right") - 1
    offsets = bounds_of(ends - starts)
    bounds = offsets[np.searchsorted(group, np.arange(len(groups) + 1))]
    moved = low + (offsets[:-1] - starts)[np.cumsum(is_first) - 1]
    place = np.empty_like(moved)
    place[by_position] = moved
    page_starts = bounds_of([len(part.terms) for part in parts])[[group.page for group in groups]]
    index = pieces_index(starts + (page_starts - base[:-1])[group], ends - starts)
    text = np.concatenate([part.terms for part in parts])[index].tobytes()
    texts = [text[a:b] for a, b in pairwise((_TERM_BYTES * bounds).tolist())]
    return texts, place[: len(group_of)] - bounds[group_of]


def _used_chains(
    parts: Sequence[Fragments], groups: Sequence[_Group], group_of: Numbers, above: Numbers
) -> tuple[list[bytes], Numbers, Numbers, Numbers]:
    """The chains of headings that the links of each group stand under: their terms, their sizes,
    where those of each group begin, and which of its group's chains stands above each link.
    """
    terms = np.concatenate([part.headings for part in parts])
    starts = bounds_of([len(part.headings) for part in parts])
    starts = np.concatenate(
        [part.heading_bounds[:-1] + k for part, k in zip(parts, starts, strict=False)]
    )
    sizes = np.concatenate([np.diff(part.heading_bounds) for part in parts])
    firsts = bounds_of([len(part.heading_bounds) - 1 for part in parts])
    base = len(sizes) * np.arange(len(groups) + 1)
    of_pages = base[:-1] + firsts[[group.page for group in groups]]
    used, number = np.unique(of_pages[group_of] + above, return_inverse=True)
    bounds = np.searchsorted(used, base)
    used %= max(1, len(sizes))
    sizes = sizes[used]
    joined = terms[pieces_index(starts[used], sizes)].tobytes()
    edges = _TERM_BYTES * bounds_of(sizes)[bounds]
    chains = [joined[a:b] for a, b in pairwise(edges.tolist())]
    return chains, sizes, bounds, number - bounds[group_of]


def _number_slices(columns: Sequence[tuple[Numbers, Numbers]]) -> Iterator[bytes]:
    """The numbers of each group as bytes, column by column; a column has rows of numbers, and tells
    where each group's rows begin.
    """
    text, ends = number_bytes(np.concatenate([column.ravel() for column, _ in columns]))
    edges = np.concatenate([[0], ends])
    first = 0
    slices = []
    for column, bounds in columns:
        slices.append(pairwise(edges[first + column.shape[1] * bounds].tolist()))
        first += column.size
    for (a, b), (c, d), (e, f), (g, h) in zip(*slices, strict=True):
        yield b"".join((text[a:b], text[c:d], text[e:f], text[g:h]))


def _escaped(body: bytes) -> bytes:
    """Without ends of lines."""
    body = body.replace(_ESCAPE, _ESCAPE + b"e")
    return body.replace(b"\n", _ESCAPE + b"n").replace(b"\r", _ESCAPE + b"r")


# --- opening ---


class Opened(NamedTuple):
    """What some parcels say, in columns: one row a parcel, a URL in a parcel, or a link.

    Positions are those of terms.
    """

    terms: Terms
    # of each parcel
    host: list[bytes]  # the citing host
    flag: list[bytes]  # with the text of the title, if the page itself is in it
    title: Numbers  # where the title begins
    text: Numbers  # behind it the pieces of the text
    headings: Numbers  # the chains of headings
    page_id: Numbers
    end: Numbers
    # of each URL in each parcel
    url: list[bytes]
    parcel: Numbers
    links: Numbers  # how many lead there; none: it is the page itself
    # of each link
    entry: Numbers  # the URL in its parcel, by its row above
    low: Numbers  # its window
    anchor: Numbers
    anchor_end: Numbers
    high: Numbers
    above: Numbers  # its chain of headings
    above_end: Numbers


def open_parcels(parcels: Sequence[Pair]) -> Opened:
    """What parcels say, each given with the key of its range; ValueError if one is damaged."""
    try:
        return _opened(parcels)
    except (ValueError, IndexError) as error:
        raise ValueError("a parcel is damaged") from error


def _opened(parcels: Sequence[Pair]) -> Opened:
    hosts, flags, counts, urls, url_counts = [], [], [], [], []
    for key, value in parcels:
        host, flag, count, *rests = value[: value.index(b"|")].split(b" ")
        _check(host[:1] == PARCEL and len(host) > 1)
        hosts.append(host[1:])
        flags.append(flag)
        counts.append(int(count))
        start = host_part(key)
        urls += [start + rest for rest in rests]
        url_counts.append(len(rests))
    is_page = np.array([flag != _NO_PAGE for flag in flags])
    _check({f[:1] for f in flags if f != _NO_PAGE} <= {_OWN_PAGE, _OTHER_PAGE})
    sizes, n_urls = np.array(counts, np.int64), np.array(url_counts, np.int64)
    terms, numbers, bounds = _terms_and_numbers([value for _, value in parcels], sizes)
    # where the numbers of each parcel stand: three counts, sizes of chains, links of URLs, links
    first, end = bounds[:-1], bounds[1:]
    _check((end - first >= 3).all())
    n_title, n_ids, n_chains = numbers[first], numbers[first + 1], numbers[first + 2]
    of_urls = first + 3 + n_chains
    of_links = of_urls + n_urls
    _check((of_links <= end).all())
    total = bounds_of(numbers)
    headings, n_links = total[of_urls] - total[first + 3], total[of_links] - total[of_urls]
    _check((of_links + _LINK * n_links == end).all())
    # where the terms of each parcel stand
    title, end_terms = bounds_of(sizes)[:-1], np.cumsum(sizes)
    text, page_id = title + n_title, end_terms - n_ids
    above = page_id - headings
    _check((text <= above).all())
    # links, and their windows and headings
    parcel = np.repeat(np.arange(len(parcels)), n_urls)
    links = numbers[pieces_index(of_urls, n_urls)]
    _check((np.bincount(parcel[links == 0], minlength=len(parcels)) == is_page).all())
    entry = np.repeat(np.arange(len(links)), links)
    of = parcel[entry]
    rows = numbers[pieces_index(of_links, _LINK * n_links)].reshape(-1, _LINK)
    edges = np.cumsum(rows[:, :-1], axis=1) + text[of, np.newaxis]
    low, anchor, anchor_end, high = edges.T
    chain = rows[:, -1]
    _check((high <= above[of]).all() and (chain < n_chains[of]).all())
    chains = bounds_of(numbers[pieces_index(first + 3, n_chains)])
    firsts = bounds_of(n_chains)[:-1]
    shift = (above - chains[firsts])[of]
    chain += firsts[of]
    return Opened(
        terms=terms,
        host=hosts,
        flag=flags,
        title=title,
        text=text,
        headings=above,
        page_id=page_id,
        end=end_terms,
        url=urls,
        parcel=parcel,
        links=links,
        entry=entry,
        low=low,
        anchor=anchor,
        anchor_end=anchor_end,
        high=high,
        above=shift + chains[chain],
        above_end=shift + chains[chain + 1],
    )


def _terms_and_numbers(values: Sequence[bytes], sizes: Numbers) -> tuple[Terms, Numbers, Numbers]:
    """What stands behind the heads of parcels of so many terms: all their terms, all their numbers,
    and where the numbers of each parcel begin.
    """
    bodies = [value[value.index(b"|") + 1 :] for value in values]
    ends = bounds_of([*map(len, bodies)])[1:]
    text = np.frombuffer(b"".join(bodies), np.uint8)
    escapes = np.flatnonzero(text == ord(_ESCAPE))
    _check((text[ends - 1] >= 0x80).all())  # so that none ends within an escape
    plain = text.copy()
    plain[escapes + 1] = _UNESCAPED[text[escapes + 1]]
    _check((plain[escapes + 1] > 0).all())
    plain = np.delete(plain, escapes)
    ends -= np.searchsorted(escapes, ends)
    starts = np.append(0, ends)[:-1]
    middles = starts + _TERM_BYTES * sizes
    _check((sizes >= 0).all() and (middles < ends).all())
    joined = plain.tobytes()
    edges = list(zip(starts.tolist(), middles.tolist(), ends.tolist(), strict=True))
    terms = np.frombuffer(b"".join([joined[a:b] for a, b, _ in edges]), np.uint32)
    numbers, number_ends = read_numbers(b"".join([joined[b:c] for _, b, c in edges]))
    bounds = np.searchsorted(number_ends, bounds_of(ends - middles), "right")
    return terms, numbers, bounds


def page_title(flag: bytes) -> bytes:
    """The text of the title that stands in such a flag."""
    return flag[1:].translate(_TITLE_OF_HEAD)


def own_parcel(opened: Opened, entry: int) -> bytes:
    """A parcel with nothing but the own words of a page that has such a row."""
    at = int(opened.parcel[entry])
    title, end = int(opened.title[at]), int(opened.headings[at])
    url = opened.url[entry]
    head = PARCEL + opened.host[at], opened.flag[at], b"%d" % (end - title)
    numbers, _ = number_bytes(np.array([opened.text[at] - title, 0, 0, 0]))
    body = opened.terms[title:end].tobytes() + numbers
    return b" ".join((*head, url[len(host_part(url)) :])) + b"|" + _escaped(body)


def _check(fits: bool | np.bool_) -> None:
    if not fits:
        raise ValueError("parts that do not fit")
