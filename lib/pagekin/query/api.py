"""`Index`: an index, open to be asked.

    from pagekin import Index

    index = Index.open("crawl.index")
    for kin in index.related("http://example.org/", k=5):
        print(kin.score, kin.url)

Files are mapped and nothing is written, so an index may be shared by threads.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from pagekin.bags.bag import Bag
from pagekin.bags.describe import describe_bag
from pagekin.errors import InputError, UsageError
from pagekin.index.folder import IndexFolder, Place
from pagekin.index.shard import Shard
from pagekin.index.verify import verify_index
from pagekin.query.cocited import Cited, KinTables, citing, fuse, rank_cited
from pagekin.query.hosts import allowed
from pagekin.query.kin import Answer, Asked, Kin, Why
from pagekin.query.many import rank_each
from pagekin.query.reasons import asked_page, reasons
from pagekin.query.related import NEEDS, Question, Ranked, make_question, rank
from pagekin.query.urls import Urls

__all__ = ["WAYS", "Index"]

WAYS = ("bags", "cocitation", "both")


class Index:
    """A related-pages index; see `Index.related`."""

    def __init__(self, folder: IndexFolder) -> None:
        self._folder = folder
        self._tables = KinTables(folder)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Index:
        """Open the index in a folder; InputError says why it cannot be read."""
        return cls(IndexFolder(Path(path)))

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
        own = self._folder.shards[shard]
        documents = range(len(own))
        if crawled:
            with self._readable():
                return Urls(own, own.crawled(slice(None)).nonzero()[0])
        if by == "bags":
            return Urls(own, documents)
        with self._readable():
            everyone = {*Urls(own, documents), *self._tables.urls(shard)}
            return sorted(everyone, key=str.encode)

    def __contains__(self, url: str) -> bool:
        """Is there a document of this canonical URL?"""
        return self._folder.find(url) is not None

    @property
    def path(self) -> Path:
        """Its folder."""
        return self._folder.path

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
        alpha: float = 0.0,
        unlike: str | Sequence[str] = (),
        per_host: int = 0,
        exclude_hosts: str | Sequence[str] = (),
        candidates: int = Question.candidates,
        budget: int = Question.budget,
        crawled: bool = False,
        why: bool = False,
    ) -> Answer:
        """The `k` nearest kin of a page (or of several together), best first.

        by              "bags": pages of similar words; "cocitation": pages that are linked to
                        together on many sites; "both": merged by their ranks
        exact           rank the best `candidates` by the true similarity of their bags; without,
                        the order is that of counted signatures
        alpha           leave out what is not more similar than this
        unlike          pages that the answers should be unlike
        per_host        so many answers of one host at the most; 0: any number
        exclude_hosts   no answers from these hosts and what is below them
        crawled         only pages that were read are answers, none that are known by links alone
        budget          ids read for each page: lists of very common signatures are left out beyond
        why             tell the shared terms of each answer

        NotFoundError names URLs that are near one that is not there.
        """
        like, against = (self._located(_listed(urls), by) for urls in (url, unlike))
        if not like:
            raise UsageError(NEEDS)
        question = make_question(
            self._places(like, by),
            self._places(against, by),
            k,
            exact=exact,
            alpha=alpha,
            per_host=per_host,
            exclude_hosts=exclude_hosts,
            candidates=candidates,
            budget=budget,
            crawled=crawled,
        )
        with self._readable():
            if by == "bags":
                ranked, counted = rank(self._folder.shards, question)
                return _answer(question.like, ranked, len(counted), counted.capped, why=why)
            cited = self._cited(like, against)
            if by == "both":
                return self._by_both(like, question, cited, why=why)
            return self._by_cocitation(like, question, cited, why=why)

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

        By bags it takes half of the CPU where neighbours follow one another. Pages are
        taken some hundreds at a time; NotFoundError ends the answers.
        """
        if by != "bags" or unlike:
            for url in urls:
                yield self.related(url, k, by=by, unlike=unlike, why=why, **how)
            return
        question = make_question((), (), k, **how)
        with self._readable():
            for one in rank_each(self._folder.shards, map(self._place, urls), question):
                yield _answer((one.page,), one.ranked, one.candidates, one.capped, why=why)

    def _place(self, url: str) -> Place:
        """Where a URL in any spelling is; a canonical one needs no parsing."""
        return (self._folder.find(url) if url.isascii() else None) or self._folder.locate(url)

    def _located(self, urls: Sequence[str], by: str) -> list[str]:
        """The canonical URLs; where bags are all that is asked, finding the document does it."""
        if by not in WAYS:
            raise UsageError(f"by is {by!r}; it takes one of {', '.join(WAYS)}")
        with self._readable():
            return list(urls) if by == "bags" else list(map(self._tables.locate, urls))

    def _places(self, urls: Sequence[str], by: str) -> list[Place]:
        """The documents; where bags are not all that is asked, those that there are."""
        with self._readable():
            if by == "bags":
                return list(map(self._folder.locate, urls))
            return [place for place in map(self._folder.find, urls) if place]

    def _cited(self, like: Sequence[str], unlike: Sequence[str]) -> list[Cited]:
        to_pages, to_others = (list(map(self._tables.edges, some)) for some in (like, unlike))
        return rank_cited(to_pages, to_others, (*like, *unlike))

    def _asked(self, like: Sequence[str]) -> list[Asked]:
        """What is known of the pages asked for, also of those without a bag."""
        found = ((url, self._folder.find(url)) for url in like)
        return [asked_page(place) if place else Asked(url) for url, place in found]

    def _by_cocitation(
        self, like: Sequence[str], question: Question, cited: list[Cited], *, why: bool
    ) -> Answer:
        by_url = {one.url: one for one in cited}
        shown = allowed(
            self._wanted(by_url, question), str, question.exclude_hosts, question.per_host
        )
        answer = Answer(self._asked(like), len(cited), by="cocitation")
        for url in islice(shown, question.k):
            place, one = self._folder.find(url), by_url[url]
            told = self._why((), place, one) if why else None
            answer.append(Kin(url, one.score, None, None, _inlinks(place), told))
        return answer

    def _by_both(
        self, like: Sequence[str], question: Question, cited: list[Cited], *, why: bool
    ) -> Answer:
        deep = replace(question, k=max(question.k, question.candidates), per_host=0)
        ranked, counted = rank(self._folder.shards, deep) if question.like else ([], None)
        by_bags = {one.place.url: one for one in ranked}
        by_links = {one.url: one for one in cited}
        # as bags are ranked
        linked = allowed(self._wanted(by_links, question), str, question.exclude_hosts, 0)
        scores = dict(fuse([list(by_bags), list(linked)]))
        shown = allowed(scores, str, (), question.per_host)
        capped, met = (counted.capped, len(counted)) if counted else (0, 0)
        answer = Answer(self._asked(like), met + len(cited), capped, by="both")
        for url in islice(shown, question.k):
            one, place = by_bags.get(url), self._folder.find(url)
            told = self._why(question.like, place, by_links.get(url)) if why else None
            estimate, exact = (one.estimate, one.exact) if one else (None, None)
            answer.append(Kin(url, scores[url], estimate, exact, _inlinks(place), told))
        return answer

    def _wanted(self, urls: Iterable[str], question: Question) -> Iterable[str]:
        """Those that may be answers: all, or the pages that were read."""
        return filter(self._is_crawled, urls) if question.crawled else urls

    def _is_crawled(self, url: str) -> bool:
        place = self._folder.find(url)
        return place is not None and place.shard.counts(place.document)[0] == 1

    def _why(self, asked: Sequence[Place], place: Place | None, cited: Cited | None) -> Why:
        """The reasons of bags and of co-citation, as far as there are any."""
        why = reasons(asked, place) if asked and place else Why()
        if cited is None:
            return why
        domains, blocks = (max(getattr(e, n) for e in cited.edges) for n in ("domains", "blocks"))
        return replace(why, citing=citing(cited), citing_domains=domains, blocks=blocks)

    def get(self, url: str) -> Bag:
        """The bag of a URL in any spelling; NotFoundError names what is near."""
        with self._readable():
            place = self._folder.locate(url)
            return place.shard.bag(place.document)

    def all(self) -> Iterator[Bag]:
        """Every bag, in the order of the URLs."""
        with self._readable():
            yield from heapq.merge(*map(_bags, self._folder.shards), key=attrgetter("url"))

    def describe(self, bag: Bag, count: int = 10) -> dict[str, Any]:
        """A bag in words, heaviest term first; `count` of them, 0: all."""
        with self._readable():
            return describe_bag(bag, self._folder.words_for(bag.url), count)

    def info(self) -> dict[str, Any]:
        """What the index is: pages, parameters, sizes, statistics, and where it came from."""
        return self._folder.info()

    def verify(self) -> list[str]:
        """What is wrong with its files, one sentence each; nothing for a sound index."""
        return verify_index(self._folder.path)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """A damaged file may say anything: what leads nowhere is told in one sentence."""
        try:
            yield
        except (LookupError, ValueError, OverflowError, MemoryError) as error:
            raise InputError(
                f"{self.path} is damaged or was changed while it was read ({error});"
                f" `pagekin verify --index {self.path}` says more"
            ) from error


def _listed(urls: str | Sequence[str]) -> list[str]:
    return [urls] if isinstance(urls, str) else list(urls)


def _inlinks(place: Place | None) -> int:
    return place.shard.counts(place.document)[1] if place else 0


def _bags(shard: Shard) -> Iterator[Bag]:
    return map(shard.bag, range(len(shard)))


def _answer(
    like: Sequence[Place], ranked: Sequence[Ranked], candidates: int, capped: int, *, why: bool
) -> Answer:
    answer = Answer(list(map(asked_page, like)), candidates, capped)
    answer.extend(_kin(one, like if why else ()) for one in ranked)
    return answer


def _kin(ranked: Ranked, asked: Sequence[Place]) -> Kin:
    place = ranked.place
    return Kin(
        place.url,
        ranked.score,
        ranked.estimate,
        ranked.exact,
        _inlinks(place),
        reasons(asked, place) if asked else None,
    )
