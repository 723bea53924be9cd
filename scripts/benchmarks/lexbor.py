"""What pagekin's door to HTML gives (`read_markup`), made from a tree of Lexbor's instead.

Two libraries bring Lexbor to Python: Resiliparse and selectolax. Both give nodes with a first child
and a next sibling; no more of them is used. One walk over the tree makes the flat text, and
the outline with it. This is what would remain of the project's own code with either library. Where
pages are wrong the results differ, because the standard's construction of a tree moves what it
finds: a link that stands in a table and not in a cell, for one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from benchmarks.harness import peer
from pagekin.web.flat import LINK_MARKS
from pagekin.web.markup import Flat, Outline, sanitise
from pagekin.web.tags import GAP, NUMBERS, OF_TITLE, marks_of

__all__ = ["LIBRARIES", "Library", "read_tree"]

_TEXT, _START, _END = range(3)
_LINK_START, _LINK_END = LINK_MARKS
_RAW = {"script", "style", "iframe"}  # no text of theirs is read
_HIDES = {"noscript", "template", "svg", "select"}
_HEADINGS = {f"h{k}" for k in range(1, 7)}
_VOID = {
    "img",
    "input",
    "br",
    "hr",
    "meta",
    "link",
    "base",
    "area",
    "col",
    "embed",
    "source",
    "wbr",
}
_MARKS = {name.decode(): marks_of(frozenset())[text] for name, (text, _) in NUMBERS.items()}
_MARKS |= {"title": marks_of(frozenset())[OF_TITLE]}

Event = tuple[int, str, Any]  # what it is; the name or the text; the node


@dataclass(frozen=True)
class Library:
    """Lexbor in a library's dress."""

    name: str
    parse: Callable[[bytes], Any]  # the root of a page's tree
    events: Callable[[Any], Iterator[Event]]
    attributes: Callable[[Any], dict[str, str]]


def read_tree(library: Library, body: bytes, *, with_outline: bool = True) -> tuple[Flat, Outline]:
    """The flat text of a page and its outline, which stays empty where it is not wanted."""
    walk = _Walk(library, with_outline=with_outline)
    for what, name, node in library.events(library.parse(sanitise(body)[0])):
        if what == _TEXT:
            walk.see_text(name)
        elif what == _START:
            walk.start(name, node)
        else:
            walk.end(name)
    return walk.done()


@dataclass
class _Open:
    """An element that is open."""

    name: str
    node: Any
    place: int
    number: int = -1  # in the outline


