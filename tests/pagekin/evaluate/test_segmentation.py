"""The measures of segmentation, by hand and against people."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.blocks.links import find_links
from pagekin.config import BlockConfig
from pagekin.errors import InputError
from pagekin.evaluate.segmentation import (
    MarkedPage,
    Scores,
    evaluate_segmentation,
    read_marked_pages,
)
from tests.marked import write_marked
from tests.trees import corpus, tree_page

LISTS = (
    "<h2>a</h2><ul><li><a href=0>x</a><li><a href=1>x</a></ul><h2>b</h2>"
    "<ul><li><a href=2>x</a><li><a href=3>x</a><li><a href=4>x</a></ul>"
)


def measured(produced: Iterable[Iterable[int]], marked: Iterable[Iterable[int]]) -> dict:
    scores = Scores()
    scores.add(produced, marked)
    return scores.as_dict()


def test_by_hand():
    """Six links in three marked blocks; of three produced ones one is equal and two lie within."""
    found = measured([[0, 1], [2, 3], [3, 6]], [[0, 1], [2, 3, 4], [4, 5], [7]])
    assert {
        "pages": 1,
        "blocks": 3,
        "human_blocks": 3,
        "human_lists": 3,
        "e_precision": 1 / 3,
        "i_precision": 2 / 3,
        "e_recall": 1 / 3,
        "f": 1 / 3,
        "coverage": 4 / 6,
    } == pytest.approx(found)


def test_marks_within_marks():
    """Equal marks are one list, and a block may be a part of any mark around it."""
    found = measured([[0, 1], [3, 4]], [[0, 1], [0, 1], [0, 1, 2, 3, 4]])
    assert (3, 2) == (found["human_blocks"], found["human_lists"])
    assert (0.5, 1.0, 0.5) == (found["e_precision"], found["i_precision"], found["e_recall"])
    assert 4 / 5 == found["coverage"]


def test_blocks_of_one_link_do_not_count():
    """Neither produced nor marked ones."""
    found = measured([[0], [1, 2]], [[0], [1, 2]])
    assert (1, 1, 1.0, 1.0, 1.0) == (
        *(found["blocks"], found["human_blocks"]),
        *(found["e_precision"], found["e_recall"], found["coverage"]),
    )


def test_nothing():
    """Without blocks, marks or pages all measures are 0."""
    for found in (measured([], []), measured([], [[0, 1]]), Scores().as_dict()):
        assert {0} == {
            found[m] for m in ("e_precision", "i_precision", "e_recall", "f", "coverage")
        }


def test_over_pages():
    """Counts are added over pages, and shares made of the sums."""
    scores = Scores()
    scores.add([[0, 1]], [[0, 1]])
    scores.add([[0, 1], [2, 3], [4, 5]], [[0, 2]])
    found = scores.as_dict()
    assert (2, 4, 2, 0.25, 0.5) == (
        *(found["pages"], found["blocks"], found["human_blocks"]),
        *(found["e_precision"], found["e_recall"]),
    )


lists = st.lists(st.lists(st.integers(0, 6), unique=True, max_size=4), max_size=5)


@given(lists, lists)
def test_twin(produced, marked):
    """Eq. 3 and 4 as they are written, and the other measures in words."""
    blocks = [b for b in produced if len(b) > 1]
    humans = [h for h in marked if len(h) > 1]
    equal = [b for b in blocks if any(sorted(b) == sorted(h) for h in humans)]
    inside = [b for b in blocks if any(all(x in h for x in b) for h in humans)]
    distinct = {tuple(sorted(h)) for h in humans}
    met = [h for h in distinct if any(tuple(sorted(b)) == h for b in blocks)]
    links = {x for h in humans for x in h}
    covered = [x for x in links if any(x in b for b in blocks)]
    found = measured(produced, marked)
    assert len(equal) / max(len(blocks), 1) == found["e_precision"]
    assert len(inside) / max(len(blocks), 1) == found["i_precision"]
    assert len(met) / max(len(distinct), 1) == found["e_recall"]
    assert len(covered) / max(len(links), 1) == found["coverage"]


# --- pages ---


def page(html: str, marked: list[list[int]], hrefs: Iterable[str] = "01234") -> MarkedPage:
    return MarkedPage("p", "http://p.example/", html.encode(), list(hrefs), marked)


def test_before_and_after():
    """Before are the scanned sections, after the blocks under the rules."""
    marked = [[0, 1], [2, 3, 4], [0, 1, 2, 3, 4]]
    for rules, blocks in (("structural", 2), ("paper", 2), ("page", 1)):
        found = evaluate_segmentation([page(LISTS, marked)], BlockConfig(rules=rules))
        assert 2 == found["before"]["blocks"]
        assert blocks == found["after"]["blocks"]
        assert 1.0 == found["after"]["e_precision"]


def test_pages_that_cannot_be_read():
    """A page without anything counts with its marks."""
    found = evaluate_segmentation([page("", [[0, 1]])], BlockConfig())
    assert (1, 0, 1) == tuple(found["after"][k] for k in ("pages", "blocks", "human_blocks"))


def test_links_in_another_order():
    """Links that another parser saw elsewhere are found by their addresses, or left out."""
    assert (
        1.0
        == evaluate_segmentation([page(LISTS, [[0, 1]], "01")], BlockConfig())["after"]["e_recall"]
    )
    shifted = page(LISTS, [[1, 2], [3, 4, 5]], "x01234")
    assert 1.0 == evaluate_segmentation([shifted], BlockConfig())["after"]["e_precision"]


def test_reading(tmp_path):
    """A folder of marked pages."""
    folder = write_marked(
        tmp_path / "m", {"b": (LISTS, [[0, 1], []]), "a": ("<a href=x>y</a>", [])}
    )
    first, second = read_marked_pages(folder)
    assert ("b", "http://b.example/", list("01234"), [[0, 1], []]) == (
        *(first.name, first.url, first.hrefs, first.marked),
    )
    assert ("a", ["x"]) == (second.name, second.hrefs)


def test_pages_are_utf8(tmp_path):
    """Whatever a page says of its charset, and whatever its bytes are."""
    folder = write_marked(tmp_path / "m", {"a": ("<meta charset=iso-8859-2><a href=ě>y</a>", [])})
    (found,) = read_marked_pages(folder)
    assert "ě".encode() in found.body
    (folder / "pages" / "a.html").write_bytes(b"<a href=x>\xff</a>")
    (found,) = read_marked_pages(folder)
    assert "\ufffd".encode() in found.body


@pytest.mark.parametrize(
    ("index", "said"),
    [
        (None, "index.json: cannot be read: No such file or directory"),
        ("{", "index.json: is not valid JSON"),
        ("[]", "index.json: holds no list of pages"),
        ('{"pages": [{}]}', "an entry of a page lacks 'blocks'"),
        ('{"pages": [{"blocks": "b.json"}]}', "b.json: cannot be read"),
    ],
)
def test_broken_folders(tmp_path, index, said):
    """What is wrong with a folder is said in a sentence."""
    if index is not None:
        (tmp_path / "index.json").write_text(index)
    with pytest.raises(InputError, match=said):
        list(read_marked_pages(tmp_path))


# --- what people marked ---


@pytest.fixture(scope="module")
def marked_pages() -> list[MarkedPage]:
    return list(read_marked_pages(corpus("segmentation-random")))


def rounded(scores: dict) -> tuple:
    measures = ("e_precision", "i_precision", "e_recall", "f", "coverage")
    return (scores["blocks"], *(round(scores[m], 3) for m in measures))


@pytest.mark.corpus
def test_baseline(marked_pages):
    """Every innermost list or table of two links: what the measures say of it is known."""
    scores = Scores()
    for marked in marked_pages:
        tree = tree_page(marked.body.decode())
        numbers = {a: k for k, a in enumerate(find_links(tree.tree.tops))}
        lists = [e for top in tree.tree.tops for e in top.iter("ul", "ol", "table")]
        inner = [e for e in lists if next(e.iterdescendants("ul", "ol", "table"), None) is None]
        produced = [[numbers[a] for a in e.iter("a") if a in numbers] for e in inner]
        scores.add(produced, marked.marked)
    assert (81, 602, 570) == (scores.pages, scores.human_blocks, scores.human_lists)
    assert (471, 0.380, 0.968, 0.314, 0.344, 0.566) == rounded(scores.as_dict())


@pytest.mark.corpus
def test_paper_rules(marked_pages):
    """The paper's rules, before and after adjusting, give what an independent program gave."""
    found = evaluate_segmentation(marked_pages, BlockConfig(rules="paper"))
    assert (861, 0.237, 0.971, 0.358, 0.285, 0.732) == rounded(found["before"])
    assert (574, 0.228, 0.838, 0.230, 0.229, 0.921) == rounded(found["after"])
    attributes = BlockConfig(rules="paper", styles="attributes")
    after = evaluate_segmentation(marked_pages, attributes)["after"]
    assert (0.238, 0.822, 0.230) == tuple(
        round(after[m], 3) for m in ("e_precision", "i_precision", "f")
    )


