"""HTML becomes one flat text with marker characters, in one parse.

Everything that later reads a page (content words, anchor windows, link blocks) starts from here, so
a page is parsed once. lxml parses; an XSLT sheet, which runs in C, writes the text with the markers
of `pagekin.text.markup` between the words: 0.26 of the parse's own time where walking the tree in
Python costs 1.2. Comments, scripts, styles and other unread elements go, `alt` texts stay, and
every tag separates words [SIM 3.1].

libxml2 gives up at 2,048 nested elements, also with huge_tree, and loses all that follows. Such a
page is read again as a stream of events, which has no tree and no depth, by the same table of tags.
So is a page of more than 1 MiB, whose tree may take a hundred times its size.

No page takes more than some seconds: its tags and links have limits, far beyond those of any page
that was met, and what lies behind them is noted. lxml is imported in this module only. Styles and
colours are not read here.

What needs the tree itself (blocks of links) gets one from `parse_tree`, made under the same rules.
A page without a tree gives one that `pagekin.web.trees` keeps shallow and lean.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from lxml import etree

from pagekin.text.markup import LINK_END, LINK_HREF, LINK_READY, LINK_REL
from pagekin.web.events import Events
from pagekin.web.flat import UNREAD, WITH_ALT, Flat, is_canonical, markers_around, take_links
from pagekin.web.tame import tame, with_noframes
from pagekin.web.trees import Shallow, Tree

__all__ = ["Flat", "Tree", "flatten", "parse_tree", "to_html"]

_MAX_ROBOTS = 1000  # characters of robots metas; they are looked at for each link
# Open elements. For each end tag that ends nothing libxml2 looks through all of them, at 3 ns each:
# 100,000 <b> and as many </i> were 30 s.
_MAX_OPEN = 4000
_MAX_TREE = 1 << 20  # bytes; 1 page in 1,000 is longer, and read as events it takes as much time
_FEED = 1 << 13  # bytes between two looks at their number


def flatten(body: bytes, without: frozenset[str] = frozenset()) -> Flat | None:
    """The flat text of a page given as valid UTF-8; None where there is nothing to parse.

    Markers that nobody will look at may be left out (`pagekin.web.flat.CUTS`).
    """
    tamed, notes = tame(body)
    try:
        root = _root(tamed)
    except _NoTreeError:
        flat = _flatten_events(tamed, without)
    else:
        flat = None if root is None else _flat_of(_tops(root), without)
    return None if flat is None else _finished(flat, notes)


def parse_tree(
    body: bytes, *, with_text: bool = False, without: frozenset[str] = frozenset()
) -> Tree | None:
    """The elements of a page given as valid UTF-8; None where there is nothing to parse.

    Its head is a Flat, of the same parse; with text and links only if they are asked for.
    """
    tamed, notes = tame(body)
    try:
        root = _root(tamed)
    except _NoTreeError:
        tree = _shallow_tree(tamed)
        if tree is not None and with_text:
            tree.head = _flatten_events(tamed, without) or tree.head
    else:
        tree = None if root is None else _tree_of(_tops(root), with_text, without)
    if tree is not None:
        _finished(tree.head, notes)
    return tree


def _tops(root: etree._Element) -> list[etree._Element]:
    """What follows </html> is another <html>."""
    return [root, *root.itersiblings()]


def _flat_of(tops: list[etree._Element], without: frozenset[str]) -> Flat:
    flat = Flat()
    take_links(flat, str(_sheet(without)(tops[0])))
    _read_heads(flat, tops)
    return flat


def _tree_of(tops: list[etree._Element], with_text: bool, without: frozenset[str]) -> Tree:
    if with_text:
        return Tree(tops, _flat_of(tops, without))
    tree = Tree(tops, Flat())
    _read_heads(tree.head, tops)
    return tree


def _finished(flat: Flat, notes: list[str]) -> Flat:
    flat.notes += notes
    flat.robots = flat.robots[:_MAX_ROBOTS]
    return flat


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


def _read_heads(flat: Flat, tops: list[etree._Element]) -> None:
    for top in tops:
        _read_head(flat, top)


def _read_head(flat: Flat, root: etree._Element) -> None:
    flat.language = flat.language or root.get("lang") or root.get("xml:lang") or ""
    robots = [flat.robots]
    for element in root.iter("base", "link", "meta"):
        tag = element.tag
        if tag == "base":
            flat.base = flat.base or element.get("href", "")
        elif tag == "link":
            if not flat.canonical and is_canonical(element.get("rel", "")):
                flat.canonical = element.get("href", "")
        elif element.get("name", "").lower() == "robots":
            robots.append(element.get("content", "").lower())
    flat.robots = " ".join(robots).strip()


# --- the sheet -----------------------------------------------------------------------------------


def _template(match: str, before: str, content: str, after: str) -> str:
    """One rule; blanks around, because every tag separates words."""
    return (
        f'<xsl:template match="{match}"><xsl:text> {before} </xsl:text>{content}'
        f"<xsl:text> {after} </xsl:text></xsl:template>"
    )


@cache
def _sheet(without: frozenset[str]) -> etree.XSLT:
    """The sheet that leaves these markers out."""
    inner, alt = "<xsl:apply-templates/>", '<xsl:value-of select="@alt"/>'
    opening = (
        f'{LINK_HREF}<xsl:value-of select="@href"/>{LINK_REL}'
        f'<xsl:value-of select="@rel"/>{LINK_READY}'
    )
    by_markers: dict[tuple[str, str], list[str]] = {}
    for tag, markers in markers_around(without).items():
        by_markers.setdefault(markers, []).append(tag)
    rules = [
        _template("*", "", inner, ""),
        _template("|".join(UNREAD), "", "", ""),
        _template("a[@href]", "", opening + inner, LINK_END),
        _template("area[@href]", "", opening + alt, LINK_END),
        _template("|".join(f"{tag}[@alt]" for tag in WITH_ALT), "", alt, ""),
        *(_template("|".join(t), pair[0], inner, pair[1]) for pair, t in by_markers.items()),
    ]
    return etree.XSLT(
        etree.XML(
            '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
            '<xsl:output method="text" encoding="utf-8"/>'
            f"{''.join(rules)}</xsl:stylesheet>"
        )
    )


# --- the way in without a tree --------------------------------------------------------------------


def _flatten_events(body: bytes, without: frozenset[str] = frozenset()) -> Flat | None:
    events = Events(without)
    _feed(events, body)
    return events.flat() if events.parts else None


def _shallow_tree(body: bytes) -> Tree | None:
    builder = Shallow(etree.TreeBuilder())
    _feed(builder, body)
    root = builder.tree()
    if not len(root):
        return None
    tree = Tree([root], Flat(deep=builder.deep))
    _read_head(tree.head, root)
    return tree


def _feed(events: Events | Shallow, body: bytes) -> None:
    parser = _event_parser(events)
    for piece in _pieces(with_noframes(body)):
        if events.depth > _MAX_OPEN:  # what is open is closed here, and the rest is another page
            parser.close()
            parser = _event_parser(events)
        parser.feed(piece)
    parser.close()


def _event_parser(events: Events | Shallow) -> etree.HTMLParser:
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
