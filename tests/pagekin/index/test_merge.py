"""Indexes of different pages become the index that one build would have made of all of them."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.bags.bag import Entry
from pagekin.errors import InputError, UsageError
from pagekin.index.folder import HEADER, NEIGHBOURS, TOPICS, read_header, write_header
from pagekin.index.merge import merge_indexes
from pagekin.index.verify import verify_index
from tests.indexes import SOURCE, config_of, files_of, make_bag, make_index, random_bags


def aliases_of(letter: str) -> list[tuple[bytes, bytes]]:
    """A few aliases."""
    url = b"http://%b.example/" % letter.encode()
    return [(b"%bold/%d" % (url, k), b"%b%03d" % (url, k)) for k in range(4)]


def shared_header(folder: Path) -> dict:
    """The header without what a merge cannot know."""
    header = json.loads((folder / HEADER).read_bytes())
    return {k: v for k, v in header.items() if k not in {"sources", "frequencies", "checksum"}}


def assert_equal_indexes(one: Path, other: Path) -> None:
    """Bit for bit, but for what a build derives from its own documents."""
    assert shared_header(one) == shared_header(other)
    ours, theirs = files_of(one), files_of(other)
    ours.pop(HEADER), theirs.pop(HEADER)
    assert ours == theirs
    assert [] == verify_index(one)


# --- the twin ---


@pytest.mark.parametrize(
    ("shards", "target"),
    [
        ((1, 1), 1),
        ((1, 1), 4),
        ((4, 4), 4),
        ((4, 6), 0),
        ((6, 4), 4),
        ((3, 2), 6),
        ((8, 4), 2),
        ((5, 3), 7),
        ((3, 1, 4), 0),
        ((2, 2, 2), 3),
    ],
)
@pytest.mark.parametrize("least", [0, 2])
def test_as_if_built_at_once(tmp_path, shards, target, least):
    """Whatever the numbers of shards, two indexes and more give the index of all their bags."""
    bags = random_bags(90, seed=sum(shards))
    random.Random(1).shuffle(bags)
    parts, aliases = [], []
    for k, count in enumerate(shards):
        config = config_of(count, min_inlinks=least)
        aliases += aliases_of("abc"[k])
        part = bags[k :: len(shards)]
        parts.append(make_index(tmp_path / f"part{k}", part, config, aliases=aliases_of("abc"[k])))
    config = config_of(target or shards[0], min_inlinks=least)
    expected = make_index(tmp_path / "once", bags, config, aliases=aliases)
    made = merge_indexes(parts, tmp_path / "merged", target)
    assert_equal_indexes(expected, tmp_path / "merged")
    header = read_header(tmp_path / "merged")
    assert {
        "index": str(tmp_path / "merged"),
        "digest": header.digest,
        "documents": 90,
        "shards": target or shards[0],
        "repeated": 0,
    } == made
    assert [SOURCE] * len(shards) == header.sources


def test_empty_indexes(tmp_path):
    """Nothing and nothing is nothing, and nothing adds nothing."""
    none = make_index(tmp_path / "none", [])
    some = make_index(tmp_path / "some", random_bags(20))
    merge_indexes([none, none], tmp_path / "two")
    assert_equal_indexes(none, tmp_path / "two")
    merge_indexes([none, some], tmp_path / "one")
    assert_equal_indexes(some, tmp_path / "one")
    assert 0 == len(Index.open(tmp_path / "two"))


def test_answers_for_both(tmp_path):
    """A page of one finds its kin of the other; words and aliases are those of both."""
    one = [make_bag("http://a.example/1", {20: 1, 30: 1}), make_bag("http://a.example/2", {50: 1})]
    two = [make_bag("http://b.example/1", {20: 1, 30: 1, 40: 0.1})]
    folders = [
        make_index(tmp_path / "a", one, aliases=[(b"http://a.example/", b"http://a.example/1")]),
        make_index(tmp_path / "b", two, config_of(2)),
    ]
    merge_indexes(folders, tmp_path / "c", 3)
    (kin,) = Index.open(tmp_path / "c").related("a.example", why=True)
    assert "http://b.example/1" == kin.url
    assert ["word20", "word30"] == [term.display for term in kin.why.terms]


def test_frequencies(tmp_path):
    """Bags add up, moments are means by bags, and the vocabulary is the larger one at least."""
    folders = [make_index(tmp_path / name, random_bags(3, seed=k)) for k, name in enumerate("ab")]
    for folder, bags, terms, mu in ((folders[0], 100, 50, 1.0), (folders[1], 300, 70, 3.0)):
        numbers = {"bags": bags, "terms": terms, "mu": mu, "sigma": 0.5}
        write_header(folder, replace(read_header(folder), frequencies=numbers))
    with pytest.raises(InputError, match="was read for"):
        merge_indexes([folders[0], folders[0]], tmp_path / "c")
    other = make_index(tmp_path / "d", [make_bag("http://d.example/", {20: 1})])
    write_header(
        other, replace(read_header(other), frequencies=read_header(folders[1]).frequencies)
    )
    merge_indexes([folders[0], other], tmp_path / "c")
    expected = {"bags": 400, "terms": 70, "mu": 2.5, "sigma": 0.5}
    assert expected == read_header(tmp_path / "c").frequencies


def test_words_of_both(tmp_path):
    """Where two builds show a term differently, the first in order stays, whichever comes first."""

    def words(display: str):
        return lambda terms: [Entry(f"stem{term}", display) for term in terms.tolist()]

    one = make_index(tmp_path / "a", [make_bag("http://a.example/", {20: 1})], words=words("bees"))
    two = make_index(tmp_path / "b", [make_bag("http://b.example/", {20: 1})], words=words("bee"))
    for k, folders in enumerate(([one, two], [two, one])):
        merge_indexes(folders, tmp_path / f"c{k}")
        index = Index.open(tmp_path / f"c{k}")
        assert "bee" == index.describe(index.get("http://a.example/"))["terms"][0]["display"]


# --- pages of several ---


def test_known_by_anchors_in_both(tmp_path):
    """Of a page that several know, the best known bag stays, and the others are counted."""
    url, other = "http://x.example/", "http://y.example/"
    folders = [
        make_index(tmp_path / name, bags, config_of(2))
        for name, bags in (
            ("a", [make_bag(url, {20: 1}, 9, crawled=False), make_bag(other, {40: 1}, 2)]),
            (
                "b",
                [
                    make_bag(url, {30: 1}, 1, title="X | b"),
                    make_bag(other, {50: 1}, 7, crawled=False),
                ],
            ),
            ("c", [make_bag(url, {60: 1}, 99, crawled=False)]),
        )
    ]
    made = merge_indexes(folders, tmp_path / "all")
    index = Index.open(tmp_path / "all")
    assert (2, 3) == (made["documents"], made["repeated"])
    assert [(url, True, "X | b", [30]), (other, True, "", [40])] == [
        (bag.url, bag.crawled, bag.title, bag.terms.tolist()) for bag in index.all()
    ]
    assert [] == index.verify()


@pytest.mark.parametrize(("links", "kept"), [((1, 5), 30), ((5, 1), 20), ((4, 4), 20)])
def test_read_by_none(tmp_path, links, kept):
    """Of bags of anchors alone that of the most links stays; of equal ones the first."""
    url = "http://x.example/"
    folders = [
        make_index(tmp_path / name, [make_bag(url, {term: 1}, n, crawled=False)])
        for name, term, n in zip("ab", (20, 30), links, strict=True)
    ]
    assert 1 == merge_indexes(folders, tmp_path / "all")["repeated"]
    assert [kept] == Index.open(tmp_path / "all").get(url).terms.tolist()


def test_read_for_both(tmp_path):
    """A page that was read for both is named, and nothing is made."""
    url = "http://x.example/"
    folders = [
        make_index(tmp_path / name, [*random_bags(5, seed=k, hosts=1), make_bag(url, {20: 1})][-1:])
        for k, name in enumerate("ab")
    ]
    with pytest.raises(InputError) as caught:
        merge_indexes(folders, tmp_path / "all")
    said = f"{url} was read for {folders[0]} and {folders[1]}; indexes of the same pages"
    assert f"{said} cannot be merged" == str(caught.value)
    assert {"a", "b"} == {path.name for path in tmp_path.iterdir()}


# --- what is refused ---


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"signatures": {"count": 9}}, "signatures.count is 8 in the first and 9 in the other"),
        (
            {"signatures": {"seed": 1}},
            "signatures.seed is 20020507 in the first and 1 in the other",
        ),
        ({"index": {"min_inlinks": 4}}, "index.min_inlinks is 0 in the first and 4 in the other"),
        (
            {"index": {"min_inlinks": 4}, "weight": {"tf": "log"}, "signatures": {"copies": 1}},
            "weight.tf is sqrt in the first and log in the other",
        ),
        ({"window": {"news": 1}}, "window.news is None in the first and 1 in the other"),
    ],
)
def test_other_parameters(tmp_path, change, said):
    """The first parameter that differs is named, with both values."""
    one = make_index(tmp_path / "a", random_bags(3))
    two = make_index(tmp_path / "b", [make_bag("http://z.example/", {20: 1})], config_of(3))
    header = read_header(two)
    config = {name: {**values, **change.get(name, {})} for name, values in header.config.items()}
    write_header(two, replace(header, config=config))
    with pytest.raises(InputError) as caught:
        merge_indexes([one, two], tmp_path / "c")
    assert f"{one} and {two} cannot be merged: {said}" == str(caught.value)
    assert not (tmp_path / "c").exists()


def test_unknown_parameters(tmp_path):
    """Indexes of another version, with parameters that this one does not know."""
    folders = []
    for name in "ab":
        folder = make_index(tmp_path / name, [make_bag(f"http://{name}.example/", {20: 1})])
        header = read_header(folder)
        config = {**header.config, "window": {**header.config["window"], "news": 1}}
        write_header(folder, replace(header, config=config))
        folders.append(folder)
    with pytest.raises(InputError, match="has parameters that this pagekin does not know"):
        merge_indexes(folders, tmp_path / "c")


@pytest.mark.parametrize("shards", [-1, 100_001])
def test_numbers_of_shards(tmp_path, shards):
    """As many shards as a build may make."""
    one = make_index(tmp_path / "a", [])
    said = f"--shards {shards}: it must be at least 0 and at most 100000"
    with pytest.raises(UsageError, match=said):
        merge_indexes([one, one], tmp_path / "c", shards)


def test_one_index(tmp_path):
    """One is none to merge."""
    with pytest.raises(UsageError, match="takes at least two indexes"):
        merge_indexes([make_index(tmp_path / "a", [])], tmp_path / "c")


def test_targets(tmp_path):
    """A folder of other things is refused before anything is read; an index is replaced."""
    folders = [
        make_index(tmp_path / name, [make_bag(f"http://{name}.example/", {20: 1})]) for name in "ab"
    ]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds other files and is no index"):
        merge_indexes([tmp_path / "none", *folders], tmp_path / "mine")
    merge_indexes(folders, folders[0])  # also one of those that are merged
    assert ["http://a.example/", "http://b.example/"] == [
        b.url for b in Index.open(folders[0]).all()
    ]
    assert {"a", "b", "mine"} == {path.name for path in tmp_path.iterdir()}


def test_failure_leaves_the_old_index(tmp_path):
    """Damage that is met on the way costs the old index nothing."""
    folders = [
        make_index(tmp_path / name, [make_bag(f"http://{name}.example/", {20: 1})]) for name in "ab"
    ]
    target = make_index(tmp_path / "c", random_bags(10))
    before = files_of(target)
    (folders[1] / "shard-00000" / "bags.arrays").write_bytes(b"")
    with pytest.raises(InputError, match=r"bags\.arrays is not an array file"):
        merge_indexes(folders, target)
    assert before == files_of(target)
    assert {"a", "b", "c"} == {path.name for path in tmp_path.iterdir()}


def test_damage_is_not_merged(tmp_path):
    """A wrong byte does not come under a new checksum that matches."""
    folders = [
        make_index(tmp_path / name, [make_bag(f"http://{name}.example/", {20: 1})]) for name in "ab"
    ]
    path = folders[1] / "shard-00000" / "bags.arrays"
    path.write_bytes(path.read_bytes()[:-1] + b"@")
    with pytest.raises(InputError, match=r"b/shard-00000/bags\.arrays is damaged: its checksum"):
        merge_indexes(folders, tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_report(tmp_path, monkeypatch):
    """Progress is told as it goes: every document is counted once."""
    monkeypatch.setattr("pagekin.index.merge._EVERY", 10)
    one = make_index(tmp_path / "a", random_bags(40), config_of(3))
    two = make_index(tmp_path / "b", [make_bag("http://z.example/", {20: 1})], config_of(2))
    told: list[tuple[int, int]] = []
    merge_indexes([one, two], tmp_path / "c", 5, lambda done, total: told.append((done, total)))
    assert [(10, 41), (20, 41), (30, 41), (40, 41)] == told


@pytest.mark.parametrize("theirs", [[[30], [40]], [[30], [50]], None])
def test_topics(tmp_path, theirs):
    """Indexes of the same topics are merged; a topic of one means nothing in another."""
    tables = {"a": [[30], [40]], "b": theirs}
    parts = [
        make_index(tmp_path / name, [make_bag(f"http://{name}.example/", {30: 1.0})], topics=table)
        for name, table in tables.items()
    ]
    if tables["a"] != theirs:
        with pytest.raises(InputError, match="each build learned topics of its own"):
            merge_indexes(parts, tmp_path / "both")
        return
    merge_indexes(parts, tmp_path / "both")
    files = read_header(tmp_path / "both").files
    assert read_header(parts[0]).files[TOPICS] == files[TOPICS]
    assert [] == verify_index(tmp_path / "both")


@pytest.mark.parametrize("theirs", [{30: {40: 9}, 40: {}}, {30: {}, 40: {30: 9}}, None])
def test_neighbours_of_words(tmp_path, theirs):
    """The table of neighbours stays where all have the same, and is left out where they differ."""
    tables = {"a": {30: {40: 9}, 40: {}}, "b": theirs}
    parts = [
        make_index(
            tmp_path / name, [make_bag(f"http://{name}.example/", {30: 1.0})], neighbours=table
        )
        for name, table in tables.items()
    ]
    merge_indexes(parts, tmp_path / "both")
    is_kept = tables["a"] == theirs
    assert is_kept == (NEIGHBOURS in read_header(tmp_path / "both").files)
    assert is_kept == (tmp_path / "both" / NEIGHBOURS).exists()
    assert [] == verify_index(tmp_path / "both")
