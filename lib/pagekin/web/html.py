"""HTML as a tree of elements, for what needs one: blocks by the paper's rules, and marked pages.

lxml parses a page under the limits of `pagekin.web.markup`. libxml2 gives up at 2,048
nested elements, also with huge_tree, and loses all that follows. Such a page is read again as a
stream of events, of which `_Shallow` builds a tree that is shallow and lean: with no more levels
than MAX_LEVELS, and with the attributes only that somebody asks for. Elements further down are not
built; their texts count for the element above them, and links stay links. So is a page of more than
1 MiB, whose tree may take a hundred times its size.

No page takes more than some seconds: its tags and links have limits, far beyond those of any page
that was met, and what lies behind them is noted. lxml is imported in this module only. Styles and
colours are not read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

from pagekin.limits import MAX_LEVELS, MAX_TREE_DEPTH
from pagekin.web.markup import sanitise
from pagekin.web.safe_html import policy

__all__ = ["Tree", "parse_tree", "to_html"]

# Builders refuse what XML could not hold, where parsers let it through.
_TAG = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_OTHER_TAG = "unknown"
_NO_CHARACTERS = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# What blocks and styles are read from.
_ATTRIBUTES = (
    *("alt", "bgcolor", "class", "color", "face", "href", "id", "link", "media", "rel", "role"),
    *("size", "style", "text"),
)

_NOFRAMES = re.compile(rb"(</?)noframes(?![a-z])", re.IGNORECASE)

# Open elements. For each end tag that ends nothing libxml2 looks through all of them, at 3 ns each:
# 100,000 <b> and as many </i> were 30 s.
_MAX_OPEN = 4000
_MAX_TREE = 1 << 20  # bytes; 1 page in 1,000 is longer, and read as events it takes as much time
_FEED = 1 << 13  # bytes between two looks at their number


@dataclass(slots=True)
class Tree:
    """A page's elements: <html>, and what stands behind it."""

    tops: list[Any]  # of lxml: known by tag, text, tail, get, iter, getparent and their children
    deep: bool = False  # was it nested too deeply for libxml2?


def parse_tree(body: bytes) -> Tree:
    """The elements of a page given as valid UTF-8; none where there is nothing to parse."""
    sane, _ = sanitise(body)
    try:
        root = _root(sane)
    except _NoTreeError:
        return _shallow_tree(sane)
    return Tree([] if root is None else [root, *root.itersiblings()])


class _NoTreeError(Exception):
    """libxml2 cannot hold the page, or we would not let it."""


def _root(body: bytes) -> etree._Element | None:
    if len(body) > _MAX_TREE:
        raise _NoTreeError
    parser = _parser()
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:  # no element at all: empty, or a lone comment
        return None
    if root is None:
        return None
    last = parser.error_log.last_error
    if last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
        raise _NoTreeError
    if root.find(".//noframes") is not None:  # libxml2 takes its content for plain text
        return _root(_with_noframes(body))
    return root


def _parser() -> etree.HTMLParser:
    # A parser for each page: its error log is its own, and one costs 20 us.
    return etree.HTMLParser(
        encoding="utf-8",
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
        huge_tree=True,
        no_network=True,
    )


# --- the way in without a tree --------------------------------------------------------------------


def _shallow_tree(body: bytes) -> Tree:
    builder = _Shallow(etree.TreeBuilder())
    _feed(builder, body)
    root = builder.tree()
    return Tree([root] if len(root) else [], builder.deep)


def _feed(events: _Shallow, body: bytes) -> None:
    parser = _event_parser(events)
    for piece in _pieces(_with_noframes(body)):
        if events.depth > _MAX_OPEN:  # what is open is closed here, and the rest is another page
            parser.close()
            parser = _event_parser(events)
        parser.feed(piece)
    parser.close()


def _event_parser(events: _Shallow) -> etree.HTMLParser:
    return etree.HTMLParser(target=events, encoding="utf-8", huge_tree=True, no_network=True)


def _pieces(body: bytes) -> Iterator[bytes]:
    """Pieces of some KB, each but the first with a tag at its start where there is one."""
    start = 0
    while start < len(body):
        tag = body.rfind(b"<", start + 1, start + _FEED)
        end = tag if tag > 0 else start + _FEED
        yield body[start:end]
        start = end


class _Shallow:
    """A parser target that hands on what a lean tree needs, and stays below one root."""

    def __init__(self, builder: etree.TreeBuilder) -> None:
        self.depth = 0  # how many elements are open
        self.deep = False  # is the page nested too deeply for libxml2?
        self._builder = builder
        self._built: list[str] = []  # for each open element its tag in the tree, "" if it has none
        self._levels = 1  # how many of them do
        builder.start("html", {})

    def tree(self) -> Any:
        """The root; to be asked for once, at the end."""
        self._builder.end("html")
        return self._builder.close()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.deep = self.deep or self.depth > MAX_TREE_DEPTH
        # one level more for links, which stand side by side there
        if self._levels >= MAX_LEVELS + (tag == "a"):
            self._built.append("")
            return
        name = tag if _TAG.fullmatch(tag) else _OTHER_TAG
        self._built.append(name)
        self._levels += 1
        self._builder.start(name, _attributes(attributes))

    def end(self, tag: str) -> None:
        self.depth -= 1
        if name := self._built.pop():
            self._levels -= 1
            self._builder.end(name)

    def data(self, text: str) -> None:
        self._builder.data(_NO_CHARACTERS.sub(" ", text))

    def close(self) -> None:
        """The parser calls it at its end; another may follow."""
        while self._built:
            self.end("")


def _attributes(found: dict[str, str]) -> dict[str, str]:
    """Those that somebody asks for."""
    return {name: _NO_CHARACTERS.sub(" ", found[name]) for name in _ATTRIBUTES if name in found}


def _with_noframes(body: bytes) -> bytes:
    """The page with <noframes> as plain blocks, which a reader without frames sees."""
    return _NOFRAMES.sub(rb"\1div", body)


def to_html(tree: Tree, sheet: str) -> bytes:
    """A tree as a document in UTF-8 under the policy of `web.safe_html`, with a style sheet."""
    head = f'<!doctype html><meta charset="utf-8">{policy(sheet)}\n<style>{sheet}</style>\n'
    written = (
        etree.tostring(top, method="html", encoding="utf-8", with_tail=False) for top in tree.tops
    )
    return head.encode() + b"\n".join(written) + b"\n"
