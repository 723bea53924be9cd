"""Builds of the parts of an index: bags, co-citation or both, and mirrors; what is kept when
settings change."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.cocitation.kin_table import KinTable, RelatedPage
from pagekin.errors import NotFoundError
from pagekin.index.folder import IndexFolder
from pagekin.index.verify import verify_index
from tests.indexes import files_of
from tests.running import (
    DEMO,
    INVENTORY,
    NOT_ENRICHED_FLAGS,
    READING,
    STAGES,
    Said,
    pagekin,
    record_of,
)

Build = Callable[..., Said]

COCITATION = ("pairs", "related")
BOTH = "reading.fragments.blocks"  # one pass over the pages makes bags and blocks
WHOLE = (INVENTORY, BOTH, *STAGES[2:])  # the passes of a build of both parts, before the index
CAPTURES = "inventory.captures"
ALONE = ("reading.blocks", *COCITATION)
# of bags as they are, and co-citation
FEW = ("--without", "mirrors", *NOT_ENRICHED_FLAGS)
LOW = ("--cocitation-threshold", "0.5")  # the demo is small
LOOM = "http://wiki.example.net/wiki/Loom"
HOME = "http://warp-journal.example/"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the workspace and index of the demo, with both parts. For copying."""
    base = tmp_path_factory.mktemp("parts")
    flags = ("--work", base / "work", "--index", base / "index", "--shards", 3, *LOW)
    assert (0, "", "") == pagekin("build", "-q", "-r", "inline", *FEW, *flags, DEMO)
    return base


@pytest.fixture
def work(built: Path, tmp_path: Path) -> Path:
    """A finished workspace of one's own."""
    return shutil.copytree(built / "work", tmp_path / "work")


@pytest.fixture
def build(command: Build, tmp_path: Path) -> Build:
    """`pagekin build` of the demo in this process."""

    def run(*words: object) -> Said:
        index = () if "--index" in words else ("--no-index",)
        parts = () if "--only" in words else FEW
        flags = ("-r", "inline", "--work", tmp_path / "work", *index, *LOW, *parts)
        return command("build", *flags, *words, DEMO)

    return run


def states(work: Path) -> dict[str, str]:
    """What the last build did with each stage, and with the index."""
    summary = json.loads((work / "summary.json").read_text(encoding="utf-8"))
    made = {stage["name"]: stage["state"] for stage in summary["stages"]}
    return made | ({"index": summary["index"]["state"]} if "index" in summary else {})


def states_of(said: Said) -> dict[str, str]:
    """The same from `--json`."""
    return {stage["name"]: stage["state"] for stage in json.loads(said.out)["stages"]}


def lists_of(folder: Path) -> dict[str, list[RelatedPage]]:
    """The table of an index, whatever its shards."""
    shards = IndexFolder(folder).shards
    return dict(sorted(pair for shard in shards for pair in KinTable(shard.kin).all()))


# --- both parts ---


def test_both(built):
    """All stages are there, and the index is sound and answers in all ways."""
    made = states(built / "work")
    assert [*WHOLE, "index_shards", *COCITATION, "index"] == list(made)
    assert {"built"} == set(made.values())
    index = Index.open(built / "index")
    related = record_of(built / "work", "related")["result"]
    assert related["records"] == related["counters"]["cocitation"]["pages_with_kin"] > 200
    assert ([], related["records"]) == (index.verify(), index.info()["with_cocited_kin"])
    for by in ("bags", "cocitation", "both"):
        assert index.related(LOOM, by=by), by
    assert {"index_shards", "related", "aliases"} == set(index.info()["sources"][0]["built_from"])


def test_kin_of_the_stage(built):
    """The table holds the records of the last stage, and no page of it stands for another."""
    lists = lists_of(built / "index")
    index = Index.open(built / "index")
    assert record_of(built / "work", "related")["result"]["records"] == len(lists)
    for url in list(lists)[::20]:
        found = index.related(url, 20, by="cocitation", read="any", per_host=0)
        assert [(k.url, round(k.score, 12)) for k in lists[url]] == [
            (k.url, k.score) for k in found
        ]
    aliases = IndexFolder(built / "index").aliases
    assert {} == aliases.resolve([k.url for some in lists.values() for k in some])


