"""Pages found by words in titles and URLs, against a plain look at every page."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin import Index
from pagekin.index import folder
from pagekin.query import title_search
from pagekin.query.title_search import find_by_words, words_of
from tests.indexes import config_of, make_bag, make_index

PAGES = [
    ("http://a.example/rope", "Ropes and knots", 3),
    ("http://a.example/ROPE/knots", "", 90),
    ("http://b.example/", "Europe", 50),
    ("http://c.example/x", "Rope: a knot", 4),
    ("http://c.example/y", "The rope knot", 4),
    ("http://d.example/%C3%84pfel", "Äpfel im März", 1),
    ("http://d.example/a%0Ab", "A line | b", 2),
    ("http://e.example/", "Пчёлы и мёд", 7),
    ("http://f.example/cafe", "Cafe\u0301 ﬁne Straße", 7),
    ("http://g.example/", "x", 0),
]


@pytest.fixture(scope="module", params=[1, 3])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Index:
    bags = [make_bag(url, {20: 1}, links, title=title) for url, title, links in PAGES]
    path: Path = tmp_path_factory.mktemp("words") / "index"
    return Index(make_index(path, bags, config_of(request.param)))


def plain_fold(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


def plain_search(text: str, count: int) -> list[str]:
    """All pages that have the words, one by one."""
    words = set(re.findall(r"\w+", plain_fold(text)))
    found = []
    for url, title, links in PAGES if words else ():
        own = re.findall(r"\w+", plain_fold(title))
        begun = {word for word in words if any(each.startswith(word) for each in own)}
        if all(word in begun or word in plain_fold(unquote(url)) for word in words):
            found.append((-len(begun), -len(begun & set(own)), -links, url))
    return [url for *_, url in sorted(found)[:count]]


LATIN = ["rope", "ROPE", "knots", "knot", "and", "Europe", "line", "im", "a", "b", "e", "!"]
OTHERS = ["äpfel", "APFEL", "мед", "МЁД", "café", "fine", "strasse", "example", "http", "nothing"]
WORDS = st.sampled_from([*LATIN, *OTHERS])


@given(words=st.lists(WORDS, max_size=3), count=st.integers(1, 12), together=st.integers(1, 4))
def test_equals_the_plain_twin(index: Index, words: list[str], count: int, together: int) -> None:
    """However many documents are looked at at once, the pages are those of a plain look at each."""
    text = " ".join(words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(title_search, "_TOGETHER", together)
        found = [page.url for page in index.search(text, count)]
    assert plain_search(text, count) == found


def test_order(index: Index) -> None:
    """More words in the title, more of them whole, more inlinks; a word within a word of a title is
    none."""
    assert [
        "http://c.example/x",
        "http://c.example/y",
        "http://a.example/rope",
        "http://a.example/ROPE/knots",
    ] == [page.url for page in index.search("rope knot")]
    assert "http://b.example/" not in [page.url for page in index.search("rope")]


def test_case_and_accents(index: Index) -> None:
    """Neither makes a difference, in words, titles and percent-encoded URLs."""
    for text in ("apfel märz", "ÄPFEL MARZ", "a\u0308pfel"):
        assert ["http://d.example/%C3%84pfel"] == [page.url for page in index.search(text)]
    assert ["http://f.example/cafe"] == [page.url for page in index.search("CAFÉ FINE strasse")]


def test_what_is_told(index: Index) -> None:
    """A page has its title, and says whether it was read."""
    (page,) = index.search("europe")
    assert ("http://b.example/", "Europe", True, 50, True) == page


@pytest.mark.parametrize("text", ["", " ", "?!", "rope nothing"])
def test_nothing(index: Index, text: str) -> None:
    """No word, or one that no page has: no page."""
    assert [] == index.search(text)


def test_empty_index(tmp_path: Path) -> None:
    """There is nothing to be found."""
    assert [] == Index(make_index(tmp_path / "index", [])).search("rope")


def test_damaged_title(tmp_path: Path) -> None:
    """A title that has an end of a line, as none has, moves no other page."""
    bags = [make_bag(f"http://a.example/{k}", {20: 1}, title=f"Page {k}") for k in range(3)]
    path = make_index(tmp_path / "index", bags)
    file = path / "shard-00000" / "titles.arrays"
    file.write_bytes(file.read_bytes().replace(b"Page 1", b"Page\n1"))
    shards = folder.IndexFolder(path).shards
    assert ["http://a.example/2"] == [page.place.url for page in find_by_words(shards, "page 2", 9)]


def test_words_of() -> None:
    """Each word once, in order."""
    assert ["rope", "knots", "e", "2"] == words_of("Rope-KNOTS, É! rope 2")
