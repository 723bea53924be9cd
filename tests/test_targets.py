"""The corpus of the guided fuzzer: every input that is kept holds."""

from __future__ import annotations

import base64
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests import guided, targets
from tests.natives import native
from tests.targets import CORPUS, IN_C, TARGETS, cases, main, mutated, write_cases


@pytest.mark.parametrize("name", list(TARGETS))
def test_kept_cases(name: str) -> None:
    """Each case, and nothing at all."""
    if name in IN_C:
        native("pagekin.web._html")
    kept = cases(name)
    assert len(kept) > 5
    for data in (b"", *kept):
        TARGETS[name](data)


def test_corpus_is_small_and_of_targets() -> None:
    """Some hundred KB in all, and no file that nothing reads."""
    files = {path.stem: path.stat().st_size for path in CORPUS.iterdir()}
    assert set(TARGETS) == set(files)
    assert sum(files.values()) < 400_000


def test_cases_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written is read back, short ones first."""
    monkeypatch.setattr(targets, "CORPUS", tmp_path)
    write_cases("words", {b"\n\0longer", b"", b"a"})
    assert [b"a", b"\n\0longer"] == [data for data in cases("words") if data]


@pytest.mark.parametrize("name", list(TARGETS))
def test_a_fault_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A target whose part answers something else than it should does not hold."""
    data, part, wrong = FAULTS[name]
    monkeypatch.setattr(targets, part, wrong)
    for cached in (targets._html_readers, targets._small_index):
        cached.cache_clear()
    with pytest.raises((AssertionError, TypeError, AttributeError)):
        TARGETS[name](data)
    targets._html_readers.cache_clear()


FAULTS = {
    "tags": (b"<p>x", "reader_in_python", lambda *_: lambda body, with_outline: None),
    "words": (b"bees", "Pieces", lambda *_: None),
    "forms": (b"1 a", "merged", lambda records: b"1 b"),
    "records": (b"WARC/1.0\r\n\r\n", "read_records", lambda *_, **__: [None, object()]),
    "responses": (b"HTTP/1.1 200 OK\r\n\r\nx", "decode_body", lambda *_: (bytes(1 << 17), ())),
    "pages": (b"\n<p>x <a href=/y>y</a>", "to_html", lambda *_: b"</style><script>"),
    "urls": (b"http://a.example/\nb", "canonical", lambda url: f"{url}!"),
    "directories": (b"http://a.example/\t/Top/A", "read_directory", lambda *_: None),
    "index_files": (b"{}", "IndexFolder", lambda path: path.no_such_thing),
    "questions": (b"\0http://a.example/", "Index", None),
}


def test_mutated_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed gives the same inputs, most of them new; all go to the parts in C, evenly."""
    first = list(mutated("words", 200, 1))
    assert first == list(mutated("words", 200, 1)) != list(mutated("words", 200, 2))
    assert len(set(first) - set(cases("words"))) > 150
    seen: list[str] = []
    for name in IN_C:
        monkeypatch.setitem(TARGETS, name, lambda data, name=name: seen.append(name))
    assert 0 == main(["--mutated", "30"])
    assert dict.fromkeys(IN_C, 10) == Counter(seen)


def test_only_short_ones_are_kept() -> None:
    """Of many inputs those stay that fit."""
    inputs = [bytes([k % 250]) * (k * 30) for k in range(1, 400)]
    kept = guided._small(inputs)
    assert kept == set(inputs[: len(kept)])
    assert 30_000 < sum(len(base64.b64encode(data)) + 1 for data in kept) <= guided._MOST


def test_without_clang(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a guided run needs is named."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="needs clang on the PATH, and pip install"):
        guided.run_targets("words", 1, keep=False)


def test_wrong_target() -> None:
    """Those that there are are named."""
    with pytest.raises(SystemExit, match="takes all, or one of tags, words, forms, records, "):
        guided.run_targets("none", 1, keep=False)
