"""`pagekin evaluate gamma` and `segmentation`, and `pagekin compare`."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.cocitation.kin_table import RelatedPage
from pagekin.engine import requirements as engines
from tests.indexes import config_of, make_bag, make_index, random_bags
from tests.marked import write_marked
from tests.report_pages import read_report

NAMES = ("gamma", "sibling", "cousin", "unrelated")
FIELDS = ["value", "low", "high", "with_ties", "concordant", "discordant", "tied"]
BAGS = random_bags(60)
PATHS = ("A/a/x", "A/a/y", "A/b/z", "B/c/v", "B")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small index of made-up bags."""
    folder = tmp_path_factory.mktemp("judged") / "index"
    aliases = [(b"http://old.example/", BAGS[0].url.encode())]
    return make_index(folder, BAGS, config_of(3, 16), aliases=aliases)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Classes for all but the last ten pages, and for two that are nowhere."""
    file = tmp_path_factory.mktemp("labels") / "directory.tsv"
    lines = [f"{bag.url}\t/Top/{PATHS[k % 5]}\n" for k, bag in enumerate(BAGS[:50])]
    lines += [f"http://nowhere.example/{k}\t/Top/A/a/x\n" for k in range(2)]
    lines += ["http://old.example/\t/Top/B\n"]
    file.write_text("".join(lines))
    return file


@pytest.fixture(scope="module")
def demo_labels(demo_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's pages in classes by their hosts, as each host has one subject."""
    file = tmp_path_factory.mktemp("demo-labels") / "directory.tsv"
    urls = [bag.url for bag in Index.open(demo_index).all() if bag.crawled]
    hosts = {url: url.split("/")[2] for url in urls}
    file.write_text("".join(f"{u}\t/Top/{h.split('.')[-1]}/Sites/{h}\n" for u, h in hosts.items()))
    return file


def gamma(command, *words):
    said = command("evaluate", "gamma", *words, "--json")
    assert (0, "") == (said.code, said.err)
    return json.loads(said.out)


def without(result, *keys):
    return {key: value for key, value in result.items() if key not in {"settings", *keys}}


def test_gamma_as_json(command, small, directory):
    """All figures with their counts and intervals, and what was left out."""
    found = gamma(command, "--directory", directory, "--index", small)
    assert [*NAMES, "orthogonal_share", "sources", "missing_urls"] == list(found)[:7]
    for name in NAMES:
        made = found[name]
        assert FIELDS == list(made)
        c, d, t = (made[key] for key in FIELDS[4:])
        assert ((c - d) / (c + d), (c - d) / (c + d + t)) == (made["value"], made["with_ties"])
        assert made["low"] < made["value"] < made["high"]
    assert (50, 2) == (found["sources"], found["missing_urls"])
    assert 0 < found["orthogonal_share"] < 1
    settings = found["settings"]
    assert (3, "keep", False, "bags", 1) == tuple(
        settings[key] for key in ("depth", "shallow", "linked", "by", "seed")
    )
    assert 16 == settings["config"]["signatures"]["count"]


def test_gamma_for_people(command, small, directory):
    """People see a line for each figure, for each branch, and the worst pages."""
    said = command("evaluate", "gamma", "--directory", directory, "--index", small)
    assert (0, "") == (said.code, said.err)
    lines = said.out.splitlines()
    assert lines[0].startswith("50 sources of 50 pages in 5 classes; 2 pages of the directory are")
    found = gamma(command, "--directory", directory, "--index", small)
    for name, line in zip(NAMES, lines[2:], strict=False):
        assert [name, f"{found[name]['value']:.3f}"] == line.split()[:2]
        assert f"{found[name]['tied']:,}" == line.split()[-1]
    assert {"A", "B"} <= {line.split()[0] for line in lines if line}
    assert any(found["worst"][0]["url"] in line for line in lines)


def test_work_and_index_agree(command, demo_work, demo_index, demo_labels):
    """The bags of a workspace and those of its index give the same, and signatures do too."""
    for by in ("bags", "signatures"):
        words = ("--directory", demo_labels, "--by", by)
        of_work = gamma(command, *words, "--work", demo_work)
        of_index = gamma(command, *words, "--index", demo_index)
        assert without(of_work) == without(of_index)
    assert of_work["sources"] > 200
    assert of_work["sibling"]["value"] > 0.3


