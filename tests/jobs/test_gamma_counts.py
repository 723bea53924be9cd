"""Gamma counts: the pairs of each source page, as a job."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pagekin.bags.bag import Bags
from pagekin.config import BuildConfig, SignatureConfig
from pagekin.evaluate.gamma import tally_of_records, tally_sources
from pagekin.evaluate.labelled_pages import LabelledPages
from pagekin.evaluate.similarities import Material, make_representation
from pagekin.jobs.gamma_counts import GammaCounts
from tests.indexes import random_bags
from tests.jobs.running import run_job, run_script, split_output

BAGS = random_bags(50)
CLASSES = [("A", "a", "x"), ("A", "a", "y"), ("A", "Ü"), ("B",), ()]


@pytest.fixture(scope="module")
def material():
    chance = random.Random(3)
    classes = [sorted({chance.randrange(5) for _ in range(2)}) for _ in BAGS]
    pages = LabelledPages(
        [bag.url for bag in BAGS],
        CLASSES,
        np.cumsum([0, *map(len, classes)]),
        np.concatenate(classes).astype(np.int32),
        Bags.of(BAGS).columns(),
        7,
    )
    return Material(pages, BuildConfig(signatures=SignatureConfig(count=16)))


@pytest.fixture(scope="module")
def file(material, tmp_path_factory):
    path = tmp_path_factory.mktemp("labelled") / "labelled.pickle"
    material.write(path)
    return path


def test_file(material, file):
    """The file gives back pages, classes, bags and configuration."""
    found = Material.read(file)
    one, two = material.pages, found.pages
    assert (one.urls, one.classes, one.missing) == (two.urls, two.classes, two.missing)
    assert (one.digest(), material.config) == (two.digest(), found.config)
    for a, b in zip(one.bags, two.bags, strict=True):
        assert (a.dtype, a.tolist()) == (b.dtype, b.tolist())


def test_empty(file):
    """No source is asked for."""
    assert ([], {}) == run_job(GammaCounts, ["--labelled", file])


@pytest.mark.parametrize("by", ["bags", "signatures"])
@pytest.mark.parametrize("size", [1, 7, 50])
def test_counts(material, file, by, size):
    """However the sources are dealt, each has the counts that it has here."""
    lines = [b" ".join(b"%d" % k for k in range(50)[at : at + size]) for at in range(0, 50, size)]
    records, counters = run_job(GammaCounts, ["--labelled", file, "--by", by], lines)
    made = make_representation(by, material)
    expected = tally_sources(material.pages, made, range(50))
    found = tally_of_records(records)
    assert [part.tolist() for part in expected] == [part.tolist() for part in found]
    assert {"gamma": {"sources": 50}} == counters
    assert [b"%010d" % k for k in range(50)] == [key for key, _ in records]


def test_a_part(material, file):
    """Only the sources of the lines are counted."""
    records, _ = run_job(GammaCounts, ["--labelled", file], [b"9 3", b"40"])
    assert [b"0000000003", b"0000000009", b"0000000040"] == [key for key, _ in records]
    made = make_representation("bags", material)
    expected = tally_sources(material.pages, made, [3, 9, 40])
    assert expected.counts.tolist() == tally_of_records(records).counts.tolist()


def test_script(file, tmp_path):
    """The job is a script of its own, also on the local runner."""
    lines = tmp_path / "sources"
    lines.write_bytes(b"0 1 2\n3 4\n")
    said = run_script(
        "gamma_counts", "-r", "local", "--no-conf", "--labelled", file, "--num-cores", 2, lines
    )
    assert 0 == said.code, said.err
    records, _ = split_output(said.out.encode())
    assert records == run_job(GammaCounts, ["--labelled", file], [b"0 1 2 3 4"])[0]


def test_no_file():
    """Without the labelled pages there is nothing to count."""
    said = run_script("gamma_counts", "-r", "inline", "--no-conf", "/dev/null")
    assert 2 == said.code
    assert "--labelled is needed" in said.err
