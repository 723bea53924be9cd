"""The table of rivals: ours and theirs, judged over the same pages, row by row.

Our first bags are what all others are compared with, in pairs by source page. A network is too slow
for all pages: pages are drawn at random until it would read more than so many pieces of text, and
it is judged among these pages alone, with our bags beside it. Among fewer pages a page has fewer of
its class, so that such a row is to be compared with ours of the same pages, as its differences are.

Times are CPU of this machine. A question is what it takes to compare a page with all judged pages,
without an index, but for tantivy, which asks its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pagekin.config import BuildConfig
from pagekin.errors import UsageError
from pagekin.evaluate.bootstrap import compare_sources, interval, resample
from pagekin.evaluate.gamma import DECIMALS, Sources, Tally, tally_sources
from pagekin.evaluate.judgement import figures, sample_sources
from pagekin.evaluate.labelled_pages import SAME, LabelledPages
from pagekin.evaluate.rivals.minilm import MINILM, MINILM_PIECES
from pagekin.evaluate.rivals.more_like_this import MORE_LIKE_THIS
from pagekin.evaluate.rivals.page_texts import FORMS, PageText, texts_of
from pagekin.evaluate.rivals.rival import Made, Rival, Stopwatch, Texts
from pagekin.evaluate.rivals.svd import SVD
from pagekin.evaluate.rivals.tfidf import TFIDF
from pagekin.evaluate.rivals.wordllama import WORDLLAMA
from pagekin.evaluate.similarities import (
    Material,
    Representation,
    Similarities,
    make_representation,
)

__all__ = ["RIVALS", "Contest", "Ours", "chosen_rivals", "same_class_among_ten"]

RIVALS: Final = (TFIDF, MORE_LIKE_THIS, SVD, WORDLLAMA, MINILM, MINILM_PIECES)

_ANSWERS: Final = 10
_GAMMAS: Final = ("sibling", "unrelated")
_NO_TEXT: Final = "none of these pages was read"

Row = dict[str, Any]
Show = Callable[[str, int, int], None]  # what is being done, how much of it, of how much


def chosen_rivals(names: Sequence[str]) -> list[Rival]:
    """The rivals of these names, or all; UsageError for a name that none has."""
    known = {rival.name: rival for rival in RIVALS}
    for name in names:
        if name not in known:
            raise UsageError(f"--only {name}: there is no such rival; there are {', '.join(known)}")
    return [rival for rival in RIVALS if rival.name in names or not names]


def same_class_among_ten(
    similarities: Similarities, distances: NDArray[np.int8], source: int
) -> int:
    """How many of the ten most similar pages are of the source's class.

    Of equally similar pages the first of their URLs come first; answers are above 0.
    """
    rounded = similarities.round(DECIMALS)
    rounded[source] = 0.0
    order = np.argsort(-rounded, kind="stable")[:_ANSWERS]
    return int(((distances[order] == SAME) & (rounded[order] > 0)).sum())


@dataclass(frozen=True)
class Ours:
    """Bags of ours of the judged pages."""

    name: str
    pages: LabelledPages  # with these bags
    config: BuildConfig
    page_ms: float | None  # CPU of the build for a page; None: nobody knows

    def exact(self, pages: LabelledPages) -> Representation:
        """Their Jaccard, among these pages."""
        return make_representation("bags", Material(pages, self.config))

    def page_bytes(self) -> float:
        """Of a bag and its signatures."""
        bags = self.pages.bags
        size = bags.terms.nbytes + bags.weights.nbytes
        return size / len(self.pages) + 4 * self.config.signatures.count


@dataclass(frozen=True)
class _Judged:
    """What a representation reaches over some sources."""

    keys: NDArray[np.uint64]  # of the sources
    tally: Tally
    among_ten: NDArray[np.int64]
    query_ms: float


@dataclass(frozen=True)
class Contest:
    """What is judged, and what rivals may read."""

    ours: Sequence[Ours]  # all of the same pages
    others: Sequence[str]  # further URLs, from whose texts rivals may learn
    read: Mapping[str, PageText]  # by URL
    words: Mapping[str, str]  # of our bags, by URL
    read_ms: float  # CPU to read a page of the snapshot
    sample: int | None = None  # sources; None: all
    pieces: int = 1000  # that a network reads for a row
    seed: int = 1
    resamples: int = 1000
    show: Show = lambda what, done, total: None

    def rows(self, rivals: Sequence[Rival]) -> Iterator[Row]:
        """Our bags, and then each rival in each form of text."""
        for ours in self.ours:
            yield self._our_row(ours)
        for form in FORMS:
            texts = texts_of(form, self._pages.urls, self.others, self.read, self.words)
            for rival in rivals:
                if form in rival.forms:
                    yield from self._rows_of(rival, form, texts)

    @property
    def _pages(self) -> LabelledPages:
        return self.ours[0].pages

    @cached_property
    def _sources(self) -> NDArray[np.int64]:
        return sample_sources(self._pages, self.sample or len(self._pages), self.seed)

    @cached_property
    def _against(self) -> _Judged:
        """Our first bags, over all pages."""
        ours = self.ours[0]
        return self._judge(ours.name, ours.pages, ours.exact(ours.pages), self._sources)

    def _our_row(self, ours: Ours) -> Row:
        if ours is self.ours[0]:
            judged = self._against
        else:
            judged = self._judge(ours.name, ours.pages, ours.exact(ours.pages), self._sources)
        return {
            **{"name": ours.name, "text": "", "variant": "", "about": "bags of ours"},
            **{"reason": True, "unread": "by links", "why": ""},
            **self._figures(ours.pages, judged, self._against),
            **{"without_text": int((np.diff(ours.pages.bags.bounds) == 0).sum())},
            **{"page_ms": ours.page_ms, "own_ms": ours.page_ms, "page_bytes": ours.page_bytes()},
        }

    def _rows_of(self, rival: Rival, form: str, texts: Texts) -> Iterator[Row]:
        row = {
            **{"name": rival.name, "text": form, "variant": "", "about": rival.about},
            **{"reason": rival.reason, "unread": "by our bags" if form == "bag" else "no"},
        }
        if missing := rival.missing():
            yield {**row, "why": f"not installed: {', '.join(missing)}"}
            return
        if not any(text.words for text in texts.judged):
            yield {**row, "why": _NO_TEXT}
            return
        label, pages, sources, against = f"{rival.name}, {form}", self._pages, self._sources, None
        if rival.cost:
            among = self._affordable(rival.cost, texts)
            if len(among) < len(pages):
                pages, sources = pages.only(among), np.arange(len(among))
                texts = texts._replace(judged=[texts.judged[page] for page in among.tolist()])
                exact = self.ours[0].exact(pages)
                against = self._judge(f"{self.ours[0].name} beside {label}", pages, exact, sources)
        total = len(texts.judged)
        self.show(f"{label}: made", 0, total)
        for made in rival.make(texts, partial(self.show, f"{label}: made")):
            judged = self._judge(label, pages, made.similarities, sources)
            yield {
                **row,
                **{"variant": made.variant, "why": ""},
                **self._figures(pages, judged, against or self._against),
                "without_text": sum(not text.words for text in texts.judged),
                **self._costs(form, made, total),
            }

    def _affordable(self, cost: Callable[..., int], texts: Texts) -> NDArray[np.int64]:
        """Pages drawn at random, as many as a network may read."""
        order = np.random.default_rng(self.seed).permutation(len(texts.judged))
        costs = np.cumsum([cost(texts.judged[page]) for page in order.tolist()])
        return np.sort(order[: max(int((costs <= self.pieces).sum()), 2)])

    def _costs(self, form: str, made: Made, judged: int) -> Row:
        """What a page costs, to read it or to make our bag of it, and what the rival adds."""
        before = self.ours[0].page_ms if form == "bag" else self.read_ms
        own = made.seconds * 1000 / made.texts
        return {
            "page_ms": None if before is None else before + own,
            "own_ms": own,
            "page_bytes": made.size / judged,
        }

    def _judge(
        self,
        label: str,
        pages: LabelledPages,
        representation: Representation,
        sources: NDArray[np.int64],
    ) -> _Judged:
        among_ten: list[int] = []
        seconds = 0.0

        def watched(source: int) -> Similarities:
            nonlocal seconds
            watch = Stopwatch()
            found = representation(source)
            seconds += watch.seconds()
            among_ten.append(same_class_among_ten(found, pages.distances(source), source))
            self.show(f"{label}: judged", len(among_ten), len(sources))
            return found

        tally = tally_sources(pages, watched, sources.tolist())
        counts = np.array(among_ten, np.int64)
        return _Judged(pages.keys[sources], tally, counts, 1000 * seconds / len(sources))

    def _figures(self, pages: LabelledPages, judged: _Judged, against: _Judged) -> Row:
        seed, resamples = self.seed, self.resamples
        values = figures(judged.tally.counts, seed=seed, resamples=resamples)
        a, b = (Sources(some.keys, some.tally.counts) for some in (against, judged))
        differences = compare_sources(a, b, seed=seed, resamples=resamples)
        return {
            "pages": len(pages),
            "sources": len(judged.keys),
            **{name: values[name] for name in _GAMMAS},
            "among_ten": self._mean(judged.among_ten),
            "less_ours": {
                **{name: differences[name]["value"] for name in _GAMMAS},
                "among_ten": self._pair(against.among_ten, judged.among_ten),
            },
            "query_ms": judged.query_ms,
        }

    def _pair(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> dict[str, float]:
        """Ours and the row's mean over sources, and the difference with its interval."""
        less = self._mean(b - a)
        return {"a": float(a.mean()), "b": float(b.mean()), "difference": less.pop("value"), **less}

    def _mean(self, values: NDArray[np.int64]) -> dict[str, float]:
        """The mean over sources, with its interval."""
        drawn = resample(values[:, None], self.resamples, self.seed)[:, 0] / len(values)
        low, high = interval(drawn)
        return {"value": float(values.mean()), "low": low, "high": high}
