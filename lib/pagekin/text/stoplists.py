"""Stop lists: the words of a language that say nothing about the topic of a page.

The lists are data, one UTF-8 file per language in the folder `stopwords`; its README says how
their words were chosen. A list of about 800 English words follows section 3.1 of Haveliwala,
Gionis, Klein and Indyk, "Evaluating strategies for similarity search on the web" (2002).

A word is what the tokeniser gives: a run of letters in lower case. So "don't" is covered by its
parts "don" and "t", and digits never occur. This module does not stem: whoever wants the stemmed
list stems these words, with the stemmer the pages get.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

__all__ = ["LANGUAGES", "stop_words"]

# ISO 639-1 codes, one file each; a name from a page never becomes a part of a path.
LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pt", "ru", "zh")

_COMMENT = "#"


def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language by its ISO 639-1 code; none for a language without a list.

    >>> "the" in stop_words("en"), len(stop_words("tlh"))
    (True, 0)
    """
    return _read(language) if language in LANGUAGES else frozenset()


@lru_cache(maxsize=len(LANGUAGES))
def _read(language: str) -> frozenset[str]:
    path = files("pagekin").joinpath("text", "stopwords", f"{language}.txt")
    lines = path.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith(_COMMENT))
