"""A plain reading of HTML, character by character as the standard tells it (13.2.5, tokenization).

It is the twin of `pagekin.web.tags` and `pagekin.web.flat`, and shares with them the marker
characters and Python's table of character references alone. Strings, lists, and no regular
expression but for references.
"""

from __future__ import annotations

import html
import re
from html.entities import html5

from pagekin.text import tokens as m

SPACE = "\t\n\f\r "
RAW = {"script", "style", "iframe"}
PLAIN = {"title", "textarea"}
HIDDEN = {"noscript", "template", "svg", "select"}
LISTS = {"ul", "ol", "dl", "dir", "menu"}
BLOCKS = {"p", "div", "dt", "dd", "td", "th", "tr", "blockquote", "pre", "li", "noframes"}

Token = tuple[str, str, dict[str, str], bool]  # kind, name or text, attributes, ends with a slash


def is_letter(c: str) -> bool:
    return c.isascii() and c.isalpha()


def tokens(page: str) -> list[Token]:
    """Texts, start tags and end tags; comments and what stands in scripts are left out."""
    found: list[Token] = []
    text = ""
    k = 0
    in_svg = False
    while k < len(page):
        after = page[k + 1 : k + 2]
        if page[k] != "<" or not (after in {"!", "?", "/"} or is_letter(after)):
            text += page[k]
            k += 1
            continue
        if page[k + 1] in "!?" or (page[k + 1] == "/" and not is_letter(page[k + 2 :][:1])):
            k = comment_end(page, k)
            continue
        end = page[k + 1] == "/"
        name, attributes, slash, k = tag(page, k + 1 + end)
        if k < 0:  # it never ends
            break
        found += [("text", text, {}, False), ("/" if end else "tag", name, attributes, slash)]
        text = ""
        if end:
            in_svg = in_svg and name != "svg"
            continue
        in_svg = in_svg or name == "svg"
        if name in RAW:
            k = content_end(page, k, name)
        if name in PLAIN and not in_svg:
            stop = content_end(page, k, name)
            text, k = page[k:stop], stop
    return [*found, ("text", text, {}, False)]


def comment_end(page: str, k: int) -> int:
    """Behind what begins with `<!`, `<?` or `</` and is no tag."""
    if not page.startswith("<!--", k):
        end = page.find(">", k + 2)
        return len(page) if end < 0 else end + 1
    for short in ("<!-->", "<!--->"):
        if page.startswith(short, k):
            return k + len(short)
    ends = [(at, len(mark)) for mark in ("-->", "--!>") if (at := page.find(mark, k + 4)) >= 0]
    return sum(min(ends)) if ends else len(page)


def content_end(page: str, k: int, name: str) -> int:
    """Where the end tag of an element without tags inside begins."""
    while k < len(page):
        behind = k + 2 + len(name)
        ends = page[behind : behind + 1] in {*SPACE, "/", ">"}
        if ends and page[k:behind].lower() == f"</{name}":
            return k
        k += 1
    return k


def tag(page: str, k: int) -> tuple[str, dict[str, str], bool, int]:
    """Name, attributes, whether a slash stands at the end, and what follows; -1: it never ends."""
    name, attributes = "", {}
    while k < len(page) and page[k] not in SPACE + "/>":
        name += page[k]
        k += 1
    start = k
    while True:
        while k < len(page) and page[k] in SPACE + "/":
            k += 1
        if k >= len(page):
            return name.lower(), {}, False, -1
        if page[k] == ">":
            return name.lower(), attributes, page[start:k].endswith("/"), k + 1
        key = page[k]
        k += 1
        while k < len(page) and page[k] not in SPACE + "/>=":
            key += page[k]
            k += 1
        value, k = attribute_value(page, k)
        if k < 0:
            return name.lower(), {}, False, -1
        attributes.setdefault(key.lower(), value)


