"""Is an index whole? Every checksum, and everything that its files must agree about.

Checksums find every byte that is not as it was written. The invariants find what was written
wrongly: they are checked too where all checksums match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pagekin.authority.table import GRAPHS, META, SCORES, ScoreTable
from pagekin.bags.bag import SOURCES
from pagekin.enrich.neighbours import ONE
from pagekin.enrich.topics import Topics
from pagekin.errors import InputError
from pagekin.index.folder import (
    ALIASES,
    AUTHORITY,
    HEADER,
    MIRRORS,
    NEIGHBOURS,
    TOPICS,
    IndexHeader,
    open_files,
)
from pagekin.index.mirror_table import table_rules
from pagekin.index.shard import bounds_hold
from pagekin.index.shard_files import (
    MOST_INLINKS,
    SHARD_FILES,
    count_inlinks,
    directory_bits,
    invert,
    shard_name,
    shard_of,
    shard_of_number,
)
from pagekin.limits import MAX_TITLE
from pagekin.minhash.signatures import EMPTY
from pagekin.tables import UNREADABLE, ArrayFile, url_number
from pagekin.text.tokens import one_line
from pagekin.web.urls import SPELLINGS

__all__ = ["verify_files", "verify_index"]

# A URL and its kin with their reasons, as docs/formats.md has the records of cocitation_related.
_KIN_VALUE = re.compile(
    rb"[^\x02]+(\x02[0-9]+ [^ \x01\x02]+ [0-9]+ [0-9]+(\x01[0-9]+ [^ \x01\x02]* [^\x01\x02]*)*)+"
)

Files = dict[str, ArrayFile]
Report = Callable[[int, int], None]  # shards done, of so many


def verify_index(path: Path, report: Report = lambda done, total: None) -> list[str]:
    """What is wrong, one sentence each; an empty list for a sound index."""
    try:
        header, opened = open_files(path)
    except InputError as error:
        return [str(error)]
    return verify_files(path, header, opened, report)


def verify_files(
    path: Path,
    header: IndexHeader,
    opened: Mapping[str, ArrayFile | InputError],
    report: Report = lambda done, total: None,
) -> list[str]:
    """The same of the files of an index that are open."""
    wrong = list(_check_aliases(opened[ALIASES]))
    if NEIGHBOURS in opened:
        wrong += _check_neighbours(opened[NEIGHBOURS])
    if TOPICS in opened:
        wrong += _check_topics(opened[TOPICS])
    if MIRRORS in opened:
        wrong += _check_mirrors(opened, header.shards)
    if AUTHORITY in opened:
        wrong += _check_authority(opened[AUTHORITY])
    totals: NDArray[np.int64] = np.zeros(6 + MOST_INLINKS + 1, np.int64)
    for shard in range(header.shards):
        report(shard, header.shards)
        wrong += _check_shard(path, shard, header, opened, totals)
    counted = (header.documents, header.listed, header.crawled, header.empty)
    said = (*counted, header.kin, header.titled, *header.inlinks)
    if not wrong and tuple(totals.tolist()) != said:
        wrong.append(f"{path / HEADER} counts {said}, its shards hold {tuple(totals.tolist())}")
    return wrong


def _wrong(file: ArrayFile | InputError) -> Iterator[str]:
    """Why a file could not be opened, or that its data are not as they were written."""
    if isinstance(file, InputError):
        yield str(file)
        return
    try:
        file.verify()
    except InputError as error:
        yield str(error)


def _check_aliases(file: ArrayFile | InputError) -> Iterator[str]:
    yield from (wrong := list(_wrong(file)))
    if isinstance(file, ArrayFile) and not wrong and not _aliases_hold(file):
        yield f"{file.path}: aliases ascending, each with a target"


def _aliases_hold(file: ArrayFile) -> bool:
    if not _has(file, {"aliases": "|S16", "starts": "<u8", "ends": "<u8", "targets": "|u1"}):
        return False
    keys, starts, ends = file["aliases"], file["starts"], file["ends"]
    return (
        len(keys) == len(starts) == len(ends)
        and bool((keys[1:] > keys[:-1]).all())
        and bool(((starts < ends) & (ends <= len(file["targets"]))).all())
        and _targets_hold(file["targets"].tobytes(), starts.tolist(), ends.tolist())
        and ("spelt" not in file.dtypes or _spellings_hold(file))
    )


def _targets_hold(text: bytes, starts: list[int], ends: list[int]) -> bool:
    return all(_is_text(text[low:high]) for low, high in zip(starts, ends, strict=True))


def _spellings_hold(file: ArrayFile) -> bool:
    if not _has(file, {"spelt": "|S16", "spellings": "|u1"}):
        return False
    keys, numbers = file["spelt"], file["spellings"]
    ascend = bool((keys[1:] > keys[:-1]).all())
    return ascend and len(keys) == len(numbers) and bool((numbers < SPELLINGS).all())


def _check_neighbours(file: ArrayFile | InputError) -> Iterator[str]:
    yield from (wrong := list(_wrong(file)))
    if isinstance(file, ArrayFile) and not wrong:
        for rule, holds in _neighbours_rules(file):
            if not holds:
                yield f"{file.path}: {rule}"
                return  # what follows may rest on it


def _neighbours_rules(file: ArrayFile) -> Iterator[tuple[str, bool]]:
    """(what must hold, does it), in an order in which each may rest on those before."""
    terms, bounds, numbers = file["terms"], file["bounds"], file["neighbours"]
    yield "terms ascending", bool((terms[1:] > terms[:-1]).all())
    yield "bounds of neighbours", bounds_hold(bounds, len(numbers))
    yield "bounds of words", bounds_hold(file["word_bounds"], len(file["words"]))
    lengths = {len(bounds) - 1, len(file["word_bounds"]) - 1, len(file["df"])}
    yield "neighbours, words and df of every term", lengths == {len(terms)}
    yield "a share of every neighbour", len(file["shares"]) == len(numbers)
    yield "neighbours that are terms", bool((numbers < len(terms)).all())
    sums = np.diff(np.append(0, np.cumsum(file["shares"], dtype=np.int64))[bounds.astype(np.int64)])
    yield "shares of the sum 1 at most", bool((file["shares"] > 0).all() and (sums <= ONE).all())
    text, edges = file["words"].tobytes(), file["word_bounds"].tolist()
    words = [text[low:high] for low, high in pairwise(edges)]
    yield "words that are text", all(_is_text(word) and word.count(b" ") == 1 for word in words)


def _check_topics(file: ArrayFile | InputError) -> Iterator[str]:
    yield from (wrong := list(_wrong(file)))
    if isinstance(file, ArrayFile) and not wrong and not _topics_hold(file):
        yield f"{file.path}: centroids of all sets with ascending terms, values and words"


def _topics_hold(file: ArrayFile) -> bool:
    try:
        Topics(file)
    except UNREADABLE:
        return False
    bounds, edges = file["bounds"], file["word_bounds"]
    return (
        len(file["terms"]) == len(file["values"])
        and bounds_hold(bounds, len(file["terms"]))
        and bounds_hold(edges, len(file["text"]))
        and _terms_ascend(file["terms"], bounds)
        and bool((file["values"] > 0).all())
    )


def _check_mirrors(opened: Mapping[str, ArrayFile | InputError], shards: int) -> Iterator[str]:
    file = opened[MIRRORS]
    yield from (wrong := list(_wrong(file)))
    names = [f"{shard_name(shard)}/{SHARD_FILES['urls'].name}" for shard in range(shards)]
    urls = [other for name in names if isinstance(other := opened.get(name), ArrayFile)]
    if isinstance(file, ArrayFile) and not wrong and len(urls) == shards:
        for rule, holds in table_rules(file, [len(each["crawled"]) for each in urls]):
            if not holds:
                yield f"{file.path}: {rule}"
                return  # what follows may rest on it


def _check_authority(file: ArrayFile | InputError) -> Iterator[str]:
    yield from (wrong := list(_wrong(file)))
    if isinstance(file, ArrayFile) and not wrong:
        for rule, holds in _authority_rules(file):
            if not holds:
                yield f"{file.path}: {rule}"
                return  # what follows may rest on it


def _authority_rules(file: ArrayFile) -> Iterator[tuple[str, bool]]:
    """(what must hold, does it), in an order in which each may rest on those before."""
    numbers = [file.meta.get(name) for name in META]
    yield "sums and numbers of pages", all(type(n) is int and n >= 0 for n in numbers)
    for graph in GRAPHS:
        digests = file[graph]
        yield f"{graph} ascending", bool((digests[1:] > digests[:-1]).all())
        for score in SCORES:
            values = file[f"{graph}_{score}"]
            yield f"a {score} of all {graph}", len(values) == len(digests)
            yield f"each {score} from 0 to 1", bool(((values >= 0) & (values <= 1)).all())
    yield "bounds of names", bounds_hold(file["bounds"], len(file["text"]))
    names = list(_texts(file))
    yield "names that are text, ascending", names == sorted({*filter(_is_text, names)})
    yield "names of its nodes", all(map(ScoreTable(file).knows, names))


def _has(file: ArrayFile, dtypes: dict[str, str]) -> bool:
    """Are these arrays in it, of these types?"""
    found = file.dtypes
    return all(found.get(name) == dtype for name, dtype in dtypes.items())


def _check_shard(
    path: Path,
    shard: int,
    header: IndexHeader,
    opened: Mapping[str, ArrayFile | InputError],
    totals: NDArray[np.int64],
) -> Iterator[str]:
    folder = shard_name(shard)
    own = {name: opened.get(f"{folder}/{file.name}") for name, file in SHARD_FILES.items()}
    wrong: list[str] = []
    for file in (opened.get(folder), *own.values()):
        wrong += _wrong(file) if file else ()
    yield from wrong
    files = {name: file for name, file in own.items() if isinstance(file, ArrayFile)}
    if not wrong:
        count = header.config["signatures"]["count"]
        least = header.config["index"]["min_inlinks"]
        for rule, holds in _invariants(files, shard, header.shards, count, least):
            if not holds:
                yield f"{path / folder}: {rule}"
                return  # what follows may rest on it
        crawled = int(np.count_nonzero(files["urls"]["crawled"]))
        listed = len(files["I"]["ids"]) // count
        empty = int(np.count_nonzero(np.diff(files["bags"]["bounds"]) == 0))
        kin = len(files["kin"]["numbers"])
        titled = int(np.count_nonzero(np.diff(files["titles"]["bounds"])))
        anchors = files["urls"]["anchors"]
        totals[:6] += np.array([len(anchors), listed, crawled, empty, kin, titled])
        totals[6:] += count_inlinks(anchors)


def _invariants(
    files: Files, shard: int, shards: int, count: int, least: int
) -> Iterator[tuple[str, bool]]:
    """(what must hold, does it), in an order in which each may rest on those before."""
    urls, bags, words = files["urls"], files["bags"], files["words"]
    for name in ("urls", "titles", "bags", "plain", "words"):
        body = "terms" if name in {"bags", "plain"} else "text"
        yield f"{name}: bounds", bounds_hold(files[name]["bounds"], len(files[name][body]))
    documents = len(urls["bounds"]) - 1
    for name in ("crawled", "anchors", "pages", "hosts"):
        yield f"urls: {name} of every document", len(urls[name]) == documents
    yield "urls: crawled is 0 or 1", bool((urls["crawled"] <= 1).all())
    yield "URLs in their order, and of this shard", _urls_hold(urls, shard, shards)
    yield "URLs that are text", all(map(_is_text, _texts(urls)))
    titles = files["titles"]
    yield "a title, which may be empty, for every document", len(titles["bounds"]) - 1 == documents
    sizes = np.diff(titles["bounds"])
    yield "titles of pages that were read", not sizes[urls["crawled"] == 0].any()
    yield "titles that are one line of text", all(map(_is_title, _texts(titles)))
    yield "a bag for every document", len(bags["bounds"]) - 1 == documents
    plain = files["plain"]
    is_enriched = len(plain["bounds"]) > 1
    yield "plain: a bag for every document, or none", len(plain["bounds"]) in {1, documents + 1}
    for file in (bags, plain):
        yield "a weight for every term", len(file["terms"]) == len(file["weights"])
        yield "terms ascending, weights above 0", _bags_hold(file)
    sources = len(bags["terms"]) if is_enriched else 0
    yield "a source for every term of enriched bags", len(bags["sources"]) == sources
    yield "sources that there are", bool((bags["sources"] < len(SOURCES)).all())
    yield "a word for every hash", len(words["bounds"]) - 1 == len(words["hashes"])
    yield "words that are text", all(map(_is_text, _texts(words)))
    yield (
        "words of the terms, ascending",
        _equal(words["hashes"], np.unique(np.concatenate([bags["terms"], plain["terms"]]))),
    )
    yield "a row of H for every document", len(files["H"]["signatures"]) == documents * count
    rows = files["H"]["signatures"].reshape(documents, count)
    empty = np.diff(bags["bounds"]) == 0
    yield "no signatures where there is no bag", _equal(empty, (rows == EMPTY).all(axis=1))
    listed = np.flatnonzero((urls["anchors"] >= least) & ~empty)
    yield "I is the inversion of H", _lists_hold(files["I"], rows, listed.astype(np.uint32))
    kin = files["kin"]
    yield "kin: bounds", bounds_hold(kin["bounds"], len(kin["text"]))
    yield "kin: a value for every number", len(kin["bounds"]) - 1 == len(kin["numbers"])
    yield "kin: ascending, of this shard, and of their URLs", _kin_hold(kin, shard, shards)
    yield "kin: values that can be read", all(map(_KIN_VALUE.fullmatch, _texts(kin)))


def _equal(a: NDArray[np.generic], b: NDArray[np.generic]) -> bool:
    return len(a) == len(b) and bool((a == b).all())


def _urls_hold(urls: ArrayFile, shard: int, shards: int) -> bool:
    last = b""
    for url in _texts(urls):
        if url <= last or shard_of(url, shards) != shard:
            return False
        last = url
    return True


def _texts(file: ArrayFile) -> Iterator[bytes]:
    """The texts of a file that has some."""
    text, edges = file["text"].tobytes(), file["bounds"].tolist()
    return (text[low:high] for low, high in pairwise(edges))


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_title(text: bytes) -> bool:
    title = text.decode("utf-8", "replace")
    return title.encode() == text and one_line(title, MAX_TITLE) == title


def _kin_hold(kin: ArrayFile, shard: int, shards: int) -> bool:
    last = -1, b""
    for number, value in zip(kin["numbers"].tolist(), _texts(kin), strict=True):
        url = value.partition(b"\x02")[0]
        if (number, url) <= last or shard_of_number(number, shards) != shard:
            return False
        if url_number(url) != number:
            return False
        last = number, url
    return True


def _bags_hold(bags: ArrayFile) -> bool:
    weights = bags["weights"]
    above_0 = bool(((weights > 0) & (weights < np.inf)).all())
    return above_0 and _terms_ascend(bags["terms"], bags["bounds"])


def _terms_ascend(terms: NDArray[np.uint32], bounds: NDArray[np.uint64]) -> bool:
    """Within each of these spans."""
    first = np.zeros(len(terms) + 1, dtype=np.bool_)
    first[bounds.astype(np.int64)] = True
    rising = terms[1:] > terms[:-1]
    return bool((rising | first[1:-1]).all())


def _lists_hold(inverted: ArrayFile, rows: NDArray[np.uint32], listed: NDArray[np.uint32]) -> bool:
    """Is I what the rows give when they are inverted anew?"""
    width, keys, ids = (1 << directory_bits(len(listed))) + 1, 0, 0
    for j, position in enumerate(invert(rows.T, listed)):
        directory = inverted["directory"][j * width : (j + 1) * width]
        more = len(position.keys), len(position.ids)
        if not (
            _equal(directory, position.directory + np.uint32(keys))
            and _equal(inverted["keys"][keys : keys + more[0]], position.keys)
            and _equal(inverted["starts"][keys : keys + more[0]], position.starts + np.uint32(ids))
            and _equal(inverted["ids"][ids : ids + more[1]], position.ids)
        ):
            return False
        keys, ids = keys + more[0], ids + more[1]
    lengths = [len(inverted[name]) for name in ("directory", "keys", "starts", "ids")]
    whole = [rows.shape[1] * width, keys, keys + 1, ids]
    return lengths == whole and int(inverted["starts"][-1]) == ids