def test_local_runner(built, demo_work, tmp_path):
    """Other processes make the same index, in every byte of every file."""
    work = shutil.copytree(demo_work, tmp_path / "work")  # built by this runner
    flags = ("--work", work, "--index", tmp_path / "index", "--shards", 3, *LOW)
    words = ("build", "-q", "-r", "local", "--tasks", 2, *FEW, *flags, DEMO)
    assert (0, "", "") == pagekin(*words)
    assert files_of(built / "index") == files_of(tmp_path / "index")
    for stage in (*STAGES[2:], *COCITATION):
        ours, theirs = (record_of(base / "work", stage)["result"] for base in (built, tmp_path))
        assert (ours["digest"], ours["counters"]) == (theirs["digest"], theirs["counters"])


def test_numbers_of_shards(built, build, work, tmp_path):
    """One shard or seven: the same lists and the same answers."""
    indexes = [built / "index"]
    for shards in (1, 7):
        indexes.append(tmp_path / f"index{shards}")
        assert 0 == build("-q", "--index", indexes[-1], "--shards", shards).code
        assert {"kept"} == {states(work)[name] for name in (*WHOLE, *COCITATION)}
        assert [] == verify_index(indexes[-1])
    assert lists_of(indexes[0]) == lists_of(indexes[1]) == lists_of(indexes[2])
    opened = list(map(Index.open, indexes))
    for by in ("cocitation", "both"):
        answers = [
            [one.as_dict() for url in (LOOM, HOME) for one in index.related(url, by=by, why=True)]
            for index in opened
        ]
        assert answers[0] == answers[1] == answers[2] != []


# --- one part ---


def test_without_cocitation(built, build, work, tmp_path):
    """Without co-citation its stages are neither run nor touched, and the table is empty."""
    index = tmp_path / "index"
    assert 0 == build("-q", "--without", "cocitation", "--index", index, "--shards", 3).code
    assert [*WHOLE, "index_shards", "index"] == list(states(work))
    assert {"kept"} == {states(work)[name] for name in (*WHOLE, "index_shards")}
    assert (0, []) == (IndexFolder(index).header.kin, verify_index(index))
    ours, theirs = files_of(index), files_of(built / "index")
    differ = {Path(name).name for name in ours if ours[name] != theirs[name]}
    assert {"kin.arrays", "index.json"} == differ


def test_one_pass_or_two(built, build, tmp_path):
    """Blocks made together with bags are those of a pass of their own; so are the bags."""
    for part in ("cocitation", "bags"):
        assert 0 == build("-q", "--only", part, *NOT_ENRICHED_FLAGS).code
    apart, together = tmp_path / "work", built / "work"
    kinds = {
        kind: counts
        for name in ("reading.blocks", READING)
        for kind, counts in record_of(apart, name)["result"]["kinds"].items()
    }
    assert {"blocks", "raw bags", "words"} == kinds.keys()
    assert record_of(together, BOTH)["result"]["kinds"] == kinds
    for name in ("weighted_bags", *COCITATION):
        ours, theirs = (record_of(base, name)["result"] for base in (apart, together))
        assert (ours["digest"], ours["counters"]) == (theirs["digest"], theirs["counters"])


def test_one_part_after_the_other(build, tmp_path):
    """Where bags were made without blocks, the pages are read again for the blocks alone."""
    work = tmp_path / "work"
    assert 0 == build("-q", "--without", "cocitation").code
    plan = json.loads(build("--dry-run", "--json").out)["stages"]
    assert ["blocks", "pairs", "related"] == [each["name"] for each in plan if each["build"]]
    assert 0 == build("-q").code
    made = states(work)
    assert {"kept"} == {made[name] for name in STAGES}
    assert "built" == made["reading.blocks"]
    used = [record_of(work, n)["result"]["counters"]["records"] for n in (READING, ALONE[0])]
    assert used[0] == used[1]


