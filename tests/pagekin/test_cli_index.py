"""The commands that ask an index: what they answer, how they complain, and how they end."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.engine import requirements as engines
from pagekin.index.header import read_header
from tests.indexes import config_of, files_of, make_bag, make_index, random_bags
from tests.running import pagekin

BOWLINE = "http://knots.sailing.example/bowline.html"
SPLICING = "http://knots.sailing.example/splicing.html"
SOURDOUGH = "http://wiki.example.net/wiki/Sourdough"
NOT_CRAWLED = "http://tide-tables.example.net/harbours"
FIELDS = ["url", "score", "estimate", "exact", "inlinks", "why"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small index of made-up bags."""
    folder = tmp_path_factory.mktemp("small-index") / "index"
    return make_index(folder, random_bags(30), config_of(3, 16))


def lines_of(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


# --- help ---


@pytest.mark.parametrize("name", ["related", "info", "verify", "merge-index"])
def test_help(command, name):
    """Every command explains itself and each of its options."""
    said = command(name, "--help")
    assert (0, "") == (said.code, said.err)
    assert said.out.startswith(f"usage: pagekin {name} ")
    assert f"\n    {name} " in command("--help").out
    options = said.out.partition("options:")[2].splitlines()
    flags = [k for k, line in enumerate(options) if line.startswith("  -")]
    assert flags
    for k in flags:
        beside = options[k].strip().partition("  ")[2]
        assert beside or options[k + 1].startswith(" " * 20), f"{options[k]} is not explained"


# --- related ---


def test_related(command, demo_index):
    """People see the page asked for and its kin, best first, each with a bar."""
    said = command("related", "--index", demo_index, BOWLINE)
    lines = said.out.splitlines()
    assert (0, "", BOWLINE, 11) == (said.code, said.err, lines[0], len(lines))
    scores = [float(line.split()[0]) for line in lines[1:]]
    assert sorted(scores, reverse=True) == scores
    assert SPLICING == lines[1].split()[1]
    assert lines[1].endswith(f"  {'#' * round(20 * scores[0])}")
    assert {"#"} == set(lines[-1].split()[2])


def test_related_as_json(command, demo_index):
    """JSON is a list, best first, as Python has it."""
    said = command("related", "--index", demo_index, "--json", "-k", 3, BOWLINE)
    found = json.loads(said.out)
    assert [FIELDS] * 3 == [list(kin) for kin in found]
    assert [kin.as_dict() for kin in Index.open(demo_index).related(BOWLINE, 3)] == found
    assert [kin["exact"] for kin in found] == [kin["score"] for kin in found]
    assert [None] * 3 == [kin["why"] for kin in found]


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
    _, _, first, *terms, last = said.out.splitlines()
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
        *("terms", "shared_terms", "shared_weight", "inlinks", "linking_hosts", "crawled"),
        *("asked_inlinks", "asked_linking_hosts", "citing", "citing_domains", "blocks"),
    ] == list(why)
    assert ["term", "display", "asked", "found", "shared"] == list(why["terms"][0])
    assert 10 == len(why["terms"]) < why["shared_terms"]


def test_known_by_anchors(command, demo_index):
    """A page that was never read has kin, and the answer says what is known of it."""
    said = command("related", "--index", demo_index, "-k", 2, NOT_CRAWLED)
    assert (0, 3) == (said.code, len(said.out.splitlines()))
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
    assert f"{BOWLINE}, {SOURDOUGH}" == shown.splitlines()[0]


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
    assert [f"pagekin: {note}" for note in answer.notes()] == said.err.splitlines()


def test_budget_is_said(command, demo_index):
    """Where long lists are left out, stderr says so."""
    said = command("related", "--index", demo_index, "--budget", 50, BOWLINE)
    assert 0 == said.code
    assert "signatures are so common that their lists were not read" in said.err


