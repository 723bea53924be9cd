"""The benchmarks: every one runs at the smallest size, and what surrounds them counts rightly."""

from __future__ import annotations

import argparse
import json
import re
import signal
import sys
import time
from collections import Counter

import pytest

from pagekin.errors import InputError, NotFoundError, WorkspaceError
from tests.running import ROOT, python

sys.path.insert(0, str(ROOT / "scripts"))

from benchmarks import (
    catalogue,
    cocitation,
    command,
    deal,
    documents,
    gamma,
    harness,
    hot,
    house,
    lexbor,
    naive,
    parsers,
    profiling,
    results,
    scale,
    sides,
    signatures,
    storing,
)
from benchmarks.results import Column, Figure, Result, Table, Target
from benchmarks.sampling import Place, Sampler

from pagekin.web.markup import read_markup

TABLE = Table("A | B", [Column("way"), Column("x", ".2f")], [["a|b", 1.234], ["none", None]])
RESULT = Result(
    [TABLE],
    [Target("speed", 2.0, 4.0, least=True), Target("cost", 2.0, 2.5, goal=2.0)],
    [Figure("f", "Title", "", ("pages", "s"), [("s", 1.0, 2.0), ("s", 2.0, 3.0)])],
    ["a note"],
)


@pytest.fixture
def bench(tmp_path, capsys):
    """Run the command in this process; gives what was stored."""

    def run(name, *words):
        places = ("--data", tmp_path / "data", "--results", tmp_path / "docs" / "results")
        code = command.main([name, *map(str, (*words, *places))])
        said = capsys.readouterr()
        assert 0 == code, said.err
        stored = json.loads((tmp_path / "docs" / "results" / f"{name}.json").read_text())
        assert said.out == "\n".join(results.markdown(results.from_json(stored))) + "\n"
        return stored

    return run


def rows_of(stored, number=0):
    """A table's rows as dictionaries."""
    table = stored["tables"][number]
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row, strict=True)) for row in table["rows"]]


# --- tables, targets, ratios ---


def test_markdown():
    """Numbers have the form of their column, bars are escaped, None is nothing; targets follow."""
    lines = list(results.markdown(RESULT))
    assert ["**A | B**", "", "| way | x |", "|---|--:|"] == lines[:4]
    assert ["| a\\|b | 1.23 |", "| none |  |"] == lines[4:6]
    assert "| speed | 2 | at least 4 |  | missed by 50% |" in lines
    assert "| cost | 2 | at most 2.5 | 2 | met, and the goal |" in lines
    assert "- a note" == lines[-1]


def test_rows_fit_columns():
    """A table with a row of another length is a mistake."""
    with pytest.raises(ValueError, match="1 columns"):
        Table("t", [Column("a")], [[1, 2]])


def test_results_survive_json():
    """What is stored is what was found."""
    said = json.loads(json.dumps(results.to_json(RESULT)))
    assert RESULT == results.from_json(said)
    assert "missed by 50%" == said["targets"][0]["verdict"]


def test_ratio_is_taken_by_rounds():
    """The median of the ratios of each round, not the ratio of medians."""
    found = harness.ratio([2.0, 30.0, 9.0], [1.0, 10.0, 3.0])
    assert (3.0, 2.0, 3.0) == found
    assert "2.00 to 3.00" == found.spread()
    assert {"a": (1.0, 1.0, 1.0), "b": (2.0, 2.0, 2.0)} == harness.ratios({"a": [2], "b": [4]}, "a")


def test_ways_take_turns(capsys):
    """All ways in each round, every second round backwards."""
    order = []
    ways = {name: lambda name=name: order.append(name) for name in "ab"}
    harness.in_turns(ways, 2)
    assert ["a", "b", "b", "a"] == order


def test_timed_counts_children():
    """CPU of processes that were waited for is counted, and waiting is not."""
    work = "import time; sum(range(3_000_000)); print(time.process_time())"
    busy = harness.run_words([sys.executable, "-c", work])
    own = float(busy.value)  # what the process says of itself, before it ends
    assert own <= busy.cpu < own + 1
    waiting = harness.run_words([sys.executable, "-c", "import time; time.sleep(1)"])
    assert waiting.cpu < 0.9 < waiting.wall
    assert harness.timed(lambda: 7).value == 7