def test_only_cocitation(build, tmp_path):
    """Co-citation alone needs the captures of the inventory and no bags."""
    said = build("-q", "--only", "cocitation", "--json")
    assert 0 == said.code
    assert dict.fromkeys([CAPTURES, *ALONE], "built") == states_of(said)
    folders = {path.name for path in (tmp_path / "work").iterdir() if path.is_dir()}
    assert {CAPTURES, *ALONE} == folders


@pytest.mark.parametrize("flags", [("--only", "cocitation"), ("--without", "bags")])
def test_index_without_bags(command, built, build, tmp_path, flags):
    """An index without bags is sound, is asked by co-citation, and has no documents."""
    folder = tmp_path / "index"
    work = shutil.copytree(built / "work", tmp_path / "work")
    assert 0 == build("-q", *flags, "--index", folder, "--shards", 3).code
    assert [INVENTORY, BOTH, *COCITATION, "index"] == list(states(work))
    assert lists_of(built / "index") == lists_of(folder)
    index = Index.open(folder)
    whole = Index.open(built / "index")
    assert (0, []) == (len(index), index.verify())
    expected = [(one.url, one.score) for one in whole.related(LOOM, by="cocitation")]
    assert expected
    assert expected == [(one.url, one.score) for one in index.related(LOOM, by="cocitation")]
    assert [url for url, _ in expected] == [one.url for one in index.related(LOOM, by="both")]
    with pytest.raises(NotFoundError, match="has no bag"):
        index.related(LOOM)
    said = command("related", "--index", folder, LOOM)
    assert (4, "", f"pagekin: {LOOM} has no bag; ask by cocitation, which knows it\n") == said
    assert 0 == command("info", "--index", folder).code
    assert (0, "") == command("related", "--index", folder, "--all")[:2]


def test_shards_of_an_index_without_bags(build, work, tmp_path):
    """Their number follows from the pages that have kin, where none is asked for."""
    assert 0 == build("-q", "--only", "cocitation", "--index", tmp_path / "index").code
    assert 1 == Index.open(tmp_path / "index").shards


def test_another_part_is_another_index(built, build, work, tmp_path):
    """An index that stands there with other parts is made again."""
    index = shutil.copytree(built / "index", tmp_path / "index")
    flags = ("-q", "--index", index, "--shards", 3)
    assert 0 == build(*flags).code
    assert {"kept"} == set(states(work).values())
    assert 0 == build(*flags, "--without", "cocitation").code
    assert "built" == states(work)["index"]
    assert 0 == IndexFolder(index).header.kin
    assert 0 == build(*flags).code
    assert "built" == states(work)["index"]
    assert files_of(built / "index") == files_of(index)


def test_threshold_by_the_number_of_pages(command, work, tmp_path):
    """Where no threshold is set it is that for so few pages, as if it had been asked for; a build
    says what it takes and how many pages have kin, built or kept, and the index remembers it."""
    index = tmp_path / "index"
    words = ("build", "-r", "inline", *FEW, "--work", work, "--index", index, DEMO)
    said = command(*words)
    assert {"kept"} == {state for name, state in states(work).items() if name in COCITATION}
    assert "whose total similarity is 0.5 or more (--cocitation-threshold)\n" in said.err
    counts = record_of(work, "related")["result"]["counters"]["cocitation"]
    told = (counts["pages_with_kin"], counts["pages_with_weak_kin_alone"])
    assert (
        "{:,} pages have kin by co-citation, {:,} of them weak kin alone".format(*told) in said.err
    )
    info = Index.open(index).info()
    assert 0.0 == info["config"]["cocitation"]["threshold"]
    assert [0.5] == [source["cocitation_threshold"] for source in info["sources"]]
    lines = command("info", "--index", index).out
    assert f"by co-citation {told[0]:,} pages have kin, of a total of 0.5 and more" in lines


