"""Words become terms: stop words go, the rest are stemmed and hashed to 32 bits [SIM 3.1, 3.2].

`Vocabulary` holds a `WordTable` for each language. Every distinct word is looked at once: a memo
maps it to a number, and arrays map the number to its term and to how often it was seen (for the
display form: the most frequent surface variant of a stem, [SIM] Figure 14). One look-up per running
word is all that a page costs; its new words are stemmed together.

Terms of different languages share one space: a term is its letters. Two terms that share a hash
are one term from then on; at 1,000,000 terms that happens to 1 in 8,600, and it is counted where
the dictionary is made.

Stop lists are data, one file per language in the folder `stopwords`, whose README says how their
words were chosen. For other languages a build derives lists (`pagekin.stages.inventory`).

The definition of a stem is nltk's: for English Porter's algorithm as published (Porter, "An
algorithm for suffix stripping", 1980; `PorterStemmer(mode="ORIGINAL_ALGORITHM")`), for other
languages `SnowballStemmer(language)`. PyStemmer runs the same algorithms in C some 3 to 20 times
faster, but not always the same edition of them. So each language has a pattern that finds every
word on which the two may disagree; those go to nltk, all others to PyStemmer. How the patterns were
found: both sources read side by side, rule by rule (the comment above each pattern says where they
part), then millions of random words built of the suffixes of both sides. They hold for the
algorithms of Snowball 3.1; any other version is not trusted and nltk does all. There is no Arabic
stemmer: nltk's carries state from word to word, so a stem would depend on what came before.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from itertools import chain, compress, count
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import NamedTuple

import numpy as np
import Stemmer  # type: ignore[import-not-found]
import xxhash
from numpy.typing import NDArray

from pagekin.config import TextConfig
from pagekin.text.tokens import CODES, UNKNOWN, make_pieces, needs_segmenting, piece_words

__all__ = [
    "FIRST_HASH",
    "STEMMED_LANGUAGES",
    "STOP_LISTS",
    "Form",
    "Forms",
    "Stems",
    "StopLists",
    "Vocabulary",
    "WordTable",
    "load_stemmers",
    "stemmer",
    "stop_words",
    "term_hash",
]

FIRST_HASH = 16  # 0 is a dropped word, and the others below are free
_FULL = 80_000  # words in all tables: about 15 MB, in Python alone 23
_KEPT = _FULL // 2  # of them stay when their forms are taken: the most frequent

_AT_ONCE = 10_000  # words that are stemmed, or given as forms, together
_LONGEST = 200  # bytes of a piece beyond ASCII that is remembered
_SHORT = 30  # and of one without blanks between its words: ten characters, as in menus
_PLAIN_END = "\u0530"  # below: Latin, Greek, Cyrillic

WordNumbers = NDArray[np.int32]
Terms = NDArray[np.uint32]
StopLists = Mapping[str, frozenset[str]]  # by language
TermRule = Callable[[Sequence[str]], list[str]]


class Form(NamedTuple):
    """A term, one surface form of it, and how often that form was seen."""

    hash: int
    term: str
    form: str
    seen: int


class Forms(NamedTuple):
    """Many of them, as columns."""

    hashes: Terms
    terms: list[str]
    forms: list[str]
    seen: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Iterable[Form]) -> Forms:
        """Single forms as columns."""
        some = list(rows)
        hashes = np.array([form.hash for form in some], np.uint32)
        seen = np.array([form.seen for form in some], np.int64)
        return cls(hashes, [form.term for form in some], [form.form for form in some], seen)

    def rows(self) -> Iterator[Form]:
        """The columns as single forms."""
        columns = self.hashes.tolist(), self.terms, self.forms, self.seen.tolist()
        return map(Form, *columns)


def term_hash(term: str) -> int:
    """The 32-bit name of a term; fixed for ever, because it is stored."""
    value: int = xxhash.xxh32_intdigest(term.encode("utf-8", "replace"))
    return value if value >= FIRST_HASH else value + FIRST_HASH


class Vocabulary:
    """The word tables of all languages that a task meets, within bounded memory."""

    def __init__(self, config: TextConfig, derived: StopLists | None = None) -> None:
        """`derived` are the stop lists of languages that none is shipped for."""
        self._config = config
        self._derived = derived or {}
        self._tables: dict[str, WordTable] = {}

    def table(self, language: str) -> WordTable:
        """The table for a language ("": unknown), made at its first page."""
        language = language or self._config.default_language
        table = self._tables.get(language)
        if table is None:
            stops = stop_words(language) or self._derived.get(language, frozenset())
            table = self._tables[language] = WordTable(self._config, language, stops)
        return table

    def full(self) -> bool:
        """Is it time to take the forms and start anew?"""
        return sum(map(len, self._tables.values())) > _FULL

    def take_forms(self) -> Iterator[Forms]:
        """All forms seen so far; afterwards none has been seen.

        Full tables keep their frequent words, which would only be learned again.
        """
        forms = [table.forms() for table in self._tables.values()]
        if self.full():
            least = self._frequent()
            for table in self._tables.values():
                table.forget(least)
        else:
            self._tables = {}
        return chain.from_iterable(forms)

    def _frequent(self) -> int:
        """How often at least the words were seen that stay."""
        counts = np.concatenate([table.counts for table in self._tables.values()])
        if len(counts) <= _KEPT:
            return 2
        return max(2, int(np.partition(counts, -_KEPT)[-_KEPT]) + 1)


class WordTable:
    """The words of one language by number, with their terms; it learns a word at its first sight.

    Number 0 is no word, and markers have the negative numbers of `CODES`. `hashes` has the term
    hash of each word by number (0: it is dropped), `counts` how often it was seen.
    """

    def __init__(
        self, config: TextConfig, language: str, stops: frozenset[str] | None = None
    ) -> None:
        """`stops` are the stop words, in place of those that are shipped for the language."""
        stops = stop_words(language) if stops is None else stops
        self._terms_of = _term_rule(config, language, stops if config.stop_words else frozenset())
        self._max_letters = config.max_letters
        self._start([""], [""])

    def _start(self, words: list[str], terms: list[str]) -> None:
        self._words, self._terms = words, terms
        self._pieces = make_pieces(words, self._max_letters)
        self._foreign: dict[str, int] = {}  # words that are not the whole of a plain piece
        self.hashes: Terms = np.zeros(max(1024, 2 * len(words)), dtype=np.uint32)
        self.counts = np.zeros(len(self.hashes), dtype=np.int64)
        for marker, code in CODES.items():
            self._pieces.put(marker.encode(), [code])

    def __len__(self) -> int:
        return len(self._pieces) + len(self._foreign)

    def numbers(self, text: bytes) -> WordNumbers:
        """The number of each token of a flat text with its sentences marked."""
        numbers = np.frombuffer(self._pieces.numbers(text, self._look_up), dtype=np.int32)
        self._learn()
        return numbers

    def numbers_of(self, words: Sequence[str]) -> WordNumbers:
        """The number of each token."""
        numbers = np.fromiter(map(self._number, words), dtype=np.int32, count=len(words))
        self._learn()
        return numbers

    def terms(self, numbers: WordNumbers) -> Terms:
        """The term hash of each number (none of them a marker); 0 for a dropped word."""
        return self.hashes[numbers]

    def count(self, numbers: WordNumbers) -> None:
        """Note that these words were seen."""
        np.add.at(self.counts, numbers, 1)

    def forms(self) -> Iterator[Forms]:
        """Every word that was counted, with its term and count."""
        # what is there now: the table may forget it before the forms are asked for
        words, terms, hashes, counts = self._words, self._terms, self.hashes, self.counts
        seen = self._seen(1)
        return (
            Forms(
                hashes[some],
                [terms[number] for number in some.tolist()],
                [words[number] for number in some.tolist()],
                counts[some],
            )
            for some in (seen[k : k + _AT_ONCE] for k in range(0, len(seen), _AT_ONCE))
        )

    def forget(self, least: int) -> None:
        """Start anew with the words that were seen so often, numbered from 1."""
        kept, hashes = self._seen(least), self.hashes
        words, terms = self._words, self._terms
        numbers = [0, *kept.tolist()]
        self._start([words[n] for n in numbers], [terms[n] for n in numbers])
        self.hashes[1 : len(numbers)] = hashes[kept]
        pieces, known = [], []
        for number, word in enumerate(self._words[1:], 1):
            if word.isascii() or _is_plain(word):
                pieces.append(word.encode())
                known.append(number)
            else:
                self._foreign[word] = number
        self._pieces.put_words(pieces, known)

    def _seen(self, least: int) -> NDArray[np.int64]:
        """The numbers of the words that were seen so often."""
        return 1 + np.flatnonzero(self.counts[1:] >= least)

    def _number(self, word: str) -> int:
        """The number of a word or marker."""
        if word.isascii():
            return self._pieces.number(word.encode())
        if len(word) > self._max_letters:
            return 0
        if _is_plain(word):
            piece = word.encode()
            number = self._pieces.number(piece)
            if number == UNKNOWN:
                number = self._add(word)
                self._pieces.put(piece, [number])
            return number
        if word not in self._foreign:
            if not any(map(str.isalpha, word)):  # marks alone
                return 0
            self._foreign[word] = self._add(word)
        return self._foreign[word]

    def _add(self, word: str) -> int:
        self._words.append(word)
        return len(self._words) - 1

    def _look_up(self, piece: bytes) -> list[int]:
        """The numbers of the words in a piece beyond ASCII, which is remembered if it is short."""
        if len(piece) <= _LONGEST and _is_plain(word := piece.decode()):
            return [self._number(word)]
        known = self._foreign.get  # most of Chinese and Japanese
        numbers = [known(word) or self._number(word) for word in piece_words(piece)]
        if len(piece) <= _SHORT or not (
            len(piece) > max(_LONGEST, 4 * self._max_letters) or needs_segmenting(piece.decode())
        ):
            self._pieces.put(piece, numbers)
        return numbers

    def _learn(self) -> None:
        """Find the terms of the words that were added since the last time."""
        while len(self._words) > len(self.hashes):
            self.hashes = np.concatenate([self.hashes, np.zeros_like(self.hashes)])
            self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)])
        while new := self._words[len(self._terms) : len(self._terms) + _AT_ONCE]:
            terms, first = self._terms_of(new), len(self._terms)
            self.hashes[first : first + len(new)] = [
                term_hash(term) if term else 0 for term in terms
            ]
            # not a second string where one will do
            self._terms += [w if w == term else term for w, term in zip(new, terms, strict=True)]


def _is_plain(word: str) -> bool:
    """Is a piece beyond ASCII surely a word as it stands? So are most in Europe."""
    return word.isalpha() and word.islower() and max(word) < _PLAIN_END


def _term_rule(config: TextConfig, language: str, stops: frozenset[str]) -> TermRule:
    """The terms of words, "" for a word that is dropped."""
    if config.stemming == "nostem":
        return lambda words: ["" if word in stops else word for word in words]
    stems = stemmer(language)
    # a word that stems to nothing ("s") is dropped, as a word by STOPSTEM too
    stopped = frozenset(("", *stems(sorted(stops))))
    if config.stemming == "stopstem":
        return lambda words: [
            "" if stem in stopped else word for word, stem in zip(words, stems(words), strict=True)
        ]
    return lambda words: ["" if stem in stopped else stem for stem in stems(words)]


# --- stop lists -----------------------------------------------------------------------------------

# ISO 639-1 codes, one file each; a name from a page never becomes a part of a path.
STOP_LISTS = ("de", "en", "es", "fr", "it", "nl", "pt", "ru", "zh")


@cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language by its ISO 639-1 code; none for a language without a list.

    A word is what the tokeniser gives: a run of letters in lower case. So "don't" is covered by its
    parts "don" and "t".

    >>> "the" in stop_words("en"), len(stop_words("tlh"))
    (True, 0)
    """
    if language not in STOP_LISTS:
        return frozenset()
    path = files("pagekin").joinpath("text", "stopwords", f"{language}.txt")
    lines = path.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


