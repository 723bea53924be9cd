"""HTML becomes one flat text with marker characters, in one parse.

Everything that later reads a page (content words, anchor windows, link blocks) starts from here, so
a page is parsed once. lxml parses; an XSLT sheet, which runs in C, writes the text with the markers
of `pagekin.text.markup` between the words: 0.26 of the parse's own time where walking the tree in
Python costs 1.2. Comments, scripts, styles and other unread elements go, `alt` texts stay, and
every tag separates words [SIM 3.1].

libxml2 gives up at 2,048 nested elements, also with huge_tree, and loses all that follows. Such a
page is read again as a stream of events, which has no tree and no depth, by the same table of tags.

lxml is imported in this module only. Styles and colours are not read here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from pagekin.text.markup import (
    BLOCK,
    BREAK,
    HEADING,
    HEADING_END,
    LINK,
    LINK_END,
    LINK_HREF,
    LINK_READY,
    LINK_REL,
    LIST_END,
    TABLE_END,
    TITLE,
    TITLE_END,
)

__all__ = ["Flat", "flatten"]

# What a reader does not see as text, or sees twice.
_UNREAD = ("script", "style", "noscript", "template", "svg", "select", "iframe")

# tag -> what stands before and after its content (docs/architecture.md, "Boundaries").
_AROUND: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        ("p", "div", "dt", "dd", "td", "th", "tr", "blockquote", "pre", "li"), (BLOCK, BLOCK)
    ),
    "hr": (BLOCK, ""),
    "br": (BREAK, ""),
    **dict.fromkeys(("ul", "ol", "dl", "dir", "menu"), (BLOCK, LIST_END)),
    "table": (BLOCK, TABLE_END),
    "title": (TITLE, TITLE_END),
    **{f"h{k}": (marker, HEADING_END) for k, marker in enumerate(HEADING, 1)},
}
_WITH_ALT = ("img", "input")


@dataclass(slots=True)
class Flat:
    """A page's text with markers, its links in order, and what its head says of it."""

    text: str = ""
    hrefs: list[str] = field(default_factory=list)
    rels: list[str] = field(default_factory=list)
    language: str = ""  # the lang attribute, as written
    base: str = ""  # the first <base href>
    canonical: str = ""  # the first link rel=canonical
    robots: str = ""  # robots meta, lower case
    deep: bool = False  # read without a tree, because it is nested too deeply for one


def flatten(body: bytes) -> Flat | None:
    """The flat text of a page given as valid UTF-8; None where there is nothing to parse."""
    parser = _parser()
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:  # no element at all: empty, or a lone comment
        return None
    if root is None:
        return None
    last = parser.error_log.last_error
    if last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
        return _flatten_deep(body)
    flat = Flat(*_take_links(str(_SHEET(root))))
    _read_head(flat, root)
    return flat


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


def _read_head(flat: Flat, root: etree._Element) -> None:
    flat.language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    for element in root.iter("base", "link", "meta"):
        tag = element.tag
        if tag == "base":
            flat.base = flat.base or element.get("href", "")
        elif tag == "link":
            if not flat.canonical and element.get("rel", "").lower() == "canonical":
                flat.canonical = element.get("href", "")
        elif element.get("name", "").lower() == "robots":
            flat.robots += " " + element.get("content", "").lower()


def _take_links(text: str) -> tuple[str, list[str], list[str]]:
    """Cut hrefs and rels out of the text; what is left of a link is LINK ... LINK_END."""
    parts = text.split(LINK_HREF)
    hrefs, rels = [], []
    for k in range(1, len(parts)):
        attributes, _, parts[k] = parts[k].partition(LINK_READY)
        href, _, rel = attributes.partition(LINK_REL)
        hrefs.append(href)
        rels.append(rel)
    return f" {LINK} ".join(parts), hrefs, rels


# --- the sheet -----------------------------------------------------------------------------------


