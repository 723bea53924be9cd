"""Each rival over a tiny corpus: of three subjects, pages of one subject are the most similar."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.evaluate.rivals.minilm import MINILM, MINILM_PIECES, nearest_pieces
from pagekin.evaluate.rivals.rival import Text, Texts
from pagekin.evaluate.rivals.table import RIVALS
from pagekin.evaluate.rivals.tfidf import TFIDF
from tests.extras import need

BEES = (
    "A beekeeper opens the hive and looks for the queen among the worker bees and their honey.",
    "Honey is made by bees of nectar, and the beekeeper takes it out of the hive in summer.",
    "The queen lays eggs in the hive; worker bees feed the larvae with honey and pollen.",
)
SHIPS = (
    "The sailor hoists the sail and ties the rope to the mast before the ship leaves harbour.",
    "A ship with one mast and a large sail needs few sailors and little rope in the harbour.",
    "Sailors splice a rope, mend a sail and paint the mast while the ship lies in harbour.",
)
BREAD = (
    "The baker kneads dough of flour, water and yeast, and bakes bread in a hot oven.",
    "Bread from the oven of a good baker has a crust; its dough rose with yeast all night.",
    "Flour and yeast make the dough, which the baker lets rise before the oven is hot.",
)
PAGES = [Text(words, "en") for words in (*BEES, *SHIPS, *BREAD)]
SUBJECT = [0, 0, 0, 1, 1, 1, 2, 2, 2]
IDS = [rival.name for rival in RIVALS]


def made_of(rival, texts, others=()):
    need(*rival.packages)
    seen: list[tuple[int, int]] = []
    made = rival.make(Texts(texts, others), lambda done, total: seen.append((done, total)))
    assert all(0 <= done < total for done, total in seen)
    return made


@pytest.mark.parametrize("rival", RIVALS, ids=IDS)
def test_subjects(rival):
    """The two pages of a page's own subject come before all others, whatever the variant."""
    for made in made_of(rival, PAGES):
        for source, subject in enumerate(SUBJECT):
            similarities = made.similarities(source)
            similarities[source] = -1
            nearest = np.argsort(-similarities)[:2]
            assert [subject] * 2 == [SUBJECT[page] for page in nearest], made.variant


@pytest.mark.parametrize("rival", RIVALS, ids=IDS)
def test_pages_without_text(rival):
    """A page without text is similar to none, and none to it."""
    texts = [PAGES[0], Text(""), *PAGES[1:]]
    for made in made_of(rival, texts):
        assert [0.0] * len(texts) == made.similarities(1).tolist()
        assert 0.0 == made.similarities(0)[1]
        assert made.similarities(0)[2] > 0


@pytest.mark.parametrize("rival", RIVALS, ids=IDS)
def test_similarities_are_of_judged_pages(rival):
    """Pages from which a rival only learns are no answers; and what it keeps is counted."""
    for made in made_of(rival, PAGES[:4], PAGES[4:]):
        assert (4,) == made.similarities(3).shape
        assert made.size > 0
        assert made.seconds >= 0
        assert made.texts in (4, 9)


@pytest.mark.parametrize("rival", RIVALS, ids=IDS)
def test_made_again(rival):
    """The same texts give the same similarities."""
    once, again = made_of(rival, PAGES), made_of(rival, PAGES)
    for a, b in zip(once, again, strict=True):
        assert a.similarities(4).round(6).tolist() == b.similarities(4).round(6).tolist()


@pytest.mark.parametrize("rival", RIVALS, ids=IDS)
def test_equal_texts(rival):
    """Of equal texts nothing can be told, and nothing breaks: no word tells them apart."""
    for made in made_of(rival, [Text("bees", "en")] * 3):
        values = made.similarities(0).tolist()
        assert values[1] == pytest.approx(values[2])


# --- tf-idf ---

WORDS = ("hive", "mast", "oven", "queen", "rope")


def plain_cosine(a: str, b: str, texts: list[str]) -> float:
    """ln(1 + tf) x ln(N / df), and the cosine, word by word."""

    def weights(text: str) -> dict[str, float]:
        counts = Counter(text.split())
        df = {word: sum(word in other.split() for other in texts) for word in counts}
        return {w: math.log1p(n) * math.log(len(texts) / df[w]) for w, n in counts.items()}

    left, right = weights(a), weights(b)
    norms = math.hypot(*left.values()) * math.hypot(*right.values())
    return sum(left[w] * right.get(w, 0.0) for w in left) / norms if norms else 0.0


@given(st.lists(st.lists(st.sampled_from(WORDS)).map(" ".join), min_size=2, max_size=7))
def test_tfidf_twin(texts):
    """Cosines by postings are those of the definition; other pages count in N and df."""
    judged, others = texts[:-1], texts[-1:]
    [made] = TFIDF.make(
        Texts([Text(t, "en") for t in judged], [Text(t, "en") for t in others]), lambda *_: None
    )
    for source, text in enumerate(judged):
        expected = [plain_cosine(text, other, texts) for other in judged]
        assert made.similarities(source).tolist() == pytest.approx(expected, abs=1e-6)


# --- all-MiniLM-L6-v2 ---


def test_first_piece():
    """What stands behind 256 tokens is not read by the one, and is by the other."""
    long = Text(" ".join(["honey"] * 300))
    longer = Text(f"{long.words} {' '.join(SHIPS)}")
    [first] = made_of(MINILM, [long, longer, PAGES[3]])
    assert 1.0 == pytest.approx(first.similarities(0)[1], abs=1e-6)
    mean, nearest = made_of(MINILM_PIECES, [long, longer, PAGES[3]])
    assert ("mean", "nearest") == (mean.variant, nearest.variant)
    assert mean.similarities(0)[1] < 0.999
    assert nearest.similarities(1)[2] > mean.similarities(1)[2] > first.similarities(1)[2]


def test_nearest_twin():
    """The nearest pieces of two pages, pair by pair; a page may have none."""
    draw = np.random.default_rng(1)
    parts = [draw.normal(size=(count, 8)).astype(np.float32) for count in (2, 0, 1, 3, 0)]
    similarities = nearest_pieces(parts)
    for source, own in enumerate(parts):
        expected = [max((float(a @ b) for a in own for b in other), default=0.0) for other in parts]
        assert expected == pytest.approx(similarities(source).tolist(), abs=1e-5)


def test_costs():
    """A network reads one piece of a text, or all; of no text none."""
    assert (MINILM.cost, MINILM_PIECES.cost) != (None, None)
    assert [1, 0] == [MINILM.cost(Text(words)) for words in ("a b", "")]
    assert [1, 2, 0] == [MINILM_PIECES.cost(Text(w)) for w in ("a b", "a " * 151, "")]
