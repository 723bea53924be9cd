"""The seven filters between a block of links and the pairs made of it, in their order [BLOCK].

1. large block: a block of more than S links is discarded; they belong to several topics
2. file: links to files go, because only pages are kin
3. dynamic: a link with a query leads to its host instead
4. normalisation: URLs become canonical (`pagekin.web.urls`)
5. singleton: of links of a block to one URL the first is kept
6. empty anchor: links without text go
7. common domain: links within the page's own top sub-domain go

Links that lead to no web page go before all of them, and so do not count for S. The file extensions
are a list of ours; servers run .php and .asp, so those are pages.

What follows from the address of a link alone is found out once for each address of a page; the rest
link by link, which leaves the same as filter after filter. A sieve only names the filter that took
a link: `pagekin.blocks.reasons` says why, where somebody asks.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from pagekin.blocks.links import Links
from pagekin.blocks.model import Left, Segment, Sifted
from pagekin.config import BlockConfig
from pagekin.web.domains import top_subdomain
from pagekin.web.page import Page

__all__ = ["FILE_EXTENSIONS", "FILTERS", "Sieve", "extension_of"]

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


class Sieve:
    """The filters of one page.

    `links` are all of its links; those numbered in `unfollowed` are not to be followed.
    """

    def __init__(
        self, page: Page, links: Links, config: BlockConfig, unfollowed: Collection[int] = ()
    ) -> None:
        self.page = page
        self.config = config
        self._links = links
        self._unfollowed = unfollowed
        self._fates = _Fates(page, config)
        self.tsd = self._fates.tsd

    def href(self, number: int) -> str:
        """The address of a link, as written."""
        return self._links.hrefs[number]

    def url(self, number: int) -> str:
        """The canonical URL of a link; of a dynamic one that of its host."""
        return self._fates[self.href(number)][0]

    def sift(self, segment: Segment) -> Sifted:
        """What the filters leave of one block."""
        if len(segment.links) > self.config.large:
            taken = list(map(self._taken_at_once, segment.links))
            if taken.count("large_block") > self.config.large:
                return Sifted(segment, [], taken, [], {})
        hrefs, unfollowed, fates = self._links.hrefs, self._unfollowed, self._fates
        has_text, anchor = self._links.has_text, self._links.anchor
        anchors_first = self.config.anchors_first
        sifted = Sifted(segment, [], [], [], {})
        _, left, taken, changed, first = sifted
        for place, number in enumerate(segment.links):  # most of the work, hence its plainness
            fate = fates[hrefs[number]] if number not in unfollowed else _NOT_FOLLOWED
            url, name, change, is_inside = fate
            if change:
                changed.append((number, change))
            if not name:
                if anchors_first and not has_text(number):
                    name = "empty_anchor"
                elif url in first:
                    name = "singleton"
                else:
                    first[url] = number
                    if not has_text(number):
                        name = "empty_anchor"
                    elif is_inside:
                        name = "common_domain"
                    else:
                        left.append(Left(url, anchor(number), place))
            taken.append(name)
        return sifted

    def _taken_at_once(self, number: int) -> str:
        """The filter that takes a link of a large block."""
        if number in self._unfollowed:
            return "nofollow"
        return "large_block" if self.page.resolver(self.href(number)) else "invalid"


# What the address of a link says of it, in whichever block it stands: the URL, of a dynamic link
# that of its host; the filter that takes it, or ""; the filter that changed it, or ""; is it within
# the page's own top sub-domain? No NamedTuple: every link asks.
_Fate = tuple[str, str, str, bool]
_NOT_FOLLOWED: Final[_Fate] = ("", "nofollow", "", False)
_INVALID: Final[_Fate] = ("", "invalid", "", False)


class _Fates(dict[str, _Fate]):
    """href -> fate, found out where it is asked for first."""

    def __init__(self, page: Page, config: BlockConfig) -> None:
        super().__init__()
        self._resolver = page.resolver
        self._config = config
        self._own_query = _has_query(page.resolver.base)
        self._home = page.url[: page.url.index("/", len("https://")) + 1]
        self.tsd = top_subdomain(page.url)

    def __missing__(self, href: str) -> _Fate:
        url = self._resolver(href)
        if not url:
            fate = _INVALID
        elif extension_of(url) in FILE_EXTENSIONS:
            fate = url, "file", "", False
        elif self._is_dynamic(href, url):
            way = self._config.dynamic
            if way == "drop":
                fate = url, "dynamic", "", False
            else:
                root = _root(url, way)
                fate = root, "", "dynamic", self._is_inside(root)
        else:
            is_changed = href != url and href.startswith("http")
            fate = url, "", "normalisation" if is_changed else "", self._is_inside(url)
        self[href] = fate
        return fate

    def _is_inside(self, url: str) -> bool:
        return url.startswith(self._home) or top_subdomain(url) == self.tsd

    def _is_dynamic(self, href: str, url: str) -> bool:
        """Queries are looked for in the link as it stands: `?utm_source=x` is one too."""
        config = self._config
        if config.dynamic == "keep":
            return False
        if "?" in href and _has_query(href.strip()):
            return True
        if self._own_query and href.strip()[:1] in ("", "#"):  # such links stay on the page
            return True
        return config.dynamic_paths and _PROGRAM.search(_path(url)) is not None


def extension_of(url: str) -> str:
    """The extension of a canonical URL's path, in lower case; "" if it has none."""
    path = url.partition("?")[0] if "?" in url else url
    if path[-1] == "/":  # of most
        return ""
    stem, _, extension = path.rpartition(".")
    return "" if "/" in extension or stem[-1:] == "/" else extension.lower()


def _path(url: str) -> str:
    """The path of a canonical URL.

    >>> _path("http://a.example/b/c?d")
    '/b/c'
    """
    return url[url.index("/", len("https://")) :].partition("?")[0]


def _has_query(url: str) -> bool:
    return "?" in url and bool(url.partition("#")[0].partition("?")[2])


def _root(target: str, way: str) -> str:
    """The root of the link's host, or of its top sub-domain."""
    scheme, _, rest = target.partition("://")
    place = rest.partition("/")[0]
    return f"{scheme}://{top_subdomain(target) if way == 'domain' else place}/"