@pytest.mark.corpus
def test_structural_rules(marked_pages):
    """The default does far better; without menus and details it is near what others measured."""
    after = evaluate_segmentation(marked_pages, BlockConfig())["after"]
    least = {
        "e_precision": 0.60,
        "i_precision": 0.93,
        "coverage": 0.90,
        "e_recall": 0.55,
        "f": 0.58,
    }
    assert [] == [name for name, least_value in least.items() if after[name] < least_value]
    bare = BlockConfig(page_share=0.75, menus=False, detail=0)
    found = evaluate_segmentation(marked_pages, bare)["after"]
    assert (571, 0.608, 0.947, 0.609, 0.608, 0.962) == rounded(found)


def test_corpus_is_optional(monkeypatch):
    """Without the corpora their tests are skipped, and say where they look."""
    monkeypatch.setenv("PAGEKIN_CORPORA", "no such folder")
    with pytest.raises(pytest.skip.Exception, match="PAGEKIN_CORPORA names the folder"):
        corpus("segmentation-random")


def test_folder_as_it_is_described(tmp_path):
    """The folder that the tests write is one that the command reads."""
    folder: Path = write_marked(tmp_path / "m", {"a": (LISTS, [[0, 1]])})
    entry = json.loads((folder / "index.json").read_text())["pages"][0]
    assert {"id", "url", "html", "blocks"} == set(entry)
