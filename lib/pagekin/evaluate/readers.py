"""Reading directories of pages: the dumps of ODP, those of Curlie, and two columns.

    pages    lines `URL TAB /Top/A/B`
    curlie   lines `URL TAB TITLE TAB DESCRIPTION TAB CLASS-ID` (*-c.tsv) and, in other files or the
             same, `CLASS-ID TAB A/B ...` (*-s.tsv)
    rdf      content.rdf.u8 and structure.rdf.u8 of ODP: ExternalPage with its topic, and the links
             of a Topic (all that older dumps have)

A file may be gzipped, and says by its beginning what it is. Dumps are old and damaged: a broken
line or element is counted and costs no other. Elements of RDF are parsed one by one by expat,
outside of any document: so there is no DTD, and no entity that could unfold. Soft links (`symbolic`
and `Alias` of ODP, names that end with "@") lead to classes and hold no pages: they are ignored.
"""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast
from xml.parsers import expat

from pagekin.counters import Counters
from pagekin.errors import InputError

__all__ = ["FORMATS", "Entry", "directory_files", "read_entries"]

FORMATS = ("pages", "curlie", "rdf")

_GZIP = b"\x1f\x8b"
_SNIFFED = 1 << 16  # bytes; the head of a dump, with its comments, is far shorter
_LINE = 1 << 16  # bytes of a line; URL, title and description of a page are below 10,000
_CHUNK = 1 << 20
_ELEMENT = 1 << 24  # characters; the largest topic of ODP holds some ten thousand links
_NAMES = re.compile(r".*\.(?:tsv|txt|rdf|u8)(?:\.gz)?", re.IGNORECASE)

_RDF = re.compile(rb"<(?:RDF|Topic|ExternalPage|Alias)\b")
_BEGIN = re.compile(r"<(?:Topic|ExternalPage|Alias)[\s>]")
_END = re.compile(r"</(?:Topic|ExternalPage|Alias)\s*>")
_LINKS = frozenset(("link", "link1", "link2", "pdf", "pdf1", "rss", "rss1", "atom", "atom1"))
# What XML 1.0 has no place for; dumps are full of it.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NUMBER = re.compile(r"[0-9]{1,18}")
_TAG = 16  # characters that may be the beginning of a tag whose rest is yet to be read


class Entry(NamedTuple):
    """A page in a class, or the name of a class that pages know by its number."""

    url: str | None
    path: str | None
    number: int | None = None


def directory_files(paths: Iterable[Path]) -> list[Path]:
    """The files that are meant: of a folder those whose names say that they may be directories."""
    files: list[Path] = []
    for path in paths:
        inside = sorted(p for p in path.rglob("*") if p.is_file() and _NAMES.fullmatch(p.name))
        files += inside if path.is_dir() else [path]
        if path.is_dir() and not inside:
            raise InputError(f"{path}: holds no .tsv, .txt, .rdf or .u8 file, gzipped or not")
    return files


def read_entries(path: Path, counters: Counters, form: str = "auto") -> Iterator[Entry]:
    """What a file says; what is wrong in it is counted under `directory`."""
    with _opened(path) as file:
        try:
            head = _peek(file)
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
            if not packed:
                yield raw
                return
            with gzip.GzipFile(fileobj=raw) as file:
                yield cast(BinaryIO, file)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _peek(file: BinaryIO) -> bytes:
    head = file.read(_SNIFFED)
    file.seek(0)
    return head


def _form_of(head: bytes) -> str:
    if _RDF.search(head):
        return "rdf"
    for line in head.splitlines():
        fields = line.strip().split(b"\t")
        if len(fields) > 1:
            curlie = fields[0].isdigit() or (len(fields) > 3 and fields[-1].isdigit())
            return "curlie" if curlie else "pages"
    return "pages"


# --- lines ---


def _lines(file: BinaryIO, counters: Counters) -> Iterator[list[str]]:
    """The fields of each line; empty lines are none."""
    while line := file.readline(_LINE):
        if len(line) == _LINE and not line.endswith(b"\n"):
            counters.add("directory", "lines_too_long")
            while (rest := file.readline(_LINE)) and not rest.endswith(b"\n"):
                pass
        elif fields := line.decode("utf-8-sig", "replace").strip():
            yield fields.split("\t")


def _read_pages(file: BinaryIO, counters: Counters) -> Iterator[Entry]:
    for fields in _lines(file, counters):
        if len(fields) < 2:
            counters.add("directory", "damaged")
        else:
            yield Entry(fields[0], fields[1])


def _read_curlie(file: BinaryIO, counters: Counters) -> Iterator[Entry]:
    for fields in _lines(file, counters):
        if len(fields) > 1 and _NUMBER.fullmatch(fields[0]):
            yield Entry(None, fields[1], int(fields[0]))
        elif len(fields) > 1 and _NUMBER.fullmatch(fields[-1]):
            yield Entry(fields[0], None, int(fields[-1]))
        else:
            counters.add("directory", "damaged")


# --- RDF ---


def _read_rdf(file: BinaryIO, counters: Counters) -> Iterator[Entry]:
    for text in _elements(file, counters):
        try:
            yield from _entries_of(text)
        except (expat.ExpatError, ValueError):
            counters.add("directory", "damaged")


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
        if len(rest) > _ELEMENT:
            counters.add("directory", "damaged")
            rest = ""
    if _BEGIN.match(rest):
        yield _cut(rest)


def _cut(text: str) -> str:
    end = _END.search(text)
    return text[: end.end()] if end else text


def _entries_of(text: str) -> Iterator[Entry]:
    """What one element says."""
    if text.startswith("<Alias"):
        return
    element = _Element()
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = element.start
    parser.EndElementHandler = element.end
    parser.CharacterDataHandler = element.text
    parser.Parse(_NO_XML.sub(" ", text).encode("utf-8", "replace"), True)
    for url in element.urls:
        yield Entry(url, element.topic or None)


class _Element:
    """Takes what expat finds in a Topic or an ExternalPage."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.topic = ""
        self._inside = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        said = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        self._inside = name
        if name == "Topic":
            self.topic = said.get("id", "")
        elif name == "ExternalPage":
            self.urls.append(said.get("about", ""))
        elif name in _LINKS:
            self.urls.append(said.get("resource", ""))

    def end(self, name: str) -> None:
        self._inside = ""

    def text(self, data: str) -> None:
        if self._inside == "topic":
            self.topic += data


_READERS = {"pages": _read_pages, "curlie": _read_curlie, "rdf": _read_rdf}
