"""Words as terms: what is dropped, numbers, counts, display forms, stop lists, stems."""

from __future__ import annotations

import doctest
import gc
import itertools
import random
import re
import subprocess
import sys
import time
import unicodedata
import weakref
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from nltk.stem.snowball import SnowballStemmer

from pagekin.config import TextConfig
from pagekin.text import tokens as m
from pagekin.text import words as module
from pagekin.text.tokens import tokenise, with_sentences
from pagekin.text.words import (
    FIRST_HASH,
    STEMMED_LANGUAGES,
    STOP_LISTS,
    Form,
    Forms,
    Vocabulary,
    WordTable,
    stemmer,
    stop_words,
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
    assert words[-2:] == [table._words[number] for number in (1, 2)]
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


FOLDER = Path(__file__).parents[3] / "lib" / "pagekin" / "text" / "stopwords"

# As the tokeniser: runs of letters of any script.
STOP_LETTERS = re.compile(r"[^\W\d_]+")

SIZES = {"en": (780, 820), "zh": (150, 300)}
USUAL_SIZE = (250, 500)

# Words that name topics: a stop word with the stem of one would take it out of the bags.
TOPICS = """
    academy actor agriculture album algorithm animal apartment architecture army art artist
    astronomy band bank battle biology bird book bridge building business calculus car castle
    cell chemistry child church city climate coal college computer container conversion cooking
    country crime culture currency dance database dependency design disease dog ecology
    economics education election electricity emperor energy engineering equality evidence
    extension farm festival film finance fish flower food football forest fortune fruit galaxy
    game garden gene generation genetics geography geology geometry god gold government guitar
    health history hospital hotel house html hurricane immigration importer industry insect
    insurance internet island javascript jazz journal king kitchen lake language law library
    light linux literature machine maine mammal map marriage mathematics medicine metal military
    mineral mining minority money moon mountain movie multiplication museum music nation network
    news newspaper novel nuclear number numeral numerical ocean oil opera opposition painting
    parliament party philosophy photography physics planet plant poetry politics population
    practice presentation president principality prison probability program property provider
    psychology railway rain reasoning recipe relativity religion restaurant rights river road
    robot rocket science school season security server sex ship shop simulation software soldier
    sorting space species specification sport state stock student sun surgery system tax teacher
    technology telephone television temple tennis theatre tourism town trade train travel tree
    university vehicle video village virus volcano war water weapon weather wedding wine woman
    work writer zoo
"""


def lines(language: str) -> list[str]:
    return (FOLDER / f"{language}.txt").read_text(encoding="utf-8").split("\n")


def words(language: str) -> list[str]:
    return [line for line in lines(language) if line and not line.startswith("#")]


def test_every_language_has_its_file() -> None:
    """The languages of the module are the files of the folder."""
    assert list(STOP_LISTS) == sorted(path.stem for path in FOLDER.glob("*.txt"))


@pytest.mark.parametrize("language", STOP_LISTS)
class TestFile:
    def test_opens_with_a_comment_and_ends_with_a_newline(self, language: str) -> None:
        """The first line says what the file is; there are no empty lines before the end."""
        assert lines(language)[0].startswith("# Stop words of ")
        assert all(line.strip() for line in lines(language)[:-1])
        assert lines(language)[-1] == ""

    def test_sorted_without_duplicates(self, language: str) -> None:
        """Words stand in code point order, each once."""
        assert sorted(set(words(language))) == words(language)

    def test_words_are_what_the_tokeniser_gives(self, language: str) -> None:
        """Each word is one run of letters, in lower case and in normal form C."""
        odd = [
            word
            for word in words(language)
            if not STOP_LETTERS.fullmatch(word)
            or word != word.lower()
            or not unicodedata.is_normalized("NFC", word)
        ]
        assert not odd

    def test_size(self, language: str) -> None:
        """A list is neither a stub nor a dictionary."""
        low, high = SIZES.get(language, USUAL_SIZE)
        assert low <= len(words(language)) <= high

    def test_reader_gives_the_words_of_the_file(self, language: str) -> None:
        """The reader drops the comments and nothing else."""
        assert frozenset(words(language)) == stop_words(language)

    def test_the_readme_states_the_size(self, language: str) -> None:
        """The table of the folder's README keeps up with the files."""
        readme = (FOLDER / "README.md").read_text(encoding="utf-8")
        row = re.search(rf"^\| `{language}\.txt` \|.*\| (\d+) \|$", readme, re.MULTILINE)
        assert row is not None
        assert len(words(language)) == int(row[1])


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Das ist nicht für uns, aber wir haben es seit heute fuer sie über ihn."),
        ("en", "You don't think it's the only one they've ever had, or couldn't we?"),
        ("es", "No es para nosotros, pero él ya lo había hecho sin ella."),
        ("fr", "Ce n'est pas l'un d'eux qu'il y a vu aujourd'hui, mais elle."),
        ("it", "Non c'è nell'altro dove l'ho, ma qui ce n'è più di uno."),
        ("nl", "Dat is niet voor ons, maar wij hebben het zelf ook nog."),
        ("pt", "Não é para nós, mas ele já o tinha feito sem ela."),
        ("ru", "Это не для нас, но он уже был у них, и она ещё там."),
    ],
)
def test_a_sentence_of_function_words_is_all_stop_words(language: str, sentence: str) -> None:
    """Elisions, contractions and inflected forms are covered word by word."""
    tokens = STOP_LETTERS.findall(sentence.lower())
    assert set(tokens) <= stop_words(language)


