"""WARC files become pages, and a WARC record a page or the name of the reason why it is none.

Every record ends in exactly one count of the group `records`: `used`, or why it was left out; that
they add up is checked after each file. What is odd about a page that is used (cut, truncated,
undeclared charset ...) is counted in the group `pages`. See docs/formats.md, "Counters", for all
names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from pagekin.config import ReadingConfig
from pagekin.counters import Counters
from pagekin.errors import InputError
from pagekin.limits import MAX_RECORD, MAX_TITLE
from pagekin.text.languages import language_of
from pagekin.text.tokens import TITLE, TITLE_END, one_line
from pagekin.web.charset import to_utf8
from pagekin.web.http import HttpResponse, content_type, decode_body, parse_http
from pagekin.web.markup import Flat, Outline, read_markup
from pagekin.web.resolution import Resolution
from pagekin.web.streams import WHOLE, ByteRange, open_source
from pagekin.web.urls import Resolver, among_hosts, canonical, host, refusal
from pagekin.web.warc import Damage, Record, read_records

if TYPE_CHECKING:
    from pagekin.web.html import Tree

__all__ = [
    "NOTHING",
    "OUTLINE",
    "TEXT",
    "TREE",
    "Page",
    "PageReader",
    "SnapshotReader",
    "View",
    "capture_name",
    "is_blank",
    "is_html",
    "is_nofollow",
    "make_page",
    "open_response",
    "read_file",
    "status_reason",
]

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_SNIFF = 1024  # bytes that are looked at when no type is given
_BLANK = 64  # bytes that an empty body may take in any coding; nobody writes a page in so few
_HEADERS = 64 << 10  # bytes of HTTP headers before the body
_BINARY = (b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"RIFF")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NOFOLLOW = ("nofollow", "ugc", "sponsored")
# WARC/1.1 knows these; a name of its own for every other would let a file fill the counters.
_KINDS = frozenset(
    ("warcinfo", "request", "metadata", "revisit", "resource", "conversion", "continuation")
)


Report = Callable[[int, int], None]  # pages, bytes of the file


@dataclass(frozen=True)
class View:
    """What is made of a page, besides what its head says."""

    text: bool = True
    outline: bool = False
    tree: bool = False
    without: frozenset[str] = frozenset()  # markers that are left out of the text


TEXT: Final = View()
NOTHING: Final = View(text=False)
OUTLINE: Final = View(text=False, outline=True)
TREE: Final = View(text=False, tree=True)


@dataclass(slots=True)
class Page:
    """What a reader sees of a page, as it was asked for; words are not yet cut."""

    url: str
    flat: Flat  # where no text was wanted: what the head says, without text
    language: str  # ISO 639-1, or "" where nobody knows; without text only the page's own word
    charset: str
    resolver: Resolver
    outline: Outline | None = None
    tree: Tree | None = None
    # where its links lead, by what decides that: what LinkTargets has found out
    ends: dict[object, tuple[list[str | None], set[str]]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Its first <title>, as one line, cut if it is very long; "" where it has none."""
        return one_line(self._title_text, MAX_TITLE)

    @property
    def title_is_cut(self) -> bool:
        """Was it so long that the rest is not shown?"""
        return len(one_line(self._title_text, MAX_TITLE + 1)) > MAX_TITLE

    @property
    def _title_text(self) -> str:
        start = self.flat.text.find(TITLE.encode())
        if start < 0:
            return ""
        end = self.flat.text.find(TITLE_END.encode(), start)
        return self.flat.text[start + 1 : None if end < 0 else end].decode()

    @property
    def noindex(self) -> bool:
        return "noindex" in self.flat.robots or "none" in _words(self.flat.robots)

    @property
    def nofollow(self) -> bool:
        return "nofollow" in self.flat.robots or "none" in _words(self.flat.robots)

    @property
    def canonical(self) -> str | None:
        """The URL that the page names as its own, if it names a valid one."""
        return self.resolver(self.flat.canonical) if self.flat.canonical else None

    def targets(self) -> list[str | None]:
        """The canonical URL of each link, None for links that lead to no web page."""
        return self.resolver.all(self.flat.hrefs)

    def unfollowed(self) -> list[bool]:
        """For each link: does its rel ask not to count it?"""
        return list(map(is_nofollow, self.flat.rels()))