def test_signatures_of_a_workspace(command, demo_work, demo_labels):
    """More signatures than the build has are made on request, and come nearer to the bags."""
    words = ("--directory", demo_labels, "--work", demo_work)
    few, many = (
        gamma(command, *words, "--by", "signatures", "--signatures-count", n)["sibling"]["value"]
        for n in (4, 400)
    )
    exact = gamma(command, *words)["sibling"]["value"]
    assert abs(many - exact) < 0.02 < abs(few - exact)


def test_linked_and_shallow(command, small, directory):
    """Other pages on request, and the seed moves the intervals alone."""
    words = ("--directory", directory, "--index", small)
    assert 40 == gamma(command, *words, "--shallow", "drop")["sources"]
    linked = gamma(command, *words, "--linked")
    assert 50 == linked["sources"] + linked["unlinked_urls"] > linked["sources"]
    one, two = gamma(command, *words), gamma(command, *words, "--seed", 2)
    assert without(one, *NAMES) == without(two, *NAMES)
    assert one["sibling"]["low"] != two["sibling"]["low"]
    assert one["sibling"]["value"] == two["sibling"]["value"]
    assert 7 == gamma(command, *words, "--sample", 7)["sources"]


def test_as_a_job(command, small, directory):
    """Dealt to tasks, the counts are the same."""
    for by in ("bags", "signatures"):
        words = ("--directory", directory, "--index", small, "--by", by, "--json")
        here, there = (command("evaluate", "gamma", *words, *r) for r in ((), ("-r", "inline")))
        assert (0, here.out) == (there.code, there.out)


def test_report(command, small, directory, tmp_path):
    """The report is one file that needs no other, with the command and the settings."""
    report = tmp_path / "out.html"
    words = ("--directory", directory, "--index", small, "--report", report)
    said = command("evaluate", "gamma", *words)
    assert (0, f"pagekin: the report is in {report}\n") == (said.code, said.err)
    page = report.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert 3 == page.count("<svg")
    assert 4 == page.count("<table")
    shown = read_report(page)
    assert f"Gamma by bags: {'/'.join(small.parts[-2:])}" == shown.title
    assert date.today().isoformat() == shown.paragraphs[0]
    assert [sum(cell.span for cell in row) for row in shown.rows] == shown.columns
    assert 1 == sum(words.split()[0] == "pagekin" for words in shown.preformatted)
    (worst,) = [heads for heads in shown.heads if "nearest wrong neighbours" in heads]
    assert ["page", "what went wrong", "nearest wrong neighbours"] == worst
    assert "&quot;depth&quot;: 3" in page
    for outside in ("src=", "<link", "@import", "url("):
        assert outside not in page


def test_broken_directory(command, small, directory, tmp_path):
    """What is wrong in the directory is said, and the rest is judged."""
    file = tmp_path / "d.tsv"
    file.write_bytes(directory.read_bytes() + b"no tab\nftp://a.example/\t/Top/A\n")
    said = command("evaluate", "gamma", "--directory", file, "--index", small)
    assert 0 == said.code
    assert "pagekin: directory: damaged: 1\n" in said.err
    assert "pagekin: directory: no web address: 1\n" in said.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--index", "i", "--work", "w"), "--work and --index: name one of them"),
        (("--index", "i", "--by", "bag"), "--by bag: it takes bags, both, cocitation, common, "),
        (("--index", "i", "--depth", "0"), "--depth takes a number from 1"),
        (("--index", "i", "--seed", "-1"), "--seed takes a number from 0"),
        (("--index", "i", "--sample", "0"), "--sample takes a number from 1"),
        (("--index", "i", "-c", "x"), "-c goes with -r"),
        (("--index", "i", "--signatures-seed", "0"), "--signatures-seed goes with --work and --by"),
        (
            ("--work", "w", "--signatures-count", "9"),
            "--signatures-count goes with --work and --by",
        ),
    ],
)
def test_wrong_words(command, words, sentence):
    """Wrong words are one sentence, before anything is read."""
    said = command("evaluate", "gamma", "--directory", "d", *words)
    assert (2, "") == (said.code, said.out)
    assert said.err.startswith(f"pagekin: {sentence}")
    assert 1 == said.err.count("\n")


@pytest.fixture
def cited(tmp_path: Path) -> Path:
    """An index of four pages, a and b of one class, c of a sibling class, d of another branch."""
    a, b, c, d = (f"http://{name}.example/" for name in "abcd")
    lists = {a: [(b, 4.0), (c, 2.0)], b: [(a, 5.0)], c: [(a, 6.0)], d: [(a, 1.5)]}
    kin = {
        url: [RelatedPage(u, score, 1, 1, ()) for u, score in some] for url, some in lists.items()
    }
    bags = [make_bag(a, {20: 1}), make_bag(b, {20: 1}), make_bag(c, {30: 1}), make_bag(d, {40: 1})]
    paths = {a: "A/a/x", b: "A/a/x", c: "A/a/y", d: "B/c/z"}
    rows = "".join(f"{url}\t/Top/{path}\n" for url, path in paths.items())
    (tmp_path / "labels.tsv").write_text(rows)
    return make_index(tmp_path / "index", bags, config_of(2), kin=kin)