def test_chinese_has_both_scripts() -> None:
    """Function words stand in simplified and traditional characters, of one or more characters."""
    expected = "的 了 和 是 在 我 有 因为 因為 这个 這個 尽管 儘管 没有 沒有"
    assert set(expected.split()) <= stop_words("zh")


@pytest.mark.parametrize("language", sorted(set(STOP_LISTS) - {"ru", "zh"}))
def test_latin_letters_are_stop_words(language: str) -> None:
    """A single letter carries no topic."""
    assert set("abcdefghijklmnopqrstuvwxyz") <= stop_words(language)


def test_no_english_stop_stem_swallows_a_topic() -> None:
    """The stemmed list removes whole families of words: none of them holds a topic."""
    stem = PorterStemmer(PorterStemmer.ORIGINAL_ALGORITHM).stem
    stems = {stem(word) for word in stop_words("en")}
    swallowed = [topic for topic in TOPICS.split() if stem(topic) in stems]
    assert not swallowed


@pytest.mark.parametrize("language", ["", "xx", "EN", "en-GB", "../stopwords/en", "README.md"])
def test_unknown_language_has_no_stop_words(language: str) -> None:
    """A language without a list has no stop words, whatever its name looks like."""
    assert frozenset() == stop_words(language)


def test_reads_each_file_once() -> None:
    """A second call gives the very same set."""
    assert stop_words("en") is stop_words("en")


# Hypothesis shrinks letters and endings; these draw many words, fast, the same ones every time.
RANDOM_WORDS = 20_000

NLTK_NAMES = {
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
}

# Vowels are given twice where consonants would crowd them out; a letter or two of other alphabets.
LETTERS = {
    "da": "aeiouyæøåaeioubdfgklmnprstv",
    "de": "aeiouyäöüaeiouqbdfghklmnprsßtvwz",
    "en": "aeiouyaeioubcdfghjklmnpqrstvwxzé",
    "es": "aeiouáéíóúüaeioubcdfglmnñprstvyя",
    "fi": "aeiouyäöaeiouhjklmnprstv",
    "fr": "aeiouyâàéêèîôûaeiouëïbcçdfglmnpqrstv",
    "hu": "aáeéiíoóöőuúüűbcdgklmnrstvz",
    "it": "aeiouàèìòùéóaeioubcdfghlmnpqrstvz",
    "nl": "aeiouyèëïéaeiouiybcdfghjklmnprstvwz",
    "no": "aeiouyæøåaeioubdfgklmnprstv",
    "pt": "aeiouáéíóúâêôãõüaeioubcçdfglmnpqrstv",
    "ro": "aăâeiîouaeioubcdfglmnprsștț",
    "ru": "аеёиоуыэюяаеиоубвгджзйклмнпрстхцчшщъьiz",
    "sv": "aeiouyåäöaeioubdfgklmnprstv",
}