def is_nofollow(rel: str) -> bool:
    """Does a link with this rel ask not to be counted?"""
    return rel != "" and any(word in rel.lower() for word in _NOFOLLOW)


def _words(robots: str) -> list[str]:
    return robots.replace(",", " ").split()


def open_response(record: Record) -> tuple[str, HttpResponse] | str:
    """The canonical URL and the HTTP response of a record, or the reason why it has none."""
    if record.kind != "response":
        return f"not_response_{record.kind if record.kind in _KINDS else 'other'}"
    url = canonical(record.url)
    if url is None:
        return "url_too_long" if refusal(record.url) == "too_long" else "bad_url"
    response = parse_http(record.block)
    return response if isinstance(response, str) else (url, response)


def status_reason(response: HttpResponse) -> str:
    """Why a response with this status is no page; "" for 200."""
    if response.status == 200:
        return ""
    if response.status in _REDIRECTS and "location" in response.headers:
        return "redirect"
    return f"status_{response.status // 100}xx"


def is_html(response: HttpResponse) -> bool:
    """By its content type; where none is given, by what it looks like."""
    kind, _ = content_type(response.headers)
    if kind:
        return kind in _HTML_TYPES
    start = decode_body(response, _SNIFF)[0].lower()
    return b"<html" in start or b"<!doctype html" in start


def is_blank(response: HttpResponse) -> bool:
    """Is there nothing in the body, once it is decoded?"""
    if len(response.body) > _BLANK:
        return False
    return not decode_body(response, _SNIFF)[0].strip()


def make_page(
    url: str,
    body: bytes,
    header_charset: str = "",
    counters: Counters | None = None,
    *,
    found_at: str = "",
    view: View = TEXT,
) -> Page | str:
    """The page in decoded HTML bytes, or the reason why there is none.

    Links are relative to the address where it was found, which may hold what `url` leaves out.
    """
    if not body or body.isspace():
        return "empty"
    if body.startswith(_BINARY):
        return "binary"
    text, charset = to_utf8(body, header_charset)
    flat, outline = read_markup(text, view.without, with_outline=view.outline)
    if flat is None:
        return "no_markup"
    if not view.text:
        flat.text = b""
    resolver = _resolver(found_at or url, flat.base)
    page = Page(url, flat, language_of(flat.language, flat.text), charset, resolver, outline)
    if view.tree:
        from pagekin.web.html import parse_tree  # noqa: PLC0415 - lxml, which bags do without

        page.tree = parse_tree(text)
    if counters:
        _count(page, counters)
    return page


def _count(page: Page, counters: Counters) -> None:
    counters.add("pages", "too_deep_for_a_tree", int(page.tree is not None and page.tree.deep))
    for note in page.flat.notes:
        counters.add("pages", note)
    counters.add("charsets", page.charset)
    counters.add("languages", page.language or "unknown")


def _resolver(url: str, base: str) -> Resolver:
    if not base:
        return Resolver(url)
    return Resolver(Resolver(url)(base) or url)


class PageReader:
    """Reads records as pages under one configuration, counting what becomes of each."""

    def __init__(self, config: ReadingConfig, counters: Counters, view: View = TEXT) -> None:
        self._config = config
        self._counters = counters
        self._view = view
        self._excluded = among_hosts(config.exclude_host) if config.exclude_host else None

    def read(self, record: Record) -> Page | str:
        """The page, or the reason why the record is left out; the caller counts which."""
        opened = open_response(record)
        if isinstance(opened, str):
            return opened
        url, response = opened
        reason = self._refuse(url, response)
        return reason or self._make(url, record, response)

    def _refuse(self, url: str, response: HttpResponse) -> str:
        if self.excludes(url):
            return "excluded_host"
        return status_reason(response) or ("" if is_html(response) else "not_html")

    def excludes(self, url: str) -> bool:
        """Is the URL on a host that is not to be read?"""
        return self._excluded is not None and self._excluded(host(url))

    def _make(self, url: str, record: Record, response: HttpResponse) -> Page | str:
        body, notes = decode_body(response, self._config.max_page_bytes)
        charset = content_type(response.headers)[1]
        page = make_page(url, body, charset, found_at=record.url, view=self._view)
        if isinstance(page, str):
            return page
        if self._config.obey_robots and page.noindex:
            return "noindex"
        _count(page, self._counters)
        self._counters.add("pages", "cut_to_limit", int("cut" in notes or record.cut))
        for note in notes:
            self._counters.add("pages", note, int(note != "cut"))
        self._counters.add("pages", "truncated_by_crawler", int(bool(record.truncated)))
        return page


