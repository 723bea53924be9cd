"""Words become terms: stop words go, the rest are stemmed and hashed to 32 bits [SIM 3.1, 3.2].

Every distinct word is looked at once: a memo maps it to a number, and arrays map the number to its
term and to how often it was seen (for the display form: the most frequent surface variant of a
stem, [SIM] Figure 14). One look-up per running word is all that a page costs; its new words are
looked at together.

Terms of different languages share one space: a term is its letters. Two terms that share a hash
are one term from then on; at 1,000,000 terms that happens to 1 in 8,600, and it is counted where
the dictionary is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from pagekin.config import TextConfig
from pagekin.text.markup import CODES
from pagekin.text.pieces import UNKNOWN, make_pieces
from pagekin.text.segment import needs_segmenting
from pagekin.text.stems import stemmer
from pagekin.text.stoplists import stop_words
from pagekin.text.tokens import piece_words

__all__ = [
    "FIRST_HASH",
    "Form",
    "Forms",
    "Vocabulary",
    "WordTable",
    "term_hash",
]

FIRST_HASH = 16  # 0 is a dropped word, and the others below are free
_FULL = 80_000  # words in all tables: about 15 MB, in Python alone 23
_KEPT = _FULL // 2  # of them stay when they are taken: the most frequent

_AT_ONCE = 10_000  # words that are stemmed, or told, together
_LONGEST = 200  # bytes of an odd piece that is remembered
_SHORT = 30  # and of one without blanks between its words: ten characters, as in menus
_PLAIN_END = "\u0530"  # below: Latin, Greek, Cyrillic

Numbers = NDArray[np.int32]
Terms = NDArray[np.uint32]
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


class WordTable:
    """The words of one language: number 0 is no word, markers are negative."""

    def __init__(self, config: TextConfig, language: str) -> None:
        known = _LEFT.pop((config, language), None)
        self._memo = known or _Memo(_term_rule(config, language), config.max_letters)
        self._counts = np.zeros(len(self._memo.hashes), dtype=np.int64)

    def __len__(self) -> int:
        return len(self._memo.pieces) + len(self._memo.foreign)

    def numbers(self, text: bytes) -> Numbers:
        """The number of each token of a flat text with its sentences marked."""
        memo = self._memo
        numbers = np.frombuffer(memo.pieces.numbers(text, memo.look_closely), dtype=np.int32)
        memo.learn()
        return numbers

    def numbers_of(self, words: Sequence[str]) -> Numbers:
        """The number of each token."""
        numbers = np.fromiter(map(self._memo.number, words), dtype=np.int32, count=len(words))
        self._memo.learn()
        return numbers

    def terms(self, numbers: Numbers) -> Terms:
        """The term hash of each number (none of them a marker); 0 for a dropped word."""
        return self._memo.hashes[numbers]

    @property
    def hashes(self) -> Terms:
        """The term hash of each word, by number."""
        return self._memo.hashes

    def counts(self) -> NDArray[np.int64]:
        """How often each word was seen, by number; to be added to."""
        if len(self._counts) < len(self._memo.hashes):
            self._counts.resize(len(self._memo.hashes), refcheck=False)  # filled up with zeros
        return self._counts

    def count(self, numbers: Numbers) -> None:
        """Note that these words were seen."""
        np.add.at(self.counts(), numbers, 1)

    def seen(self, least: int) -> NDArray[np.int64]:
        """The numbers of the words that were seen so often."""
        return 1 + np.flatnonzero(self._counts[1:] >= least)

    def forget(self, least: int) -> None:
        """Start anew with the words that were seen so often; the others are learned again."""
        self._memo = self._memo.of(self.seen(least).tolist())
        self._counts = np.zeros(len(self._memo.hashes), dtype=np.int64)

    def leave(self) -> _Memo:
        """The words that it knows, for a table of the same rules; this one is at its end."""
        return self._memo

    def forms(self) -> Iterator[Forms]:
        """Every word seen that was not dropped, with its term and count."""
        # what is there now: the table may forget it before the forms are asked for
        memo, counts, numbers = self._memo, self._counts, self.seen(1)
        pieces = (numbers[k : k + _AT_ONCE] for k in range(0, len(numbers), _AT_ONCE))
        return (memo.forms(piece, counts[piece]) for piece in pieces)


def _is_plain(word: str) -> bool:
    """Is a piece beyond ASCII surely a word as it stands? So are most in Europe."""
    return word.isalpha() and word.islower() and max(word) < _PLAIN_END


def _has_letter(word: str) -> bool:
    """Marks alone are no word."""
    return any(c.isalpha() for c in word)


class _Memo:
    """piece -> number, and number -> word, term and hash; learns a word at its first sight.

    A piece in ASCII is a word. Others are odd, and looked at closely. It does not know its table:
    in a circle of references both would wait for the collector.
    """

    def __init__(self, terms_of: TermRule, max_letters: int) -> None:
        self._terms_of = terms_of
        self._max_letters = max_letters
        self._longest = max(_LONGEST, 4 * max_letters)
        self.foreign: dict[str, int] = {}  # words that as a piece would be odd
        self.words: list[str] = [""]
        self.terms: list[str] = [""]
        self.hashes = np.zeros(1024, dtype=np.uint32)
        self.pieces = make_pieces(self.words, max_letters)
        for marker, code in CODES.items():
            self.pieces.put(marker.encode(), [code])

    def of(self, numbers: list[int]) -> _Memo:
        """A new one with these words alone, numbered anew from 1."""
        memo = _Memo(self._terms_of, self._max_letters)
        memo.words += map(self.words.__getitem__, numbers)
        pieces, known = [], []
        for number, word in enumerate(memo.words[1:], 1):
            if word.isascii() or _is_plain(word):
                pieces.append(word.encode())
                known.append(number)
            else:
                memo.foreign[word] = number
        memo.pieces.put_words(pieces, known)
        memo.terms += map(self.terms.__getitem__, numbers)
        memo.hashes = np.zeros(max(1024, 2 * len(numbers)), dtype=np.uint32)
        memo.hashes[1 : len(memo.words)] = self.hashes[numbers]
        return memo

    def forms(self, numbers: NDArray[np.int64], seen: NDArray[np.int64]) -> Forms:
        """These words, that were seen so often."""
        places = numbers.tolist()
        terms = list(map(self.terms.__getitem__, places))
        return Forms(self.hashes[numbers], terms, list(map(self.words.__getitem__, places)), seen)

    def number(self, word: str) -> int:
        """The number of a word or marker."""
        if word.isascii():
            return self.pieces.number(word.encode())
        if len(word) > self._max_letters:
            return 0
        if _is_plain(word):
            piece = word.encode()
            number = self.pieces.number(piece)
            if number == UNKNOWN:
                number = self._add(word)
                self.pieces.put(piece, [number])
            return number
        if word not in self.foreign:
            if not (word.isalpha() or _has_letter(word)):
                return 0
            self.foreign[word] = self._add(word)
        return self.foreign[word]

    def _add(self, word: str) -> int:
        self.words.append(word)
        return len(self.words) - 1

    def look_closely(self, piece: bytes) -> list[int]:
        """The numbers of the words in a piece, which is remembered if it may be met again."""
        if len(piece) <= _LONGEST and _is_plain(word := piece.decode()):
            return [self.number(word)]
        words = piece_words(piece)
        known = self.foreign.get  # most of Chinese and Japanese
        numbers = [known(word) or self.number(word) for word in words]
        if len(piece) <= _SHORT or not (
            len(piece) > self._longest or needs_segmenting(piece.decode())
        ):
            self.pieces.put(piece, numbers)
        return numbers

    def learn(self) -> None:
        """Look at the words that were added since the last time."""
        while len(self.words) > len(self.hashes):
            self.hashes = np.concatenate([self.hashes, np.zeros_like(self.hashes)])
        while new := self.words[len(self.terms) : len(self.terms) + _AT_ONCE]:
            self._learn(new)

    def _learn(self, new: list[str]) -> None:
        terms, known = self._terms_of(new), len(self.terms)
        hashes = [term_hash(term) if term else 0 for term in terms]
        self.hashes[known : known + len(new)] = hashes
        # not a second string where one will do
        self.terms += [w if w == term else term for w, term in zip(new, terms, strict=True)]


# What the last task of this process knew, for the next; no result depends on it.
_LEFT: dict[tuple[TextConfig, str], _Memo] = {}


def _term_rule(config: TextConfig, language: str) -> TermRule:
    """The terms of words, "" for a word that is dropped."""
    stops = stop_words(language) if config.stop_words else frozenset()
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


class Vocabulary:
    """The word tables of all languages that a task meets, within bounded memory."""

    def __init__(self, config: TextConfig) -> None:
        self._config = config
        self._tables: dict[str, WordTable] = {}

    def table(self, language: str) -> WordTable:
        """The table for a language ("": unknown), made at its first page."""
        language = language or self._config.default_language
        table = self._tables.get(language)
        if table is None:
            table = self._tables[language] = WordTable(self._config, language)
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
            _LEFT.clear()
            for language, table in self._tables.items():
                _LEFT[self._config, language] = table.leave()
            self._tables = {}
        return chain.from_iterable(forms)

    def _frequent(self) -> int:
        """How often at least the words were seen that stay."""
        counts = np.concatenate([table.counts() for table in self._tables.values()])
        if len(counts) <= _KEPT:
            return 2
        return max(2, int(np.partition(counts, -_KEPT)[-_KEPT]) + 1)
