"""All benchmarks by name. A new one is a module with a `BENCHMARK`, and a line here."""

from __future__ import annotations

import importlib

from benchmarks.harness import Benchmark

__all__ = ["NAMES", "find_benchmark"]

# name -> module; in the order in which `all` runs them
NAMES = {
    "map": "mapping",
    "shuffle": "shuffle",
    "signatures": "signatures",
    "cocitation": "cocitation",
    "queries": "queries",
    "gamma": "gamma",
    "job": "job",
    "scale": "scale",
    "hot": "hot",
    "deal": "deal",
    "naive": "naive",
    "parsers": "parsers",
    "profile": "profiling",
    "house": "house",
}


def find_benchmark(name: str) -> Benchmark:
    """The benchmark of a name."""
    found: Benchmark = importlib.import_module(f"benchmarks.{NAMES[name]}").BENCHMARK
    return found
