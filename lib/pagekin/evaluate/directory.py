"""A human directory as a tree of classes with pages [SIM 2.1], collapsed to a depth.

Depth is counted below the root, so /Top/A/B is a class of depth 2. What lies below the depth joins
its ancestor there, as in the paper. Pages above it are kept as a class of their own (`keep`) or
left out (`drop`, the paper's way). A page may be in several classes.

Only a 64-bit number of each canonical URL and the numbers of its classes are kept, 12 bytes a row:
dumps have millions of rows, and a snapshot knows few of them.

Three formats are read, each gzipped or not; a file shows by its beginning which it is:

    pages    lines `URL TAB /Top/A/B`
    curlie   lines `URL TAB TITLE TAB DESCRIPTION TAB CLASS-ID` (*-c.tsv) and, in other files or the
             same, `CLASS-ID TAB A/B ...` (*-s.tsv)
    rdf      content.rdf.u8 and structure.rdf.u8 of ODP: ExternalPage with its topic, and the links
             of a Topic (all that older dumps have)

Dumps are old and damaged: a broken line or element is counted and costs no other. Elements of RDF
are parsed one by one by expat, outside of any document: so there is no DTD, and no entity that
could unfold. Soft links (`symbolic` and `Alias` of ODP, names that end with "@") lead to classes
and hold no pages: they are ignored.
"""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from pagekin.counters import Counters
from pagekin.errors import InputError
from pagekin.limits import MAX_ELEMENT, MAX_LINE
from pagekin.tables import url_number
from pagekin.web.urls import canonical

__all__ = [
    "ClassPath",
    "Directory",
    "DirectoryConfig",
    "key_of",
    "read_directory",
]

_ROOT = "Top"
_SOFT = "@"
_NONE = -1

_GZIP = b"\x1f\x8b"
_SNIFFED = 1 << 16  # bytes; the head of a dump, with its comments, is far shorter
_CHUNK = 1 << 20
_NAMES = re.compile(r".*\.(?:tsv|txt|rdf|u8)(?:\.gz)?", re.IGNORECASE)

_RDF = re.compile(rb"<(?:RDF|Topic|ExternalPage|Alias)\b")
_BEGIN = re.compile(r"<(?:Topic|ExternalPage|Alias)[\s>]")
_END = re.compile(r"</(?:Topic|ExternalPage|Alias)\s*>")
_LINKS = frozenset(("link", "link1", "link2", "pdf", "pdf1", "rss", "rss1", "atom", "atom1"))
# What XML 1.0 has no place for; dumps are full of it.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NUMBER = re.compile(r"[0-9]{1,18}")
_TAG = 16  # characters that may be the beginning of a tag whose rest is yet to be read

ClassPath = tuple[str, ...]


@dataclass(frozen=True)
class DirectoryConfig:
    """How a directory is read."""

    depth: int = 3  # the paper's
    shallow: str = "keep"  # or drop: pages above the depth
    form: str = "auto"  # or pages, curlie, rdf


@dataclass(frozen=True)
class Directory:
    """Which page is in which classes: page k in members[bounds[k]:bounds[k + 1]]."""

    classes: list[ClassPath]
    keys: NDArray[np.uint64]  # of the pages, ascending
    bounds: NDArray[np.int64]
    members: NDArray[np.int32]
    counters: Counters = field(default_factory=Counters)

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, url: str) -> int:
        """The page of a canonical URL, or -1."""
        at = int(self.keys.searchsorted(np.uint64(key_of(url))))
        return at if at < len(self.keys) and int(self.keys[at]) == key_of(url) else _NONE

    def classes_of(self, page: int) -> NDArray[np.int32]:
        """The numbers of a page's classes."""
        return self.members[self.bounds[page] : self.bounds[page + 1]]


def key_of(url: str) -> int:
    """The number that stands for a canonical URL."""
    return url_number(url.encode())


