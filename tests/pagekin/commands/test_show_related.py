"""`pagekin related`: what it answers, how it complains, and how it ends."""

from __future__ import annotations

import io
import json
import math
import shutil
import sys
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.cocitation.kin_table import Reason, RelatedPage
from pagekin.engine import requirements as engines
from pagekin.query.ranking import FLOOR, PER_HOST
from tests.indexes import config_of, make_bag, make_index, random_bags
from tests.running import pagekin

BOWLINE = "http://knots.sailing.example/bowline.html"
SPLICING = "http://knots.sailing.example/splicing.html"
SOURDOUGH = "http://wiki.example.net/wiki/Sourdough"
NOT_CRAWLED = "http://tide-tables.example.net/harbours"
PLAIN = {"read": "any", "per_host": 0, "alpha": 0.0}
FIELDS = ["url", "title", "score", "estimate", "exact", "inlinks", "read", "weak"]
FIELDS += ["mirrors", "mirror_of", "why"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small index of made-up bags."""
    folder = tmp_path_factory.mktemp("small-index") / "index"
    return make_index(folder, random_bags(30), config_of(3, 16))


def lines_of(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_related(command, demo_index):
    """People see the page asked for and its kin, best first, each with a bar, and its title below
    if it was read."""
    said = command("related", "--index", demo_index, BOWLINE)
    first, *others = said.out.splitlines()
    assert (0, "", f"{BOWLINE}  The bowline, tied three ways « The Knot Room") == (
        said.code,
        said.err,
        first,
    )
    lines = [line for line in others if "#" in line]
    scores = [float(line.split()[0]) for line in lines]
    assert sorted(scores, reverse=True) == scores
    assert SPLICING == lines[0].split()[1]
    assert lines[0].endswith(f"  {'#' * round(20 * scores[0])}")
    assert {"#"} == set(lines[-1].split()[2])
    assert f"          {Index.open(demo_index).title(SPLICING)}" == others[1]
    titles = [kin.title for kin in Index.open(demo_index).related(BOWLINE)]
    assert list(filter(None, titles)) == [line.strip() for line in others if "#" not in line]


def test_related_as_json(command, demo_index):
    """JSON is a list, best first, as Python has it."""
    said = command("related", "--index", demo_index, "--json", "-k", 3, BOWLINE)
    found = json.loads(said.out)
    assert [FIELDS] * 3 == [list(kin) for kin in found]
    assert [kin.as_dict() for kin in Index.open(demo_index).related(BOWLINE, 3)] == found
    assert [kin["exact"] for kin in found] == [kin["score"] for kin in found]
    assert [None] * 3 == [kin["why"] for kin in found]


def test_defaults_in_help(command):
    """The help tells the numbers of the defaults."""
    text = " ".join(command("related", "--help").out.split())
    assert f"not more similar than this (default: {FLOOR}; 0: show what is left)" in text
    assert f"0: any number (default: {PER_HOST}, and more behind them" in text


def test_not_read(command, demo_index):
    """Pages that were not read follow those that were, and are marked, for people and in JSON."""
    words = ("related", "--index", demo_index, "-k", 200, BOWLINE)
    lines = [line for line in command(*words).out.splitlines()[1:] if not line.startswith(" " * 9)]
    found = json.loads(command(*words, "--json").out)
    assert [kin["read"] for kin in found] == [not line.endswith("#  not read") for line in lines]
    assert found == sorted(found, key=lambda kin: not kin["read"])
    assert 2 == len({kin["read"] for kin in found})


def test_no_exact(command, demo_index):
    """--no-exact ranks by counted signatures, --exact is the default."""
    found = json.loads(
        command("related", "--index", demo_index, "--json", "--no-exact", BOWLINE).out
    )
    assert [None] * 10 == [kin["exact"] for kin in found]
    assert [kin["estimate"] for kin in found] == [kin["score"] for kin in found]
    assert all(0 == round(kin["score"] * 80, 9) % 1 for kin in found)
    words = ("related", "--index", demo_index, BOWLINE)
    assert command(*words) == command(*words, "--exact") != command(*words, "--no-exact")


def test_why(command, demo_index):
    """--why tells the shared terms with both weights, estimate and exact value, and the links."""
    said = command("related", "--index", demo_index, "-k", 1, "--why", BOWLINE)
    (kin,) = Index.open(demo_index).related(BOWLINE, 1, why=True)
    _, _, _, first, *terms, last = said.out.splitlines()
    estimate = f"estimate {kin.estimate:.4f}, exact {kin.exact:.4f}"
    assert f"{estimate}; {kin.why.shared_terms} terms shared" == first.strip()
    assert [term.display for term in kin.why.terms] == [line.split()[1] for line in terms]
    weights = f"({kin.why.terms[0].asked:.4f} and {kin.why.terms[0].found:.4f})"
    assert terms[0].endswith(weights)
    assert "read, 14 links from 9 hosts; asked: 13 from 8" == last.strip()
    without = command("related", "--index", demo_index, "-k", 1, "--why", "--no-exact", BOWLINE)
    assert f"estimate {kin.estimate:.4f}; " in without.out


def test_why_as_json(command, demo_index):
    """So does JSON."""
    words = ("related", "--index", demo_index, "--json", "--why", "-k", 1, BOWLINE)
    why = json.loads(command(*words).out)[0]["why"]
    assert [
        *("terms", "shared_terms", "shared_weight"),
        *("topics", "shared_topics", "topics_weight"),
        *("inlinks", "linking_pages", "linking_hosts", "crawled"),
        *("asked_inlinks", "asked_linking_pages", "asked_linking_hosts"),
        *("citing", "citing_domains", "blocks", "standing", "preferred_by"),
    ] == list(why)
    assert [
        *("term", "display", "asked", "found", "shared"),
        *("asked_source", "found_source", "asked_related_to", "found_related_to"),
    ] == list(why["terms"][0])
    assert 10 == len(why["terms"]) < why["shared_terms"]


def test_known_by_anchors(command, demo_index):
    """A page that was never read has kin, and the answer says what is known of it."""
    said = command("related", "--index", demo_index, "-k", 2, NOT_CRAWLED)
    assert (0, NOT_CRAWLED) == (said.code, said.out.splitlines()[0])
    assert said.err.startswith(f"pagekin: {NOT_CRAWLED} was not read: it is known only by the ")


def test_several(command, demo_index):
    """Several URLs are one question; others may be what the answer should be unlike."""
    index = Index.open(demo_index)
    words = ("related", "--index", demo_index, "--json", "-k", 4)
    found = json.loads(command(*words, BOWLINE, SOURDOUGH).out)
    assert [kin.as_dict() for kin in index.related([BOWLINE, SOURDOUGH], 4)] == found
    found = json.loads(command(*words, BOWLINE, "--unlike", SPLICING, "--unlike", SOURDOUGH).out)
    expected = index.related(BOWLINE, 4, unlike=[SPLICING, SOURDOUGH])
    assert [kin.as_dict() for kin in expected] == found
    shown = command("related", "--index", demo_index, BOWLINE, SOURDOUGH).out
    titled = [
        f"{BOWLINE}  The bowline, tied three ways « The Knot Room",
        f"{SOURDOUGH}  {index.title(SOURDOUGH)}",
    ]
    assert titled == shown.splitlines()[:2]


def test_words(command, demo_index):
    """What is no URL is searched for: the best page is taken and named, with the next ones."""
    index = Index.open(demo_index)
    best, *others = index.search("sourdough", 5)
    said = command("related", "--index", demo_index, "-k", 2, "sourdough")
    assert (0, f"{SOURDOUGH}  {best.title}") == (said.code, said.out.splitlines()[0])
    more = ", ".join(f"{page.url} ({page.title})" for page in others)
    taken = f"pagekin: sourdough: taken is {SOURDOUGH} ({best.title})"
    assert f"{taken}; others with these words are {more}\n" == said.err
    words = ("related", "--index", demo_index, "-k", 2, "--json")
    found = json.loads(command(*words, "Splicing ROPE", BOWLINE, "--unlike", "sourdough").out)
    (page,) = index.search("splicing rope", 5)
    assert SPLICING == page.url
    assert [
        {"words": "Splicing ROPE", "pages": [page._asdict()]},
        {"words": "sourdough", "pages": [one._asdict() for one in (best, *others)]},
    ] == found["searched"]
    expected = index.related([SPLICING, BOWLINE], 2, unlike=SOURDOUGH)
    assert [kin.as_dict() for kin in expected] == found["related"]


def test_words_that_no_page_has(command, demo_index):
    """They end with 4; what is written as URLs are is no words."""
    said = command("related", "--index", demo_index, "knots nonsense")
    sentence = "knots nonsense is no URL, and no page has it in its title or URL"
    assert (4, "", f"pagekin: {sentence}\n") == said
    said = command("related", "--index", demo_index, "bowline.html")
    assert (4, "") == (said.code, said.out)
    assert said.err.startswith("pagekin: http://bowline.html/ is not in the index")


@pytest.mark.parametrize(
    ("flags", "how"),
    [
        (("--alpha", 0.4), {"alpha": 0.4}),
        (("--per-host", 1), {"per_host": 1}),
        (
            ("--exclude-host", "sailing.example", "--exclude-host", "chess.example"),
            {"exclude_hosts": ["sailing.example", "chess.example"]},
        ),
        (("--candidates", 2), {"candidates": 2}),
        (("--budget", 50), {"budget": 50}),
    ],
)
def test_flags(command, demo_index, flags, how):
    """Each flag does what the argument of its name does."""
    index = Index.open(demo_index)
    said = command("related", "--index", demo_index, "--json", *flags, BOWLINE)
    answer = index.related(BOWLINE, **how)
    assert [kin.as_dict() for kin in answer] == json.loads(said.out)
    assert [kin.as_dict() for kin in index.related(BOWLINE)] != json.loads(said.out) or how in (
        {"budget": 50},
        {"candidates": 2},
    )
    assert [f"pagekin: {note}" for note in answer.notes(every=True)] == said.err.splitlines()


@pytest.mark.parametrize(
    ("flags", "how"),
    [
        (("--per-host", 0), {"per_host": 0}),
        (("--read", "only"), {"read": "only"}),
        (("--read", "any"), {"read": "any"}),
        (("--read", "any", "--per-host", 0, "--alpha", 0), PLAIN),
    ],
)
def test_other_than_default(command, small, flags, how):
    """The flags that lift a default do what the arguments do, and other than the default."""
    index = Index(small)
    differ = 0
    for bag in random_bags(30):
        said = command("related", "--index", small, "--json", *flags, bag.url)
        found = json.loads(said.out)
        assert [kin.as_dict() for kin in index.related(bag.url, **how)] == found
        differ += found != [kin.as_dict() for kin in index.related(bag.url)]
    assert differ


def test_budget_is_said(command, demo_index):
    """Where long lists are left out, stderr says so to those who want to know."""
    words = ("related", "--index", demo_index, "--budget", 50, BOWLINE)
    assert (0, "") == (command(*words).code, command(*words).err)
    for flag in ("--why", "-v", "--json"):
        said = command(*words, flag)
        assert 0 == said.code
        assert "signatures are so common that their lists were not read" in said.err


def test_nothing_related(command, tmp_path):
    """An answer may be empty."""
    bags = [make_bag("http://a.example/", {20: 1}), make_bag("http://b.example/", {})]
    index = make_index(tmp_path / "index", bags)
    said = command("related", "--index", index, "a.example")
    assert (0, "http://a.example/\n  nothing is related to it\n", "") == said
    assert "[]\n" == command("related", "--index", index, "a.example", "--json").out
    hardly = make_bag("http://c.example/", {20: 1, **dict.fromkeys(range(30, 60), 1)})
    index = make_index(tmp_path / "hardly", [bags[0], hardly], config_of(1, 80))
    words = ("related", "--index", index, "a.example")
    assert (
        "  nothing is related to it; --alpha 0 shows what is hardly similar"
        == (command(*words).out.splitlines()[1])
    )
    assert hardly.url == json.loads(command(*words, "--alpha", 0, "--json").out)[0]["url"]
    index = tmp_path / "index"
    said = command("related", "--index", index, "b.example")
    assert (0, "pagekin: http://b.example/ has an empty bag, and so no kin by bags\n") == (
        said.code,
        said.err,
    )


def test_urls_of_a_file(command, demo_index, tmp_path, monkeypatch):
    """--urls answers each URL of a file, or of stdin, by itself; who is not there is told."""
    text = f"{BOWLINE}\n\n bowline.example\nnobody.example\nmailto:x@y.z\n{NOT_CRAWLED}\n"
    (tmp_path / "urls").write_text(text)
    words = ("related", "--index", demo_index, "-k", 2)
    said = command(*words, "--json", "--urls", tmp_path / "urls")
    index = Index.open(demo_index)
    expected = [index.related(url, 2).as_dict() for url in (BOWLINE, BOWLINE, NOT_CRAWLED)]
    assert ["url", "related", "lists_left_out"] == list(expected[0])
    assert (4, expected) == (said.code, lines_of(said.out))
    first, second, third = said.err.splitlines()
    assert "pagekin: http://nobody.example/ is not in the index" == first
    assert "pagekin: mailto:x@y.z is no web address" == second
    assert third.startswith(f"pagekin: {NOT_CRAWLED} was not read")
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{BOWLINE}\n{SPLICING}\n"))
    shown = command(*words, "--urls", "-")
    assert 0 == shown.code
    blocks = shown.out.split("\n\n")[:-1]
    assert [BOWLINE, SPLICING] == [block.split()[0] for block in blocks]


@pytest.mark.parametrize("flags", [(), ("-k", 2, "--why"), ("--no-exact", "--per-host", 1)])
def test_all(command, small, flags):
    """--all answers for every page, in the order of the URLs, a line for each."""
    said = command("related", "--index", small, "--all", *flags)
    assert (0, "") == (said.code, said.err)
    found = lines_of(said.out)
    assert sorted(bag.url for bag in random_bags(30)) == [line["url"] for line in found]
    for line in found:
        alone = command("related", "--index", small, "--json", *flags, line["url"])
        assert json.loads(alone.out) == line["related"]
    assert said == command("related", "--index", small, "--all", "--json", *flags)


def test_all_as_a_job(command, small):
    """A job gives the same lines, in this process or in others."""
    words = ("related", "--index", small, "--all", "-k", 3, "--why", "--alpha", 0.05)
    expected = command(*words)
    assert 30 == len(expected.out.splitlines())
    assert expected == command(*words, "-r", "inline")
    local = command(*words, "-r", "local")  # it may tell its progress
    assert expected[:2] == local[:2]


@pytest.mark.parametrize("by", ["bags", "both"])
def test_read_pages_alone(command, small, tmp_path, by):
    """--read only keeps pages that were not read out of the answers; with --all, here and as a job,
    they are not asked either."""
    index = Index.open(small)
    read = {bag.url for bag in index.all() if bag.crawled}
    words = ("related", "--index", small, "--by", by, "-k", 30, "--read", "only")
    found = lines_of(command(*words, "--all").out)
    assert sorted(read) == [line["url"] for line in found]
    assert 0 < len({kin["url"] for line in found for kin in line["related"]} - {""})
    assert all(kin["url"] in read for line in found for kin in line["related"])
    assert found == lines_of(command(*words, "--all", "-r", "inline").out)
    every = [bag.url for bag in index.all()]
    (tmp_path / "urls").write_text("\n".join(every))
    each = lines_of(command(*words, "--json", "--urls", tmp_path / "urls").out)
    assert every == [line["url"] for line in each]
    assert found == [line for line in each if line["url"] in read]
    one = json.loads(command(*words, "--json", found[0]["url"]).out)
    assert found[0]["related"] == one


def test_all_of_an_empty_index(command, tmp_path):
    """No pages, no lines."""
    index = make_index(tmp_path / "index", [])
    assert (0, "", "") == command("related", "--index", index, "--all")
    assert (0, "", "") == command("related", "--index", index, "--all", "-r", "inline")


def test_job_without_an_engine(command, small, monkeypatch):
    """An engine that is not there is said before anything runs."""
    monkeypatch.setattr(engines, "missing_engine", lambda runner, conf: f"-r {runner}: none here")
    said = command("related", "--index", small, "--all", "-r", "hadoop")
    assert (2, "", "pagekin: -r hadoop: none here\n") == said


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "name URLs, or --urls FILE, or --all"),
        (["a.example", "--all"], "name URLs, or --urls FILE, or --all"),
        (["a.example", "--urls", "f"], "name URLs, or --urls FILE, or --all"),
        (["--all", "--urls", "f"], "name URLs, or --urls FILE, or --all"),
        (["a.example", "-r", "local"], "-r local goes with --all"),
        (["--all", "-c", "x.conf"], "-c goes with -r"),
        (["--all", "-r", "inline", "-c", "x.conf"], "-c x.conf: there is no such file"),
        (["--all", "--unlike", "b.example"], "--unlike goes with URLs"),
        (["a.example", "-k", "0"], "-k takes a number from 1"),
        (["a.example", "--candidates", "0"], "--candidates takes a number from 1"),
        (["a.example", "--budget", "0"], "--budget takes a number from 1"),
        (["a.example", "--per-host", "-1"], "--per-host takes a number from 0"),
        (["a.example", "--alpha", "1"], "--alpha 1.0: it must be at least 0 and below 1"),
        (["a.example", "--alpha", "-0.1"], "--alpha -0.1: it must be at least 0 and below 1"),
        (["a.example", "--alpha", "nan"], "--alpha nan: it must be at least 0 and below 1"),
        (
            ["a.example", "-k", "x"],
            "argument -k: invalid int value: 'x'; see pagekin related --help",
        ),
        (
            ["a.example", "--unlke", "x"],
            "unrecognized argument --unlke (did you mean --unlike?); see pagekin related --help",
        ),
        (["mailto:x@y.z"], "mailto:x@y.z is no web address"),
    ],
)
def test_usage(command, small, words, expected):
    """Wrong words end with 2 and one sentence."""
    assert (2, "", f"pagekin: {expected}\n") == command("related", "--index", small, *words)


@pytest.mark.parametrize(
    ("url", "near"),
    [
        ("https://wiki.example.net/wiki/Sourdoug", SOURDOUGH),
        (f"{SOURDOUGH}h", SOURDOUGH),
        ("http://wiki.example.com/wiki/Sourdough", SOURDOUGH),
        ("http://www.wiki.example.net/wiki/Suordough", SOURDOUGH),
        ("https://www.bread.example/nothing/here", "http://bread.example/"),
    ],
)
@pytest.mark.parametrize("name", ["related", "bag"])
def test_not_found(command, demo_index, name, url, near):
    """A URL that is not in the index ends with 4, and those near it are named."""
    said = command(name, "--index", demo_index, url)
    assert (4, "") == (said.code, said.out)
    sentence, _, listed = said.err.strip().partition("; near it are ")
    assert f"pagekin: {url} is not in the index" == sentence
    assert near == listed.split(", ")[0]
    assert len(listed.split(", ")) <= 5


def test_damaged_index(command, demo_index, tmp_path):
    """Damage that is met is one sentence."""
    index = shutil.copytree(demo_index, tmp_path / "index")
    for path in index.rglob("bags.arrays"):
        data = path.read_bytes()
        start = data.index(b"\n", data.index(b"\n") + 1) + 1
        path.write_bytes(data[:start] + b"\xff" * (len(data) - start))
    for words in (["related"], ["related", "--why", "--no-exact"], ["bag"]):
        said = command(words[0], "--index", index, *words[1:], BOWLINE)
        assert (3, "", 1) == (said.code, said.out, len(said.err.splitlines()))
        assert "`pagekin verify" in said.err


def test_in_a_process_of_its_own(demo_index):
    """The installed command answers, and its exit code reaches the shell."""
    said = pagekin("related", "--index", demo_index, "-k", 1, BOWLINE)
    assert (0, "", 3) == (said.code, said.err, len(said.out.splitlines()))
    assert 4 == pagekin("related", "--index", demo_index, "nobody.example").code


# --- by co-citation ---


BEES, HIVES, MUSIC, ALONE = (
    f"http://{name}.example/" for name in ("bees", "hives", "music", "alone")
)
ONLY = "http://only.example/"  # no document
SHARE = 1 + math.log(3)


@pytest.fixture(scope="module")
def cited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four documents, three pages with kin."""
    bags = [
        make_bag(BEES, {20: 1, 30: 1}, 3),
        make_bag(HIVES, {20: 1, 30: 1}, 2),
        make_bag(MUSIC, {40: 1}),
        make_bag(ALONE, {50: 1}),
    ]
    reasons = (Reason("x.example", "All hives", 6.0), Reason("y.example", "hives", 1.5))
    kin = {
        BEES: [RelatedPage(HIVES, 8.0, 3, 7, reasons), RelatedPage(ONLY, 4.0, 1, 1, ())],
        HIVES: [RelatedPage(BEES, 5.0, 2, 1, ())],
        ONLY: [RelatedPage(BEES, 4.5, 2, 1, ())],
    }
    folder = tmp_path_factory.mktemp("cited") / "index"
    return make_index(folder, bags, config_of(3, 16), kin=kin)


def test_by_cocitation(command, cited):
    """People see totals, best first, with bars as long as their share of the best, and what was
    not read."""
    said = command("related", "--index", cited, "--by", "cocitation", BEES)
    assert (0, "") == (said.code, said.err)
    assert [
        BEES,
        f"  8.0000  {HIVES}  {'#' * 20}",
        f"  4.0000  {ONLY}  {'#' * 10}  not read  weak: one domain",
    ] == said.out.splitlines()


def test_by_both(command, cited):
    """So they see the sums of ranks."""
    said = command("related", "--index", cited, "--by", "both", BEES)
    assert (0, "") == (said.code, said.err)
    assert [
        BEES,
        f"  {2 / 61:.4f}  {HIVES}  {'#' * 20}",
        f"  {1 / 61:.4f}  {ONLY}  {'#' * 10}  not read  weak: one domain",
    ] == said.out.splitlines()


@pytest.mark.parametrize("by", ["bags", "cocitation", "both"])
def test_by_cocitation_as_json(command, cited, by):
    """JSON is a list, best first, as Python has it."""
    words = ("related", "--index", cited, "--by", by, "--json", "--why", BEES)
    expected = Index.open(cited).related(BEES, by=by, why=True)
    assert [one.as_dict() for one in expected] == json.loads(command(*words).out) != []


def test_why_by_cocitation(command, cited):
    """--why names the citing domains, the anchors, and each contribution; of bags nothing."""
    said = command("related", "--index", cited, "--by", "cocitation", "--why", BEES)
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert [
        BEES,
        f"8.0000 {HIVES} {'#' * 20}",
        "7 domains cite both; it stands in 3 blocks",
        f"{6 / SHARE:.4f} x.example 'All hives' (capped 6.0000)",
        f"{1.5 / SHARE:.4f} y.example 'hives' (capped 1.5000)",
        f"4.0000 {ONLY} {'#' * 10} not read weak: one domain",
        "1 domains cite both; it stands in 1 blocks",
    ] == lines


def test_why_of_both(command, cited):
    """By both, what bags know is told as well, where they know anything."""
    said = command("related", "--index", cited, "--by", "both", "--why", BEES)
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert "estimate 1.0000, exact 1.0000; 2 terms shared" == lines[2]
    assert ["word20", "word30"] == [line.split()[1] for line in lines[3:5]]
    assert "7 domains cite both; it stands in 3 blocks" == lines[5]
    assert "read, 2 links from 2 hosts; asked: 3 from 2" == lines[8]
    assert f"{1 / 61:.4f} {ONLY}" in lines[9]
    assert "1 domains cite both; it stands in 1 blocks" == lines[-1]
    alone = command("related", "--index", cited, "--why", BEES).out.splitlines()
    assert "read, 2 links from 2 hosts; asked: 3 from 2" == alone[-1].strip()


def test_why_by_cocitation_as_json(command, cited):
    """JSON has the same in fields of their own."""
    words = ("related", "--index", cited, "--by", "cocitation", "--why", "--json", BEES)
    first, second = (one["why"] for one in json.loads(command(*words).out))
    share = round(6 / SHARE, 6)
    told = {"domain": "x.example", "anchor": "All hives", "capped": 6.0}
    expected = {**told, "contribution": share, "weight": 1.0}
    assert expected == first["citing"][0]
    assert (7, 3, []) == (first["citing_domains"], first["blocks"], first["terms"])
    assert (1, 1, []) == (second["citing_domains"], second["blocks"], second["citing"])


def test_nothing_reached_the_threshold(command, cited):
    """A page without kin has an empty answer, and stderr says why."""
    said = command("related", "--index", cited, "--by", "cocitation", ALONE)
    assert (0, f"{ALONE}\n  nothing is related to it\n") == (said.code, said.out)
    assert (
        "pagekin: no page reached the threshold of co-citation beside it"
        " (cocitation.threshold of the build)\n"
    ) == said.err
    said = command("related", "--index", cited, "--by", "cocitation", "--json", ALONE)
    assert "[]\n" == said.out


@pytest.mark.parametrize("by", ["cocitation", "both"])
@pytest.mark.parametrize("flags", [(), ("-k", 1, "--why")])
def test_all_by_cocitation(command, cited, by, flags):
    """--all answers for every document and every page with kin, in the order of the URLs."""
    words = ("related", "--index", cited, "--by", by)
    said = command(*words, "--all", *flags)
    assert (0, "") == (said.code, said.err)
    found = lines_of(said.out)
    assert sorted([BEES, HIVES, MUSIC, ALONE, ONLY]) == [line["url"] for line in found]
    for line in found:
        assert json.loads(command(*words, *flags, "--json", line["url"]).out) == line["related"]
    assert said == command(*words, "--all", *flags, "-r", "inline")


def test_all_by_bags(command, cited):
    """By bags it is the documents alone."""
    found = lines_of(command("related", "--index", cited, "--all").out)
    assert sorted([BEES, HIVES, MUSIC, ALONE]) == [line["url"] for line in found]


def test_urls_of_a_file_by_cocitation(command, cited, tmp_path):
    """--urls answers each by itself; what is not there is told, with what is near."""
    (tmp_path / "urls").write_text(f"{ONLY}\nhttps://beees.example/\nbees.example\n")
    words = ("related", "--index", cited, "--by", "cocitation", "--json", "--urls")
    said = command(*words, tmp_path / "urls")
    assert (4, [ONLY, BEES]) == (said.code, [line["url"] for line in lines_of(said.out)])
    assert f"https://beees.example/ is not in the index; near it are {BEES}" in said.err


def test_another_way(command, cited):
    """A way that there is not is a sentence."""
    said = command("related", "--index", cited, "--by", "links", BEES)
    assert (2, "", 1) == (said.code, said.out, said.err.count("\n"))
    assert "--by" in said.err
