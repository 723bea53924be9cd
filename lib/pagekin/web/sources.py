"""The files of a snapshot: what the words of a command line name, listed.

A word is a WARC file, a folder or glob of them, or a list of paths as Common Crawl publishes it
(`warc.paths.gz`); on this machine, or at an `hdfs://`, `s3://`, `https://` or `http://` address.
In folders and globs files are known for WARCs by their names; a file that is named by itself may be
called anything.

Remote files of a list are not asked for: one list of Common Crawl has 90,000. No contents are read
but those of lists, and the first line of what is named by itself.
"""

from __future__ import annotations

import glob
import gzip
import io
import os
import re
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn, cast

from pagekin.errors import InputError, UsageError
from pagekin.web import hdfs
from pagekin.web.streams import (
    SCHEMES,
    http_facts,
    local_errors,
    local_path,
    open_source,
    scheme_of,
)

__all__ = ["Source", "hints_for", "list_snapshot"]

_WARC_ENDINGS: Final = (".warc", ".warc.gz", ".warc.zst")
_LIST_ENDINGS: Final = (".paths", ".paths.gz", ".txt", ".txt.gz")

_EXTRACTS: Final = (
    ".wet.gz",
    ".wat.gz",
    ".wet",
    ".wat",
)  # Common Crawl's texts and metadata: no HTML
_MAX_LINE: Final = 4096  # bytes; paths have no more on Linux, keys of S3 1,024
_NO_PATH: Final = re.compile("[\x00-\x1f\x7f\ufffd]|^<")  # binary data, or an error page
_GZIP_ERRORS: Final = (EOFError, gzip.BadGzipFile, zlib.error)
_BASES: Final = "--base-url (for Common Crawl https://data.commoncrawl.org/ or s3://commoncrawl/)"

# Names travel in lines of text between tasks.
_NO_NAME: Final = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


class Source(NamedTuple):
    """One file of a snapshot; a local one by its absolute path."""

    uri: str
    size: int = -1
    """-1 when unknown."""
    stamp: str = ""
    """Another one when the file was changed; empty when unknown."""


def list_snapshot(
    words: Iterable[str], base_url: str = "", others: list[str] | None = None
) -> list[Source]:
    """All files that the words name, each once, in the order of the words.

    Paths in lists are continued from `base_url`, an address or a local folder, if there is one.
    `others` gets the names of files in folders of this machine that are no WARC files.
    """
    found: dict[str, Source] = {}
    names = others if others is not None else []
    for word in words:
        for source in _list_word(word, base_url, names):
            if _NO_NAME.search(source.uri):
                raise InputError(
                    f"{source.uri!r}: rename it, without control characters and in UTF-8"
                )
            found.setdefault(_identity(source), source)
    return list(found.values())


def _identity(source: Source) -> str:
    return source.uri if scheme_of(source.uri) else str(Path(source.uri).resolve())


def _list_word(word: str, base_url: str, others: list[str]) -> Iterable[Source]:
    _check_scheme(word, UsageError)
    if _is_list(word):
        return _list_paths(word, base_url)
    scheme, before = scheme_of(word), len(others)
    sources = sorted(_LISTERS[scheme](word) if scheme else _list_local(word, others))
    if not sources:
        hints = hints_for(others[before:])
        sentences = [f"{word}: there is no WARC file (*{', *'.join(_WARC_ENDINGS)})", *hints]
        raise InputError("; ".join(sentences))
    return sources


def hints_for(names: Iterable[str]) -> list[str]:
    """What to do with files that are no WARC files, by the example of the first of each kind."""
    hints = {name.lower().rpartition(".")[2]: _hint(name) for name in sorted(names, reverse=True)}
    return sorted(filter(None, hints.values()))


def _hint(name: str) -> str:
    """What to do with a file that is no WARC file; nothing where nobody knows."""
    lower = name.lower()
    if lower.endswith(".wacz"):
        return f"{name} is a WACZ archive: unpack it (unzip {name} 'archive/*') and name its folder"
    if lower.endswith((".html", ".htm", ".xhtml")):
        return (
            f"{name} is a page by itself: crawl the site into a WARC file (wget --warc-file=NAME"
            " --mirror URL), or look at one page with pagekin page --url URL FILE"
        )
    if lower.endswith(_EXTRACTS):
        return f"{name} is an extract without HTML (WET or WAT): take the WARC files of that crawl"
    return ""


