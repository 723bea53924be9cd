"""HTML as a stream of tags and texts, attributes and character references, and what each tag means.

One regular expression does what a parser does first. It rests on the HTML standard, 13.2.5
(tokenization): where tags, quoted values and comments end, that scripts, styles and frames hold no
tags, and that a tag or comment which never ends takes all that follows it. A page comes out as one
list, of which every third item is a text:

    [text, name, attributes, text, name, attributes, ... text]

`name` is as written, with a slash before it in an end tag; it is None for what is no tag: comments,
doctypes, and the inside of scripts. Nothing is joined to a tree, so depth, length and wrong nesting
cost nothing; all is linear in the page. Left out of the standard: a script that writes
`<!--<script>` ends at its first `</script>`, and `<plaintext>`, `<xmp>` and `<noembed>` are tags as
any.

Of character references (13.2.5.72 and what follows) the table is Python's. In an attribute a name
without its semicolon is none where a letter, a digit or "=" follows: `?a=1&copy=2` says "copy".
What a reference may not name is U+FFFD: what is no character, and the control characters that
`pagekin.text.tokens` uses as markers.

The name of a tag has two numbers. By its text number `pagekin.web.flat` knows which marker stands
for it, and by its element number `pagekin.web.outline` knows what it ends and what ends it. Both
are given to `_html.c`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from html.entities import html5
from typing import Final

from pagekin.text.tokens import (
    BLOCK,
    BREAK,
    HEADING,
    HEADING_END,
    LIST_END,
    MENU,
    MENU_END,
    TABLE_END,
    TITLE,
    TITLE_END,
)

# Beside these, the numbers of single tags are read as `tags.OF_A`, `tags.TABLE`.
__all__ = [
    "CUTS",
    "ELEMENTS",
    "HEADING_MARKS",
    "LOOKED_AT",
    "MENU_MARKS",
    "NUMBERS",
    "Piece",
    "attribute",
    "attribute_value",
    "attributes",
    "cut_tags",
    "hidden_runs",
    "lower_name",
    "marks_of",
    "resolve_references",
    "tag_numbers",
    "with_plain_titles",
]

Piece = bytes | None

_S = rb"\t\n\f\r "
# No value is looked into, so that a ">" within quotes ends nothing.
_ATTRIBUTES = rb"""
    [^>=]*+
    (?: = [%(S)b]*+ (?: "[^"]*+" | '[^']*+' | (?=>) | [^"'%(S)b>] [^%(S)b>]*+ ) [^>=]*+ )*+
""" % {b"S": _S}


def _any_case(word: str) -> bytes:
    return "".join(f"[{c}{c.upper()}]" for c in word).encode()


def _content(name: str) -> bytes:
    """What follows the start tag of an element without tags inside, up to its end tag."""
    return rb"[^<]*+ (?: < (?! / %b [%b/>] ) [^<]*+ )*+" % (_any_case(name), _S)


def _raw(name: str) -> bytes:
    return rb"%b (?=[%b/>]) %b > %b" % (_any_case(name), _S, _ATTRIBUTES, _content(name))


_TOKEN = re.compile(
    rb"<(?: !-- (?: -?> | (?: [^-]++ | - (?! -!?> ) )*+ (?: --!?> | \Z ) ) | %(script)b | %(style)b"
    rb"| %(iframe)b | (/?[a-zA-Z] [^%(S)b/>]*+) (%(attributes)b) > | /?[a-zA-Z] [\s\S]*+"
    rb"| [!?/] [^>]*+ (?: > | \Z ) )"
    % {
        b"S": _S,
        b"attributes": _ATTRIBUTES,
        **{name.encode(): _raw(name) for name in ("script", "style", "iframe")},
    },
    re.VERBOSE,
)
_PLAIN = ("title", "textarea")
_PLAIN_CONTENT = {name: re.compile(_content(name), re.VERBOSE) for name in _PLAIN}
"""What stands in them is text, whatever it looks like."""

_NAME = rb"(?: = | [^%(S)b/=] ) [^%(S)b/=]*+" % {b"S": _S}
_ATTRIBUTE = re.compile(
    rb"""[%(S)b/]*+ (%(name)b) (?: [%(S)b]*+ = [%(S)b]*+
         (?: "([^"]*+)" | '([^']*+)' | ([^"'%(S)b] [^%(S)b]*+) | ) )?+"""
    % {b"S": _S, b"name": _NAME},
    re.VERBOSE,
)


