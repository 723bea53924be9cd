"""The characters that stand for structure in a page's flat text.

A page is flattened to one text: its words, and between them single marker characters. They are
control characters that no page has any use for, one byte each in UTF-8, so that an English page
stays ASCII and is cut into words by bytes. None is white space, to bytes or to strings. Where a
page does hold them `pagekin.web.tame` takes them out before it is read.

Each is one boundary that some window or block needs:

    BLOCK       start or end of a paragraph, cell, list item, div ...: SYNTACTIC windows stop here
    BREAK       <br>
    SENTENCE    <br> after the end of a sentence: SYNTACTIC
    HEADING     start of a heading, one per level: SYNTACTIC and TOPICAL
    HEADING_END
    LIST_END    end of a list: SYNTACTIC and TOPICAL
    TABLE_END   end of a table: SYNTACTIC and TOPICAL
    LINK, LINK_END     around an anchor text
    TITLE, TITLE_END   around the page's title
"""

from __future__ import annotations

__all__ = [
    "BLOCK",
    "BREAK",
    "CODES",
    "HEADING",
    "HEADING_END",
    "LINK",
    "LINK_END",
    "LIST_END",
    "NAMES",
    "SENTENCE",
    "TABLE_END",
    "TITLE",
    "TITLE_END",
]

LINK, LINK_END, BLOCK, BREAK, SENTENCE, LIST_END, TABLE_END, TITLE = map(chr, range(0x01, 0x09))
# \t, \n, \v, \f and \r lie between
TITLE_END, HEADING_END = map(chr, (0x0E, 0x0F))
# <h1> .. <h6>
HEADING: tuple[str, ...] = tuple(map(chr, range(0x10, 0x16)))

_MARKERS = (
    LINK,
    LINK_END,
    BLOCK,
    BREAK,
    SENTENCE,
    LIST_END,
    TABLE_END,
    TITLE,
    TITLE_END,
    HEADING_END,
    *HEADING,
)

# Marker -> its negative code in streams of word numbers.
CODES: dict[str, int] = {marker: -1 - k for k, marker in enumerate(_MARKERS)}

# Marker -> the name that people read.
NAMES: dict[str, str] = dict(
    zip(
        _MARKERS,
        [
            "link",
            "/link",
            "block",
            "break",
            "sentence",
            "/list",
            "/table",
            "title",
            "/title",
            "/heading",
            "heading1",
            "heading2",
            "heading3",
            "heading4",
            "heading5",
            "heading6",
        ],
        strict=True,
    )
)