def read_directory(
    paths: Iterable[Path],
    config: DirectoryConfig | None = None,
    resolve: Callable[[str], str] = str,
) -> Directory:
    """The directory in some files or folders; `resolve` leads from an alias to its page."""
    config = config or DirectoryConfig()
    builder = _Builder(config, resolve)
    files = list(_files(paths))
    for path in files:
        for entry in _read_entries(path, builder.counters, config.form):
            builder.add(entry)
    directory = builder.finish()
    if not len(directory):
        names = ", ".join(map(str, files))
        counts = directory.counters.as_dict().get("directory", {})
        why = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
        raise InputError(f"{names}: no page stands in a class there" + (f" ({why})" if why else ""))
    return directory


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files to be read: of a folder those with a name that a directory may have."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        inside = sorted(p for p in path.rglob("*") if p.is_file() and _NAMES.fullmatch(p.name))
        if not inside:
            raise InputError(f"{path}: holds no .tsv, .txt, .rdf or .u8 file, gzipped or not")
        yield from inside


class _Entry(NamedTuple):
    """A page in a class, or the name of a class that pages know by its number."""

    url: str | None
    path: str | None
    number: int | None = None


class _Builder:
    """Entries become arrays."""

    def __init__(self, config: DirectoryConfig, resolve: Callable[[str], str]) -> None:
        self.config, self.resolve = config, resolve
        self.counters = Counters()
        self._numbers: dict[ClassPath, int] = {}
        self._known: dict[str, int] = {}  # paths as they are written, which repeat
        self._keys, self._labels = array("Q"), array("q")
        self._later, self._by_number = array("q"), dict[int, int]()

    def add(self, entry: _Entry) -> None:
        label = _NONE if entry.path is None else self._class_of(entry.path)
        if entry.url is None:
            if entry.number is not None:
                self._by_number[entry.number] = label
            return
        self.counters.add("directory", "rows")
        url = canonical(entry.url)
        if url is None:
            self.counters.add("directory", "no_web_address")
            return
        self._keys.append(key_of(self.resolve(url)))
        self._labels.append(label)
        self._later.append(_NONE if entry.number is None else entry.number)

    def _class_of(self, text: str) -> int:
        if text not in self._known:
            self._known[text] = self._new_class(text)
        return self._known[text]

    def _new_class(self, text: str) -> int:
        path = [part for part in text.strip().split("/") if part]
        if not path or any(part.endswith(_SOFT) for part in path):
            return _NONE
        path = path[1:] if path[0] == _ROOT else path
        if len(path) < self.config.depth and self.config.shallow == "drop":
            return _NONE
        return self._numbers.setdefault(tuple(path[: self.config.depth]), len(self._numbers))

    def finish(self) -> Directory:
        """All entries as a directory: sorted by key, each class of a page once."""
        keys = np.frombuffer(self._keys, np.uint64)
        labels = np.frombuffer(self._labels, np.int64).copy()
        for at in np.flatnonzero(np.frombuffer(self._later, np.int64) != _NONE).tolist():
            labels[at] = self._by_number.get(self._later[at], _NONE)
        keys, labels = keys[labels != _NONE], labels[labels != _NONE]
        self.counters.add("directory", "rows_without_class", len(self._keys) - len(keys))
        order = np.lexsort((labels, keys))
        keys, labels = keys[order], labels[order]
        again = np.flatnonzero((keys[1:] == keys[:-1]) & (labels[1:] == labels[:-1])) + 1
        keys, labels = np.delete(keys, again), np.delete(labels, again)
        unique, first = np.unique(keys, return_index=True)
        self.counters.add("directory", "pages", len(unique))
        bounds = np.append(first, len(keys)).astype(np.int64)
        return Directory(
            list(self._numbers), unique, bounds, labels.astype(np.int32), self.counters
        )


# --- files ---


