"""`Index`: an index, open to be asked.

    from pagekin import Index

    with Index("crawl.index") as index:
        for kin in index.related("http://example.org/", k=5):
            print(kin.score, kin.url)

Files are mapped and nothing is written, so an index may be shared by threads. Processes get its
path and open it themselves: that is what pickling it does.

All files are opened at once. Where another index takes its place (a build renames it) an Index
stays what it was; who opens it again gets the new one. Files that somebody overwrites in place are
noticed before each question and after it: InputError.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from pagekin.authority.table import SCORES
from pagekin.bags.bag import Bag, describe_bag
from pagekin.cocitation.kin_table import RelatedPage
from pagekin.enrich.neighbours import Neighbours
from pagekin.errors import NotFoundError, UsageError
from pagekin.index.folder import AUTHORITY, NEIGHBOURS, TOPICS, IndexFolder, Place
from pagekin.index.mirror_table import MirrorTable, Spot
from pagekin.index.shard import Shard
from pagekin.index.verify import verify_files
from pagekin.query.answer import Answer, Asked, Kin, Why, admitted, asked_page, reasons_by_bags
from pagekin.query.authority import score_table
from pagekin.query.candidates import Counted
from pagekin.query.cocited import Cited, KinTables, citing, fuse, rank_cited
from pagekin.query.known_pages import KnownPage, known_page, known_pages
from pagekin.query.preferring import authority_weight, in_preferred_order
from pagekin.query.ranking import (
    FLOOR,
    READ,
    Question,
    Ranked,
    make_question,
    rank,
    rank_each,
    rank_some,
)
from pagekin.tables import UNREADABLE, damaged

if TYPE_CHECKING:
    from pagekin.query.authority import BestNodes, PageAuthority
    from pagekin.query.known_mirrors import KnownGroups, PageMirrors
    from pagekin.query.page_topics import KnownTopic, PageTopic, Report
    from pagekin.query.related_words import RelatedWords

__all__ = ["WAYS", "Index"]

WAYS = ("bags", "cocitation", "both")
_CITED_MIRRORS = 16  # of a group whose tables of kin are looked at
_NO_MIRRORS = (
    "has no groups of mirrors; `pagekin build` makes them, unless it is told --without mirrors"
)


class _Page(NamedTuple):
    """A page that is asked for, as co-citation knows it."""

    url: str
    place: Place | None  # of the document, if it is one
    edges: list[RelatedPage]

    @property
    def title(self) -> str:
        return self.place.title if self.place else ""


class Index:
    """The related-pages index in a folder; see `Index.related`.

    InputError says why it cannot be opened. `with` closes it at the end.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._opened: IndexFolder | None = IndexFolder(self._path)
        self._kin_tables: KinTables | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Index:
        """The same as Index(path)."""
        return cls(path)

    def close(self) -> None:
        """Let go of all files. What is asked from now on is a UsageError; a question that another
        thread has begun is still answered."""
        self._opened = self._kin_tables = None

    def __enter__(self) -> Index:
        self._check_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[type[Index], tuple[str]]:
        return type(self), (str(self._path.absolute()),)

    def __repr__(self) -> str:
        state = f"documents={len(self)}, shards={self.shards}" if self._opened else "closed"
        return f"<Index {str(self._path)!r}, {state}>"

    @property
    def _folder(self) -> IndexFolder:
        return self._check_open()

    @property
    def _tables(self) -> KinTables:
        folder = self._folder
        if self._kin_tables is None:
            self._kin_tables = KinTables(folder)
        return self._kin_tables

    @property
    def _neighbours(self) -> Neighbours | None:
        return self._folder.neighbours

    def _check_open(self) -> IndexFolder:
        if self._opened is None:
            raise UsageError(f"{self._path}: this Index was closed; Index(path) opens it again")
        return self._opened

    def __len__(self) -> int:
        """How many documents it holds."""
        return self._folder.header.documents

    @property
    def shards(self) -> int:
        """How many shards it has."""
        return len(self._folder.shards)

    def urls(self, shard: int, by: str = "bags", *, crawled: bool = False) -> Sequence[str]:
        """The URLs of a shard that have an answer `by` bags, or another way, in their order.

        Documents are looked up as they are asked for; pages that only co-citation knows lie between
        them, so all are in memory then. `crawled`: only pages that were read, whatever the way.
        """
        if not 0 <= shard < self.shards:
            raise UsageError(f"there is no shard {shard}; the index has {self.shards}, from 0 on")
        own = self._folder.shards[shard]
        if crawled:
            return _Urls(own, own.crawled(slice(None)).nonzero()[0])
        documents = _Urls(own, range(len(own)))
        if by == "bags":
            return documents
        return sorted({*documents, *self._tables.urls(own)}, key=str.encode)

    def __contains__(self, url: object) -> bool:
        """Is there a document of this URL, in any spelling? If so `get` has its bag."""
        folder = self._folder
        if not isinstance(url, str):
            return False
        try:
            return any(folder.find(form) for form in folder.forms(url))
        except UsageError:  # it is no web address
            return False

    @property
    def path(self) -> Path:
        """Its folder."""
        return self._path

    @property
    def digest(self) -> str:
        """One number for all that is stored: equal indexes have equal ones."""
        return self._folder.header.digest

    def related(
        self,
        url: str | Sequence[str],
        k: int = 10,
        *,
        by: str = "bags",
        exact: bool = True,
        alpha: float = FLOOR,
        unlike: str | Sequence[str] = (),
        per_host: int | None = None,
        exclude_hosts: str | Sequence[str] = (),
        candidates: int = Question.candidates,
        budget: int = Question.budget,
        read: str = "first",
        mirrors: str = "fold",
        prefer: Mapping[str, float] | None = None,
        why: bool = False,
    ) -> Answer:
        """The `k` nearest kin of a page (or of several together), best first.

        by              "bags": pages of similar words; "cocitation": pages that are linked to
                        together on many sites, and behind them, as `weak` kin, those that are so
                        on one site alone; "both": merged by their ranks
        exact           rank the best `candidates` by the true similarity of their bags; without,
                        the order is that of counted signatures
        alpha           leave out what is not more similar than this; 0 shows what is left
        unlike          pages that the answers should be unlike
        per_host        so many answers of one host at the most; 0: any number. By default 3, with
                        more behind them where fewer than k answers would remain
        exclude_hosts   no answers from these hosts and what is below them
        read            "first": pages that were read, and behind them, where fewer than k remain,
                        URLs that are known by links alone (no files, none with a query); "only":
                        pages that were read; "any": all documents in one order
        mirrors         "fold": pages that are copies of one another are one answer, and to ask for
                        one is to ask for all of them; "show": each is asked for and is an answer by
                        itself; "only": the mirrors of the pages that are asked for, and no others
        prefer          {"authority": 0.1}: scores are multiplied by 1 + 0.1 x the standing of a
                        page by its links, from 0 to 1; needs an index with scores of links
        budget          ids read for each page: lists of very common signatures are left out beyond
        why             tell the shared terms of each answer

        NotFoundError names URLs that are near one that is not there.
        """
        if by not in WAYS:
            raise UsageError(f"by is {by!r}; it takes one of {', '.join(WAYS)}")
        asked, against = _listed(url), _listed(unlike)
        if not asked:
            raise UsageError("related needs at least one URL")
        question = make_question(
            k=k,
            exact=exact,
            alpha=alpha,
            per_host=per_host,
            exclude_hosts=exclude_hosts,
            candidates=candidates,
            budget=budget,
            read=read,
            mirrors=mirrors,
        )
        weight = authority_weight(prefer) if prefer else 0.0
        with self._folder.unchanged() as folder:
            question = self._with_mirrors(question)
            if not weight:
                return self._answer(asked, against, question, by, why=why)
            table = score_table(folder)
            wide = replace(question, k=max(question.k, question.candidates), per_host=0)
            answer = self._answer(asked, against, wide, by, why=why)
            try:
                return in_preferred_order(answer, question, weight, table.standing)
            except UNREADABLE as error:
                raise damaged(folder.files[AUTHORITY].path) from error

    def _answer(
        self, like: list[str], unlike: list[str], question: Question, by: str, *, why: bool
    ) -> Answer:
        """The answer by one of WAYS."""
        if by != "bags":
            return self._by_links(like, unlike, question, by, why=why)
        places = list(map(self._document, like))
        stand_ins = [self._stand_in(place, question) for place in places]
        others = [self._stand_in(self._document(each), question) for each in unlike]
        question = replace(question, like=stand_ins, unlike=others)
        ranked = rank(self._folder.shards, question)
        return self._by_bags(places, question, *ranked, why=why)

    def related_each(
        self,
        urls: Iterable[str],
        k: int = 10,
        *,
        by: str = "bags",
        unlike: str | Sequence[str] = (),
        why: bool = False,
        **how: Any,
    ) -> Iterator[Answer]:
        """The kin of each of many pages, as `related` gives them for one, with the same options.

        By bags it takes less CPU. Pages are taken some hundreds at a time; NotFoundError ends the
        answers.
        """
        if by != "bags" or unlike or how.get("prefer"):
            for url in urls:
                yield self.related(url, k, by=by, unlike=unlike, why=why, **how)
            return
        how.pop("prefer", None)
        question = make_question(k=k, **how)
        with self._folder.unchanged() as folder:
            question, asked = self._with_mirrors(question), deque[Place]()

            def stand_in(url: str) -> Place:
                asked.append(self._document(url))
                return self._stand_in(asked[-1], question)

            for page, ranked, counted in rank_each(folder.shards, map(stand_in, urls), question):
                own = replace(question, like=[page])
                answer = self._by_bags([asked.popleft()], own, ranked, counted, why=why)
                folder.check_heads()
                yield answer

    def _with_mirrors(self, question: Question) -> Question:
        """The question with the groups of the index; NotFoundError where it needs some."""
        table = self._mirror_table() if question.mirrors == "only" else self._folder.mirrors
        return question if table is None else replace(question, table=table)

    def _stand_in(self, place: Place, question: Question) -> Place:
        """The page that is asked for in the place of another one: that which stands for its group
        of mirrors.
        """
        if question.table is None or question.mirrors != "fold":
            return place
        group = question.table.group_of(place.spot)
        return place if group < 0 else self._place(question.table.representative(group))

    def _place(self, spot: Spot) -> Place:
        return Place(self._folder.shards[spot.shard], spot.document)

    def _mirrors_of(self, place: Place) -> tuple[int, str]:
        """How many other pages are copies of it; and which one stands for all, if it is another."""
        table = self._folder.mirrors
        group = -1 if table is None else table.group_of(place.spot)
        if table is None or group < 0:
            return 0, ""
        first = table.representative(group)
        return table.size(group) - 1, "" if first == place.spot else self._place(first).url

    def _asked(self, place: Place, asked_for: Place) -> Asked:
        """What is told of a page for which perhaps another one was asked."""
        asked = asked_page(place)
        mirrors, _ = self._mirrors_of(place)
        if not mirrors:
            return asked
        other = "" if place == asked_for else asked_for.url
        return replace(asked, mirrors=mirrors, mirror_of=other)

    def _by_bags(
        self,
        asked: Sequence[Place],
        question: Question,
        ranked: Sequence[Ranked],
        counted: Counted,
        *,
        why: bool,
    ) -> Answer:
        """The answer of what was ranked by bags, for pages that perhaps others stand in for."""
        like = question.like
        answer = Answer(list(map(self._asked, asked, like)), len(counted), counted.capped)
        answer.of_mirrors = question.mirrors == "only"
        for score, estimate, exact, place in ranked:
            told = reasons_by_bags(like, place, self._neighbours) if why else None
            crawled, inlinks, *_ = place.shard.counts(place.document)
            mirrors = self._mirrors_of(place)
            read, title = crawled == 1, place.title
            answer.append(
                Kin(place.url, score, estimate, exact, inlinks, read, told, False, title, *mirrors)
            )
        return answer

    def _by_links(
        self, like: list[str], unlike: list[str], question: Question, by: str, *, why: bool
    ) -> Answer:
        """The answer by co-citation, or by both."""
        places = list(map(self._page, like))
        pages, others = (
            [self._group_of(page, question) for page in some]
            for some in (places, map(self._page, unlike))
        )
        to_pages, to_others = ([page.edges for page in some] for some in (pages, others))
        cited = rank_cited(to_pages, to_others, [page.url for page in (*pages, *others)])
        by_links = {one.url: one for one in cited}
        documents = ([page.place for page in some if page.place] for some in (pages, others))
        folding = question.folding(*documents)
        if folding:
            by_links = {url: by_links[url] for url in folding.urls(by_links, self._folder.find)}
        asked = [
            self._asked(page.place, group.place) if page.place and group.place else Asked(page.url)
            for page, group in zip(places, pages, strict=True)
        ]
        answer = Answer(asked, len(cited), by=by, cited=len(cited))
        answer.of_mirrors = question.mirrors == "only"
        terms = [page.place for page in pages if page.place] if by == "both" else []
        taken: Counter[str] = Counter()
        kinds = (False, True) if by == "cocitation" else (None,)  # weak kin behind all others
        for weak, crawled in product(kinds, READ[question.read]):
            admission = question.admission(crawled)
            urls = (
                url
                for url, one in by_links.items()
                if weak in {None, one.weak} and crawled in {None, self._is_crawled(url)}
            )
            in_order = admitted(urls, str, admission._replace(per_host=0), len(by_links))
            ranked: dict[str, Ranked] = {}
            if by == "cocitation":
                scores = {url: by_links[url].score for url in in_order}
            else:
                ranked, counted = self._ranks(pages, others, question, crawled)
                answer.candidates += len(counted)
                answer.capped = max(answer.capped, counted.capped)
                if folding and not folding.only:
                    named = self._names_by_bags(folding.table, ranked)
                    by_links = {named(url): one for url, one in by_links.items()}
                    in_order = list(map(named, in_order))
                scores = dict(fuse([list(ranked), in_order]))
            for url in admitted(scores, str, admission, question.k - len(answer), taken):
                answer.append(
                    self._kin(url, scores[url], ranked.get(url), by_links.get(url), terms, why=why)
                )
            if len(answer) == question.k:
                break
        return answer

    def _kin(
        self,
        url: str,
        score: float,
        ranked: Ranked | None,
        cited: Cited | None,
        asked: list[Place],
        *,
        why: bool,
    ) -> Kin:
        """A page that co-citation knows, or bags, or both."""
        place = self._folder.find(url)
        crawled, inlinks, *_ = place.shard.counts(place.document) if place else (0, 0)
        estimate, exact = (ranked.estimate, ranked.exact) if ranked else (None, None)
        told = _why(asked, place, cited, self._neighbours) if why else None
        weak = ranked is None and cited is not None and cited.weak
        title = place.title if place else ""
        mirrors = self._mirrors_of(place) if place else (0, "")
        return Kin(url, score, estimate, exact, inlinks, crawled == 1, told, weak, title, *mirrors)

    def _names_by_bags(
        self, table: MirrorTable, ranked: Mapping[str, Ranked]
    ) -> Callable[[str], str]:
        """A function from a URL to that which bags have for its group of mirrors, if they do: so
        the ranks of both are added.
        """
        names = {table.group_of(one.place.spot): url for url, one in ranked.items()}

        def name(url: str) -> str:
            place = self._folder.find(url)
            group = table.group_of(place.spot) if place else -1
            return url if group < 0 else names.get(group, url)

        return name

    def _ranks(
        self, pages: list[_Page], others: list[_Page], question: Question, crawled: bool | None
    ) -> tuple[dict[str, Ranked], Counted]:
        """As many answers by bags as there are candidates, if any of the pages has a bag."""
        like, unlike = ([page.place for page in some if page.place] for some in (pages, others))
        if not like:
            return {}, Counted([])
        most = max(question.k, question.candidates)
        deep = replace(question, like=like, unlike=unlike, k=most, per_host=0)
        ranked, counted = rank_some(self._folder.shards, deep, crawled, Counter())
        return {one.place.url: one for one in ranked}, counted

    def _group_of(self, page: _Page, question: Question) -> _Page:
        """The page that stands for the mirrors of this one, with the best that is known of all of
        them: who links to a copy links to the page.
        """
        table = question.table
        if table is None or question.mirrors != "fold" or page.place is None:
            return page
        group = table.group_of(page.place.spot)
        if group < 0:
            return page
        places = list(map(self._place, table.members(group, _CITED_MIRRORS)))
        best: dict[str, RelatedPage] = {}
        for edge in (edge for place in places for edge in self._tables.edges(place.url)):
            if edge.url not in best or edge.score > best[edge.url].score:
                best[edge.url] = edge
        return _Page(places[0].url, places[0], list(best.values()))

    def _page(self, url: str) -> _Page:
        """The page that somebody means: a document, or a page of the tables."""
        for form in self._folder.forms(url):
            page = _Page(form, self._folder.find(form), self._tables.edges(form))
            if page.place or page.edges:
                return page
        raise self._folder.not_found(url)

    def _document(self, url: str) -> Place:
        """The document that somebody means."""
        try:
            return self._folder.locate(url)
        except NotFoundError:
            page = next(filter(self._tables.edges, self._folder.forms(url)), "")
            if not page:
                raise
        raise NotFoundError(f"{page} has no bag; ask by cocitation, which knows it")

    def _is_crawled(self, url: str) -> bool:
        place = self._folder.find(url)
        return place is not None and place.shard.counts(place.document)[0] == 1

    def get(self, url: str, *, plain: bool = False) -> Bag:
        """The bag of a URL in any spelling; NotFoundError names what is near.

        `plain`: before the build enriched it, with nothing but what the page and links to it say.
        """
        with self._folder.unchanged():
            place = self._document(url)
            return place.shard.bag(place.document, plain=plain)

    def title(self, url: str) -> str:
        """The title of a page, by its URL in any spelling; "" where it has none or was not read.

        NotFoundError names what is near.
        """
        with self._folder.unchanged():
            return self._page(url).title

    def search(self, words: str, k: int = 10) -> list[KnownPage]:
        """The `k` best pages that have all of these words in their title or URL, best first: those
        with more of them in the title, then those with more inlinks.

        Titles and URLs of the whole index are read for it: a second for half a million documents.
        """
        from pagekin.query.title_search import find_by_words  # noqa: PLC0415 - few ask for it

        with self._folder.unchanged() as folder:
            return [known_page(page.place) for page in find_by_words(folder.shards, words, k)]

    def neighbours(self, word: str, k: int = 30) -> RelatedWords:
        """The `k` words that are nearest to a word, as the bags of the snapshot teach: those that
        stand in the same bags. NotFoundError names words that are near by letters.

        Only indexes whose build was asked for it (`enrich.neighbours`) have the table.
        """
        from pagekin.query.related_words import related_words  # noqa: PLC0415 - few ask for it

        with self._folder.unchanged() as folder:
            if NEIGHBOURS not in folder.files:
                raise NotFoundError(
                    f"{self._path} has no neighbours of words; `pagekin build --enrich-neighbours"
                    " true` learns them, and merged indexes keep them where all have the same"
                )
            return related_words(folder.files[NEIGHBOURS], folder.header.config, word, k)

    @overload
    def topics(self, url: None = None, report: Report = ...) -> list[KnownTopic]: ...
    @overload
    def topics(self, url: str, report: Report = ...) -> list[PageTopic]: ...
    def topics(
        self, url: str | None = None, report: Report = lambda done, total: None
    ) -> list[KnownTopic] | list[PageTopic]:
        """The topics that the snapshot taught, that of most documents first: their heaviest words,
        to how many documents each is nearest, and the URLs of a few of these. Or the topics of a
        page, by its URL in any spelling, the nearest first.

        All bags of the index are read for the former, which takes 8 seconds for a million
        documents; `report` is told how many of them are done. NotFoundError where the index has no
        topics.
        """
        from pagekin.query.page_topics import (  # noqa: PLC0415 - few ask for it
            topics_of_documents,
            topics_of_page,
        )

        with self._folder.unchanged() as folder:
            if folder.topics is None:
                raise NotFoundError(
                    f"{self._path} has no topics; `pagekin build --enrich-topics true` learns them"
                )
            place = None if url is None else self._document(url)
            try:
                if place is None:
                    return topics_of_documents(folder.topics, folder.shards, report)
                return topics_of_page(folder.topics, place)
            except UNREADABLE as error:
                raise damaged(folder.files[TOPICS].path) from error

    def mirrors(self, url: str, k: int = 20) -> PageMirrors:
        """The mirrors of a page, by its URL in any spelling: their group with the page that stands
        for it and why, `k` of its members and edges (0: all), and pages that hold most of the page,
        or most of which it holds. NotFoundError where the index has no groups.
        """
        from pagekin.query.known_mirrors import page_mirrors  # noqa: PLC0415 - few ask for it

        with self._folder.unchanged() as folder:
            return page_mirrors(folder, self._mirror_table(), self._document(url), k)

    def mirror_groups(self, k: int = 20) -> KnownGroups:
        """The `k` largest groups of mirrors, and as many of those that were cut out of larger ones;
        0: all. NotFoundError where the index has no groups.
        """
        from pagekin.query.known_mirrors import known_groups  # noqa: PLC0415 - few ask for it

        with self._folder.unchanged() as folder:
            return known_groups(folder, self._mirror_table(), k)

    def _mirror_table(self) -> MirrorTable:
        table = self._folder.mirrors
        if table is None:
            raise NotFoundError(f"{self._path} {_NO_MIRRORS}")
        return table

    def authority(self, url: str) -> PageAuthority:
        """How a page and its host stand, by the links of the snapshot: PageRank, hub, authority,
        each with its place. NotFoundError names what is near, or says that the index has no scores.
        """
        from pagekin.query.authority import page_authority  # noqa: PLC0415 - few ask for it

        with self._folder.unchanged() as folder:
            try:
                return page_authority(folder, url)
            except UNREADABLE as error:
                raise damaged(folder.files[AUTHORITY].path) from error

    def best_by_authority(self, by: str = "pagerank", k: int = 10) -> BestNodes:
        """The best `k` pages and hosts (at most 100) by "pagerank", as "hub", or as "authority"."""
        from pagekin.query.authority import best_nodes  # noqa: PLC0415 - few ask for it

        if by not in SCORES:
            raise UsageError(f"by is {by!r}; it takes one of {', '.join(SCORES)}")
        with self._folder.unchanged() as folder:
            try:
                return best_nodes(folder, by, k)
            except UNREADABLE as error:
                raise damaged(folder.files[AUTHORITY].path) from error

    def pages(self, host: str = "", *, read: bool = False) -> Iterator[KnownPage]:
        """All pages that may be asked for, in the order of their URLs: documents, and pages with
        kin by co-citation alone.

        host            only pages of this host and those below it
        read            only pages that were read
        """
        with self._folder.unchanged() as folder:
            yield from known_pages(folder.shards, self._tables, host, read=read)

    def all(self, *, plain: bool = False) -> Iterator[Bag]:
        """Every bag, in the order of the URLs; `plain` as for `get`."""
        with self._folder.unchanged() as folder:
            yield from folder.bags(plain=plain)

    def describe(self, bag: Bag, count: int = 10) -> dict[str, Any]:
        """A bag in words, heaviest term first; `count` of them, 0: all."""
        return describe_bag(bag, self._folder.shard_of(bag.url).words, count)

    def info(self) -> dict[str, Any]:
        """What the index is: pages, parameters, sizes, statistics, and where it came from."""
        return self._folder.info()

    def verify(self) -> list[str]:
        """What is wrong with its files, one sentence each; nothing for a sound index."""
        folder = self._folder
        return verify_files(folder.path, folder.header, folder.files)


class _Urls(Sequence[str]):
    """The URLs of some documents of a shard, looked up as they are asked for: never all in memory.

    `documents` are a range, or an array.
    """

    def __init__(self, shard: Shard, documents: range | NDArray[np.int64]) -> None:
        self._shard, self._documents = shard, documents

    def __len__(self) -> int:
        return len(self._documents)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> _Urls: ...
    def __getitem__(self, at: int | slice) -> str | _Urls:
        if isinstance(at, int):
            return self._shard.spelt(int(self._documents[at]))
        return _Urls(self._shard, self._documents[at])


def _listed(urls: str | Sequence[str]) -> list[str]:
    return [urls] if isinstance(urls, str) else list(urls)


def _why(
    asked: Sequence[Place],
    place: Place | None,
    cited: Cited | None,
    neighbours: Neighbours | None,
) -> Why:
    """The reasons of bags and of co-citation, as far as there are any."""
    why = reasons_by_bags(asked, place, neighbours) if asked and place else Why()
    if cited is None:
        return why
    domains, blocks = (max(getattr(e, n) for e in cited.edges) for n in ("domains", "blocks"))
    return replace(why, citing=citing(cited), citing_domains=domains, blocks=blocks)
