"""What the tags of a page mean for its flat text: a number for each name, a marker for each number.

Most tags stand for a marker, or for a gap between words. Of a few more is to be seen: links,
images, what the head says, titles, and elements that hide what they hold; their numbers begin at
LOOKED_AT.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from pagekin.text.tokens import (
    BLOCK,
    BREAK,
    HEADING,
    HEADING_END,
    LIST_END,
    TABLE_END,
    TITLE,
    TITLE_END,
)
from pagekin.web.scan import Piece

__all__ = [
    "CUTS",
    "GAP",
    "HEADING_MARKS",
    "HIDING",
    "KINDS",
    "LOOKED_AT",
    "NUMBERS",
    "OF_A",
    "OF_AREA",
    "OF_A_END",
    "OF_BASE",
    "OF_HTML",
    "OF_IMG",
    "OF_INPUT",
    "OF_LINK",
    "OF_META",
    "OF_SVG",
    "OF_TEXTAREA",
    "OF_TITLE",
    "hidden_runs",
    "marks_of",
]

# What a reader does not see as text, or sees twice; scripts, styles and frames hold no tags.
_HIDDEN = ("noscript", "template", "svg", "select")

# tag -> what stands before and after its content (docs/decisions/reading.md).
_BLOCKS = ("p", "div", "dt", "dd", "td", "th", "tr", "blockquote", "pre", "li", "noframes")
_AROUND: dict[str, tuple[str, str]] = {
    **dict.fromkeys(_BLOCKS, (BLOCK, BLOCK)),
    "hr": (BLOCK, ""),
    "br": (BREAK, ""),
    **dict.fromkeys(("ul", "ol", "dl", "dir", "menu"), (BLOCK, LIST_END)),
    "table": (BLOCK, TABLE_END),
    "title": (TITLE, TITLE_END),
    **{f"h{k}": (marker, HEADING_END) for k, marker in enumerate(HEADING, 1)},
}

# What only windows that end at boundaries look at; two in five tokens of a page.
CUTS = frozenset((BLOCK, BREAK, LIST_END, TABLE_END))
HEADING_MARKS = frozenset((*HEADING, HEADING_END))

# Tags of which more is to be seen than a marker; all others have numbers below.
LOOKED_AT = 128
_SEEN = ("a", "/a", "area", "img", "input", "html", "base", "link", "meta", "title", "textarea")
_HIDES = tuple(f"{slash}{name}" for name in _HIDDEN for slash in ("", "/"))
_KIND = {name: LOOKED_AT + k for k, name in enumerate((*_SEEN, *_HIDES))}
OF_A, OF_A_END, OF_AREA, OF_IMG, OF_INPUT = (_KIND[name] for name in _SEEN[:5])
OF_HTML, OF_BASE, OF_LINK, OF_META = (_KIND[name] for name in _SEEN[5:9])
OF_TITLE, OF_TEXTAREA = (_KIND[name] for name in _SEEN[9:])
OF_SVG = _KIND["svg"]
HIDING = range(OF_TEXTAREA + 1, OF_TEXTAREA + 1 + len(_HIDES))
"""An end tag has the number behind its start tag's."""
_ENDS = {kind: kind + 1 for kind in HIDING[::2]}
_LONGEST_NAME = 20
_REMEMBERED = 1000  # names of tags, as written

GAP = b" "


class _Kinds(dict[Piece, int]):
    """Name of a tag -> its number: what stands for it, or what is to be seen of it."""

    def __missing__(self, name: Piece) -> int:
        kind = NUMBERS.get((name or b"")[:_LONGEST_NAME].lower(), 1)
        if len(self) < _REMEMBERED:
            self[name] = kind
        return kind


_NAMES = [name for tag in _AROUND for name in (tag, f"/{tag}") if name not in _KIND]
_NUMBER = {name: number for number, name in enumerate(_NAMES, 2)} | _KIND
NUMBERS = {name.encode(): number for name, number in _NUMBER.items()}
"""Name of a tag in lower case, with the slash of an end tag -> its number; of others it is 1."""
KINDS = _Kinds({None: 0})


@cache
def marks_of(without: frozenset[str]) -> list[bytes]:
    """What stands for each kind; for most of what is looked at it is found there."""
    marks = [GAP] * HIDING.stop
    marks[0] = b""  # comments, and the inside of scripts, whose end tags are gaps
    for tag, around in _AROUND.items():
        for name, marker in zip((tag, f"/{tag}"), around, strict=True):
            if marker and marker not in without:
                marks[_NUMBER[name]] = f" {marker} ".encode()
    return marks


def hidden_runs(
    parts: list[Piece],
    kinds: bytes,
    places: Iterable[int],
    ends: Mapping[int, int] = _ENDS,
    of_svg: int = OF_SVG,
) -> dict[int, int]:
    """Of tags that hide what follows, the places of the end tags that belong to them.

    `ends` says of the number of each what the number of its end tag is.
    """
    found: dict[int, int] = {}
    waiting: dict[int, list[int]] = {end: [] for end in ends.values()}
    for place in places:
        kind = kinds[place]
        if kind in ends:
            if kind != of_svg or not (parts[3 * place + 2] or b"").endswith(b"/"):
                waiting[ends[kind]].append(place)
        elif waiting.get(kind):
            found[waiting[kind].pop()] = place
    return found
