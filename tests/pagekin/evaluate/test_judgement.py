"""Judging: figures against a plain twin, intervals, branches and worst pages."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pagekin.config import BuildConfig
from pagekin.evaluate.gamma import STATISTICS
from pagekin.evaluate.judgement import judge, sample_sources, summarise
from pagekin.evaluate.similarities import Material, make_representation
from tests.pagekin.evaluate.plain_judging import (
    BAGS,
    CLASSES,
    URLS,
    labelled,
    pages_of,
    plain_counts,
    plain_distance,
    plain_jaccard,
)


def judged(pages, sources=None):
    return judge(pages, make_representation("bags", Material(pages, BuildConfig())), sources)


@pytest.fixture
def pages(tmp_path):
    return pages_of(tmp_path, BAGS, CLASSES)


def test_order_of_bags_is_irrelevant(tmp_path, pages):
    """A sweep may give bags in any order."""
    again = pages_of(tmp_path, BAGS[::-1], CLASSES)
    assert summarise(judged(pages)) == summarise(judged(again))


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
