"""`pagekin pool` and `pagekin evaluate rscore`: answers that people mark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.evaluate.human_marks import key_path
from tests.indexes import config_of, make_index, random_bags

BAGS = random_bags(60)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small index of made-up bags."""
    folder = tmp_path_factory.mktemp("judged") / "index"
    aliases = [(b"http://old.example/", BAGS[0].url.encode())]
    return make_index(folder, BAGS, config_of(3, 16), aliases=aliases)


def test_pool_and_rscore(command, small, tmp_path):
    """A pool that is marked gives the scores of both ways to rank."""
    pool = tmp_path / "pool.tsv"
    urls = [bag.url for bag in BAGS if len(bag.terms) > 3][:3]
    said = command("pool", "--index", small, *urls, "-k", 5, "-o", pool)
    assert (0, "") == (said.code, said.out)
    assert f"the key in {key_path(pool)}\n" in said.err
    rows = [line.split("\t") for line in pool.read_text().splitlines()[1:]]
    index = Index.open(small)
    best = {(url, kin.url) for url in urls for kin in index.related(url, 5)}
    assert best <= {(page, answer) for page, answer, _ in rows}
    marks = ["\t".join((p, a, "2" if (p, a) in best else "0")) for p, a, _ in rows]
    marked = tmp_path / "marked.tsv"
    marked.write_text("\n".join(["page\tanswer\tmark", *marks]))
    said = command("evaluate", "rscore", marked, "--key", key_path(pool), "--json")
    found = json.loads(said.out)
    assert ["exact", "signatures"] == list(found)
    assert {2.0} == {row["value"] for row in found["exact"]}
    assert found["signatures"][4]["value"] <= 2.0
    lines = command("evaluate", "rscore", marked, "--key", key_path(pool)).out.splitlines()
    assert "3 pages" == lines[0].partition(",")[0]
    assert 17 == len(lines)


def test_pool_keeps_marks(command, small, tmp_path):
    """A pool that is there is never written over."""
    pool = tmp_path / "pool.tsv"
    pool.write_text("marked")
    said = command("pool", "--index", small, BAGS[0].url, "-o", pool)
    assert (2, "marked") == (said.code, pool.read_text())
    assert "somebody's marks may be in it" in said.err


def test_pool_of_several_indexes(command, small, tmp_path):
    """Each index is a system; those of one name could not be told apart."""
    words = ("pool", "--index", small, "--by", "exact", "-o", tmp_path / "p.tsv")
    said = command(*words, "--index", small, BAGS[0].url)
    assert (2, "pagekin: two indexes are named index; rename one\n") == (said.code, said.err)
    assert 4 == command(*words, "nowhere.example").code
    assert 2 == command(*words).code
    assert 2 == command(*words, "-k", 0, BAGS[0].url).code