# --- files ----------------------------------------------------------------------------------------


def capture_name(uri: str, record: Record) -> bytes:
    """How a capture is named between the inventory and the readers."""
    return f"{uri}:{record.position}".encode()


def read_file(
    uri: str,
    counters: Counters,
    limit: int,
    whole: Callable[[Record], bool] | None = None,
    part: ByteRange = WHOLE,
) -> Iterator[Record]:
    """The intact records of a file, or of a part of it, `limit` bytes of each body, or more of
    those that are wanted whole; damage is counted, and so is a file that cannot be read.

    A file that is read in parts counts as read with its first; those that fail count by file.
    """
    usual = limit + _HEADERS

    def most(record: Record) -> int:
        return max(usual, MAX_RECORD) if whole and whole(record) else usual

    try:
        with open_source(uri, start=part.start) as stream:
            found = read_records(stream, most if whole else usual, part=part)
            yield from _intact(uri, found, counters, part)
        counters.add("files", "read", int(part.start == 0))
    except InputError as error:
        if part == WHOLE:
            counters.add("files", "failed")
        else:
            counters.add("files_failed_in_part", uri)
        counters.note(str(error))


def _intact(
    uri: str, found: Iterator[Record | Damage], counters: Counters, part: ByteRange
) -> Iterator[Record]:
    damaged = intact = 0
    first = ""
    for item in _checked(uri, found, part.start) if part.start else found:
        counters.add("records", "read")
        if isinstance(item, Damage):
            damaged += 1
            first = first or f"{item.offset:,} ({item.reason})"
            counters.add("records", f"damaged_{item.reason}")
        else:
            intact += 1
            yield item
    if damaged and not intact and part == WHOLE:
        raise InputError(f"{uri}: holds no WARC record; is it a WARC file?")
    if damaged:
        more = f", and {damaged - 1:,} times behind it" if damaged > 1 else ""
        counters.note(f"{uri}: damaged or cut at byte {first}{more}; that was passed over")
    elif not intact:
        counters.note(f"{uri}: is empty")


def _checked(uri: str, found: Iterator[Record | Damage], start: int) -> Iterator[Record | Damage]:
    """What was found from `start` on; InputError unless a record begins there, as one did when the
    file was cut.
    """
    first = next(found, None)
    if not (isinstance(first, Record) and first.offset == start):
        raise InputError(
            f"{uri}: was changed after the inventory: no record begins at byte {start} any more;"
            " build again, in a new workspace if its date did not change"
        )
    return chain([first], found)


class SnapshotReader:
    """Pages of snapshot files under one configuration."""

    def __init__(
        self,
        config: ReadingConfig,
        counters: Counters,
        resolution: Resolution | None = None,
        view: View = TEXT,
    ) -> None:
        self._limit = config.max_page_bytes
        self._pages = PageReader(config, counters, view)
        self._counters = counters
        self._resolution = resolution

    def pages(
        self,
        uri: str,
        report: Report = lambda pages, size: None,
        part: ByteRange = WHOLE,
    ) -> Iterator[Page]:
        """The pages of one file, or of a part of it."""
        add = self._counters.add
        for record in read_file(uri, self._counters, self._limit, part=part):
            page = self._read(uri, record)
            add("records", page if isinstance(page, str) else "used")
            report(int(not isinstance(page, str)), record.offset)
            if not isinstance(page, str):
                yield page
        self._check(uri)

    def _read(self, uri: str, record: Record) -> Page | str:
        if self._resolution and self._resolution.passes_over(capture_name(uri, record)):
            return "other_capture"
        return self._pages.read(record)

    def _check(self, uri: str) -> None:
        counts = dict(self._counters.as_dict().get("records", {}))
        read = counts.pop("read", 0)
        if read != sum(counts.values()):
            raise AssertionError(f"{uri}: of {read} records {sum(counts.values())} have a reason")
