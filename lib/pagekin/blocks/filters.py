"""The seven filters between a block of links and the pairs made of it, in their order [BLOCK].

1. large block: a block of more than S links is discarded; they belong to several topics
2. file: links to files go, because only pages are kin
3. dynamic: a link with a query leads to its host instead
4. normalisation: URLs become canonical (`pagekin.web.urls`)
5. singleton: of links of a block to one URL the first is kept
6. empty anchor: links without text go
7. common domain: links within the page's own top sub-domain go

Links that lead to no web page go before all of them, and so do not count for S. Every link that
goes is told with its reason. The file extensions are a list of ours; servers run .php and .asp, so
those are pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any, Final, NamedTuple

from pagekin.blocks.anchors import anchor_text
from pagekin.blocks.model import Block, Link, Removed, Segment
from pagekin.config import BlockConfig
from pagekin.web.domains import top_subdomain
from pagekin.web.page import Page

__all__ = ["FILE_EXTENSIONS", "FILTERS", "filter_segment"]

# In their order, as counters and messages name them; the first two are none of the paper's seven.
FILTERS: Final = (
    *("nofollow", "invalid", "large_block", "file", "dynamic", "normalisation", "singleton"),
    *("empty_anchor", "common_domain"),
)

# No extension of a page, and none that also ends names of sites: .com, .pl, .app, .pages.
_EXTENSIONS: Final = """
    text: pdf ps eps dvi djvu doc docx docm dot dotx odt ott rtf tex txt wpd epub mobi azw chm
    tables, slides: xls xlsx xlsm xlt ods csv tsv ppt pptx pptm pps ppsx odp
    data: xml rss atom rdf json bib dat db mdb sql dbf shp kml kmz gpx ics vcf
    images: gif jpg jpeg jpe jfif png bmp tif tiff svg svgz ico webp psd ai cdr heic avif xcf
    sound: mp3 m3u m4a ogg oga wav wma aac flac mid midi ra ram aif aiff au opus pls
    films: mp4 m4v mpg mpeg mpe avi mov qt wmv asf flv f4v webm mkv ogv rm rmvb 3gp vob srt swf
    archives: zip gz tgz bz2 tbz xz txz 7z rar tar z lzh arj cab jar war sit hqx iso img dmg
    programs: exe msi bin apk ipa deb rpm pkg bat cmd dll pyc xpi crx torrent
    sources: c h cc cpp hpp java py rb sh js css patch diff ttf otf woff woff2 eot
"""
FILE_EXTENSIONS: Final = frozenset(
    word for line in _EXTENSIONS.splitlines() for word in line.partition(":")[2].split()
)
_PROGRAM = re.compile(r"/cgi-bin/|\.(?:cgi|pl|php[3-7]?|phtml|aspx?|jspx?|cfm|do|dll)(?:/|$)", re.I)


class _Found(NamedTuple):
    """A link on its way through the filters."""

    number: int
    place: int
    href: str
    url: str


_Kept = list[_Found]


class _Sieve:
    """What the filters need to know of one block and its page, and what they took and changed."""

    def __init__(self, page: Page, links: list[Any], config: BlockConfig) -> None:
        self.page = page
        self.links = links
        self.config = config
        self.own_tsd = top_subdomain(page.url)
        self.removed: list[Removed] = []
        self.changed: list[Removed] = []
        self._anchors: dict[int, str] = {}

    def drop(self, name: str, link: _Found, reason: str) -> None:
        self.removed.append(Removed(link.number, link.href, name, reason))

    def change(self, name: str, link: _Found, url: str) -> None:
        self.changed.append(Removed(link.number, link.href, name, f"stands for {url}"))

    def anchor(self, link: _Found) -> str:
        if link.number not in self._anchors:
            self._anchors[link.number] = anchor_text(self.links[link.number])
        return self._anchors[link.number]


def filter_segment(
    segment: Segment,
    page: Page,
    links: list[Any],
    config: BlockConfig,
    unfollowed: Collection[int] = (),
) -> Block:
    """What the filters leave of one block of a page, and what they took.

    `links` are all the page's; those numbered in `unfollowed` are not to be followed.
    """
    sieve = _Sieve(page, links, config)
    kept = _valid(sieve, segment, unfollowed)
    for each in _FILTERS[config.anchors_first]:
        kept = each(sieve, kept)
    left = (Link(*link, sieve.anchor(link), top_subdomain(link.url)) for link in kept)
    return Block(tuple(left), segment, tuple(sieve.removed), tuple(sieve.changed))


def _valid(sieve: _Sieve, segment: Segment, unfollowed: Collection[int]) -> _Kept:
    resolver = sieve.page.resolver
    kept: _Kept = []
    for place, number in enumerate(segment.links):
        href = sieve.links[number].get("href")
        link = _Found(number, place, href, resolver(href) or "")
        if number in unfollowed:
            sieve.drop("nofollow", link, "asks not to be followed")
        elif not link.url:
            sieve.drop("invalid", link, f"leads to no web page: {resolver.refusal(href)}")
        else:
            kept.append(link)
    return kept


def _large_block(sieve: _Sieve, kept: _Kept) -> _Kept:
    size, limit = len(kept), sieve.config.large
    if size <= limit:
        return kept
    for link in kept:
        sieve.drop("large_block", link, f"the block has {size} links, more than {limit}")
    return []


def _file(sieve: _Sieve, kept: _Kept) -> _Kept:
    left: _Kept = []
    for link in kept:
        extension = _extension(link.url)
        if extension in FILE_EXTENSIONS:
            sieve.drop("file", link, f"leads to a .{extension} file")
        else:
            left.append(link)
    return left


def _extension(url: str) -> str:
    """The extension of a canonical URL's path, in lower case; "" if it has none."""
    path = url.partition("?")[0] if "?" in url else url
    name = path[path.rfind("/") + 1 :]
    if "." not in name:  # of most
        return ""
    stem, _, extension = name.rpartition(".")
    return extension.lower() if stem else ""


