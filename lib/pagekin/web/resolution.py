"""What the inventory of a snapshot found: URLs that stand for others, and captures to pass over.

A redirected URL (or, as an option, a page with rel=canonical) is an alias of its target, so that a
link to a page that moved counts for the page. Of several captures of one page only the latest is
read; the others are passed over, so that nothing counts twice.

Where spellings are joined, everything is looked up by the plain spelling of a URL, so that all
spellings of a page lead to the one that was captured, also those that the inventory never saw.

One array file, memory-mapped: 32 bytes an alias and its target's text, 17 bytes a captured page for
its spelling. URLs stand there by digests that nobody can choose. Chains are followed at look-up.
Where bags are wanted of captured URLs alone, numbers of these are there as well, so that links to
others need not be sent; of two URLs with one number both are sent.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.config import ReadingConfig
from pagekin.limits import MAX_HOPS
from pagekin.tables import ArrayFile, url_digest, write_arrays
from pagekin.web.urls import plain_spelling, spelling_of, spelt

__all__ = ["Ends", "Resolution", "own_url", "write_aliases", "write_resolution"]

Digests = NDArray[np.bytes_]

_KIND = "resolution"
_DIGEST, _NUMBER = np.dtype("S16"), np.dtype(">u8")
_MOST_CAPTURED = 50_000_000  # URLs: 400 MB, which each task looks into
_MOST_KNOWN = 20_000  # URLs that are remembered: 4 MB


def write_resolution(
    path: Path,
    aliases: Iterable[tuple[bytes, bytes]],
    passed_over: Iterable[bytes],
    captured: Iterable[bytes] | None = None,
    pages: Iterable[tuple[bytes, bytes]] | None = None,
) -> None:
    """Store (key, target URL) of aliases and the names of captures that are passed over.

    `pages` are (key, URL) of the pages that were found, if spellings are joined; then keys are
    plain spellings, else URLs. Where the URLs that were captured are given, they are stored as
    well, unless they are too many, and with them all targets, for which an alias may have been
    captured.
    """
    texts, targets = _Texts(), bytearray()
    for key, target in aliases:
        texts.add(url_digest(key), target)
        if captured is not None:
            targets += _number(target)
    arrays = {} if pages is None else _spelling_arrays(pages, texts)
    arrays |= texts.arrays()
    arrays["passed_over"] = np.sort(_digests(passed_over))
    if captured is not None:
        targets += _joined(map(_number, islice(captured, _MOST_CAPTURED + 1)))
        if len(targets) <= _MOST_CAPTURED * _NUMBER.itemsize:
            arrays["captured"] = np.unique(_as_numbers(targets))
    write_arrays(path, _KIND, {}, arrays)


def write_aliases(path: Path, sources: Sequence[Path]) -> None:
    """Store what several such files say of URLs, and no captures; of equal keys the first counts.

    In all of them spellings must be joined, or in none.
    """
    files = [ArrayFile(source, _KIND) for source in sources]
    keys, first = _first_of_each([file["aliases"] for file in files])
    targets = [
        bytes(file["targets"][low:high])
        for file in files
        for low, high in zip(file["starts"].tolist(), file["ends"].tolist(), strict=True)
    ]
    texts = _Texts()
    for key, k in zip(_cut(keys.tobytes()), first.tolist(), strict=True):
        texts.add(key, targets[k])
    arrays = texts.arrays() | {"passed_over": np.empty(0, _DIGEST)}
    if files and all("spelt" in file.dtypes for file in files):
        arrays["spelt"], first = _first_of_each([file["spelt"] for file in files])
        arrays["spellings"] = np.concatenate([file["spellings"] for file in files])[first]
    write_arrays(path, _KIND, {}, arrays)


def _first_of_each(keys: list[Digests]) -> tuple[Digests, NDArray[np.int64]]:
    """All different keys, in their order, and where each of them is met first."""
    return np.unique(np.concatenate([np.empty(0, _DIGEST), *keys]), return_index=True)


class _Texts:
    """Keys with a text each."""

    def __init__(self) -> None:
        self._keys, self._bounds, self._text = bytearray(), array("Q", [0]), bytearray()

    def add(self, key: bytes, text: bytes) -> None:
        self._keys += key
        self._text += text
        self._bounds.append(len(self._text))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Aliases in the order of their digests, and where in the text of all the target of each
        is.
        """
        keys = np.frombuffer(self._keys, _DIGEST)
        bounds = np.frombuffer(self._bounds, np.uint64)
        order = np.argsort(keys, kind="stable")
        return {
            "aliases": keys[order],
            "starts": bounds[:-1][order],
            "ends": bounds[1:][order],
            "targets": np.frombuffer(self._text, dtype=np.uint8),
        }


def _spelling_arrays(
    pages: Iterable[tuple[bytes, bytes]], texts: _Texts
) -> dict[str, NDArray[Any]]:
    """The number of the spelling of each page, by its key; what has needless escapes is no more
    than its key and its number, so it is put to the texts.
    """
    keys, numbers = bytearray(), bytearray()
    for key, url in pages:
        number = spelling_of(url.decode())
        if spelt(key.decode(), number) == url.decode():
            keys += url_digest(key)
            numbers.append(number)
        else:
            texts.add(url_digest(key), url)
    digests = np.frombuffer(keys, _DIGEST)
    order = np.argsort(digests, kind="stable")
    return {
        "spelt": digests[order],
        "spellings": np.frombuffer(numbers, dtype=np.uint8)[order],
    }


class Ends(NamedTuple):
    """Where some URLs lead."""

    moved: dict[str, str]  # those that stand for others, with what they stand for
    others: set[str]  # those that surely lead to no page of the snapshot


