"""`pagekin evaluate rivals` over the demo, without packages of the extra."""

from __future__ import annotations

import importlib.util
import json

import pytest

from tests.indexes import config_of, make_bag, make_index
from tests.report_pages import read_report
from tests.running import DEMO

LABELS = DEMO.parent / "directory.tsv"
RIVALS = ("evaluate", "rivals", "--directory", LABELS, "--resamples", 20)


def rows_of(said):
    assert 0 == said.code, said.err
    return json.loads(said.out)["rows"]


def test_table(command, demo_work):
    """Ours and tf-idf in three forms of text, as lines."""
    said = command(*RIVALS, "--work", demo_work, "--only", "tfidf", "-q", DEMO)
    assert (0, "") == (said.code, said.err)
    found = [line[:13].strip() for line in said.out.splitlines()[3:7]]
    assert ["ours", "tfidf of page", "tfidf of main", "tfidf of bag"] == found


def test_json(command, demo_work, demo_index):
    """The same as data; an index and a workspace are other bags of the same pages."""
    more = ("--bags", f"index={demo_index}", "--bags", f"work={demo_work}")
    words = (*RIVALS, "--work", demo_work, *more, "--only", "tfidf", "--json", DEMO)
    ours, index, work, *others = rows_of(command(*words))
    assert ["ours", "index", "work"] == [row["name"] for row in (ours, index, work)]
    assert ours["sibling"] == index["sibling"] == work["sibling"]
    assert (None, ours["page_ms"]) == (index["page_ms"], work["page_ms"])
    assert ours["page_ms"] > 0
    assert ["page", "main", "bag"] == [row["text"] for row in others]
    gamma = json.loads(command("evaluate", "gamma", *RIVALS[2:], "--work", demo_work, "--json").out)
    assert gamma["sibling"]["value"] == ours["sibling"]["value"]
    assert gamma["sources"] == ours["sources"]


def test_report(command, demo_work, tmp_path):
    """A page with the table and the command."""
    page = tmp_path / "rivals.html"
    words = ("--work", demo_work, "--only", "tfidf", "--report", page, "-q", DEMO)
    said = command(*RIVALS, *words)
    assert (0, f"pagekin: the report is in {page}\n") == (said.code, said.err)
    assert "ours" == read_report(page.read_text()).rows[0][0].text


def test_missing_packages(command, demo_work, monkeypatch):
    """A rival whose package is missing is told in a sentence; the others go on."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "tantivy" else find(name)
    )
    words = ("--work", demo_work, "--only", "more-like-this,tfidf", "--json", DEMO)
    said = command(*RIVALS, *words)
    assert (
        "pagekin: more-like-this is passed over, for want of tantivy;"
        " pip install '.[rivals]' brings all packages\n" == said.err
    )
    whys = [(row["name"], row["why"]) for row in rows_of(said)]
    missing = ("more-like-this", "not installed: tantivy")
    assert [("ours", ""), *[("tfidf", ""), missing] * 3] == whys


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--only", "lsi"), "--only lsi: there is no such rival"),
        (("--bags", "x"), "--bags x: write NAME=DIR"),
        (("--bags", "ours=x"), "--bags ours=x: there are other bags of this name"),
        (("--pieces", "0"), "--pieces takes a number from 1"),
        (("--exclude-host", "x.example"), "build again with --exclude-host x.example"),
    ],
)
def test_mistakes(command, demo_work, words, said):
    """Wrong words are named in a sentence."""
    found = command(*RIVALS, "--work", demo_work, "--only", "tfidf", *words, DEMO)
    assert (2, "") == (found.code, found.out)
    assert said in found.err


def test_other_pages(command, demo_work, tmp_path):
    """Bags of other pages are refused."""
    url = LABELS.read_text().split("\t")[0]
    other = make_index(tmp_path / "other", [make_bag(url, {20: 1.0})], config_of())
    words = ("--work", demo_work, "--bags", f"other={other}", "--only", "tfidf", "-q", DEMO)
    said = command(*RIVALS, *words)
    assert (2, "") == (said.code, said.out)
    assert f"--bags other: {other} has other labelled pages than {demo_work}" in said.err


def test_enriched_bags(command, demo_work, tmp_path):
    """Bags that were enriched have the plain ones beside them, whose words rivals read."""
    work = tmp_path / "work"
    flags = ("--only", "bags", "--no-index", "--enrich-words", "true", "--enrich-words-least", 2)
    assert 0 == command("build", "-q", "-r", "inline", *flags, "--work", work, DEMO).code
    words = ("--bags", f"before={demo_work}", "--only", "tfidf", "--json", DEMO)
    ours, plain, before, *tfidf = rows_of(command(*RIVALS, "--work", work, *words))
    assert ["ours", "plain", "before"] == [row["name"] for row in (ours, plain, before)]
    for name in ("sibling", "unrelated", "among_ten", "page_bytes"):
        assert plain[name] == before[name] != ours[name]
    alone = rows_of(command(*RIVALS, "--work", demo_work, "--only", "tfidf", "--json", DEMO))
    assert [row["sibling"] for row in alone[1:]] == [row["sibling"] for row in tfidf]
