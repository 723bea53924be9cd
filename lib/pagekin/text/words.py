"""Words become terms: stop words go, the rest are stemmed and hashed to 32 bits [SIM 3.1, 3.2].

Every distinct word is looked at once: a memo maps it to a number, and arrays map the number to its
term and to how often it was seen (for the display form: the most frequent surface variant of a
stem, [SIM] Figure 14). One look-up per running word is all that a page costs.

Terms of different languages share one space: a term is its letters. Two terms that share a hash
are one term from then on; at 1,000,000 terms that happens to 1 in 8,600, and it is counted where
the dictionary is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from pagekin.config import TextConfig
from pagekin.text.markup import CODES
from pagekin.text.stems import stemmer
from pagekin.text.stoplists import stop_words
from pagekin.text.tokens import Tokens
from pagekin.text.wordindex import WordIndex

__all__ = ["FIRST_HASH", "Form", "Vocabulary", "WordTable", "term_hash"]

FIRST_HASH = 16  # 0 is a dropped word, and the others below are free
_FULL = 120_000  # words in all tables: about 35 MB
_KEPT = _FULL // 2  # of them stay when they are taken: the most frequent

Numbers = NDArray[np.int32]
Terms = NDArray[np.uint32]


class Form(NamedTuple):
    """A term, one surface form of it, and how often that form was seen."""

    hash: int
    term: str
    form: str
    seen: int


def term_hash(term: str) -> int:
    """The 32-bit name of a term; fixed for ever, because it is stored."""
    value: int = xxhash.xxh32_intdigest(term.encode("utf-8", "replace"))
    return value if value >= FIRST_HASH else value + FIRST_HASH


class WordTable:
    """The words of one language: number 0 is any word that is dropped, markers are negative."""

    def __init__(self, config: TextConfig, language: str) -> None:
        self._memo = _Memo(_term_rule(config, language), config.max_letters)
        self._index = WordIndex()
        self._counts = np.zeros(len(self._memo.hashes), dtype=np.int64)

    def __len__(self) -> int:
        return len(self._memo)

    def numbers(self, tokens: Tokens | list[str]) -> Numbers:
        """The number of each token."""
        if isinstance(tokens, Tokens):
            return self._index.numbers(tokens, self._memo)
        return np.fromiter(map(self._memo.__getitem__, tokens), dtype=np.int32, count=len(tokens))

    def terms(self, numbers: Numbers) -> Terms:
        """The term hash of each number (none of them a marker); 0 for a dropped word."""
        return self._memo.hashes[numbers]

    def count(self, numbers: Numbers) -> None:
        """Note that these words were seen."""
        if len(self._counts) < len(self._memo.hashes):
            self._counts.resize(len(self._memo.hashes), refcheck=False)  # filled up with zeros
        np.add.at(self._counts, numbers, 1)

    def seen(self, least: int) -> NDArray[np.int64]:
        """The numbers of the words that were seen so often."""
        return 1 + np.flatnonzero(self._counts[1:] >= least)

    def counts(self) -> NDArray[np.int64]:
        """How often each word was seen, by number."""
        return self._counts

    def forget(self, least: int) -> None:
        """Start anew with the words that were seen so often; the others are learned again."""
        kept = self.seen(least)
        self._index.renumber(kept, len(self._memo.words))
        self._memo = self._memo.of(kept.tolist())
        self._counts = np.zeros(len(self._memo.hashes), dtype=np.int64)

    def forms(self) -> Iterator[Form]:
        """Every word seen, with its term and count."""
        numbers = self.seen(1)
        terms, words = self._memo.terms, self._memo.words
        return map(
            Form,
            self._memo.hashes[numbers].tolist(),
            map(terms.__getitem__, numbers.tolist()),
            map(words.__getitem__, numbers.tolist()),
            self._counts[numbers].tolist(),
        )


def _has_letter(word: str) -> bool:
    """Marks alone are no word."""
    return any(c.isalpha() for c in word)


class _Memo(dict[str, int]):
    """word -> number, and number -> word, term and hash; learns a word at its first sight.

    It does not know its table: in a circle of references both would wait for the collector.
    """

    def __init__(self, term_of: Callable[[str], str], max_letters: int) -> None:
        super().__init__(CODES)
        self._term_of = term_of
        self._max_letters = max_letters
        self.words: list[str] = [""]
        self.terms: list[str] = [""]
        self.hashes = np.zeros(1024, dtype=np.uint32)

    def of(self, numbers: list[int]) -> _Memo:
        """A new one with these words alone, numbered anew from 1."""
        memo = _Memo(self._term_of, self._max_letters)
        memo.words += map(self.words.__getitem__, numbers)
        memo.terms += map(self.terms.__getitem__, numbers)
        memo.hashes = np.zeros(max(1024, 2 * len(numbers)), dtype=np.uint32)
        memo.hashes[1 : len(memo.words)] = self.hashes[numbers]
        memo.update(zip(memo.words[1:], range(1, len(memo.words)), strict=True))
        return memo

    def __missing__(self, word: str) -> int:
        if len(word) > self._max_letters:
            return 0  # and not remembered: a run of letters may have megabytes
        term = self._term_of(word) if word.isalpha() or _has_letter(word) else ""
        if not term:
            self[word] = 0
            return 0
        number = self[word] = len(self.words)
        self.words.append(word)
        self.terms.append(word if term == word else term)  # not a second string where one will do
        if number == len(self.hashes):
            self.hashes = np.concatenate([self.hashes, np.zeros_like(self.hashes)])
        self.hashes[number] = term_hash(term)
        return number


def _term_rule(config: TextConfig, language: str) -> Callable[[str], str]:
    """word -> its term, or "" for a word that is dropped."""
    stops = stop_words(language) if config.stop_words else frozenset()
    if config.stemming == "nostem":
        return lambda word: "" if word in stops else word
    stem = stemmer(language)
    stopped = frozenset(map(stem, stops))
    if config.stemming == "stopstem":
        # a word that stems to nothing ("s") is no word for STEM, so it is none here
        return lambda word: word if stem(word) and stem(word) not in stopped else ""

    def stemmed(word: str) -> str:
        result = stem(word)
        return "" if result in stopped else result

    return stemmed


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

    def take_forms(self) -> Iterator[Form]:
        """All forms seen so far; afterwards none has been seen.

        Full tables keep their frequent words, which would only be learned again. To forget all of
        120,000 would cost a task 1 % more.
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
        counts = np.concatenate([table.counts() for table in self._tables.values()])
        if len(counts) <= _KEPT:
            return 2
        return max(2, int(np.partition(counts, -_KEPT)[-_KEPT]) + 1)
