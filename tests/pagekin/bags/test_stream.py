"""A page's terms, links and headings, in C and in numpy: the same columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagekin.bags import fragments
from pagekin.bags import stream as module
from pagekin.bags.fragments import encode, headings_above
from pagekin.bags.stream import HIGHEST, Stream, plain_stream
from pagekin.config import BuildConfig, TextConfig
from pagekin.counters import Counters
from pagekin.stages.fragments.extractor import Extractor
from pagekin.text.tokens import CODES, HEADING, HEADING_END, LINK, LINK_END, TITLE, TITLE_END
from pagekin.text.words import WordTable
from pagekin.web.page import Page, make_page
from tests.natives import native

MARKERS = (CODES[LINK], CODES[LINK_END], CODES[TITLE], CODES[TITLE_END])
WORDS = ["bee", "the", "honey", "hive", "is"]  # two of them are dropped
PIECES = st.sampled_from([*WORDS, *WORDS, *CODES, LINK, LINK_END, LINK_END, HEADING_END])


def read(text: str) -> tuple[Stream, list[Any], WordTable, list[int]]:
    """The stream in numpy and the columns in C, the table, and the counts of the words in C."""
    table = WordTable(TextConfig(), "en")
    codes = table.numbers(text.encode())
    counts = table.counts.copy()
    columns = native("pagekin.bags._stream").read_stream(codes, table.hashes, counts, *MARKERS)
    return plain_stream(codes, table), list(columns), table, counts.tolist()


@given(st.lists(PIECES, max_size=30))
@example([TITLE, "bee", LINK, TITLE_END, "hive", LINK_END])
@example(["bee", TITLE, "hive"])
@example([LINK, LINK, "bee", LINK_END, "hive", LINK_END, LINK_END, LINK])
@settings(max_examples=500)
def test_twins(pieces: list[str]) -> None:
    """Titles, broken links and all; words are counted alike."""
    stream, columns, table, counts = read(" ".join(pieces))
    expected = (stream.codes, stream.terms, stream.title, stream.before, stream.opens)
    for mine, column in zip((*expected, stream.closes), columns, strict=True):
        assert mine.tobytes() == column
    assert table.counts.tolist() == counts


@given(
    st.lists(PIECES | st.sampled_from([*HEADING, HEADING_END, LINK]), max_size=30),
    st.integers(0, 4),
)
@settings(max_examples=500)
def test_headings(pieces: list[str], most: int) -> None:
    """The same sections above each link, of so many terms for each heading."""
    stream, *_ = read(" ".join(pieces))
    terms = encode(stream.terms)
    columns = (stream.codes, stream.before, stream.opens, terms, fragments._HEADINGS)
    codes = (HIGHEST, CODES[HEADING_END])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_ABOVE", most)
        expected = headings_above(stream, terms)
    assert expected == native("pagekin.bags._stream").headings_above(*columns, *codes, most)


def test_wrong_columns() -> None:
    """Numbers of no word, and columns that do not belong together, are refused."""
    module = native("pagekin.bags._stream")
    codes, hashes, counts = np.array([1], np.int32), np.zeros(2, np.uint32), np.zeros(2, np.int64)
    module.read_stream(codes, hashes, counts, *MARKERS)
    frozen = counts.copy()
    frozen.flags.writeable = False
    for wrong in (
        (codes + 1, hashes, counts),
        (codes, hashes, counts[:1].copy()),
        (codes, hashes, frozen),
        ("text", hashes, counts),
    ):
        with pytest.raises((ValueError, TypeError, BufferError)):
            module.read_stream(*wrong, *MARKERS)
    zero, link = np.zeros(1, np.int64), np.zeros(1, np.int64)
    right = [codes, zero, link, b"", b"mark.", HIGHEST, CODES[HEADING_END], 64]
    assert [b""] == module.headings_above(*right)
    for place, column in (
        (0, np.array([HIGHEST - 6], np.int32)),
        (1, zero + 1),
        (1, zero - 1),
        (1, zero[:0]),
        (2, link + 1),
    ):
        changed = [*right]
        changed[place] = column
        with pytest.raises(ValueError, match=r"order|level|not in the page"):
            module.headings_above(*changed)


@pytest.mark.parametrize("page", ["<h1>{words}{links}", "<title>{words}</title>{links}"])
def test_what_links_carry_is_bounded(page: str) -> None:
    """A heading that never ends, or an endless title, is not sent with each of the links below."""
    words = " ".join(f"w{chr(97 + k % 26)}{chr(97 + k // 26 % 26)}x" for k in range(5000))
    links = "".join(f"<a href=/{k}>bee</a>" for k in range(2000))
    made = make_page("http://a.example/", page.format(words=words, links=links).encode())
    assert isinstance(made, Page)
    extractor = Extractor(BuildConfig(), Counters())
    assert sum(len(value) for _, value in extractor.say(made).records()) < 2_500_000
