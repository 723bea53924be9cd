"""The result of a sweep: all strategies, and the figures with what is better than what.

In each figure every strategy is compared with its neighbour in the series, and with the strategy
that the figure names (`against`), by the paired bootstrap over the sources that both have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from pagekin.config import to_flags
from pagekin.evaluate.bootstrap import compare_sources
from pagekin.evaluate.gamma import STATISTICS, unpack_sources
from pagekin.sweep.strategies import Figure, Strategy, StrategyFile

__all__ = ["sweep_result"]

_REPORTED = ("orthogonal_share", "sources", "pages", "missing_urls", "unlinked_urls", "labels")
_NO_FILE_NAME = re.compile(r"[^\w.-]+")
_COMPARED = ("value", "with_ties")

Result = Mapping[str, Any]


def sweep_result(
    plan: StrategyFile, results: Mapping[str, Result], seed: int, resamples: int
) -> dict[str, Any]:
    """What `--json` prints, but for the settings."""
    known: dict[tuple[str, str], dict[str, Any]] = {}

    def compare(a: str, b: str) -> dict[str, Any]:
        """Two strategies by their names; each pair of results once."""
        key = results[a]["result"], results[b]["result"]
        if key not in known:
            known[key] = _compare(results[a], results[b], seed, resamples)
        return {"a": a, "b": b, **known[key]}

    return {
        "strategies": [_strategy(s, results[s.name]) for s in plan.strategies],
        "figures": [
            {
                "name": figure.name,
                "title": figure.title or figure.name,
                "about": figure.about,
                "measure": figure.measure,
                "axis": figure.axis,
                "of": figure.of,
                "against": figure.against,
                "file": f"figure-{_NO_FILE_NAME.sub('-', figure.name)}",
                "strategies": [s.name for s in plan.of_figure(figure)],
                "comparisons": [
                    compare(a, b)
                    for a, b in _pairs(figure, plan.of_figure(figure))
                    if "left_out" not in results[a] and "left_out" not in results[b]
                ],
            }
            for figure in plan.figures
        ],
    }


def _strategy(strategy: Strategy, result: Result) -> dict[str, Any]:
    window = result.get("window")
    sections = [name for name, part in strategy.parts().items() if isinstance(part, dict)]
    described: dict[str, Any] = {
        "name": strategy.name,
        "figure": strategy.figure,
        "series": strategy.series,
        "x": window if strategy.x == "window" else strategy.x if strategy.x != "" else None,
        "by": strategy.by,
        "alpha": strategy.alpha,
        "candidates": strategy.candidates,
        "window": window,
        "flags": " ".join(to_flags(strategy.config, sections)),  # of a build of its own
    }
    if "left_out" in result:
        return {**described, "left_out": result["left_out"]}
    figures = {name: result[name] for name in (*STATISTICS, *_REPORTED)}
    return {**described, **figures, "result": result["result"], "settings": result["settings"]}


def _pairs(figure: Figure, some: Sequence[Strategy]) -> Iterator[tuple[str, str]]:
    """The neighbours in each series, or all with the one that is named."""
    if figure.of:
        return
    if figure.against:
        yield from ((s.name, figure.against) for s in some if s.name != figure.against)
        return
    series = sorted(some, key=lambda s: s.series)  # stable: the order of the file in each
    for _, group in groupby(series, key=lambda s: s.series):
        yield from ((a.name, b.name) for a, b in pairwise(group))


def _compare(a: Result, b: Result, seed: int, resamples: int) -> dict[str, Any]:
    sources = (unpack_sources(result["per_source"], result["result"]) for result in (a, b))
    found = compare_sources(*sources, seed=seed, resamples=resamples)
    differences = {name: {m: found[name][m] for m in _COMPARED} for name in STATISTICS}
    return {"sources": found["sources"], "same_pages": a["labels"] == b["labels"], **differences}