def test_steps_that_fail_say_why():
    """The last words of a process stand in the error; what was foreseen is one sentence."""
    with pytest.raises(harness.PagekinError, match="unsupported operand"):
        harness.in_process(storing.load, folder="nowhere", title="x")
    with pytest.raises(harness.PagekinError, match=r"^[^\n]* is not a workspace[^\n]*$"):
        harness.in_process(gamma.measure, work="nowhere", by="bags", count=1, sources=1)


def test_peers_that_are_missing():
    """What to install is said."""
    with pytest.raises(harness.MissingPeer, match="pip install such-a-thing"):
        harness.peer("no_such_module", "such-a-thing")


# --- the command ---


def test_list():
    """Each benchmark with a line."""
    said = python(ROOT / "scripts" / "bench", "--list")
    assert (0, "") == (said.code, said.err)
    assert list(catalogue.NAMES) == [line.split()[0] for line in said.out.splitlines()]


@pytest.mark.parametrize("name", catalogue.NAMES)
def test_help(name, capsys):
    """Each tells how it is measured."""
    with pytest.raises(SystemExit):
        command.main([name, "--help"])
    assert catalogue.find_benchmark(name).about in capsys.readouterr().out


def test_errors_are_sentences(tmp_path, capsys):
    """A workspace that is none ends with one sentence."""
    words = ["signatures", "--work", str(tmp_path / "none"), "--data", str(tmp_path)]
    assert WorkspaceError.exit_code == command.main([*words, "--results", str(tmp_path)])
    last = capsys.readouterr().err.splitlines()[-1]
    assert re.fullmatch("bench: .*none is not a workspace; .*", last)
    assert [] == list(tmp_path.glob("*.json"))


def test_all_goes_on(tmp_path, capsys, monkeypatch):
    """One that fails is named at the end, and the others are run; --full leaves sizes alone."""
    monkeypatch.setattr(command, "NAMES", {"map": "mapping", "hot": "hot"})
    seen = []

    def run_one(name, options):
        seen.append((name, options.data, options.pages))
        if name == "map":
            raise InputError("broken")

    monkeypatch.setattr(command, "_run_one", run_one)
    assert 1 == command.main(["all", "--data", str(tmp_path)])
    assert [("map", tmp_path, 3000), ("hot", tmp_path, 4000)] == seen
    assert "failed: map" in capsys.readouterr().err
    command.main(["all", "--full", "--data", str(tmp_path)])
    assert ("hot", tmp_path, 8000) == seen[-1]


def test_all_leaves_out_what_runs_alone(tmp_path, monkeypatch):
    """What needs another commit is run where it is named."""
    monkeypatch.setattr(command, "NAMES", {"hot": "hot", "house": "house"})
    seen = []
    monkeypatch.setattr(command, "_run_one", lambda name, options: seen.append(name))
    assert 0 == command.main(["all", "--data", str(tmp_path)])
    assert ["hot"] == seen


# --- what is stored and written ---


def test_circumstances(tmp_path):
    """Machine, versions, commit and date are kept; of paths the names alone."""
    around = storing.circumstances((0.5, 0, 0))
    assert around["machine"]["load_before"] == 0.5
    assert {"numpy", "lxml", "mrjob"} <= set(around["versions"])
    assert around["commit"]
    options = command._parser("map").parse_args(["map", "--warc", "/a/b/c.warc", "--rounds", "2"])
    assert {"pages": 3000, "rounds": 2, "warc": ["c.warc"]} == storing.plain_options(options)


def test_documents(tmp_path):
    """Only what stands between the marks is written; twice is the same as once."""
    said = storing.stored("t", _options(), storing.circumstances((0, 0, 0)), RESULT)
    storing.write(tmp_path / "results", "t", said)
    page = tmp_path / "a.md"
    page.write_text("before\n\n<!-- bench: t -->\nstale\n<!-- end: t -->\n\nafter\n")
    (tmp_path / "b.md").write_text("<!-- bench: t-2 -->\n<!-- end: t-2 -->\n")
    loaded = storing.load(tmp_path / "results", "t")
    assert [page] == documents.write_documents(tmp_path, "t", loaded, "plots")
    once = page.read_text()
    documents.write_documents(tmp_path, "t", loaded, "plots")
    assert once == page.read_text()
    assert once.startswith("before\n\n<!-- bench: t -->\n\n")
    assert once.endswith("![Title](plots/f.svg)\n\n<!-- end: t -->\n\nafter\n")
    assert "| a\\|b | 1.23 |" in once
    assert "stale" not in once
    with pytest.raises(NotFoundError, match="no document"):
        documents.write_documents(tmp_path, "other", loaded, "plots")