# What the algorithms look for, and the places where editions of them part.
ENDINGS = {
    "da": "erendes erende hedens erede erer ernes ende erne ene e er s t elig els lig løst gd "
    "dt kt",
    "de": "e em en ern er es s st est end ung ig ik isch lich heit keit igkeit lichkeit nis "
    "nisse nissen ln lns eln erin erinnen et ete eten etes etest system ßystem tät isier "
    "ieren chen ue",
    "en": "s es ies sses ss ed ing eed ly y ational tional enci anci izer abli alli entli eli "
    "ousli ization ation ator alism iveness fulness ousness aliti iviti biliti icate "
    "ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion "
    "ou ism ate iti ous ive ize e ll l at bl iz kked vving hhed ccs xxed yying kkings "
    "bbed tting",
    "es": "a e o os as es en an ar er ir ado ada ando iendo yendo ándo iéndo ár ér ír me se la "
    "le lo las les los nos selas selo amiento imientos ación aciones ucion uciones encia "
    "ancia idad abil iv ic mente amente ante able ible logía logías ista oso ivo íamos "
    "éamos aríamos ierais ió ya yeron uyendo yó gue guen aba aste ís áis éis emos í ía "
    "anza ismo",
    "fi": "kin kaan ko pa han sti nsa mme nne ssa sta lla lta lle tta ksi ine seen llaan isin "
    "den tten n t impa impi eja mma i j ja a ä aa ää ntta että",
    "fr": "e es s a ai as ais aise aises ait aient ant ante ants er era erait ez iez ions é ée "
    "és ées if ive ifs it is ir ira irait issait issement issements ité ités ive able "
    "isme iste ance ence logie usion ution ation ateur atrice icatrice icatrices euse "
    "euses eux oux aux eaux ment ments ement ements amment emment ière ières ier ion enn "
    "ell ett ë ï y yi yu ni abil iv iqu eus iér ièr",
    "hu": "ban ben ba be nak nek val vel ról ről ból ből hoz hez höz ig ként kor ok ek ak ök em "
    "am om öm unk ünk tok tek tök a e i o á é t at et ot öt án én jai jei k ával ével "
    "anként",
    "it": "a e i o à è ì ò are ere ire ato ata ati uto iva ivo ivi ando endo la le lo li gli "
    "gliela ci mi si ti vi ne cela azione azioni uzione atore amento imento amente mente "
    "enza enze anza abile ibile ista iste ità abilità logia logie ico ici ica iche oso "
    "ismo isco erebbe iranno ch gh ia ie io divan divani ante anti atrice",
    "nl": "e en ene s se heid heden end ing ig lijk baar bar iy ij aai ooi aat eer oor uur kk "
    "dd tt gem isch eid enheid elijk igheid ings ende iya",
    "no": "a e er en ene ane ende hetene ers ert erte s t vt dt lig elig eleg els lov slov "
    "hetslov arens heter endes edes",
    "pt": "a e o os as es i á é ar er ir ado ada ando endo indo aria eria iria asse esse isse "
    "ei ou eu iu amento imento ação ações ução uções ança anças ância ência ências logia "
    "logias amente mente ivelmente ívelmente avelmente idade idades abil iv ic ivo iva "
    "ável ível eza ista oso ira eira eiras güe qüe gue ci ce ção ã õ amos emos íamos "
    "aríamos",
    "ro": "a ă e i ul ului le lor ii iei ea ele elor ile iilor ilor iua are ere ire ând ind ată "
    "ate ește ești esc ează abil ibil ator itor ivă icat iune ism ist ice ică au am aţi "
    "eau iau",
    "ru": "а е и о у ы ь ю я й ев ов ие ье ами ями иями ой ий ый ая яя ое ее ые ие ого его ому "
    "ему ых их ую юю ящий ющ ющий ющая ующая ующий вш вший ивш ывш нн нная ем ла ло ли ла "
    "на ть ешь ит ует уют юет юют юй юйте ейте йте ила ыла ена ся сь в вши вшись ив ивши "
    "ост ость ейш ейше ц ся сь ць ъ шч ё",
    "sv": "a arna erna heterna orna ad e ade ande arne are aste en anden aren heten ern ar er "
    "heter or s as arnas ernas et t lig els ig löst fullt dd gd nn dt gt kt tt",
}