def _check_scheme(uri: str, error: type[InputError | UsageError]) -> None:
    scheme = scheme_of(uri)
    if scheme not in ("", *SCHEMES):
        raise error(
            f"{uri}: {scheme}:// is unknown; use a local path or one of {'://, '.join(SCHEMES)}://"
        )


def _is_warc(name: str) -> bool:
    # dotted names are what copying tools and file systems leave beside the files
    last = name.rpartition("/")[2]
    return last.lower().endswith(_WARC_ENDINGS) and not last.startswith(".")


# --- lists of paths ------------------------------------------------------------------------------


def _is_list(word: str) -> bool:
    name = word.partition("?")[0] if scheme_of(word) in {"http", "https"} else word
    with local_errors(word):
        folder = not scheme_of(word) and local_path(word).is_dir()
    return name.lower().endswith(_LIST_ENDINGS) and not folder


def _list_paths(word: str, base_url: str) -> Iterator[Source]:
    for path in _paths_of(word):
        yield _listed(path, word, base_url)


def _listed(path: str, word: str, base_url: str) -> Source:
    uri = _join(path, word, base_url)
    if scheme_of(uri):
        _check_scheme(uri, InputError)
        return Source(uri)
    with local_errors(uri):
        if not local_path(uri).is_file():
            raise InputError(f"{word}: lists {uri}, which is not on this machine; try {_BASES}")
    return _local_source(local_path(uri))


def _join(path: str, word: str, base_url: str) -> str:
    if "://" in path:
        return path
    if base_url:
        _check_scheme(base_url, UsageError)
        base = base_url if scheme_of(base_url) else str(local_path(base_url))
        return f"{base.rstrip('/')}/{path.lstrip('/')}"
    if scheme_of(word) and not path.startswith("/"):
        raise UsageError(f"{word}: lists relative paths ({path}); say where they are with {_BASES}")
    return path if path.startswith("/") else str(local_path(word).parent / path)


def _paths_of(uri: str) -> Iterator[str]:
    """The paths of a list, at least one; InputError when it is no list."""
    empty = True
    try:
        for path in filter(None, _lines(uri)):
            _check_path(path, uri)
            yield path
            empty = False
    except _GZIP_ERRORS as error:
        raise InputError(f"{uri}: is no whole gzip file ({error}); fetch it again") from error
    if empty:
        raise InputError(f"{uri}: the list is empty")


def _refuse_list(uri: str) -> None:
    """InputError when what should be a WARC file is a list of them."""
    first = ""
    with suppress(*_GZIP_ERRORS), closing(_lines(uri)) as lines:  # a WARC may be broken
        first = next(lines, "")
    if first.endswith(_WARC_ENDINGS) and not _NO_PATH.search(first):
        ends = " or ".join(_LIST_ENDINGS)
        raise InputError(
            f"{uri}: is a list of paths and no WARC file; its name should end in {ends}"
        )


def _lines(uri: str) -> Generator[str, None, None]:
    """The lines of a text, also of one in several gzip members."""
    with open_source(uri) as stream:
        plain = io.BufferedReader(cast(Any, stream))
        packed = plain.peek(2).startswith(b"\x1f\x8b")
        text = gzip.GzipFile(fileobj=plain) if packed else plain
        for line in iter(lambda: text.readline(_MAX_LINE), b""):
            yield line.decode("utf-8", "replace").strip("\ufeff \t\r\n")


def _check_path(path: str, uri: str) -> None:
    if path.startswith("WARC/"):
        ends = " or ".join(_WARC_ENDINGS)
        raise InputError(
            f"{uri}: is a WARC file and no list of paths; its name should end in {ends}"
        )
    if _NO_PATH.search(path):
        raise InputError(f"{uri}: is no list of paths, but has the line {path[:60]!r}")
    if path.endswith(_EXTRACTS):
        raise InputError(f"{uri}: lists extracts ({path}); take the list warc.paths.gz instead")


# --- files, folders and globs --------------------------------------------------------------------


