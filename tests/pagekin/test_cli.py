"""The one command: what it answers, how it complains, and with which exit code it ends."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pagekin as package
from pagekin import cli
from pagekin.commands import bag
from tests.pagekin.web import servers
from tests.running import DEMO, another_build, pagekin
from tests.warcs import gz, response

SOURDOUGH = "http://wiki.example.net/wiki/Sourdough"
BOWLINE = "http://knots.sailing.example/bowline.html"
NOT_CRAWLED = "http://tide-tables.example.net/harbours"
ODD = DEMO / "crawl-00002.warc.gz"
EITHER = "name either one URL, or --all, or --urls FILE"

HTML = """<!doctype html><html lang=en><head><title>A page of bees</title><base href="/x/">
<meta name=robots content=nofollow><link rel=canonical href="/bees"></head>
<body><h1>Bees</h1><p>The bees make <a href="honey.html" rel=nofollow>some honey</a>,
<a href="mailto:ann@a.example">ask Ann</a>.</body></html>"""


@pytest.fixture
def html(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(HTML, encoding="utf-8")
    return path


def terms_of(described: dict) -> list[str]:
    return [term["term"] for term in described["terms"]]


# --- help ---


@pytest.mark.parametrize("name", ["build", "bag", "page"])
def test_help_of_a_command(command, name):
    """Every command explains itself and each of its options."""
    said = command(name, "--help")
    assert (0, "") == (said.code, said.err)
    assert said.out.startswith(f"usage: pagekin {name} ")
    options = said.out.partition("options:")[2].splitlines()
    flags = [k for k, line in enumerate(options) if line.startswith("  -")]
    assert flags
    for k in flags:
        beside = options[k].strip().partition("  ")[2]
        assert beside or options[k + 1].startswith(" " * 20), f"{options[k]} is not explained"


def test_help(command):
    """Without a command's name all of them are listed."""
    said = command("--help")
    assert 0 == said.code
    for name in ("build", "bag", "page"):
        assert f"\n    {name} " in said.out


def test_version(command):
    """The version is that of the package."""
    assert (0, f"pagekin {package.__version__}\n", "") == command("--version")