def _options():
    return command._parser("map").parse_args(["map"])


def test_plots(tmp_path):
    """Figures become SVG files."""
    written = documents.write_plots(tmp_path, results.to_json(RESULT))
    assert tmp_path / "f.svg" == written[0]
    assert "Title" in written[0].read_text()


def test_documents_know_their_benchmarks():
    """Every place in the documents is for a benchmark that there is."""
    for path in (ROOT / "docs" / "measurements").glob("*.md"):
        if path.name == "README.md":
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("<!-- bench: "):
                assert line.split()[2].partition("-")[0] in catalogue.NAMES


# --- each at its smallest ---


def test_map(bench):
    """Ratios to the floor, which is 1; cold, warm and start are told apart."""
    stored = bench("map", "--pages", 200, "--rounds", 1)  # with fewer, noise decides
    rows = {row["way"]: row for row in rows_of(stored)}
    looks = ["inventory", "inventory, with a sample"]
    ways = ["bags", "bags and blocks", "bags and shingles"]
    assert ["decompress only", "parse only", *looks, *ways] == list(rows)
    assert all(0 < rows[look]["x parse only"] < 1 for look in looks)
    assert 1.0 == rows["parse only"]["x parse only"]
    assert rows["decompress only"]["x parse only"] < 1 < rows["bags"]["x parse only"]
    assert {200} == {row["pages"] for row in rows.values()}
    bags, *more = (rows[way]["KB made a page"] for way in ways)
    assert all(bags < size for size in more)
    assert [2.5, 3.2, 0.4] == [target["bound"] for target in stored["targets"]]
    assert {"pages": 200, "rounds": 1, "warc": []} == stored["options"]


def test_shuffle(bench):
    """Compressed is less than plain; blocks are in one of both."""
    stored = bench("shuffle", "--pages", 20, "--rounds", 1)
    bags, both = rows_of(stored)
    plain, packed = "KB a page", "zlib-1 KB a page"
    assert bags[packed] < bags[plain] < both[plain]
    kinds = [name for name in bags if name.endswith(": zlib-1 KB")]
    assert ["own host", "other hosts", "words", "blocks"] == [k.partition(":")[0] for k in kinds]
    assert bags["blocks: zlib-1 KB"] is None
    for row in (bags, both):  # each kind is compressed by itself
        assert row[packed] == pytest.approx(sum(row[kind] or 0 for kind in kinds), rel=0.05)
    assert both["blocks: zlib-1 KB"] == pytest.approx(both[packed] - bags[packed], rel=0.2)
    assert [bags[kind] for kind in kinds[:3]] == pytest.approx([both[kind] for kind in kinds[:3]])
    (merging,) = rows_of(stored, 1)
    assert 20 == merging["number"]
    assert 136 == round(20 * merging["bags a page"])  # of the web of the seed: a bag for each URL


def test_signatures(bench, demo_work, monkeypatch):
    """Never speed without error; darts err less than independent samples on near pairs.

    Without the library to compare with, ours are measured alone.
    """

    def missing(module, package):
        raise harness.MissingPeer(package)

    monkeypatch.setattr(signatures, "peer", missing)
    stored = bench("signatures", "--work", demo_work, "--pairs", 50, "--crawled")
    rows = {row["method"]: row for row in rows_of(stored)}
    assert ["darts", "icws", "linear"] == list(rows)
    assert 0 < rows["darts"]["near: RMSE"] < rows["darts"]["near: ideal"]
    assert "work" in stored["options"]


def test_gamma(bench, demo_work):
    """A row for each representation and number of pages."""
    words = ("--work", demo_work, "--pages", 20, 40, "--sources", 5)
    rows = rows_of(bench("gamma", *words))
    expected = [(by, n) for by in ("bags", "signatures") for n in (20, 40)]
    assert expected == [(row["by"], row["pages"]) for row in rows]


