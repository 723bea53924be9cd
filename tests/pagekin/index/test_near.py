"""What is proposed for a URL that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin import Index, NotFoundError
from pagekin.index.folder import IndexFolder
from pagekin.index.near import folders_of, letters_apart, most_errors, near_urls
from tests.indexes import config_of, make_bag, make_index

WIKI = "http://wiki.example/wiki"
READ = [f"{WIKI}/{name}.html" for name in ("Moon", "Mood", "Noon", "Sun", "Mars_and_moons")]
UNREAD = [f"{WIKI}/Moor.html", "https://www.moss.example:8080/", f"{WIKI}/disclaimer.htm"]


@pytest.fixture(scope="module", params=[1, 4])
def folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """Some documents that were read, and some that were not, in one shard or several."""
    bags = [make_bag(url, {20: 1}, crawled=url in READ) for url in READ + UNREAD]
    path = tmp_path_factory.mktemp("near") / "index"
    return make_index(path, bags, config_of(request.param, 24))


@pytest.mark.parametrize(
    ("url", "near"),
    [
        (f"{WIKI}/Mooon.html", "Moon"),  # a letter too much
        (f"{WIKI}/Mon.html", "Moon"),  # too few
        (f"{WIKI}/Moom.html", "Mood"),  # another one: of three the first that was read
        (f"{WIKI}/Snu.html", "Sun"),  # two exchanged
        ("https://www.wiki.example/wiki/Mooon.html", "Moon"),
        ("http://wiki.exmaple/wiki/Mars_and_moons.html", "Mars_and_moons"),  # of the host
        (f"{WIKI}/Mars", "Mars_and_moons"),  # not all of it
    ],
)
def test_first(folder: Path, url: str, near: str) -> None:
    """The nearest by letters is proposed first, wherever the error is."""
    assert f"{WIKI}/{near}.html" == near_urls(IndexFolder(folder).shards, url, 5)[0]


def test_order(folder: Path) -> None:
    """By errors, then those that were read, then by URL; no more than are wanted."""
    shards = IndexFolder(folder).shards
    named = [f"{WIKI}/{name}.html" for name in ("Mood", "Moon", "Moor", "Noon")]
    assert named == near_urls(shards, f"{WIKI}/Moo.html", 4)
    assert named[:2] == near_urls(shards, f"{WIKI}/Moo.html", 2)
    assert ["https://www.moss.example:8080/"] == near_urls(shards, "http://mos.example:8080/", 5)
    assert [] == near_urls(shards, "http://far.away.example/", 5)


def test_in_the_error(folder: Path) -> None:
    """The error that Python and the commands give names them."""
    with pytest.raises(NotFoundError, match=f"near it are {WIKI}/Moon.html"):
        Index.open(folder).get(f"{WIKI}/Mooon.html")


def test_folders_of() -> None:
    """All that a URL lies in, but not itself."""
    assert ["http://a.example/b/", "http://a.example/"] == folders_of("http://a.example/b/c")
    assert ["http://a.example/"] == folders_of("http://a.example/b/")
    assert [] == folders_of("http://a.example/")


def plain_errors(one: str, other: str) -> int:
    """Optimal string alignment by the table of its definition."""
    table = [[i + j for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            differs = one[i - 1] != other[j - 1]
            ways = [table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + differs]
            if i > 1 and j > 1 and (one[i - 1], one[i - 2]) == (other[j - 2], other[j - 1]):
                ways.append(table[i - 2][j - 2] + 1)
            table[i][j] = min(ways)
    return table[-1][-1]


urls = st.text("ab", min_size=1, max_size=9).map("http://a.example/".__add__)


@given(urls, st.lists(urls, max_size=9))
def test_equals_the_plain_twin(url: str, others: list[str]) -> None:
    """Errors are counted as the definition says, up to the most that are looked for."""
    errors = [(plain_errors(url, other), k) for k, other in enumerate(others)]
    expected = [(n, k) for n, k in errors if n <= most_errors(url)]
    assert expected == sorted(letters_apart(url, others), key=lambda found: found[1])


@given(st.lists(urls, min_size=1, max_size=9, unique=True), urls)
def test_of_all_documents(
    tmp_path_factory: pytest.TempPathFactory, documents: list[str], url: str
) -> None:
    """In an index as among all its URLs: none that is near is missed."""
    bags = [make_bag(document, {20: 1}) for document in documents]
    path = tmp_path_factory.mktemp("near") / "index"
    shards = IndexFolder(make_index(path, bags, config_of(2, 24))).shards
    near = near_urls(shards, url, len(documents))
    least = sorted((plain_errors(url, d), len(d), d) for d in documents)
    expected = [d for errors, _, d in least if errors <= most_errors(url)]
    assert expected == near[: len(expected)]