def _read_entries(path: Path, counters: Counters, form: str) -> Iterator[_Entry]:
    """The entries of a file; what is wrong in it is counted under `directory`."""
    with _opened(path) as file:
        try:
            head = file.read(_SNIFFED)
            file.seek(0)
            read = _READERS[_form_of(head) if form == "auto" else form]
            yield from read(file, counters)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            counters.add("directory", "files_broken_off")  # what came before counts


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP
            raw.seek(0)
            with gzip.GzipFile(fileobj=raw) if packed else nullcontext(raw) as file:
                yield cast(BinaryIO, file)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _form_of(head: bytes) -> str:
    if _RDF.search(head):
        return "rdf"
    for line in head.splitlines():
        fields = line.strip().split(b"\t")
        if len(fields) > 1:
            curlie = fields[0].isdigit() or (len(fields) > 3 and fields[-1].isdigit())
            return "curlie" if curlie else "pages"
    return "pages"


def _lines(file: BinaryIO, counters: Counters) -> Iterator[list[str]]:
    """The fields of each line; empty lines are none."""
    while line := file.readline(MAX_LINE):
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            counters.add("directory", "lines_too_long")
            while (rest := file.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                pass
        elif fields := line.decode("utf-8-sig", "replace").strip():
            yield fields.split("\t")


def _read_pages(file: BinaryIO, counters: Counters) -> Iterator[_Entry]:
    for fields in _lines(file, counters):
        if len(fields) < 2:
            counters.add("directory", "damaged")
        else:
            yield _Entry(fields[0], fields[1])


def _read_curlie(file: BinaryIO, counters: Counters) -> Iterator[_Entry]:
    for fields in _lines(file, counters):
        if len(fields) > 1 and _NUMBER.fullmatch(fields[0]):
            yield _Entry(None, fields[1], int(fields[0]))
        elif len(fields) > 1 and _NUMBER.fullmatch(fields[-1]):
            yield _Entry(fields[0], None, int(fields[-1]))
        else:
            counters.add("directory", "damaged")


def _read_rdf(file: BinaryIO, counters: Counters) -> Iterator[_Entry]:
    for text in _elements(file, counters):
        if text.startswith("<Alias"):
            continue
        try:
            element = _Element(text)
        except (expat.ExpatError, ValueError):
            counters.add("directory", "damaged")
        else:
            topic = element.topic or None
            for url in element.urls:
                yield _Entry(url, topic)


def _elements(file: BinaryIO, counters: Counters) -> Iterator[str]:
    """The text of each element of the first level: up to its end, or to where the next begins."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    rest = ""
    while chunk := file.read(_CHUNK):
        rest += decode(chunk)
        begins = [found.start() for found in _BEGIN.finditer(rest)]
        for low, high in pairwise(begins):
            yield _cut(rest[low:high])
        rest = rest[begins[-1] :] if begins else rest[-_TAG:]
        if len(rest) > MAX_ELEMENT:
            counters.add("directory", "elements_too_long")
            rest = ""
    if _BEGIN.match(rest):
        yield _cut(rest)


def _cut(text: str) -> str:
    end = _END.search(text)
    return text[: end.end()] if end else text


class _Element:
    """What expat finds in a Topic or an ExternalPage."""

    def __init__(self, text: str) -> None:
        self.urls: list[str] = []
        self._topic: list[str] = []  # expat gives a text line by line
        self._inside = ""
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.Parse(_NO_XML.sub(" ", text).encode("utf-8", "replace"), True)

    @property
    def topic(self) -> str:
        """The path of the class."""
        return "".join(self._topic)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        values = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        self._inside = name
        if name == "Topic":
            self._topic = [values.get("id", "")]
        elif name == "ExternalPage":
            self.urls.append(values.get("about", ""))
        elif name in _LINKS:
            self.urls.append(values.get("resource", ""))

    def _end(self, name: str) -> None:
        self._inside = ""

    def _text(self, data: str) -> None:
        if self._inside == "topic":
            self._topic.append(data)


_READERS = {"pages": _read_pages, "curlie": _read_curlie, "rdf": _read_rdf}