def test_cocitation(bench):
    """Ways with their phases, bytes and kin."""
    words = ("--blocks", 300, "--rounds", 1, "--threshold", 0.5, "--no-spark")
    stored = bench("cocitation", *words)
    stripes, text, *_ = rows_of(stored)
    assert ("stripes", "text pairs") == (stripes["way"], text["way"])
    assert (1.0, 1.0) == (stripes["x stripes"], stripes["as ours"])
    assert 41_680 == stripes["kin"]  # the same blocks are made each time
    assert text["kin"] is None


def test_agreement():
    """Of all kin of either those of both."""
    assert 1.0 == cocitation.agreement(set(), set())
    assert 1 / 3 == cocitation.agreement({(1, 2), (1, 3)}, {(1, 2), (1, 4)})


def test_queries(bench):
    """Time, recall and memory of either ranking; exact is at least as right."""
    words = ("--documents", 300, "--queries", 10, "--systems", "signatures", "exact")
    stored = bench("queries", *words)
    rows = {row["system"]: row for row in rows_of(stored)}
    assert ["signatures", "exact"] == list(rows)
    recall = [rows[name]["recall@10"] for name in ("signatures", "exact")]
    assert [0.81, 0.99] == recall  # the same documents are made each time
    assert 4 == len(stored["targets"])


def test_job(bench):
    """The job on both runners, and its parts, which add up."""
    stored = bench("job", "--pages", 20, "--rounds", 1, "--no-build")
    assert ["parse only", "inline", "local"] == [row["way"] for row in rows_of(stored)]
    for row in rows_of(stored, 1):
        parts = [v for name, v in row.items() if name.endswith("a page") and "whole" not in name]
        assert row["whole: ms a page"] == pytest.approx(sum(parts))
    assert [3.5, 5.0] == [target["bound"] for target in stored["targets"]]


def stage(name, seconds, memory):
    """What a summary says of a stage."""
    return {"name": name, "cpu_seconds": seconds, "peak_memory": memory, "bytes": 1000}


def test_scale(bench, monkeypatch):
    """Exponents are slopes of logarithms; growth is that of each stage's largest task."""

    def built(folder, files, tasks):
        (pages,) = files
        stages = [stage("a", pages / 100, 5e7), stage("b", pages**2 / 1e4, 1e6 * pages)]
        slow.append(len(slow) % 3 / 2)  # of three builds of a small web the middle one counts
        wall = (0.5 + slow[-1]) * pages / tasks
        return {"cpu": pages**1.5, "wall": wall, "stages": stages, "index": {"bytes": 500}}

    def in_turns(ways, rounds):
        return {name: [way() for _ in range(rounds)] for name, way in ways.items()}

    slow = []
    monkeypatch.setattr(scale, "in_turns", in_turns)
    answers = {"asked": 9, "answered": 8, "median": 2.0, "p99": 3.0}
    told = {"verified": 1.0, "asking_memory": 50.0, "asked": {"bags": answers}}
    monkeypatch.setattr(scale, "made_web", lambda data, pages, **shape: pages)
    monkeypatch.setattr(scale, "web_files", lambda web: [web])
    monkeypatch.setattr(scale, "build", built)
    monkeypatch.setattr(scale, "_ask", lambda index: told)
    stored = bench("scale", "--pages", 20, 40, 80, "--workers", 1, 2)
    assert [(20, 8), (80, 8)] == [(row["pages"], row["answered"]) for row in rows_of(stored, 2)]
    targets = {target["what"]: target["value"] for target in stored["targets"]}
    assert 1.5 == pytest.approx(targets["exponent of the CPU time, all sizes"])
    assert 1.0 == pytest.approx(targets["a: growth of its largest task's memory"])
    assert 4.0 == pytest.approx(targets["b: growth of its largest task's memory"])
    assert [1.0, 2.0] == pytest.approx([row["exponent"] for row in rows_of(stored, 1)])
    workers = [(row["pages"], row["at once"], row["times as fast"]) for row in rows_of(stored, 3)]
    assert [(20, 1, 1.0), (20, 2, 2.0), (80, 1, 1.0), (80, 2, 2.0)] == workers
    assert 2.0 == targets["80 pages: on 2 cores, times as fast as on one"]
    assert ["scale-time", "scale-memory", "scale-workers"] == [f["name"] for f in stored["figures"]]


