"""A page as a tree of elements, also where libxml2 would make none.

`Shallow` is a parser target that builds a tree from the stream of tags: with no more levels than
MAX_LEVELS, and with the attributes only that somebody asks for. Elements further down are not
built; their texts count for the element above them, and links stay links. An lxml builder is handed
in: lxml is imported in `pagekin.web.html` only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["MAX_LEVELS", "TREE_DEPTH", "Shallow", "Tree"]

TREE_DEPTH = 2048  # nested elements; at more libxml2 gives up

# Far above any page that was written by hand or by a template, and far below 2,048, from where on
# libxml2 itself refuses.
MAX_LEVELS = 512

# Builders refuse what XML could not hold, where parsers let it through.
_TAG = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_OTHER_TAG = "unknown"
_NO_CHARACTERS = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# What blocks and styles are read from.
_ATTRIBUTES = (
    *("alt", "bgcolor", "class", "color", "face", "href", "id", "link", "media", "rel", "role"),
    *("size", "style", "text"),
)


@dataclass(slots=True)
class Tree:
    """A page's elements: <html>, and what stands behind it."""

    tops: list[Any]  # of lxml: known by tag, text, tail, get, iter, getparent and their children
    deep: bool = False  # was it nested too deeply for libxml2?


class Builder(Protocol):
    """What lxml's TreeBuilder can."""

    def start(self, tag: str, attributes: dict[str, str], /) -> Any: ...
    def end(self, tag: str, /) -> Any: ...
    def data(self, text: str, /) -> Any: ...
    def close(self) -> Any: ...


class Shallow:
    """A parser target that hands on what a lean tree needs, and stays below one root."""

    def __init__(self, builder: Builder) -> None:
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
        self.deep = self.deep or self.depth > TREE_DEPTH
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
