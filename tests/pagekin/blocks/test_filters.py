"""The seven filters: each by itself, and their order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.blocks.filters import (
    FILTERS,
    DescribedBlock,
    FilteredOut,
    LinkFilters,
)
from pagekin.blocks.links import Links, Segment
from pagekin.blocks.page_blocks import page_links
from pagekin.config import BlockConfig
from pagekin.web.urls import top_subdomain
from tests.trees import HERE, tree_page


def block_of(html: str, url: str = HERE, unfollowed: Any = (), **options: Any) -> DescribedBlock:
    """All links of a page as one block, filtered."""
    page = tree_page(html, url)
    links = page_links(page, BlockConfig())
    segment = Segment(tuple(range(len(links.hrefs))), "page", "test")
    filters = LinkFilters(page, links, BlockConfig(**options), unfollowed)
    return filters.describe(filters.apply(segment))


def anchors(*hrefs: str) -> str:
    return "".join(f"<a href='{href}'>link {k}</a>" for k, href in enumerate(hrefs))


def left(block: DescribedBlock) -> list[str]:
    return [link.url for link in block.links]


def reasons(block: DescribedBlock) -> list[tuple[int, str, str]]:
    return [(link.number, link.filter, link.reason) for link in block.removed]


def test_what_is_left():
    """A link that stays has its number, place, address, text and top sub-domain."""
    html = "<a href=mailto:a>x</a><a href='http://www.B.example:80/a#b'> <b>So</b>me\n link</a>"
    (link,) = block_of(html).links
    expected = (1, 1, "http://www.B.example:80/a#b", "http://www.b.example/a", "Some link")
    assert expected == (link.number, link.place, link.href, link.url, link.anchor)
    assert "b.example" == link.tsd


def test_invalid():
    """Links that lead to no web page go first, with the reason."""
    block = block_of(anchors("mailto:a@b.example", "http://[", "javascript:x", "http://b.example/"))
    assert ["http://b.example/"] == left(block)
    expected = [(0, "scheme"), (1, "unparsable"), (2, "scheme")]
    assert [(n, "invalid", f"leads to no web page: {why}") for n, why in expected] == reasons(block)


def test_nofollow():
    """Links that are not to be followed go, where that is asked for."""
    block = block_of(anchors("http://b.example/", "http://c.example/"), unfollowed={1})
    assert ["http://b.example/"] == left(block)
    assert [(1, "nofollow", "asks not to be followed")] == reasons(block)


@pytest.mark.parametrize(("size", "kept"), [(80, 80), (81, 0)])
def test_large_block(size, kept):
    """A block of more than S links is discarded; before other filters could make it smaller."""
    hrefs = [f"http://s{k}.example/" for k in range(size)]
    block = block_of(anchors(*hrefs, "mailto:a", "mailto:b"))
    assert kept == len(block.links)
    if not kept:
        expected = (80, "large_block", "the block has 81 links, more than 80")
        assert expected == reasons(block)[-1]


def test_large_block_counts_what_others_take():
    """Repeated links, files and links without text count for S."""
    html = anchors(*["http://b.example/"] * 3) + "<a href=http://c.example/></a>"
    assert [] == left(block_of(html, large=3))
    assert ["http://b.example/"] == left(block_of(html, large=4))


@pytest.mark.parametrize(
    ("path", "extension"),
    [
        ("a.pdf", "pdf"),
        ("a.PDF", "pdf"),
        ("a.tar.gz", "gz"),
        ("a.mp3?download=1", "mp3"),
        ("a.pdf#page=2", "pdf"),
        ("dir/", ""),
        ("a.html", ""),
        ("a.php", ""),
        ("a.asp", ""),
        ("pdf", ""),
        (".pdf", ""),
        ("a.pdf/b", ""),
        ("a?f=b.pdf", ""),
        ("v1.2", ""),
        ("", ""),
    ],
)
def test_file(path, extension):
    """Links to files go; an extension is what ends the path."""
    block = block_of(anchors(f"http://b.example/{path}"), dynamic="keep")
    expected = [(0, "file", f"leads to a .{extension} file")] if extension else []
    assert expected == reasons(block)


@pytest.mark.parametrize(
    ("href", "way", "expected"),
    [
        ("http://www.b.example:8080/p?x=1", "host", "http://www.b.example:8080/"),
        ("https://www.b.example/p?x=1", "domain", "https://b.example/"),
        ("http://www.b.example/p?x=1", "keep", "http://www.b.example/p?x=1"),
        ("http://www.b.example/p?x=1", "drop", None),
        ("http://www.b.example/p?utm_source=x", "host", "http://www.b.example/"),
        ("http://www.b.example/p?", "host", "http://www.b.example/p"),
        ("http://www.b.example/p?#x", "host", "http://www.b.example/p"),
        ("http://www.b.example/p#?x", "host", "http://www.b.example/p"),
        ("http://www.b.example/p.php", "host", "http://www.b.example/p.php"),
    ],
)
def test_dynamic(href, way, expected):
    """A link with a query, as it stands there, leads to its host."""
    block = block_of(anchors(href), dynamic=way)
    assert ([expected] if expected else []) == left(block)
    changed = [FilteredOut(0, href, "dynamic", f"stands for {expected}")]
    is_root = expected is not None and expected.count("/") == 3 and expected.endswith("/")
    assert (changed if is_root else []) == [c for c in block.changed if c.filter == "dynamic"]


def test_dynamic_on_the_page_itself():
    """A link that stays on a page with a query has its query."""
    url = "http://own.example/p?x=1"
    block = block_of("<base href='http://b.example/p?y=2'>" + anchors("#top", "", "q"), url)
    assert ["http://b.example/", "http://b.example/q"] == left(block)
    assert [(1, "singleton", "leads where link 0 leads")] == reasons(block)


@pytest.mark.parametrize(
    ("path", "dynamic"),
    [
        ("cgi-bin/x", True),
        ("a.php", True),
        ("a.asp/b", True),
        ("a.jsp", True),
        ("a.html", False),
        ("php", False),
        ("a.phpx", False),
    ],
)
def test_dynamic_paths(path, dynamic):
    """Programs are dynamic on request."""
    url = f"http://b.example/{path}"
    assert [url] == left(block_of(anchors(url)))
    expected = "http://b.example/" if dynamic else url
    assert [expected] == left(block_of(anchors(url), dynamic_paths=True))


def test_normalisation():
    """Spellings of one page are one, and it is told which were changed."""
    hrefs = ("http://B.example/index.html", "http://b.example/", "//b.example/#x")
    block = block_of(anchors(*hrefs))
    assert ["http://b.example/"] == left(block)
    expected = [FilteredOut(0, hrefs[0], "normalisation", "stands for http://b.example/")]
    assert expected == list(block.changed)


def test_singleton():
    """Of links to one URL the first stays."""
    block = block_of(anchors("http://b.example/", "http://c.example/", "http://b.example/#x"))
    assert ["http://b.example/", "http://c.example/"] == left(block)
    assert [(2, "singleton", "leads where link 0 leads")] == reasons(block)


def test_empty_anchor():
    """Links without text go; an image's text is one."""
    html = (
        "<a href=http://b.example/> &nbsp;</a><a href=http://c.example/><img></a>"
        "<a href=http://d.example/><img alt=hive></a>"
    )
    block = block_of(html)
    assert ["http://d.example/"] == left(block)
    assert [(n, "empty_anchor", "has no anchor text") for n in (0, 1)] == reasons(block)


