"""Judging a representation on labelled pages: figures with intervals, by branch, and what is worst.

`judge` counts, and `summarise` makes of the counts what `--json` prints (docs/formats.md). A sweep
calls both with bags in memory; nothing here reads or writes files.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagekin.evaluate.gamma import STATISTICS, Counts, Tally, gamma_of, tally_sources, with_ties_of
from pagekin.evaluate.intervals import RESAMPLES, SEED, interval, resample
from pagekin.evaluate.labelled import LabelledPages
from pagekin.evaluate.similarities import Representation
from pagekin.evaluate.sources import pack_sources
from pagekin.evaluate.worst import worst_sources

__all__ = ["Judgement", "figures", "judge", "sample_sources", "summarise"]

_ROOT = "(root)"


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
    tally = tally_sources(pages.family, representation, chosen.tolist())
    return Judgement(pages, representation, chosen, tally)


def sample_sources(pages: LabelledPages, count: int, seed: int) -> NDArray[np.int64]:
    """So many pages drawn without replacement, or all; the intervals tell what sampling costs."""
    if count >= len(pages):
        return np.arange(len(pages))
    drawn = np.random.default_rng(seed).choice(len(pages), count, replace=False)
    return np.sort(drawn)


def summarise(
    judged: Judgement, *, seed: int = SEED, resamples: int = RESAMPLES, worst: int = 20
) -> dict[str, Any]:
    """All that is told of a judgement, as plain values."""
    pages, tally = judged.pages, judged.tally
    return {
        **figures(tally.counts, seed=seed, resamples=resamples),
        "orthogonal_share": _share(int(tally.orthogonal.sum()), int(tally.same.sum())),
        "sources": len(judged.sources),
        "missing_urls": pages.missing,
        "unlinked_urls": pages.unlinked,
        "pages": len(pages),
        "classes": len(np.unique(pages.members)),
        "labels": pages.digest(),
        "branches": _branches(judged),
        "worst": worst_sources(pages, judged.representation, judged.sources, tally.counts, worst),
        "per_source": pack_sources(pages.keys[judged.sources], tally.counts),
    }


def figures(counts: Counts, *, seed: int, resamples: int) -> dict[str, dict[str, Any]]:
    """Each statistic of the sums over sources, with its interval."""
    drawn = gamma_of(resample(counts, resamples, seed))
    totals = counts.sum(axis=0)
    return {name: {**_figure(totals[k]), **_ends(drawn[:, k])} for k, name in enumerate(STATISTICS)}


def _figure(total: Counts) -> dict[str, Any]:
    concordant, discordant, tied = total.tolist()
    return {
        "value": _number(gamma_of(total)),
        "low": None,
        "high": None,
        "with_ties": _number(with_ties_of(total)),
        "concordant": concordant,
        "discordant": discordant,
        "tied": tied,
    }


def _ends(drawn: NDArray[np.float64]) -> dict[str, float | None]:
    low, high = interval(drawn)
    return {"low": _number(low), "high": _number(high)}


def _number(value: Any) -> float | None:
    """JSON has no number that is none."""
    return None if math.isnan(float(value)) else float(value)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _branches(judged: Judgement) -> list[dict[str, Any]]:
    """The figures of the sources below each top class; a page in several counts in each."""
    rows: dict[str, list[int]] = {}
    for row, page in enumerate(judged.sources.tolist()):
        for name in {(path or (_ROOT,))[0] for path in judged.pages.paths_of(page)}:
            rows.setdefault(name, []).append(row)
    return [
        {"branch": name, "sources": len(rows[name]), **_brief(judged.tally.counts[rows[name]])}
        for name in sorted(rows)
    ]


def _brief(counts: Counts) -> dict[str, dict[str, Any]]:
    totals = counts.sum(axis=0)
    return {
        name: {"value": _number(gamma_of(total)), "with_ties": _number(with_ties_of(total))}
        for name, total in zip(STATISTICS, totals, strict=True)
    }
