"""HTML as a tree of elements, for what needs one: blocks by the paper's rules, and marked pages.

lxml parses, under the rules by which `pagekin.web.flat` reads a page. libxml2 gives up at 2,048
nested elements, also with huge_tree, and loses all that follows. Such a page is read again as a
stream of events, of which `pagekin.web.trees` builds a tree that is shallow and lean. So is a page
of more than 1 MiB, whose tree may take a hundred times its size.

No page takes more than some seconds: its tags and links have limits, far beyond those of any page
that was met, and what lies behind them is noted. lxml is imported in this module only. Styles and
colours are not read here.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from pagekin.web.tame import tame, with_noframes
from pagekin.web.trees import Shallow, Tree

__all__ = ["parse_tree", "to_html"]

# Open elements. For each end tag that ends nothing libxml2 looks through all of them, at 3 ns each:
# 100,000 <b> and as many </i> were 30 s.
_MAX_OPEN = 4000
_MAX_TREE = 1 << 20  # bytes; 1 page in 1,000 is longer, and read as events it takes as much time
_FEED = 1 << 13  # bytes between two looks at their number


def parse_tree(body: bytes) -> Tree:
    """The elements of a page given as valid UTF-8; none where there is nothing to parse."""
    tamed, _ = tame(body)
    try:
        root = _root(tamed)
    except _NoTreeError:
        return _shallow_tree(tamed)
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
        return _root(with_noframes(body))
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
    builder = Shallow(etree.TreeBuilder())
    _feed(builder, body)
    root = builder.tree()
    return Tree([root] if len(root) else [], builder.deep)


def _feed(events: Shallow, body: bytes) -> None:
    parser = _event_parser(events)
    for piece in _pieces(with_noframes(body)):
        if events.depth > _MAX_OPEN:  # what is open is closed here, and the rest is another page
            parser.close()
            parser = _event_parser(events)
        parser.feed(piece)
    parser.close()


def _event_parser(events: Shallow) -> etree.HTMLParser:
    return etree.HTMLParser(target=events, encoding="utf-8", huge_tree=True, no_network=True)


def _pieces(body: bytes) -> Iterator[bytes]:
    """Pieces of some KB, each but the first with a tag at its start where there is one."""
    start = 0
    while start < len(body):
        tag = body.rfind(b"<", start + 1, start + _FEED)
        end = tag if tag > 0 else start + _FEED
        yield body[start:end]
        start = end


def to_html(tree: Tree) -> bytes:
    """A tree as a document in UTF-8, which says so."""
    written = (
        etree.tostring(top, method="html", encoding="utf-8", with_tail=False) for top in tree.tops
    )
    return b'<!doctype html><meta charset="utf-8">\n' + b"\n".join(written) + b"\n"
