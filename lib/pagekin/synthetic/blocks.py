"""The blocks of a page's content: paragraphs, lists, tables and whatever else pages are made of.

Each is a function of a `Maker` that gives HTML. A kind of page is a row of letters, one for a
block, gone through until words and links are used up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pagekin.synthetic.prose import Text

__all__ = ["KINDS", "Maker"]

KINDS = (  # articles, link lists, tables, blogs, forums
    *("hppippqhppplhpppc", "hppphpiplhppdc", "hppphlpqpphplcc"),
    *("plhlhlhlpl", "hplptphtpl", "hippcchippcc", "pcccccclcccc"),
)
_MOST = 400  # blocks, whatever is left


class Maker:
    """Words and links that become blocks."""

    def __init__(self, text: Text, links: Iterator[str], count: int, throw: Callable[[], int]):
        self.text, self.throw = text, throw
        self._links, self._left = links, count

    def content(self, kind: str) -> str:
        """Blocks in the order of the kind, over and over."""
        blocks: list[str] = []
        while self.text.left > 30 and len(blocks) < _MOST:
            blocks += [_BLOCKS[letter](self) for letter in kind if self.text.left > 30]
        while self._left > 0:
            blocks.append(self.items())
        return "\n".join(blocks)

    def link(self) -> str:
        """The next link, or nothing when there are no more."""
        if self._left <= 0:
            return ""
        self._left -= 1
        return next(self._links)

    def heading(self) -> str:
        throw = self.throw()
        level = 2 + (throw & 1)
        words = self.text.phrase(2 + (throw >> 2 & 3))
        return f'<div class="head"><h{level} id="s{throw}"><span>{words}</span></h{level}></div>'

    def sentences(self, count: int) -> str:
        """One in four has a link, while there are some."""
        sentence, throw = self.text.sentence, self.throw
        return "".join([sentence(self.link() if throw() & 3 == 0 else "") for _ in range(count)])

    def paragraph(self) -> str:
        throw = self.throw()
        style = ' style="margin-top:0;color:gray"' if throw & 7 == 0 else ""
        return (
            f'<div class="block block-text" data-id="{throw}"><div class="block-inner">'
            f'<p class="text"{style}>{self.sentences(2 + (throw >> 3 & 3))}</p></div></div>'
        )

    def items(self) -> str:
        """A list of links, half of them with a line about each."""
        throw = self.throw()
        rows = []
        for number in range(min(5 + (throw & 7), max(self._left, 1))):
            about = f" &ndash; {self.text.phrase(6)}" if throw & 8 and self.text.left > 6 else ""
            rows.append(
                f'<li class="item item-{number}"><div class="item-inner"><span>'
                f"{self.link()}</span>{about}</div></li>"
            )
        tag = "ol" if throw & 48 == 0 else "ul"
        return f'<div class="block block-list"><{tag}>\n{chr(10).join(rows)}\n</{tag}></div>'

    def table(self) -> str:
        """Rows of a name, which may be a link, and one to three numbers."""
        throw = self.throw()
        numbers = [f'</td><td class="cell">{self.throw()}' for _ in range(1 + throw % 3)]
        head = "".join(f"<th>{self.text.phrase(1)}</th>" for _ in range(1 + len(numbers)))
        rest = "".join(numbers)
        rows = [
            f'<tr><td class="cell">{self.link() if throw & 16 else self.text.phrase(3)}'
            f"{rest}{number}</td></tr>\n"
            for number in range(5 + (throw >> 1 & 7))
        ]
        return (
            f'<table class="data" border="1"><tbody>\n<tr>{head}</tr>\n{"".join(rows)}'
            "</tbody></table>"
        )

    def figure(self) -> str:
        throw = self.throw()
        return (
            f'<figure class="media"><a href="/images/{throw}.jpg"><img src="/thumbs/{throw}.jpg"'
            f' width="320" height="200" alt="{self.text.phrase(3)}"></a>'
            f"<figcaption>{self.text.phrase(5)}</figcaption></figure>"
        )

    def quote(self) -> str:
        return f"<blockquote><p>{self.sentences(2)}</p></blockquote>"

    def definitions(self) -> str:
        rows = "".join(
            f"<dt>{self.text.phrase(2)}</dt><dd>{self.text.phrase(8)}</dd>\n"
            for _ in range(3 + (self.throw() & 3))
        )
        return f"<dl>{rows}</dl>"

    def comment(self) -> str:
        """Nested as forums nest them."""
        throw = self.throw()
        return (
            f'<div class="comment depth-{throw & 3}" id="c{throw}"><div class="comment-body">'
            f'<div class="comment-head"><img src="/avatar/{throw & 255}.png" alt="">'
            f'<a href="/user/{throw & 1023}" rel="nofollow">{self.text.phrase(1)}</a>'
            f'<span class="date">{1 + throw % 28}.{1 + throw % 12}.{2008 + throw % 16}</span></div>'
            f'<div class="comment-text"><p>{self.sentences(2 + (throw & 1))}</p></div></div></div>'
        )


_BLOCKS: dict[str, Callable[[Maker], str]] = {
    "h": Maker.heading,
    "p": Maker.paragraph,
    "l": Maker.items,
    "t": Maker.table,
    "i": Maker.figure,
    "q": Maker.quote,
    "d": Maker.definitions,
    "c": Maker.comment,
}
