"""Asks an index, and tells what a question took: a script that needs nothing but `pagekin.Index`.

It runs in a process of its own under the Python of either side of `house`. On stdin it finds an
object with the folder of an index, pages, the ways to ask, and how often; without pages it chooses
some itself, and tells which. On stdout it leaves an object of milliseconds by way.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from typing import Any

from pagekin import Index

_K = 10


def choose(index: Index, ways: list[str], count: int) -> dict[str, list[str]]:
    """Pages that have an answer, by way; the same for the same index."""
    chance, chosen = random.Random(1), {}
    for by in ways:
        urls = [url for shard in range(index.shards) for url in index.urls(shard, by)]
        chosen[by] = chance.sample(urls, min(count, len(urls)))
    return chosen


def ask(index: Index, urls: list[str], by: str, times: int) -> dict[str, float]:
    """Median milliseconds of a question; of each page the fastest of so many times counts."""
    for url in urls:  # files are mapped, and caches are filled
        list(index.related(url, _K, by=by))
    best: list[tuple[float, float]] = [(float("inf"), float("inf"))] * len(urls)
    for _ in range(times):
        for place, url in enumerate(urls):
            cpu, began = time.process_time(), time.perf_counter()
            list(index.related(url, _K, by=by))
            took = time.process_time() - cpu, time.perf_counter() - began
            best[place] = min(best[place][0], took[0]), min(best[place][1], took[1])
    cpu, wall = (1000 * statistics.median(each) for each in zip(*best, strict=True))
    return {"cpu": cpu, "wall": wall}


def main(asked: dict[str, Any]) -> dict[str, Any]:
    """Choose, where there is nothing to ask; else ask."""
    index = Index.open(asked["index"])
    if "urls" not in asked:
        return choose(index, asked["ways"], asked["count"])
    return {by: ask(index, urls, by, asked["times"]) for by, urls in asked["urls"].items() if urls}


if __name__ == "__main__":
    json.dump(main(json.load(sys.stdin)), sys.stdout)