def test_common_domain():
    """Links within the page's own top sub-domain go, sub-domains and relative ones too."""
    hrefs = ("/x", "http://www.own.example/", "http://own.example.org/", "http://b.example/")
    block = block_of(anchors(*hrefs))
    assert ["http://own.example.org/", "http://b.example/"] == left(block)
    expected = "within own.example, as the page"
    assert [(n, "common_domain", expected) for n in (0, 1)] == reasons(block)
    private = block_of(anchors("http://b.github.io/"), "http://a.github.io/")
    assert ["http://b.github.io/"] == left(private)


# --- their order ---


def test_order_of_names():
    """The filters are the paper's, in its order, behind those that are ours."""
    expected = "large_block file dynamic normalisation singleton empty_anchor common_domain"
    assert ("nofollow", "invalid", *expected.split()) == FILTERS


@pytest.mark.parametrize(
    ("hrefs", "expected"),
    [
        # a file with a query is a file, not its host
        (["http://b.example/a.pdf?x=1"], ["file"]),
        # a link with a query becomes its host before repeated ones go
        (["http://b.example/", "http://b.example/p?x=1"], ["singleton"]),
        # a repeated link within the site is repeated
        (["/x", "/x"], ["singleton", "common_domain"]),
        # an invalid link is no repeated one
        (["mailto:a", "mailto:a"], ["invalid", "invalid"]),
    ],
)
def test_order(hrefs, expected):
    """What an earlier filter took no later one sees."""
    assert expected == [name for _, name, _ in reasons(block_of(anchors(*hrefs)))]