def test_gamma_by_cocitation(command, cited):
    """Figures on paper.

    From a: b 5, of its class, before d 1.5, but behind c 6, a sibling. From b: a 5 before c and d,
    which are 0. c and d are alone in their classes.
    """
    words = ("--directory", cited.with_name("labels.tsv"), "--index", cited)
    found = gamma(command, *words, "--by", "cocitation")
    counts = ("concordant", "discordant", "tied")
    assert (1, 1, 0) == tuple(found["sibling"][name] for name in counts)
    assert (2, 0, 0) == tuple(found["unrelated"][name] for name in counts)
    assert ("cocitation", 0.0) == (found["settings"]["by"], found["orthogonal_share"])


def test_gamma_by_both(command, cited):
    """Bags know nothing but that a and b are equal: from a, b is 1/61 + 1/62, c 1/61, d 1/63."""
    words = ("--directory", cited.with_name("labels.tsv"), "--index", cited)
    found = gamma(command, *words, "--by", "both")
    counts = ("concordant", "discordant", "tied")
    assert (2, 0, 0) == tuple(found["sibling"][name] for name in counts)
    assert (2, 0, 0) == tuple(found["unrelated"][name] for name in counts)


@pytest.mark.parametrize("by", ["cocitation", "both"])
def test_cocitation_is_of_an_index(command, cited, by):
    """No workspace and no job has the tables; that is said before anything is read."""
    words = ("evaluate", "gamma", "--directory", "d", "--by", by)
    said = f"pagekin: --by {by} needs --index, and goes without -r\n"
    assert (2, "", said) == command(*words, "--work", "w")
    assert (2, "", said) == command(*words, "--index", cited, "-r", "inline")


@pytest.mark.parametrize("by", ["cocitation", "both"])
def test_no_table(command, small, directory, by):
    """What an index does not hold cannot be judged."""
    said = command("evaluate", "gamma", "--directory", directory, "--index", small, "--by", by)
    assert (2, "") == (said.code, said.out)
    assert "has no co-citation table" in said.err


def test_missing_engine(command, small, directory, monkeypatch):
    """A runner that is not there is refused before anything is read."""
    monkeypatch.setattr(engines, "missing_engine", lambda runner, conf: "there is no Hadoop")
    words = ("--directory", directory, "--index", small, "-r", "hadoop")
    assert (2, "", "pagekin: there is no Hadoop\n") == command("evaluate", "gamma", *words)


def test_compare(command, demo_work, demo_labels, tmp_path):
    """Exact bags are better than a few signatures, and that is sure."""
    files = {}
    for by, flags in (("bags", ()), ("signatures", ("--signatures-count", 10))):
        words = ("--directory", demo_labels, "--work", demo_work, "--by", by, *flags)
        files[by] = tmp_path / f"{by}.json"
        files[by].write_text(json.dumps(gamma(command, *words)))
    said = command("compare", files["signatures"], files["bags"])
    assert (0, "") == (said.code, said.err)
    assert "B is better on siblings: the interval lies above 0." == said.out.splitlines()[-1]
    found = json.loads(command("compare", files["bags"], files["signatures"], "--json").out)
    assert found["sibling"]["value"]["high"] < 0
    assert 0.0 == found["sibling"]["value"]["b_is_better"]
    same = command("compare", files["bags"], files["bags"]).out
    assert "Neither is shown to be better on siblings" in same


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"per_source": 1}', "[" * 100_000])
def test_compare_other_files(command, tmp_path, text):
    """A file that is no result is refused in one sentence."""
    file = tmp_path / "a.json"
    file.write_text(text)
    said = command("compare", file, file)
    assert (3, "", 1) == (said.code, said.out, said.err.count("\n"))
    assert said.err.startswith(f"pagekin: {file}: ")
    assert 3 == command("compare", tmp_path / "absent.json", file).code


# --- segmentation ---


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


def test_segmentation(command, folder):
    """A table for people."""
    assert (0, TABLE, "") == command("evaluate", "segmentation", folder)


def test_segmentation_as_json(command, folder):
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


def test_options_of_segmentation(command, folder):
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
