"""`pagekin page` and `pagekin blocks`: what pagekin makes of one page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.running import DEMO
from tests.warcs import gz, response

ODD = DEMO / "crawl-00002.warc.gz"
HTML = """<!doctype html><html lang=en><head><title>A page of bees</title><base href="/x/">
<meta name=robots content=nofollow><link rel=canonical href="/bees"></head>
<body><h1>Bees</h1><p>The bees make <a href="honey.html" rel=nofollow>some honey</a>,
<a href="mailto:ann@a.example">ask Ann</a>.</body></html>"""


@pytest.fixture
def html(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(HTML, encoding="utf-8")
    return path


def test_page(command, html):
    """People see the head of the page, its stream, and what was counted."""
    said = command("page", html, "--url", "http://a.example/dir/bees.html")
    assert (0, "") == (said.code, said.err)
    lines = said.out.splitlines()
    assert [
        "url        http://a.example/dir/bees.html",
        "title      A page of bees",
        "language   en",
        "charset    utf-8",
        "base       /x/",
        "canonical  http://a.example/bees",
        "robots     nofollow",
        "",
    ] == lines[:8]
    stream = " ".join(lines[8:])
    assert "bees (make) [ (some) honey -> http://a.example/x/honey.html]" in stream
    assert "[ ask ann -> no web address: mailto:ann@a.example]" in stream


def test_page_as_json(command, html):
    """The same as one object."""
    words = ("page", html, "--url", "http://a.example/dir/bees.html", "--json")
    described = json.loads(command(*words).out)
    assert ("A page of bees", "en", "utf-8") == tuple(
        described[name] for name in ("title", "language", "charset")
    )
    honey = {"href": "honey.html", "target": "http://a.example/x/honey.html", "rel": "nofollow"}
    ann = {"href": "mailto:ann@a.example", "target": None, "rel": ""}
    assert [{**honey, "in_menu": False}, {**ann, "in_menu": False}] == described["links"]
    assert {"word": "honey"} in described["stream"]
    assert {"found": 2, "no_web_address": 1} == described["counters"]["links"]


def test_page_with_a_menu(command, tmp_path):
    """Links in menus are marked, and counted."""
    page = tmp_path / "menu.html"
    page.write_text("<nav><a href=/wax>Wax</a></nav><p>Bees make <a href=/honey>honey</a>")
    shown = command("page", page, "--url", "http://a.example/").out
    assert "<menu> [ wax -> http://a.example/wax (in a menu)] </menu>" in " ".join(shown.split())
    assert "-> http://a.example/honey]" in shown
    counters = json.loads(command("page", page, "--json").out)["counters"]
    assert {"found": 2, "in_menus": 1} == counters["links"]


def test_page_under_a_configuration(command, html):
    """The options of reading and text apply: here nothing is dropped."""
    said = command("page", html, "--text-stop-words", "false")
    shown = " ".join(said.out.split())
    assert "the bees make [ some honey -> http://localhost/x/honey.html]" in shown
    assert shown.endswith("text words 12")


def test_page_of_a_warc(command):
    """A record of a WARC file is found by its URL in any spelling."""
    said = command("page", "--warc", ODD, "http://oddities.example/chunked-gzip.html", "--json")
    described = json.loads(said.out)
    assert (0, "") == (said.code, said.err)
    assert "http://oddities.example/chunked-gzip.html" == described["url"]
    assert {"word": "honey"} in described["stream"]


@pytest.mark.parametrize("spelling", ["https://www.oddities.example/chunked-gzip.html/"])
def test_page_of_a_warc_in_another_spelling(command, spelling):
    """So is one whose host, scheme or slash is written otherwise."""
    said = command("page", "--warc", ODD, spelling, "--json")
    assert "http://oddities.example/chunked-gzip.html" == json.loads(said.out)["url"]


def test_page_of_a_warc_that_is_not_there(command):
    """A URL that the file does not hold is said so, with the number of records looked at."""
    said = command("page", "--warc", ODD, "http://oddities.example/none.html")
    assert 4 == said.code
    assert said.err.startswith("pagekin: http://oddities.example/none.html is not among the ")
    assert said.err.endswith(f" records of {ODD}\n")


def test_page_that_would_be_left_out(command):
    """A record that a build would leave out says why."""
    said = command("page", "--warc", ODD, "http://oddities.example/gone.html")
    expected = (
        "pagekin: http://oddities.example/gone.html is there and would be left out: status_4xx\n"
    )
    assert (3, "", expected) == said


def test_warc_that_cannot_be_read(command, tmp_path):
    """The reason stands in the one sentence, and stdout stays empty."""
    path = tmp_path / "none.warc"
    expected = f"pagekin: {path}: cannot be read: No such file or directory\n"
    assert (3, "", expected) == command("page", "--warc", path, "http://a.example/")


def test_empty_page(command, tmp_path):
    """A page that a build would leave out is an input that cannot be used."""
    (tmp_path / "empty.html").write_text("  \n")
    path = tmp_path / "empty.html"
    assert (3, "", f"pagekin: {path}: would be left out: empty\n") == command("page", path)


@pytest.mark.parametrize("data", [b"WARC/1.0\r\n", gz(response("http://a.example/"))])
def test_warc_as_a_page(command, tmp_path, data):
    """Whoever gives a WARC file without --warc is told how."""
    path = tmp_path / "x.warc.gz"
    path.write_bytes(data)
    expected = f"pagekin: {path} is a WARC or compressed file; give it with --warc, and a URL\n"
    assert (2, "", expected) == command("page", path)


# --- blocks ---


LINKS = """<html lang=en><body>
<ul class=kin><li><a href="http://b.example/">The B</a><li><a href="http://c.example/x?y=1">C</a>
<li><a href="/own">own</a><li><a href="mailto:x@b.example">mail</a></ul>
<p><a href="http://d.example/a.pdf">d</a> <a href="http://e.example/index.html">E</a></p>
<p><a href="http://alone.example/">alone</a></p>
"""
TEXT = """\
url        http://own.example/

