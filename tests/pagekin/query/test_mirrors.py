"""Answers in which mirrors are folded, against plain loops over all pages and groups."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pagekin import Index
from pagekin.bags.bag import Bag
from pagekin.cocitation.kin_table import Reason, RelatedPage
from pagekin.errors import NotFoundError, UsageError
from pagekin.index.assembling import Mirrors
from pagekin.index.mirror_table import Edge, Group
from pagekin.query.answer import Answer
from pagekin.web.urls import among_hosts, host
from tests.indexes import config_of, make_bag, make_index
from tests.pagekin.query.plain_answers import plain_folding, plain_ranking
from tests.pagekin.query.test_api import (
    ALL,
    BAGS,
    EVERYTHING,
    FULL,
    PLAIN,
    M,
    estimates,
    exact_scores,
    rounded,
    scored,
)

CHANCE = random.Random(4)


def group_of(urls: list[str]) -> Group:
    """Pages that are all mirrors of the first."""
    edges = [Edge(urls[0].encode(), url.encode(), 9000, 9500, 9400) for url in urls[1:]]
    return Group([url.encode() for url in urls], edges, 9000, 8000, 2)


def some_groups() -> list[list[str]]:
    """Pages that were read, dealt to groups; the others are alone."""
    urls = [bag.url for bag in FULL if bag.crawled]
    CHANCE.shuffle(urls)
    groups = []
    for size in (2, 2, 2, 3, 3, 4, 6, 9, 14):
        first, *rest = urls[:size]
        groups.append([first, *sorted(rest)])
        urls = urls[size:]
    return groups


GROUPS = some_groups()
OF_PAGE = {url: number for number, group in enumerate(GROUPS) for url in group}
MIRRORS = Mirrors([*map(group_of, GROUPS)], [])
BY_URL = {bag.url: bag for bag in BAGS}


def kin_lists() -> dict[str, list[RelatedPage]]:
    """Kin by co-citation of all pages, some of them weak, some known by nothing else."""
    urls = [*BY_URL, *(f"http://cited.example/{k}" for k in range(9))]
    lists = {}
    for url in urls:
        others = CHANCE.sample([other for other in urls if other != url], CHANCE.randrange(9))
        lists[url] = [
            RelatedPage(
                *(other, CHANCE.randrange(1, 40) / 8, 2, CHANCE.choice([1, 2, 3])),
                (Reason("x.example", "kin", 1.0),),
            )
            for other in others
        ]
        lists[url].sort(key=lambda edge: (edge.domains == 1, -edge.score, edge.url))
    return lists


LISTS = kin_lists()


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> list[Index]:
    """One set of documents, groups and kin in 1, 4 and 64 shards."""
    base = tmp_path_factory.mktemp("mirrors")
    return [
        Index(make_index(base / f"{n}", BAGS, config_of(n, M), kin=LISTS, mirrors=MIRRORS))
        for n in (1, 4, 64)
    ]


@pytest.fixture(scope="module")
def index(indexes: list[Index]) -> Index:
    return indexes[1]


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The same without groups."""
    folder = tmp_path_factory.mktemp("without") / "index"
    return Index(make_index(folder, BAGS, config_of(4, M), kin=LISTS))


MEMBER = GROUPS[4][2]
ALONE = next(bag.url for bag in FULL if bag.url not in OF_PAGE and bag.crawled)
QUESTIONS: dict[str, tuple[list[str], list[str]]] = {
    "alone": ([ALONE], []),
    "a representative": ([GROUPS[8][0]], []),
    "a member": ([MEMBER], []),
    "several": ([GROUPS[7][3], ALONE, GROUPS[5][0]], []),
    "two of one group": ([GROUPS[7][1], GROUPS[7][2]], []),
    "unlike a member": ([ALONE], [GROUPS[8][5]]),
    "like and unlike mirrors": ([GROUPS[6][1]], [GROUPS[6][2]]),
}
HOWS: dict[str, dict[str, Any]] = {
    "all": {},
    "few": {"k": 4},
    "alpha": {"alpha": 0.15},
    "hosts": {"exclude_hosts": ["a.example", "c.example"]},
}