def _list_local(word: str, others: list[str]) -> Iterable[Source]:
    with local_errors(word):
        path = local_path(word)
        if path.is_file():
            if (hint := _hint(path.name)) and not _begins_like_a_warc(path):
                raise InputError(f"{word}: {hint}")
            return _named(_local_source(path))
        # Path.glob takes no absolute patterns
        matches = [str(path)] if path.is_dir() else glob.glob(str(path), recursive=True)  # noqa: PTH207
        if not matches:
            raise InputError(f"{word}: there is no such file or folder, and nothing matches it")
        files = {file for match in matches for file in _walk(Path(match))}
    others += sorted(file.name for file in files if not _is_warc(file.name))
    return map(_local_source, [file for file in files if _is_warc(file.name)])


def _begins_like_a_warc(path: Path) -> bool:
    """Not a zip archive, a page or an extract, whatever it is called."""
    with path.open("rb") as file:
        start = file.read(5)
    return start == b"WARC/" and not path.name.lower().endswith(_EXTRACTS)


def _walk(start: Path) -> Iterator[Path]:
    """All files of a folder; links are followed, but not in circles."""
    if not start.is_dir():
        yield start
        return
    seen: set[Path] = set()
    for root, folders, names in os.walk(start, onerror=_refuse, followlinks=True):
        folders.sort()  # which of two ways to a folder comes first is then no accident
        if Path(root).resolve() in seen:
            folders.clear()
            continue
        seen.add(Path(root).resolve())
        yield from (Path(root, name) for name in names if not name.startswith("."))


def _refuse(error: OSError) -> NoReturn:
    raise InputError(f"{error.filename}: cannot be read: {error.strerror}") from error


def _local_source(path: Path) -> Source:
    with local_errors(str(path)):
        status = path.stat()
    return Source(str(path.absolute()), status.st_size, str(status.st_mtime_ns))


def _named(source: Source) -> list[Source]:
    _refuse_list(source.uri)
    return [source]


def _list_http(word: str) -> Iterable[Source]:
    if word.endswith("/"):
        raise UsageError(f"{word}: folders cannot be listed over HTTP; name a WARC file or a list")
    size, version = http_facts(word)
    return _named(Source(word, size, version.strip('"')))


def _list_hdfs(word: str) -> Iterable[Source]:
    sources = [
        Source(*file) for file in hdfs.list_files(word) if file[0] == word or _is_warc(file[0])
    ]
    return _named(sources[0]) if [source.uri for source in sources] == [word] else sources


def _list_s3(word: str) -> Iterable[Source]:
    from pagekin.web import s3  # noqa: PLC0415 - 0.2 s that others need not pay

    name, key = s3.split_uri(word)
    with s3.open_bucket(word) as bucket:
        named = bucket.find(key) if key.rstrip("/") == key else None
        folder = f"{key.rstrip('/')}/" if key else ""
        # what is called exactly so is meant before what the pattern matches
        pattern = key if glob.has_magic(key) and not any(bucket.below(folder)) else ""
        prefix = re.split(r"[*?[]", pattern)[0] if pattern else folder
        objects = [named] if named else bucket.below(prefix)
        found = [o for o in objects if named or (_is_warc(o.key) and _matches(o.key, pattern))]
    sources = [Source(f"s3://{name}/{o.key}", o.size, o.version.strip('"')) for o in found]
    return _named(sources[0]) if named else sources


def _matches(key: str, pattern: str) -> bool:
    """Is it a file that the pattern means, or in a folder that it means?"""
    return not pattern or _fits(key.split("/"), [*pattern.split("/"), "**"])


def _fits(parts: list[str], pattern: list[str]) -> bool:
    if not pattern or not parts:
        return not parts and all(part == "**" for part in pattern)
    if pattern[0] == "**":
        return _fits(parts, pattern[1:]) or _fits(parts[1:], pattern)
    return fnmatchcase(parts[0], pattern[0]) and _fits(parts[1:], pattern[1:])


_LISTERS: Final[dict[str, Callable[[str], Iterable[Source]]]] = {
    "hdfs": _list_hdfs,
    "s3": _list_s3,
    "http": _list_http,
    "https": _list_http,
}