def test_help_is_quick():
    """Help needs no parser, no numpy and no mrjob."""
    code = (
        "import sys; from pagekin.cli import main\n"
        "try: main(['build', '--help'])\n"
        "except SystemExit: print([m for m in ('mrjob', 'lxml', 'numpy') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]" == said.stdout.splitlines()[-1]


@pytest.mark.parametrize("watched", [False, True])
def test_the_end_of_the_process(watched):
    """Threads end their work, and what wants to be told of the end is; also beside a profiler."""
    code = (
        "import atexit, sys, threading, time; from pagekin import cli\n"
        "def late(): time.sleep(0.2); print('late')\n"
        "def main(): threading.Thread(target=late).start(); return 7\n"
        "atexit.register(print, 'end')\n"
        f"if {watched}: sys.setprofile(lambda *_: None)\n"
        "cli.main = main; cli.program()"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (7, "late\nend\n", "") == (said.returncode, said.stdout, said.stderr)


@pytest.mark.parametrize(
    ("words", "code"), [("plan-signatures --alpha .5 --recall .9", 0), ("-x", 2)]
)
@pytest.mark.parametrize("closed", ["1", "2"])
def test_nobody_listens(words, code, closed):
    """A stream that is closed, as those of daemons may be, changes no exit code."""
    command = ["sh", "-c", f"{sys.executable} -m pagekin.cli {words} {closed}>&-"]
    assert code == subprocess.run(command, capture_output=True, check=False).returncode


def test_every_command_is_there():
    """The commands of the package are those that the help lists."""
    folder = Path(cli.__file__).parent / "commands"
    there = {p.stem for p in folder.glob("*.py") if "\ndef add_parser(" in p.read_text("utf-8")}
    assert there == {command.__name__.rpartition(".")[2] for command in cli._COMMANDS}


# --- bag ---


def test_bag(command, demo_work):
    """People see what the bag is made of, and its heaviest terms with their weights."""
    said = command("bag", "--work", demo_work, BOWLINE)
    lines = said.out.splitlines()
    assert (0, "") == (said.code, said.err)
    assert BOWLINE == lines[0]
    assert "  from its own words and 13 links on 12 pages of 8 hosts; 200 terms" == lines[1]
    assert 12 == len(lines)
    weights = [float(line.split()[0]) for line in lines[2:]]
    assert sorted(weights, reverse=True) == weights
    assert "bowline" == lines[2].split()[1]
    assert lines[2].endswith(f" {'#' * 30}")


def test_bag_as_json(command, demo_work):
    """JSON has the URL, its inlinks, and its terms with display forms, heaviest first."""
    described = json.loads(command("bag", "--work", demo_work, "--json", BOWLINE).out)
    assert [
        "url",
        "inlinks",
        "linking_pages",
        "linking_hosts",
        "crawled",
        "size",
        "terms",
    ] == list(described)
    assert (BOWLINE, 13, 12, 8, True, 200) == tuple(described.values())[:-1]
    assert 10 == len(described["terms"])
    assert {"term", "display", "weight"} == set().union(*described["terms"])
    weights = [term["weight"] for term in described["terms"]]
    assert sorted(weights, reverse=True) == weights
    assert 0 < weights[-1] <= weights[0] < 1
    assert {"term": "knot", "display": "knot"}.items() <= described["terms"][1].items()


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
        ("https://wiki.example.net/wiki/Sourdough", SOURDOUGH),
        (f"{SOURDOUGH}/", SOURDOUGH),
        ("http://www.wiki.example.net/wiki/Sourdough", SOURDOUGH),
        ("http://beekeeping.example/imprint", "http://beekeeping.example/imprint"),
        ("http://bread.example/nothing/here", "http://bread.example/"),
    ],
)
def test_unknown_url(command, demo_work, url, near):
    """A URL without a bag is answered with those near it: other spellings, then its host."""
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
    path = work / "document_frequency" / "stage.json"
    path.write_text(path.read_text().replace('"digest": "', '"digest": "0'))
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


# --- page ---