def bags_of(urls: list[str]) -> list[Bag]:
    """The bags that are asked for: of mirrors that of the page that stands for them."""
    return [BY_URL[GROUPS[OF_PAGE[url]][0] if url in OF_PAGE else url] for url in urls]


def standing(
    guessed: dict[str, float], like: list[str], unlike: list[str], how: dict[str, Any]
) -> set[str]:
    asked = {OF_PAGE[url] for url in (*like, *unlike) if url in OF_PAGE}
    excluded = among_hosts(how.get("exclude_hosts", ()))
    allowed = {url: score for url, score in guessed.items() if not excluded(host(url))}
    return plain_folding(allowed, GROUPS, asked)


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("how", HOWS.values(), ids=HOWS)
@pytest.mark.parametrize("exact", [True, False])
def test_twin(indexes, name, how, exact):
    """Of each group the best by signatures is ranked, none of the groups that are asked for; asked
    for is the page that stands for the group."""
    like, unlike = QUESTIONS[name]
    bags, others = bags_of(like), bags_of(unlike)
    guessed = estimates(indexes[0], bags, others)
    allowed = standing(guessed, like, unlike, how)
    scores = exact_scores(indexes[0], bags, others) if exact else guessed
    most, alpha = how.get("k", 1000), how.get("alpha", 0.0)
    expected = plain_ranking({url: scores[url] for url in allowed}, most, alpha=alpha)
    for index in indexes:
        ask = {**EVERYTHING, **how, "exact": exact, "unlike": unlike}
        answer = index.related(like, **{"k": 1000, **ask})
        assert rounded(expected) == rounded(scored(answer))
        assert [len(GROUPS[OF_PAGE[u]]) - 1 if u in OF_PAGE else 0 for u in map(url, answer)] == [
            kin.mirrors for kin in answer
        ]
        heads = {url: GROUPS[number][0] for url, number in OF_PAGE.items()}
        assert [heads.get(kin.url, kin.url) for kin in answer] == [
            kin.mirror_of or kin.url for kin in answer
        ]


def url(kin: Any) -> str:
    return str(kin.url)


@pytest.mark.parametrize("by", ["bags", "cocitation", "both"])
@pytest.mark.parametrize("group", [0, 4, 7])
def test_any_member_asks_for_the_group(indexes, by, group):
    """All members have the same answer, and are told apart in what was asked."""
    for index in indexes:
        first = index.related(GROUPS[group][0], by=by, why=True)
        assert first
        for member in GROUPS[group][1:]:
            other = index.related(member, by=by, why=True)
            assert list(first) == list(other)
            (asked,) = other.asked
            assert (member, GROUPS[group][0]) == (asked.url, asked.mirror_of)
            assert other.notes()[0].startswith(f"{member} has {len(GROUPS[group]) - 1} mirrors")
        assert [""] == [page.mirror_of for page in first.asked]


OPTIONS = [
    *({}, {"k": 40}, {"per_host": 1}, {"per_host": 0}, {"read": "only"}, {"read": "any"}),
    *({"exact": False}, {"budget": 20}, {"candidates": 3}, {"alpha": 0.0}),
    *({"unlike": MEMBER}, {"exclude_hosts": ["b.example"]}),
]


@pytest.mark.parametrize("by", ["bags", "cocitation", "both"])
def test_no_two_of_one_group(indexes, by):
    """Whatever is asked, and however: no two answers belong to one group, and none to one that was
    asked for."""
    met: Counter[int] = Counter()
    for index, how in product(indexes[:2], OPTIONS):
        for bag in BAGS[::5]:
            answer = index.related(bag.url, **{"by": by, **how})
            groups = [OF_PAGE[kin.url] for kin in answer if kin.url in OF_PAGE]
            asked = [page for page in (bag.url, how.get("unlike")) if page in OF_PAGE]
            assert len(groups) == len({*groups} - {OF_PAGE[page] for page in asked})
            met.update(groups)
    assert met.keys() >= {3, 4, 5, 6, 7, 8}


