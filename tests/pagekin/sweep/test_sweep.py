"""A sweep gives what builds of their own give, goes on where it was, and tells what is better."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from pagekin.sweep import sweep as sweeping
from pagekin.sweep.strategies import read_strategies
from tests.pagekin.sweep.made_up_snapshot import write_directory, write_pages
from tests.report_pages import ReportPage, read_report
from tests.running import NOT_ENRICHED_FLAGS

NAMES = ("gamma", "sibling", "cousin", "unrelated")
STRATEGIES = """
[base]
weight.terms = 30

[[strategy]]
name = "default"
figure = "one"

[[strategy]]
name = "narrow"
figure = "one"
window = { words = 2, kind = "syntactic" }
text.stemming = "nostem"
weight = { df = "sqrt", terms = 0 }
bag = { links = 8.0, headings = 2.0, citing_title = 1.0 }

[[strategy]]
name = "topical"
figure = "two"
x = "window"
window.kind = "topical"
bag = { content = 0.0, same_host = "weigh" }

[[strategy]]
name = "basic 3"
figure = "two"
x = "window"
window.words = 3
bag = { content = 0.0, same_host = "drop", distance = "none" }

[[strategy]]
name = "content"
figure = "two"
bag = { anchor = 0.0, distance = "none" }
by = "tfidf"
weight = { df = "none", terms = 0, tf = "log" }

[[strategy]]
name = "crawled"
bag.urls = "crawled"
weight = { df = "log", terms = 0 }

[[strategy]]
name = "links"
by = "common"
bag = { anchor = 0.0, content = 0.0, links = 1.0 }

[[strategy]]
name = "signed"
by = "reranked"
signatures.count = 16
reading.exclude_host = ["b.example"]

[[figure]]
name = "one"
title = "The first"
against = "default"

[[figure]]
name = "share"
of = "two"
measure = "orthogonal"
"""
# the flags of a build that makes the bags of each strategy, and those of `evaluate gamma`
FLAGS = {
    "default": ("--weight-terms=30",),
    "narrow": (
        *("--window-words=2", "--window-kind=syntactic", "--text-stemming=nostem"),
        *("--weight-df=sqrt", "--weight-terms=0", "--bag-links=8", "--bag-headings=2"),
        "--bag-citing-title=1",
    ),
    "topical": (
        *("--weight-terms=30", "--window-kind=topical", "--bag-content=0"),
        "--bag-same-host=weigh",
    ),
    "basic 3": (
        *("--weight-terms=30", "--window-words=3", "--bag-content=0", "--bag-same-host=drop"),
        "--bag-distance=none",
    ),
    "content": (
        *("--bag-anchor=0", "--bag-distance=none", "--weight-df=none", "--weight-terms=0"),
        "--weight-tf=log",
    ),
    "crawled": ("--bag-urls=crawled", "--weight-df=log", "--weight-terms=0"),
    "links": ("--bag-anchor=0", "--bag-content=0", "--bag-links=1", "--weight-terms=30"),
    "signed": ("--weight-terms=30", "--exclude-host=b.example"),
}
BY = {
    "content": ("--by", "tfidf"),
    "links": ("--by", "common"),
    "signed": ("--by", "reranked", "--signatures-count", "16", "--exclude-host", "b.example"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A snapshot, its directory, and strategies."""
    base = tmp_path_factory.mktemp("swept")
    (base / "some.toml").write_text(STRATEGIES)
    return write_pages(base / "crawl"), write_directory(base / "d.tsv"), base / "some.toml"


@pytest.fixture
def sweep(command, made, tmp_path):
    """The command, in one process; gives what it printed as JSON, and what it said."""
    crawl, directory, strategies = made

    def run(*words, plan=strategies):
        flags = ("--directory", directory, "--work", tmp_path / "work", "--tasks", 1, *words)
        said = command("sweep", plan, *flags, "--json", "--resamples", 50, crawl)
        assert 0 == said.code, said.err
        return json.loads(said.out), said.err

    return run


@pytest.mark.parametrize("shallow", ["keep", "drop"])
def test_as_builds_of_their_own(sweep, command, made, tmp_path, shallow):
    """Every strategy has the counts, the intervals and the orthogonal share of a build of its own
    that is judged by `evaluate gamma`, though pages are read once."""
    crawl, directory, _ = made
    found, _ = sweep("--shallow", shallow)
    by_name = {s["name"]: s for s in found["strategies"]}
    assert list(FLAGS) == list(by_name)
    for k, (name, flags) in enumerate(FLAGS.items()):
        work = tmp_path / f"build{k}"
        build = (
            "build",
            "-q",
            "-r",
            "inline",
            "--only",
            "bags",
            "--work",
            work,
            *flags,
            *NOT_ENRICHED_FLAGS,
            crawl,
        )
        assert 0 == command(*build).code
        words = ("--directory", directory, "--work", work, "--shallow", shallow, "--resamples", 50)
        said = command("evaluate", "gamma", *words, *BY.get(name, ()), "--json")
        expected = json.loads(said.out)
        told = (*NAMES, "orthogonal_share", "sources", "missing_urls", "labels")
        assert {n: expected[n] for n in told} == {n: by_name[name][n] for n in told}, name
    assert by_name["default"]["gamma"]["concordant"] > 0