block 1: 2 of 4 links; ul.kin  leaf (block: no part of it is more than a detail)
      0  The B  -> http://b.example/
      1  C  -> http://c.example/
      1  changed by dynamic: stands for http://c.example/  (http://c.example/x?y=1)
      3  removed by invalid: leads to no web page: scheme  (mailto:x@b.example)
      2  removed by common_domain: within own.example, as the page  (/own)

block 2: 1 of 2 links; p  leaf (block: no part of it is more than a detail)
      5  E  -> http://e.example/
      5  changed by normalisation: stands for http://e.example/  (http://e.example/index.html)
      4  removed by file: leads to a .pdf file  (http://d.example/a.pdf)

block_links common_domain 1, dynamic_changed 1, file 1, found 7, in_no_block 1, invalid 1, left 3, \
normalisation_changed 1
blocks     found 2, left 2
charsets   utf-8 1
languages  en 1
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(LINKS, encoding="utf-8")
    return path


def test_blocks(command, page):
    """The blocks, what made them, and what the filters did."""
    assert (0, TEXT, "") == command("blocks", "--url", "http://own.example/", page)


def test_blocks_as_json(command, page):
    """The same for programs, with every link of the page."""
    said = command("blocks", "--json", "--url", "http://own.example/", page)
    told = json.loads(said.out)
    assert ["url", "charset", "rules", "links", "blocks", "counters"] == list(told)
    assert ("http://own.example/", "utf-8", "structural", 7) == (
        *(told["url"], told["charset"], told["rules"], len(told["links"])),
    )
    first = told["blocks"][0]
    assert ("ul.kin", "leaf", [0, 1, 2, 3]) == (first["tag"], first["rule"], first["found"])
    assert "block: no part of it is more than a detail" == first["reason"]
    expected = {
        "number": 1,
        "place": 1,
        "href": "http://c.example/x?y=1",
        "url": "http://c.example/",
        "anchor": "C",
        "tsd": "c.example",
    }
    assert expected == first["links"][1]
    expected = {
        "number": 2,
        "href": "/own",
        "filter": "common_domain",
        "reason": "within own.example, as the page",
    }
    assert expected == first["removed"][-1]
    assert ["dynamic"] == [change["filter"] for change in first["changed"]]
    assert 2 == told["counters"]["blocks"]["found"]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], [[0, 1, 2, 3], [4, 5]]),
        (["--rules", "default"], [[0, 1, 2, 3], [4, 5]]),
        (["--rules", "paper"], [[0, 1, 2, 3, 4, 5, 6]]),
        (["--blocks-rules", "paper", "--blocks-t1", "1"], [[0, 1, 2, 3], [4, 5]]),
        (["--rules", "page"], [[0, 1, 2, 3, 4, 5, 6]]),
    ],
)
def test_rules(command, page, flags, expected):
    """All rules and their options can be chosen."""
    told = json.loads(command("blocks", "--json", *flags, page).out)
    assert expected == [block["found"] for block in told["blocks"]]


def test_blocks_in_colours(command, page, tmp_path):
    """The page is written with its blocks in colours."""
    out = tmp_path / "marked.html"
    said = command("blocks", "--html", out, "--url", "http://own.example/", page)
    assert (0, TEXT) == (said.code, said.out)
    written = out.read_text(encoding="utf-8")
    assert "1: 2 of 4 links; ul.kin  leaf" in written
    assert 'title="block 1, removed by common_domain: within own.example, as the page"' in written


def test_coloured_page_that_cannot_be_written(command, page, tmp_path):
    """A folder that is not there is named."""
    said = command("blocks", "--html", tmp_path / "no" / "x.html", page)
    assert 1 == said.code
    assert said.err.startswith("pagekin: ")
    assert "No such file or directory" in said.err


def test_blocks_of_a_warc(command, tmp_path):
    """The page of a WARC record, with its own address."""
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(gz(response("http://own.example/", LINKS.encode())))
    said = command("blocks", "--warc", path, "http://own.example/")
    assert TEXT == said.out
    assert 4 == command("blocks", "--warc", path, "http://other.example/").code


def test_blocks_of_an_empty_page(command, tmp_path):
    """A page without links has no blocks, and that is said."""
    path = tmp_path / "x.html"
    path.write_text("<p>nothing")
    said = command("blocks", path)
    assert 0 == said.code
    assert "\nno blocks\n" in said.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rules", "paper", "--blocks-rules", "page"], "--rules and --blocks-rules say the same"),
        (["--rules", "papers"], "argument --rules: invalid choice: 'papers'"),
        (["--blocks-large", "0"], "blocks.large is 0; it must be at least 1"),
        (["--blocks-bold", "some"], "blocks.bold is 'some'; it takes one of any"),
        (["--warc", "x", "--url", "y"], "--url and --charset go with an HTML file"),
    ],
)
def test_wrong_words_of_blocks(command, page, words, said):
    """Wrong words are named in a sentence."""
    found = command("blocks", *words, page)
    assert (2, "") == (found.code, found.out)
    assert said in found.err
