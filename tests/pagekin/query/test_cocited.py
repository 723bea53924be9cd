"""Asking by co-citation, and by both: hand-computed answers, their reasons, and what is refused."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin import Index
from pagekin.cocitation.kin_table import Reason, RelatedPage
from pagekin.errors import NotFoundError, UsageError
from pagekin.index.folder import IndexFolder
from pagekin.query.answer import Admission, Citing, admitted
from pagekin.query.cocited import KinTables, citing, fuse, rank_cited
from tests.indexes import config_of, make_bag, make_index

A, B, C, D = (f"http://{name}.example/" for name in "abcd")
SUB = "http://sub.b.example/"
ONLY = "http://only.example/kin"  # no document
ALIASES = [(b"http://old.example/", A.encode()), (b"http://moved.example/", ONLY.encode())]

BAGS = [
    make_bag(A, {20: 1, 30: 1}, 3),
    make_bag(B, {20: 1, 30: 1}, 1),
    make_bag(C, {20: 1, 40: 1}, 2, crawled=False),
    make_bag(D, {50: 1}),
]


def kin(url: str, score: float, blocks: int = 1, *reasons: Reason) -> RelatedPage:
    """Two domains vouch for it at least."""
    return RelatedPage(url, score, blocks, max(len(reasons), 2), reasons)


def weak(url: str, score: float) -> RelatedPage:
    return RelatedPage(url, score, 1, 1, (Reason("w.example", "", score),))


CITES = (Reason("x.example", "one b", 10.0), Reason("y.example", "", 2.5))
LISTS = {
    A: [kin(B, 4.0, 7, *CITES), kin(SUB, 3.0), kin(ONLY, 2.0), kin(C, 1.0)],
    B: [kin(ONLY, 5.0, 2, Reason("z.example", "kin", 1.0)), kin(A, 4.5)],
    ONLY: [kin(C, 6.0), kin(A, 5.5)],
}


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> list[Index]:
    """One set of documents and kin in 1 and 4 shards."""
    base = tmp_path_factory.mktemp("cited")
    return [
        Index.open(make_index(base / f"{n}", BAGS, config_of(n, 24), aliases=ALIASES, kin=LISTS))
        for n in (1, 4)
    ]


@pytest.fixture(scope="module", params=[0, 1])
def index(request: pytest.FixtureRequest, indexes: list[Index]) -> Index:
    """The answers are the same for 1 and 4 shards."""
    return indexes[request.param]


def scored(answer) -> list[tuple[str, float]]:
    return [(one.url, one.score) for one in answer]


# --- the parts ---


def test_rank_cited_of_one():
    """Of one page the answers are its kin with their TS, without itself; equal ones by URL."""
    found = rank_cited([[kin(B, 1.0), kin(A, 9.0), kin(D, 2.0), kin(C, 2.0)]], [], [A])
    assert [(C, 2.0), (D, 2.0), (B, 1.0)] == [(one.url, one.score) for one in found]


def test_rank_cited_of_several():
    """The mean of several, less the mean of those to be unlike; what is left must be above 0."""
    like = [[kin(C, 4.0), kin(D, 1.0)], [kin(C, 2.0), kin(ONLY, 3.0)]]
    unlike = [[kin(D, 1.0), kin(C, 0.5)], [kin(SUB, 9.0)]]
    found = rank_cited(like, unlike, [A, B])
    assert [(C, 2.75), (ONLY, 1.5)] == [(one.url, one.score) for one in found]
    assert [4.0, 2.0] == [edge.score for edge in found[0].edges]


def test_fuse():
    """1 / (60 + rank) of each order, added; equal sums by URL."""
    assert [] == fuse([[], []])
    assert [
        ("b", round(1 / 62 + 1 / 61, 12)),
        ("a", round(1 / 61, 12)),
        ("c", round(1 / 62, 12)),
    ] == fuse([["a", "b"], ["b", "c"]])
    assert [("a", round(1 / 61, 12)), ("b", round(1 / 61, 12))] == fuse([["b"], ["a"]])


@given(st.lists(st.permutations("abcde"), max_size=3))
def test_fuse_knows_no_order_of_orders(orders):
    """Which order comes first is irrelevant."""
    assert fuse(orders) == fuse(orders[::-1])


def test_admitted():
    """Excluded hosts take what is below them along; of the others so many of each host, and more
    behind them if they fill up; files and queries are left out where only pages are wanted."""

    def of(urls: list[str], most: int = 9, **how: object) -> list[str]:
        return admitted(urls, str, Admission(**how), most)

    urls = [B, SUB, f"{B}2", C, f"{B}3", "http://xb.example/"]
    assert [C, "http://xb.example/"] == of(urls, excluded=["B.example"])
    assert [B, SUB, C, "http://xb.example/"] == of(urls, per_host=1)
    assert [*of(urls, per_host=1), f"{B}2", f"{B}3"] == of(urls, per_host=1, fills=True)
    assert [*of(urls, per_host=1), f"{B}2"] == of(urls, 5, per_host=1, fills=True)
    assert (urls, urls[:2]) == (of(urls), of(urls, 2))
    files = [f"{B}arial.exe", f"{B}a.ZIP", f"{B}page.html", f"{B}page?id=1", f"{B}v1.0/"]
    assert [files[2], files[4]] == of(files, pages_only=True)
    assert files == of(files)


def test_admitted_by_turns():
    """What earlier calls took of a host counts."""
    taken = Counter({"b.example": 1})
    assert [C] == admitted([B, C], str, Admission(1), 9, taken)
    assert [C, B] == admitted([B, C], str, Admission(2, fills=True), 9, taken)


def test_citing():
    """Each domain's capped sum, over 1 + ln of the blocks, the heaviest first."""
    (one,) = rank_cited([[kin(B, 4.0, 7, *CITES[::-1])]], [], [A])
    share = 1 + math.log(7)
    assert [
        Citing("x.example", "one b", 10.0, round(10 / share, 6)),
        Citing("y.example", "", 2.5, round(2.5 / share, 6)),
    ] == citing(one)


