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
from pagekin.evaluate.gamma import STATISTICS, Sources, unpack_sources
from pagekin.sweep.keys import parts_of
from pagekin.sweep.strategies import Figure, Plan, Strategy

__all__ = ["sweep_result"]

_TOLD = ("orthogonal_share", "sources", "pages", "missing_urls", "unlinked_urls", "labels")
_NO_FILE_NAME = re.compile(r"[^\w.-]+")
_COMPARED = ("value", "with_ties")


def sweep_result(
    plan: Plan, results: Mapping[str, Mapping[str, Any]], seed: int, resamples: int
) -> dict[str, Any]:
    """What `--json` prints, but for the settings."""
    comparer = _Comparer(results, seed, resamples)
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
                "comparisons": list(comparer.of_figure(figure, plan.of_figure(figure))),
            }
            for figure in plan.figures
        ],
    }


def _strategy(strategy: Strategy, result: Mapping[str, Any]) -> dict[str, Any]:
    window = result.get("window")
    said: dict[str, Any] = {
        "name": strategy.name,
        "figure": strategy.figure,
        "series": strategy.series,
        "x": window if strategy.x == "window" else strategy.x if strategy.x != "" else None,
        "by": strategy.by,
        "alpha": strategy.alpha,
        "candidates": strategy.candidates,
        "window": window,
        "flags": _flags(strategy),
    }
    if "left_out" in result:
        return {**said, "left_out": result["left_out"]}
    told = {name: result[name] for name in (*STATISTICS, *_TOLD)}
    return {**said, **told, "result": result["result"], "settings": result["settings"]}


def _flags(strategy: Strategy) -> str:
    """What a build of its own would be told."""
    sections = [name for name, part in parts_of(strategy).items() if isinstance(part, dict)]
    return " ".join(to_flags(strategy.config, sections))


class _Comparer:
    """Compares strategies; each pair of results once."""

    def __init__(self, results: Mapping[str, Mapping[str, Any]], seed: int, resamples: int) -> None:
        self._results, self._seed, self._resamples = results, seed, resamples
        self._known: dict[tuple[str, str], dict[str, Any]] = {}

    def of_figure(self, figure: Figure, some: Sequence[Strategy]) -> Iterator[dict[str, Any]]:
        """The neighbours in each series, then all against the one that is named."""
        if figure.of:
            return
        series = sorted(some, key=lambda s: s.series)  # stable: the order of the file in each
        pairs = [
            (a.name, b.name)
            for _, group in groupby(series, key=lambda s: s.series)
            for a, b in pairwise(group)
        ]
        if figure.against:
            pairs = [(s.name, figure.against) for s in some if s.name != figure.against]
        for a, b in pairs:
            if "left_out" not in self._results[a] and "left_out" not in self._results[b]:
                yield {"a": a, "b": b, **self._compared(a, b)}

    def _compared(self, a: str, b: str) -> dict[str, Any]:
        of_a, of_b = self._results[a], self._results[b]
        key = of_a["result"], of_b["result"]
        if key not in self._known:
            self._known[key] = self._compare(of_a, of_b)
        return self._known[key]

    def _compare(self, a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
        found = compare_sources(
            _sources(a), _sources(b), seed=self._seed, resamples=self._resamples
        )
        said = {name: {m: found[name][m] for m in _COMPARED} for name in STATISTICS}
        same = a["labels"] == b["labels"]
        return {"sources": found["sources"], "same_pages": same, **said}


def _sources(result: Mapping[str, Any]) -> Sources:
    return unpack_sources(result["per_source"], result["result"])
