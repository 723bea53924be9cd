"""Answers of an index whose bags were enriched: similarity, plain bags, and honest reasons."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pagekin import Index
from pagekin.bags.bag import Bag
from pagekin.config import EnrichConfig
from pagekin.enrich import neighbours
from pagekin.enrich.mixture import CITING, OWN, RELATED, TOPICS
from pagekin.enrich.neighbours import KIND, ONE
from pagekin.errors import InputError
from pagekin.index.folder import NEIGHBOURS, read_header, write_header
from pagekin.tables import ArrayFile, write_arrays
from tests.indexes import config_of, make_bag, make_index

A, B, C = (f"http://{name}.example/" for name in "abc")
# moon (20) and its related word crater (30); 40 is said by pages that link to b; 50 is a topic
PLAIN = {
    A: make_bag(A, {20: 3.0, 25: 1.0}, 2),
    B: make_bag(B, {25: 1.0, 30: 1.0}, 5),
    C: make_bag(C, {70: 1.0}, 1),
}
TERMS = {20: 0.25, 25: 0.125, 30: 0.25, 40: 0.25, 50: 0.125}


def enriched(bag: Bag, sources: list[int]) -> Bag:
    more = make_bag(bag.url, TERMS, bag.anchors)
    return more._replace(sources=np.array(sources, np.uint8))


@pytest.fixture(autouse=True)
def bags_are_long_enough(monkeypatch):
    """For related words."""
    monkeypatch.setattr(neighbours, "ENOUGH", 0)


@pytest.fixture(scope="module", params=[1, 3])
def index(request, tmp_path_factory) -> Path:
    """Two pages that share words which only one of them says."""
    bags = [
        enriched(PLAIN[A], [OWN, OWN, RELATED, OWN, TOPICS]),
        enriched(PLAIN[B], [RELATED, OWN, OWN, CITING, TOPICS]),
        PLAIN[C]._replace(sources=np.zeros(1, np.uint8)),
    ]
    config = replace(config_of(request.param), enrich=EnrichConfig(words=True))
    neighbours = {20: {30: ONE // 2}, 25: {20: ONE // 2, 30: ONE // 4}, 30: {20: ONE}}
    folder = tmp_path_factory.mktemp("enriched") / "index"
    return make_index(folder, bags, config, neighbours=neighbours, plain=PLAIN)


def test_reasons(index):
    """Each shared word says where either page has it from; shares add up to the score."""
    (kin,) = Index(index).related(A, why=True)
    terms = {term.term: term for term in kin.why.terms}
    told = {
        name: (term.asked_source, term.asked_related_to, term.found_source, term.found_related_to)
        for name, term in terms.items()
    }
    assert {
        "stem20": ("own words", "", "related words", "word30"),
        "stem25": ("own words", "", "own words", ""),
        "stem30": ("related words", "word20", "own words", ""),
        "stem40": ("own words", "", "citing", ""),
    } == told
    (topic,) = kin.why.topics
    assert ("stem50", "topics", "topics") == (topic.term, topic.asked_source, topic.found_source)
    assert (1, topic.shared) == (kin.why.shared_topics, kin.why.topics_weight)
    shared = sum(term.shared for term in kin.why.terms) + topic.shared
    assert shared == pytest.approx(kin.why.shared_weight)
    assert kin.exact == pytest.approx(shared / (2 - shared))
    assert (3, 2) == (kin.why.linking_pages, kin.why.asked_linking_pages)


def test_plain_bags(index):
    """Both bags of a page can be asked for; plain ones have no sources."""
    with Index(index) as opened:
        assert [20, 25, 30, 40, 50] == opened.get(A).terms.tolist()
        plain = opened.get(A, plain=True)
        assert PLAIN[A].terms.tolist() == plain.terms.tolist()
        assert PLAIN[A].weights.tolist() == plain.weights.tolist()
        assert 0 == len(plain.sources)
        assert [A, B, C] == [bag.url for bag in opened.all(plain=True)]
        assert [PLAIN[url].terms.tolist() for url in (A, B, C)] == [
            bag.terms.tolist() for bag in opened.all(plain=True)
        ]


def test_described(index):
    """A term of an enriched bag says where it comes from, in words and in JSON."""
    with Index(index) as opened:
        described = opened.describe(opened.get(B), 0)
        sources = {term["term"]: term["source"] for term in described["terms"]}
        assert ("related words", "citing") == (sources["stem20"], sources["stem40"])
        plain = opened.describe(opened.get(B, plain=True), 0)
        assert not any("source" in term for term in plain["terms"])


def test_sound(index):
    """Its files agree."""
    assert [] == Index(index).verify()


@pytest.mark.parametrize("name", ["bounds", "neighbours", "shares", "terms"])
def test_neighbours_that_cannot_be(index, tmp_path, name):
    """A table of neighbours that says what cannot be is named, and no reason is made of it."""
    folder = tmp_path / "index"
    shutil.copytree(index, folder)
    file = ArrayFile(folder / NEIGHBOURS)
    arrays = {each: file[each].copy() for each in file.dtypes}
    largest = np.iinfo(arrays[name].dtype).max
    arrays[name] = arrays[name][:1] if name in {"shares", "terms"} else arrays[name] | largest
    write_arrays(folder / NEIGHBOURS, KIND, file.meta, arrays)
    header = read_header(folder)
    checksum = ArrayFile(folder / NEIGHBOURS).checksum
    write_header(folder, replace(header, files={**header.files, NEIGHBOURS: checksum}))
    with pytest.raises(InputError, match=r"neighbours\.arrays is damaged"):
        Index(folder).related(A, why=True)


def test_for_people(index, command):
    """--why and `bag` tell the origins in words."""
    said = command("related", "--index", index, "--why", A).out
    assert "asked: related to word20\n" in said
    assert "found: related to word30\n" in said
    assert "found: from 3 pages that link there\n" in said
    assert "0.1250  1 topic: word50\n" in said
    assert "(related words)" in command("bag", "--index", index, B).out
    assert "(related words)" not in command("bag", "--index", index, "--plain", B).out
