"""The versions of the libraries that records depend on: all tasks of a build need the same.

Tasks elsewhere say theirs in their statistics, and a build compares them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import pagekin

__all__ = ["differing", "others_than_here", "versions_here"]

# What makes words, pages and URLs; the others only carry them.
_LIBRARIES = ("ada-url", "lxml", "nltk", "publicsuffixlist", "PyStemmer", "Resiliparse", "rjieba")


@cache
def versions_here() -> dict[str, str]:
    """Of this process, by the name of the library."""
    return {"pagekin": pagekin.__version__, **{name: _version(name) for name in _LIBRARIES}}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # put in the path by hand: what uses it says if it is missing
        return "?"


def differing(found: Mapping[str, Sequence[str]]) -> str:
    """The libraries of which tasks had several versions, in words."""
    return ", ".join(f"{name} {' and '.join(its)}" for name, its in found.items() if len(its) > 1)


def others_than_here(found: Mapping[str, Sequence[str]]) -> str:
    """The libraries of which tasks had another version than this machine, in words."""
    here = versions_here() if found else {}
    others = (f"{n} {its[0]} (here {here[n]})" for n, its in found.items() if its != [here[n]])
    return ", ".join(others)
