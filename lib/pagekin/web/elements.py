"""What the tags of a page mean for its outline: a number for each name, and what ends what.

It rests on the HTML standard, 13.2.6 (tree construction), as far as blocks of links need it:

- a start tag may end elements that are open: a block a paragraph, an item the item before it in its
  list, a cell the cell before it in its table;
- an end tag ends the innermost element of its name, and what is open in it, but nothing outside of
  the cell or the table in which it stands.

Elements that end each other have one number: all headings, `dt` and `dd`, `td` and `th`, the groups
of rows of a table. So have all elements that no standard knows.
"""

from __future__ import annotations

from typing import Final

from pagekin.web.scan import Piece

__all__ = [
    "BLOCK",
    "CELL",
    "DL",
    "END",
    "FORM",
    "HEADING",
    "HR",
    "IMG",
    "KINDS",
    "LI",
    "LISTS",
    "NAMES",
    "NUMBERS",
    "OPTION",
    "PLAIN",
    "SVG",
    "TABLE",
    "TERM",
    "UNSEEN",
    "A",
    "P",
]

# Tags that are no elements here. The page itself stands for the first three; the rest hold nothing.
_NONE: Final = (
    *("html", "head", "body", "area", "base", "basefont", "bgsound", "br", "col", "command"),
    *("embed", "frame", "image", "input", "keygen", "link", "meta", "param", "source", "track"),
    *("wbr", "script", "style", "iframe"),
)
_UNSEEN: Final = ("noscript", "template", "svg", "select")
_INLINE: Final = (
    *("abbr", "acronym", "applet", "audio", "b", "bdi", "bdo", "big", "blink", "button", "canvas"),
    *("cite", "code", "data", "datalist", "del", "dfn", "em", "font", "i", "ins", "kbd", "label"),
    *("legend", "map", "mark", "marquee", "math", "nobr", "object", "output", "picture"),
    *("q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup"),
    *("time", "tt", "u", "var", "video"),
)
# Their start tags end a paragraph.
_BLOCKS: Final = (
    *("address", "article", "aside", "blockquote", "center", "details", "dialog", "div"),
    *("fieldset", "figcaption", "figure", "footer", "frameset", "header", "hgroup", "listing"),
    *("main", "nav", "noframes", "pre", "search", "section", "summary", "xmp"),
)
_TOGETHER: Final = (("h1", "h2", "h3", "h4", "h5", "h6"), ("dt", "dd"))
_ROWS: Final = ("thead", "tbody", "tfoot", "caption", "colgroup")

# Every number below BLOCK is of an element in the line, every one behind TABLE of a table's part.
_ORDER: Final[tuple[tuple[str, ...], ...]] = (
    *(("",), ("img",), ("title", "textarea"), ("hr",), ("a",), ("option", "optgroup")),
    *((name,) for name in (*_UNSEEN, *_INLINE)),
    *(("form",), ("p",), ("li",), *_TOGETHER, ("ul",), ("ol",), ("menu",), ("dir",), ("dl",)),
    *((name,) for name in _BLOCKS),
    *(("table",), _ROWS, ("tr",), ("td", "th")),
)
_OF: Final = {name: number for number, names in enumerate(_ORDER, 1) for name in names}
_OTHER: Final = _OF[""]

IMG, PLAIN, HR = _OF["img"], _OF["title"], _OF["hr"]
"""No elements, but to be looked at."""
A, OPTION, BLOCK = _OF["a"], _OF["option"], _OF["form"]
FORM, P, LI, HEADING, TERM, DL = (_OF[n] for n in ("form", "p", "li", "h1", "dt", "dl"))
LISTS: Final = tuple(_OF[name] for name in ("ul", "ol", "menu", "dir"))
SVG = _OF["svg"]
UNSEEN: Final = range(_OF[_UNSEEN[0]], _OF[_UNSEEN[-1]] + 1)
"""What they hold is no text of a link around them."""
TABLE, CELL = _OF["table"], _OF["td"]

END: Final = 128
"""What an end tag's number has more than its start tag's."""
assert len(_ORDER) < END
_LONGEST_NAME = 20  # bytes
_REMEMBERED = 1000  # names of tags, as written


def _number(name: str) -> int:
    plain = name.removeprefix("/")
    if plain in _NONE:
        return 0
    kind = _OF.get(plain, _OTHER)
    if name == plain:
        return kind
    return END + kind if kind not in (IMG, PLAIN, HR) else 0


def _numbers() -> dict[bytes, int]:
    names = [name for name in (*_OF, *_NONE) if name]
    return {tag.encode(): _number(tag) for name in names for tag in (name, f"/{name}")}


class _Names(dict[Piece, str]):
    """Name of a tag as written -> in lower case, and no longer than any that is known."""

    def __missing__(self, name: Piece) -> str:
        lower = (name or b"")[:_LONGEST_NAME].lower().decode("ascii", "replace")
        if len(self) < _REMEMBERED and len(name or b"") <= _LONGEST_NAME:
            self[name] = lower
        return lower


class _Kinds(dict[Piece, int]):
    """Name of a tag -> its number; 0 for what is nothing here."""

    def __missing__(self, name: Piece) -> int:
        kind = _number(NAMES[name])
        if len(self) < _REMEMBERED and len(name or b"") <= _LONGEST_NAME:
            self[name] = kind
        return kind


NUMBERS: Final = _numbers()
"""Of all names that are known, in lower case, with the slash of an end tag."""
NAMES: Final = _Names()
KINDS: Final = _Kinds({None: 0})
