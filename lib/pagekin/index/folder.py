"""An index, open for reading: what it says of itself, its shards, and where a URL is in them.

    INDEX/index.json        what it is, its parameters, where it came from; under a checksum
    INDEX/aliases.arrays    URLs that stand for others
    INDEX/neighbours.arrays which terms are neighbours (`pagekin.enrich.neighbours`), if learned
    INDEX/topics.arrays     what the snapshot is about (`pagekin.enrich.topics`), if learned
    INDEX/authority.arrays  the standing of pages and hosts (`pagekin.authority.table`), if made
    INDEX/mirrors.arrays    which pages are mirrors (`pagekin.index.mirror_table`), if looked for
    INDEX/shard-00000/      the documents of a shard (`pagekin.index.shard_files`)

index.json holds no time, no address and no name of a machine: the same snapshot and configuration
give the same bytes wherever they are built.

An index may come from anybody, and another one may take its place while it is asked. So every field
of index.json is checked when it is read, nothing but the files that follow from its number of
shards is opened, and each of them must have the checksum that index.json names. All are opened at
once, and stay open: who has an index open reads on from it when another one takes its name.
"""

from __future__ import annotations

import heapq
import json
import math
import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from itertools import accumulate
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from pagekin.authority import table
from pagekin.bags.bag import Bag
from pagekin.enrich import neighbours, topics
from pagekin.errors import InputError, NotFoundError, UsageError
from pagekin.index import mirror_table
from pagekin.index.near import near_urls
from pagekin.index.shard import Shard, bounds_hold
from pagekin.index.shard_files import MOST_INLINKS, SHARD_FILES, shard_name, shard_of
from pagekin.tables import UNREADABLE, ArrayFile, allow_open, damaged, json_digest, open_regular
from pagekin.web.resolution import Resolution
from pagekin.web.urls import address_of, spellings

__all__ = [
    "ALIASES",
    "AUTHORITY",
    "BESIDE_OLD",
    "HEADER",
    "LEARNED",
    "MIRRORS",
    "NEIGHBOURS",
    "OPTIONAL",
    "TOPICS",
    "IndexFolder",
    "IndexHeader",
    "Place",
    "beside",
    "is_header",
    "open_files",
    "read_header",
    "report_bus_errors",
    "write_header",
]

HEADER = "index.json"
ALIASES = "aliases.arrays"
NEIGHBOURS = "neighbours.arrays"
TOPICS = "topics.arrays"
AUTHORITY = "authority.arrays"
MIRRORS = "mirrors.arrays"
LEARNED = {  # files that stages make, and an index gets as they are
    NEIGHBOURS: (neighbours.KIND, neighbours.DTYPES),
    TOPICS: (topics.KIND, topics.DTYPES),
    AUTHORITY: (table.KIND, table.DTYPES),
}
OPTIONAL = {**LEARNED, MIRRORS: (mirror_table.KIND, mirror_table.DTYPES)}

BESIDE_OLD = "old"  # the folder of the index that is replaced

_FORMAT = 4  # 1 had no titles, 2 aliases that others could take, 3 no enriched bags
_KIND = "pagekin index"
_OPENING = 16  # bytes before and around it, however the JSON is laid out
_SUGGESTED = 5
_OTHER_HANDLES = 64  # that a process has besides: logs, sockets, libraries
_LONGEST = 1 << 26  # bytes of index.json: 100,000 shards take 50 MB
_MOST_SHARDS = 100_000  # as for a build
_PATIENCE = 10.0  # seconds in which an index that is exchanged again and again can be opened
_PAUSE = 0.005
_CUT = (
    "pagekin: a file was cut short or overwritten while it was read; ask again, and replace an"
    " index by a rename, as pagekin build does\n"
)
_HANDLERS: list[object] = []  # that the C library knows: they must not be freed
_CHECKSUM = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True)
class IndexHeader:
    """What an index says of itself."""

    config: dict[str, dict[str, Any]]  # the whole configuration of the build
    shards: int
    documents: int
    listed: int  # documents that stand in I
    crawled: int
    empty: int  # documents without a term
    inlinks: list[int]  # documents with 0, 1, 2 ... inlinks; the last counts all above
    frequencies: dict[str, float]  # bags, terms, mu, sigma
    files: dict[str, str]  # file -> checksum of its data
    sources: list[dict[str, Any]] = field(default_factory=list)  # snapshots: pagekin, files, bytes
    kin: int = 0  # pages with related pages by co-citation
    titled: int = 0  # documents with a title

    @property
    def digest(self) -> str:
        """One number for all that is stored."""
        return json_digest([self.config, self.files])