# --- by co-citation ---


def test_by_cocitation(index):
    """The list of the page as the table has it, whether its kin are documents or not."""
    answer = index.related(A, by="cocitation")
    assert [(B, 4.0), (SUB, 3.0), (ONLY, 2.0), (C, 1.0)] == scored(answer)
    assert [1, 0, 0, 2] == [one.inlinks for one in answer]
    assert {(None, None, None)} == {(one.estimate, one.exact, one.why) for one in answer}
    assert ("cocitation", 4, []) == (answer.by, answer.candidates, answer.notes())
    assert [(B, 4.0)] == scored(index.related(A, 1, by="cocitation"))


@pytest.mark.parametrize("url", ["old.example", "HTTP://A.example:80", A])
def test_spellings_and_aliases(index, url):
    """A page may be asked for in any spelling, and by what was redirected to it."""
    answer = index.related(url, by="cocitation")
    assert [A] == [page.url for page in answer.asked]
    assert scored(index.related(A, by="cocitation")) == scored(answer)


@pytest.mark.parametrize("url", [ONLY, "moved.example"])
def test_page_of_the_table_alone(index, url):
    """A page that is no document has kin all the same, and what is not known of it is not told."""
    answer = index.related(url, by="cocitation", why=True)
    assert [(A, 5.5), (C, 6.0)] == scored(answer)
    assert [(A, 5.5), (C, 6.0)][::-1] == scored(index.related(url, by="cocitation", read="any"))
    assert [(ONLY, False, 0, 0)] == [(p.url, p.crawled, p.inlinks, p.terms) for p in answer.asked]
    assert [[], []] == [one.why.terms for one in answer]
    assert [] == answer.notes()
    for ask in (index.related, index.get):
        with pytest.raises(NotFoundError, match=f"^{ONLY} has no bag; ask by cocitation"):
            ask(url)


