"""Limits of what is read: how much, why not more, what becomes of the rest, and who counts it.

A crawl was written by many people, and some of them mean harm. Without limits, a few kilobytes can
take hours or gigabytes. Each limit lies far above what was met in real pages. Where one takes
effect a counter says so, and the build goes on.

`python -m pagekin.limits` prints the table of docs/guide/limits.md. Limits that people set are in
`pagekin.config`; sizes of buffers and caches, which change no result, stand where they are used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = [
    "FREE_TEXT",
    "LIMITS",
    "MAX_ANCHOR",
    "MAX_BLOCKS",
    "MAX_CODINGS",
    "MAX_DICTIONARY",
    "MAX_ELEMENT",
    "MAX_FOUND",
    "MAX_HELD",
    "MAX_HOPS",
    "MAX_HTTP_HEADER",
    "MAX_LENGTH",
    "MAX_LEVELS",
    "MAX_LINE",
    "MAX_LINKS",
    "MAX_RATIO",
    "MAX_RECORD",
    "MAX_SHEET",
    "MAX_STREAMS",
    "MAX_TAGS",
    "MAX_TITLE",
    "MAX_TREE_DEPTH",
    "MAX_WARC_HEADER",
    "MOST_ABOVE",
    "Limit",
    "table",
]


class Limit(NamedTuple):
    """One limit, for people."""

    value: int
    unit: str
    what: str
    why: str
    beyond: str  # what becomes of that which lies beyond it
    counter: str = ""  # group.name of what says so; none where nothing that counts is lost

    @property
    def size(self) -> str:
        """The value as people write it.

        >>> Limit(5 << 20, "bytes", "", "", "").size, Limit(9000, "tags", "", "", "").size
        ('5 MiB', '9,000 tags')
        """
        if self.unit == "bytes":
            for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
                if self.value >= unit:
                    return f"{self.value // unit} {name}"
        return f"{self.value:,} {self.unit}"


LIMITS: Final = [
    # --- records of WARC files --------------------------------------------------------------------
    Limit(
        MAX_WARC_HEADER := 64 << 10,
        "bytes",
        what="header of a WARC record",
        why=(
            "Real ones have 1 KiB. A header without an end would be looked through again and again."
        ),
        beyond="It is no header, and the next one is looked for.",
        counter="records.damaged_bad_record_header",
    ),
    Limit(
        MAX_HELD := 8 << 20,
        "bytes",
        what="block of a record that is looked through for other records if its length is wrong",
        why="It must be held in memory for that. The longest of 1,208 real pages has 1.6 MB.",
        beyond="If its length is wrong, the records within it are lost.",
        counter="records.damaged_bad_length",
    ),
    Limit(
        MAX_RECORD := 8 << 20,
        "bytes",
        what=(
            "what is kept of a record, and of a body without its codings, where no"
            " setting says less"
        ),
        why="It is held in memory. Builds keep `reading.max_page_bytes` (5 MiB, as Common Crawl).",
        beyond="The page is cut.",
        counter="pages.cut_to_limit",
    ),
    Limit(
        FREE_TEXT := 16 << 20,
        "bytes",
        what="text of a compressed member that is read however small the member is",
        why=(
            "A thousand bytes of gzip can hold a megabyte, and of Zstandard 30 MB: a page must not"
            " take more than seconds."
        ),
        beyond="The next limit holds.",
    ),
    Limit(
        MAX_RATIO := 100,
        "times its bytes",
        what="further text of a compressed member",
        why="Pages are packed to a fifth. A whole file in one member has 5 to 10 times its bytes.",
        beyond="The page is cut there, and the next member is looked for.",
        counter="records.damaged_bomb",
    ),
    Limit(
        MAX_DICTIONARY := 32 << 20,
        "bytes",
        what="dictionary of a Zstandard file",
        why="Four times what the specification asks for. It is held in memory.",
        beyond="It is passed over, and the members that need it cannot be read.",
        counter="records.damaged_bad_compression",
    ),
    # --- HTTP -------------------------------------------------------------------------------------
    Limit(
        MAX_HTTP_HEADER := 64 << 10,
        "bytes",
        what="header of an HTTP response",
        why="Servers and browsers stop at 8 to 256 KiB.",
        beyond="The record is left out.",
        counter="records.http_header_too_long",
    ),
    Limit(
        MAX_CODINGS := 5,
        "codings",
        what="codings of a body, one within the other",
        why="More than two were never met. A long list is a way to burn CPU.",
        beyond="The body is taken as it is.",
        counter="pages.too_many_encodings",
    ),
    Limit(
        MAX_STREAMS := 256,
        "streams",
        what="gzip or Zstandard streams of a body, one behind the other",
        why=(
            "8 MiB in the smallest blocks in use (bgzip's) are 128. Each costs a copy of what"
            " follows it: 8 MiB of empty ones took two minutes."
        ),
        beyond="The body ends there.",
        counter="pages.bad_gzip",
    ),
    # --- addresses --------------------------------------------------------------------------------
    Limit(
        MAX_FOUND := 4_000,
        "characters",
        what="address as it is written, before session and tracking are taken out of it",
        why=(
            "Sites stop at 2,000, servers at 8,000. All links of a page are joined to its address:"
            " 30,000 links below one of 60,000 characters took 12 minutes."
        ),
        beyond="The record is left out; the link leads nowhere.",
        counter="records.url_too_long",
    ),
    Limit(
        MAX_LENGTH := 2_000,
        "characters",
        what="canonical form of an address",
        why=(
            "Beyond lie spider traps: endless calendars, paths that repeat, whole forms in a query."
        ),
        beyond="As above; of links the counter is `links.too_long`.",
        counter="links.too_long",
    ),
    Limit(
        MAX_HOPS := 10,
        "redirects",
        what="chain of redirects",
        why="Longer ones are loops or traps. Browsers stop at 20.",
        beyond="Each of its addresses stands for itself.",
    ),
    # --- markup -----------------------------------------------------------------------------------
    Limit(
        MAX_TAGS := 300_000,
        "tags",
        what="tags of a page, counted by their `<`, those in comments too",
        why=(
            "Of 12,454 pages the one with the most has 19,629. In a tree each costs 2 us, and 10 us"
            " where it ends nothing below thousands of open elements."
        ),
        beyond="The page is cut.",
        counter="pages.too_many_tags",
    ),
    Limit(
        MAX_LINKS := 30_000,
        "links",
        what="links of a page",
        why=(
            "Of 12,454 pages the one with the most has 3,401. These take seconds"
            " below a long address."
        ),
        beyond="Only the texts of further links are read.",
        counter="pages.too_many_links",
    ),
    Limit(
        MAX_TREE_DEPTH := 2_048,
        "levels",
        what="nested elements of a page, for blocks by the paper's rules",
        why="Where there are more libxml2 loses the page.",
        beyond="A flatter tree is made, in another way.",
        counter="pages.too_deep_for_a_tree",
    ),
    Limit(
        MAX_LEVELS := 512,
        "levels",
        what="levels of that flatter tree",
        why="Far above any page that was written by hand or by a template.",
        beyond="Texts and links count for the element above them.",
        counter="pages.too_deep_for_a_tree",
    ),
    # --- text, bags and blocks --------------------------------------------------------------------
    Limit(
        MAX_TITLE := 200,
        "characters",
        what="title of a page, as it is shown",
        why="Of 17,474 real ones two have more.",
        beyond="The title is cut; its words count all the same.",
        counter="pages.titles_cut",
    ),
    Limit(
        MOST_ABOVE := 64,
        "terms",
        what="terms of a heading or a title that links below it carry",
        why=(
            "As many as a window. A heading that never ends would be sent with"
            " each of 30,000 links."
        ),
        beyond="Links carry the first.",
        counter="pages.headings_cut",
    ),
    Limit(
        MAX_ANCHOR := 1_000,
        "characters",
        what="text of a link, for blocks",
        why="The text of a link around a whole page does not describe one. Each stripe carries it.",
        beyond="It is cut.",
        counter="block_links.anchors_cut",
    ),
    Limit(
        MAX_SHEET := 1 << 20,
        "characters",
        what="style sheets in a page, for blocks by the paper's rules",
        why="Every rule is compared with every kind of element.",
        beyond="What follows is not looked at.",
    ),
    Limit(
        MAX_BLOCKS := 4_096,
        "blocks",
        what="blocks of a page",
        why="For each repeated link a bit for each earlier block is kept.",
        beyond="Further blocks are left out.",
        counter="cocitation.blocks_over_limit",
    ),
    # --- directories ------------------------------------------------------------------------------
    Limit(
        MAX_LINE := 64 << 10,
        "bytes",
        what="line of a directory",
        why="Address, title and description of a page are below 10,000.",
        beyond="The line is left out.",
        counter="directory.lines_too_long",
    ),
    Limit(
        MAX_ELEMENT := 16 << 20,
        "characters",
        what="element of a directory in RDF",
        why="It is held in memory. The largest topic of ODP holds some ten thousand links.",
        beyond="The element is left out.",
        counter="directory.elements_too_long",
    ),
]


def table() -> Iterator[str]:
    """All limits as a table in Markdown."""
    yield "| of | at most | why | what lies beyond | counter |"
    yield "|---|--:|---|---|---|"
    for limit in LIMITS:
        counter = f"`{limit.counter}`" if limit.counter else ""
        yield f"| {limit.what} | {limit.size} | {limit.why} | {limit.beyond} | {counter} |"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in table())