# --- stems ----------------------------------------------------------------------------------------

Stems = Callable[[Sequence[str]], list[str]]

# Snowball's suffix rules change between minor versions (3.0 to 3.1: Danish and Finnish).
_VERIFIED_SNOWBALL = "3.1."

_NLTK_NAMES: Mapping[str, str] = MappingProxyType(
    {
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
)

STEMMED_LANGUAGES = frozenset({"en", *_NLTK_NAMES})

# English. Vowels and consonants are told apart alike (a letter other than aeiouy, of any script,
# is a consonant; y is one at the start or after a vowel), so m() > 0 and m() > 1 of a prefix are
# the regions R1 and R2 as long as no rule changes that pattern before the tested end: replacements
# put a vowel for a vowel, y -> i stands at the very end, and biliti -> ble is followed only by
# tests before its b, or by 5a, where neither side can see cvc. In every step nltk's first rule that
# fits is the longest, which is what Snowball takes. One rule differs: step 1b undoubles *any*
# consonant but l, s, z in nltk, and only the nine common ones in Snowball (grokked: grok, grokk).
# It is reached by words in -ed and -ing, to which step 1a may have taken an s.
_ODD_ENGLISH = r"([^aeioubdfgmnprtlsz])\1(?:ed|ing)s?\Z"

# German. Snowball 3 reads ae, oe, ue as umlauts (not the u of qu or between vowels, where it is
# a consonant), takes off -erin, -erinnen and -et after some letters, shortens -ln and -lns,
# and keeps -system. -et counts at the end of what step 1 leaves; a sharp s is an ss for both.
_ODD_GERMAN = (
    r"ae|oe|(?<![aeioäöüq])ue"
    r"|(?:erin(?:nen)?|lns?|[sß]ystem|[udfgklmnrstzäß]et(?:e[mnrs]?|ern|s)?)\Z"
)

# French. Snowball 3 takes ë and ï apart, marks the y at both ends of a word, meets yi, yu and yy in
# another order, begins RV after ni + vowel, and has new rules for -oux, -ais, -aise. nltk looks
# into regions it has not cut (-emment, -icatrice), leaves an accent on the first letter, and takes
# -ment off no region that begins with ment.
_ODD_FRENCH = (
    r"[ëï]|\A(?:[yéè]|ni[aeiouyâàéêèîôûù])|y(?:[iuy]|\Z)"
    r"|(?:oux|ais(?:es?)?|emment|icatrices?)\Z|\A(?:(?!ment).)*+ment.*ments?\Z"
)

# Spanish. nltk has -éamos where Snowball has -íamos, and it strips the accents of the whole word,
# not only those of the ending, when it takes a pronoun off.
_ODD_SPANISH = (
    r"[éí]amos\Z"
    r"|\A[^áéíóú]*+[áéíóú].*(?:[aáeé]ndo|[aáeéií]r)(?:se)?(?:l[aeo]s?|me|se|nos)\Z"
)

# Italian. -enza becomes -ente in Snowball but -te in nltk; Snowball has an exception for divano.
_ODD_ITALIAN = r"enz[ae]\Z|\Adivan"

# Portuguese. nltk reads gü and qü as gu and qu, knows -ança, and has -ivel for Snowball's -ível.
_ODD_PORTUGUESE = r"[gq]ü|(?:anças?|[ií]velmente)\Z"

# Dutch (Snowball's dutch_porter; its "dutch" is another algorithm since 3.0). After a vowel an i
# before y is marked first in Snowball, the y first in nltk.
_ODD_DUTCH = r"[iíï]y"

# Russian. nltk works on a transliteration: й looks like a vowel unless it follows one, ъ like two
# ь, шч like щ, the end of ц like с, and suffixes in у fit the second half of ю. It transliterates
# other letters too, takes endings off words without a vowel, and misspells -ующая in its list.
_ODD_RUSSIAN = (
    r"[^а-яё]|ъ|ьь|шч|ц[ья]|ю(?:[её]т|[йю])|ующая(?:с[ья])?\Z"
    r"|(?:\A|[^аеёиоуыэюя])й|\A[^аеёиоуыэюя]*(?:\Z|[её]йш)"
)

# Language -> its name in PyStemmer, and the words to leave to nltk.
_QUICK: Mapping[str, tuple[str, re.Pattern[str]]] = MappingProxyType(
    {
        "de": ("german", re.compile(_ODD_GERMAN)),
        "en": ("porter", re.compile(_ODD_ENGLISH)),
        "es": ("spanish", re.compile(_ODD_SPANISH)),
        "fr": ("french", re.compile(_ODD_FRENCH)),
        "it": ("italian", re.compile(_ODD_ITALIAN)),
        "nl": ("dutch_porter", re.compile(_ODD_DUTCH)),
        "pt": ("portuguese", re.compile(_ODD_PORTUGUESE)),
        "ru": ("russian", re.compile(_ODD_RUSSIAN)),
    }
)


def stemmer(language: str) -> Stems:
    """The function from words to their stems; for a language without a stemmer, the words.

    Words are runs of letters in lower case. A stem may be empty: Porter takes "s" to "". Many words
    at once cost a third of one by one. The function holds a PyStemmer object, which is not
    thread-safe: ask for one per thread.

    >>> stemmer("en")(["relational"]), stemmer("de")(["häusern"]), stemmer("zh")(["中国"])
    (['relat'], ['haus'], ['中国'])
    """
    if language in _QUICK and Stemmer.version().startswith(_VERIFIED_SNOWBALL):
        return _quick_stemmer(language)
    if language in STEMMED_LANGUAGES:
        return lambda words: list(map(_load_nltk_stemmer(language), words))
    return list


def load_stemmers() -> None:
    """Load nltk's stemmers before the first word that needs one."""
    for language in _QUICK:
        _load_nltk_stemmer(language)


def _quick_stemmer(language: str) -> Stems:
    name, odd = _QUICK[language]
    quick: Stems = Stemmer.Stemmer(name, 0).stemWords  # 0: no cache of its own
    is_odd = odd.search

    def stems(words: Sequence[str]) -> list[str]:
        found = quick(words)
        for number in compress(count(), map(is_odd, words)):
            found[number] = _load_nltk_stemmer(language)(words[number])
        return found

    return stems


@cache
def _load_nltk_stemmer(language: str) -> Callable[[str], str]:
    # Not before its first word: English text hardly ever needs it.
    # Sharing is safe: apart from the Arabic one these stemmers keep no state.
    if language == "en":
        porter = _nltk_module("porter").PorterStemmer
        original: Callable[[str], str] = porter(mode=porter.ORIGINAL_ALGORITHM).stem
        return original
    snowball: Callable[[str], str] = (
        _nltk_module("snowball").SnowballStemmer(_NLTK_NAMES[language]).stem
    )
    return snowball


def _nltk_module(name: str) -> ModuleType:
    """A module of nltk.stem (porter, snowball) without the rest of nltk.

    `import nltk.stem` runs the whole package: 0.1 s of CPU and 23 MB in each task that meets one
    odd word, and 1.1 s where scipy is installed. A stemmer needs four modules of it: 12 ms, 3 MB.
    So these are loaded with empty packages around them, which are taken away again: who imports
    nltk later gets all of it. Stemmers that drop stop words would miss its corpora.
    """
    if "nltk" in sys.modules:
        return importlib.import_module(f"nltk.stem.{name}")
    with _empty_nltk():
        return importlib.import_module(f"nltk.stem.{name}")


@contextmanager
def _empty_nltk() -> Iterator[None]:
    """Packages that know where their modules lie and run no code of their own."""
    spec = importlib.util.find_spec("nltk")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'nltk'", name="nltk")
    folder = Path(spec.submodule_search_locations[0])
    for name in ("nltk", "nltk.stem", "nltk.corpus"):
        package = sys.modules[name] = ModuleType(name)
        package.__path__ = [str(folder.joinpath(*name.split(".")[1:]))]
    vars(sys.modules["nltk.corpus"])["stopwords"] = None
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "nltk"]:
            del sys.modules[name]