def test_document_without_kin(index):
    """A document that nobody cites beside others has an empty answer, and is told why."""
    answer = index.related(D, by="cocitation")
    assert ([], [D]) == (list(answer), [page.url for page in answer.asked])
    (said,) = answer.notes()
    assert said.startswith("no page reached the threshold of co-citation beside it")


def test_several(index):
    """Several pages are one question: mean TS, without those asked for."""
    answer = index.related([A, B], by="cocitation")
    assert [(ONLY, 3.5), (SUB, 1.5), (C, 0.5)] == scored(answer)
    assert [A, B] == [page.url for page in answer.asked]
    assert scored(answer) == scored(index.related([B, A], by="cocitation"))


def test_unlike(index):
    """What is cited with the page to be unlike loses; that page is no answer."""
    answer = index.related(A, by="cocitation", unlike=ONLY)
    assert [(B, 4.0), (SUB, 3.0)] == scored(answer)


def test_hosts(index):
    """Hosts may be excluded with what is below them, or take few places."""
    answer = index.related(A, by="cocitation", exclude_hosts="b.example")
    assert [ONLY, C] == [one.url for one in answer]
    answer = index.related(A, by="cocitation", exclude_hosts=["c.example", "only.example"])
    assert [B, SUB] == [one.url for one in answer]


def test_per_host(tmp_path):
    """Of one host so many, the best, and others move up."""
    lists = {A: [kin(f"{B}{k}", 9.0 - k) for k in range(4)] + [kin(C, 1.0)]}
    index = Index.open(make_index(tmp_path / "index", BAGS, kin=lists))
    answer = index.related(A, 3, by="cocitation", per_host=2)
    assert [f"{B}0", f"{B}1", C] == [one.url for one in answer]


def test_why(index):
    """Who cites both, with which anchor text, and what each adds to the total."""
    first, _, third, _ = index.related(A, by="cocitation", why=True)
    share = 1 + math.log(7)
    assert [
        Citing("x.example", "one b", 10.0, round(10 / share, 6)),
        Citing("y.example", "", 2.5, round(2.5 / share, 6)),
    ] == first.why.citing
    assert (2, 7, 0, []) == (
        *(first.why.citing_domains, first.why.blocks),
        *(first.why.inlinks, first.why.terms),
    )
    assert ([], 2, 1) == (third.why.citing, third.why.citing_domains, third.why.blocks)


@pytest.mark.parametrize("by", ["cocitation", "both"])
def test_looked_up_once(index, monkeypatch, by):
    """The page that is asked for is looked up once: as a document, and in the table."""
    seen: list[tuple[str, str]] = []
    for owner, name in ((IndexFolder, "find"), (KinTables, "edges")):
        real = getattr(owner, name)

        def noted(self, url, real=real, name=name):
            seen.append((name, url))
            return real(self, url)

        monkeypatch.setattr(owner, name, noted)
    assert index.related(A, by=by)
    assert [("find", A), ("edges", A)] == [one for one in seen if one[1] == A]


# --- by both ---


def test_by_both(index):
    """Ranks of both orders are added; of those that bags know estimate and exact are told."""
    bags = index.related(A)
    assert [B, C] == [one.url for one in bags]
    answer = index.related(A, by="both", read="any")
    expected = [
        (B, round(1 / 61 + 1 / 61, 12)),
        (C, round(1 / 62 + 1 / 64, 12)),
        (SUB, round(1 / 62, 12)),
        (ONLY, round(1 / 63, 12)),
    ]
    assert expected == scored(answer)
    assert [(one.estimate, one.exact) for one in bags] == [
        (one.estimate, one.exact) for one in answer[:2]
    ]
    assert [(None, None)] * 2 == [(one.estimate, one.exact) for one in answer[2:]]
    assert ("both", bags.candidates + 4) == (answer.by, answer.candidates)


