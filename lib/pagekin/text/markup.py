"""The characters that stand for structure in a page's flat text.

A page is flattened to one string: its words, and between them single marker characters. They are
the noncharacters U+FDD0 to U+FDEF, which Unicode keeps for such inner use: XML allows them, no font
or page uses them, and a string that holds them takes two bytes a character (markers of a higher
plane, with four, made a page's tokens a third dearer). Where a page does hold them
`pagekin.web.tame` takes them out before it is parsed.

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
    "FIRST",
    "HEADING",
    "HEADING_END",
    "LAST",
    "LINK",
    "LINK_END",
    "LIST_END",
    "NAMES",
    "SENTENCE",
    "TABLE_END",
    "TITLE",
    "TITLE_END",
]

FIRST, LAST = 0xFDD0, 0xFDEF

LINK, LINK_END, BLOCK, BREAK, SENTENCE, LIST_END, TABLE_END, TITLE, TITLE_END, HEADING_END = (
    chr(FIRST + k) for k in range(10)
)
# <h1> .. <h6>
HEADING: tuple[str, ...] = tuple(chr(FIRST + 9 + level) for level in range(1, 7))
# Inside the text only until the links are taken out: LINK_HREF href LINK_REL rel LINK_READY
LINK_HREF, LINK_REL, LINK_READY = (chr(FIRST + 16 + k) for k in range(3))

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
