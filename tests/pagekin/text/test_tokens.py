"""Flat text as words and markers: examples, and a plain twin that looks at every character."""

from __future__ import annotations

import doctest
import time
import unicodedata
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagekin.text import markup as m
from pagekin.text import tokens as module
from pagekin.text.segment import needs_segmenting, segment
from pagekin.text.tokens import tokenise

INVISIBLE = set("\xad\u200c\u200d\u2060\ufeff") | {
    chr(p) for p in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
LETTERS = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc"}
MARKED = f" {m.LINK} ", f" {m.LINK_END} ", f" {m.BLOCK} ", f" {m.TITLE} ", f" {m.BREAK} "


def plain_tokens(text: str) -> list[str]:
    """What `tokenise` says, character by character."""
    text = plain_sentences(text)
    if any("\u0300" <= c <= "\u036f" for c in text):
        text = unicodedata.normalize("NFC", text)
    tokens: list[str] = []
    word = ""
    for c in [*text, " "]:
        if c in INVISIBLE:
            continue
        if unicodedata.category(c) in LETTERS:
            word += c.lower()[0]
            continue
        if word:
            tokens += segment(word) if needs_segmenting(word) else [word]
            word = ""
        if c in m.CODES:
            tokens.append(c)
    return tokens


def plain_sentences(text: str) -> str:
    """Each BREAK that follows the end of a sentence is a SENTENCE."""
    done = ""
    for c in text:
        if c == m.BREAK:
            before = done
            while before and before[-1] in " \t\r\n\xa0\"'”’)]»" + m.LINK_END:
                before = before[:-1]
            done += m.SENTENCE if before and before[-1] in ".!?…。！？" else c
        else:
            done += c
    return done


def named(text: str) -> str:
    """The tokens of a text with names for the markers."""
    return " ".join(f"<{m.NAMES[t]}>" if t in m.NAMES else t for t in tokenise(text))


odd_characters = st.one_of(
    st.characters(),
    st.sampled_from("\xad\u200d\u0301\u0323\u0345İıßẞΣςǅﬁªŉ\u3099がﾊﾟ中国が〆々\U000e0101한ᄒ"),
    st.sampled_from(" .!?…。\"'”)\n\xa0" + m.BREAK + m.SENTENCE),
)
texts = st.lists(st.one_of(odd_characters, st.sampled_from(MARKED), st.just("bees")), max_size=40)


def test_examples() -> None:
    """The examples in the module hold."""
    assert doctest.testmod(module).failed == 0


@settings(max_examples=1500)
@given(texts.map("".join))
@example("a\u0301\u0323 \u0344x")
@example(f"Bees.{m.LINK_END} {m.BREAK}")
@example("\ud800a\udfff")
def test_equals_the_plain_twin(text: str) -> None:
    """One table for all characters says what Unicode says of each."""
    # a marker inside of a word never happens: the reader puts blanks around
    text = "".join(f" {c} " if c in m.CODES else c for c in text)
    assert plain_tokens(text) == tokenise(text)


def test_every_character() -> None:
    """The twins agree on each of Unicode's characters by itself."""
    planes = (*range(0x40000), *range(0xE0000, 0xE1000), *range(0x10FE00, 0x110000))
    for block in batched(planes, 4096):
        text = " ".join(map(chr, block))
        assert plain_tokens(text) == tokenise(text)


def batched(points: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (points[k : k + size] for k in range(0, len(points), size))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" \n", ""),
        ("Bees, 2 hives; l'été!", "bees hives l été"),
        ("x86 3D B2B", "x d b b"),
        ("snake_case-word", "snake case word"),
        ("ÉTÉ Straße İstanbul ΣΊΣΥΦΟΣ", "été straße istanbul σίσυφοσ"),
        ("Ho\xadnig\u200dwa\ufeffbe", "honigwabe"),
        ("\u2060\xad", ""),
        ("e\u0301te\u0301", "été"),
        ("हिन्दी ไทย العربية", "हिन्दी ไทย العربية"),
        ("\U0001f41d bees \U0001f41d\ufe0f", "bees"),
        ("葛\U000e0100城", "葛城"),
        ("①Ⅳ²½", ""),
        ("ªº", "ªº"),
    ],
)
def test_words(text: str, expected: str) -> None:
    """Letters of any script with their marks, lower-case; what nobody sees vanishes."""
    assert expected == " ".join(tokenise(text))


@pytest.mark.parametrize(
    ("before", "name"),
    [
        ("Bees hum.", "sentence"),
        ("Bees hum!  \n", "sentence"),
        ('Do they? "', "sentence"),
        ("(Bees hum.)", "sentence"),
        ("蜜蜂。", "sentence"),
        ("Bees hum …", "sentence"),
        (f"{m.LINK} Bees hum. {m.LINK_END}", "sentence"),
        ("Bees", "break"),
        ("Bees.x", "break"),
        ("Bees,", "break"),
        ("Mr. Bee", "break"),
        ("", "break"),
        (f"Bees. {m.BLOCK}", "break"),
        (f"Bees. {m.LINK}", "break"),
    ],
)
def test_breaks_after_sentences(before: str, name: str) -> None:
    """A <br> right after the end of a sentence is another boundary than one within."""
    assert f"<{name}>" == named(f"{before} {m.BREAK} Honey.").split()[-2]


def test_second_break_ends_no_sentence() -> None:
    """Of two breaks only the first follows the full stop."""
    assert "a <sentence> <break> b" == named(f"a. {m.BREAK} {m.BREAK} b")


def test_chinese_within_links() -> None:
    """Segmenting leaves markers where they are, and words of other scripts whole."""
    text = (
        f"{m.TITLE} 望远镜 {m.TITLE_END} See {m.LINK} 北京清华大学 {m.LINK_END} 蜜蜂 {m.BREAK} bees"
    )
    assert ("<title> 望远镜 </title> see <link> 北京 清华大学 </link> 蜜蜂 <break> bees") == named(
        text
    )


def test_markers_are_tokens_as_they_stand() -> None:
    """Each of them, also next to each other."""
    assert list(m.CODES) == tokenise(" ".join(m.CODES))


@pytest.mark.parametrize(
    "text",
    [
        "e" + "\u0301\u0323" * 2_000_000,
        "\u0301" * 4_000_000,
        "e\u0301 " * 1_000_000,
        "x" * 5_000_000,
        "中" * 1_000_000,
        "中 " * 500_000,
        f"a. {m.BREAK} " * 300_000,
    ],
    ids=["two marks", "marks", "accents", "letters", "han", "single han", "breaks"],
)
def test_long_texts_take_linear_time(text: str) -> None:
    """Megabytes of one kind are a matter of a second; normalising a million marks took hours."""
    start = time.process_time()
    tokenise(text)
    assert time.process_time() - start < 5


def test_too_many_marks_are_cut() -> None:
    """A letter keeps thirty marks, and what follows stays."""
    assert ["ẹ" + "\u0323" * 29, "bees"] == tokenise("e" + "\u0323" * 50 + " bees")
