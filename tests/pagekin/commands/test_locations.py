"""Where commands look and work when nobody says: a workspace, and the index in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pagekin.commands.locations import default_index
from tests.running import ONE_HALF, Said

Command = Callable[..., Said]
BUILD = ("build", "-q", "-r", "inline", *ONE_HALF)
URL = "http://a.example/"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def some_url(command: Command) -> str:
    """A page that the bags are known of."""
    return command("records", "weighted_bags", "-n", 1).out.splitlines()[0].split()[-1]


def test_nothing_is_named(command: Command, here: Path, small_snapshot: Path) -> None:
    """A build, and all that is asked of it, by the name of the snapshot alone."""
    assert 0 == command(*BUILD, small_snapshot).code
    assert ["pagekin-work"] == [path.name for path in here.iterdir()]
    url = some_url(command)
    for words in (("related", url), ("bag", url), ("info",), ("verify",)):
        said = command(*words)
        assert (0, "") == (said.code, said.err), words
    named = command("related", "--index", "pagekin-work/index", "--json", url)
    assert named == command("related", "--json", url)
    assert named == command("related", "--index", "pagekin-work", "--json", url)


def test_nothing_is_there(command: Command, here: Path) -> None:
    """It is said what is missing, and which option names another."""
    for words in (("related", URL), ("info",), ("verify",), ("pool", URL)):
        said = command(*words)
        assert (2, "") == (said.code, said.out)
        assert said.err.startswith("pagekin: there is no pagekin-work here, "), words
        assert "--index" in said.err
    assert 5 == command("bag", URL).code


def test_a_workspace_stands_for_its_index(
    command: Command, here: Path, small_snapshot: Path
) -> None:
    """Also where the index is elsewhere; one that was moved, or was not made, is missed."""
    assert 0 == command(*BUILD, "--index", here / "elsewhere", small_snapshot).code
    assert not default_index(here / "pagekin-work").exists()  # type: ignore[union-attr]
    url = some_url(command)
    expected = command("related", "--index", "elsewhere", url)
    assert 0 == expected.code
    assert expected == command("related", url)
    shutil.move(here / "elsewhere", here / "moved")
    said = command("related", url)
    assert 2 == said.code
    assert f"its index, {here / 'elsewhere'}, is not there; name it with --index" in said.err


def test_without_an_index(command: Command, here: Path, small_snapshot: Path) -> None:
    """--no-index makes none, and neither does a build that stops before."""
    for words in (("--no-index",), ("--until", "reading")):
        assert 0 == command(*BUILD, *words, small_snapshot).code
        assert not (here / "pagekin-work" / "index").exists()
    said = command("related", URL)
    assert 2 == said.code
    assert "its index, pagekin-work/index, is not there" in said.err
    both = command(*BUILD, "--no-index", "--index", "i", small_snapshot)
    assert (2, "", "pagekin: --index and --no-index: name one of them\n") == both


@pytest.mark.parametrize(
    ("work", "index"),
    [
        (Path("w"), Path("w/index")),
        ("s3://b/w", "s3://b/w/index"),
        ("hdfs:///w", "hdfs:///w/index"),
    ],
)
def test_default_index(work: Path | str, index: Path | str) -> None:
    """In the workspace, wherever that is."""
    assert index == default_index(work)
