"""Eq. 9 to 13 by hand, the paper's own bad cases, and pages of very many blocks."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import pytest

from pagekin.blocks.filters import KeptLink as Link
from pagekin.cocitation.kin_table import Reason, RelatedPage
from pagekin.config import CocitationConfig
from pagekin.stages.pairs.total_similarity import edges_of, sort_pairs, sum_domains
from tests.pagekin.cocitation.plain_cocitation import PlainPage, kin_of

A, B = "http://a.example/", "http://b.example/"
CLOSE = 1e-5


def page(site: int, number: int, *blocks: list[tuple[str, str]]) -> PlainPage:
    placed = [[Link(url, text, k) for k, (url, text) in enumerate(block)] for block in blocks]
    return PlainPage(f"http://www.site{site}.example/{number}", placed)


def scores(pages: list[PlainPage], **options: object) -> dict[str, dict[str, float]]:
    kin = kin_of(pages, CocitationConfig(**{"threshold": 0.0, **options}))
    return {url: {each.url: each.score for each in found} for url, found in kin.items()}


# --- the formulas ---


def test_one_page():
    """One page with both: S is 1 and in is 1."""
    assert {A: {B: 1.0}, B: {A: 1.0}} == scores([page(1, 1, [(A, "x"), (B, "y")])])


def test_inlinks():
    """Eq. 13: in counts the blocks that hold the page, alone or not, each block of a page."""
    pages = [page(1, 1, [(A, "x"), (B, "y")], [(B, "y")]), page(2, 1, [(B, "z")])]
    found = scores(pages)
    assert 1 / (1 + math.log(3)) == pytest.approx(found[A][B], abs=CLOSE)
    assert 1.0 == found[B][A]


def test_repeated_anchors():
    """Eq. 12: of one anchor text of p2 on one domain the 9 best count; of another, again 9.

    Ten pages call B "honey", two call it "bees"; A is "honey" on the first three. So S of the pairs
    is 2 for three of the ten and 1 for all others: from A to B 3 * 2 + 6 + 2 = 14, from B to A the
    groups are of A's anchors: three of S = 2, and nine "a", of S = 1, 15 in all.
    """
    pages = [page(1, k, [(A, "honey" if k < 3 else "a"), (B, "honey")]) for k in range(10)]
    pages += [page(1, k, [(A, "a"), (B, "bees")]) for k in (10, 11)]
    found = scores(pages, domain_limit=100.0)
    assert 14 / (1 + math.log(12)) == pytest.approx(found[A][B], abs=CLOSE)
    assert 15 / (1 + math.log(12)) == pytest.approx(found[B][A], abs=CLOSE)


def test_anchors_as_they_are_written():
    """Anchor texts are one where their letters are, but for white space; case tells them apart."""
    names = ["bees wax", "bees  wax", "Bees wax"]
    pages = [page(1, k, [(A, "x"), (B, name)]) for k, name in enumerate(names)]
    assert 2 / (1 + math.log(3)) == pytest.approx(scores(pages, repetition=1)[A][B], abs=CLOSE)


def test_domain_limit():
    """Eq. 12: a domain adds N at the most; two domains that much each."""
    pages = [page(site, k, [(A, f"a{k}"), (B, f"b{k}")]) for site in (1, 2) for k in range(20)]
    expected = 2 * 3.5 / (1 + math.log(40))
    assert expected == pytest.approx(scores(pages, domain_limit=3.5)[A][B], abs=CLOSE)


@pytest.mark.parametrize(("threshold", "kin"), [(1.0, 1), (1.00001, 0)])
def test_threshold(threshold, kin):
    """A TS of just T is enough."""
    found = scores([page(1, 1, [(A, "x"), (B, "y")])], threshold=threshold)
    assert kin == len(found.get(A, {}))


def test_best_with_ties():
    """Of more than M the highest TS stay, of equal ones the first URLs in the order of bytes."""
    others = [f"http://{name}.example/" for name in ("z", "é", "m", "b")]
    pages = [page(1, 1, [(A, ""), *((url, "") for url in others)])]
    pages.append(page(2, 2, [(A, ""), ("http://n.example/", "")]))
    pages.append(page(3, 3, [(A, ""), ("http://n.example/", "")]))
    found = kin_of(pages, CocitationConfig(threshold=0.0, kin=3))[A]
    assert ["http://n.example/", "http://b.example/", "http://m.example/"] == [k.url for k in found]


def test_reasons():
    """A reason is a domain, what it adds at the most N, and the anchor that adds most of it."""
    pages = [page(1, k, [(A, "bees"), (B, "honey bees" if k else "wax")]) for k in range(9)]
    pages += [page(2, 1, [(A, "bees"), (B, "bees")])]
    found = kin_of(pages, CocitationConfig(threshold=0.0, reasons=2))[A]
    score = 12.0 / (1 + math.log(10))
    reasons = (Reason("site1.example", "honey bees", 10.0), Reason("site2.example", "bees", 2.0))
    assert [RelatedPage(B, pytest.approx(score, abs=CLOSE), 10, 2, reasons)] == found


# --- the paper's bad cases ---


def test_licence_link():
    """A licence link at the foot of all pages of many sites is no kin of what stands above it."""
    licence, notice = "http://licence.example/", "http://notice.example/"
    pages = [
        page(site, k, [(A, "Bees"), (B, "Hives")], [(licence, "Licence"), (notice, f"Notice {k}")])
        for site in range(60)
        for k in range(5)
    ]
    found = scores(pages, threshold=4.0)
    assert [{B}, {A}] == [set(found[url]) for url in (A, B)]
    together = [PlainPage(p.url, [[*p.blocks[0], *p.blocks[1]]]) for p in pages]
    assert licence in scores(together, plain=True)[A]


def test_licence_link_in_every_block():
    """Where it stands beside all, its many blocks make it kin of less than those do."""
    licence = "http://licence.example/"
    pages = [
        page(site, k, [(f"http://x{site // 6}{k}.example/", "x"), (licence, "Licence")])
        for site in range(600)
        for k in range(2)
    ]
    found = scores(pages, threshold=4.0)
    # a page in 6 blocks of 6 domains: 6 / (1 + ln 1200) = 0.74 to the licence
    assert {licence} & set(found) == set(found)
    assert not any(licence in kin for kin in found.values())


def test_template():
    """A block repeated on 10,000 pages of one domain adds N at the most."""
    block = [(A, "Bees"), (B, "Hives")]
    pages = [page(1, k, block) for k in range(10_000)]
    for found in kin_of(pages, CocitationConfig(threshold=0.0)).values():
        assert [9.0] == [reason.value for reason in found[0].reasons]  # r of S = 1
    changing = [page(1, k, [(A, "Bees"), (B, f"Hives {k}")]) for k in range(10_000)]
    kin = kin_of(changing, CocitationConfig(threshold=0.0))[A][0]
    assert [10.0] == [reason.value for reason in kin.reasons]
    assert 10 / (1 + math.log(10_000)) == pytest.approx(kin.score, abs=CLOSE)


def test_two_topics():
    """Two topics side by side, as two blocks, do not mix; as one block they do."""
    books = [(f"http://book{k}.example/", f"Book {k}") for k in range(4)]
    games = [(f"http://game{k}.example/", f"Game {k}") for k in range(4)]
    pages = [page(site, 1, books, games) for site in range(40)]
    found = scores(pages)
    assert {url for url, _ in books[1:]} == set(found[books[0][0]])
    assert games[0][0] in scores(pages, plain=True)[books[0][0]]


# --- sorting ---


def test_equal_first_bits(monkeypatch):
    """Partners whose hashes begin alike stay two."""
    partners = np.array([5, 7, 5, 7, 6], dtype=np.uint64)
    values = np.array([1, 2, 3, 4, 5], dtype=np.uint64)
    pairs = sort_pairs(np.zeros(5, np.int64), partners, np.arange(5), values)
    assert [5, 6, 7] == pairs.partners.tolist()
    assert [1, 3, 5, 2, 4] == pairs.values.tolist()
    assert [0, 0, 1, 2, 2] == pairs.runs.tolist()
    assert [0, 2, 4, 1, 3] == pairs.groups.tolist()


def test_no_pairs():
    """No pairs are no sums and no edges."""
    none = np.empty(0, np.int64)
    pairs = sort_pairs(none, none.astype(np.uint64), none, none.astype(np.uint64))
    sums = sum_domains(pairs, lambda groups: groups, 9, 10)
    assert 0 == len(edges_of(sums, np.empty(0), 0.0, 3).runs)


# --- a page of very many blocks ---

HOT = """
import json, sys
import numpy as np
from pybase64 import b64encode
from pagekin.cocitation.similarity import Alike
from pagekin.stages.pairs.stripe_codec import pack_stripes, split_stripes
from pagekin.stages.pairs.reducer import make_edges
from pagekin.config import CocitationConfig
from pagekin.counters import Counters
from pagekin.counters import peak_memory