def write_header(folder: Path, header: IndexHeader) -> None:
    """Write index.json."""
    (folder / HEADER).write_bytes(_rendered(asdict(header)))


def read_header(folder: Path) -> IndexHeader:
    """The header of an index; InputError says why a folder is none."""
    try:
        with open_regular(folder / HEADER) as file:
            return _header_in(folder, file)
    except OSError as error:
        raise _no_index(folder, error) from error


def _no_index(folder: Path, error: OSError) -> InputError:
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        return InputError(f"{folder / HEADER} cannot be opened: {error.strerror}")
    if not folder.is_dir():
        return InputError(f"{folder}: there is no such folder; `pagekin build --index` makes one")
    within = f"; the one in {folder}/index is" if (folder / "index" / HEADER).is_file() else ""
    return InputError(f"{folder} is no index (it has no {HEADER}){within}")


def _header_in(folder: Path, file: BinaryIO) -> IndexHeader:
    """The header of an index in this file, every field of it checked."""
    path, text = folder / HEADER, file.read(_LONGEST)
    try:
        said = json.loads(text)
        number = said.pop(_KIND)
        checksum = said.pop("checksum") if number == _FORMAT else ""
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is damaged: it cannot be read; build the index again") from error
    if number != _FORMAT:
        raise InputError(
            f"{folder} is an index of format {repr(number)[:20]}; this pagekin reads format"
            f" {_FORMAT}: build it again"
        )
    if checksum != json_digest(said) or text != _rendered(said):
        raise InputError(f"{path} is damaged: its checksum does not match; build the index again")
    if set(said) != {f.name for f in fields(IndexHeader)}:
        raise InputError(f"{path} says other things than this pagekin reads; build the index again")
    header = IndexHeader(**said)
    for rule, holds in _rules(header):
        if not holds:
            raise InputError(f"{path} is no header that a build writes: {rule}")
    return header


def _rules(header: IndexHeader) -> Iterator[tuple[str, bool]]:
    """(what a field is, is it), in an order in which each may rest on those before."""
    config, sources = header.config, header.sources
    yield "shards is a number of shards", _is_count(header.shards, _MOST_SHARDS, 1)
    yield "documents is a number", _is_count(header.documents)
    for name in ("listed", "crawled", "empty", "titled"):
        yield f"{name} is a number of documents", _is_count(getattr(header, name), header.documents)
    yield "kin is a number", _is_count(header.kin)
    yield "config has sections of keys", _is_table(config) and all(map(_is_table, config.values()))
    signatures, index = config.get("signatures", {}), config.get("index", {})
    yield "signatures.count is 1 to 4096", _is_count(signatures.get("count"), 4096, 1)
    yield "index.min_inlinks is a number", _is_count(index.get("min_inlinks"))
    yield "index.shards is the number of shards", index.get("shards") == header.shards
    yield (
        "inlinks are numbers of documents",
        type(header.inlinks) is list
        and len(header.inlinks) == MOST_INLINKS + 1
        and all(map(_is_count, header.inlinks)),
    )
    yield (
        "frequencies are bags, terms, mu and sigma",
        _is_table(header.frequencies)
        and set(header.frequencies) == {"bags", "terms", "mu", "sigma"}
        and all(map(_is_number, header.frequencies.values())),
    )
    yield (
        "files are those of its shards, with their checksums",
        _is_table(header.files)
        and header.files.keys() - OPTIONAL.keys() == set(_names(header.shards))
        and all(type(c) is str and _CHECKSUM.fullmatch(c) for c in header.files.values()),
    )
    yield "sources are snapshots", type(sources) is list and all(map(_is_source, sources))


