"""Flat text as words, markers and pieces: examples, twins that look at every character, and C."""

from __future__ import annotations

import doctest
import time
import unicodedata
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagekin.text import tokens as m
from pagekin.text.tokens import (
    UNKNOWN,
    Pieces,
    _cut_pieces,
    needs_segmenting,
    piece_words,
    segment,
    tokenise,
)
from tests.natives import native

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
    assert doctest.testmod(m).failed == 0


@settings(max_examples=500)
@given(texts.map("".join), st.integers(1, 20))
@example("a \x02 b", 9)
@example("ab \x02", 3)
def test_one_line(text: str, most: int) -> None:
    """No control character, no white space but single blanks within, and nothing more to do."""
    line = m.one_line(text, most)
    assert line == " ".join(line.split()) and len(line) <= most
    assert all(unicodedata.category(c) != "Cc" for c in line)
    assert line == m.one_line(line, most)
    if text.isascii() and text.isprintable():
        assert line == " ".join(text.split())[:most].rstrip()


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


LATIN = "abcßéžñ"
HAN = "我来到北京清华大学研究生命起源们的中国人民々〇㐀豈𠮷"
HIRAGANA = "ぁあいうがんゝー"
KATAKANA = "ァアカガンヴヽーｱﾝ"
OTHER = "한국어русскийالعربيةไทยñ"

segment("字")  # reads the dictionary, which would break the deadline of a first example

runs = st.text(st.sampled_from(LATIN + HAN + HIRAGANA + KATAKANA + OTHER), max_size=40)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("", []),
        ("straße", ["straße"]),
        ("서울특별시", ["서울특별시"]),
        ("我来到北京清华大学", ["我", "来到", "北京", "清华大学"]),
        ("他来到了网易杭研大厦", ["他", "来到", "了", "网易", "杭研", "大厦"]),
        ("结婚的和尚未结婚的", ["结婚", "的", "和", "尚未", "结婚", "的"]),
        ("iphone手机壳", ["iphone", "手机", "壳"]),
        ("東京タワーへ行く", ["東京", "タワー", "へ", "行", "く"]),
        ("コンピュータ", ["コンピュータ"]),
        ("らーめん", ["らーめん"]),
        ("がﾊﾟｿｺﾝ", ["が", "ﾊﾟｿｺﾝ"]),
        ("かカ", ["か", "カ"]),
        ("か\u3099く", ["か\u3099く"]),
        ("中국", ["中", "국"]),
    ],
)
def test_known_runs(run: str, words: list[str]) -> None:
    """Han is cut by the dictionary, Kana and other letters only where the script changes."""
    assert words == segment(run)


@given(runs)
def test_the_words_are_the_run(run: str) -> None:
    """Nothing is lost, added or moved, and no word is empty."""
    words = segment(run)
    assert run == "".join(words)
    assert all(words)


@given(runs)
def test_the_same_run_is_always_cut_alike(run: str) -> None:
    """The cut depends on the run alone."""
    assert segment(run) == segment(run)


@given(runs)
def test_a_word_has_one_script(run: str) -> None:
    """No word holds Han and other letters, or both kinds of Kana (the long mark aside)."""
    kinds = [HAN, HIRAGANA.replace("ー", ""), KATAKANA.replace("ー", ""), LATIN + OTHER]
    for word in segment(run):
        assert sum(any(c in kind for c in word) for kind in kinds) <= 1, word


@given(st.text(st.sampled_from(LATIN + OTHER), max_size=40))
def test_other_letters_are_left_alone(run: str) -> None:
    """A run without Han and Kana is one word."""
    assert [run] * bool(run) == segment(run)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("plain English — with “quotes” …", False),
        ("Größe, žluťoučký, русский, العربية, ไทย, 한국어", False),
        ("fullwidth ＡＢＣ and emoji 🎉", False),
        ("one 字 in a page", True),
        ("ひらがな", True),
        ("ｶﾀｶﾅ", True),
        ("𠮷", True),
        ("々", True),
        ("。「」", False),
    ],
)
def test_what_needs_segmenting(text: str, expected: bool) -> None:
    """Han and Kana do, in any amount; Hangul, punctuation and everything else do not."""
    assert expected is needs_segmenting(text)


