"""WARC records, written by hand (ISO 28500; 1.0 and 1.1 differ only in their first line here).

Every record is a gzip member of its own. Names and dates follow from the URL and the order of the
crawl, so that the same web gives the same bytes.
"""

from __future__ import annotations

from base64 import b32encode
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from hashlib import sha1
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

from .answers import Answer, head_of
from .chance import draw
from .packing import gzipped

__all__ = ["Capture", "info_record", "metadata_record", "request_record", "response_record"]

PROFILE = "http://netpreserve.org/warc/{}/revisit/identical-payload-digest"
SOFTWARE = "make-demo-snapshot"
Fields = list[tuple[str, str]]


@dataclass(frozen=True)
class Capture:
    """An answer, the moment it came, and for a revisit the moment it refers to."""

    answer: Answer
    time: datetime
    first: datetime | None = None


def info_record(name: str, time: datetime, version: str) -> bytes:
    lines = [
        f"software: {SOFTWARE}",
        f"format: WARC File Format {version}",
        "description: a made-up little web on reserved host names",
        "robots: ignore",
    ]
    fields = [("WARC-Filename", name), ("Content-Type", "application/warc-fields")]
    return _record("warcinfo", name, time, fields, block=_fields_block(lines), version=version)


def response_record(capture: Capture, version: str) -> bytes:
    """A response, or a revisit where nothing had changed since the first visit."""
    answer = capture.answer
    head = head_of(answer, format_datetime(capture.time, usegmt=True))
    kept = answer.body[: answer.cut]
    fields = [
        *_target(capture),
        ("WARC-Payload-Digest", _digest(kept)),
        ("Content-Type", "application/http; msgtype=response"),
    ]
    if answer.revisit and capture.first:
        fields += [
            ("WARC-Profile", PROFILE.format(version)),
            ("WARC-Refers-To", _identity("response", answer.url, capture.first)),
            ("WARC-Refers-To-Target-URI", answer.url),
            ("WARC-Refers-To-Date", _iso(capture.first)),
        ]
        return _of(capture, "revisit", fields, head, version)
    if answer.cut is not None:
        fields.append(("WARC-Truncated", "length"))
    return _of(capture, "response", fields, head + kept, version)


def request_record(capture: Capture, version: str) -> bytes:
    parts = urlsplit(capture.answer.url)
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {parts.netloc}",
        f"User-Agent: {SOFTWARE}",
        "Accept: text/html,*/*;q=0.5",
        "Connection: close",
    ]
    fields = [
        *_target(capture),
        ("WARC-Concurrent-To", _identity("response", capture.answer.url, capture.time)),
        ("Content-Type", "application/http; msgtype=request"),
    ]
    block = ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")
    return _of(capture, "request", fields, block, version)


def metadata_record(capture: Capture, version: str) -> bytes:
    milliseconds = 40 + int(draw("fetch", capture.answer.url) * 900)
    fields = [
        *_target(capture),
        ("WARC-Concurrent-To", _identity("response", capture.answer.url, capture.time)),
        ("Content-Type", "application/warc-fields"),
    ]
    block = _fields_block([f"fetchTimeMs: {milliseconds}"])
    return _of(capture, "metadata", fields, block, version)


def _of(capture: Capture, kind: str, fields: Fields, block: bytes, version: str) -> bytes:
    return _record(kind, capture.answer.url, capture.time, fields, block=block, version=version)


def _record(
    kind: str, name: str, time: datetime, fields: Fields, *, block: bytes, version: str
) -> bytes:
    """The whole record as one gzip member."""
    lines = [
        f"WARC/{version}",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: {_identity(kind, name, time)}",
        f"WARC-Date: {_iso(time)}",
        *(f"{name}: {value}" for name, value in fields),
        f"WARC-Block-Digest: {_digest(block)}",
        f"Content-Length: {len(block)}",
    ]
    head = "\r\n".join(lines) + "\r\n\r\n"
    return gzipped(head.encode("utf-8") + block + b"\r\n\r\n")


def _target(capture: Capture) -> Fields:
    """Addresses of 192.0.2.0/24 are set aside for documentation (RFC 5737)."""
    url = capture.answer.url
    last = 1 + int(draw("address", urlsplit(url).netloc) * 254)
    return [("WARC-Target-URI", url), ("WARC-IP-Address", f"192.0.2.{last}")]


def _fields_block(lines: list[str]) -> bytes:
    return ("\r\n".join(lines) + "\r\n").encode("utf-8")


def _identity(kind: str, name: str, time: datetime) -> str:
    return f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{kind} {name} {_iso(time)}')}>"


def _digest(data: bytes) -> str:
    return "sha1:" + b32encode(sha1(data, usedforsecurity=False).digest()).decode("ascii")


def _iso(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