def test_anchors_before_or_after_repeated_links():
    """An image link in front of its text link loses the page, unless anchors come first."""
    html = "<a href=http://b.example/><img></a><a href=http://b.example/>b</a>"
    assert ["singleton", "empty_anchor"] == [r[1] for r in reasons(block_of(html))]
    first = block_of(html, anchors_first=True)
    assert ["http://b.example/"] == left(first)
    assert [(0, "empty_anchor", "has no anchor text")] == reasons(first)


hrefs = st.sampled_from(
    [
        *("http://b.example/", "http://b.example/p?q=1", "http://b.example/a.pdf", "/own", "#x"),
        *(
            "mailto:a",
            "http://c.example/index.html",
            "http://c.example/",
            "http://d.example/x?",
            "",
        ),
    ]
)
links = st.lists(
    st.tuples(hrefs, st.sampled_from(["", "text", "<img alt=x>", "<img>"])), max_size=9
)


def plain_filters(page: Any, found: Links, config: BlockConfig) -> list[tuple[int, str]]:
    """The filters as the paper tells them, one pass after the other."""
    kept = [(k, a, page.resolver(a)) for k, a in enumerate(found.hrefs)]
    kept = [(k, a, url) for k, a, url in kept if url]
    if len(kept) > config.large:
        return []
    kept = [(k, a, url) for k, a, url in kept if not url.partition("?")[0].endswith(".pdf")]
    kept = [
        (k, a, url if "?" not in a.rstrip("?") else "/".join(url.split("/")[:3]) + "/")
        for k, a, url in kept
    ]
    kept = [entry for k, entry in enumerate(kept) if entry[2] not in {e[2] for e in kept[:k]}]
    kept = [(k, a, url) for k, a, url in kept if found.anchor(k)]
    own = top_subdomain(page.url)
    return [(k, url) for k, a, url in kept if top_subdomain(url) != own]


@given(links, st.integers(1, 9), st.sampled_from(["structural", "paper"]))
def test_twin(written, large, rules):
    """The filters told plainly leave the same links; and every link is left or has a reason."""
    html = "".join(f"<a href='{href}'>{text}</a>" for href, text in written)
    page = tree_page(f"<body>{html}")
    config = BlockConfig(large=large, rules=rules)
    found = page_links(page, config)
    segment = Segment(tuple(range(len(found.hrefs))), "page", "test")
    filters = LinkFilters(page, found, config)
    block = filters.describe(filters.apply(segment))
    assert plain_filters(page, found, config) == [(link.number, link.url) for link in block.links]
    told = [link.number for link in (*block.links, *block.removed)]
    assert sorted(told) == list(range(len(found.hrefs)))
    assert {link.filter for link in block.removed} <= set(FILTERS)
