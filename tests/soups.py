"""Tag soups: pieces of HTML, most of them wrong together, and characters that pages smuggle in."""

from __future__ import annotations

from hypothesis import strategies as st

from pagekin.text import tokens as m

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
_UNREAD = {"script", "style", "iframe", "noscript", "template", "svg", "select"}
_HIDING = _UNREAD | {"textarea", "xmp", "title", "frameset", "noframes", "math"}

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


# Pages in which all that is opened is closed, and nothing stands where it may not.
_LINKS = ["<a href=1>x</a>", "<a href='2?a&amp;b' class=c>y<b>z</b></a>", "<a name=n></a>"]
_LINKS += ["<a href=3 rel=me> a <img alt='b  c'><svg><g>d</g></svg>&lt;<noscript>e</noscript></a>"]
_IN_LINE = st.recursive(
    st.sampled_from(
        [*_LINKS, *_LINKS, "bees", "<img alt=i>", "<br>", "<span></span>", "<!-- c -->"]
    ),
    lambda inner: st.builds(
        "<{0}>{1}</{0}>".format,
        st.sampled_from(["span", "b", "font", "x-own", "noscript"]),
        st.lists(inner, max_size=4).map(" ".join),
    ),
    max_leaves=6,
)
_AROUND = (
    *("<div>{}</div>", "<div id=nav>{}</div>", "<footer>{}</footer>", "<ul><li>{}</li></ul>"),
    *("<ol><li>{0}<li>{0}</ol>", "<table><tr><td>{}</td></tr></table>", "<em>{}</em>"),
    *(
        "<table><tr><td>{0}<td>{0}<tr><th>{0}</table>",
        "<dl><dt>t<dd>{}</dl>",
        "<header>{}</header>",
    ),
    "<section><h2>h</h2>{}</section>",
)


def elements() -> st.SearchStrategy[str]:
    """Well nested pages with links, lists and headings."""
    in_line = st.lists(_IN_LINE, max_size=5).map(" ".join)
    lowest = st.sampled_from(["<p>{}</p>", "<h3>{}</h3>", "<div>{}</div>", "<form>{}</form>"])
    blocks = st.recursive(
        st.builds(str.format, lowest, in_line),
        lambda inner: st.builds(
            str.format, st.sampled_from(_AROUND), st.lists(inner, max_size=6).map("".join)
        ),
        max_leaves=12,
    )
    return st.lists(blocks, min_size=1, max_size=4).map("".join)