@pytest.mark.parametrize("by", ["bags", "cocitation", "both"])
@pytest.mark.parametrize("how", OPTIONS, ids=str)
def test_shown(index, without, by, how):
    """Shown mirrors are answers as if there were no groups, each with the number of the others."""
    for bag in BAGS[::17]:
        ask = {"by": by, **how}
        answer = index.related(bag.url, **ask, mirrors="show")
        plain = without.related(bag.url, **ask)
        assert scored(plain) == scored(answer)
        assert plain.notes() == answer.notes()
        expected = [len(GROUPS[OF_PAGE[k.url]]) - 1 if k.url in OF_PAGE else 0 for k in answer]
        assert expected == [kin.mirrors for kin in answer]
        assert {0} >= {kin.mirrors for kin in plain}


@pytest.mark.parametrize("by", ["bags", "cocitation"])
def test_only(indexes, by):
    """The mirrors of the page itself, ranked as they are among all pages, and no others."""
    sizes = set()
    for index in indexes:
        for page in (*GROUPS[8], MEMBER, ALONE):
            ask = {**EVERYTHING, "by": by}
            every = index.related(page, 1000, **ask, mirrors="show")
            own = set(GROUPS[OF_PAGE[page]]) if page in OF_PAGE else set()
            expected = [pair for pair in scored(every) if pair[0] in own]
            answer = index.related(page, 1000, **ask, mirrors="only")
            assert expected == scored(answer)
            sizes.add(len(answer))
            assert bool(own) == (f"{page} has no mirrors" not in answer.notes())
    assert max(sizes) > 1


def test_only_by_both(indexes):
    """All mirrors that one of the two orders has, by the ranks that they have among themselves."""
    for index in indexes:
        for page in GROUPS[8]:
            ask = {**EVERYTHING, "mirrors": "only"}
            orders = [index.related(page, 1000, by=by, **ask) for by in ("bags", "cocitation")]
            ranks: dict[str, float] = {}
            for order in orders:
                for rank, kin in enumerate(order, 1):
                    ranks[kin.url] = ranks.get(kin.url, 0.0) + 1 / (60 + rank)
            merged = [(other, round(score, 12)) for other, score in ranks.items()]
            expected = sorted(merged, key=lambda pair: (-pair[1], pair[0]))
            assert expected == scored(index.related(page, 1000, by="both", **ask))


def cited_twin(like: list[str], unlike: list[str]) -> list[tuple[str, float, bool]]:
    """Kin by co-citation, mean totals of the groups that are asked for, folded."""

    def totals(page: str) -> dict[str, tuple[float, bool]]:
        members = GROUPS[OF_PAGE[page]] if page in OF_PAGE else [page]
        best: dict[str, tuple[float, bool]] = {}
        for edge in (edge for member in members for edge in LISTS.get(member, [])):
            if edge.url not in best or edge.score > best[edge.url][0]:
                best[edge.url] = edge.score, edge.domains == 1
        return best

    score: Counter[str] = Counter()
    strong, met = set(), set()
    for sign, pages in ((1, like), (-1, unlike)):
        for page in pages:
            for other, (total, is_weak) in totals(page).items():
                score[other] += sign * total / len(pages)
                if sign > 0:
                    met.add(other)
                    strong.update([] if is_weak else [other])
    asked = {OF_PAGE.get(page, page) for page in (*like, *unlike)}
    told, seen = [], set()
    for other in sorted(met, key=lambda u: (u not in strong, -round(score[u], 12), u)):
        group = OF_PAGE.get(other, other)
        if round(score[other], 12) > 0 and group not in asked and group not in seen:
            told.append((other, round(score[other], 12), other not in strong))
            seen.add(group)
    return told


@pytest.mark.parametrize("name", QUESTIONS)
def test_cited_twin(indexes, name):
    """By co-citation, too, mirrors are one answer, and one question: of kin that several mirrors
    have the best total counts."""
    like, unlike = QUESTIONS[name]
    expected = cited_twin(like, unlike)
    assert bool(expected) == (name != "like and unlike mirrors")
    for index in indexes:
        answer = index.related(like, 1000, by="cocitation", unlike=unlike, read="any", per_host=0)
        assert expected == [(kin.url, kin.score, kin.weak) for kin in answer]