def test_no_kin_by_cocitation(command, work):
    """A build says why no page has kin, if none has."""
    said = command("build", "-r", "inline", "--work", work, "--cocitation-threshold", 1000, DEMO)
    assert "no page has kin by co-citation: links make a pair where they stand in one" in said.err


# --- mirrors ---


def test_mirrors(command, built, work, tmp_path):
    """Mirrors are one more reading for the shingles alone, and a table of the index; without them
    all is as it was. A group has one representative, and every member knows it."""
    index = shutil.copytree(built / "index", tmp_path / "index")
    words = ("build", "-q", "-r", "inline", *LOW, "--work", work, "--index", index, "--shards", 3)
    words = (*words, *NOT_ENRICHED_FLAGS)
    assert 0 == command(*words, DEMO).code
    made = states(work)
    assert {"kept"} == {made[name] for name in (*WHOLE, "index_shards", *COCITATION)}
    of_mirrors = ("pairs", "offers", "edges", "components", "members", "groups")
    stages = ["reading.shingles", *(f"mirror_{name}" for name in of_mirrors), "index"]
    assert {"built"} == {made[name] for name in stages}
    files, before = files_of(index), files_of(built / "index")
    assert {"mirrors.arrays", "index.json"} == {n for n in files if files[n] != before.get(n)}
    assert [] == verify_index(index)
    told = record_of(work, "mirror_groups")["result"]["counters"]["mirror_groups"]
    opened = IndexFolder(index)
    assert (told["groups"], told["members"]) == (
        len(opened.mirrors),
        sum(map(opened.mirrors.size, range(len(opened.mirrors)))),
    )
    assert told["groups"] > 5
    assert 0 == command(*words, "--without", "mirrors", DEMO).code
    assert before == files_of(index)


def test_only_mirrors(command, tmp_path):
    """Mirrors alone need the bags, whose inlinks choose representatives, and no co-citation."""
    words = ("--only", "mirrors", "--dry-run", "--json", "--work", tmp_path / "work", DEMO)
    plan = [stage["name"] for stage in json.loads(command("build", *words).out)["stages"]]
    assert {"shingles", "fragments", "mirror_groups", "index_shards"} <= {*plan}
    assert not {"blocks", "related"} & {*plan}
    plan = [s["name"] for s in json.loads(command("build", "--no-index", *words).out)["stages"]]
    assert "mirror_groups" in plan
    assert "weighted_bags" not in plan
    said = command("build", "--without", "bags", "--until", "mirror_groups", *words[2:])
    why = "--until mirror_groups is of mirrors, which --without bags leaves out"
    assert (2, f"pagekin: {why}\n") == (said.code, said.err)


# --- changed settings ---


@pytest.mark.parametrize(
    ("flags", "rebuilt"),
    [
        (("--cocitation-kin", 3), ["pairs", "related"]),
        (("--cocitation-near", 4), ["pairs", "related"]),
        (("--blocks-rules", "paper"), ["reading.blocks", "pairs", "related"]),
        (("--window-words", 8), [READING, "document_frequency", "weighted_bags"]),
        (("--weight-terms", 100), ["weighted_bags"]),
        (("--signatures-count", 16), []),
    ],
)
def test_changed_settings(build, work, flags, rebuilt):
    """A setting builds what depends on it, and what is made of that; all else is kept."""
    assert 0 == build("-q", *flags).code
    assert rebuilt == [name for name, state in states(work).items() if state == "built"]


def test_passes_that_nobody_needs(build, work):
    """A pass goes when each of its outputs was made anew; until then it is kept and read."""
    assert 0 == build("-q", "--blocks-rules", "paper").code
    assert {BOTH, "reading.blocks"} <= {path.name for path in work.iterdir()}
    assert 0 == build("-q", "--blocks-rules", "paper", "--window-words", 8).code
    assert "built" == states(work)[READING]
    folders = {path.name for path in work.iterdir()}
    assert {READING, "reading.blocks"} <= folders
    assert BOTH not in folders
    assert 0 == build("-q").code  # both are out of date: one pass again
    assert "built" == states(work)[BOTH]
    assert not {READING, "reading.blocks"} & {path.name for path in work.iterdir()}


