"""`pagekin bag`, of a workspace and of an index: what it shows, and how it complains."""

from __future__ import annotations

import io
import json
import shutil
import sys

import pytest

from tests.running import another_build, record_of, write_record

SOURDOUGH = "http://wiki.example.net/wiki/Sourdough"
BOWLINE = "http://knots.sailing.example/bowline.html"
NOT_CRAWLED = "http://tide-tables.example.net/harbours"


def terms_of(described: dict) -> list[str]:
    return [term["term"] for term in described["terms"]]


def test_bag(command, demo_work):
    """People see what the bag is made of, and its heaviest terms with their weights."""
    said = command("bag", "--work", demo_work, BOWLINE)
    lines = said.out.splitlines()
    assert (0, "") == (said.code, said.err)
    assert f"{BOWLINE}  The bowline, tied three ways « The Knot Room" == lines[0]
    assert "  from its own words and 13 links on 12 pages of 8 hosts; 200 terms" == lines[1]
    assert 12 == len(lines)
    weights = [float(line.split()[0]) for line in lines[2:]]
    assert sorted(weights, reverse=True) == weights
    assert "loop" == lines[2].split()[1]
    assert lines[2].endswith(f" {'#' * 30}")


def test_bag_as_json(command, demo_work):
    """JSON has the URL, its inlinks, and its terms with display forms, heaviest first."""
    described = json.loads(command("bag", "--work", demo_work, "--json", BOWLINE).out)
    assert [
        "url",
        "title",
        "inlinks",
        "linking_pages",
        "linking_hosts",
        "crawled",
        "size",
        "terms",
    ] == list(described)
    assert (BOWLINE, "The bowline, tied three ways « The Knot Room", 13, 12, 8, True, 200) == tuple(
        described.values()
    )[:-1]
    assert 10 == len(described["terms"])
    assert {"term", "display", "weight"} == set().union(*described["terms"])
    weights = [term["weight"] for term in described["terms"]]
    assert sorted(weights, reverse=True) == weights
    assert 0 < weights[-1] <= weights[0] < 1
    assert {"term": "bowlin", "display": "bowline"}.items() <= described["terms"][1].items()


def test_display_is_the_most_frequent_form(command, demo_work):
    """A stem is shown as people write it."""
    described = json.loads(command("bag", "--work", demo_work, "--json", "-k", 0, BOWLINE).out)
    shown = {term["term"]: term["display"] for term in described["terms"]}
    changed = {term: display for term, display in shown.items() if term != display}
    assert len(changed) > 30
    assert all(display.isalpha() and display.islower() for display in shown.values())


@pytest.mark.parametrize(("k", "count"), [(1, 1), (3, 3), (0, 200), (1000, 200)])
def test_number_of_terms(command, demo_work, k, count):
    """-k says how many terms are shown; 0 stands for all."""
    described = json.loads(command("bag", "--work", demo_work, "--json", "-k", k, BOWLINE).out)
    assert count == len(described["terms"])


def test_all_weights_sum_to_one(command, demo_work):
    """A final bag is normalised."""
    described = json.loads(command("bag", "--work", demo_work, "--json", "-k", 0, BOWLINE).out)
    assert 1 == pytest.approx(sum(term["weight"] for term in described["terms"]), abs=1e-5)


def test_bag_of_an_uncrawled_page(command, demo_work):
    """Of a page that was never read the links tell."""
    said = command("bag", "--work", demo_work, NOT_CRAWLED)
    assert 0 == said.code
    assert said.out.splitlines()[1].startswith("  from ")
    assert "its own words" not in said.out
    described = json.loads(command("bag", "--work", demo_work, "--json", NOT_CRAWLED).out)
    assert not described["crawled"]
    assert described["inlinks"] >= described["linking_pages"] >= described["linking_hosts"] > 1


@pytest.mark.parametrize(
    "spelling",
    [
        "wiki.example.net/wiki/Sourdough",
        "HTTP://WIKI.example.net:80/wiki/Sourdough#top",
        f"{SOURDOUGH}?utm_source=x",
        "http://wiki.example.net/wiki/./x/../Sourdough",
        "wiki.example.net:80/wiki/Sourdough",
    ],
)
def test_spellings(command, demo_work, spelling):
    """A URL may be written in any way, and without its scheme."""
    described = json.loads(command("bag", "--work", demo_work, "--json", spelling).out)
    assert SOURDOUGH == described["url"]


@pytest.mark.parametrize("moved", ["http://bowline.example/", "bowline.example"])
def test_redirected_url(command, demo_work, moved):
    """A URL that was redirected, even twice, finds the bag of its target."""
    described = json.loads(command("bag", "--work", demo_work, "--json", moved).out)
    assert BOWLINE == described["url"]


def test_all_bags(command, demo_work):
    """--all gives every bag once, in the order of the URLs, whole, an object a line."""
    said = command("bag", "--work", demo_work, "--all", "--json")
    described = [json.loads(line) for line in said.out.splitlines()]
    urls = [one["url"] for one in described]
    assert (0, "") == (said.code, said.err)
    assert 445 == len(urls)
    assert sorted(set(urls)) == urls
    assert all(one["size"] == len(one["terms"]) for one in described)
    assert {BOWLINE, NOT_CRAWLED} <= set(urls)


def test_all_bags_for_people(command, demo_work):
    """Without --json bags are parted by empty lines, and -k cuts each."""
    said = command("bag", "--work", demo_work, "--all", "-k", 2)
    blocks = said.out.split("\n\n")[:-1]
    assert 445 == len(blocks)
    assert {2, 3, 4} >= {len(block.splitlines()) for block in blocks}


