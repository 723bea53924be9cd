"""Words as terms: the three ways to stem, what is dropped, numbers, counts and display forms."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.config import TextConfig
from pagekin.text import markup as m
from pagekin.text import words as module
from pagekin.text.stoplists import stop_words
from pagekin.text.tokens import tokenise, with_sentences
from pagekin.text.words import (
    FIRST_HASH,
    Form,
    Forms,
    Vocabulary,
    WordTable,
    term_hash,
)
from tests.plain import plain_term
from tests.strategies import WORDS

CONFIGS = [
    TextConfig(stemming=stemming, stop_words=stops)
    for stemming in ("nostem", "stem", "stopstem")
    for stops in (True, False)
]
each_config = pytest.mark.parametrize(
    "config", CONFIGS, ids=lambda c: f"{c.stemming}-{'stops' if c.stop_words else 'all'}"
)


def term_of(word: str, config: TextConfig, language: str = "en") -> str:
    """The term of a word, through the table; "" if it is dropped."""
    table = WordTable(config, language)
    numbers = table.numbers_of([word])
    hashes = table.terms(numbers)
    table.count(numbers[hashes != 0])
    forms = _rows(table.forms())
    assert len(forms) <= 1
    assert [form.hash for form in forms] == hashes[hashes != 0].tolist()
    return forms[0].term if forms else ""


@pytest.mark.parametrize(
    ("word", "nostem", "stem", "stopstem"),
    [
        ("honey", "honey", "honei", "honey"),
        ("oscillators", "oscillators", "oscil", "oscillators"),
        ("the", "", "", ""),
        ("running", "running", "run", "running"),
        ("thing", "", "", ""),
        ("thinged", "thinged", "", ""),
        ("s", "", "", ""),
        ("été", "été", "été", "été"),
    ],
)
def test_rules(word: str, nostem: str, stem: str, stopstem: str) -> None:
    """NOSTEM drops stop words; STEM and STOPSTEM drop what has the stem of one [SIM 3.2]."""
    assert [nostem, stem, stopstem] == [
        term_of(word, TextConfig(stemming=s)) for s in ("nostem", "stem", "stopstem")
    ]


def test_without_stop_words() -> None:
    """Then all words stay, but for those that stem to nothing."""
    for stemming, expected in (("nostem", "the"), ("stem", "the"), ("stopstem", "the")):
        config = TextConfig(stemming=stemming, stop_words=False)
        assert expected == term_of("the", config)
    dropped = [term_of("s", TextConfig(stemming=s, stop_words=False)) for s in ("stem", "stopstem")]
    assert ["", ""] == dropped
    assert "s" == term_of("s", TextConfig(stemming="nostem", stop_words=False))


@each_config
def test_equals_the_plain_rule(config: TextConfig) -> None:
    """The table says of each word what the rule of the plain twin says, stop words included."""
    words = [*WORDS, *sorted(stop_words("en")), "beekeepers", "grokked", "ing", "ed"]
    table = WordTable(config, "en")
    hashes = table.terms(table.numbers_of(words)).tolist()
    plain = [plain_term(word, config) for word in words]
    assert [term_hash(term) if term else 0 for term in plain] == hashes


@pytest.mark.parametrize(
    ("language", "word", "expected"),
    [
        ("de", "häusern", "haus"),
        ("de", "und", ""),
        ("de", "the", "the"),
        ("fr", "été", ""),
        ("en", "und", "und"),
        ("zh", "的", ""),
        ("zh", "望远镜", "望远镜"),
        ("tlh", "running", "running"),
        ("", "the", "the"),
    ],
)
def test_languages(language: str, word: str, expected: str) -> None:
    """Each language has its stop words and stemmer; one without them keeps its words."""
    assert expected == term_of(word, TextConfig(), language)


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ("x" * 64, True),
        ("x" * 65, False),
        ("é" * 64, True),
        ("x" * 1_000_000, False),
        ("\u0301", False),
        ("\u0301\u0327", False),
        ("e\u0327", True),
        ("ª", True),
    ],
)
def test_what_is_no_word(word: str, kept: bool) -> None:
    """Runs of more than 64 letters and marks without a letter are none."""
    assert kept == (term_of(word, TextConfig(stemming="nostem")) == word)


def test_max_letters() -> None:
    """The bound is an option, and words over it are not remembered."""
    table = WordTable(TextConfig(max_letters=4, stemming="nostem"), "en")
    before = len(table)
    assert [True, False] == (table.numbers_of(["hive", "hives"]) > 0).tolist()
    assert before + 1 == len(table)


def test_numbers() -> None:
    """Each word has one number, markers their codes; a dropped word has no term."""
    table = WordTable(TextConfig(), "en")
    tokens = [m.LINK, "bees", "the", "honey", m.LINK_END, "bees"]
    numbers = table.numbers_of(tokens)
    assert [m.CODES[m.LINK], m.CODES[m.LINK_END]] == numbers[[0, 4]].tolist()
    assert numbers[1] == numbers[5] != numbers[3]
    assert [True, False, True] == (table.terms(numbers[[1, 2, 3]]) != 0).tolist()
    assert table.numbers_of(tokens).tolist() == numbers.tolist()
    assert [] == table.numbers_of([]).tolist()


def test_variants_share_a_term() -> None:
    """Words with one stem have their own numbers and forms, and one term."""
    table = WordTable(TextConfig(), "en")
    numbers = table.numbers_of(["bee", "bees"])
    assert numbers[0] != numbers[1]
    assert 1 == len(set(table.terms(numbers).tolist()))


def test_tables_grow() -> None:
    """Thousands of words keep their terms and counts as the arrays grow."""
    config = TextConfig(stemming="nostem")
    words = [f"w{chr(0x4E00 + k)}" for k in range(5000)]
    table = WordTable(config, "en")
    numbers = table.numbers_of(words)
    table.count(numbers)
    assert [term_hash(word) for word in words] == table.terms(numbers).tolist()
    assert dict.fromkeys(words, 1) == {form.form: form.seen for form in _rows(table.forms())}


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=20), max_size=4))
def test_forms_count_the_kept_words(pages: list[list[str]]) -> None:
    """What is counted is each kept word as often as it was seen."""
    vocabulary = Vocabulary(TextConfig())
    for words in pages:
        numbers = vocabulary.table("en").numbers_of(words)
        table = vocabulary.table("en")
        table.count(numbers[table.terms(numbers) != 0])
    expected = Counter(w for page in pages for w in page if plain_term(w, TextConfig()))
    forms = _rows(vocabulary.take_forms())
    assert dict(expected) == {form.form: form.seen for form in forms}
    assert all(form.term == plain_term(form.form, TextConfig()) for form in forms)
    assert all(form.hash == term_hash(form.term) for form in forms)


def test_unseen_words_have_no_form() -> None:
    """A word that was numbered but never counted is not shown."""
    table = WordTable(TextConfig(), "en")
    table.numbers_of(["bees", "honey"])
    table.count(np.array([0], dtype=np.int32))
    assert [] == _rows(table.forms())


def test_vocabulary_keeps_languages_apart() -> None:
    """Each language has one table; taken forms are taken for good."""
    vocabulary = Vocabulary(TextConfig(stemming="nostem"))
    for language in ("en", "de", "en"):
        table = vocabulary.table(language)
        table.count(table.numbers_of(["hive"]))
    hashed = term_hash("hive")
    forms = [Form(hashed, "hive", "hive", 2), Form(hashed, "hive", "hive", 1)]
    assert forms == _rows(vocabulary.take_forms())
    assert [] == _rows(vocabulary.take_forms())


def test_full_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is full at so many words in all tables, and empty again when they were taken."""
    monkeypatch.setattr(module, "_FULL", 100)
    vocabulary = Vocabulary(TextConfig())
    vocabulary.table("en").numbers_of([f"a{chr(0x4E00 + k)}" for k in range(45)])
    assert not vocabulary.full()
    vocabulary.table("de").numbers_of([f"a{chr(0x4E00 + k)}" for k in range(45)])
    assert vocabulary.full()
    _rows(vocabulary.take_forms())
    assert not vocabulary.full()


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join), max_size=12))
def test_forms_of_full_tables(pages: list[str]) -> None:
    """However often tables are full, and whatever they keep, the forms add up."""
    whole = _forms(pages)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FULL", 5)
        patch.setattr(module, "_KEPT", 2)
        assert whole == _forms(pages)