COUNT, WIDTH, KIND = int(sys.argv[1]), 12, sys.argv[2]
# the page itself stands at place 4 of 13, so that all are near
NONE, LOW, HIGH = (np.array(x) for x in ([], [0], [WIDTH + 1]))
ONE_LINK = Alike(4, LOW, HIGH, LOW, NONE, NONE, np.array([WIDTH]), 0)
SAME = np.arange(1, WIDTH + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
_, [FACTS], _ = split_stripes(pack_stripes(ONE_LINK, np.insert(SAME, 4, 1), [b"d.example a"]))

def stripes():
    chance = np.random.default_rng(1)
    for k in range(0, COUNT, 1000):
        hashes = chance.integers(1, 1 << 63, (1000, WIDTH + 1), dtype=np.uint64)
        hashes[:, :2] = SAME[:2]
        if KIND == "same":
            hashes = np.tile(np.insert(SAME, 4, 1), (1000, 1))
        for j in range(1000):
            domain = 7 if KIND == "one domain" else k + j
            group = b"d%07d.example anchor %07d" % (domain, k + j)
            partners = b64encode(hashes[j].tobytes())
            yield b"http://hot.example/", b"\\x01".join((group, FACTS, partners))

records = make_edges(stripes(), CocitationConfig(threshold=0.5), Counters())
edges = [value.decode() for _, value in records]
edges = [e for e in edges if e[0] != "!"]
print(json.dumps({"edges": sorted(edges), "memory": peak_memory()}))
"""


def merged(count: int, kind: str) -> tuple[list[list[str]], int]:
    """The fields of the edges of a page in so many blocks, and the memory that they took."""
    command = [sys.executable, "-c", HOT, str(count), kind]
    said = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return [edge.split("\x01")[0].split(" ") for edge in said["edges"]], said["memory"]


@pytest.mark.parametrize(
    ("kind", "partners", "total"),
    [("new partners", 2, 1_000_000), ("same", 12, 1_000_000), ("one domain", 2, 10)],
)
def test_a_million_blocks(kind, partners, total):
    """A page of 1,000,000 blocks is merged within 200 MB, whatever the blocks have in common."""
    edges, memory = merged(1_000_000, kind)
    score = round(total / (1 + math.log(1_000_000)) * (1 << 20))
    told = [str(1_000_000), str(1 if total == 10 else 1_000_000)]
    found = [[int(each[0], 16), *each[2:]] for each in edges]
    weak = 1 << 47 if total == 10 else 0
    assert [[weak + (1 << 47) - 1 - score, *told]] * partners == found
    assert memory < 200 << 20