def test_nothing_related(command, tmp_path):
    """An answer may be empty."""
    bags = [make_bag("http://a.example/", {20: 1}), make_bag("http://b.example/", {})]
    index = make_index(tmp_path / "index", bags)
    said = command("related", "--index", index, "a.example")
    assert (0, "http://a.example/\n  nothing is related to it\n", "") == said
    assert "[]\n" == command("related", "--index", index, "a.example", "--json").out
    said = command("related", "--index", index, "b.example")
    assert (0, "pagekin: http://b.example/ has an empty bag, and so no kin\n") == (
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
    expected = [
        {"url": url, "related": [kin.as_dict() for kin in index.related(url, 2)]}
        for url in (BOWLINE, BOWLINE, NOT_CRAWLED)
    ]
    assert (4, expected) == (said.code, lines_of(said.out))
    first, second, third = said.err.splitlines()
    assert "pagekin: http://nobody.example/ is not in the index" == first
    assert "pagekin: mailto:x@y.z is no web address" == second
    assert third.startswith(f"pagekin: {NOT_CRAWLED} was not read")
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{BOWLINE}\n{SPLICING}\n"))
    shown = command(*words, "--urls", "-")
    assert 0 == shown.code
    blocks = shown.out.split("\n\n")[:-1]
    assert [BOWLINE, SPLICING] == [block.splitlines()[0] for block in blocks]


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
    """--crawled keeps pages that were not read out of the answers; with --all, here and as a job,
    they are not asked either."""
    index = Index.open(small)
    read = {bag.url for bag in index.all() if bag.crawled}
    words = ("related", "--index", small, "--by", by, "-k", 30, "--crawled")
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


def test_index_is_needed(command):
    """There is no default index."""
    for name in ("related", "info", "verify", "merge-index"):
        said = command(name, "x")
        assert (2, "") == (said.code, said.out)
        assert "--index" in said.err


@pytest.mark.parametrize(
    ("url", "near"),
    [
        ("https://wiki.example.net/wiki/Sourdough", SOURDOUGH),
        (f"{SOURDOUGH}/", SOURDOUGH),
        ("http://www.wiki.example.net/wiki/Sourdough", SOURDOUGH),
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


@pytest.mark.parametrize("name", ["related", "bag", "info", "verify"])
def test_no_index(command, tmp_path, name):
    """A folder that is no index ends with 3."""
    words = ["a.example"] if name in {"related", "bag"} else []
    said = command(name, "--index", tmp_path, *words)
    assert (3, "", f"pagekin: {tmp_path} is no index (it has no index.json)\n") in {
        said,
        (said.code, said.out, f"pagekin: {said.err}"),
    }


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


# --- info ---


def test_info(command, demo_index):
    """People see pages, parameters, sizes, df statistics, sources, and what a filter would drop."""
    said = command("info", "--index", demo_index)
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert (0, "") == (said.code, said.err)
    assert f"{demo_index}: 445 documents in 3 shards" == lines[0]
    assert f"digest {read_header(demo_index).digest}" == lines[1]
    assert "read 314" in lines
    assert "by anchors 131" in lines
    assert "signatures count 80, seed 20020507, method darts, copies 512" in lines
    assert any(
        line.startswith("from 4 files, 577,837 bytes: crawl-00000.warc.gz, ") for line in lines
    )
    size = sum(path.stat().st_size for path in demo_index.rglob("H.arrays"))
    assert f"H.arrays {size:,} {size / 445:.1f} a document" in lines
    assert lines[-16].startswith("1 11 2.5%")


def test_info_as_json(command, demo_index):
    """JSON has everything."""
    info = json.loads(command("info", "--index", demo_index, "--json").out)
    assert Index.open(demo_index).info() == info
    assert [
        *("path", "digest", "documents", "crawled", "known_by_anchors", "without_terms", "listed"),
        "with_cocited_kin",
        *("shards", "signatures", "min_inlinks", "min_inlinks_would_drop", "frequencies", "bytes"),
        *("sources", "config"),
    ] == list(info)
    assert (445, 314, 131, 0, 445, 3, 0) == tuple(
        info[name]
        for name in (
            *("documents", "crawled", "known_by_anchors", "without_terms", "listed", "shards"),
            "min_inlinks",
        )
    )
    anchors = [bag.anchors for bag in Index.open(demo_index).all()]
    expected = {str(n): sum(count < n for count in anchors) for n in range(1, 17)}
    assert expected == info["min_inlinks_would_drop"]
    assert 3_624 == info["frequencies"]["terms"]
    sizes = dict.fromkeys(info["bytes"], 0)
    for path in demo_index.rglob("*.arrays"):
        sizes[path.name] += path.stat().st_size
    assert sizes == info["bytes"]


# --- verify ---


def test_verify(command, demo_index, small):
    """A sound index is called sound."""
    for index in (demo_index, small):
        expected = f"{index}: all checksums match, and all files agree\n"
        assert (0, expected, "") == command("verify", "--index", index)
        assert (0, "[]\n", "") == command("verify", "--index", index, "--json")


def test_verify_damage(command, small, tmp_path):
    """What is wrong is told on stderr, a sentence for each, and the exit code is 3."""
    index = shutil.copytree(small, tmp_path / "index")
    path = index / "shard-00001" / "H.arrays"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    (index / "shard-00002" / "I.arrays").unlink()
    said = command("verify", "--index", index)
    assert (3, "", 2) == (said.code, said.out, len(said.err.splitlines()))
    assert said.err.startswith(f"{path} is damaged: its checksum does not match")
    listed = command("verify", "--index", index, "--json")
    assert (3, said.err.splitlines()) == (listed.code, json.loads(listed.out))


# --- merge-index ---


def test_merge(command, tmp_path):
    """Two indexes become one, and it is said what it holds."""
    bags = random_bags(30)
    one = make_index(tmp_path / "a", bags[::2], config_of(2))
    two = make_index(tmp_path / "b", bags[1::2], config_of(3))
    target = tmp_path / "c"
    said = command("merge-index", one, two, "--index", target)
    assert (0, f"{target}: 30 documents in 2 shards\n", "") == said
    made = json.loads(
        command("merge-index", one, two, "--index", target, "--shards", 5, "--json").out
    )
    assert {
        "index": str(target),
        "digest": read_header(target).digest,
        "documents": 30,
        "shards": 5,
        "repeated": 0,
    } == made
    expected = make_index(tmp_path / "d", bags, config_of(5))
    ours, theirs = files_of(target), files_of(expected)
    assert ours.pop("index.json") != theirs.pop("index.json")
    assert ours == theirs


def test_merge_of_pages_known_to_both(command, tmp_path):
    """Pages that both know by their anchors are counted."""
    folders = [
        make_index(tmp_path / name, [make_bag("http://x.example/", {20: 1}, 1, crawled=False)])
        for name in "ab"
    ]
    said = command("merge-index", *folders, "--index", tmp_path / "c")
    assert "  1 URLs were in several; the best known bag was kept" == said.out.splitlines()[1]


def test_merge_refused(command, small, tmp_path):
    """Mistakes are one sentence each."""
    other = make_index(tmp_path / "other", [], config_of(count=17))
    words = ("merge-index", "--index", tmp_path / "c")
    for sources, code, said in (
        ([small], 2, "merge-index takes at least two indexes"),
        ([small, tmp_path], 3, f"{tmp_path} is no index (it has no index.json)"),
        (
            [small, other],
            3,
            f"{small} and {other} cannot be merged: signatures.count is 16 in the first and 17 in"
            " the other",
        ),
        (
            [small, small, "--shards", "-2"],
            2,
            "--shards -2: it must be at least 0 and at most 100000",
        ),
    ):
        assert (code, "", f"pagekin: {said}\n") == command(*words, *sources)
    said = command(*words, small, small)
    assert 3 == said.code
    assert (
        f" was read for {small} and {small}; indexes of the same pages cannot be merged\n"
        in said.err
    )
    assert not (tmp_path / "c").exists()


# --- bag ---


@pytest.mark.parametrize(
    "words", [(BOWLINE,), ("bowline.example", "-k", 0), (NOT_CRAWLED, "--json")]
)
def test_bag(command, demo_work, demo_index, words):
    """The bag of an index is that of the workspace that it was made of, in the same words."""
    expected = command("bag", "--work", demo_work, *words)
    assert 0 == expected.code
    assert expected == command("bag", "--index", demo_index, *words)


def test_all_bags(command, demo_work, demo_index):
    """So are all of them, in the order of the URLs."""
    for flags in (("--json",), ("-k", 2)):
        words = ("--all", *flags)
        expected = command("bag", "--work", demo_work, *words)
        assert expected == command("bag", "--index", demo_index, *words)


def test_bags_of_a_file(command, demo_work, demo_index, tmp_path):
    """And those of a file of URLs."""
    (tmp_path / "urls").write_text(f"{SOURDOUGH}\nnobody.example\nbowline.example\n")
    words = ("--json", "--urls", tmp_path / "urls")
    expected = command("bag", "--work", demo_work, *words)
    said = command("bag", "--index", demo_index, *words)
    assert (4, expected.out) == (said.code, said.out)
    assert "pagekin: http://nobody.example/ is not in the index" == said.err.splitlines()[0]


@pytest.mark.parametrize("flags", [(), ("--work", "x", "--index", "y")])
def test_workspace_or_index(command, flags):
    """Bags are in a workspace or in an index; one must be named."""
    expected = "pagekin: name a workspace with --work DIR, or an index with --index DIR\n"
    assert (2, "", expected) == command("bag", *flags, "a.example")


# --- processes ---


def test_python(demo_index):
    """`from pagekin import Index` is all that a program needs; the package alone is light."""
    code = (
        "import sys, pagekin; light = 'numpy' not in sys.modules\n"
        "from pagekin import Index\n"
        f"kin = Index.open({str(demo_index)!r}).related({BOWLINE!r}, k=3)\n"
        "print(light, [k.url for k in kin] == [k.url for k in pagekin.Index.open("
        f"{str(demo_index)!r}).related({BOWLINE!r}, 3)], len(kin), kin[0].url)\n"
        "print([m for m in ('mrjob', 'lxml', 'boto3', 'nltk') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [f"True True 3 {SPLICING}", "[]"] == said.stdout.splitlines()


def test_unknown_name():
    """What the package does not offer is an error as anywhere."""
    import pagekin as package  # noqa: PLC0415

    with pytest.raises(AttributeError, match="has no attribute 'Indexes'"):
        package.Indexes  # noqa: B018
    assert package.Index is Index


def test_in_a_process_of_its_own(demo_index):
    """The installed command answers, and its exit code reaches the shell."""
    said = pagekin("related", "--index", demo_index, "-k", 1, BOWLINE)
    assert (0, "", 2) == (said.code, said.err, len(said.out.splitlines()))
    assert 4 == pagekin("related", "--index", demo_index, "nobody.example").code
