"""The bags of a finished workspace: one by its URL, or all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pagekin.bags.bag import Bag, Dictionary, EnrichedBags, describe_bag, parse_bag
from pagekin.bags.weigh import Frequencies
from pagekin.build.made import Pass, newest_pass, required_pass, table_path
from pagekin.enrich.topics import Topics
from pagekin.errors import NotFoundError, UsageError, WorkspaceError
from pagekin.index.near import folders_of, letters_apart
from pagekin.kinds import ENRICHED_BAGS, FINAL_BAGS, RAW_BAGS, TERM_COUNTS, Kind
from pagekin.stages.chain import maker_of
from pagekin.stages.declaration import Table
from pagekin.stages.document_frequency import DICTIONARY, FREQUENCIES
from pagekin.stages.inventory import RESOLUTION
from pagekin.stages.topics import TOPICS
from pagekin.storage.part_files import find, neighbours, read_merged
from pagekin.storage.workspace import Workspace
from pagekin.web.resolution import Resolution
from pagekin.web.urls import address_of, origin, spellings

__all__ = ["BagStore", "words_of"]

_SUGGESTED = 5
_LOOKED_AT = 10_000  # bags of each part file: 10 MB


class BagStore:
    """Looks bags up in a workspace and puts them into words.

    They are those that are compared: enriched, where the build enriched them; `plain`: final bags.
    """

    def __init__(self, work: Path, *, plain: bool = False) -> None:
        self._workspace = workspace = Workspace.open(work)
        final = required_pass(workspace, maker_of(FINAL_BAGS))
        enriched = None if plain else newest_pass(workspace, maker_of(ENRICHED_BAGS))
        self.is_enriched = enriched is not None
        self._bags = enriched or final
        self._kind = ENRICHED_BAGS if enriched else FINAL_BAGS
        self._folder = workspace.stage_path(self._bags.name)
        self._plain = workspace.stage_path(final.name)
        self.dictionary = words_of(workspace)
        _check_one_build(workspace, final, TERM_COUNTS, "words")
        if enriched:
            _check_one_build(workspace, enriched, FINAL_BAGS, "plain bags")
        aliases = table_path(workspace, RESOLUTION)
        self.resolution = Resolution(aliases) if aliases else None

    def get(self, url: str) -> Bag:
        """The bag of a URL in any spelling; NotFoundError names what is near."""
        key = address_of(url)
        if key is None:
            raise UsageError(f"{url} is no web address")
        for form in (key, self.end_of(key), *spellings(key)):
            value = self._find(form)
            if value is not None:
                return self._parse(form.encode(), value)
        raise NotFoundError(self._not_found(key))

    def all(self) -> Iterator[Bag]:
        """Every bag, in the order of the URLs."""
        for key, value in read_merged(self._folder):
            yield self._parse(key.removeprefix(self._kind.prefix), value)

    def _find(self, url: str) -> bytes | None:
        return find(self._folder, self._kind.prefix + url.encode())

    def _parse(self, url: bytes, value: bytes) -> Bag:
        if self._kind is FINAL_BAGS:
            return parse_bag(url, value)
        bags, sources, _ = EnrichedBags.read([(url, value)])
        return next(iter(bags))._replace(sources=sources)

    def end_of(self, url: str) -> str:
        """The canonical URL that a canonical URL stands for: its own, if no other."""
        return self.resolution.end_of(url) if self.resolution else url

    def config(self) -> dict[str, dict[str, Any]]:
        """The configuration that the bags were made with, as plain values."""
        return dict(self._bags.record["config"])

    def frequencies(self) -> tuple[Frequencies, int]:
        """The document frequencies, and the number of bags that hold any term."""
        counts = required_pass(self._workspace, maker_of(RAW_BAGS)).counters.get("bags", {})
        documents = counts.get("urls", 0) - counts.get("empty", 0)
        return Frequencies(_table(self._workspace, FREQUENCIES)), documents

    def page_ms(self) -> float | None:
        """CPU of all that the workspace holds, a page that was read; None where none was."""
        passes = [record["result"] for record in self._workspace.passes().values()]
        pages = max(done["counters"].get("records", {}).get("used", 0) for done in passes)
        return 1000 * sum(done["cpu_seconds"] for done in passes) / pages if pages else None

    def describe(self, bag: Bag, count: int) -> dict[str, Any]:
        """The bag in words, heaviest term first; `count` of them, 0: all."""
        return describe_bag(bag, self.dictionary, count)

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
        """URLs that differ in few letters, among the bags from its host on; then its folders."""
        start = origin(key)[:-1].encode()
        beside = [url.decode() for url in neighbours(self._plain, start, _LOOKED_AT)]
        near = sorted((errors, beside[place]) for errors, place in letters_apart(key, beside))
        folders = (url for url in folders_of(key) if self._find(url) is not None)
        return [*(url for _, url in near), *folders][:_SUGGESTED]


def words_of(workspace: Workspace) -> Dictionary:
    """The words of all terms, and what stands for topics where there are some."""
    tokens = table_path(workspace, TOPICS)
    return Dictionary(_table(workspace, DICTIONARY), Topics(tokens).entries if tokens else {})


def _table(workspace: Workspace, table: Table) -> Path:
    path = table_path(workspace, table)
    if path is None:
        name = maker_of(table).name
        raise WorkspaceError(f"{workspace.path}: stage {name} is not built; run pagekin build")
    return path


def _check_one_build(workspace: Workspace, bags: Pass, kind: Kind, name: str) -> None:
    """The words of a build are no words for the bags of another one."""
    digest = required_pass(workspace, maker_of(kind)).written(kind)["digest"]
    [made] = bags.record["outputs"].values()
    if made["depends"][f"records {kind.name}"] != digest:
        raise WorkspaceError(
            f"{workspace.path}: its bags are of an older build than its {name}; finish the newer"
            " one with pagekin build"
        )
