"""HTML that we write, of what strangers wrote: reports, and pages whose blocks are marked.

It is made safe three times over. What is shown in a report is `escaped`. Of a page's tree only
elements and attributes stay that show text (`make_harmless`). And the first that a browser reads in
the file is a `policy`, under which it runs nothing, loads nothing and sends nothing. A file cannot
ask for a sandbox: browsers take that of a header or a frame only.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable
from hashlib import sha256
from html import escape
from typing import Any, Final

from pagekin.printing import printable

__all__ = ["escaped", "make_harmless", "policy"]

# Others become <span>, which does nothing.
_ELEMENTS: Final = (
    *("html", "head", "title", "body", "a", "p", "div", "span", "br", "hr", "pre", "center"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "header", "footer", "nav", "main", "section", "article"),
    *("ul", "ol", "li", "dl", "dt", "dd", "menu", "dir", "blockquote", "aside", "figure"),
    *("table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td"),
    *("b", "i", "u", "em", "strong", "font", "big", "small", "tt", "code", "sub", "sup"),
)
_ATTRIBUTES: Final = (
    *("align", "bgcolor", "border", "class", "color", "colspan", "dir", "face", "height", "id"),
    *("lang", "rowspan", "size", "valign", "width"),
)
_NO_TEXT: Final = ("script", "style")  # what they hold is not shown


def policy(*sheets: str) -> str:
    """The <meta> element that allows the <style> elements of these very texts, and nothing else."""
    digests = (b64encode(sha256(sheet.encode()).digest()).decode() for sheet in sheets)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    rules = f"default-src 'none'; style-src {allowed}; base-uri 'none'; form-action 'none'"
    return f'<meta http-equiv="Content-Security-Policy" content="{rules}">'


def escaped(text: str) -> str:
    r"""The text as HTML; what would turn a line around or hide is seen.

    >>> escaped("<a\u202e>")
    '&lt;a\\u202e&gt;'
    """
    return escape(printable(text))


def make_harmless(tops: Iterable[Any], resolve: Callable[[str], str | None]) -> None:
    """Leave of a tree what shows text; links lead where `resolve` says, those to pages at least."""
    for element in [each for top in tops for each in top.iter("*")]:
        if element.tag in _NO_TEXT:
            element.text = None
        elif element.tag == "img":
            element.text = printable(element.get("alt", ""))
        href = element.get("href") if element.tag == "a" else None
        if element.tag not in _ELEMENTS:
            element.tag = "span"
        kept = {name: element.get(name) for name in _ATTRIBUTES if name in element.attrib}
        element.attrib.clear()  # lxml names no attribute that has a control in its name
        for name, value in kept.items():
            element.set(name, printable(value))
        if href is not None and (target := resolve(href)):
            element.set("href", target)
            element.set("rel", "noreferrer")