def _rows(parts: Iterable[Forms]) -> list[Form]:
    return [form for part in parts for form in part.rows()]


def _forms(pages: list[str]) -> Counter[tuple[int, str, str]]:
    """How often each form was seen on pages in turns of two languages."""
    vocabulary, taken = Vocabulary(TextConfig()), []
    for number, page in enumerate(pages):
        table = vocabulary.table("en" if number % 3 else "de")
        numbers = table.numbers(with_sentences(page.encode()))
        table.count(numbers[table.terms(numbers) != 0])
        if vocabulary.full():
            taken += _rows(vocabulary.take_forms())
    found = Counter[tuple[int, str, str]]()
    for form in [*taken, *_rows(vocabulary.take_forms())]:
        found[form.hash, form.term, form.form] += form.seen
    return found


def test_frequent_words_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full table keeps what was seen most, at most half of it, and learns the rest again."""
    monkeypatch.setattr(module, "_FULL", 30)
    monkeypatch.setattr(module, "_KEPT", 3)
    vocabulary = Vocabulary(TextConfig(stemming="nostem"))
    words = [f"w{chr(0x61 + k)}x" for k in range(20)]
    text = " ".join(word for k, word in enumerate(words) for _ in range(1 + k // 2))
    page = with_sentences(text.encode())
    table = vocabulary.table("en")
    table.count(table.numbers(page))
    assert vocabulary.full()
    taken = {form.form: form.seen for form in _rows(vocabulary.take_forms())}
    assert {word: 1 + k // 2 for k, word in enumerate(words)} == taken
    assert [] == _rows(table.forms())
    assert not vocabulary.full()
    again = table.numbers(page)
    assert [1, 2] == sorted({*again.tolist()})[:2]
    assert words[-2:] == [table._memo.words[number] for number in (1, 2)]
    hashes = table.terms(again).tolist()
    assert [term_hash(word) for word in page.decode().split()] == hashes


def test_taken_tables_are_gone() -> None:
    """They are no garbage that waits for the collector: a full one has a hundred megabytes."""
    vocabulary = Vocabulary(TextConfig())
    vocabulary.table("en").numbers_of(["hive"])
    table = weakref.ref(vocabulary.table("en"))
    gc.disable()
    try:
        _rows(vocabulary.take_forms())
        assert table() is None
    finally:
        gc.enable()


@given(st.text())
def test_hashes_leave_room_for_marks(term: str) -> None:
    """Values below 16 mark sections, so no term has one; lone surrogates have a hash too."""
    assert FIRST_HASH <= term_hash(term) < 1 << 32


def test_hashes_are_fixed() -> None:
    """They are stored: a change would make every index unreadable."""
    assert [0x02CC5D05, 0xC2778425] == [term_hash(""), term_hash("honei")]


PIECES = st.text("ab ,-.Zéß“”’–\xa0\xad\u0301ıİΣς日本ァ한हिไ\u0378\u2003", max_size=30)
ODD = ["l’été", "foo–bar", "“", "–", "e\u0301te\u0301", "東京大学へ", "हिन्दी"]
ODD += ["x" * 70 + "é", "é" * 120]


@given(st.lists(PIECES | st.sampled_from(ODD) | st.sampled_from(["x" * 65, m.LINK]), max_size=12))
def test_pieces_are_the_words_of_the_whole_text(texts: list[str]) -> None:
    """Cut by bytes and looked at piece by piece, a text has the words that Unicode gives it."""
    by_pieces, by_words = (WordTable(TextConfig(max_letters=100), "de") for _ in range(2))
    for _ in range(2):  # at first sight, and remembered
        text = " ".join(texts)
        numbers = by_pieces.numbers(with_sentences(text.encode()))
        expected = by_words.numbers_of(tokenise(text))
        terms = [t for t in by_pieces.terms(np.maximum(numbers, 0)).tolist() if t]
        assert [t for t in by_words.terms(np.maximum(expected, 0)).tolist() if t] == terms
        assert numbers[numbers < 0].tolist() == expected[expected < 0].tolist()
        for table, found in ((by_pieces, numbers), (by_words, expected)):
            table.count(found[table.terms(np.maximum(found, 0)) != 0])
    assert Counter(_rows(by_words.forms())) == Counter(_rows(by_pieces.forms()))


def test_long_pieces_are_not_remembered() -> None:
    """Runs of megabytes, in any script, take no memory once they were read."""
    table = WordTable(TextConfig(), "en")
    for piece in ("x" * 1_000_000, "é" * 1_000_000, "日本" * 100_000, "l’" * 1000):
        before = len(table)
        for _ in range(3):
            table.numbers(piece.encode())
        assert len(table) < before + 10, piece[:9]
