"""`pagekin blocks` and `pagekin evaluate segmentation` as users meet them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.marked import write_marked
from tests.warcs import gz, response

HTML = """<html lang=en><body>
<ul class=kin><li><a href="http://b.example/">The B</a><li><a href="http://c.example/x?y=1">C</a>
<li><a href="/own">own</a><li><a href="mailto:x@b.example">mail</a></ul>
<p><a href="http://d.example/a.pdf">d</a> <a href="http://e.example/index.html">E</a></p>
<p><a href="http://alone.example/">alone</a></p>
"""

TEXT = """\
url        http://own.example/

block 1: 2 of 4 links; ul.kin  leaf (block: no part of it holds two links)
      0  The B  -> http://b.example/
      1  C  -> http://c.example/
      1  changed by dynamic: stands for http://c.example/  (http://c.example/x?y=1)
      3  removed by invalid: leads to no web page: scheme  (mailto:x@b.example)
      2  removed by common_domain: within own.example, as the page  (/own)

block 2: 1 of 2 links; p  leaf (block: no part of it holds two links)
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
    path.write_text(HTML, encoding="utf-8")
    return path


def test_text(command, page):
    """The blocks, what made them, and what the filters did."""
    assert (0, TEXT, "") == command("blocks", "--url", "http://own.example/", page)


def test_json(command, page):
    """The same for programs, with every link of the page."""
    said = command("blocks", "--json", "--url", "http://own.example/", page)
    told = json.loads(said.out)
    assert ["url", "charset", "rules", "links", "blocks", "counters"] == list(told)
    assert ("http://own.example/", "utf-8", "structural", 7) == (
        *(told["url"], told["charset"], told["rules"], len(told["links"])),
    )
    first = told["blocks"][0]
    assert ("ul.kin", "leaf", [0, 1, 2, 3]) == (first["tag"], first["rule"], first["found"])
    assert "block: no part of it holds two links" == first["reason"]
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


def test_html(command, page, tmp_path):
    """The page is written with its blocks in colours."""
    out = tmp_path / "marked.html"
    said = command("blocks", "--html", out, "--url", "http://own.example/", page)
    assert (0, TEXT) == (said.code, said.out)
    written = out.read_text(encoding="utf-8")
    assert "1: 2 of 4 links; ul.kin  leaf" in written
    assert 'title="block 1, removed by common_domain: within own.example, as the page"' in written


def test_html_that_cannot_be_written(command, page, tmp_path):
    """A folder that is not there is named."""
    said = command("blocks", "--html", tmp_path / "no" / "x.html", page)
    assert 1 == said.code
    assert said.err.startswith("pagekin: ")
    assert "No such file or directory" in said.err


def test_warc(command, tmp_path):
    """The page of a WARC record, with its own address."""
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(gz(response("http://own.example/", HTML.encode())))
    said = command("blocks", "--warc", path, "http://own.example/")
    assert TEXT == said.out
    assert 4 == command("blocks", "--warc", path, "http://other.example/").code


def test_empty_page(command, tmp_path):
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
def test_mistakes(command, page, words, said):
    """Wrong words are named in a sentence."""
    found = command("blocks", *words, page)
    assert (2, "") == (found.code, found.out)
    assert said in found.err


# --- evaluate segmentation ---

LISTS = "<ul><a href=0>a</a><a href=1>b</a></ul><h3>x</h3><ul><a href=2>c</a><a href=3>d</a></ul>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = {"one": (LISTS, [[0, 1], [2, 3]]), "two": (LISTS, [[0, 1, 2, 3]])}
    return write_marked(tmp_path / "marked", pages)


TABLE = """\
2 pages; rules: structural
                 blocks  e_precision  i_precision     e_recall            f     coverage
by human              3   (3 distinct lists of links)
before                4        0.500        1.000        0.667        0.571        1.000
after                 4        0.500        1.000        0.667        0.571        1.000
"""


def test_table(command, folder):
    """A table for people."""
    assert (0, TABLE, "") == command("evaluate", "segmentation", folder)


def test_measures(command, folder):
    """The measures for programs, before and after."""
    told = json.loads(command("evaluate", "segmentation", "--json", "--rules", "page", folder).out)
    assert ["before", "after"] == list(told)
    assert {
        "pages": 2,
        "blocks": 2,
        "human_blocks": 3,
        "human_lists": 3,
        "e_precision": 1 / 2,
        "i_precision": 1 / 2,
        "e_recall": 1 / 3,
        "f": pytest.approx(0.4),
        "coverage": 1.0,
    } == told["after"]


def test_options(command, folder):
    """The options of the rules can be set, those of the builds elsewhere cannot."""
    flags = ("--rules", "paper", "--blocks-t1", "1")
    told = json.loads(command("evaluate", "segmentation", "--json", *flags, folder).out)
    assert 4 == told["after"]["blocks"]
    said = command("evaluate", "segmentation", "--bag-links", "1", folder)
    assert (2, "") == (said.code, said.out)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["evaluate"], 2, "the following arguments are required: SUBJECT"),
        (["evaluate", "segmentatoin", "x"], 2, "did you mean segmentation?"),
        (["evaluate", "segmentation"], 2, "the following arguments are required: DIR"),
        (["evaluate", "segmentation", "--ruels", "x"], 2, "did you mean --rules?"),
        (["evaluate", "segmentation", "no-such-folder"], 3, "index.json: cannot be read"),
    ],
)
def test_mistakes_in_evaluating(command, words, code, said):
    """Wrong words and folders are named in a sentence."""
    found = command(*words)
    assert (code, "") == (found.code, found.out)
    assert said in found.err


@pytest.mark.parametrize("words", [["blocks"], ["evaluate"], ["evaluate", "segmentation"]])
def test_help(command, words):
    """The commands explain themselves."""
    said = command(*words, "--help")
    assert (0, "") == (said.code, said.err)
    assert said.out.startswith(f"usage: pagekin {' '.join(words)} ")
