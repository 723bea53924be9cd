"""A page as the stream of its tags, for pages that are too deep or too long for a tree.

`Events` is a parser target: something that parsers call at each tag and text. It writes what the
sheet of `pagekin.web.html` writes of the tree, and it knows how many elements are open.
"""

from __future__ import annotations

from pagekin.text.markup import LINK_END, LINK_HREF, LINK_READY, LINK_REL
from pagekin.web.flat import UNREAD, WITH_ALT, Flat, is_canonical, markers_around, take_links

__all__ = ["TREE_DEPTH", "Events"]

TREE_DEPTH = 2048  # nested elements; at more libxml2 gives up


class Events:
    """A parser target that writes what the sheet would write."""

    def __init__(self, without: frozenset[str] = frozenset()) -> None:
        self._around = markers_around(without)
        self.parts: list[str] = []
        self.depth = 0  # how many elements are open
        self._deepest = 0
        self._flat = Flat()
        self._robots: list[str] = []
        self._unread = 0  # how many unread elements are open
        self._links: list[bool] = []  # for each open <a>: is it a link

    def flat(self) -> Flat:
        """What the page says; to be asked for once, at its end."""
        # lxml's parser and its target hold each other: what is left here waits for the collector
        flat, self._flat = self._flat, Flat()
        parts, self.parts = self.parts, []
        take_links(flat, "".join(parts))
        flat.robots = " ".join(self._robots).strip()
        flat.deep = self._deepest > TREE_DEPTH
        return flat

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self._deepest = max(self._deepest, self.depth)
        if tag in ("html", "base", "link", "meta"):
            self._read_head(tag, attributes)
        if tag in UNREAD:
            self._unread += 1
            self.parts.append("  ")
        if self._unread:
            return
        self.parts.append(f" {self._around.get(tag, ('', ''))[0]} ")
        if tag in ("a", "area"):
            self._start_link(tag, attributes)
        elif tag in WITH_ALT:
            self.parts.append(f" {attributes.get('alt', '')} ")

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
        flat, get = self._flat, attributes.get
        if tag == "html":
            flat.language = flat.language or get("lang", "") or get("xml:lang", "")
        elif tag == "base":
            flat.base = flat.base or get("href", "")
        elif tag == "link" and is_canonical(get("rel", "")):
            flat.canonical = flat.canonical or get("href", "")
        elif tag == "meta" and get("name", "").lower() == "robots":
            self._robots.append(get("content", "").lower())

    def end(self, tag: str) -> None:
        self.depth -= 1
        if tag in UNREAD:
            self._unread -= 1
        elif not self._unread:
            if tag == "a" and self._links and self._links.pop():
                self.parts.append(f" {LINK_END} ")
            self.parts.append(f" {self._around.get(tag, ('', ''))[1]} ")

    def data(self, text: str) -> None:
        if not self._unread:
            self.parts.append(text)

    def close(self) -> None:
        """lxml calls it at the end; all is in the parts."""