def cut_tags(body: bytes) -> list[Piece]:
    """The texts and tags of a page.

    >>> cut_tags(b'a<B title=">">c</B ><!-- d -->')
    [b'a', b'B', b' title=">"', b'c', b'/B', b' ', b'', None, None, b'']
    """
    return _TOKEN.split(body)


def with_plain_titles(body: bytes) -> bytes:
    """The page without tags in its titles and text fields: what looks like one becomes text.

    Few pages have such tags. To look for them in every page would cost more than to see by the
    tags of a page that it has some.
    """
    parts, start, in_svg = [], 0, False
    for token in _TOKEN.finditer(body):
        if token.start() < start:
            continue
        name = (token[1] or b"").decode("latin-1").lower()
        if name in ("svg", "/svg"):
            in_svg = name == "svg"
        elif name in _PLAIN and not in_svg:  # a <title> of a picture is another element
            content = _PLAIN_CONTENT[name].match(body, token.end())
            assert content is not None  # it may be empty
            parts += [body[start : token.end()], content[0].replace(b"<", b"&lt;")]
            start = content.end()
    return b"".join((*parts, body[start:]))


def attributes(raw: bytes) -> dict[str, str]:
    """The attributes of a tag by lower-case name; of a name given twice the first counts.

    >>> attributes(b" HREF='a b' title=&lt; hidden href=c /")
    {'href': 'a b', 'title': '<', 'hidden': ''}
    """
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(raw):
        found.setdefault(name.decode().lower(), attribute_value(double or single or bare))
    return found


def attribute(name: str) -> Callable[[bytes], str | None]:
    """What reads this one attribute of a tag: its value, or None where it is not there.

    >>> attribute("href")(b" title='href=a' href=b href=c")
    'b'
    """
    wanted = rb"%b (?= [%b/=] | \Z )" % (_any_case(name), _S)
    find = re.compile(
        rb"""(?: [%(S)b/]*+ (?! %(wanted)b ) %(name)b
                 (?: [%(S)b]*+ = [%(S)b]*+ (?: "[^"]*+" | '[^']*+' | [^"'%(S)b] [^%(S)b]*+ | ) )?+
             )*+ [%(S)b/]*+ %(wanted)b (?: [%(S)b]*+ = [%(S)b]*+
                 (?: "([^"]*+)" | '([^']*+)' | ([^"'%(S)b] [^%(S)b]*+) | ) )?+"""
        % {b"S": _S, b"wanted": wanted, b"name": _NAME},
        re.VERBOSE,
    ).match

    def value(raw: bytes) -> str | None:
        found = find(raw)
        if found is None:
            return None
        return attribute_value(found[found.lastindex]) if found.lastindex else ""

    return value


# --- character references -------------------------------------------------------------------------

_REFERENCE = re.compile(rb"&(?:#(?:[xX][0-9a-fA-F]++|[0-9]++)|[a-zA-Z][a-zA-Z0-9]*+);?+")
_IN_ATTRIBUTE = re.compile(
    rb"&(?:#(?:[xX][0-9a-fA-F]++|[0-9]++);?+|[a-zA-Z][a-zA-Z0-9]*+(?:;|(?!=)))"
)
_NO_CHARACTER = re.compile("[\x00-\x08\x0e-\x1f\ud800-\udfff]")
_REMEMBERED = 4096  # references: a few hundred are in use
_LONGEST = 12  # bytes of one that is remembered
_LONGEST_NUMBER = 100  # bytes; Python reads no number of thousands of digits


def resolve_references(text: bytes) -> bytes:
    """The text with the characters that its references stand for.

    >>> resolve_references(b"caf&eacute; &notit; &#8211;").decode()
    'café ¬it; –'
    """
    return _REFERENCE.sub(_in_text, text) if b"&" in text else text


def attribute_value(raw: bytes) -> str:
    """An attribute's value as it is meant.

    >>> attribute_value(b"?a=1&amp;b=2&copy=3&lt")
    '?a=1&b=2&copy=3<'
    """
    return (_IN_ATTRIBUTE.sub(_in_value, raw) if b"&" in raw else raw).decode()


class _Known(dict[bytes, bytes]):
    """Reference -> what it stands for, in UTF-8."""

    def __missing__(self, reference: bytes) -> bytes:
        if len(reference) > _LONGEST_NUMBER and reference[1] == ord("#"):
            return "\ufffd".encode()
        # nothing stands for what is no character
        found = _NO_CHARACTER.sub("\ufffd", html.unescape(reference.decode()) or "\ufffd")
        value = found.encode()
        if len(reference) <= _LONGEST and len(self) < _REMEMBERED:
            self[reference] = value
        return value