@pytest.mark.parametrize("name", QUESTIONS)
def test_both_twin(indexes, name):
    """Ranks of a group in both orders are added, whichever of its members each of them met; it has
    the URL that bags have."""
    like, unlike = QUESTIONS[name]
    for index in indexes:
        by_bags = index.related(like, 1000, unlike=unlike, **EVERYTHING)
        ranks: dict[Any, float] = {}
        names: dict[Any, str] = {}
        cited = [url for url, _, _ in cited_twin(like, unlike)]
        for order in ([kin.url for kin in by_bags], cited):
            for rank, page in enumerate(order, 1):
                group = OF_PAGE.get(page, page)
                names.setdefault(group, page)
                ranks[group] = ranks.get(group, 0.0) + 1 / (60 + rank)
        merged = [(names[group], round(score, 12)) for group, score in ranks.items()]
        expected = sorted(merged, key=lambda pair: (-pair[1], pair[0]))
        answer = index.related(like, 1000, by="both", unlike=unlike, **EVERYTHING)
        assert expected == scored(answer)


@pytest.mark.parametrize("how", [{}, {"mirrors": "show"}, {"mirrors": "only"}, {"k": 3}, PLAIN])
def test_each_twin(index, how):
    """`related_each` has the answers of `related`, with the page that was asked for."""
    urls = [bag.url for bag in BAGS[::3]]
    for page, answer in zip(urls, index.related_each(urls, **how), strict=True):
        expected = index.related(page, **how)
        assert expected == answer
        assert vars(expected) == vars(answer)
        assert page == answer.as_dict()["url"]


def test_many_copies_hide_nobody(tmp_path):
    """Where lists are left out, too: a thousand copies of one page take one place among those that
    are counted exactly."""
    asked = make_bag("http://asked.example/", {20: 1, 30: 1, 31: 1})
    copies = [make_bag(f"http://copy.example/{k:04d}", {20: 1, 30: 1}) for k in range(1500)]
    others = [make_bag(f"http://other.example/{k}", {20: 1, 40: 2}) for k in range(5)]
    groups = Mirrors([group_of([bag.url for bag in copies])], [])
    bags = [asked, *copies, *others]
    index = Index(make_index(tmp_path / "index", bags, config_of(1, 80), mirrors=groups))
    expected = [copies[0].url, *(bag.url for bag in others)]
    answer = index.related(asked.url, budget=20_000, candidates=5)
    assert (True, expected) == (answer.capped > 0, [kin.url for kin in answer])
    assert 1499 == answer[0].mirrors
    assert expected == [kin.url for kin in index.related(asked.url, budget=ALL, exact=False)]


def test_hosts(tmp_path):
    """A page of an excluded host does not stand for its group: another one does."""
    words = {20: 1.0, 30: 1.0}
    urls = ["http://a.example/", "http://b.example/", "http://c.example/"]
    bags = [make_bag(page, words) for page in ("http://asked.example/", *urls)]
    groups = Mirrors([group_of(urls)], [])
    index = Index(make_index(tmp_path / "index", bags, config_of(3, 80), mirrors=groups))

    def found(**how: Any) -> list[str]:
        return [kin.url for kin in index.related("asked.example", **how)]

    assert urls[:1] == found()
    assert urls[1:2] == found(exclude_hosts="a.example")
    assert urls[2:] == found(exclude_hosts=["a.example", "b.example"], exact=False)
    assert [] == found(exclude_hosts="example")


def test_refused(index, without):
    """A word that says nothing is refused, and so is asking for mirrors where none are known."""
    with pytest.raises(UsageError, match=r"^mirrors is 'no'; it takes one of fold, show, only$"):
        index.related(ALONE, mirrors="no")
    with pytest.raises(NotFoundError, match="has no groups of mirrors; `pagekin build` makes them"):
        without.related(ALONE, mirrors="only")
    assert scored(without.related(ALONE)) == scored(without.related(ALONE, mirrors="show"))


def test_answer_is_a_list(index):
    """Plain values have the mirrors of each."""
    answer: Answer = index.related(ALONE, 40)
    told = {kin["url"]: kin["mirrors"] for kin in answer.as_dict()["related"]}
    assert {kin.url: kin.mirrors for kin in answer} == told
    assert any(told.values())


def test_paths(tmp_path: Path):
    """Groups of an index travel with it."""
    path = make_index(tmp_path / "index", BAGS, config_of(2, M), mirrors=MIRRORS)
    moved = path.rename(tmp_path / "moved")
    assert any(kin.mirrors for kin in Index(moved).related(ALONE, 40))
