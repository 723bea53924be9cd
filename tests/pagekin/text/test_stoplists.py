"""The stop lists as data (format, size, members) and their reader."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from nltk.stem.porter import PorterStemmer

from pagekin.text.stoplists import LANGUAGES, stop_words

FOLDER = Path(__file__).parents[3] / "lib" / "pagekin" / "text" / "stopwords"

# As the tokeniser: runs of letters of any script.
LETTERS = re.compile(r"[^\W\d_]+")

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
    assert list(LANGUAGES) == sorted(path.stem for path in FOLDER.glob("*.txt"))


@pytest.mark.parametrize("language", LANGUAGES)
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
            if not LETTERS.fullmatch(word)
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
    tokens = LETTERS.findall(sentence.lower())
    assert set(tokens) <= stop_words(language)


def test_chinese_has_both_scripts() -> None:
    """Function words stand in simplified and traditional characters, of one or more characters."""
    expected = "的 了 和 是 在 我 有 因为 因為 这个 這個 尽管 儘管 没有 沒有"
    assert set(expected.split()) <= stop_words("zh")


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"ru", "zh"}))
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
