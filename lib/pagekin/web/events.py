"""A page as the stream of its tags, for pages that are nested too deeply for a tree.

`Events` is a parser target: something that parsers call at each tag and text. It writes what the
sheet of `pagekin.web.html` writes of the tree, and it knows how many elements are open.
"""

from __future__ import annotations

from pagekin.text.markup import LINK_END, LINK_HREF, LINK_READY, LINK_REL
from pagekin.web.flat import AROUND, UNREAD, WITH_ALT, Flat, is_canonical

__all__ = ["Events"]


class Events:
    """A parser target that writes what the sheet would write."""

    def __init__(self) -> None:
        self.flat = Flat()
        self.parts: list[str] = []
        self.robots: list[str] = []
        self.depth = 0
        self._unread = 0  # how many unread elements are open
        self._links: list[bool] = []  # for each open <a>: is it a link

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if tag in ("html", "base", "link", "meta"):
            self._read_head(tag, attributes)
        if tag in UNREAD:
            self._unread += 1
            self.parts.append("  ")
        if self._unread:
            return
        self.parts.append(f" {AROUND.get(tag, ('', ''))[0]} ")
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
        flat, get = self.flat, attributes.get
        if tag == "html":
            flat.language = flat.language or get("lang", "") or get("xml:lang", "")
        elif tag == "base":
            flat.base = flat.base or get("href", "")
        elif tag == "link" and is_canonical(get("rel", "")):
            flat.canonical = flat.canonical or get("href", "")
        elif tag == "meta" and get("name", "").lower() == "robots":
            self.robots.append(get("content", "").lower())

    def end(self, tag: str) -> None:
        self.depth -= 1
        if tag in UNREAD:
            self._unread -= 1
        elif not self._unread:
            if tag == "a" and self._links and self._links.pop():
                self.parts.append(f" {LINK_END} ")
            self.parts.append(f" {AROUND.get(tag, ('', ''))[1]} ")

    def data(self, text: str) -> None:
        if not self._unread:
            self.parts.append(text)

    def close(self) -> None:
        """lxml calls it at the end; all is in the parts."""
