"""pagekin.text.stems: every stem is nltk's, however it was come by."""

from __future__ import annotations

import doctest
import itertools
import random
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from nltk.stem.snowball import SnowballStemmer

from pagekin.text import stems
from pagekin.text.stems import STEMMED_LANGUAGES, stemmer

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
    quick = Stemmer.Stemmer(stems._QUICK[language][0]).stemWord
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
    odd = stems._QUICK[language][1]
    words = ["".join(draw.choices(letters, k=8)) for _ in range(1000)]
    assert sum(bool(odd.search(word)) for word in words) < 100


LATER = """
import sys
from pagekin.text.stems import stemmer
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
        "import sys; from pagekin.text.stems import stemmer;"
        "print(*stemmer('en')(['houses']), *stemmer('de')(['häuser']), 'nltk' in sys.modules)"
    )
    command = [sys.executable, "-c", script]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["hous", "haus", "False"]


@pytest.mark.parametrize("piece", ["a", "é", "éa", "ment", "arlo", "ю", "kk"])
def test_patterns_take_linear_time(piece: str) -> None:
    """A word of 20,000 letters, should one get here, takes milliseconds and not minutes."""
    start = time.perf_counter()
    for _, odd in stems._QUICK.values():
        odd.search(piece * (20_000 // len(piece)) + "x")
    assert time.perf_counter() - start < 1


def test_examples_in_the_docstrings() -> None:
    """What the docstrings show is what happens."""
    assert doctest.testmod(stems).failed == 0