def test_urls_of_a_file(command, demo_work, tmp_path):
    """--urls gives the bags of a file's URLs in its order."""
    (tmp_path / "urls").write_text(f"{SOURDOUGH}\n\n  {BOWLINE} \nbowline.example\n")
    said = command("bag", "--work", demo_work, "--json", "--urls", tmp_path / "urls")
    assert (0, "") == (said.code, said.err)
    assert [SOURDOUGH, BOWLINE, BOWLINE] == [json.loads(x)["url"] for x in said.out.splitlines()]


def test_urls_of_stdin(command, demo_work, monkeypatch):
    """A file of the name - is what comes in."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{BOWLINE}\n"))
    said = command("bag", "--work", demo_work, "--json", "--urls", "-", "-k", 1)
    assert [1] == [len(json.loads(line)["terms"]) for line in said.out.splitlines()]


def test_urls_without_a_bag(command, demo_work, tmp_path):
    """One that has no bag does not keep the others from theirs; the exit code tells."""
    (tmp_path / "urls").write_text(f"http://nobody.example/\n{BOWLINE}\n")
    said = command("bag", "--work", demo_work, "--json", "--urls", tmp_path / "urls")
    assert 4 == said.code
    assert [BOWLINE] == [json.loads(line)["url"] for line in said.out.splitlines()]
    assert [
        "pagekin: http://nobody.example/ has no bag: it was neither read nor linked to",
        "pagekin: 1 of the URLs have no bag",
    ] == said.err.splitlines()


@pytest.mark.parametrize(
    ("url", "near"),
    [
        ("http://wiki.example.net/wiki/Sourdoug", SOURDOUGH),
        (f"{SOURDOUGH}h", SOURDOUGH),
        ("http://wiki.example.net/wiki/Suordough", SOURDOUGH),
        ("http://beekeeping.example/imprint", "http://beekeeping.example/imprint"),
        ("http://bread.example/nothing/here", "http://bread.example/"),
    ],
)
def test_unknown_url(command, demo_work, url, near):
    """A URL without a bag is answered with those near it by letters, then with its folders."""
    said = command("bag", "--work", demo_work, url)
    assert (4, "") == (said.code, said.out)
    sentence, _, listed = said.err.strip().partition("; near it are ")
    assert f"pagekin: {url} has no bag: it was neither read nor linked to" == sentence
    if near != url:
        assert near == listed.split(", ")[0]
    assert len(listed.split(", ")) <= 5


@pytest.mark.parametrize(
    "url",
    [
        *("http:///", "two words", "", "ftp://a.example/", "ftp:a.example", "mailto:x@y.z"),
        *("javascript:void(0)", "JAVASCRIPT:1+2", "tel:+49-30-1", "urn:isbn:3-16", "a.example:x"),
    ],
)
def test_no_web_address(command, demo_work, url):
    """What is no web address at all is said to be none."""
    assert (2, "", f"pagekin: {url} is no web address\n") == command(
        "bag", "--work", demo_work, url
    )


def test_words_of_another_build(command, demo_work, tmp_path):
    """Bags are not put into the words of a newer build that was not finished."""
    work = shutil.copytree(demo_work, tmp_path / "work")
    record = record_of(work, "document_frequency")
    record["result"]["kinds"]["term counts"]["digest"] = "0"
    write_record(work, "document_frequency", record)
    said = command("bag", "--work", work, BOWLINE)
    expected = (
        f"pagekin: {work}: its bags are of an older build than its words;"
        " finish the newer one with pagekin build\n"
    )
    assert (5, "", expected) == said


def test_workspace_that_is_read_while_a_build_runs(command, demo_work, tmp_path):
    """Readers need not wait for a build."""
    work = shutil.copytree(demo_work, tmp_path / "work")
    with another_build(work) as process:
        assert 0 == command("bag", "--work", work, BOWLINE).code
        process.communicate()


# --- of an index ---


@pytest.mark.parametrize(
    "words", [(BOWLINE,), ("bowline.example", "-k", 0), (NOT_CRAWLED, "--json")]
)
def test_bag_of_an_index(command, demo_work, demo_index, words):
    """The bag of an index is that of the workspace that it was made of, in the same words."""
    expected = command("bag", "--work", demo_work, *words)
    assert 0 == expected.code
    assert expected == command("bag", "--index", demo_index, *words)


def test_all_bags_of_an_index(command, demo_work, demo_index):
    """So are all of them, in the order of the URLs."""
    for flags in (("--json",), ("-k", 2)):
        words = ("--all", *flags)
        expected = command("bag", "--work", demo_work, *words)
        assert expected == command("bag", "--index", demo_index, *words)


def test_bags_of_an_index_by_a_file(command, demo_work, demo_index, tmp_path):
    """And those of a file of URLs."""
    (tmp_path / "urls").write_text(f"{SOURDOUGH}\nnobody.example\nbowline.example\n")
    words = ("--json", "--urls", tmp_path / "urls")
    expected = command("bag", "--work", demo_work, *words)
    said = command("bag", "--index", demo_index, *words)
    assert (4, expected.out) == (said.code, said.out)
    assert "pagekin: http://nobody.example/ is not in the index" == said.err.splitlines()[0]


def test_workspace_or_index(command):
    """Bags are in a workspace or in an index, and not in both."""
    expected = "pagekin: --work and --index: name one of them\n"
    assert (2, "", expected) == command("bag", "--work", "x", "--index", "y", "a.example")
