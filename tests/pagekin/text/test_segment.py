"""pagekin.text.segment: runs of Chinese and Japanese characters come out as words."""

from __future__ import annotations

import doctest
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.text import segment as module
from pagekin.text.segment import needs_segmenting, segment

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
    assert sign not in "一中华人民共和国龘" or max(map(len, words)) <= module._LONGEST_HAN


def test_threads_may_share_the_dictionary() -> None:
    """Four threads cut as one does."""
    texts = [f"我来到北京清华大学{c}研究生命起源" for c in HAN] * 20
    with ThreadPoolExecutor(4) as pool:
        assert [segment(t) for t in texts] == list(pool.map(segment, texts))


def test_examples_in_the_docstrings() -> None:
    """What the docstrings show is what happens."""
    assert doctest.testmod(module).failed == 0