def test_goes_on(sweep, made, monkeypatch, tmp_path):
    """What is judged is kept; pages are read again only for what their fragments do not hold."""
    first, _ = sweep()
    read: list[int] = []
    original = sweeping.read_snapshot
    monkeypatch.setattr(
        sweeping, "read_snapshot", lambda *words: read.append(len(words[3])) or original(*words)
    )
    again, said = sweep()
    assert first == again
    assert ([], True) == (read, "8 of them judged already" in said)
    plan = tmp_path / "more.toml"
    plan.write_text(STRATEGIES + '[[strategy]]\nname = "more"\nwindow.words = 9\nweight.tf="sqrt"')
    assert "8 of them judged already" in sweep(plan=plan)[1]
    assert [1] == read  # windows of 9 words: one set of fragments is made anew
    plan.write_text(STRATEGIES + '[[strategy]]\nname = "more"\nweight.tf = "sqrt"')
    sweep(plan=plan)
    assert [1] == read
    assert 8 == len(read_strategies(str(made[2])).strategies)


def test_stopped(sweep, monkeypatch):
    """A sweep that was stopped while it judged keeps what was judged before."""
    whole, _ = sweep("--seed", 2)
    original = sweeping.judge_strategy
    names: list[str] = []

    def stop_at_third(task):
        names.append(task.strategy.name)
        if len(names) == 3:
            raise KeyboardInterrupt
        return original(task)

    monkeypatch.setattr(sweeping, "judge_strategy", stop_at_third)
    with pytest.raises(AssertionError):  # the command ends with 130
        sweep()
    monkeypatch.setattr(sweeping, "judge_strategy", original)
    found, said = sweep()
    assert "2 of them judged already" in said
    assert [s["name"] for s in whole["strategies"]] == [s["name"] for s in found["strategies"]]


def test_several_processes(sweep, made, tmp_path, command):
    """Two processes give what one gives."""
    one, _ = sweep()
    crawl, directory, strategies = made
    flags = ("--directory", directory, "--work", tmp_path / "two", "--tasks", 2, "--resamples", 50)
    said = command("sweep", strategies, *flags, "--json", "-q", crawl)
    assert (0, "") == (said.code, said.err)
    two = json.loads(said.out)
    for a, b in zip(one["strategies"], two["strategies"], strict=True):
        assert {n: a[n] for n in NAMES} == {n: b[n] for n in NAMES}
    assert one["figures"] == two["figures"]


def test_figures(sweep):
    """Neighbours of a series are compared, or all with the one that is named."""
    found, _ = sweep()
    one, share, two = found["figures"]
    assert ("one", "The first", "sibling") == (one["name"], one["title"], one["measure"])
    assert [("narrow", "default")] == [(c["a"], c["b"]) for c in one["comparisons"]]
    assert ["topical", "basic 3", "content"] == two["strategies"] == share["strategies"]
    pairs = [("topical", "basic 3"), ("basic 3", "content")]
    assert pairs == [(c["a"], c["b"]) for c in two["comparisons"]]
    by_name = {s["name"]: s for s in found["strategies"]}
    c = one["comparisons"][0]["sibling"]["value"]
    assert by_name["default"]["sibling"]["value"] == c["b"]
    assert c["low"] <= c["difference"] <= c["high"]
    assert by_name["topical"]["x"] == by_name["topical"]["window"] > 0
    assert by_name["content"]["window"] is None
    assert 0 < by_name["basic 3"]["window"] <= 6
    assert "--weight-terms=30" in by_name["default"]["flags"]


def test_results_can_be_compared(sweep, command):
    """What is kept of each strategy is a result that `pagekin compare` reads."""
    found, _ = sweep()
    paths = {s["name"]: s["result"] for s in found["strategies"]}
    said = command("compare", paths["narrow"], paths["default"], "--json", "--resamples", 50)
    expected = found["figures"][0]["comparisons"][0]
    assert json.loads(said.out)["sibling"]["value"] == expected["sibling"]["value"]


def test_left_out(sweep, tmp_path):
    """A strategy that cannot be judged is told with the reason, and the others are judged."""
    plan = tmp_path / "some.toml"
    plan.write_text(
        '[[strategy]]\nname = "wrong"\nby = "tfidf"\nfigure = "f"\n'
        '[[strategy]]\nname = "right"\nfigure = "f"\n'
    )
    found, said = sweep(plan=plan)
    wrong, right = found["strategies"]
    assert 'by tfidf needs bags without df weights (weight.df = "none")' in wrong["left_out"]
    assert "wrong: left out: by tfidf" in said
    assert right["gamma"]["concordant"] > 0
    assert [] == found["figures"][0]["comparisons"]


