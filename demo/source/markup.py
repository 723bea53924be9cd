"""Small pieces of HTML, and the light markup in which the texts are kept.

Blocks are parted by an empty line: `## a heading`, `* items of a list`, `| cells | of a row |`,
everything else is a paragraph. Inside a line only `[a link](address)` is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape

__all__ = ["bullets", "definitions", "from_text", "link", "paragraph", "picture", "rows"]

_LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")
_ITEM = re.compile(r"^\* ", re.MULTILINE)


def link(href: str, text: str, rel: str = "") -> str:
    """
    >>> link("/a?b=1&c=2", "ants & bees")
    '<a href="/a?b=1&amp;c=2">ants &amp; bees</a>'
    """
    more = f' rel="{rel}"' if rel else ""
    return f'<a href="{escape(href)}"{more}>{escape(text, quote=False)}</a>'


def picture(href: str, source: str, alt: str) -> str:
    image = f'<img src="{source}" alt="{escape(alt)}" width="88" height="31">'
    return f'<a href="{escape(href)}">{image}</a>'


def paragraph(html: str) -> str:
    return f"<p>{html}</p>"


def bullets(items: Iterable[str], tag: str = "ul") -> str:
    lines = "\n".join(f"<li>{item}</li>" for item in items)
    return f"<{tag}>\n{lines}\n</{tag}>"


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    lines = "\n".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in pairs)
    return f"<dl>\n{lines}\n</dl>"


def rows(table: Iterable[Sequence[str]], caption: str = "") -> str:
    head = f"<caption>{caption}</caption>\n" if caption else ""
    lines = "\n".join(
        "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>" for cells in table
    )
    return f'<table border="1">\n{head}{lines}\n</table>'


def from_text(text: str, heading: Callable[[str], str]) -> str:
    """The HTML of a text in light markup; `heading` writes headings in the manner of a layout."""
    blocks = re.split(r"\n\s*\n", text.strip())
    return "\n".join(_block(block, heading) for block in blocks)


def _block(block: str, heading: Callable[[str], str]) -> str:
    if block.startswith("## "):
        return heading(block[3:])
    if block.startswith("* "):
        return bullets(_inline(item.strip()) for item in _ITEM.split(block)[1:])
    if block.startswith("|"):
        lines = [line.strip("| ").split(" | ") for line in block.splitlines()]
        return rows([[_inline(cell) for cell in cells] for cells in lines])
    return paragraph(_inline(block))


def _inline(text: str) -> str:
    """Escapes everything but the links."""
    parts = _LINK.split(text)  # words, anchor, address, words, anchor, address, ..., words
    html = [escape(parts[0], quote=False)]
    for anchor, address, words in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        html += [link(address, anchor), escape(words, quote=False)]
    return "".join(html)