@given(runs)
def test_what_needs_no_segmenting_is_not_cut(run: str) -> None:
    """Skipping `segment` on a page without Han and Kana changes nothing."""
    if not needs_segmenting(run):
        assert len(segment(run)) <= 1


@pytest.mark.parametrize("sign", ["一", "中华人民共和国", "龘", "ー", "あ", "x"])
def test_a_very_long_run_is_cut_in_bounded_time(sign: str) -> None:
    """50,000 characters without a break take milliseconds; Han words stay below the piece size."""
    run = sign * (50_000 // len(sign))
    start = time.perf_counter()
    words = segment(run)
    assert time.perf_counter() - start < 2
    assert run == "".join(words)
    assert sign not in "一中华人民共和国龘" or max(map(len, words)) <= m._LONGEST_HAN


def test_threads_may_share_the_dictionary() -> None:
    """Four threads cut as one does."""
    texts = [f"我来到北京清华大学{c}研究生命起源" for c in HAN] * 20
    with ThreadPoolExecutor(4) as pool:
        assert [segment(t) for t in texts] == list(pool.map(segment, texts))


PIECE_BYTES = m._PIECE_BYTES
PIECE_LETTERS = "abZ .,-1 éÉß×÷ªºµ\xa0\xad\xb7 ЯяЀѐѠѡѯ Łł ıİ Σς “”’–…‰"
PIECE_LETTERS += "\u200c\u2060ⁱⁿ€₠ 日本語ァン한 हि \u0301\u0338 \U0001d400"
# no markers: where a page has such characters they were taken out
OTHERS = st.characters(exclude_categories=["Cs"], exclude_characters=[*m.CODES])
TEXTS = st.text(PIECE_LETTERS, max_size=40) | st.text(OTHERS, max_size=10)


class Reader:
    """Numbers words as `pagekin.text.words` does, in few lines."""

    def __init__(self, kind: Any, *more: Any, max_letters: int = 20) -> None:
        self.words = [""]
        self.max_letters = max_letters
        self.pieces = kind(self.words, max_letters, *more)
        self.met: list[bytes] = []
        for marker, code in m.CODES.items():
            self.pieces.put(marker.encode(), [code])

    def read(self, text: str) -> list[str | int]:
        numbers = np.frombuffer(self.pieces.numbers(text.encode(), self.meet), np.int32).tolist()
        return [self.words[n] if n > 0 else n for n in numbers if n]

    def meet(self, piece: bytes) -> list[int]:
        self.met.append(piece)
        numbers = list(map(self.number, piece_words(piece)))
        self.pieces.put(piece, numbers)
        return numbers

    def number(self, word: str) -> int:
        if len(word) > self.max_letters:
            return 0
        known = self.pieces.number(word.encode())
        if known != UNKNOWN:
            return int(known)
        self.words.append(word)
        self.pieces.put(word.encode(), [len(self.words) - 1])
        return len(self.words) - 1


def in_c(**options: int) -> Reader:
    return Reader(native("pagekin.text._pieces").Pieces, PIECE_BYTES, b"a secret", **options)


@given(st.lists(TEXTS | st.sampled_from([*m.CODES, "x" * 21, "é" * 21, "é" * 20]), max_size=8))
@settings(max_examples=1000)
def test_twins(texts: list[str]) -> None:
    """At first sight and remembered; markers too, and words that are too long."""
    fast, plain = in_c(), Reader(Pieces)
    for text in texts * 2:
        assert plain.read(text) == fast.read(text)


def test_every_character_in_pieces() -> None:
    """Alone, between letters, and at their ends."""
    fast, plain = in_c(), Reader(Pieces)
    for point in (*range(1, 0x2400), *range(0x2C00, 0x3200), 0xFEFF, 0x1F600, 0x20000):
        c = chr(point)
        if c not in m.CODES:
            text = f"{c} a{c}b {c}É {c}{c} É{c} {c}\u0301x a{c}\u0300 {c}\u0342"
            assert plain.read(text) == fast.read(text), hex(point)


def test_many_words() -> None:
    """The table grows, and loses nothing."""
    fast = in_c()
    words = [
        f"{chr(97 + k % 26)}{chr(97 + k // 26 % 26)}{chr(97 + k // 676)}" for k in range(15000)
    ]
    for _ in range(2):
        assert words == fast.read(" ".join(words))
    assert len(words) + 1 == len(fast.words)
    assert len(fast.pieces) == len(words) + len(m.CODES)


def test_what_is_met_is_asked_for_once() -> None:
    """Letters of Western Europe and Russian are words at once; others are asked for."""
    fast = in_c()
    assert ["été", "ёж", "l", "eau"] == fast.read("Été Ёж l’eau")
    assert [] == fast.met
    assert ["łódź", "łódź", "日本"] == fast.read("Łódź łódź 日本")
    assert ["日本", "łódź"] == fast.read("日本 Łódź")
    assert ["Łódź", "日本"] == [piece.decode() for piece in fast.met]


def test_cut_characters() -> None:
    """Bytes that are no UTF-8 are pieces that somebody asks about, and nothing is read beyond."""
    fast = in_c()
    met: list[bytes] = []

    def meet(piece: bytes) -> list[int]:
        met.append(piece)
        return []

    for text in (b"\xe2", b"\xe2\x80", b"\xc3", b"\xf0\x9f\x98", b"\x80", b"a\xd0"):
        fast.pieces.numbers(text, meet)
    assert len(met) == 6


@given(st.dictionaries(TEXTS.map(str.encode).filter(bool), st.integers(0, 1 << 30)))
def test_many_at_once(numbers: dict[bytes, int]) -> None:
    """Words that are remembered together are known as by one and one."""
    for reader in (in_c(), Reader(Pieces)):
        reader.pieces.put_words(list(numbers), list(numbers.values()))
        assert all(reader.pieces.number(piece) == number for piece, number in numbers.items())


@pytest.mark.parametrize(
    ("pieces", "numbers"),
    [
        ([b"a"], []),
        ([b"a"], [-1]),
        ([b"a"], [1 << 31]),
        ([b""], [1]),
        (["a"], [1]),
        ([b"a"], ["1"]),
    ],
)
def test_words_that_are_none(pieces: list[object], numbers: list[object]) -> None:
    """Columns that are not of one length, or of another kind, are refused."""
    with pytest.raises((ValueError, TypeError)):
        in_c().pieces.put_words(pieces, numbers)


def test_errors() -> None:
    """What cannot be a piece, or a number, is refused; errors of who is asked are passed on."""
    fast = in_c()
    for piece, numbers in ((b"", [1]), (b"x", ["1"]), (b"x", [1 << 70])):
        with pytest.raises((ValueError, TypeError, OverflowError)):
            fast.pieces.put(piece, numbers)
    for pieces in (fast.pieces, Reader(Pieces).pieces):
        for number in (-50_000, -100, 1 << 31, 1 << 40):
            with pytest.raises(ValueError, match="neither a word's nor a marker's"):
                pieces.put(b"x", [number])
            with pytest.raises(ValueError, match="neither a word's nor a marker's"):
                pieces.numbers("日".encode(), lambda piece, number=number: [number])
    for wrong in (lambda piece: 1, lambda piece: ["x"], lambda piece: 1 // 0):
        with pytest.raises((TypeError, SystemError, ZeroDivisionError)):
            fast.pieces.numbers("日".encode(), wrong)
    pieces = native("pagekin.text._pieces").Pieces
    for plain, secret in ((b"short", b"a secret"), (PIECE_BYTES, b"short")):
        with pytest.raises(ValueError, match=r"stands for it|eight bytes"):
            pieces([], 10, plain, secret)
    unmade = pieces.__new__(pieces)
    for ask in (unmade.number, lambda text: unmade.numbers(text, list), unmade.put):
        with pytest.raises(TypeError):
            ask(b"bee")
    assert 0 == fast.pieces.number(b"")
    assert _cut_pieces(b"a-b") == [b"a", b"b"]