def _is_count(value: Any, most: float = math.inf, least: int = 0) -> bool:
    return type(value) is int and least <= value <= most


def _is_number(value: Any) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _is_table(value: Any) -> bool:
    return type(value) is dict


def _is_list(value: Any, kind: type) -> bool:
    return type(value) is list and all(type(each) is kind for each in value)


def _is_source(value: Any) -> bool:
    return (
        _is_table(value)
        and type(value.get("pagekin")) is str
        and _is_count(value.get("files"))
        and _is_count(value.get("bytes"))
        and _is_list(value.get("names"), str)
        and _is_table(value.get("built_from"))
        and _is_list([*value["built_from"].values()], str)
        and _is_number(value.get("cocitation_threshold", 0))
    )


def _names(shards: int) -> Iterator[str]:
    """The files of every index with so many shards."""
    yield ALIASES
    for shard in range(shards):
        yield from (f"{shard_name(shard)}/{file.name}" for file in SHARD_FILES.values())


def is_header(path: Path) -> bool:
    """Is this file the header of an index, if perhaps a damaged one or of another format?"""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _KIND.encode() in file.read(len(_KIND) + _OPENING)


def _rendered(said: dict[str, Any]) -> bytes:
    return json.dumps({_KIND: _FORMAT, "checksum": json_digest(said), **said}, indent=1).encode()


class Place(NamedTuple):
    """A document: its shard, and its id there."""

    shard: Shard
    document: int

    @property
    def url(self) -> str:
        return self.shard.spelt(self.document)

    @property
    def title(self) -> str:
        return self.shard.title(self.document)

    @property
    def spot(self) -> mirror_table.Spot:
        """The same as numbers."""
        return mirror_table.Spot(self.shard.number, self.document)


def open_files(path: Path) -> tuple[IndexHeader, dict[str, ArrayFile | InputError]]:
    """The header of an index, and every file that it names, or why that could not be opened.

    All are of one index: if another takes its place meanwhile that one is opened.
    """
    until = time.monotonic() + _PATIENCE
    while True:
        is_late = time.monotonic() > until
        try:
            with open_regular(path / HEADER) as file:
                try:
                    header = _header_in(path, file)
                    files = dict(_open_all(path, header))
                except InputError:
                    if is_late or _is_still(path, file):
                        raise
                else:
                    whole = not any(isinstance(each, InputError) for each in files.values())
                    if is_late or whole or _is_still(path, file):
                        return header, files
        except OSError as error:
            is_missing = isinstance(error, FileNotFoundError)
            if is_late or not is_missing or not _is_exchanged(path):
                raise _no_index(path, error) from error
        time.sleep(_PAUSE)


def _open_all(path: Path, header: IndexHeader) -> Iterator[tuple[str, ArrayFile | InputError]]:
    allow_open(len(header.files) + _OTHER_HANDLES)
    yield ALIASES, _open_file(path / ALIASES, "resolution", {}, header.files[ALIASES])
    for name, (kind, dtypes) in OPTIONAL.items():
        if name in header.files:
            yield name, _open_file(path / name, kind, dtypes, header.files[name])
    for shard in range(header.shards):
        folder = shard_name(shard)
        if not (path / folder).is_dir():
            yield folder, InputError(f"{path}: shard {shard} ({folder}) is missing")
            continue
        for file in SHARD_FILES.values():
            name = f"{folder}/{file.name}"
            yield name, _open_file(path / name, file.kind, file.dtypes, header.files[name])


