"""The commands that ask an index by co-citation: what they answer, and how they complain."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.cocitation.kin import Kin, Reason
from tests.indexes import config_of, make_bag, make_index

BEES, HIVES, MUSIC, ALONE = (
    f"http://{name}.example/" for name in ("bees", "hives", "music", "alone")
)
ONLY = "http://only.example/"  # no document
SHARE = 1 + math.log(3)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four documents, three pages with kin."""
    bags = [
        make_bag(BEES, {20: 1, 30: 1}, 3),
        make_bag(HIVES, {20: 1, 30: 1}, 2),
        make_bag(MUSIC, {40: 1}),
        make_bag(ALONE, {50: 1}),
    ]
    reasons = (Reason("x.example", "All hives", 6.0), Reason("y.example", "hives", 1.5))
    kin = {
        BEES: [Kin(HIVES, 8.0, 3, 7, reasons), Kin(ONLY, 4.0, 1, 1, ())],
        HIVES: [Kin(BEES, 5.0, 2, 1, ())],
        ONLY: [Kin(BEES, 4.5, 2, 1, ())],
    }
    folder = tmp_path_factory.mktemp("cited") / "index"
    return make_index(folder, bags, config_of(3, 16), kin=kin)


def lines_of(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


# --- related ---


def test_by_cocitation(command, index):
    """People see totals, best first, with bars as long as their share of the best."""
    said = command("related", "--index", index, "--by", "cocitation", BEES)
    assert (0, "") == (said.code, said.err)
    assert [
        BEES,
        f"  8.0000  {HIVES}  {'#' * 20}",
        f"  4.0000  {ONLY}  {'#' * 10}",
    ] == said.out.splitlines()


def test_by_both(command, index):
    """So they see the sums of ranks."""
    said = command("related", "--index", index, "--by", "both", BEES)
    assert (0, "") == (said.code, said.err)
    assert [
        BEES,
        f"  {2 / 61:.4f}  {HIVES}  {'#' * 20}",
        f"  {1 / 62:.4f}  {ONLY}  {'#' * 10}",
    ] == said.out.splitlines()


@pytest.mark.parametrize("by", ["bags", "cocitation", "both"])
def test_as_json(command, index, by):
    """JSON is a list, best first, as Python has it."""
    words = ("related", "--index", index, "--by", by, "--json", "--why", BEES)
    expected = Index.open(index).related(BEES, by=by, why=True)
    assert [one.as_dict() for one in expected] == json.loads(command(*words).out) != []


def test_why(command, index):
    """--why names the citing domains, the anchors, and each contribution; of bags nothing."""
    said = command("related", "--index", index, "--by", "cocitation", "--why", BEES)
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert [
        BEES,
        f"8.0000 {HIVES} {'#' * 20}",
        "7 domains cite both; it stands in 3 blocks",
        f"{6 / SHARE:.4f} x.example 'All hives' (capped 6.0000)",
        f"{1.5 / SHARE:.4f} y.example 'hives' (capped 1.5000)",
        f"4.0000 {ONLY} {'#' * 10}",
        "1 domains cite both; it stands in 1 blocks",
    ] == lines


def test_why_of_both(command, index):
    """By both, what bags know is told as well, where they know anything."""
    said = command("related", "--index", index, "--by", "both", "--why", BEES)
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert "estimate 1.0000, exact 1.0000; 2 terms shared" == lines[2]
    assert ["word20", "word30"] == [line.split()[1] for line in lines[3:5]]
    assert "7 domains cite both; it stands in 3 blocks" == lines[5]
    assert "read, 2 links from 2 hosts; asked: 3 from 2" == lines[8]
    assert f"{1 / 62:.4f} {ONLY}" in lines[9]
    assert "1 domains cite both; it stands in 1 blocks" == lines[-1]
    alone = command("related", "--index", index, "--why", BEES).out.splitlines()
    assert "read, 2 links from 2 hosts; asked: 3 from 2" == alone[-1].strip()


def test_why_as_json(command, index):
    """JSON has the same in fields of their own."""
    words = ("related", "--index", index, "--by", "cocitation", "--why", "--json", BEES)
    first, second = (one["why"] for one in json.loads(command(*words).out))
    share = round(6 / SHARE, 6)
    expected = {"domain": "x.example", "anchor": "All hives", "capped": 6.0, "contribution": share}
    assert expected == first["citing"][0]
    assert (7, 3, []) == (first["citing_domains"], first["blocks"], first["terms"])
    assert (1, 1, []) == (second["citing_domains"], second["blocks"], second["citing"])


def test_nothing_reached_the_threshold(command, index):
    """A page without kin has an empty answer, and stderr says why."""
    said = command("related", "--index", index, "--by", "cocitation", ALONE)
    assert (0, f"{ALONE}\n  nothing is related to it\n") == (said.code, said.out)
    assert (
        "pagekin: no page reached the threshold of co-citation beside it"
        " (cocitation.threshold of the build)\n"
    ) == said.err
    said = command("related", "--index", index, "--by", "cocitation", "--json", ALONE)
    assert "[]\n" == said.out


@pytest.mark.parametrize("by", ["cocitation", "both"])
@pytest.mark.parametrize("flags", [(), ("-k", 1, "--why")])
def test_all(command, index, by, flags):
    """--all answers for every document and every page with kin, in the order of the URLs."""
    words = ("related", "--index", index, "--by", by)
    said = command(*words, "--all", *flags)
    assert (0, "") == (said.code, said.err)
    found = lines_of(said.out)
    assert sorted([BEES, HIVES, MUSIC, ALONE, ONLY]) == [line["url"] for line in found]
    for line in found:
        assert json.loads(command(*words, *flags, "--json", line["url"]).out) == line["related"]
    assert said == command(*words, "--all", *flags, "-r", "inline")


def test_all_by_bags(command, index):
    """By bags it is the documents alone."""
    found = lines_of(command("related", "--index", index, "--all").out)
    assert sorted([BEES, HIVES, MUSIC, ALONE]) == [line["url"] for line in found]


def test_urls_of_a_file(command, index, tmp_path):
    """--urls answers each by itself; what is not there is told, with what is near."""
    (tmp_path / "urls").write_text(f"{ONLY}\nhttps://only.example/\nbees.example\n")
    words = ("related", "--index", index, "--by", "cocitation", "--json", "--urls")
    said = command(*words, tmp_path / "urls")
    assert (4, [ONLY, BEES]) == (said.code, [line["url"] for line in lines_of(said.out)])
    assert f"https://only.example/ is not in the index; near it are {ONLY}" in said.err


def test_another_way(command, index):
    """A way that there is not is a sentence."""
    said = command("related", "--index", index, "--by", "links", BEES)
    assert (2, "", 1) == (said.code, said.out, said.err.count("\n"))
    assert "--by" in said.err


# --- info ---


def test_info(command, index):
    """People and programs see how many pages have kin by co-citation."""
    lines = [" ".join(line.split()) for line in command("info", "--index", index).out.splitlines()]
    assert "by co-citation 3 pages have kin" in lines
    assert 3 == json.loads(command("info", "--index", index, "--json").out)["with_cocited_kin"]
