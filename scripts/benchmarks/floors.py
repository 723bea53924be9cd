"""The floor of whatever reads pages: decompress the records, and parse the HTML with lxml.

FastWARC reads the records where it is installed, and decodes their HTTP bodies; otherwise our
own reader does, which takes a little longer. Only responses with status 200 and HTML are parsed,
and their number is told, so that it can be compared with the pages that pagekin used. The parser
is set as pagekin sets its own. Nothing is done with the trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from benchmarks.harness import timed
from pagekin.config import ReadingConfig
from pagekin.counters import Counters
from pagekin.web.http import decode_body
from pagekin.web.page import is_html, open_response, read_file

__all__ = ["bodies", "decompress_only", "parse_only"]

_HTML = ("text/html", "application/xhtml+xml")


def parse_only(files: list[str]) -> dict[str, Any]:
    """CPU seconds of decompressing and parsing, the pages, and their bytes."""

    def work() -> tuple[int, int]:
        parser = etree.HTMLParser(
            remove_comments=True, remove_pis=True, collect_ids=False, encoding="utf-8"
        )
        pages = size = 0
        for body in bodies(files):
            pages, size = pages + 1, size + len(body)
            try:
                etree.fromstring(body, parser)
            except etree.XMLSyntaxError:
                continue  # a page without any markup
        return pages, size

    done = timed(work)
    return {"cpu": done.cpu, "pages": done.value[0], "bytes": done.value[1]}


def decompress_only(files: list[str]) -> dict[str, Any]:
    """The same without parsing."""
    done = timed(lambda: sum(1 for _ in bodies(files)))
    return {"cpu": done.cpu, "pages": done.value}


def bodies(files: list[str]) -> Iterator[bytes]:
    """The HTML of all files."""
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType  # noqa: PLC0415
    except ImportError:
        yield from _our_bodies(files)
        return
    for path in files:
        with open(path, "rb") as stream:  # noqa: PTH123 - as its documents show it
            for record in ArchiveIterator(
                stream, record_types=WarcRecordType.response, auto_decode="all"
            ):
                headers = record.http_headers
                kind = (record.http_content_type or "").lower()
                if headers and headers.status_code == 200 and (not kind or kind in _HTML):
                    yield record.reader.read()


def _our_bodies(files: list[str]) -> Iterator[bytes]:
    config, counters = ReadingConfig(), Counters()
    for path in files:
        for record in read_file(path, counters, config.max_page_bytes):
            opened = open_response(record)
            if not isinstance(opened, str) and opened[1].status == 200 and is_html(opened[1]):
                yield decode_body(opened[1], config.max_page_bytes)[0]
