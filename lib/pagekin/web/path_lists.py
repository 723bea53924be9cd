"""Lists of paths, one in a line, as Common Crawl publishes its snapshots (`warc.paths.gz`).

Here are the lines of a list, checked for what people give by mistake: a WARC file, a page that
says an error, a list of the crawl's extracts. `pagekin.web.sources` says where the paths lead.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from typing import Any, Final, cast

from pagekin.errors import InputError
from pagekin.web.streams import open_source

__all__ = ["LIST_ENDINGS", "WARC_ENDINGS", "paths_of", "refuse_list"]

WARC_ENDINGS: Final = (".warc", ".warc.gz", ".warc.zst")
LIST_ENDINGS: Final = (".paths", ".paths.gz", ".txt", ".txt.gz")

_EXTRACTS: Final = (".warc.wet.gz", ".warc.wat.gz")  # Common Crawl's texts and metadata: no HTML
_MAX_LINE: Final = 4096  # bytes; paths have no more on Linux, keys of S3 1,024
_NO_PATH: Final = re.compile("[\x00-\x1f\x7f\ufffd]|^<")  # binary data, or an error page
_GZIP_ERRORS: Final = (EOFError, gzip.BadGzipFile, zlib.error)


def paths_of(uri: str) -> Iterator[str]:
    """The paths of a list, at least one; InputError when it is no list."""
    empty = True
    try:
        for path in filter(None, _lines(uri)):
            _check(path, uri)
            yield path
            empty = False
    except _GZIP_ERRORS as error:
        raise InputError(f"{uri}: is no whole gzip file ({error}); fetch it again") from error
    if empty:
        raise InputError(f"{uri}: the list is empty")


def refuse_list(uri: str) -> None:
    """InputError when what should be a WARC file is a list of them."""
    first = ""
    with suppress(*_GZIP_ERRORS), closing(_lines(uri)) as lines:  # a WARC may be broken
        first = next(lines, "")
    if first.endswith(WARC_ENDINGS) and not _NO_PATH.search(first):
        ends = " or ".join(LIST_ENDINGS)
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


def _check(path: str, uri: str) -> None:
    if path.startswith("WARC/"):
        ends = " or ".join(WARC_ENDINGS)
        raise InputError(
            f"{uri}: is a WARC file and no list of paths; its name should end in {ends}"
        )
    if _NO_PATH.search(path):
        raise InputError(f"{uri}: is no list of paths, but has the line {path[:60]!r}")
    if path.endswith(_EXTRACTS):
        raise InputError(f"{uri}: lists extracts ({path}); take the list warc.paths.gz instead")
