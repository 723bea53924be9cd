"""The stem of a word, by language: cheap, and equal to nltk's to the letter.

The definition of a stem is nltk's: for English Porter's algorithm as published (Porter, "An
algorithm for suffix stripping", 1980; `PorterStemmer(mode="ORIGINAL_ALGORITHM")`), for other
languages `SnowballStemmer(language)`. PyStemmer runs the same algorithms in C some 3 to 20 times
faster, but not always the same edition of them. So each language has a pattern that finds every
word on which the two may disagree; those go to nltk, all others to PyStemmer.

How the patterns were found: both sources read side by side, rule by rule (the comment above each
pattern says where they part), then millions of random words built of the suffixes of both sides.
They hold for the algorithms of Snowball 3.1; any other version is not trusted and nltk does all.

Not done here: no memo (callers keep one), no languages without an nltk stemmer, and no Arabic:
nltk's Arabic stemmer carries state from word to word, so a stem would depend on what came before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import compress, count
from types import MappingProxyType

import Stemmer  # type: ignore[import-not-found]

from pagekin.text.nltk_stemmers import load_module

__all__ = ["STEMMED_LANGUAGES", "Stems", "load_stemmers", "stemmer"]

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
    """Load now the parts of nltk that the first odd word of each language else loads."""
    for language in _QUICK:
        _load_nltk_stemmer(language)


def _quick_stemmer(language: str) -> Stems:
    name, odd = _QUICK[language]
    quick: Stems = Stemmer.Stemmer(name, 0).stemWords  # 0: no cache of its own
    is_odd = odd.search

    def stems(words: Sequence[str]) -> list[str]:
        found = quick(words)
        for place in compress(count(), map(is_odd, words)):
            found[place] = _load_nltk_stemmer(language)(words[place])
        return found

    return stems


@cache
def _load_nltk_stemmer(language: str) -> Callable[[str], str]:
    # Not before its first word: English text hardly ever needs it.
    # Sharing is safe: apart from the Arabic one these stemmers keep no state.
    if language == "en":
        porter = load_module("porter").PorterStemmer
        original: Callable[[str], str] = porter(mode=porter.ORIGINAL_ALGORITHM).stem
        return original
    snowball: Callable[[str], str] = (
        load_module("snowball").SnowballStemmer(_NLTK_NAMES[language]).stem
    )
    return snowball
