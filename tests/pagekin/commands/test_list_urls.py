"""`pagekin urls`: what may be asked for."""

from __future__ import annotations

import json

import pytest

from pagekin import Index
from pagekin.cocitation.kin_table import RelatedPage
from tests.indexes import make_index, random_bags


def test_urls(command, demo_index):
    """A line for each page: was it read, how many links lead to it, its URL and title."""
    said = command("urls", "--index", demo_index)
    lines = said.out.splitlines()
    assert (0, "", 445) == (said.code, said.err, len(lines))
    assert (
        "read            13  http://knots.sailing.example/bowline.html"
        "  The bowline, tied three ways « The Knot Room"
    ) in lines
    assert [page.url for page in Index(demo_index).pages()] == [
        next(word for word in line.split() if "://" in word) for line in lines
    ]
    unread = [line.split() for line in lines if line.startswith("by links ")]
    assert (131, {4}) == (len(unread), set(map(len, unread)))


def test_urls_as_json(command, demo_index):
    """JSON is an object a line, as Python has it."""
    flags = ("--host", "sailing.example", "--read", "-n", 3)
    said = command("urls", "--index", demo_index, "--json", *flags)
    found = [json.loads(line) for line in said.out.splitlines()]
    pages = Index(demo_index).pages("sailing.example", read=True)
    assert [next(pages)._asdict() for _ in range(3)] == found
    assert ["url", "title", "read", "inlinks", "has_bag"] == list(found[0])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-n", "0"], "-n takes a number from 1"),
        (["--host", "a b"], "'a b' names no host; write it as in example.org"),
        (["http://a.example/"], "unrecognized argument http://a.example/; see pagekin urls --help"),
    ],
)
def test_usage(command, demo_index, words, expected):
    """Wrong words end with 2 and one sentence."""
    assert (2, "", f"pagekin: {expected}\n") == command("urls", "--index", demo_index, *words)


def test_no_page(command, demo_index):
    """A host of which the index has nothing is an error, and no empty list."""
    said = command("urls", "--index", demo_index, "--host", "none.example")
    assert (4, "", "pagekin: the index has no such page\n") == said


def test_page_without_a_bag(command, tmp_path):
    """What only co-citation knows is marked."""
    near = RelatedPage("http://a.example/", 5.0, 1, 1, ())
    index = make_index(tmp_path / "index", random_bags(3), kin={"http://b.example/": [near]})
    lines = command("urls", "--index", index).out.splitlines()
    assert ["no bag           0  http://b.example/"] == [n for n in lines if "no bag" in n]


def test_workspace(command, demo_index):
    """The workspace of a build stands for its index."""
    words = ("urls", "-n", 5, "--index")
    assert command(*words, demo_index) == command(*words, demo_index.with_name("work"))
