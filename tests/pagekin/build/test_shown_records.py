"""`pagekin records`: every kind of record of a build in readable form."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pagekin.kinds import KINDS
from pagekin.stages.chain import STAGES
from tests.running import DEMO, Said, pagekin
from tests.warcs import response

BOWLINE = "http://knots.sailing.example/bowline.html"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with everything in it: the demo in one file that is large enough to be cut, and
    pages of a language that no stop list is shipped for.
    """
    base = tmp_path_factory.mktemp("shown")
    crawl = base / "crawl.warc"
    files = sorted(DEMO.glob("*.warc.gz"))
    crawl.write_bytes(b"".join(gzip.decompress(file.read_bytes()) for file in files))
    flags = ("--work", base / "work", "--cocitation-threshold", "0.5")
    parts = ("words", "links", "topics")
    flags = (*flags, *(word for part in parts for word in (f"--enrich-{part}", "true")))
    flags = (*flags, "--authority-scores", "true")
    polish = base / "polish.warc"
    urls = [f"http://p{k}.example/" for k in range(10)]
    text = b"<html lang=pl><p>na" + b"".join(b" w%b" % (b"y" * k) for k in range(40))
    copies = [response(url, text) for url in urls]
    polish.write_bytes(b"".join([*copies, response("http://like.example/", text + b" niemal")]))
    words = ("build", "-q", "-r", "inline", *flags, "--index", base / "index", crawl, polish)
    assert (0, "", "") == pagekin(*words)
    return base / "work"


@pytest.fixture
def shown(command: Callable[..., Said], work: Path) -> Callable[..., list[dict[str, Any]]]:
    """What `pagekin records --json` prints."""

    def run(*words: object) -> list[dict[str, Any]]:
        said = command("records", "--work", work, "--json", *words)
        assert (0, "") == (said.code, said.err)
        return [json.loads(line) for line in said.out.splitlines()]

    return run


def test_every_kind(shown):
    """There is a way to see every kind of record, those between map and reduce too."""
    kinds = {
        record["kind"]
        for stage in STAGES
        for words in ([], ["--shuffled"] if stage.shuffles else [])
        for record in shown(stage.name, "-n", 0, *words)
    }
    assert {kind.name for kind in KINDS} == kinds


def test_bag(shown, command, work):
    """A final bag is the one that `pagekin bag` shows; its words are those of its raw bag."""
    (final,) = shown("weighted_bags", "--key", BOWLINE, "-n", 1)
    said = json.loads(command("bag", "--plain", "--work", work, "--json", "-k", 0, BOWLINE).out)
    assert [term["display"] for term in said["terms"]] == [word for word, _ in final["terms"]]
    assert 1.0 == pytest.approx(sum(weight for _, weight in final["terms"]), abs=1e-3)
    (raw,) = shown("fragments", "--key", BOWLINE, "-n", 1)
    assert {word for word, _ in final["terms"]} <= {word for word, _ in raw["terms"]}
    assert (True, final["links"]) == (raw["read"], raw["links"])


def test_parcels(shown):
    """Parcels say which words stand around the links to a page: as many links as its bag has."""
    (raw,) = shown("fragments", "--key", BOWLINE, "-n", 1)
    links = [
        link
        for parcel in shown("fragments", "--shuffled", "-n", 0)
        if parcel["kind"] == "parcels"
        for url in parcel["urls"]
        if url["url"] == BOWLINE
        for link in url.get("links", [])
    ]
    assert raw["links"] == len(links) > 0
    assert any("bowline" in link["anchor"].lower() for link in links)


@pytest.mark.parametrize(
    ("output", "kinds"),
    [("fragments", {"parcels", "words"}), ("blocks", {"blocks"}), ("sample", {"sample"})],
)
def test_shuffled_of_one_output(shown, output, kinds):
    """Of a pass that made several outputs, what the mappers send for the one that is named."""
    assert kinds == {record["kind"] for record in shown(output, "--shuffled", "-n", 0)}


def test_prefix_and_count(shown):
    """Keys may be given with the mark of their kind or without, and so many records are shown."""
    some = shown("reading", "--key", "http://knots.", "-n", 3)
    assert 3 == len(some)
    keys = [record["key"].removeprefix("!blocks/") for record in some]
    assert all(key.startswith("http://knots.") for key in keys)
    marked = shown("blocks", "--key", "!blocks/http://knots.", "-n", 1)
    assert marked == shown("blocks", "--key", "http://knots.", "-n", 1)
    assert [] == shown("weighted_bags", "--key", "https://none.example/")


def test_for_people(command, work):
    """Records are a few lines each; long lists are cut, and it is said by how much."""
    said = command("records", "--work", work, "weighted_bags", "-n", 1, "--key", BOWLINE)
    first, *rest = said.out.splitlines()
    assert f"final bags  {BOWLINE}" == first
    assert any(line.startswith("  terms: ") and "more (--json shows all)" in line for line in rest)


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (("none",), 2, "no such stage: none; there are inventory, "),
        (("pairs", "-n", -1), 2, "-n takes a number from 0"),
        (("weighted_bags", "--shuffled"), 2, "weighted_bags has no reducers"),
    ],
)
def test_mistakes(command, work, words, code, complaint):
    """Each is one sentence."""
    said = command("records", "--work", work, *words)
    assert (code, "") == (said.code, said.out)
    assert complaint in said.err


def test_not_built(command, tmp_path):
    """A stage that is not there yet is named."""
    flags = ("--work", tmp_path / "work", "--until", "captures")
    assert (0, "", "") == pagekin("build", "-q", "-r", "inline", *flags, DEMO)
    said = command("records", "--work", tmp_path / "work", "pairs")
    assert (5, True) == (said.code, "stage pairs is not built" in said.err)
