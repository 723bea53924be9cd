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
link by link, which leaves the same as filter after filter. Filtering keeps the names of the filters
only; `describe` tells for people why a link was removed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from pagekin.blocks.links import Links, Segment
from pagekin.config import BlockConfig
from pagekin.web.page import Page
from pagekin.web.urls import FILE_EXTENSIONS, extension_of, origin, top_subdomain

__all__ = [
    "FILTERS",
    "DescribedBlock",
    "DescribedLink",
    "FilteredBlock",
    "FilteredOut",
    "KeptLink",
    "LinkFilters",
]

# In their order, as counters and messages name them; the first two are not of the paper.
FILTERS: Final = (
    *("nofollow", "invalid", "large_block", "file", "dynamic", "normalisation", "singleton"),
    *("empty_anchor", "common_domain"),
)

_PROGRAM = re.compile(r"/cgi-bin/|\.(?:cgi|pl|php[3-7]?|phtml|aspx?|jspx?|cfm|do|dll)(?:/|$)", re.I)


class KeptLink(NamedTuple):
    """A link that the filters keep, as pairs are made of it."""

    url: str  # canonical; of a dynamic link that of its host
    anchor: str  # its text, white space squeezed
    place: int  # its place in the block, counted before the filters


class FilteredBlock(NamedTuple):
    """A block, and what the filters do with its links."""

    segment: Segment
    links: list[KeptLink]  # in order
    removed_by: list[str]  # for each link of the segment the filter that removes it, or ""
    changed_by: list[tuple[int, str]]  # numbers of links that lead elsewhere now, and the filter
    first: dict[str, int]  # URL -> the number of the first link to it


@dataclass(frozen=True, slots=True)
class DescribedLink:
    """A link that the filters keep, with all that is known of it."""

    number: int  # of the page's <a href>, counted from 0
    place: int  # its place in the block, counted before the filters
    href: str  # as written
    url: str  # canonical; of a dynamic link that of its host
    anchor: str  # its text, white space squeezed
    tsd: str  # the top sub-domain of its URL


class FilteredOut(NamedTuple):
    """A link that a filter removed or changed."""

    number: int
    href: str
    filter: str  # as the counters name it
    reason: str


@dataclass(frozen=True, slots=True)
class DescribedBlock:
    """A block as it is shown to people."""

    links: tuple[DescribedLink, ...]  # those that the filters keep, in order
    segment: Segment
    removed: tuple[FilteredOut, ...]
    changed: tuple[FilteredOut, ...]  # links that lead elsewhere now