def test_page(command, html):
    """People see the head of the page, its stream, and what was counted."""
    said = command("page", html, "--url", "http://a.example/dir/bees.html")
    assert (0, "") == (said.code, said.err)
    lines = said.out.splitlines()
    assert [
        "url        http://a.example/dir/bees.html",
        "title      a page of bees",
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
    assert ("a page of bees", "en", "utf-8") == tuple(
        described[name] for name in ("title", "language", "charset")
    )
    assert [
        {"href": "honey.html", "target": "http://a.example/x/honey.html", "rel": "nofollow"},
        {"href": "mailto:ann@a.example", "target": None, "rel": ""},
    ] == described["links"]
    assert {"word": "honey"} in described["stream"]
    assert {"found": 2, "no_web_address": 1} == described["counters"]["links"]


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


# --- mistakes ---


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "the following arguments are required: COMMAND; see pagekin --help"),
        (["bag", "--work"], "argument --work: expected one argument; see pagekin bag --help"),
        (["bag", "--work", "x"], EITHER),
        (["bag", "--work", "x", "http://a.example/", "--all"], EITHER),
        (["bag", "--work", "x", "http://a.example/", "--urls", "f"], EITHER),
        (["bag", "--work", "x", "--all", "--urls", "f"], EITHER),
        (["bag", "--work", "x", "u", "v"], "unrecognized argument v; see pagekin bag --help"),
        (
            ["bag", "--work", "x", "--all", "-k", "-1"],
            "-k takes a number from 0; 0 shows all terms",
        ),
        (
            ["bag", "--work", "x", "--all", "-k", "2.5"],
            "argument -k: invalid int value: '2.5'; see pagekin bag --help",
        ),
        (
            ["build", "--work", "x", "--tasks", "-1", "y"],
            "--tasks and --max-failed-files take numbers from 0",
        ),
        (["build", "--work", "x", "-c", "none.conf", "y"], "-c none.conf: there is no such file"),
        (
            ["build", "--work", "x", "--index", "i", "--until", "inventory", "y"],
            "--until inventory stops before the index; leave out --index",
        ),
        (
            ["build", "--work", "x", "--window-words", "-3", "--bag-links", "nan", "y"],
            "window.words is -3; it must be at least 0 and at most 8191;"
            " bag.links is nan; it must be at least 0 and at most 100.0",
        ),
        (
            ["page", "x.html", "--warc", "y", "--url", "z"],
            "--url and --charset go with an HTML file; a WARC record has both",
        ),
        (["page", "--warc", "y", "nonsense"], "nonsense: is no web address"),
        (
            ["page", "http://a.example/"],
            "http://a.example/: name the WARC file that holds it with --warc",
        ),
    ],
)
def test_usage(command, words, expected):
    """Wrong words end with 2 and one sentence, before anything is touched."""
    assert (2, "", f"pagekin: {expected}\n") == command(*words)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["build", "--work", "x", "--window-word", "4", "y"],
            "--window-word (did you mean --window-words?); see pagekin build --help",
        ),
        (
            ["build", "--widow-words=4", "y"],
            "--widow-words (did you mean --window-words?); see pagekin build --help",
        ),
        (["bag", "--wrok", "x"], "--wrok (did you mean --work?); see pagekin bag --help"),
        (["bag", "--work", "x", "--zzz"], "--zzz; see pagekin bag --help"),
        (["bag", "--work", "x", "-x", "y"], "-x; see pagekin bag --help"),
        (["--verson"], "--verson (did you mean --version?); see pagekin --help"),
        (["--work", "x", "bag"], "--work; see pagekin --help"),
    ],
)
def test_unknown_flag(command, words, expected):
    """A flag that is misspelt or shortened is refused, and the nearest of the command is named."""
    assert (2, "", f"pagekin: unrecognized argument {expected}\n") == command(*words)


@pytest.mark.parametrize("words", [["--", "--all"], ["--json", "-k1", "--", "-k"]])
def test_behind_two_dashes(command, demo_work, words):
    """What stands behind -- is no flag."""
    said = command("bag", "--work", demo_work, *words)
    assert (4, "") == (said.code, said.out)
    assert said.err.startswith(f"pagekin: http://{words[-1]}/ has no bag")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("biuld", "did you mean build?"),
        ("zzz", f"there are {', '.join(cli._parser().commands)}"),
    ],
)
def test_unknown_command(command, name, hint):
    """A command that does not exist is answered with the nearest one, or with all."""
    said = command(name, "--work", "x")
    expected = f"pagekin: there is no command {name!r} ({hint}); see pagekin --help\n"
    assert (2, "", expected) == said


def test_unnamed_file(command, demo_work, monkeypatch):
    """What the system refuses without saying where keeps its reason."""

    def refuse(_: object) -> int:
        raise OSError("sort ended with code 2")

    monkeypatch.setattr(bag, "run", refuse)
    said = command("bag", "--work", demo_work, BOWLINE)
    assert (1, "", "pagekin: the system: sort ended with code 2\n") == said


def test_exit_code_1(command, tmp_path):
    """What the system refuses is one sentence, too."""
    (tmp_path / "file").write_text("")
    said = command("build", "--work", tmp_path / "file" / "work", DEMO)
    assert (1, "", f"pagekin: {tmp_path / 'file' / 'work'}: Not a directory\n") == said


def test_exit_code_3(command, tmp_path):
    """A snapshot that is not there."""
    said = command("build", "--work", tmp_path / "work", tmp_path / "none")
    assert (3, "") == (said.code, said.out)
    assert said.err.startswith(f"pagekin: {tmp_path / 'none'}: ")
    assert not (tmp_path / "work").exists()