def test_cocitation(sweep, tmp_path):
    """Co-citation is built in the same folder, and judged alone and with bags."""
    plan = tmp_path / "some.toml"
    plan.write_text(
        "[base.cocitation]\nthreshold = 0.0\n"
        '[[strategy]]\nname = "bags"\n'
        '[[strategy]]\nname = "cited"\nby = "cocitation"\n'
        '[[strategy]]\nname = "fused"\nby = "both"\n'
    )
    found, _ = sweep(plan=plan)
    gammas = [s["gamma"]["concordant"] for s in found["strategies"]]
    assert all(gammas)
    assert 3 == len(set(gammas))


def test_for_people(command, made, tmp_path):
    """People see a table for each figure and what is better than what; a report holds them all."""
    crawl, directory, strategies = made
    flags = ("--directory", directory, "--work", tmp_path / "w", "--tasks", 1, "--resamples", 50)
    report = tmp_path / "out.html"
    said = command("sweep", strategies, *flags, "-q", "--sample", 20, "--report", report, crawl)
    assert (0, f"pagekin: the report is in {report}\n") == (said.code, said.err)
    assert said.out.startswith("The first\n")
    assert "default less narrow: sibling " in said.out
    assert "Other strategies\n" in said.out
    page = report.read_text()
    assert 3 == page.count("<svg ")
    for words in ("The first", "basic 3", "--window-kind=syntactic", "20 sources of"):
        assert words in page
    _check_report(read_report(page), crawl, directory)
    assert not {"<script", "<link", "src="} & {w for w in ("<script", "<link", "src=") if w in page}


def _check_report(page: ReportPage, crawl: Path, directory: Path) -> None:
    """It says what it is about; each table fits; settings and command stand in it once."""
    assert f"Strategies compared: {crawl.name}" == page.title
    assert date.today().isoformat() == page.paragraphs[0]
    assert any(f"the directory is {directory}." in words for words in page.paragraphs)
    assert not [words for words in page.paragraphs if "['" in words]
    assert [sum(c.span for c in row) for row in page.rows] == page.columns
    (command,) = page.preformatted
    assert "pagekin" == command.split()[0]
    flags = [row[-1].text for row in page.rows if "--" in row[-1].text]
    assert len(flags) == len(set(flags))
    assert ["strategy", "by", "differs from the defaults in"] == page.heads[-1]
    longest = max(len(c.text) for row in page.rows for c in row[1:] if c.text not in flags)
    assert longest < 30  # numbers, intervals and the reasons for what was left out


def test_markdown(command, sweep, made, tmp_path):
    """Tables for a document: a row for each strategy, with its difference to the one that it is
    compared with, and the plots where they were written."""
    found, _ = sweep()
    crawl, directory, strategies = made
    flags = ("--directory", directory, "--work", tmp_path / "work", "--tasks", 1)
    words = (strategies, *flags, "-q", "--resamples", 50, "--markdown")
    said = command("sweep", *words, crawl)
    assert 0 == said.code, said.err
    lines = said.out.splitlines()
    assert "## The first" == lines[0]
    assert "The values stand in the table of two." in lines
    rows = {row[1].strip(): row for line in lines if (row := line.split("|"))[1:]}
    strategy = found["strategies"][1]["sibling"]
    c = found["figures"][0]["comparisons"][0]["sibling"]["value"]
    assert rows["narrow"][2].startswith(f" {strategy['value']:.3f} [{strategy['low']:.3f}, ")
    assert rows["narrow"][7].startswith(f" {c['difference']:+.3f} [{c['low']:+.3f}, ")
    assert ["  ", "  ", "  "] == rows["default"][7:10]
    assert "![" not in said.out
    shown = command("sweep", *words, "--plots", tmp_path / "drawn", crawl).out
    for figure in found["figures"]:
        path = tmp_path / "drawn" / f"{figure['file']}.svg"
        assert path.exists()
        assert f"]({path})" in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("no.toml", "--directory", "d"),
            "no.toml: cannot be read: No such file or directory; the",
        ),
        (("paper", "--directory", "d", "--depth", "0"), "--depth takes a number from 1"),
        (("paper", "--directory", "d", "--tasks", "-1"), "--tasks takes a number from 0"),
        (("paper", "--directory", "d", "--sed", "1"), "unrecognized argument --sed"),
    ],
)
def test_wrong_words(command, made, tmp_path, words, sentence):
    """What is wrong is said before anything is read."""
    said = command("sweep", *words, "--work", tmp_path / "w", made[0])
    assert (2, True) == (said.code, said.err.startswith(f"pagekin: {sentence}")), said.err
    assert not (tmp_path / "w").exists()


def test_excluded_hosts(command, made, tmp_path):
    """`evaluate gamma` refuses bags that hold what a host said, and takes those that do not."""
    crawl, directory, _ = made
    for k, (flags, code) in enumerate((((), 2), (("--exclude-host", "b.example"), 0))):
        work = tmp_path / f"w{k}"
        words = (
            "build",
            "-q",
            "-r",
            "inline",
            "--only",
            "bags",
            "--work",
            work,
            *flags,
            *NOT_ENRICHED_FLAGS,
            crawl,
        )
        assert 0 == command(*words).code
        words = ("--directory", directory, "--work", work, "--exclude-host", "b.example")
        said = command("evaluate", "gamma", *words)
        assert code == said.code
    assert "" == said.err
