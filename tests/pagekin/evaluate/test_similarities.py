"""Similarities to all labelled pages: by the term, from signatures, and where others are added."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags.bag import Bags
from pagekin.bags.weigh import Frequencies
from pagekin.cocitation.kin_table import RelatedPage
from pagekin.config import BuildConfig, SignatureConfig, WeightConfig
from pagekin.errors import UsageError
from pagekin.evaluate import representations
from pagekin.evaluate.labelled_pages import LabelledPages
from pagekin.evaluate.representations.both import reciprocal_ranks
from pagekin.evaluate.similarities import Material, make_representation, representation_names
from pagekin.index.folder import IndexFolder
from pagekin.minhash.signatures import make_signer
from pagekin.query.cocited import fuse
from tests.indexes import config_of, make_bag, make_index, random_bags
from tests.pagekin.evaluate.plain_judging import plain_cosine, plain_jaccard

BAGS = random_bags(60)

weights = st.dictionaries(st.integers(16, 24), st.sampled_from([0.5, 1.0, 3.0]), max_size=5)


def material_of(bags, config=None, index=None):
    """All bags labelled with one class."""
    pages = LabelledPages(
        [bag.url for bag in bags],
        [("A",)],
        np.arange(len(bags) + 1),
        np.zeros(len(bags), np.int32),
        Bags.of(bags).columns(),
    )
    return Material(pages, config or BuildConfig(), index)


@given(st.lists(weights, min_size=1, max_size=8))
def test_bags_twin(some):
    """The bag Jaccard by postings is that of the definition, for every pair."""
    bags = [make_bag(f"http://{k}.example/", one) for k, one in enumerate(some)]
    made = make_representation("bags", material_of(bags))
    for source, bag in enumerate(bags):
        expected = [round(plain_jaccard(bag, other), 12) for other in bags]
        assert expected == made(source).round(12).tolist()


def test_bags_are_symmetric_to_the_last_bit():
    """Terms are added in one order, so a pair has one similarity from both sides."""
    made = make_representation("bags", material_of(BAGS))
    table = np.array([made(k) for k in range(len(BAGS))])
    expected = [[round(plain_jaccard(a, b), 12) for b in BAGS] for a in BAGS]
    assert expected == table.round(12).tolist()
    assert (table == table.T).all()


def test_cosine():
    """The cosine by postings is that of two bags."""
    made = make_representation("cosine", material_of(BAGS))
    for source in range(0, len(BAGS), 7):
        expected = [round(plain_cosine(BAGS[source], other), 12) for other in BAGS]
        assert expected == made(source).round(12).tolist()


def test_no_bag_has_terms():
    """Empty bags are similar to nothing, themselves included."""
    bags = [make_bag(f"http://{k}.example/", {}) for k in range(3)]
    for name in ("bags", "cosine", "signatures"):
        made = make_representation(name, material_of(bags))
        assert [0.0] * 3 == made(1).tolist()


@pytest.mark.parametrize("count", [1, 16, 80])
def test_signatures_of_bags(count):
    """The share of equal signatures, of the bags signed as a build signs them."""
    config = BuildConfig(signatures=SignatureConfig(count=count))
    material = material_of(BAGS, config)
    made = make_representation("signatures", material)
    rows = make_signer(config.signatures).sign(*material.pages.bags)
    for source in range(0, len(BAGS), 7):
        full = [bool(len(BAGS[source].terms) and len(bag.terms)) for bag in BAGS]
        shares = [
            sum(a == b for a, b in zip(rows[source].tolist(), row.tolist(), strict=True)) / count
            for row in rows
        ]
        expected = [share if both else 0.0 for share, both in zip(shares, full, strict=True)]
        assert expected == made(source).tolist()


def test_signatures_of_an_index(tmp_path):
    """An index gives its own rows, in whatever shards they are; they are those of its bags."""
    config = config_of(3, 16)
    index = IndexFolder(make_index(tmp_path / "index", BAGS, config))
    own = make_representation("signatures", material_of(BAGS, BuildConfig(), index))
    signed = make_representation("signatures", material_of(BAGS, config))
    for source in range(len(BAGS)):
        assert signed(source).tolist() == own(source).tolist()


def test_bags_that_are_not_normalised():
    """Bags of another sum than 1 are signed by a method that takes them."""
    config = BuildConfig(
        weight=WeightConfig(normalise=False), signatures=SignatureConfig(count=8, method="icws")
    )
    bags = [bag._replace(weights=bag.weights * 3) for bag in BAGS]
    made = make_representation("signatures", material_of(bags, config))
    full = next(k for k, bag in enumerate(bags) if len(bag.terms))
    assert 1.0 == made(full)[full]


def test_names():
    """The representations are the files of the folder."""
    assert [
        *("bags", "both", "cocitation", "common", "cosine", "reranked", "signatures", "tfidf")
    ] == representation_names()


def test_a_new_representation_is_one_file(tmp_path, monkeypatch):
    """A file with a function `make` is all it takes."""
    (tmp_path / "reverse_order.py").write_text(
        "import numpy as np\n"
        "def make(material):\n"
        "    return lambda source: np.arange(len(material.pages), 0, -1.0)\n"
    )
    monkeypatch.setattr(representations, "__path__", [*representations.__path__, str(tmp_path)])
    assert "reverse_order" in representation_names()
    made = make_representation("reverse_order", material_of(BAGS[:3]))
    assert [3.0, 2.0, 1.0] == made(0).tolist()


def test_unknown_representation():
    """A name that is no file is refused."""
    with pytest.raises(UsageError, match="there is no representation 'bag'"):
        make_representation("bag", material_of(BAGS))


# --- baselines, and candidates ranked again ---


def test_common_terms():
    """The number of terms that both bags have, whatever they weigh."""
    made = make_representation("common", material_of(BAGS))
    for source, bag in enumerate(BAGS):
        expected = [float(len(set(bag.terms) & set(other.terms))) for other in BAGS]
        assert expected == made(source).tolist()


def test_tfidf(tmp_path):
    """The cosine of weights times ln(N / df), with the df and the N of all bags."""
    terms = np.arange(16, 60, dtype=np.uint32)
    df = (terms % 7 + 1).astype(np.uint32)
    Frequencies.write(tmp_path / "f.arrays", terms, df, 40)
    plain = BuildConfig(weight=WeightConfig(df="none"))
    material = dataclasses.replace(
        material_of(BAGS, plain), frequencies=Frequencies(tmp_path / "f.arrays"), documents=30
    )
    weighted = [
        bag._replace(weights=bag.weights * np.log(30 / (bag.terms % 7 + 1))) for bag in BAGS
    ]
    made = make_representation("tfidf", material)
    for source in range(0, len(BAGS), 7):
        expected = [plain_cosine(weighted[source], other) for other in weighted]
        assert np.allclose(expected, made(source), atol=1e-6)


def test_tfidf_needs(tmp_path):
    """It needs document frequencies, and bags that are not weighted by them already."""
    with pytest.raises(UsageError, match="needs document frequencies"):
        make_representation("tfidf", material_of(BAGS))
    Frequencies.write(tmp_path / "f.arrays", np.empty(0, np.uint32), np.empty(0, np.uint32), 1)
    known = dataclasses.replace(
        material_of(BAGS), frequencies=Frequencies(tmp_path / "f.arrays"), documents=3
    )
    with pytest.raises(UsageError, match=r'needs bags without df weights \(weight.df = "none"\)'):
        make_representation("tfidf", known)


@pytest.mark.parametrize("candidates", [0, 1, 5, 1000])
def test_reranked(candidates):
    """The best candidates by signatures have their exact similarity; the others keep the order of
    signatures below them; pages without an equal signature have nothing in common."""
    config = BuildConfig(signatures=SignatureConfig(count=16))
    material = dataclasses.replace(material_of(BAGS, config), candidates=candidates)
    exact, signed, made = (
        make_representation(n, material) for n in ("bags", "signatures", "reranked")
    )
    for source in range(len(BAGS)):
        right, rough = exact(source), signed(source)
        found = made(source)
        others = [k for k in range(len(BAGS)) if k != source and rough[k] > 0]
        others.sort(key=lambda k: (-rough[k], k))
        best = others[: candidates or None]
        rest = others[len(best) :]
        assert [right[k] for k in best] == [found[k] for k in best]
        assert all(found[a] < min(right[best]) for a in rest)
        assert rest == sorted(rest, key=lambda k: (-found[k], k))
        none = [k for k in range(len(BAGS)) if k != source and not rough[k]]
        assert not found[none].any()


def test_alpha():
    """Similarities up to alpha are none; those above are as they were."""
    known = make_representation("bags", material_of(BAGS))
    made = make_representation("bags", dataclasses.replace(material_of(BAGS), alpha=0.25))
    for source in range(len(BAGS)):
        expected = [s if s > 0.25 else 0.0 for s in known(source).tolist()]
        assert expected == made(source).tolist()


# --- co-citation ---


@pytest.fixture
def cited(tmp_path):
    """Four labelled pages and two others, with kin in both directions, in one, and in none.

    Bag Jaccard of a to b is 1 and to c 1/3; d is alone.
    """
    a, b, c, d, x, only = (f"http://{name}.example/" for name in "abcdxy")
    weights = {a: {20: 1, 30: 1}, b: {20: 1, 30: 1}, c: {20: 1, 40: 1}, d: {50: 1}, x: {20: 1}}
    bags = [make_bag(url, one) for url, one in weights.items()]
    lists = {a: [(b, 4.0), (x, 3.0), (c, 2.0)], b: [(a, 5.0)], c: [(a, 6.0)], d: [(a, 1.5)]}
    lists |= {x: [(d, 9.0)], only: [(d, 8.0)]}
    kin = {
        url: [RelatedPage(u, score, 1, 1, ()) for u, score in some] for url, some in lists.items()
    }
    index = make_index(tmp_path / "index", bags, config_of(3), kin=kin)
    return material_of(bags[:4], index=IndexFolder(index))


def table_of(material, name):
    made = make_representation(name, material)
    return [made(k).tolist() for k in range(len(material.pages))]


def test_cocitation_by_hand(cited):
    """TS where the one stands in the other's list, the larger of two; else 0."""
    assert [
        [0.0, 5.0, 6.0, 1.5],
        [5.0, 0.0, 0.0, 0.0],
        [6.0, 0.0, 0.0, 0.0],
        [1.5, 0.0, 0.0, 0.0],
    ] == table_of(cited, "cocitation")


