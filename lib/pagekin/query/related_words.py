"""Words that the snapshot taught to be related: the neighbours of a term, in words.

A word is looked for as it stands in the table, in the form in which its term is mostly written;
then as the stem that the build would have made of it in its default language; then as a term.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from pagekin.enrich.neighbours import ONE
from pagekin.errors import NotFoundError, UsageError
from pagekin.tables import UNREADABLE, ArrayFile, damaged
from pagekin.text.tokens import tokenise
from pagekin.text.words import stemmer

__all__ = ["RelatedWord", "RelatedWords", "related_words"]

_SUGGESTED = 5
_SHORT = 4  # letters: in a word of so many one error is a typing error, in a longer one two


class RelatedWord(NamedTuple):
    """A neighbour of a term."""

    word: str  # as the term is mostly written
    term: str
    weight: float  # all neighbours that the index has of a term have the sum 1
    bags: int  # of the sample, that hold it


class RelatedWords(NamedTuple):
    """A term and its neighbours."""

    word: str
    term: str
    bags: int
    sample: int  # bags that were learned from
    neighbours: list[RelatedWord]  # the nearest first


def related_words(file: ArrayFile, config: Mapping[str, Any], word: str, k: int) -> RelatedWords:
    """The `k` nearest neighbours of a word; `config` is the build's, as the index tells it.

    NotFoundError names words that are near by letters.
    """
    if k < 0:
        raise UsageError(f"k is {k}; it takes a number from 0")
    asked = tokenise(word)
    if len(asked) != 1:
        raise UsageError(f"{word!r} is not one word; words have neighbours one by one")
    try:
        return _related_words(file, config, asked[0], k)
    except UNREADABLE as error:
        raise damaged(file.path) from error


def _related_words(file: ArrayFile, config: Mapping[str, Any], word: str, k: int) -> RelatedWords:
    text, edges = file["words"].tobytes(), file["word_bounds"].tolist()
    words = [text[low:high].decode("utf-8", "replace") for low, high in pairwise(edges)]
    terms = [word.partition(" ")[0] for word in words]
    forms = [word.partition(" ")[2] for word in words]
    df = file["df"].tolist()
    for names, name in _meanings(word, config, terms, forms):
        rows = [row for row, each in enumerate(names) if each == name]
        if rows:
            return _neighbours_of(max(rows, key=df.__getitem__), file, terms, forms, k)
    near = ", ".join(_near(word, forms, df))
    hint = f"; near it are {near}" if near else ""
    raise NotFoundError(f"the index knows no neighbours of {word}{hint}")


def _neighbours_of(
    row: int, file: ArrayFile, terms: list[str], forms: list[str], k: int
) -> RelatedWords:
    df, (low, high) = file["df"].tolist(), file["bounds"][row : row + 2].tolist()
    numbers, shares = (file[name][low:high][:k].tolist() for name in ("neighbours", "shares"))
    found = [
        RelatedWord(forms[other], terms[other], round(share / ONE, 6), df[other])
        for other, share in zip(numbers, shares, strict=True)
    ]
    return RelatedWords(forms[row], terms[row], df[row], file.meta["bags"], found)


def _meanings(
    word: str, config: Mapping[str, Any], terms: list[str], forms: list[str]
) -> Iterator[tuple[list[str], str]]:
    """What a word may stand for: (forms or terms, one of them), the likeliest first."""
    yield forms, word
    text = config.get("text", {})
    if text.get("stemming") == "stem" and isinstance(text.get("default_language"), str):
        yield terms, stemmer(text["default_language"])([word])[0]
    yield terms, word


def _near(word: str, forms: list[str], df: list[int]) -> list[str]:
    """Words with few other letters, the nearest first, of these the most frequent."""
    # imported here: only an error needs it
    from rapidfuzz.distance import OSA  # noqa: PLC0415
    from rapidfuzz.process import extract  # noqa: PLC0415

    most = 1 + (len(word) > _SHORT)
    found = extract(word, forms, scorer=OSA.distance, score_cutoff=most, limit=None)
    ordered = sorted((errors, -df[place], form) for form, errors, place in found)
    return list(dict.fromkeys(form for _, _, form in ordered))[:_SUGGESTED]