def test_by_both_without_exact(index):
    """Counted signatures may rank the bags here, too."""
    answer = index.related(A, by="both", exact=False)
    assert {None} == {one.exact for one in answer}
    assert index.related(A, exact=False)[0].estimate == answer[0].estimate


def test_by_both_of_one_alone(index):
    """Who has one of the two has the answers of this one: a page of the table, a page of bags."""
    assert [(C, round(1 / 61, 12)), (A, round(1 / 62, 12))] == scored(
        index.related(ONLY, by="both", read="any")
    )
    answer = index.related(ONLY, by="both", read="any")
    assert [f"{ONLY} has an empty bag, and so no kin by bags"] == answer.notes()
    by_bags = index.related(C, by="both")
    assert by_bags
    assert by_bags.notes()[-1].endswith("the answers are by bags alone")
    nothing = index.related(D, by="both")
    assert [] == nothing
    assert not nothing.notes()[0].endswith("alone")


def test_by_both_without_hosts(index):
    """Excluded hosts take no rank in either order."""
    answer = index.related(A, by="both", exclude_hosts="b.example")
    assert [
        (C, round(1 / 61 + 1 / 62, 12)),
        (ONLY, round(1 / 61, 12)),
    ] == scored(answer)


def test_by_both_per_host(tmp_path):
    """Ranks are those of the full orders: a page that a limit takes away keeps its rank."""
    weights = {A: {20: 1, 30: 1}, B: {20: 1, 30: 1}, f"{B}2": {20: 2, 30: 1}, C: {20: 1, 40: 3}}
    bags = [make_bag(url, some) for url, some in weights.items()]
    index = Index.open(make_index(tmp_path / "index", bags, config_of(1, 80)))
    assert [B, f"{B}2", C] == [one.url for one in index.related(A, by="both")]
    answer = index.related(A, by="both", per_host=1)
    assert [(B, round(1 / 61, 12)), (C, round(1 / 63, 12))] == scored(answer)


def test_by_both_why(index):
    """Terms and citing domains, each where there are any."""
    first, second, third, _ = index.related(A, by="both", why=True)
    assert ["word20", "word30"] == [term.display for term in first.why.terms]
    assert ["x.example", "y.example"] == [one.domain for one in first.why.citing]
    assert ["word20"] == [term.display for term in second.why.terms]
    assert (SUB, [], 2) == (third.url, third.why.terms, third.why.citing_domains)


# --- weak kin ---