class _Walk:
    """One page on its way."""

    def __init__(self, library: Library, *, with_outline: bool) -> None:
        self._attributes = library.attributes
        self._outline = with_outline
        self._parts: list[bytes] = []
        self._flat, self._found = Flat(), Outline(["page"], [b""], [1], [0], [0], [-1], [0])
        self._open: list[_Open] = [_Open("page", None, -1, 0)]
        self._place = 0  # of the tag
        self._hidden = 0  # depth of elements that a reader does not see
        self._linked: list[bytes] | None = None  # the text of the link that is open

    def see_text(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        if not self._hidden:
            self._parts.append(data)
            if self._linked is not None:
                self._linked.append(data)

    def start(self, name: str, node: Any) -> None:
        attributes = self._attributes(node) if name in _LOOKED_AT else None
        if attributes is not None:
            self._look(name, attributes)
        elif not self._hidden:
            self._parts.append(_MARKS.get(name, GAP))
        if name in _HIDES:
            self._hidden += 1
        if self._outline:
            if name in _HEADINGS:
                self._found.headings.append(self._place)
            self._open.append(_Open(name, node, self._place))
            if attributes is not None and name in {"a", "area"} and "href" in attributes:
                self._add_to_outline(attributes)
        self._place += 1

    def end(self, name: str) -> None:
        if name in _HIDES:
            self._hidden -= 1
        if self._outline:
            self._close(self._open.pop())
        if name in _VOID:
            return
        if not self._hidden:
            is_link = name == "a" and self._flat.hrefs
            self._parts.append(_LINK_END if is_link else _MARKS.get(f"/{name}", GAP))
        self._place += 1

    def _look(self, name: str, attributes: dict[str, str]) -> None:
        """What is to be seen of a few tags besides their marker."""
        flat = self._flat
        if name in {"img", "input"}:
            self.see_text(f" {attributes.get('alt') or ''} ")
        elif name in {"a", "area"} and "href" in attributes:
            if not self._hidden:
                flat.hrefs.append(attributes["href"] or "")
                flat.links.append(_written(attributes, ("rel",)))
                alt = f" {attributes.get('alt') or ''} ".encode() if name == "area" else b""
                self._parts.append(_LINK_START + alt + (_LINK_END if alt else b""))
        elif name == "html":
            flat.language = flat.language or attributes.get("lang") or ""
        elif name == "base":
            flat.base = flat.base or attributes.get("href") or ""
        elif name == "link" and "canonical" in (attributes.get("rel") or "").lower().split():
            flat.canonical = flat.canonical or attributes.get("href") or ""
        elif name == "meta" and (attributes.get("name") or "").lower() == "robots":
            flat.robots = f"{flat.robots} {attributes.get('content') or ''}".strip().lower()

    def _add_to_outline(self, attributes: dict[str, str]) -> None:
        """All open elements hold the link that begins here."""
        found, number = self._found, len(self._found.hrefs)
        for each in self._open:
            if each.number < 0:
                each.number = len(found.tags)
                found.tags.append(each.name)
                found.attributes.append(_written(self._attributes(each.node), _CALLED))
                found.first.append(number)
                found.start.append(each.place)
                for column in (found.behind, found.last, found.stop):
                    column.append(0)
        found.elements.append(self._open[-1].number)
        found.hrefs.append(attributes["href"] or "")
        self._linked = []

    def _close(self, element: _Open) -> None:
        if element.number < 0:
            return
        found = self._found
        found.behind[element.number] = len(found.tags)
        found.last[element.number] = len(found.hrefs)
        found.stop[element.number] = self._place
        if self._linked is not None and element.name in {"a", "area"}:
            found.texts.append(b"".join(self._linked))
            self._linked = None

    def done(self) -> tuple[Flat, Outline]:
        """What was found."""
        self._close(self._open[0])
        self._flat.text = b"".join(self._parts)
        self._found.worded = bytes(t.lstrip()[:1].isalnum() for t in self._found.texts)
        return self._flat, self._found


_LOOKED_AT = {"a", "area", "img", "input", "html", "base", "link", "meta"}
_CALLED = ("id", "class", "role")


def _written(attributes: dict[str, str], wanted: tuple[str, ...]) -> bytes:
    """Some attributes as in a tag."""
    said = (f' {name}="{escape(attributes[name] or "")}"' for name in wanted if name in attributes)
    return "".join(said).encode()


# --- the libraries ---


def _resiliparse() -> Library:
    html = peer("resiliparse.parse.html", "Resiliparse")
    text, element = html.NodeType.TEXT, html.NodeType.ELEMENT

    def events(root: Any) -> Iterator[Event]:
        opened: list[
            tuple[Any, str]
        ] = []  # no recursion: pages are nested deeper than Python likes
        node = root.first_child
        while node is not None or opened:
            if node is None:
                node, name = opened.pop()
                yield _END, name, node
                node = node.next
                continue
            kind = node.node_type
            if kind == element:
                name = node.local_name
                yield _START, name, node
                opened.append((node, name))
                node = None if name in _RAW else node.first_child
                continue
            if kind == text:
                yield _TEXT, node.node_value, node
            node = node.next

    def attributes(node: Any) -> dict[str, str]:
        return {name: node.get_attribute(name) for name in node.attrs}

    def parse(body: bytes) -> Any:
        return html.HTMLTree.parse_from_bytes(body, "utf-8").document

    return Library("Resiliparse", parse, events, attributes)


def _selectolax() -> Library:
    lexbor = peer("selectolax.lexbor", "selectolax")

    def events(root: Any) -> Iterator[Event]:
        opened: list[tuple[Any, str]] = []
        node = root.first_child
        while node is not None or opened:
            if node is None:
                node, name = opened.pop()
                yield _END, name, node
                node = node.next
                continue
            name = node.tag
            if node.is_element_node:
                yield _START, name, node
                opened.append((node, name))
                node = None if name in _RAW else node.first_child
                continue
            if node.is_text_node:
                yield _TEXT, node.text_content, node
            node = node.next

    def parse(body: bytes) -> Any:
        return lexbor.LexborHTMLParser(body).root.parent

    return Library("selectolax", parse, events, lambda node: node.attributes)


LIBRARIES = {"Resiliparse": _resiliparse, "selectolax": _selectolax}
"""Name -> what imports it; MissingPeer where it is not installed."""
