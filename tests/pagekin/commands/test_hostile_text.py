"""Every command, over pages, directories, indexes and files of which all names mean harm."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pagekin import cli
from pagekin.bags.bag import Entry
from pagekin.cocitation.kin_table import Reason, RelatedPage
from pagekin.config import BuildConfig
from pagekin.index.assembling import Mirrors
from pagekin.index.mirror_table import Edge, Group
from pagekin.stages.chain import wanted_outputs
from tests.indexes import config_of, make_bag, make_index
from tests.marked import write_marked
from tests.pagekin.test_cli import command_names
from tests.pagekin.test_printing import is_obeyed
from tests.running import Said
from tests.warcs import response

# A title of the window, an answer as if typed, a line turned around, C1, and a line of its own.
HARM = "h\x1b]0;x\x07\x1b[6n\u202e\x9b31m\x85\u2028\nINJECTED \u2066\x7f\r"
IN_A_FILE_NAME = "h\u202e\u2066"  # of a crawl: a build refuses controls in its names
IN_A_URL = "h\u202e\x9b31m\x85\u2066"  # what marks the ends of URLs in an index is not in them
OUTPUTS = [output.name for output in wanted_outputs(BuildConfig(), index=True)]
STRATEGIES = """
[[strategy]]
name = "default"
figure = "one"
[[figure]]
name = "one"
title = "One"
"""


def body(number: int) -> bytes:
    """A page that cites the others, side by side."""
    links = "".join(
        f"<li>{HARM} <a href='http://{host}.example/'>{HARM} {host}</a>" for host in "bcdef"
    )
    return (
        f"<html lang='en'><head><title>{number} {HARM}</title><meta name=robots content='{HARM}'>"
        f"<link rel=canonical href='{HARM}'></head><body><ul class='{HARM}' id='{HARM}'>{links}"
        f"<li><a href='mailto:{HARM}'>{HARM}</a><li><a href='a{HARM}b'>own {HARM}</a></ul>"
        f"<p>bees make honey {HARM} <a href='http://[{HARM}/'>no</a></p></body></html>"
    ).encode()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of such a name with a crawl, a page, a directory, marked pages, and an index that
    no build would make."""
    folder = tmp_path_factory.mktemp("hostile") / f"all {IN_A_FILE_NAME}"
    crawl = folder / "crawl"
    crawl.mkdir(parents=True)
    for number, host in enumerate("abghij"):
        record = response(f"http://{host}.example/", body(number))
        (crawl / f"{host}{IN_A_FILE_NAME}.warc").write_bytes(record)
    (crawl / f"note.{IN_A_FILE_NAME}").touch()
    (folder / "page.html").write_bytes(body(9))
    lines = [f"http://{h}.example/\t/Top/{h}{HARM[:-1].replace(chr(10), '')}" for h in "abghij"]
    (folder / "directory.tsv").write_text("\n".join(lines), encoding="utf-8", newline="")
    pair = "\t".join(f"http://{k}.example/{IN_A_URL}" for k in "ab")
    (folder / "pairs.tsv").write_text(f"{pair}\t0.1\t{IN_A_URL}\n", encoding="utf-8")
    write_marked(folder / "marked", {"a": (body(1).decode(), [[0, 1]])})
    (folder / "strategies.toml").write_text(STRATEGIES)
    (folder / "pool.tsv").write_text(
        f"page\tanswer\tmark\tsystem\trank\na\tb\t1\t{IN_A_FILE_NAME}\t1\n", encoding="utf-8"
    )
    _forged(folder / "forged")
    _damaged(folder / "forged", folder / f"damaged {HARM}")
    return folder


def _forged(folder: Path) -> None:
    words = {16: 1.0, 17: 1.0}
    bags = [
        make_bag(f"http://{k}.example/{IN_A_URL}", words, anchors=1, title=f"{k}{HARM}")
        for k in "ab"
    ]
    reasons = (Reason(f"c.example{IN_A_URL}", IN_A_URL, 0.5),)
    kin = {bags[0].url: [RelatedPage(bags[1].url, 0.5, 3, 3, reasons)]}
    entries = {16: Entry("bee", f"word{HARM}"), 17: Entry("hive", f"word{HARM}")}
    urls = [bag.url.encode() for bag in bags]
    edge = Edge(*urls, 9000, 9000, 9000)
    mirrors = Mirrors([Group(urls, [edge], 9000, 9000, 1, "too many members")], [edge])
    taught = {"neighbours": {16: {17: 9}, 17: {}}, "topics": [[16], [17]], "mirrors": mirrors}
    taught["scores"] = [(bags[0].url, 2.0, 50, 50), (f"//a{IN_A_URL}", 2.0, 50, 50)]
    named = lambda terms: [entries[t] for t in terms]  # noqa: E731
    make_index(folder, bags, config_of(), words=named, kin=kin, **taught)