def test_exit_code_4(command, demo_work):
    """A URL without a bag."""
    assert 4 == command("bag", "--work", demo_work, "http://nobody.example/").code


@pytest.mark.parametrize("words", [("bag", "--all"), ("bag", "http://a.example/")])
def test_exit_code_5(command, tmp_path, words):
    """A workspace that is none; and one in which the stage is not built yet."""
    name, *rest = words
    expected = f"pagekin: {tmp_path} is not a workspace; `pagekin build --work` makes one\n"
    assert (5, "", expected) == command(name, "--work", tmp_path, *rest)
    (tmp_path / "a.warc.gz").write_bytes(gz(response("http://a.example/")))
    work = tmp_path / "work"
    command(
        "build",
        "-q",
        "-r",
        "inline",
        "--until",
        "inventory",
        "--work",
        work,
        tmp_path / "a.warc.gz",
    )
    expected = f"pagekin: {work}: stage weighted_bags is not built; run pagekin build\n"
    assert (5, "", expected) == command(name, "--work", work, *rest)


def test_exit_code_6(command, tmp_path, monkeypatch):
    """A stage that fails: here one of the two files cannot be had."""
    servers.without_proxies(monkeypatch)
    (tmp_path / "a.warc.gz").write_bytes(gz(response("http://a.example/")))
    with servers.running() as server:
        (tmp_path / "b.paths").write_text(f"{server.url}/none.warc.gz\n")
        words = ("--work", tmp_path / "work", tmp_path / "a.warc.gz", tmp_path / "b.paths")
        said = command("build", "-q", "-r", "inline", *words)
    assert (6, "") == (said.code, said.out)
    assert said.err.startswith("pagekin: 1 of 2 files could not be read;")
    assert "none.warc.gz: there is no such file" in said.err.splitlines()[1]


def test_stopped(command, demo_work, monkeypatch):
    """Ctrl-C ends with 130 and one sentence."""

    def stop(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(bag, "run", stop)
    said = command("bag", "--work", demo_work, BOWLINE)
    assert (130, "", "pagekin: stopped; the same command goes on from here\n") == said


# --- processes ---


def test_in_a_process_of_its_own(demo_work):
    """The installed command, and the module, do what `main` does."""
    script = Path(sys.executable).with_name("pagekin")
    words = ["bag", "--work", str(demo_work), "-k", "1", BOWLINE]
    said = subprocess.run([script, *words], capture_output=True, text=True, check=True)
    assert said.stdout == pagekin(*words).out
    assert 3 == len(said.stdout.splitlines())


def test_error_in_a_process_of_its_own(tmp_path):
    """Exit codes reach the shell."""
    said = pagekin("bag", "--work", tmp_path, "--all")
    assert 5 == said.code
    assert 1 == len(said.err.splitlines())


@pytest.mark.parametrize("words", [["--all", "--json"], [BOWLINE]])
def test_reader_that_had_enough(demo_work, words):
    """`| head` is no error, with much output and with little."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "pagekin.cli", "bag", "--work", str(demo_work), *words]
    buffered = {**os.environ, "PYTHONUNBUFFERED": ""}
    done = subprocess.run(
        command, stdout=writing, stderr=subprocess.PIPE, env=buffered, check=False
    )
    os.close(writing)
    assert (0, b"") == (done.returncode, done.stderr)


def test_terminal_without_the_letters(demo_work):
    """Where a terminal cannot show a letter, its number is shown."""
    url = "http://tianwen.example/wangyuanjing.html"
    narrow = pagekin(
        "bag", "--work", demo_work, url, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    wide = pagekin("bag", "--work", demo_work, url, env={**os.environ, "PYTHONIOENCODING": "utf-8"})
    assert (0, "") == (narrow.code, narrow.err)
    assert narrow.out.encode().decode("unicode_escape") == wide.out
    assert not wide.out.isascii()