_KNOWN = _Known()


def _in_text(match: re.Match[bytes]) -> bytes:
    return _KNOWN[match[0]]


def _in_value(match: re.Match[bytes]) -> bytes:
    reference = match[0]
    if reference[1] != ord("#") and reference[-1] != ord(";"):
        # the next character is no letter and no digit: only the whole name counts
        return _KNOWN[reference] if reference[1:].decode() in html5 else reference
    return _KNOWN[reference]


# --- numbers for the flat text --------------------------------------------------------------------

# What a reader does not see as text, or sees twice; scripts, styles and frames hold no tags.
_HIDDEN: Final = ("noscript", "template", "svg", "select")

# tag -> what stands before and after its content (docs/decisions/reading.md, "Boundaries").
_CONTENT_BLOCKS = ("p", "div", "dt", "dd", "td", "th", "tr", "blockquote", "pre", "li", "noframes")
_AROUND: Final[dict[str, tuple[str, str]]] = {
    **dict.fromkeys(_CONTENT_BLOCKS, (BLOCK, BLOCK)),
    "hr": (BLOCK, ""),
    "br": (BREAK, ""),
    **dict.fromkeys(("ul", "ol", "dl", "dir", "menu"), (BLOCK, LIST_END)),
    "table": (BLOCK, TABLE_END),
    **dict.fromkeys(("nav", "header", "footer", "aside"), (MENU, MENU_END)),
    "title": (TITLE, TITLE_END),
    **{f"h{k}": (marker, HEADING_END) for k, marker in enumerate(HEADING, 1)},
}

# What only windows that end at boundaries look at; two in five tokens of a page.
CUTS: Final = frozenset((BLOCK, BREAK, LIST_END, TABLE_END))
HEADING_MARKS: Final = frozenset((*HEADING, HEADING_END))
MENU_MARKS: Final = frozenset((MENU, MENU_END))

# Tags of which more is to be seen than a marker; all others have numbers below.
LOOKED_AT: Final = 128
_SEEN = ("a", "/a", "area", "img", "input", "html", "base", "link", "meta", "title", "textarea")
_HIDES = tuple(f"{slash}{name}" for name in _HIDDEN for slash in ("", "/"))
_SPECIAL = {name: LOOKED_AT + k for k, name in enumerate((*_SEEN, *_HIDES))}
OF_A, OF_A_END, OF_AREA, OF_IMG, OF_INPUT = (_SPECIAL[name] for name in _SEEN[:5])
OF_HTML, OF_BASE, OF_LINK, OF_META = (_SPECIAL[name] for name in _SEEN[5:9])
OF_TITLE, OF_TEXTAREA = (_SPECIAL[name] for name in _SEEN[9:])
OF_SVG = _SPECIAL["svg"]
HIDING = range(OF_TEXTAREA + 1, OF_TEXTAREA + 1 + len(_HIDES))
"""An end tag has the number behind its start tag's."""

GAP: Final = b" "
_MARKED = [name for tag in _AROUND for name in (tag, f"/{tag}") if name not in _SPECIAL]
_TEXT_NUMBER = {name: number for number, name in enumerate(_MARKED, 2)} | _SPECIAL


@cache
def marks_of(without: frozenset[str]) -> list[bytes]:
    """What stands for each text number, but for most of what is looked at. Markers that nobody
    looks at may be left out.
    """
    marks = [GAP] * HIDING.stop
    marks[0] = b""  # comments, and the inside of scripts, whose end tags are gaps
    for tag, around in _AROUND.items():
        for name, marker in zip((tag, f"/{tag}"), around, strict=True):
            if marker and marker not in without:
                marks[_TEXT_NUMBER[name]] = f" {marker} ".encode()
    return marks


# --- numbers for the outline ----------------------------------------------------------------------

# Elements that end each other have one number: all headings, `dt` and `dd`, `td` and `th`, the
# groups of rows of a table. So have all elements that no standard knows.

# Tags that are no elements here. The page itself stands for the first three; the rest hold nothing.
_NO_ELEMENTS: Final = (
    *("html", "head", "body", "area", "base", "basefont", "bgsound", "br", "col", "command"),
    *("embed", "frame", "image", "input", "keygen", "link", "meta", "param", "source", "track"),
    *("wbr", "script", "style", "iframe"),
)
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
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_ROWS: Final = ("thead", "tbody", "tfoot", "caption", "colgroup")

