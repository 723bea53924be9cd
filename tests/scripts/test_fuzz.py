"""Spoilt snapshots harm nothing: a small run of the fuzzer, and proof that it would tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import fuzz
from tests.fuzz import Result
from tests.mutations import KINDS
from tests.running import ROOT, python


def test_400_spoilt_records() -> None:
    """No exception, nothing slow or large, and the right records between them are read."""
    said = python(ROOT / "scripts" / "fuzz", "--records", 400, "--seed", 3, "--scale", 0.1)
    assert (0, "") == (said.code, said.err), said.out
    assert "right records lost: 0 of 200 in compressed files" in said.out
    assert list(KINDS) == [line[:28].strip() for line in said.out.splitlines()[1 : len(KINDS) + 1]]


@pytest.mark.parametrize(("name", "word"), [("SECONDS", " s"), ("MEGABYTES", " MB")])
def test_bounds_are_checked(monkeypatch: pytest.MonkeyPatch, name: str, word: str) -> None:
    """A page that takes too long, and a process that takes too much, are failures."""
    monkeypatch.setattr(fuzz, name, -1)
    result = fuzz.run(3, 1, 0.1)
    assert {word} == {failure[-len(word) :] for failure in result.failures}
    if name == "SECONDS":  # of memory only a new peak is a failure
        assert ["0", "1", "2"] == [failure.split()[0] for failure in result.failures]


def test_lost_neighbours_are_noticed(tmp_path: Path) -> None:
    """A right record that is not read is a failure."""
    result = Result()
    fuzz._judge(tmp_path / "missing.warc.gz", {0: "cut page"}, result)
    assert ["the right record behind 0 was not read"] == result.failures


def test_a_reader_that_dies_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception is a failure, and says where the reader was."""
    monkeypatch.setattr(fuzz, "ROOT", tmp_path)  # where there are no tests to import
    monkeypatch.delenv("PYTHONPATH", raising=False)
    result = Result()
    fuzz._judge(tmp_path / "a.warc", {0: "cut page"}, result)
    (failure,) = result.failures
    assert "a reader ended with 1" in failure