def _path(url: str) -> str:
    """The path of a canonical URL.

    >>> _path("http://a.example/b/c?d")
    '/b/c'
    """
    return url[url.index("/", len("https://")) :].partition("?")[0]


def _dynamic(sieve: _Sieve, kept: _Kept) -> _Kept:
    """Queries are looked for in the link as it stands: `?utm_source=x` is one too."""
    way = sieve.config.dynamic
    if way == "keep":
        return kept
    own_query = _has_query(sieve.page.resolver.base)
    if not (own_query or sieve.config.dynamic_paths or any("?" in link.href for link in kept)):
        return kept
    left: _Kept = []
    for link in kept:
        if not _is_dynamic(link, own_query, sieve.config):
            left.append(link)
        elif way == "drop":
            sieve.drop("dynamic", link, "has a query, or is a program")
        else:
            root = _root(link.url, way)
            sieve.change("dynamic", link, root)
            left.append(link._replace(url=root))
    return left


def _is_dynamic(link: _Found, own_query: bool, config: BlockConfig) -> bool:
    if "?" in link.href and _has_query(link.href.strip()):
        return True
    if own_query and link.href.strip()[:1] in ("", "#"):  # such links stay on the page
        return True
    return config.dynamic_paths and _PROGRAM.search(_path(link.url)) is not None


def _has_query(url: str) -> bool:
    return "?" in url and bool(url.partition("#")[0].partition("?")[2])


def _root(target: str, way: str) -> str:
    """The root of the link's host, or of its top sub-domain."""
    scheme, _, rest = target.partition("://")
    place = rest.partition("/")[0]
    return f"{scheme}://{top_subdomain(target) if way == 'domain' else place}/"


def _normalisation(sieve: _Sieve, kept: _Kept) -> _Kept:
    """The resolver gave canonical URLs already, so what changed is only told here."""
    replaced = {link.number for link in sieve.changed}
    for link in kept:
        is_whole = link.href.startswith("http") and link.number not in replaced
        if is_whole and link.href != link.url:
            sieve.change("normalisation", link, link.url)
    return kept


def _singleton(sieve: _Sieve, kept: _Kept) -> _Kept:
    first: dict[str, int] = {}
    left: _Kept = []
    for link in kept:
        before = first.setdefault(link.url, link.number)
        if before == link.number:
            left.append(link)
        else:
            sieve.drop("singleton", link, f"leads where link {before} leads")
    return left


def _empty_anchor(sieve: _Sieve, kept: _Kept) -> _Kept:
    left: _Kept = []
    for link in kept:
        if sieve.anchor(link):
            left.append(link)
        else:
            sieve.drop("empty_anchor", link, "has no anchor text")
    return left


def _common_domain(sieve: _Sieve, kept: _Kept) -> _Kept:
    reason = f"within {sieve.own_tsd}, as the page"
    left: _Kept = []
    for link in kept:
        if top_subdomain(link.url) == sieve.own_tsd:
            sieve.drop("common_domain", link, reason)
        else:
            left.append(link)
    return left


_Filter = Callable[[_Sieve, _Kept], _Kept]
_BEFORE: Final[tuple[_Filter, ...]] = (_large_block, _file, _dynamic, _normalisation)
# By `anchors_first`: does the filter of anchors come before that of repeated links?
_FILTERS: Final[dict[bool, tuple[_Filter, ...]]] = {
    False: (*_BEFORE, _singleton, _empty_anchor, _common_domain),
    True: (*_BEFORE, _empty_anchor, _singleton, _common_domain),
}