def test_reading_without_resolution(build, work):
    """Without an inventory links lead to where they say."""
    assert 0 == build("-q", "--only", "cocitation", "--reading-resolve", "false").code
    assert [*ALONE] == list(states(work))
    counters = record_of(work, "reading.blocks")["result"]["counters"]["block_links"]
    assert 0 == counters.get("through_redirects", 0)


def test_sample_alone(build, tmp_path):
    """The sample that bags want is of no account to the blocks, and is made when it is wanted."""
    assert 0 == build("-q", "--only", "cocitation").code
    assert 0 == build("-q", "--only", "bags").code
    made = states(tmp_path / "work")
    assert ("kept", "built") == (made[CAPTURES], made["inventory.sample.stop_words"])
    assert 0 == build("-q", "--only", "cocitation").code
    assert {"kept"} == {*states(tmp_path / "work").values()}


# --- up to a stage ---


@pytest.mark.parametrize(
    ("until", "stages"),
    [
        ("blocks", ["captures", "blocks"]),
        ("fragments", ["captures", "sample", "stop_words", "fragments"]),
        ("reading", ["captures", "sample", "stop_words", "fragments", "blocks"]),
        ("pairs", ["captures", "blocks", "pairs"]),
        (
            "weighted_bags",
            [
                "captures",
                "sample",
                "stop_words",
                "fragments",
                "document_frequency",
                "weighted_bags",
            ],
        ),
        ("captures", ["captures"]),
        ("inventory", ["captures", "sample", "stop_words"]),
    ],
)
def test_until(build, until, stages):
    """An output needs what it is made of, and nothing else."""
    plan = json.loads(build("--until", until, "--dry-run", "--json").out)
    assert stages == [stage["name"] for stage in plan["stages"]]


# --- what is refused ---


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--only", "bags", "--without", "bags"), "--only and --without: name one of them"),
        (("--only", "bags", "--without", "cocitation"), "--only and --without: name one of them"),
        (
            ("--without", "cocitation", "--until", "related"),
            "--until related is of cocitation, which --without cocitation leaves out",
        ),
        (
            ("--only", "cocitation", "--until", "weighted_bags"),
            "--until weighted_bags is of bags, which --only cocitation leaves out",
        ),
        (
            ("--index", "i", "--until", "related"),
            "--until related stops before the index; leave out --index",
        ),
    ],
)
def test_refused(build, tmp_path, flags, said):
    """Flags that contradict each other are one sentence, before anything runs."""
    assert (2, "", f"pagekin: {said}\n") == build(*flags)
    assert not (tmp_path / "work").exists()


def test_bags_of_read_pages_alone(built, build, work, command, tmp_path):
    """`--bag-urls crawled` changes the bags and what is made of them: every document was read, the
    words are those of its bags, and co-citation still knows pages that are no documents."""
    index = tmp_path / "index"
    assert 0 == build("-q", "--index", index, "--bag-urls", "crawled").code
    made, whole = Index.open(index), Index.open(built / "index")
    read = {bag.url for bag in whole.all() if bag.crawled}
    assert read == {bag.url for bag in made.all()}
    info = made.info()
    assert (len(read), len(read), 0) == (
        info["documents"],
        info["crawled"],
        info["known_by_anchors"],
    )
    assert [] == made.verify()
    counts = record_of(work, READING)["result"]["counters"]
    assert counts["links"]["not_captured"] > 100
    assert counts["bags"].get("urls_not_crawled", 0) < 10  # hardly one of them was sent
    assert info["frequencies"]["bags"] == len(read)
    assert lists_of(built / "index") == lists_of(index)
    cited = [one.related(LOOM, 20, by="cocitation") for one in (whole, made)]
    assert [(kin.url, kin.score) for kin in cited[0]] == [(kin.url, kin.score) for kin in cited[1]]
    unread = next(bag.url for bag in whole.all() if not bag.crawled)
    said = command("bag", "--work", work, unread)
    assert (4, True) == (said.code, "it was not read, and links make none" in said.err)