# Every number below FORM is of an element in the line, every one behind TABLE of a table's part.
_ORDER: Final[tuple[tuple[str, ...], ...]] = (
    *(("",), ("img",), ("title", "textarea"), ("hr",), ("a",), ("option", "optgroup")),
    *((name,) for name in (*_HIDDEN, *_INLINE)),
    *(("form",), ("p",), ("li",), _HEADINGS, ("dt", "dd"), ("ul",), ("ol",), ("menu",), ("dir",)),
    *(("dl",), *((name,) for name in _BLOCKS), ("table",), _ROWS, ("tr",), ("td", "th")),
)
_ELEMENT: Final = {name: number for number, names in enumerate(_ORDER, 1) for name in names}

IMG, PLAIN, HR = _ELEMENT["img"], _ELEMENT["title"], _ELEMENT["hr"]
"""No elements, but to be looked at; what stands in a PLAIN one is text."""
A, OPTION, FORM, P, LI = (_ELEMENT[name] for name in ("a", "option", "form", "p", "li"))
H, DT, DL, TABLE, CELL = (_ELEMENT[name] for name in ("h1", "dt", "dl", "table", "td"))
LISTS: Final = tuple(_ELEMENT[name] for name in ("ul", "ol", "menu", "dir"))
UNSEEN: Final = range(_ELEMENT[_HIDDEN[0]], _ELEMENT[_HIDDEN[-1]] + 1)
"""What they hold is no text of a link around them."""

ELEMENTS: Final = bytes(
    (IMG, PLAIN, HR, A, OPTION, FORM, P, LI, H, DT, *LISTS, DL, TABLE, CELL, UNSEEN[0], UNSEEN[-1])
)
"""The numbers of these elements, in the order in which `_html.c` names them."""

END: Final = 128
"""What an end tag's number has more than its start tag's."""


def _element_number(name: str) -> int:
    """The number of an element, with END of its end tag; 0 of what is none."""
    plain = name.removeprefix("/")
    if plain in _NO_ELEMENTS:
        return 0
    number = _ELEMENT.get(plain, _ELEMENT[""])
    if name == plain:
        return number
    return END + number if number not in (IMG, PLAIN, HR) else 0


# --- names ----------------------------------------------------------------------------------------

_LONGEST_NAME = 20  # bytes of one that is known
_NAMES_REMEMBERED = 1000  # as written

_NAMES = {f"{slash}{name}" for name in (*_ELEMENT, *_NO_ELEMENTS) if name for slash in ("", "/")}
NUMBERS: Final = {
    name.encode(): (_TEXT_NUMBER.get(name, 1), _element_number(name))
    for name in sorted(_NAMES | {*_TEXT_NUMBER})
}
"""Name of a tag in lower case, with the slash of an end tag -> its text and element number."""


class _Numbers(dict[Piece, tuple[int, int]]):
    """Name of a tag as written -> its two numbers; of names that are not known (1, 1), or END more
    of an end tag; of what is no tag (0, 0).
    """

    def __missing__(self, name: Piece) -> tuple[int, int]:
        assert name is not None
        other = (1, END + 1) if name.startswith(b"/") else (1, 1)
        numbers = NUMBERS.get(name.lower(), other) if len(name) <= _LONGEST_NAME else other
        if len(self) < _NAMES_REMEMBERED and len(name) <= _LONGEST_NAME:
            self[name] = numbers
        return numbers


_numbers_of = _Numbers({None: (0, 0)}).__getitem__


def tag_numbers(parts: list[Piece]) -> tuple[bytes, bytes]:
    """The text number and the element number of each tag of a page."""
    texts, elements = zip(*map(_numbers_of, parts[1::3]), strict=True) if parts[1:] else ((), ())
    return bytes(texts), bytes(elements)


def lower_name(name: bytes) -> str:
    """The name of a tag in lower case, and no longer than any that is known."""
    return name[:_LONGEST_NAME].lower().decode("ascii", "replace")


def hidden_runs(parts: list[Piece], numbers: bytes, tags: Iterable[int]) -> dict[int, int]:
    """Of those of these tags that hide what follows, which end tag belongs to each.

    Start and end tags are paired like brackets, by name; one without a partner hides nothing.
    """
    found: dict[int, int] = {}
    waiting: Mapping[int, list[int]] = {start: [] for start in HIDING[::2]}
    for tag in tags:
        number = numbers[tag]
        if number in waiting:
            if number != OF_SVG or not (parts[3 * tag + 2] or b"").endswith(b"/"):
                waiting[number].append(tag)
        elif waiting.get(number - 1):
            found[waiting[number - 1].pop()] = tag
    return found