class Resolution:
    """Looks up what the inventory found."""

    def __init__(self, file: ArrayFile | Path) -> None:
        file = ArrayFile(file, _KIND) if isinstance(file, Path) else file
        self._aliases, self._starts, self._ends = file["aliases"], file["starts"], file["ends"]
        self._targets = file["targets"]
        self._passed_over = file["passed_over"]
        self._known: dict[str, str | None] = {}  # what was looked up: pages of a host share links
        self._unread: dict[str, bool] = {}
        self._joins = "spelt" in file.dtypes
        if self._joins:
            self._spelt, self._spellings = file["spelt"], file["spellings"]
        self._captured = file["captured"] if "captured" in file.dtypes else None

    def passes_over(self, capture: bytes) -> bool:
        """Is this capture not the one to read?"""
        return _find(self._passed_over, capture) >= 0

    @property
    def knows_captured(self) -> bool:
        """Is it known which URLs were captured?"""
        return self._captured is not None

    def resolve(self, urls: Sequence[str]) -> dict[str, str]:
        """The URLs among these that stand for others, with what they stand for."""
        if not len(self._aliases) and not self._joins:
            return {}
        known = self._known
        if len(known) > _MOST_KNOWN:
            known.clear()
        if new := [url for url in urls if url not in known]:
            known.update(dict.fromkeys(new))
            known.update(self._resolve(new))
        return {url: end for url in urls if (end := known[url]) is not None}

    def _resolve(self, urls: Sequence[str]) -> dict[str, str]:
        keys = list(map(plain_spelling, urls)) if self._joins else urls
        digests = _digests(map(str.encode, keys))
        aliases = compress(urls, _among(self._aliases, digests).tolist())
        moved = {url: end for url in aliases if (end := self.end_of(url)) != url}
        if self._joins and len(self._spelt):
            found = np.flatnonzero(_among(self._spelt, digests))
            numbers = self._spellings[np.searchsorted(self._spelt, digests[found])]
            for k, number in zip(found.tolist(), numbers.tolist(), strict=True):
                if (end := spelt(keys[k], number)) != urls[k]:
                    moved[urls[k]] = end
        return moved

    def look_up(self, urls: Sequence[str]) -> Ends:
        """The same, and which of them surely lead to no page of the snapshot."""
        moved = self.resolve(urls)
        if self._captured is None:
            return Ends(moved, set())
        others = set(compress(urls, ~_may_be_among(self._captured, urls)))
        known = _may_be_among(self._captured, moved.values()).tolist()
        for url, is_known in zip(moved, known, strict=True):
            (others.discard if is_known else others.add)(url)
        return Ends(moved, others)

    def surely_unread(self, urls: Sequence[str]) -> set[str]:
        """Those among ends of chains that surely are no page of the snapshot, as far as known."""
        if self._captured is not None:
            return set(compress(urls, ~_may_be_among(self._captured, urls)))
        if not self._joins:
            return set()
        if len(self._unread) > _MOST_KNOWN:
            self._unread.clear()
        if new := [url for url in urls if url not in self._unread]:
            digests = _digests(map(str.encode, map(plain_spelling, new)))
            known = _among(self._spelt, digests) | _among(self._aliases, digests)
            self._unread.update(zip(new, (~known).tolist(), strict=True))
        return {url for url in urls if self._unread[url]}

    def end_of(self, url: str) -> str:
        """The end of the chain that begins at `url`; the URL itself where the chain never ends."""
        end, hops = url, 0
        while (target := self._target(end)) not in {None, end}:
            end, hops = target, hops + 1
            if hops > MAX_HOPS or end == url:
                return url
        return end

    def _target(self, url: str) -> str | None:
        """Where a URL leads; to itself if it is the spelling that was captured."""
        key = plain_spelling(url) if self._joins else url
        if self._joins and (k := _find(self._spelt, key.encode())) >= 0:
            return spelt(key, int(self._spellings[k]))
        if (k := _find(self._aliases, key.encode())) >= 0:
            return bytes(self._targets[int(self._starts[k]) : int(self._ends[k])]).decode()
        return None


def own_url(url: str, config: ReadingConfig, resolution: Resolution | None) -> str:
    """The URL that a page found at `url` stands for."""
    return resolution.end_of(url) if resolution and config.follow_canonical else url


def _digests(texts: Iterable[bytes]) -> Digests:
    return np.frombuffer(_joined(map(url_digest, texts)), _DIGEST)


def _number(text: bytes) -> bytes:
    return url_digest(text)[: _NUMBER.itemsize]


def _as_numbers(joined: bytearray) -> NDArray[np.uint64]:
    return np.frombuffer(joined, _NUMBER).astype(np.uint64)


def _joined(pieces: Iterable[bytes]) -> bytearray:
    """The pieces behind one another; there may be millions, which `join` would hold all at once."""
    joined = bytearray()
    for piece in pieces:
        joined += piece
    return joined


def _cut(digests: bytes) -> Iterator[bytes]:
    return (digests[k : k + _DIGEST.itemsize] for k in range(0, len(digests), _DIGEST.itemsize))


def _among(ordered: NDArray[Any], keys: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of the keys are among these?"""
    if not len(ordered):
        return np.zeros(len(keys), dtype=np.bool_)
    at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    among: NDArray[np.bool_] = ordered[at] == keys
    return among


def _may_be_among(numbers: NDArray[Any], urls: Iterable[str]) -> NDArray[np.bool_]:
    """False for the URLs whose number is surely none of these."""
    wanted = _joined(map(_number, map(str.encode, urls)))
    return _among(numbers, _as_numbers(wanted))


def _find(ordered: Digests, text: bytes) -> int:
    """Where the digest of a text stands, or -1."""
    digest = _digests([text])
    return int(np.searchsorted(ordered, digest)[0]) if _among(ordered, digest)[0] else -1