def test_asking_once(demo_index):
    """Questions by each source, each asked once, and how many have an answer."""
    said = scale.ask_index(str(demo_index), 20)
    of_bags = said["asked"]["bags"]
    assert (20, True) == (of_bags["asked"], 0 < of_bags["answered"] <= 20)
    assert 0 < of_bags["median"] <= of_bags["p99"]


def test_disk_at_most(tmp_path):
    """What a folder held at most is told, what is removed at the end included."""
    with scale._DiskUse(tmp_path) as disk:
        (tmp_path / "file").write_bytes(bytes(1 << 20))
        time.sleep(1.5)
        (tmp_path / "file").unlink()
    assert disk.most >= 1 << 20


def test_house(bench, monkeypatch):
    """A tree beside itself: all amounts are the same, and so is the index."""
    here = sides.this_side()
    monkeypatch.setattr(house, "other_side", lambda *_: sides.Side("there", here.root, here.python))
    stored = bench("house", "--warc", "--pages", 20, "--rounds", 1, "--questions", 5)
    (lines,), costs, stages = (rows_of(stored, number) for number in range(3))
    assert (1.0, lines["there"]) == (lines["ratio"], lines["this tree"])
    sources = (path for part in ("lib", "jobs") for path in (ROOT / part).rglob("*.py"))
    assert sum(len(path.read_text("utf-8").splitlines()) for path in sources) < lines["there"]
    bounds = {row[""]: row["bound"] for row in costs}
    assert {1.10, 1.15, 1.25, 1.05} == {*bounds.values()}
    sent = [row["ratio"] for row in costs if row[""].startswith("shuffled")]
    assert [1.0, 1.0] == pytest.approx(sent, abs=0.001)
    assert ["CPU", "wall"] == [row[""].split()[3] for row in costs if "by bags" in row[""]]
    assert len(bounds) == len(stored["targets"])
    sent = [(row["shuffled MB, this tree"], row["shuffled MB, there"]) for row in stages]
    assert all(here == pytest.approx(there, rel=0.01) for here, there in sent)
    assert 0.05 < sum(here for here, _ in sent) == pytest.approx(float(costs[4]["there"]), abs=0.02)
    assert ["20 made-up pages: the indexes are the same."] == stored["notes"]


def test_stages_of_two_sides():
    """By name; by place where they were renamed; what one side alone has stands alone."""

    def said(*names):
        return {"stages": [{"name": name} for name in names]}

    assert [("a", "a"), ("b", "b")] == house._same_stages(said("a", "b"), said("a", "b"))
    assert [("a", "x"), ("b", "b")] == house._same_stages(said("a", "b"), said("x", "b"))
    pairs = house._same_stages(said("a", "b"), said("x", "b", "y"))
    assert [("a", ""), ("b", "b"), ("", "x"), ("", "y")] == pairs


def test_another_commit(tmp_path, monkeypatch):
    """Its files, set up once; what is no commit is refused."""
    ready = tmp_path / "ready" / ".venv" / ".ready"
    ready.parent.mkdir(parents=True)
    ready.touch()
    side = sides.other_side(str(tmp_path / "ready"), tmp_path)
    assert ("ready", tmp_path / "ready") == (side.name, side.root)
    with pytest.raises(InputError, match="nonesuch is neither a commit of this clone nor a folder"):
        sides.other_side("nonesuch", tmp_path)
    runs = []

    def make(words, env):
        runs.append([*map(str, words)])
        folder = tmp_path / runs[-1][2]
        assert (folder / "setup.cfg").is_file()
        (folder / ".venv").mkdir()
        (folder / ".venv" / ".ready").touch()

    monkeypatch.setattr(sides, "run_words", make)
    first, second = (sides.other_side("HEAD", tmp_path) for _ in range(2))
    assert first == second
    assert [["make", "-C", str(first.root), "setup"]] == runs
    assert first.root.parent == tmp_path