class LinkFilters:
    """The filters for the links of one page.

    `links` are all of its links; those numbered in `unfollowed` are not to be followed.
    """

    def __init__(
        self, page: Page, links: Links, config: BlockConfig, unfollowed: Collection[int] = ()
    ) -> None:
        self._page = page
        self._config = config
        self._links = links
        self._unfollowed = unfollowed
        self._addresses = _Addresses(page, config)

    def apply(self, segment: Segment) -> FilteredBlock:
        """What the filters keep of one block."""
        large = self._config.large
        if len(segment.links) > large:
            removed_by = list(map(self._removed_at_once, segment.links))
            if removed_by.count("large_block") > large:
                return FilteredBlock(segment, [], removed_by, [], {})
        hrefs, unfollowed, addresses = self._links.hrefs, self._unfollowed, self._addresses
        has_text, anchor = self._links.has_text, self._links.anchor
        anchors_first = self._config.anchors_first
        block = FilteredBlock(segment, [], [], [], {})
        _, kept, removed_by, changed_by, first = block
        for place, number in enumerate(segment.links):  # most of the work: nothing is called twice
            known = addresses[hrefs[number]] if number not in unfollowed else _NOT_FOLLOWED
            url, name, change, is_inside = known
            if change:
                changed_by.append((number, change))
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
                        kept.append(KeptLink(url, anchor(number), place))
            removed_by.append(name)
        return block

    def _removed_at_once(self, number: int) -> str:
        """The filter that removes a link of a large block."""
        if number in self._unfollowed:
            return "nofollow"
        return "large_block" if self._page.resolver(self._links.hrefs[number]) else "invalid"

    def describe(self, block: FilteredBlock) -> DescribedBlock:
        """The block with what the filters kept, removed and changed, and why."""
        return DescribedBlock(
            tuple(self._kept(block)),
            block.segment,
            tuple(self._removed(block)),
            tuple(self._changed(block)),
        )

    def _kept(self, block: FilteredBlock) -> Iterator[DescribedLink]:
        for url, anchor, place in block.links:
            number = block.segment.links[place]
            href = self._links.hrefs[number]
            yield DescribedLink(number, place, href, url, anchor, top_subdomain(url))

    def _changed(self, block: FilteredBlock) -> Iterator[FilteredOut]:
        """In the order of the filters."""
        for name in ("dynamic", "normalisation"):
            for number, change in block.changed_by:
                if change == name:
                    reason = f"stands for {self._url(number)}"
                    yield FilteredOut(number, self._links.hrefs[number], name, reason)

    def _removed(self, block: FilteredBlock) -> Iterator[FilteredOut]:
        """In the order of the filters."""
        order = {name: max(rank, 1) for rank, name in enumerate(FILTERS)}  # the first two are one
        if self._config.anchors_first:
            order["singleton"], order["empty_anchor"] = order["empty_anchor"], order["singleton"]
        found = zip(block.removed_by, block.segment.links, strict=True)
        for name, number in sorted((pair for pair in found if pair[0]), key=lambda p: order[p[0]]):
            reason = self._reason(name, block, number)
            yield FilteredOut(number, self._links.hrefs[number], name, reason)

    def _url(self, number: int) -> str:
        """The canonical URL of a link; of a dynamic one that of its host."""
        return self._addresses[self._links.hrefs[number]][0]

    def _reason(self, name: str, block: FilteredBlock, number: int) -> str:
        """Why a filter removed a link."""
        href, url = self._links.hrefs[number], self._url(number)
        size = block.removed_by.count("large_block")
        return {
            "nofollow": "asks not to be followed",
            "invalid": f"leads to no web page: {self._page.resolver.refusal(href)}",
            "large_block": f"the block has {size} links, more than {self._config.large}",
            "file": f"leads to a .{extension_of(url)} file",
            "dynamic": "has a query, or is a program",
            "singleton": f"leads where link {block.first.get(url)} leads",
            "empty_anchor": "has no anchor text",
            "common_domain": f"within {self._addresses.tsd}, as the page",
        }[name]


# What the address of a link says of it, in whichever block it stands: the URL (of a dynamic link
# that of its host), the filter that removes it, or "", the filter that changes it, or "", and
# whether it is within the page's own top sub-domain. No NamedTuple: it is unpacked for every link.
_Address = tuple[str, str, str, bool]
_NOT_FOLLOWED: Final[_Address] = ("", "nofollow", "", False)
_INVALID: Final[_Address] = ("", "invalid", "", False)


class _Addresses(dict[str, _Address]):
    """href -> what is known of it, found out where it is asked for first."""

    def __init__(self, page: Page, config: BlockConfig) -> None:
        super().__init__()
        self._resolver = page.resolver
        self._config = config
        self._own_query = _has_query(page.resolver.base)
        self._home = origin(page.url)
        self.tsd = top_subdomain(page.url)

    def __missing__(self, href: str) -> _Address:
        url = self._resolver(href)
        if not url:
            known = _INVALID
        elif extension_of(url) in FILE_EXTENSIONS:
            known = url, "file", "", False
        elif self._is_dynamic(href, url):
            way = self._config.dynamic
            if way == "drop":
                known = url, "dynamic", "", False
            else:
                root = _root(url, way)
                known = root, "", "dynamic", self._is_inside(root)
        else:
            is_changed = href != url and href.startswith("http")
            known = url, "", "normalisation" if is_changed else "", self._is_inside(url)
        self[href] = known
        return known

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
