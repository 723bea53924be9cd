"""Texts of pages: whole, their main content, and our bags in words; and which pages are read."""

from __future__ import annotations

import pytest

from pagekin.bags.bag import Dictionary, Entry, write_dictionary
from pagekin.config import ReadingConfig
from pagekin.errors import InputError
from pagekin.evaluate.rivals.page_texts import (
    PageText,
    bag_text,
    main_content,
    read_pages,
    texts_of,
    whole_page,
)
from pagekin.evaluate.rivals.rival import Text
from pagekin.web.page import make_page
from tests.indexes import make_bag
from tests.jobs.running import write_warc
from tests.warcs import response

PAGE = b"""<html lang="en"><title>Bees</title><body>
<ul><li><a href="/a">Home page</a> |<li><a href="/b">All <b>hives</b></a></ul>
<h1>The hive</h1>
<p>Bees make <a href="/honey">honey</a> of nectar.</p>
<p><a href="/x">Eleven letters</a> and ten more.</p>
</body></html>"""


def flat(html=PAGE):
    page = make_page("http://bees.example/", html)
    assert not isinstance(page, str)
    return page.flat.text


def test_whole_page():
    """A line for each part, without markers."""
    assert [
        *("Bees", "Home page |", "All hives", "The hive", "Bees make honey of nectar."),
        "Eleven letters and ten more.",
    ] == whole_page(flat()).splitlines()


def test_main_content():
    """Parts of which more than half of the letters are in links are left out."""
    assert ["Bees", "The hive", "Bees make honey of nectar."] == main_content(flat()).splitlines()
    half = b"<html><body><p><a href=/x>four</a>five<p><a href=/x>fours</a>four"
    assert "four five" == main_content(flat(half))


def test_bag_text(tmp_path):
    """The words of a bag as people write them; the heaviest first, of equal ones the lower term."""
    path = tmp_path / "dictionary.arrays"
    words = b"".join(Entry(name, f"{name}s").text() + b"|" for name in ("bee", "hive", "queen"))
    bag = make_bag("http://bees.example/", {20: 1.0, 21: 2.0, 22: 1.0})
    write_dictionary(path, [(bag.terms, words)])
    assert "hives bees queens" == bag_text(bag, Dictionary(path))


def test_texts_of():
    """A page that was not read has the text of its bag alone; others without text go."""
    read = {"http://a/": PageText(flat(), "en"), "http://c/": PageText(flat(), "de")}
    bags = {"http://a/": "bees", "http://b/": "ships"}
    texts = texts_of("bag", ["http://a/", "http://b/"], ["http://c/"], read, bags)
    assert [Text("bees", "en"), Text("ships")] == texts.judged
    assert [] == texts.others
    texts = texts_of("main", ["http://b/", "http://a/"], ["http://x/", "http://c/"], read, bags)
    assert [Text(""), Text(main_content(flat()), "en")] == texts.judged
    assert [Text(main_content(flat()), "de")] == texts.others


def test_read_pages(tmp_path):
    """The wanted pages of a file; a file that cannot be read is an error."""
    urls = [f"http://bees.example/{k}" for k in range(3)]
    warc = tmp_path / "a.warc"
    write_warc(warc, *(response(url, PAGE) for url in urls))
    found = read_pages(str(warc), ReadingConfig(), None, frozenset((*urls[1:], "http://no/")))
    assert {url: PageText(flat(), "en") for url in urls[1:]} == found
    with pytest.raises(InputError, match=r"none\.warc"):
        read_pages(str(tmp_path / "none.warc"), ReadingConfig(), None, frozenset())