def test_hot_tasks():
    """Longest and median of each kind of task."""
    notes = [
        {"job": "j", "kind": "map", "cpu": cpu, "memory": memory}
        for cpu, memory in ((1.0, 5e6), (2.0, 9e6), (8.0, 7e6))
    ]
    notes.append({"job": "j", "kind": "reduce", "cpu": 0.5, "memory": 1e6})
    first, second = hot.stages_of(notes)
    assert {"task": "j, map", "tasks": 3, "median": 2.0, "longest": 8.0, "times": 4.0} == {
        name: value for name, value in first.items() if name != "memory"
    }
    assert (9.0, "j, reduce") == (first["memory"], second["task"])


def test_tasks_note_what_they_took(tmp_path):
    """A task of a job leaves a note, another process none."""
    env = harness.environment(PAGEKIN_BENCH_TASKS=str(tmp_path))
    env["PYTHONPATH"] = str(harness.HERE / "tasklog")
    harness.run_words([sys.executable, "-c", "pass"], env)
    with pytest.raises(harness.PagekinError, match="no task"):
        hot.read_notes(tmp_path)
    harness.run_words([sys.executable, "-c", "pass", "--mapper"], env)
    (note,) = hot.read_notes(tmp_path)
    assert "map" == note["kind"]
    assert 0.005 < note["cpu"] < 5  # a Python that starts and does nothing
    assert 4e6 < note["memory"] < 200e6


def test_judged():
    """Only answers of known class count; siblings share a class, kin the top."""
    classes = {
        "http://a.example/": {"/Top/A/B"},
        "http://b.example/": {"/Top/A/B"},
        "http://c.example/": {"/Top/A/C"},
        "http://d.example/": {"/Top/D/E"},
    }
    kin = [{"url": f"http://{name}.example/"} for name in "bcdx"]
    lines = [
        json.dumps({"url": url, "related": kin})
        for url in ("http://a.example/", "http://unknown.example/")
    ]
    assert (2, 1, 3.0, 1 / 3, 2 / 3) == naive.judged(lines, classes)


def test_naive_has_three_ways(tmp_path, monkeypatch):
    """The script, pagekin for the pages that were read, and pagekin for all URLs; the target is
    about the first two."""
    seconds = {"script": 30.0, "build": 4.0, "related": 2.0, "build crawled": 2.0}
    said = json.dumps({"url": "http://a.example/", "related": []})
    asked = []

    def ours(*words):
        asked.append(words)
        name = " ".join(word for word in words if word in seconds or word == "crawled")
        return harness.Timed(seconds[name], 0.0, said)

    (tmp_path / naive.DIRECTORY).write_text("http://a.example/\tTop/A\n")
    monkeypatch.setattr(naive, "peer", lambda *words: None)
    monkeypatch.setattr(naive, "corpora", lambda *words: {"made up": [str(tmp_path / "a.warc.gz")]})
    monkeypatch.setattr(naive, "pagekin", ours)
    monkeypatch.setattr(naive, "run_words", lambda words: harness.Timed(30.0, 0.0, said))
    result = naive.run(argparse.Namespace(data=tmp_path, warc=[], pages=7))
    (table,) = result.tables
    assert [30.0, 4.0, 2.0, 2.0, 6.0, 4.0, 2.0] == [row[1] for row in table.rows]
    assert [7.5, 1.0, 1.5] == [row[2] for row in table.rows if row[3]]
    assert [True, False, False, False] == ["--bag-urls" in words for words in asked]
    (target,) = result.targets
    assert (7.5, False) == (target.value, target.met)


def test_most_expensive_lines():
    """Shares of the whole; the engine is a phase and no line."""
    lines = [Place("map", str(ROOT / "lib" / "pagekin" / "cli.py"), k, "f") for k in (1, 2)]
    seconds = Counter({lines[0]: 1.0, lines[1]: 3.0, Place("engine", "", 0, ""): 4.0})
    first, second = profiling.most_expensive("s", seconds, 3)
    assert ["s", 8.0, "map 50%, engine 50%", 0.375] == first[:4]
    assert [None, None, None, 0.125, "map", "cli.py:1 f"] == second[:6]


