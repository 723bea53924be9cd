"""HTML as a stream of tags and texts: one regular expression that does what a parser does first.

It rests on the HTML standard, 13.2.5 (tokenization): where tags, quoted values and comments end,
that scripts, styles and frames hold no tags, and that a tag or comment which never ends takes all
that follows it. A page comes out as one list, of which every third item is a text:

    [text, name, attributes, text, name, attributes, ... text]

`name` is as written, with a slash before it in an end tag; it is None for what is no tag: comments,
doctypes, and the inside of scripts. Nothing is joined to a tree, so depth, length and wrong nesting
cost nothing; all is linear in the page.

Left out of the standard: a script that writes `<!--<script>` ends at its first `</script>`, and
`<plaintext>`, `<xmp>` and `<noembed>` are tags as any.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pagekin.web.references import attribute_value

__all__ = ["Piece", "attribute", "attributes", "cut_tags", "with_plain_titles"]

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

    Few pages have such tags, and to look for them in every page would cost more than to tell by
    what `cut_tags` gives.
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