# One word or more for each part of each pattern.
PARTINGS = {
    "de": "israel poesie koeln aktuell euuen lehrerin lehrerinnen handeln segelns bausystem "
    "fraßystem arbeitet arbeitete geeignetem paketen kilometer paketes kilometern budgets buffet "
    "verletzet schließet bauet",
    "en": "grokked trekking revvings byyed flocced",
    "es": "letóéamos reaaíamos confíarlo confíarselo desvíarme fotografíarse estudíandolo "
    "ampliíandole seguíirla maníerlo",
    "fr": "laïcité ruë yuri él ès nier niais bèy byyé nyii lyui houx palais française japonaises "
    "finissemment fabricatrice fabricatrices pémentâment",
    "it": "esperienza esperienze divano",
    "nl": "kuthiraiyaat oíyse maïyen",
    "pt": "lingüistico qüestionar segurança lideranças icitivelmente isilívelmente",
    "ru": "объему кьь шчука больниця отець воюет оюёт воюй воюющий следующая следующаяся йки вдйу "
    "ть злейш хёйш кієвъ vодка",
}


def nltk_stem(language: str) -> Callable[[str], str]:
    if language == "en":
        return PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM).stem
    return SnowballStemmer(NLTK_NAMES[language]).stem


def random_words(language: str) -> list[str]:
    draw = random.Random(f"stems {language}")
    endings = ENDINGS[language].split()
    letters = LETTERS[language]
    return [
        "".join(draw.choices(letters, k=draw.randint(0, 6)) + draw.choices(endings, k=length))
        for length in draw.choices((1, 2, 3), k=RANDOM_WORDS)
    ]


def assert_stems_of_nltk(language: str, words: list[str]) -> None:
    expected, actual = nltk_stem(language), stemmer(language)
    differing = [w for w, stem in zip(words, actual(words), strict=True) if expected(w) != stem]
    assert [expected(w) for w in differing] == actual(differing), differing[:20]


@pytest.mark.parametrize("language", sorted(STEMMED_LANGUAGES))
def test_random_words_have_the_stems_of_nltk(language: str) -> None:
    """Random words full of endings stem as in nltk; a new edition of either library shows here."""
    assert_stems_of_nltk(language, random_words(language))


@pytest.mark.parametrize("language", sorted(STEMMED_LANGUAGES))
def test_short_words_have_the_stems_of_nltk(language: str) -> None:
    """All words of one and two letters stem as in nltk, the empty stems among them."""
    letters = sorted(set(LETTERS[language]))
    words = ["".join(pair) for n in (1, 2) for pair in itertools.product(letters, repeat=n)]
    assert_stems_of_nltk(language, words)


@given(
    st.sampled_from(sorted(STEMMED_LANGUAGES)),
    st.text(st.characters(categories=["L", "M"]), min_size=1, max_size=64),
)
def test_words_of_any_script_have_the_stems_of_nltk(language: str, text: str) -> None:
    """Letters the algorithms never heard of, and combining marks, change nothing."""
    assert_stems_of_nltk(language, [text.lower()])


@given(st.data())
def test_words_of_letters_and_endings_have_the_stems_of_nltk(data: st.DataObject) -> None:
    """The same with words near the language, where Hypothesis can shrink a difference."""
    language = data.draw(st.sampled_from(sorted(STEMMED_LANGUAGES)))
    part = st.sampled_from([*LETTERS[language], *ENDINGS[language].split()])
    word = "".join(data.draw(st.lists(part, min_size=1, max_size=8)))
    assert_stems_of_nltk(language, [word])


@pytest.mark.parametrize("language", sorted(PARTINGS))
def test_each_place_where_the_two_part_is_known(language: str) -> None:
    """PyStemmer's own stem of each of these words is another than nltk's; ours is not."""
    expected = nltk_stem(language)
    quick = Stemmer.Stemmer(module._QUICK[language][0]).stemWord
    words = PARTINGS[language].split()
    assert words == [word for word in words if quick(word) != expected(word)]
    assert_stems_of_nltk(language, words)