def test_sampler():
    """The line at work gets the time, and the timer is off afterwards."""

    def map_task():
        return sum(k * k for k in range(2_000_000))

    sampler = Sampler([ROOT / "tests"])
    began = time.process_time()
    with sampler.running():
        map_task()
    took = time.process_time() - began
    place, seconds = sampler.seconds.most_common(1)[0]
    assert ("map", __file__) == (place.phase, place.file)
    assert "sum(k * k" in place.text()
    assert took / 2 < seconds < took * 1.5
    assert (0.0, 0.0) == signal.getitimer(signal.ITIMER_PROF)


def test_parsers(bench):
    """All ways with what they make; Lexbor and ours agree on pages that are right."""
    stored = bench("parsers", "--pages", 40, "--rounds", 1)
    costs, agreement, lines = (rows_of(stored, number) for number in range(3))
    ways = [(row["way"], row["what is made"]) for row in costs]
    made = ["flat text", "both"]
    for way in ("ours, in C", "ours, in Python"):
        assert made == [what for who, what in ways if who == way]
    assert ["tree alone", *made] == [what for who, what in ways if who == "Resiliparse"]
    assert ("lxml", "tree alone") == ways[-1]
    assert {40} == {row["pages"] for row in costs}
    by_way = {(row["way"], row["what is made"]): row["CPU ms a page"] for row in costs}
    assert by_way["ours, in C", "both"] < by_way["ours, in Python", "both"]
    assert by_way["Resiliparse", "tree alone"] < by_way["Resiliparse", "both"]
    row = next(row for row in agreement if row["Lexbor by"] == "Resiliparse")
    same = [row[name] for name in ("same words in order", "same links in order", "same elements")]
    assert ([40, 40, 40], 40, 0) == (same, row["pages"], row["errors"])
    assert row["words, ours"] == row["in both"] > 40 * 100
    own, others = lines
    assert own["C"] > 500 < own["Python"]
    assert others["both"] < own["both"] == own["C"] + own["Python"]


def test_trees_of_lexbor():
    """The walk makes what our door makes of a page that is right, hidden parts and all."""
    library = lexbor.LIBRARIES["Resiliparse"]()
    body = (
        b"<html lang=de><head><title>T</title><link rel=canonical href=c></head><body><h1>H</h1>"
        b"<p>a <a href='x?a&amp;b' rel=nofollow>b <img alt=c></a></p>"
        b"<ul><li><a href=y>d</a></li></ul><noscript><p>n</p></noscript><p>e<br>f</p>"
        b"<script>s</script></body></html>"
    )
    flat, outline = lexbor.read_tree(library, body)
    own, plain = read_markup(body, with_outline=True)
    assert own.text.split() == flat.text.split()
    for name in ("hrefs", "language", "base", "canonical", "robots"):
        assert getattr(own, name) == getattr(flat, name)
    assert own.rels() == flat.rels()
    assert (plain.hrefs, plain.texts) == (outline.hrefs, outline.texts)
    assert parsers._elements(plain) == parsers._elements(outline)
    assert 1 == len(plain.headings) == len(outline.headings)


def test_deal(bench):
    """All files are dealt and all lines merged; growth is told of both."""
    words = ("--files", 4000, "--megabytes", 4, "--pieces", 64, "--rounds", 1)
    stored = bench("deal", *words)
    dealt, merged = rows_of(stored), rows_of(stored, 1)
    assert [500, 4000, 500, 4000] == [row["files"] for row in dealt]
    assert [500, 4000] == [row["manifests"] for row in dealt if row["size"] == "unknown"]
    assert dealt[1]["manifests"] < 4000 / 4
    assert [4, 16, 64] == [row["pieces"] for row in merged]
    growth = dealt[3]["microseconds a file"] / dealt[2]["microseconds a file"]
    values = [target["value"] for target in stored["targets"]]
    assert [growth, merged[2]["CPU s"] / merged[1]["CPU s"]] == pytest.approx(values[1:])
    assert [3.0, 3.0, 3.0] == [target["bound"] for target in stored["targets"]]


def test_deal_leaves_nothing_out(tmp_path):
    """Every file is in one manifest, and every line of the pieces is read."""
    for known in (False, True):
        assert 300 == deal.dealing(str(tmp_path), 300, known=known)["files"]
    assert 10_000 == deal.merging(str(tmp_path), 1, 10)["lines"]
