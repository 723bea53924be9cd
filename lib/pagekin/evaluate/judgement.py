"""Judging a representation on labelled pages: figures with intervals, by branch, and what is worst.

`judge` counts, and `summarise` makes of the counts what `--json` prints (docs/formats.md). A sweep
calls both with bags in memory; nothing here reads or writes files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagekin.evaluate.bootstrap import RESAMPLES, SEED, interval, resample
from pagekin.evaluate.gamma import (
    DECIMALS,
    STATISTICS,
    Counts,
    Sources,
    Tally,
    gamma_of,
    pack_sources,
    tally_sources,
    with_ties_of,
)
from pagekin.evaluate.labelled_pages import DISTANCES, SAME, LabelledPages
from pagekin.evaluate.similarities import Representation

__all__ = ["Judgement", "figures", "judge", "sample_sources", "summarise"]

_ROOT = "(root)"
_NEIGHBOURS = 5  # of one of the worst pages


@dataclass(frozen=True)
class Judgement:
    """The counts of some source pages."""

    pages: LabelledPages
    representation: Representation
    sources: NDArray[np.int64]  # pages, ascending
    tally: Tally


def judge(
    pages: LabelledPages,
    representation: Representation,
    sources: Sequence[int] | NDArray[np.int64] | None = None,
) -> Judgement:
    """Count the pairs of some sources, or of all pages, against all other pages."""
    chosen = np.arange(len(pages)) if sources is None else np.asarray(sources, np.int64)
    tally = tally_sources(pages, representation, chosen.tolist())
    return Judgement(pages, representation, chosen, tally)


def sample_sources(pages: LabelledPages, count: int, seed: int) -> NDArray[np.int64]:
    """So many pages drawn without replacement, or all; the intervals show what sampling costs."""
    if count >= len(pages):
        return np.arange(len(pages))
    drawn = np.random.default_rng(seed).choice(len(pages), count, replace=False)
    return np.sort(drawn)


def summarise(
    judged: Judgement, *, seed: int = SEED, resamples: int = RESAMPLES, worst: int = 20
) -> dict[str, Any]:
    """All that is known of a judgement, as plain values; `worst` pages are described."""
    pages, tally = judged.pages, judged.tally
    same = int(tally.same.sum())
    return {
        **figures(tally.counts, seed=seed, resamples=resamples),
        "orthogonal_share": int(tally.orthogonal.sum()) / same if same else None,
        "sources": len(judged.sources),
        "missing_urls": pages.missing,
        "unlinked_urls": pages.unlinked,
        "pages": len(pages),
        "classes": len(np.unique(pages.members)),
        "labels": pages.digest(),
        "branches": list(_branches(judged)),
        "worst": list(_worst(judged, worst)),
        "per_source": pack_sources(Sources(pages.keys[judged.sources], tally.counts)),
    }


def figures(counts: Counts, *, seed: int, resamples: int) -> dict[str, dict[str, Any]]:
    """Each statistic of the sums over sources, with its interval."""
    drawn = gamma_of(resample(counts, resamples, seed))
    found = {}
    for k, (name, total) in enumerate(zip(STATISTICS, counts.sum(axis=0), strict=True)):
        low, high = interval(drawn[:, k])
        concordant, discordant, tied = total.tolist()
        found[name] = {
            "value": _number(gamma_of(total)),
            "low": _number(low),
            "high": _number(high),
            "with_ties": _number(with_ties_of(total)),
            "concordant": concordant,
            "discordant": discordant,
            "tied": tied,
        }
    return found


def _number(value: Any) -> float | None:
    """JSON has no number that is none."""
    return None if math.isnan(float(value)) else float(value)


def _branches(judged: Judgement) -> Iterator[dict[str, Any]]:
    """The figures of the sources below each top class; a page in several counts in each."""
    rows: dict[str, list[int]] = {}
    for row, page in enumerate(judged.sources.tolist()):
        for name in {(path or (_ROOT,))[0] for path in judged.pages.paths_of(page)}:
            rows.setdefault(name, []).append(row)
    for name in sorted(rows):
        totals = judged.tally.counts[rows[name]].sum(axis=0)
        values = {
            statistic: {"value": _number(gamma_of(t)), "with_ties": _number(with_ties_of(t))}
            for statistic, t in zip(STATISTICS, totals, strict=True)
        }
        yield {"branch": name, "sources": len(rows[name]), **values}


def _worst(judged: Judgement, limit: int) -> Iterator[dict[str, Any]]:
    """The sources whose discordant pairs outweigh the concordant ones most, and the pages that
    stand nearer than their own class.

    Pairs are those of the three partial gammas, with a page of the source's class in each.
    """
    pages = judged.pages
    partial = judged.tally.counts[:, 1:].sum(axis=1)
    excess = partial[:, 1] - partial[:, 0]
    for row in np.argsort(-excess, kind="stable")[:limit].tolist():
        concordant, discordant, tied = partial[row].tolist()
        if not discordant:
            continue
        source = int(judged.sources[row])
        similarities = judged.representation(source).round(DECIMALS)
        distances = pages.distances(source)
        order = np.argsort(-similarities, kind="stable")
        order = order[order != source]
        own = order[distances[order] == SAME]
        near = [
            {
                "url": pages.urls[page],
                "similarity": float(similarities[page]),
                "distance": DISTANCES[distances[page]],
                "classes": _classes(pages, page),
            }
            for page in (own[0], *order[distances[order] != SAME][:_NEIGHBOURS].tolist())
        ]
        yield {
            "url": pages.urls[source],
            "classes": _classes(pages, source),
            "value": float(gamma_of(partial[row])),
            "concordant": concordant,
            "discordant": discordant,
            "tied": tied,
            "same_class": len(own),
            "nearest_of_class": near[0],
            "its_rank": int((similarities[order] > similarities[own[0]]).sum()) + 1,
            "wrong_neighbours": near[1:],
        }


def _classes(pages: LabelledPages, page: int) -> list[str]:
    return sorted("/" + "/".join(path) for path in pages.paths_of(page))
