"""Judging: figures against a plain twin, intervals, branches, worst pages, and packed counts."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pagekin.config import BuildConfig
from pagekin.errors import InputError
from pagekin.evaluate.directory import DirectoryConfig, read_directory
from pagekin.evaluate.gamma import STATISTICS
from pagekin.evaluate.intervals import interval, resample
from pagekin.evaluate.judging import judge, sample_sources, summarise
from pagekin.evaluate.labelled import label_bags
from pagekin.evaluate.similarities import Material, make_representation
from pagekin.evaluate.sources import pack_sources, unpack_sources
from tests.indexes import make_bag
from tests.pagekin.evaluate.plain_judging import (
    labelled,
    lines_of,
    plain_counts,
    plain_distance,
    plain_jaccard,
)

URLS = [f"http://{name}.example/" for name in ("jazz", "rock", "folk", "cell", "oak", "lost")]
CLASSES = {
    URLS[0]: [("Arts", "Music", "Jazz")],
    URLS[1]: [("Arts", "Music", "Jazz"), ("Arts", "Radio", "Rock")],
    URLS[2]: [("Arts", "Music", "Folk")],
    URLS[3]: [("Science", "Biology", "Cells")],
    URLS[4]: [("Science", "Biology", "Trees")],
    URLS[5]: [("Science", "Biology", "Trees")],
}
BAGS = [
    make_bag(URLS[0], {16: 1.0, 17: 1.0}, 1),
    make_bag(URLS[1], {16: 1.0, 18: 1.0}, 0),
    make_bag(URLS[2], {16: 1.0, 17: 2.0}, 2),
    make_bag(URLS[3], {17: 1.0, 20: 1.0}, 1),
    make_bag(URLS[4], {21: 1.0}, 1),
    make_bag("http://unlabelled.example/", {16: 1.0}, 1),
]


def pages_of(tmp_path, bags, classes, *, linked=False, **config):
    file = tmp_path / "directory.tsv"
    file.write_text(lines_of(classes))
    return label_bags(bags, read_directory([file], DirectoryConfig(**config)), linked=linked)


def judged(pages, sources=None):
    return judge(pages, make_representation("bags", Material(pages, BuildConfig())), sources)


@pytest.fixture
def pages(tmp_path):
    return pages_of(tmp_path, BAGS, CLASSES)


# --- the pages ---


def test_label_bags(pages):
    """Pages with a class and a bag, in the order of their URLs; the rest is counted."""
    assert (sorted(URLS[:5]), 1, 0) == (pages.urls, pages.missing, pages.unlinked)
    assert CLASSES[URLS[1]] == sorted(pages.paths_of(pages.urls.index(URLS[1])))


def test_order_of_bags_is_irrelevant(tmp_path, pages):
    """A sweep may give bags in any order."""
    again = pages_of(tmp_path, BAGS[::-1], CLASSES)
    assert summarise(judged(pages)) == summarise(judged(again))


def test_linked(tmp_path):
    """Pages without a link to them are left out on request, and are not missing."""
    pages = pages_of(tmp_path, BAGS, CLASSES, linked=True)
    assert (4, 1, 1) == (len(pages), pages.missing, pages.unlinked)
    assert URLS[1] not in pages.urls


def test_no_page_has_a_bag(tmp_path):
    """A directory of other pages is refused."""
    with pytest.raises(InputError, match="none of the 6 pages of the directory has a bag here"):
        pages_of(tmp_path, BAGS[-1:], CLASSES)
    with pytest.raises(InputError, match="and a link to it"):
        pages_of(tmp_path, BAGS[1:2], CLASSES, linked=True)


# --- figures ---


@given(labelled(), st.integers(1, 4), st.sampled_from(["keep", "drop"]), st.booleans())
def test_twin(tmp_path_factory, given_, depth, shallow, linked):
    """Counts of a whole judgement equal those of plain loops over pages and pairs."""
    bags, classes = given_
    kept = {
        url: sorted({p[:depth] for p in some if len(p) >= depth or shallow == "keep"})
        for url, some in classes.items()
    }
    bags = [bag for bag in bags if kept[bag.url] and (bag.anchors or not linked)]
    assume(bags)
    folder = tmp_path_factory.getbasetemp()
    pages = pages_of(folder, bags, classes, depth=depth, shallow=shallow, linked=linked)
    found = summarise(judged(pages), resamples=1)
    total = {name: [0, 0, 0] for name in STATISTICS}
    same = orthogonal = 0
    for source, bag in enumerate(bags):
        similar = [plain_jaccard(bag, other) for other in bags]
        distances = [plain_distance(kept[bag.url], kept[other.url]) for other in bags]
        for name, counts in plain_counts(source, similar, distances).items():
            total[name] = [a + b for a, b in zip(total[name], counts, strict=True)]
        near = [k for k, d in enumerate(distances) if d == 0 and k != source]
        same += len(near)
        orthogonal += sum(round(similar[k], 12) == 0 for k in near)
    for name, (c, d, t) in total.items():
        made = found[name]
        assert [c, d, t] == [made[key] for key in ("concordant", "discordant", "tied")]
        assert ((c - d) / (c + d) if c + d else None) == made["value"]
        assert ((c - d) / (c + d + t) if c + d + t else None) == made["with_ties"]
    assert (orthogonal / same if same else None) == found["orthogonal_share"]
    assert len(bags) == found["sources"]
    json.dumps(found, allow_nan=False)


def test_by_hand(pages):
    """One source on paper: jazz, with rock in its class, folk for a sibling, the rest unrelated."""
    result = judged(pages)
    row = result.tally.counts[pages.urls.index(URLS[0])].tolist()
    # from jazz: rock .3333; folk .7143, sibling; cell .3333 and oak 0, unrelated
    assert [[0, 1, 0], [0, 0, 0], [1, 0, 1]] == row[1:]
    # beside them folk before cell and oak
    assert [3, 1, 1] == row[0]


def test_branches(pages):
    """Sources by their top class; a source in several classes of one branch counts once in it."""
    branches = summarise(judged(pages))["branches"]
    assert [("Arts", 3), ("Science", 2)] == [(b["branch"], b["sources"]) for b in branches]
    assert branches[1]["sibling"] == {"value": None, "with_ties": None}


def test_worst(pages):
    """The page whose discordant pairs outweigh the others most comes first, with its neighbours."""
    worst = summarise(judged(pages))["worst"]
    first = worst[0]
    assert (URLS[0], 1, 1, 1) == tuple(
        first[key] for key in ("url", "discordant", "concordant", "tied")
    )
    assert (URLS[1], 2) == (first["nearest_of_class"]["url"], first["its_rank"])
    nearest = first["wrong_neighbours"][0]
    assert (URLS[2], "sibling", ["/Arts/Music/Folk"]) == (
        nearest["url"],
        nearest["distance"],
        nearest["classes"],
    )
    assert all(page["discordant"] for page in worst)


def test_sample(pages):
    """A sample of sources is compared with all pages, and the seed settles which."""
    some = sample_sources(pages, 3, 5)
    assert (3, some.tolist()) == (len(set(some.tolist())), sample_sources(pages, 3, 5).tolist())
    assert list(range(5)) == sample_sources(pages, 99, 5).tolist()
    part, whole = judged(pages, some), judged(pages)
    assert whole.tally.counts[some].tolist() == part.tally.counts.tolist()
    assert 3 == summarise(part)["sources"]


def test_labels(tmp_path, pages):
    """One number stands for the pages and their classes, whatever their bags are."""
    other = [bag._replace(weights=bag.weights[::-1].copy()) for bag in BAGS]
    assert pages.digest() == pages_of(tmp_path, other, CLASSES).digest()
    assert pages.digest() != pages_of(tmp_path, BAGS[1:], CLASSES).digest()
    assert pages.digest() != pages_of(tmp_path, BAGS, CLASSES, depth=2).digest()


# --- intervals ---


def test_resample():
    """Each drawing sums as many rows as there are, and the seed settles which."""
    rows = np.array([[1, 10], [1, 20], [1, 40]])
    drawn = resample(rows, 200, 3)
    assert {3.0} == set(drawn[:, 0])
    assert drawn.tolist() == resample(rows, 200, 3).tolist() != resample(rows, 200, 4).tolist()
    assert drawn[:, 1].min() >= 30
    assert drawn[:, 1].max() <= 120
    assert len(set(drawn[:, 1])) > 5


def test_interval():
    """The middle 95 %; what is no number is left out."""
    values = np.array([*range(1, 1001), math.nan], np.float64)
    low, high = interval(values)
    assert (25.975, 975.025) == (pytest.approx(low), pytest.approx(high))
    assert all(map(math.isnan, interval(np.array([math.nan]))))


def test_interval_covers():
    """Of samples of a known mean, about 95 in 100 have it in their interval."""
    chance = np.random.default_rng(2)
    hits = 0
    for seed in range(200):
        low, high = interval(resample(chance.normal(size=(60, 1)), 200, seed)[:, 0] / 60)
        hits += low < 0 < high
    assert 0.88 * 200 <= hits <= 200 * 0.99


# --- packed counts ---


def test_pack(pages):
    """Counts come back as they were."""
    counts = judged(pages).tally.counts * 3_000_000_000
    keys = pages.keys
    found = unpack_sources(json.loads(json.dumps(pack_sources(keys, counts))), "it")
    assert (keys.tolist(), counts.tolist()) == (found.keys.tolist(), found.counts.tolist())


@pytest.mark.parametrize(
    "bad",
    [
        None,
        [],
        {},
        {"keys": 1, "counts": 2},
        {"keys": "AAAA", "counts": "AAAA"},
        {"keys": "not base64!", "counts": ""},
        pack_sources(np.array([1, 1], np.uint64), np.zeros((2, 4, 3), np.int64)),
        pack_sources(np.array([1], np.uint64), np.full((1, 4, 3), -1)),
        pack_sources(np.array([1], np.uint64), np.zeros((90_000, 4, 3), np.int64)),
    ],
)
def test_no_counts(bad):
    """What is no packed counts is refused by name, and never unpacked beyond what it claims."""
    with pytest.raises(InputError, match=r"^a\.json: "):
        unpack_sources(bad, "a.json")