@pytest.fixture(scope="module")
def doubtful(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Pages for which one domain vouches, with the highest totals."""
    lists = {A: [kin(SUB, 1.0), weak(B, 9.0), weak(ONLY, 3.0)], B: [weak(ONLY, 2.0), kin(SUB, 1)]}
    return Index.open(make_index(tmp_path_factory.mktemp("weak") / "index", BAGS, kin=lists))


def test_weak_kin_come_last(doubtful):
    """However high their totals are; text, JSON and Python call them weak."""
    answer = doubtful.related(A, by="cocitation")
    assert [(SUB, 1.0), (B, 9.0), (ONLY, 3.0)] == scored(answer)
    assert [False, True, True] == [one.weak for one in answer]
    assert [False, True, True] == [one.as_dict()["weak"] for one in answer]


def test_weak_beside_one_of_several_pages(doubtful):
    """A page is weak if it is so beside each page that is asked for."""
    answer = doubtful.related([A, B], by="cocitation")
    assert [(SUB, 1.0, False), (ONLY, 2.5, True)] == [(k.url, k.score, k.weak) for k in answer]


def test_weak_by_both(doubtful):
    """Who has a similar bag, too, is not weak; the others come behind kin of several domains."""
    answer = doubtful.related(A, by="both")
    assert [(B, False), (C, False), (SUB, False), (ONLY, True)] == [(k.url, k.weak) for k in answer]
    assert {False} == {one.weak for one in doubtful.related(A)}


# --- what is refused ---


@pytest.mark.parametrize("by", ["cocitation", "both"])
def test_not_found(index, by):
    """An unknown page is told, with the documents near it; pages of the table alone are found in
    any spelling."""
    with pytest.raises(NotFoundError, match=r"^http://nobody\.example/ is not in the index$"):
        index.related("nobody.example", by=by)
    assert [ONLY] == [page.url for page in index.related("https://only.example/kin", by=by).asked]
    assert [A] == [page.url for page in index.related("https://www.a.example/", by=by).asked]
    with pytest.raises(NotFoundError, match=f"near it are {A}"):
        index.related([B, "http://aa.example/"], by=by)
    with pytest.raises(NotFoundError, match="nobody"):
        index.related(A, by=by, unlike="nobody.example")
    with pytest.raises(UsageError, match="is no web address"):
        index.related("mailto:x@y.example", by=by)


# --- what can be asked for ---


def test_urls(indexes):
    """Documents by bags; by co-citation also pages of the table alone, in the order of the URLs."""
    one, four = indexes
    assert [A, B, C, D] == list(one.urls(0))
    assert sorted([A, B, C, D, ONLY]) == one.urls(0, "cocitation") == one.urls(0, "both")
    assert one.urls(0, "both") == sorted(url for k in range(4) for url in four.urls(k, "both"))


def test_no_table(tmp_path: Path):
    """An index without kin has documents, and they have none."""
    index = Index.open(make_index(tmp_path / "index", BAGS))
    assert [] == index.related(A, by="cocitation")
    assert [B, C] == [one.url for one in index.related(A, by="both")]


# --- pages that were read ---


def test_read_pages_alone(index):
    """With `read` only neither pages known by links alone nor those that no bag is made of are
    answers, by co-citation and by both; the others move up."""
    cited = index.related(A, by="cocitation", read="only")
    assert [(B, 4.0)] == scored(cited)
    assert 4 == cited.candidates
    assert [(A, 4.5)] == scored(index.related(B, by="cocitation", read="only"))
    (first,) = index.related(A, by="both", read="only")
    assert (B, round(2 / 61, 12)) == (first.url, first.score)
    assert [(A, round(2 / 61, 12))] == scored(index.related(B, by="both", read="only"))
    assert [A] == [one.url for one in index.related(ONLY, by="both", read="only")]
    assert [] == index.related(ONLY, by="cocitation", read="only", exclude_hosts="a.example")


@pytest.mark.parametrize("by", ["cocitation", "both"])
def test_read_pages_first(index, by):
    """Pages that were read come first; of the others those follow that look like pages. By both
    each of the two has ranks of its own."""
    answer = index.related(A, by=by)
    assert [True, False, False, False] == [one.read for one in answer]
    rest = [one.url for one in index.related(A, by=by, read="any") if one.url != B]
    assert rest == [one.url for one in answer][1:]
    assert [one.url for one in answer][:2] == [one.url for one in index.related(A, 2, by=by)]


def test_files(tmp_path):
    """A file is cited, too, but it is no page."""
    lists = {A: [kin("http://x.example/a.zip", 9.0), kin(ONLY, 2.0)]}
    index = Index(make_index(tmp_path / "index", BAGS, kin=lists))
    assert [ONLY] == [one.url for one in index.related(A, by="cocitation")]
    assert ONLY in [one.url for one in index.related(A, by="both")]
    assert ["http://x.example/a.zip", ONLY] == [
        one.url for one in index.related(A, by="cocitation", read="any")
    ]


def test_more_of_a_host_behind(tmp_path):
    """By default 3 of a host come before other hosts, and the others behind them."""
    lists = {A: [kin(f"{B}{k}", 9.0 - k) for k in range(5)] + [kin(C, 1.0)]}
    index = Index(make_index(tmp_path / "index", BAGS, kin=lists))
    expected = [f"{B}0", f"{B}1", f"{B}2", C, f"{B}3", f"{B}4"]
    assert expected == [one.url for one in index.related(A, by="cocitation")]
    assert expected[:4] == [one.url for one in index.related(A, by="cocitation", per_host=3)]