def _damaged(folder: Path, copy: Path) -> None:
    shutil.copytree(folder, copy)
    for path in copy.glob("*.arrays"):
        path.write_bytes(path.read_bytes()[:-1])


@pytest.fixture(scope="module")
def work(place: Path) -> Path:
    """The workspace of a build of the crawl, with an index in it."""
    assert 0 == cli.main(["build", "-q", *BUILD, "--work", f"{place}/work", f"{place}/crawl"])
    return place / "work"


BUILD = ("-r", "inline", "--cocitation-threshold", "0.01")
ASKED = "http://a.example/"
FORGED = f"http://a.example/{IN_A_URL}"
RIVALS = (
    *("evaluate rivals", "--only", "tfidf", "--resamples", "5"),
    *("--work", "P/work", "--directory", "P/directory.tsv"),
)
# P is the folder.
RUNS = [
    ["build", *BUILD, "--work", "P/again", "P/crawl"],
    ["build", "-v", *BUILD, "--work", "P/work", "P/crawl"],
    ["build", "--dry-run", *BUILD, "--work", "P/work", "P/crawl"],
    ["build", "--dry-run", "--json", *BUILD, "--work", "P/work", "P/crawl"],
    ["build", *BUILD, "--work", "P/none", f"P/no {HARM}"],
    ["related", "--index", "P/work", ASKED],
    ["related", "--index", "P/work", "--why", "--json", ASKED],
    ["related", "--index", "P/work", "--by", "cocitation", "--why", "http://b.example/"],
    ["related", "--index", "P/work", "--all", "--why"],
    ["related", "--index", "P/work", "--all", "--why", "--by", "cocitation"],
    ["related", "--index", "P/work", "injected"],
    ["related", "--index", "P/forged", "--mirrors", "show", "--why", FORGED],
    ["related", "--index", "P/forged", "--mirrors", "show", "--why", "--json", FORGED],
    ["related", "--index", "P/forged", "--mirrors", "show", "--why", "--by", "cocitation", FORGED],
    ["related", "--index", "P/forged", "--mirrors", "show", "--by", "both", "--all", "--why"],
    ["related", "--index", "P/forged", f"http://{HARM}.example/"],
    ["urls", "--index", "P/work"],
    ["urls", "--index", "P/forged"],
    ["urls", "--index", "P/forged", "--json"],
    ["bag", "--work", "P/work", ASKED],
    ["bag", "--index", "P/forged", FORGED],
    ["bag", "--index", "P/forged", "--all", "--json"],
    ["bag", "--index", "P/forged", "--all"],
    ["neighbours", "--index", "P/forged", "bee"],
    ["neighbours", "--index", "P/forged", "--json", "bee"],
    ["neighbours", "--index", "P/forged", HARM],
    ["neighbours", "--index", "P/work", "bee"],
    ["topics", "--index", "P/forged"],
    ["topics", "--index", "P/forged", "--json"],
    ["topics", "--index", "P/forged", FORGED],
    ["topics", "--index", "P/work"],
    ["mirrors", "--index", "P/forged"],
    ["mirrors", "--index", "P/forged", "--json"],
    ["mirrors", "--index", "P/forged", FORGED],
    ["mirrors", "--index", "P/forged", FORGED, "--json"],
    ["mirrors", "--index", "P/forged", f"http://{HARM}.example/"],
    ["mirrors", "P/page.html", "P/page.html"],
    ["mirrors", "P/page.html", "P/page.html", "--json"],
    ["mirrors", "P/page.html", f"P/no {HARM}"],
    ["related", "--index", "P/forged", "--mirrors", "only", "--alpha", "0", FORGED],
    ["related", "--index", "P/forged", "--why", "--by", "both", f"http://b.example/{IN_A_URL}"],
    ["authority", "--index", "P/forged"],
    ["authority", "--index", "P/forged", "--json"],
    ["authority", "--index", "P/forged", FORGED],
    ["authority", "--index", "P/work"],
    ["page", "--url", ASKED, "P/page.html"],
    ["page", "--url", ASKED, "P/page.html", "--json"],
    ["page", "--warc", f"P/crawl/a{IN_A_FILE_NAME}.warc", "http://none.example/"],
    ["page", f"P/no {HARM}"],
    ["blocks", "--url", ASKED, "P/page.html"],
    ["blocks", "--url", ASKED, "P/page.html", "--json"],
    ["blocks", "--rules", "paper", "--url", ASKED, "P/page.html"],
    ["info", "--index", "P/work"],
    ["info", "--index", "P/work", "--json"],
    ["verify", "--index", "P/work"],
    ["verify", "--index", f"P/damaged {HARM}"],
    ["verify", "--index", f"P/damaged {HARM}", "--json"],
    ["merge-index", "P/work/index", "P/forged", "--index", "P/merged"],
    ["merge-index", "P/forged", "P/forged", "--index", f"P/merged {HARM}"],
    *(["records", "--work", "P/work", name, "-n", "0"] for name in OUTPUTS),
    *(["records", "--work", "P/work", name, "-n", "0", "--json"] for name in OUTPUTS),
    ["records", "--work", "P/work", "reading", "--shuffled", "-n", "0"],
    ["records", "--work", "P/work", "inventory", "--shuffled", "-n", "0"],
    ["plan", "P/crawl", "--compare", "P/work"],
    ["plan", f"P/no {HARM}"],
    ["evaluate gamma", "--work", "P/work", "--directory", "P/directory.tsv"],
    ["evaluate gamma", "--work", "P/work", "--directory", "P/directory.tsv", "--json"],
    ["evaluate gamma", "--work", "P/work", "--directory", f"P/no {HARM}"],
    [*RIVALS, "--bags", f"other{HARM}=P/work", "P/crawl"],
    [*RIVALS, "--bags", f"other{HARM}=P/work", "--json", "P/crawl"],
    [*RIVALS, "--only", HARM, "P/crawl"],
    ["evaluate mirrors", "--index", "P/forged", "P/pairs.tsv"],
    ["evaluate mirrors", "--index", "P/forged", "--json", "P/pairs.tsv"],
    ["evaluate mirrors", "--index", "P/forged", "P/directory.tsv"],
    ["evaluate mirrors", "--index", "P/forged", f"P/no {HARM}"],
    ["evaluate segmentation", "P/marked"],
    ["evaluate segmentation", f"P/no {HARM}"],
    ["evaluate rscore", "P/pool.tsv"],
    ["evaluate rscore", "P/pool.tsv", "--json"],
    ["compare", f"P/no {HARM}", "P/pool.tsv"],
    [
        "sweep",
        "P/strategies.toml",
        "--directory",
        "P/directory.tsv",
        "--work",
        "P/swept",
        "P/crawl",
    ],
    ["sweep", f"P/no {HARM}", "--directory", "P/directory.tsv", "--work", "P/swept", "P/crawl"],
    ["pool", "--index", "P/forged", FORGED, "-o", f"P/{IN_A_FILE_NAME}.tsv"],
    ["package", "--output", f"P/{HARM}"],
]
# What they print is of our making alone.
OURS = {"stages", "plan-signatures"}


def test_nothing_is_obeyed(place: Path, work: Path, command: Callable[..., Said]) -> None:
    """No character that a terminal obeys comes out of any command, and no line that we did not
    begin; and each of them shows what was written there, as escapes."""
    shown = set(OURS)
    for words in RUNS:
        filled = [w.replace("P/", f"{place}/") if w.startswith("P/") else w for w in words]
        said = command(*filled[0].split(), *filled[1:])
        for line in (*said.out.split("\n"), *said.err.split("\n")):
            assert not any(map(is_obeyed, line)), (words, line)
            assert not line.startswith("INJECTED"), words
        if "\\u202e" in said.out + said.err:
            shown.add(words[0])
    assert shown == set(command_names())


def test_json_says_the_same(place: Path, command: Callable[..., Said]) -> None:
    """What is escaped in JSON is there when it is read."""
    said = command("urls", "--index", place / "forged", "--json")
    first = json.loads(said.out.splitlines()[0])
    assert (FORGED, f"a{HARM}") == (first["url"], first["title"])
