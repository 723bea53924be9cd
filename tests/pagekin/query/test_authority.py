"""What an index says of the standing of pages and hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekin import Index, InputError, NotFoundError, UsageError
from pagekin.index.folder import AUTHORITY
from pagekin.index.merge import merge_indexes
from pagekin.index.verify import verify_index
from tests.indexes import make_bag, make_index
from tests.pagekin.authority.test_table import HOSTS, PAGES

BAGS = [make_bag(f"http://{host}.example/", {16: 1.0, 17: 2.0}) for host in "abz"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_index(tmp_path / "index", BAGS, scores=[*PAGES, *HOSTS])


def test_page(path):
    """A page in any spelling, with its scores, those of its host, and its standing."""
    with Index(path) as index:
        found = index.authority("a.example")
        assert ("http://a.example/", "a.example", 1.0) == found[:3]
        assert (4 / 9, 1) == (found.of_page.pagerank, found.of_page.pagerank_place)
        assert 4 == found.of_host.nodes


def test_page_without_bag(path):
    """What is only linked to has a standing, too."""
    with Index(path) as index:
        assert 2 == index.authority("http://c.example/x").of_page.pagerank_place


def test_page_without_links(path):
    """A document that no link tells of has no scores."""
    with Index(path) as index:
        found = index.authority("http://z.example/")
        assert (0.0, None, None) == found[2:]


def test_not_there(path):
    """A URL that neither has a bag nor links names what is near."""
    with Index(path) as index, pytest.raises(NotFoundError, match="near it are"):
        index.authority("http://a.example/y")


def test_best(path):
    """The best by a score, hosts by their names."""
    with Index(path) as index:
        best = index.best_by_authority("authority", 1)
        assert [["http://c.example/x"], ["c.example"]] == [
            [node.name for node in nodes] for nodes in (best.pages, best.hosts)
        ]
        assert best.pages[0].scores == index.authority("http://c.example/x").of_page
        with pytest.raises(UsageError, match="by is 'fame'; it takes one of pagerank, hub"):
            index.best_by_authority("fame")


def test_none_made(tmp_path):
    """An index without the table says how to make one."""
    index = Index(make_index(tmp_path / "index", BAGS))
    for ask in (lambda: index.authority("a.example"), index.best_by_authority):
        with pytest.raises(NotFoundError, match="--authority-scores true"):
            ask()


def test_sound(path):
    """verify takes it, and info tells its size."""
    assert [] == verify_index(path)
    assert Index(path).info()["bytes"][AUTHORITY] == (path / AUTHORITY).stat().st_size


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ([*PAGES, *PAGES, *HOSTS], "pages ascending"),
        ([*PAGES, *HOSTS, ("//x.example", 1.0, 101, 0)], "each hub from 0 to 1"),
    ],
)
def test_contradictions(tmp_path, wrong, expected):
    """Tables that no build writes are told by verify."""
    path = make_index(tmp_path / "index", BAGS, scores=wrong)
    [said] = verify_index(path)
    assert said.endswith(f"{AUTHORITY}: {expected}")


def test_damage(path):
    """A byte that was changed is found, and a file that lacks what it should say."""
    data = bytearray((path / AUTHORITY).read_bytes())
    data[-1] ^= 1
    (path / AUTHORITY).write_bytes(data)
    [said] = verify_index(path)
    assert "checksum does not match" in said
    (path / AUTHORITY).unlink()
    with pytest.raises(InputError):
        Index(path)


def test_merged_indexes_have_none(tmp_path):
    """Scores of all links together cannot be had from those of each; equal ones stay."""
    apart = [
        make_index(tmp_path / f"index{k}", BAGS[k : k + 1], scores=[*PAGES[k:], *HOSTS])
        for k in range(2)
    ]
    merge_indexes(apart, tmp_path / "merged")
    assert AUTHORITY not in Index(tmp_path / "merged").info()["bytes"]
    same = make_index(tmp_path / "same", BAGS[2:], scores=[*PAGES, *HOSTS])
    merge_indexes([apart[0], same], tmp_path / "kept")
    assert Index(tmp_path / "kept").authority("a.example").standing == 1.0
