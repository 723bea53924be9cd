"""The flat form of a page: its text with markers, its links, and how tags become markers.

Shared by both ways through HTML, the tree and the stream of events, so that they cannot differ.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

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

__all__ = [
    "AROUND",
    "CUTS",
    "HEADING_MARKS",
    "MAX_LINKS",
    "UNREAD",
    "WITH_ALT",
    "Flat",
    "is_canonical",
    "markers_around",
    "take_links",
]

# Of 12,454 pages the one with the most links has 3,401. Behind this many only their texts are read.
# So many below a long base, with odd addresses, take 5 s.
MAX_LINKS = 30_000

# What a reader does not see as text, or sees twice.
UNREAD = ("script", "style", "noscript", "template", "svg", "select", "iframe")

# tag -> what stands before and after its content (docs/architecture.md, "Boundaries").
AROUND: dict[str, tuple[str, str]] = {
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
WITH_ALT = ("img", "input")

# What only windows that end at boundaries look at; two in five tokens of a page.
CUTS = frozenset((BLOCK, BREAK, LIST_END, TABLE_END))
HEADING_MARKS = frozenset((*HEADING, HEADING_END))


def markers_around(without: frozenset[str]) -> dict[str, tuple[str, str]]:
    """AROUND, with a blank for each of these markers: tags separate words all the same."""

    def kept(marker: str) -> str:
        return "" if marker in without else marker

    return {tag: (kept(before), kept(after)) for tag, (before, after) in AROUND.items()}


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
    notes: list[str] = field(default_factory=list)  # too_many_tags, too_many_links


def is_canonical(rel: str) -> bool:
    """Does a <link> with this rel name the page's own address?"""
    return "canonical" in rel.lower().split()


def take_links(flat: Flat, text: str) -> None:
    """Cut hrefs and rels out of the text; what is left of a link is LINK ... LINK_END.

    A link ends where the next one begins, as in browsers: 1,000 links within each other around
    10,000 words were 50 MB of anchor texts.
    """
    parts = _OPENING.split(text)
    flat.hrefs, flat.rels, texts = parts[1::3], parts[2::3], parts[::3]
    texts[0] = texts[0].replace(LINK_END, " ")
    for k in range(1, len(texts)):
        if texts[k].count(LINK_END) != 1:
            texts[k] = _with_one_end(texts[k])
    flat.text = f" {LINK} ".join(texts[: MAX_LINKS + 1])
    if len(flat.hrefs) > MAX_LINKS:
        flat.text += " " + " ".join(texts[MAX_LINKS + 1 :]).replace(LINK_END, " ")
        del flat.hrefs[MAX_LINKS:], flat.rels[MAX_LINKS:]
        flat.notes.append("too_many_links")


_OPENING = re.compile(f"{LINK_HREF}([^{LINK_REL}]*){LINK_REL}([^{LINK_READY}]*){LINK_READY}")


def _with_one_end(anchor: str) -> str:
    inside, _, after = anchor.partition(LINK_END)
    return f"{inside} {LINK_END} {after.replace(LINK_END, ' ')}"