def attribute_value(page: str, k: int) -> tuple[str, int]:
    after = k
    while after < len(page) and page[after] in SPACE:
        after += 1
    if page[after : after + 1] != "=":
        return "", k
    k = after + 1
    while k < len(page) and page[k] in SPACE:
        k += 1
    if page[k : k + 1] in ('"', "'") and k < len(page):
        end = page.find(page[k], k + 1)
        return (resolved(page[k + 1 : end], in_attribute=True), end + 1) if end >= 0 else ("", -1)
    end = k
    while end < len(page) and page[end] not in SPACE + ">":
        end += 1
    return resolved(page[k:end], in_attribute=True), end


def resolved(text: str, *, in_attribute: bool = False) -> str:
    """The text without its character references, and with U+FFFD for what may not be said."""

    def character(match: re.Match[str]) -> str:
        said = match[0]
        named = in_attribute and said[1] != "#" and not said.endswith(";")
        # no letter and no digit follows
        if named and (said[1:] not in html5 or text[match.end() : match.end() + 1] == "="):
            return said
        return re.sub("[\0-\x08\x0e-\x1f\ud800-\udfff]", "\ufffd", html.unescape(said) or "\ufffd")

    return re.sub(r"&(#[xX][0-9a-fA-F]+|#[0-9]+|[a-zA-Z][a-zA-Z0-9]*);?", character, text)


def hidden_until(found: list[Token]) -> dict[int, int]:
    """Start tags of what is not read, and their end tags, paired like brackets by name."""
    ends: dict[int, int] = {}
    waiting: dict[str, list[int]] = {name: [] for name in HIDDEN}
    for k, (kind, name, _, slash) in enumerate(found):
        if kind == "tag" and name in HIDDEN and not (name == "svg" and slash):
            waiting[name].append(k)
        elif kind == "/" and name in HIDDEN and waiting[name]:
            ends[waiting[name].pop()] = k
    return ends


def around(name: str) -> tuple[str, str]:
    """What stands before and after the content of an element."""
    if name in BLOCKS:
        return m.BLOCK, m.BLOCK
    if name in LISTS:
        return m.BLOCK, m.LIST_END
    if len(name) == 2 and name[0] == "h" and name[1] in "123456":
        return m.HEADING[int(name[1]) - 1], m.HEADING_END
    if name in {"nav", "header", "footer", "aside"}:
        return m.MENU, m.MENU_END
    singles = {"hr": (m.BLOCK, ""), "br": (m.BREAK, ""), "table": (m.BLOCK, m.TABLE_END)}
    return {**singles, "title": (m.TITLE, m.TITLE_END)}.get(name, ("", ""))


def is_title(found: list[Token], k: int) -> bool:
    """Does nothing but text stand between this start tag and its end tag?"""
    return [token[:2] for token in found[k + 1 : k + 3]][1:] == [("/", "title")]


def plain_token(found: list[Token], k: int) -> str:
    """What stands for a token that has nothing to do with links."""
    kind, name, attributes, _ = found[k]
    if kind == "text":
        return resolved(name)
    if name in ("img", "input") and kind == "tag":
        return f" {attributes.get('alt', '')} "
    if name == "title" and kind == "tag" and not is_title(found, k):
        return " "
    return f" {around(name)[kind == '/']} "


def plain_flat(page: str) -> tuple[str, list[str], list[str]]:
    """Text with markers, hrefs and rels of a page."""
    for c in map(chr, (*range(1, 9), *range(14, 32))):
        page = page.replace(c, "\ufffd")
    found = tokens(page)
    ends = hidden_until(found)
    text, hrefs, rels = "", [], []
    is_open, until = False, -1
    for k, (kind, name, attributes, _) in enumerate(found):
        if k < until:
            continue
        until = ends.get(k, until)
        if k in ends:
            text += " "
        elif name in ("a", "area") and kind != "text" and (kind, name) != ("/", "area"):
            text += f" {m.LINK_END} " if is_open else " "
            is_open = kind == "tag" and "href" in attributes
            if is_open:
                hrefs.append(attributes["href"])
                rels.append(attributes.get("rel", ""))
                text += f" {m.LINK} "
            if is_open and name == "area":
                text += f" {attributes.get('alt', '')} {m.LINK_END} "
                is_open = False
        else:
            text += plain_token(found, k)
    return text + (f" {m.LINK_END} " if is_open else ""), hrefs, rels
