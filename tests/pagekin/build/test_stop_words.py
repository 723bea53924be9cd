"""Builds of pages in a language that no stop list is shipped for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagekin import Index
from tests.jobs.running import write_warc
from tests.running import NOT_ENRICHED_FLAGS, record_of
from tests.warcs import gz, response

PASS = "inventory.captures.sample.stop_words"
SUBJECTS = ("miód", "wosk", "pyłek", "matka")
FUNCTION_WORDS = {"i", "na", "się", "w"}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve Polish pages and an English one."""
    folder = tmp_path_factory.mktemp("polish")
    html = "<html lang=pl><title>{0}</title><p>{0} na i w się {0}".format
    pages = [
        gz(response(f"http://p{k}.example/", html(SUBJECTS[k % len(SUBJECTS)]).encode()))
        for k in range(12)
    ]
    english = response("http://en.example/", b"<html lang=en><p>na i w bees")
    write_warc(folder / "a.warc.gz", *pages, gz(english))
    return folder


def words_of(index: Index, url: str) -> set[str]:
    return {term["term"] for term in index.describe(index.get(url), 0)["terms"]}


def test_derived(command, snapshot, tmp_path):
    """Function words are in no bag of that language, and stay in those of others; the build, its
    records and the counters tell of the list.
    """
    work, index = tmp_path / "work", tmp_path / "index"
    flags = (
        "-r",
        "inline",
        "--work",
        work,
        "--index",
        index,
        "--only",
        "bags",
        *NOT_ENRICHED_FLAGS,
        snapshot,
    )
    said = command("build", *flags)
    assert (0, True) == (said.code, "stop words derived from the pages: pl (4)\n" in said.err)
    assert {"pl": 4} == record_of(work, PASS)["result"]["counters"]["stop_words_derived"]
    record = json.loads(command("records", "--work", work, "stop_words", "--json").out)
    assert ("!stops/pl", 12, FUNCTION_WORDS) == (
        *(record["key"], record["pages"]),
        set(record["words"]),
    )
    asked = Index(index)
    assert {"miód"} == words_of(asked, "http://p0.example/")
    assert {"na", "bee"} == words_of(asked, "http://en.example/")
    kin = [one.url for one in asked.related("http://p0.example/")]
    assert {"http://p4.example/", "http://p8.example/"} == set(kin)
    assert {"kept"} == {
        stage["state"] for stage in json.loads(command("build", "--json", *flags).out)["stages"]
    }


def test_not_wanted(command, snapshot, tmp_path):
    """Without the option, and without stop words at all, no list is made; bags have the words."""
    for number, flag in enumerate(("--text-derived-stops", "--text-stop-words")):
        work, index = tmp_path / f"work{number}", tmp_path / f"index{number}"
        flags = (
            "--work",
            work,
            "--index",
            index,
            "--only",
            "bags",
            *NOT_ENRICHED_FLAGS,
            flag,
            "false",
        )
        said = command("build", "-q", "-r", "inline", *flags, snapshot)
        assert (0, "") == (said.code, said.err)
        assert (work / "inventory.captures.sample").is_dir()
        assert {"miód", *FUNCTION_WORDS} == words_of(Index(index), "http://p0.example/")
