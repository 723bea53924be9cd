"""Weighted bags: raw bags and document frequencies become final bags."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pagekin.bags.bag import Bag, parse_bag
from pagekin.bags.weigh import Frequencies, weigh_bags
from pagekin.config import WeightConfig
from pagekin.jobs.weighted_bags import WeightedBags
from tests.indexes import bag_record
from tests.jobs.running import run_job, run_script, split_output

# URL -> term hash -> raw weight
RAW = {
    "http://a.example/": {100: 8.0, 200: 4.0, 300: 4.0},
    "http://b.example/": {100: 1.0},
    "http://c.example/": {100: 2.0, 300: 6.0},
    "http://d.example/": {},
}
OTHER_LINES = [b"!words/000\tbees 3 bee", b'!task\t{"counters": {"bags": {"urls": 4}}}']


def raw_bags() -> list[Bag]:
    bags = []
    for url, weights in RAW.items():
        terms = np.array(list(weights), dtype=np.uint32)
        heavy = np.array(list(weights.values()), dtype=np.float32)
        bags.append(Bag(url, True, 3, 2, 1, terms, heavy))
    return bags


def lines() -> list[bytes]:
    bags = [b"%b\t%b" % bag_record(bag) for bag in raw_bags()]
    return [OTHER_LINES[0], *bags, OTHER_LINES[1]]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The document frequencies of the raw bags."""
    df = Counter(term for weights in RAW.values() for term in weights)
    path = tmp_path / "frequencies.arrays"
    terms = np.array(sorted(df), dtype=np.uint32)
    counts = np.array([df[term] for term in sorted(df)], dtype=np.uint32)
    Frequencies.write(path, terms, counts, len(RAW))
    return path


def test_empty(table):
    """No bags in, no bags out, and nothing counted."""
    assert ([], {}) == run_job(WeightedBags, ["--frequencies", table])


def test_by_hand(table):
    """Without scaling: weight by 1/sqrt(df), cut to two terms (of equals the smaller), sum 1."""
    args = ["--frequencies", table, *("--weight-tf=none", "--weight-df=sqrt", "--weight-terms=2")]
    records, counters = run_job(WeightedBags, args, lines())
    bags = {key: parse_bag(key, value) for key, value in records}
    first = bags[b"http://a.example/"]
    factors = {100: 8 / 3**0.5, 200: 4.0, 300: 4 / 2**0.5}
    total = factors[100] + factors[200]
    assert (True, 3, 2, 1) == first[1:5]
    assert [100, 200] == first.terms.tolist()
    expected = [factors[100] / total, factors[200] / total]
    assert expected == pytest.approx(first.weights.tolist(), rel=1e-6)
    assert [] == bags[b"http://d.example/"].terms.tolist()
    assert {"final_bags": {"bags": 4, "terms": 5}} == counters


@pytest.mark.parametrize(
    ("flags", "config"),
    [
        ([], WeightConfig()),
        (["--weight-tf", "log", "--weight-df", "none"], WeightConfig(tf="log", df="none")),
        (["--weight-mu=0.5", "--weight-sigma=2"], WeightConfig(mu=0.5, sigma=2.0)),
        (["--weight-normalise", "false"], WeightConfig(normalise=False)),
    ],
)
def test_options(table, flags, config):
    """The job is the pure function under the configuration that its options name."""
    expected = sorted(map(bag_record, weigh_bags(raw_bags(), Frequencies(table), config)))
    assert expected == run_job(WeightedBags, ["--frequencies", table, *flags], lines())[0]


def test_words_are_no_bags(table):
    """What else the reading writes is passed by."""
    args = ["--frequencies", table]
    assert ([], {}) == run_job(WeightedBags, args, OTHER_LINES)


def test_as_a_script(table, tmp_path):
    """`python jobs/weighted_bags.py -r local` gives the records of the inline runner."""
    (tmp_path / "part-00000").write_bytes(b"".join(line + b"\n" for line in lines()))
    words = ["--frequencies", table, "--weight-terms", "1"]
    said = run_script("weighted_bags", "-r", "local", "--no-conf", *words, tmp_path / "part-00000")
    assert 0 == said.code, said.err
    assert run_job(WeightedBags, words, lines()) == split_output(said.out.encode())


def test_help():
    """--help explains how to weigh, and the table."""
    said = run_script("weighted_bags", "--help")
    text = " ".join(said.out.split())
    assert 0 == said.code
    assert "keep this many heaviest terms of a bag" in text
    assert "in how many bags each term stands" in text
