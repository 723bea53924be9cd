"""`pagekin urls`: what may be asked for."""

from __future__ import annotations

import json

import pytest

from pagekin import Index


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
    assert ["url", "title", "read", "inlinks"] == list(found[0])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-n", "0"], "-n takes a number from 1"),
        (["http://a.example/"], "unrecognized argument http://a.example/; see pagekin urls --help"),
    ],
)
def test_usage(command, demo_index, words, expected):
    """Wrong words end with 2 and one sentence."""
    assert (2, "", f"pagekin: {expected}\n") == command("urls", "--index", demo_index, *words)


def test_workspace(command, demo_index):
    """The workspace of a build stands for its index."""
    words = ("urls", "-n", 5, "--index")
    assert command(*words, demo_index) == command(*words, demo_index.with_name("work"))