def test_both_by_hand(cited):
    """Reciprocal ranks among the labelled pages, of bags and of co-citation, added."""
    first, second, third = (1 / (60 + rank) for rank in (1, 2, 3))
    expected = [
        [0.0, first + second, second + first, third],
        [2 * first, 0.0, second, 0.0],  # bags: a 1, c 1/3; cited with a alone
        [2 * first, first, 0.0, 0.0],  # bags: a and b both 1/3, and so of one rank
        [first, 0.0, 0.0, 0.0],
    ]
    assert [[round(value, 12) for value in row] for row in expected] == table_of(cited, "both")


def test_reciprocal_ranks():
    """Equal scores share the first of their ranks; 0 has none."""
    scores = np.array([0.0, 0.5, 0.7, 0.5, 0.1])
    expected = [0.0, 1 / 62, 1 / 61, 1 / 62, 1 / 64]
    assert expected == reciprocal_ranks(scores).tolist()
    assert [] == reciprocal_ranks(np.empty(0)).tolist()


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_ranks_are_those_of_answers(one, other):
    """Where no two are equal, the sums are those by which `related --by both` ranks."""
    orders = [[f"{k}" for k in np.argsort(-np.array(some)) if some[k]] for some in (one, other)]
    total = sum(reciprocal_ranks(np.array(some, np.float64)) for some in (one, other))
    expected = dict(fuse(orders))
    assert expected == {f"{k}": v for k, v in enumerate(total.round(12).tolist()) if v}


@pytest.mark.parametrize("name", ["cocitation", "both"])
def test_no_table(name, tmp_path):
    """Without an index, and of one without related pages, co-citation is refused in a sentence."""
    with pytest.raises(UsageError, match="need an index; a workspace has no table"):
        make_representation(name, material_of(BAGS))
    index = IndexFolder(make_index(tmp_path / "index", BAGS))
    with pytest.raises(UsageError, match="has no co-citation table"):
        make_representation(name, material_of(BAGS, index=index))
