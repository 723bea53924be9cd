"""Versions of libraries that tasks have, compared."""

from __future__ import annotations

from pagekin.counters import TaskStatistics, differing, others_than_here, versions_here


def test_all_are_known():
    """What is installed here has a version."""
    here = versions_here()
    assert {"pagekin", "lxml", "ada-url", "PyStemmer"} <= here.keys()
    assert "?" not in here.values()


def test_merged():
    """Each version counts once, whatever the order of the tasks."""
    total = TaskStatistics()
    for its in ("6.1", "6.0", "6.1"):
        total.merge(TaskStatistics(versions={"lxml": [its], "nltk": ["3"]}).to_json(), output=True)
    assert {"lxml": ["6.0", "6.1"], "nltk": ["3"]} == total.versions


def test_in_words():
    """Only those that differ are named."""
    same = {name: [its] for name, its in versions_here().items()}
    assert ("", "") == (differing(same), others_than_here(same))
    assert "lxml 5 and 6" == differing({**same, "lxml": ["5", "6"]})
    here = versions_here()["lxml"]
    assert f"lxml 5 (here {here})" == others_than_here({**same, "lxml": ["5"]})
    assert "" == others_than_here({})