def _open_file(
    path: Path, kind: str, dtypes: dict[str, str], checksum: str
) -> ArrayFile | InputError:
    try:
        file = ArrayFile(path, kind)
    except InputError as error:
        return error
    if file.checksum != checksum:
        return InputError(f"{path} is not the file that this index was written with")
    if not dtypes.items() <= file.dtypes.items():
        return InputError(f"{path} holds other arrays than those of {kind}")
    return file


def _is_still(path: Path, header: BinaryIO) -> bool:
    """Is this header, which is open, that of the index at `path`?"""
    try:
        return os.path.samestat((path / HEADER).stat(), os.fstat(header.fileno()))
    except OSError:
        return False


def _is_exchanged(path: Path) -> bool:
    """Is there an index now, or will there be one in a moment?"""
    path = path.resolve()
    start = beside(path, BESIDE_OLD)
    with suppress(OSError):
        if any(other.name.startswith(start) for other in path.parent.iterdir()):
            return True
    return (path / HEADER).is_file()  # looked at last: the old one goes when this one is there


def beside(path: Path, word: str) -> str:
    """How folders beside an index begin that a writer makes while it exchanges it."""
    return f".{path.name}.{word}."


class IndexFolder:
    """The files of an index, all open; they are read where they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header, opened = open_files(path)
        self.files: dict[str, ArrayFile] = {}
        for name, file in opened.items():
            if isinstance(file, InputError):
                raise file
            self.files[name] = file
        self.count: int = self.header.config["signatures"]["count"]
        self.shards = tuple(self._shard(number) for number in range(self.header.shards))

    def _shard(self, number: int) -> Shard:
        folder = shard_name(number)
        own = {name: self.files[f"{folder}/{file.name}"] for name, file in SHARD_FILES.items()}
        return Shard(number, self.count, own)

    @contextmanager
    def unchanged(self) -> Iterator[IndexFolder]:
        """This index; InputError where somebody writes into a file before the end."""
        for file in self.files.values():
            file.check_size()
        try:
            yield self
        finally:
            self.check_heads()

    def check_heads(self) -> None:
        """InputError where somebody wrote into a file since it was opened."""
        for file in self.files.values():
            file.check_head()

    def bags(self, *, plain: bool = False) -> Iterator[Bag]:
        """Every bag, in the order of the URLs; `plain`: before they were enriched."""

        def of(shard: Shard) -> Iterator[Bag]:
            return (shard.bag(document, plain=plain) for document in range(len(shard)))

        return heapq.merge(*map(of, self.shards), key=attrgetter("url"))

    @cached_property
    def aliases(self) -> Resolution:
        """URLs that stand for others."""
        file = self.files[ALIASES]
        try:
            return Resolution(file)
        except UNREADABLE as error:
            raise damaged(file.path) from error

    @cached_property
    def neighbours(self) -> neighbours.Neighbours | None:
        """The words that are related to words, if they were learned."""
        if NEIGHBOURS not in self.files:
            return None
        file = self.files[NEIGHBOURS]
        count = len(file["neighbours"])
        sizes = len(file["bounds"]) - 1, len(file["shares"])
        if not bounds_hold(file["bounds"], count) or sizes != (len(file["terms"]), count):
            raise damaged(file.path)
        return neighbours.Neighbours(file)

    @cached_property
    def topics(self) -> topics.Topics | None:
        """The topics that the snapshot taught, if they were learned."""
        if TOPICS not in self.files:
            return None
        file = self.files[TOPICS]
        if not bounds_hold(file["bounds"], len(file["terms"])):
            raise damaged(file.path)
        try:
            return topics.Topics(file)
        except UNREADABLE as error:
            raise damaged(file.path) from error

    @cached_property
    def mirrors(self) -> mirror_table.MirrorTable | None:
        """Which pages are mirrors, if it was looked for."""
        if MIRRORS not in self.files:
            return None
        return mirror_table.MirrorTable(self.files[MIRRORS], list(map(len, self.shards)))

    @cached_property
    def authority(self) -> table.ScoreTable | None:
        """The standing of pages and hosts, if it was made."""
        if AUTHORITY not in self.files:
            return None
        try:
            return table.ScoreTable(self.files[AUTHORITY])
        except UNREADABLE as error:
            raise damaged(self.files[AUTHORITY].path) from error

    def find(self, url: str) -> Place | None:
        """Where a canonical URL is."""
        key = _encoded(url)
        shard = self.shards[shard_of(key, len(self.shards))]
        document = shard.find(key)
        return Place(shard, document) if document >= 0 else None

    def shard_of(self, url: str) -> Shard:
        """The shard that a canonical URL belongs to."""
        return self.shards[shard_of(_encoded(url), len(self.shards))]

    def locate(self, url: str) -> Place:
        """Where a URL in any spelling is; NotFoundError names what is near."""
        for form in self.forms(url):
            if place := self.find(form):
                return place
        raise self.not_found(url)

    def forms(self, url: str) -> Iterator[str]:
        """The canonical URLs that a URL in any spelling may mean: itself, if it is one; what it
        is canonically; what that stands for; its other spellings. UsageError for what is no web
        address.
        """
        yield url
        key = _canonical(url)
        if key != url:
            yield key
        try:
            end = self.aliases.end_of(key)
        except UNREADABLE as error:
            raise damaged(self.path / ALIASES) from error
        if end != key:
            yield end
        yield from spellings(key)

    def not_found(self, url: str) -> NotFoundError:
        """The error that names documents that are near."""
        key = _canonical(url)
        near = near_urls(self.shards, key, _SUGGESTED)
        hint = f"; near it are {', '.join(near)}" if near else ""
        return NotFoundError(f"{key} is not in the index{hint}")

    def info(self) -> dict[str, Any]:
        """What the index is, as plain values; the files' sizes are looked up."""
        header = self.header
        dropped = list(accumulate(header.inlinks[:-1]))
        return {
            "path": str(self.path),
            "digest": header.digest,
            "documents": header.documents,
            "crawled": header.crawled,
            "known_by_anchors": header.documents - header.crawled,
            "with_title": header.titled,
            "without_terms": header.empty,
            "listed": header.listed,
            "with_cocited_kin": header.kin,
            "shards": header.shards,
            "signatures": header.config["signatures"],
            "min_inlinks": header.config["index"]["min_inlinks"],
            "min_inlinks_would_drop": {str(k + 1): n for k, n in enumerate(dropped)},
            "frequencies": header.frequencies,
            "bytes": self.sizes(),
            "sources": header.sources,
            "config": header.config,
        }

    def sizes(self) -> dict[str, int]:
        """Bytes of each kind of file, over all shards."""
        sizes: dict[str, int] = {}
        for _, file in sorted(self.files.items()):
            kind = file.path.name
            sizes[kind] = sizes.get(kind, 0) + file.size
        return sizes


def report_bus_errors() -> None:
    """Let this process end with a sentence, and not without a word, where a mapped file is cut
    short while it is read: the system sends SIGBUS then.

    A handler of Python's own would never run: it waits for the end of an instruction that has
    none. So the C library is given one. Only our commands and jobs ask for it; a program that uses
    pagekin has signals of its own.
    """
    if _HANDLERS:
        return
    import ctypes  # noqa: PLC0415 - few processes need it

    def end(_: int) -> None:
        os.write(2, _CUT.encode())
        os._exit(InputError.exit_code)

    handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(end)
    _HANDLERS.append(handler)
    ctypes.CDLL(None).signal(signal.SIGBUS, handler)


def _encoded(url: str) -> bytes:
    return url.encode("utf-8", "surrogatepass")  # what is no text is in no index


def _canonical(url: str) -> str:
    key = address_of(url)
    if key is None:
        raise UsageError(f"{url} is no web address")
    return key