def _template(match: str, before: str, content: str, after: str) -> str:
    """One rule; blanks around, because every tag separates words."""
    return (
        f'<xsl:template match="{match}"><xsl:text> {before} </xsl:text>{content}'
        f"<xsl:text> {after} </xsl:text></xsl:template>"
    )


def _sheet() -> etree.XSLT:
    inner, alt = "<xsl:apply-templates/>", '<xsl:value-of select="@alt"/>'
    opening = (
        f'{LINK_HREF}<xsl:value-of select="@href"/>{LINK_REL}'
        f'<xsl:value-of select="@rel"/>{LINK_READY}'
    )
    by_markers: dict[tuple[str, str], list[str]] = {}
    for tag, markers in _AROUND.items():
        by_markers.setdefault(markers, []).append(tag)
    rules = [
        _template("*", "", inner, ""),
        _template("|".join(_UNREAD), "", "", ""),
        _template("a[@href]", "", opening + inner, LINK_END),
        _template("area[@href]", "", opening + alt, LINK_END),
        _template("|".join(f"{tag}[@alt]" for tag in _WITH_ALT), "", alt, ""),
        *(_template("|".join(t), pair[0], inner, pair[1]) for pair, t in by_markers.items()),
    ]
    return etree.XSLT(
        etree.XML(
            '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
            '<xsl:output method="text" encoding="utf-8"/>'
            f"{''.join(rules)}</xsl:stylesheet>"
        )
    )


_SHEET = _sheet()


# --- the way in for pages nested too deeply -------------------------------------------------------


def _flatten_deep(body: bytes) -> Flat:
    events = _Events()
    etree.fromstring(body, etree.HTMLParser(target=events, encoding="utf-8", no_network=True))
    flat = events.flat
    flat.text, flat.hrefs, flat.rels = _take_links("".join(events.parts))
    flat.deep = True
    return flat


class _Events:
    """A parser target that writes what the sheet would write."""

    def __init__(self) -> None:
        self.flat = Flat()
        self.parts: list[str] = []
        self._unread = 0  # how many unread elements are open
        self._links: list[bool] = []  # for each open <a>: is it a link

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _UNREAD:
            self._unread += 1
        if self._unread:
            return
        self.parts.append(f" {_AROUND.get(tag, ('', ''))[0]} ")
        if tag in ("a", "area"):
            self._start_link(tag, attributes)
        elif tag in _WITH_ALT:
            self.parts.append(f" {attributes.get('alt', '')} ")
        elif tag in ("html", "base", "link", "meta"):
            self._read_head(tag, attributes)

    def _start_link(self, tag: str, attributes: dict[str, str]) -> None:
        linked = "href" in attributes
        if linked:
            href, rel = attributes["href"], attributes.get("rel", "")
            self.parts.append(f" {LINK_HREF}{href}{LINK_REL}{rel}{LINK_READY} ")
        if tag == "area":
            self.parts.append(f" {attributes.get('alt', '')} {LINK_END} " if linked else " ")
        else:
            self._links.append(linked)

    def _read_head(self, tag: str, attributes: dict[str, str]) -> None:
        flat, get = self.flat, attributes.get
        if tag == "html":
            flat.language = flat.language or get("lang", "")
        elif tag == "base":
            flat.base = flat.base or get("href", "")
        elif tag == "link" and get("rel", "").lower() == "canonical":
            flat.canonical = flat.canonical or get("href", "")
        elif tag == "meta" and get("name", "").lower() == "robots":
            flat.robots += " " + get("content", "").lower()

    def end(self, tag: str) -> None:
        if tag in _UNREAD:
            self._unread -= 1
        elif not self._unread:
            if tag == "a" and self._links and self._links.pop():
                self.parts.append(f" {LINK_END} ")
            self.parts.append(f" {_AROUND.get(tag, ('', ''))[1]} ")

    def data(self, text: str) -> None:
        if not self._unread:
            self.parts.append(text)

    def close(self) -> None:
        """lxml calls it at the end; all is in the parts."""
