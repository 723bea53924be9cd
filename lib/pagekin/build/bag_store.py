"""The bags of a finished workspace: one by its URL, or all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pagekin.bags.bag import Bag, parse_bag
from pagekin.bags.describe import describe_bag
from pagekin.bags.dictionary import Dictionary
from pagekin.bags.frequencies import Frequencies
from pagekin.errors import NotFoundError, UsageError, WorkspaceError
from pagekin.names import DICTIONARY, FREQUENCIES, RESOLUTION
from pagekin.storage.part_files import find, neighbours, read_merged
from pagekin.storage.workspace import Workspace
from pagekin.web.resolution import Resolution
from pagekin.web.urls import address_of, host, spellings

__all__ = ["BagStore"]

_SUGGESTED = 5
_WORDS = "stage document_frequency"  # as a stage names what it depends on


class BagStore:
    """Looks bags up in a workspace and puts them into words."""

    def __init__(self, work: Path) -> None:
        self._workspace = workspace = Workspace.open(work)
        _check_one_build(workspace)
        self._folder = workspace.require("weighted_bags")
        self._dictionary = Dictionary(workspace.require("document_frequency") / DICTIONARY)
        aliases = workspace.stage_path("inventory") / RESOLUTION
        self._resolution = Resolution(aliases) if aliases.exists() else None

    def get(self, url: str) -> Bag:
        """The bag of a URL in any spelling; NotFoundError names what is near."""
        key = address_of(url)
        if key is None:
            raise UsageError(f"{url} is no web address")
        value = find(self._folder, key.encode())
        if value is None and self._resolution and (moved := self._resolution.end_of(key)) != key:
            key, value = moved, find(self._folder, moved.encode())
        if value is None:
            raise NotFoundError(self._not_found(key))
        return parse_bag(key.encode(), value)

    def all(self) -> Iterator[Bag]:
        """Every bag, in the order of the URLs."""
        for key, value in read_merged(self._folder):
            yield parse_bag(key, value)

    def end_of(self, url: str) -> str:
        """The canonical URL that a canonical URL stands for: its own, if no other."""
        return self._resolution.end_of(url) if self._resolution else url

    def config(self) -> dict[str, dict[str, Any]]:
        """The configuration that the bags were made with, as plain values."""
        record = self._workspace.stage_record("weighted_bags") or {}
        return dict(record.get("config", {}))

    def frequencies(self) -> tuple[Frequencies, int]:
        """The document frequencies, and the number of bags that hold any term."""
        path = self._workspace.require("document_frequency") / FREQUENCIES
        record = self._workspace.stage_record("bag_fragments") or {"result": {"counters": {}}}
        counts = record["result"]["counters"].get("bags", {})
        return Frequencies(path), counts.get("urls", 0) - counts.get("empty", 0)

    def describe(self, bag: Bag, count: int) -> dict[str, Any]:
        """The bag in words, heaviest term first; `count` of them, 0: all."""
        return describe_bag(bag, self._dictionary, count)

    def _not_found(self, key: str) -> str:
        near = self._near(key)
        hint = f"; near it are {', '.join(near)}" if near else ""
        crawled = self.config().get("bag", {}).get("urls") == "crawled"
        why = (
            "it was not read, and links make none"
            if crawled
            else "it was neither read nor linked to"
        )
        return f"{key} has no bag: {why}{hint}"

    def _near(self, key: str) -> list[str]:
        """Other spellings that have a bag, and what else there is on the host."""
        known = [u for u in spellings(key) if find(self._folder, u.encode()) is not None]
        start = f"{key.partition('://')[0]}://{host(key)}/".encode()
        beside = neighbours(self._folder, start, _SUGGESTED)
        known += [u.decode() for u in beside if u.startswith(start)]
        return list(dict.fromkeys(known))[:_SUGGESTED]


def _check_one_build(workspace: Workspace) -> None:
    """The words of a build are no words for the bags of another one."""
    bags = workspace.stage_record("weighted_bags")
    words = workspace.stage_record("document_frequency")
    if bags and words and bags["depends"][_WORDS] != words["result"]["digest"]:
        raise WorkspaceError(
            f"{workspace.path}: its bags are of an older build than its words; finish the newer one"
            " with pagekin build"
        )
