"""Tag soups: pieces of HTML, most of them wrong together, and characters that pages smuggle in."""

from __future__ import annotations

from hypothesis import strategies as st

from pagekin.text import markup as m
from pagekin.web.tags import UNREAD

MARKERS = [*m.CODES]

_TAGS = [
    "html",
    "head",
    "body",
    "title",
    "base",
    "link",
    "meta",
    "div",
    "p",
    "span",
    "b",
    "i",
    "u",
    "font",
    "center",
    "blockquote",
    "pre",
    "hr",
    "br",
    "a",
    "area",
    "map",
    "img",
    "input",
    "h1",
    "h2",
    "h6",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "dir",
    "menu",
    "table",
    "tbody",
    "tr",
    "td",
    "th",
    "caption",
    "form",
    "button",
    "label",
    "fieldset",
    "nav",
    "article",
    "section",
    "main",
    "footer",
    "figure",
    "x-own",
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "math",
    "select",
    "option",
    "iframe",
    "textarea",
    "xmp",
    "object",
    "frameset",
    "frame",
    "noframes",
]
_ATTRIBUTES = [
    "",
    " href=/a",
    ' href="b?x=1&amp;y=2"',
    " href",
    " href='c d' rel=nofollow",
    ' rel=canonical href="/own"',
    " name=robots content=NoIndex",
    ' alt="bees &lt; 3"',
    " alt",
    " lang=de",
    " xml:lang=fr",
    " class=x id=y onclick='a>b'",
    ' href="unclosed',
    " / =",
]
_TEXTS = [
    "bees",
    " honey ",
    "été",
    "中国",
    "a\u0301",
    ". ",
    "\n\t",
    "\x00",
    "\x01\x0b\x1f\x7f\x80",
    "\ufffe\uffff\ufdd0\ufdef\U0001fffe",
    "\ue000\U000f0000\U0010fffd",
    "&amp;",
    "&eacute",
    "&nosuch;",
    "&#0;",
    "&#x1;",
    "&#xD800;",
    "&#xFFFE;",
    "&#x110000;",
    "&#99999999999999999999;",
    "&#",
    "&",
    "<",
    "</",
    "<!",
    "<?pi x?>",
    "<!-- c -->",
    "<!-- <a href=no>",
    "-->",
    "<![CDATA[ x ]]>",
    "<!doctype html>",
    ">",
    "</nosuch>",
]

# What hides the text that follows.
_HIDING = {*UNREAD, "textarea", "xmp", "title", "frameset", "noframes", "math"}

open_tags = st.sampled_from([tag for tag in _TAGS if tag not in _HIDING]).map("<{}>".format)
tags = st.builds(
    "<{}{}{}>".format,
    st.sampled_from(_TAGS),
    st.sampled_from(_ATTRIBUTES),
    st.sampled_from(["", "", " /"]),
)
ends = st.sampled_from(_TAGS).map("</{}>".format)
texts = st.sampled_from(_TEXTS)


@st.composite
def _smuggled(draw: st.DrawFn) -> str:
    """A marker of ours, in one of the ways to write a character."""
    point = ord(draw(st.sampled_from(MARKERS)))
    way = draw(st.sampled_from(["{0:c}", "&#x{0:x};", "&#X000{0:X}", "&#{0:d};", "&#00{0:d} "]))
    written = way.format(point)
    place = st.sampled_from(
        ["{}", '<a href="x{}y">z</a>', "<a rel='{0}' href={0}>", '<img alt="{}">', "<title>{}"]
    )
    return draw(place).format(written)


smuggled = _smuggled()


def soups(*more: st.SearchStrategy[str], size: int = 25) -> st.SearchStrategy[str]:
    """Pages of tags, ends, texts and whatever else is named."""
    return st.lists(st.one_of(tags, tags, ends, texts, *more), max_size=size).map("".join)