@pytest.mark.parametrize(
    ("language", "word", "stem"),
    [
        ("en", "s", ""),
        ("en", "relational", "relat"),
        ("en", "generalizations", "gener"),
        ("en", "yyyy", "yyyi"),
        ("en", "grokked", "grok"),
        ("en", "revvings", "rev"),
        ("en", "naïveté", "naïveté"),
        ("de", "häusern", "haus"),
        ("de", "arbeitet", "arbeitet"),
        ("de", "lehrerinnen", "lehrerinn"),
        ("de", "wandeln", "wandeln"),
        ("de", "aktuelle", "aktuell"),
        ("de", "nachtsystem", "nachtsyst"),
        ("de", "größe", "gross"),
        ("fr", "française", "français"),
        ("fr", "évidemment", "évident"),
        ("fr", "continuellement", "continuel"),
        ("es", "guiándolos", "gui"),
        ("es", "canciones", "cancion"),
        ("it", "esperienza", "esperit"),
        ("it", "portandogliela", "port"),
        ("pt", "desconfiança", "desconfi"),
        ("pt", "endgültig", "endgultig"),
        ("nl", "mogelijkheden", "mogelijk"),
        ("ru", "следующая", "следующ"),
        ("ru", "книгами", "книг"),
        ("sv", "kvinnorna", "kvinn"),
        ("hu", "házakban", "ház"),
    ],
)
def test_known_stems(language: str, word: str, stem: str) -> None:
    """Stems that went into stored indexes stay what they were."""
    assert [stem] == stemmer(language)([word])


@pytest.mark.parametrize("language", ["ar", "ja", "ko", "pl", "zh", "xx", ""])
def test_a_language_without_a_stemmer_keeps_its_words(language: str) -> None:
    """No stemmer of nltk's, or one with a memory (Arabic): the word is its own stem."""
    word = "häusern"
    assert [word] == stemmer(language)([word])


def test_the_installed_snowball_is_the_one_the_patterns_were_made_for() -> None:
    """Otherwise all stems are still right, but come from nltk, at a tenth of the speed."""
    assert Stemmer.version().startswith("3.1.")


@pytest.mark.parametrize("language", sorted(STEMMED_LANGUAGES))
def test_another_snowball_is_not_asked(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a version nobody compared, nltk does every word."""
    monkeypatch.setattr(Stemmer, "version", lambda: "4.0.0")
    monkeypatch.setattr(Stemmer, "Stemmer", None)
    assert_stems_of_nltk(language, random_words(language)[:500])


@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "it", "nl", "pt", "ru"])
def test_most_words_go_the_quick_way(language: str) -> None:
    """No pattern sends plain words to nltk: that would be right and slow."""
    draw = random.Random(f"plain {language}")
    letters = [c for c in LETTERS[language] if c.isalpha() and c not in "yéñßiïëюйцъьz"]
    odd = module._QUICK[language][1]
    words = ["".join(draw.choices(letters, k=8)) for _ in range(1000)]
    assert sum(bool(odd.search(word)) for word in words) < 100


LATER = """
import sys
from pagekin.text.words import stemmer
found = *stemmer("en")(["grokked"]), *stemmer("de")(["baeder"])
assert [] == [name for name in sys.modules if name.startswith(("nltk", "scipy"))]
import nltk
assert callable(nltk.word_tokenize)
porter = nltk.stem.PorterStemmer(mode="ORIGINAL_ALGORITHM")
assert found == (porter.stem("grokked"), nltk.stem.SnowballStemmer("german").stem("baeder"))
"""


def test_odd_words_do_not_bring_all_of_nltk() -> None:
    """Its stemmers are there without its package, which can be imported whole afterwards."""
    command = [sys.executable, "-c", LATER]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)


def test_nltk_is_not_imported_for_ordinary_words() -> None:
    """Its import takes as long as stemming 300,000 words the quick way."""
    script = (
        "import sys; from pagekin.text.words import stemmer;"
        "print(*stemmer('en')(['houses']), *stemmer('de')(['häuser']), 'nltk' in sys.modules)"
    )
    command = [sys.executable, "-c", script]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["hous", "haus", "False"]


@pytest.mark.parametrize("piece", ["a", "é", "éa", "ment", "arlo", "ю", "kk"])
def test_patterns_take_linear_time(piece: str) -> None:
    """A word of 20,000 letters, should one get here, takes milliseconds and not minutes."""
    start = time.perf_counter()
    for _, odd in module._QUICK.values():
        odd.search(piece * (20_000 // len(piece)) + "x")
    assert time.perf_counter() - start < 1


def test_examples_in_the_docstrings() -> None:
    """What the docstrings show is what happens."""
    assert doctest.testmod(module).failed == 0
