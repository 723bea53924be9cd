"""The flat form of a page: its text with markers, its links, and what its head says of it.

It is made from the stream of tags (`pagekin.web.scan`) and not from a tree: everything that bags
are made of lies in the order of the page, and a tree costs more than all the rest of the reading.
What a tree knows beyond it is where an element ends that is never closed. Here

- a link ends at its end tag, or else where the next <a> begins, as in browsers;
- unread elements (<noscript>, <svg> ...) end at the end tag that belongs to them; one without is
  read as if its tag were not there;
- headings, lists and tables end at their end tags.

Comments join what stands around them; every other tag separates words [SIM 3.1].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from pagekin.native import load
from pagekin.text.tokens import CODES
from pagekin.web.flattening import LINK_END_MARK, LINK_MARK, Flattened, Flattener, text_of
from pagekin.web.references import attribute_value, resolve_references
from pagekin.web.scan import attribute, attributes, with_plain_titles
from pagekin.web.tags import NUMBERS, OF_BASE, OF_HTML, OF_LINK, marks_of
from pagekin.web.tame import tame

__all__ = ["MAX_LINKS", "Flat", "flatten"]

# Of 12,454 pages the one with the most links has 3,401. Behind this many only their texts are read.
# So many below a long base, with odd addresses, take 5 s.
MAX_LINKS = 30_000
_MAX_ROBOTS = 1000  # characters of robots metas; they are looked at for each link

_NO_TEXT = "".join((*CODES, " \t\n\f\r")).encode()
_rel = attribute("rel")
_native = load("pagekin.web._flat")


@dataclass(slots=True)
class Flat:
    """A page's text with markers, its links in order, and what its head says of it."""

    text: bytes = b""  # UTF-8
    hrefs: list[str] = field(default_factory=list)
    tags: list[bytes] = field(default_factory=list)  # attributes of each link, as written
    language: str = ""  # the lang attribute, as written
    base: str = ""  # the first <base href>
    canonical: str = ""  # the first link rel=canonical
    robots: str = ""  # robots meta, lower case
    notes: list[str] = field(default_factory=list)  # too_many_tags, too_many_links

    def rels(self) -> list[str]:
        """The rel of each link; seldom asked for."""
        return [_rel(raw) or "" for raw in self.tags]


def _is_canonical(rel: str) -> bool:
    """Does a <link> with this rel name the page's own address?"""
    return "canonical" in rel.lower().split()


def flatten(body: bytes, without: frozenset[str] = frozenset()) -> Flat | None:
    """The flat text of a page given as valid UTF-8; None where there is nothing to read.

    Markers that nobody will look at may be left out (`CUTS`): tags separate words all the same.
    """
    tamed, notes = tame(body)
    flattener = _flattener(without)
    found = flattener(tamed)
    if found.tags_in_titles:
        found = flattener(with_plain_titles(tamed))
    text = resolve_references(found.text)
    if not found.has_element and not text.strip(_NO_TEXT):
        return None
    if found.too_many_links:
        notes = ["too_many_links", *notes]
    flat = Flat(text, found.hrefs, found.tags, notes=notes)
    _read_head(flat, found.head)
    return flat


@cache
def _flattener(without: frozenset[str]) -> Callable[[bytes], Flattened]:
    marks = marks_of(without)
    if _native is None:
        return Flattener(marks, MAX_LINKS)
    in_c = _native.Flattener(
        NUMBERS, marks, LINK_MARK, LINK_END_MARK, attribute_value, text_of, MAX_LINKS
    )
    return lambda body: Flattened._make(in_c(body))


def _read_head(flat: Flat, head: list[tuple[int, bytes]]) -> None:
    """What a page says of itself; of each the first counts, but all robots are asked."""
    robots: list[str] = []
    for kind, raw in head:
        get = attributes(raw).get
        if kind == OF_HTML:
            flat.language = flat.language or get("lang") or get("xml:lang") or ""
        elif kind == OF_BASE:
            flat.base = flat.base or get("href", "")
        elif kind == OF_LINK:
            if not flat.canonical and _is_canonical(get("rel", "")):
                flat.canonical = get("href", "")
        elif get("name", "").lower() == "robots":
            robots.append(get("content", "").lower())
    flat.robots = " ".join(robots).strip()[:_MAX_ROBOTS]
