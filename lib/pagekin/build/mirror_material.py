"""What a build made of pairs of pages: their sketches in a workspace, their groups in an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pagekin.build.made import required_pass, table_path
from pagekin.config import MirrorConfig
from pagekin.errors import NotFoundError
from pagekin.evaluate.mirror_pairs import FoundPair, KnownPair, bottlenecks, pairs_within
from pagekin.index.folder import IndexFolder, Place
from pagekin.index.mirror_table import ONE, MirrorTable
from pagekin.kinds import SHINGLES, Pair
from pagekin.mirrors.shingles import Sketch, compare, unpack
from pagekin.stages.chain import maker_of
from pagekin.stages.inventory import RESOLUTION
from pagekin.stages.shingles.extractor import read_sketches
from pagekin.storage.part_files import records_from
from pagekin.storage.workspace import Workspace
from pagekin.web.resolution import Resolution

__all__ = ["JudgedPairs", "pairs_of_index", "pairs_of_workspace"]


class JudgedPairs(NamedTuple):
    """Pairs, and how they were found."""

    found: list[FoundPair]
    missing: int  # pairs of which a page is not there
    threshold: float  # the resemblance that the build asked for
    within_groups: dict[str, Any] | None  # all pairs of one group, counted


def pairs_of_workspace(work: Path, pairs: Sequence[KnownPair]) -> JudgedPairs:
    """The resemblance of each pair by the sketches of both pages, whether it is a candidate or not;
    it is the strength of the pair.
    """
    workspace = Workspace.open(work)
    made = required_pass(workspace, maker_of(SHINGLES))
    aliases = table_path(workspace, RESOLUTION)
    end_of = Resolution(aliases).end_of if aliases else str
    ends = {url: end_of(url).encode() for pair in pairs for url in pair[:2]}
    sketches = _sketches(workspace.stage_path(made.name), {*ends.values()})
    found = [
        FoundPair(pair, round(compare(a, b).resemblance, 4))
        for pair in pairs
        if (a := sketches.get(ends[pair.a])) and (b := sketches.get(ends[pair.b]))
    ]
    threshold = _threshold(made.record["config"])
    return JudgedPairs(found, len(pairs) - len(found), threshold, None)


def _sketches(folder: Path, wanted: set[bytes]) -> dict[bytes, Sketch]:
    def records() -> Iterator[Pair]:
        for key, value in records_from(folder, SHINGLES.prefix):
            if not SHINGLES.holds(key):
                return
            yield key, value

    return {url: unpack(word) for url, word in read_sketches(records()) if url in wanted}


def pairs_of_index(path: Path, pairs: Sequence[KnownPair]) -> JudgedPairs:
    """Each pair by the edges and groups of an index: its strength is that of the best way from page
    to page. NotFoundError where the index has no groups.
    """
    folder = IndexFolder(path)
    if (table := folder.mirrors) is None:
        raise NotFoundError(f"{path} has no groups of mirrors; `pagekin build` makes them")
    places = {url: _place(folder, url) for pair in pairs for url in pair[:2]}
    known = [(pair, a, b) for pair in pairs if (a := places[pair.a]) and (b := places[pair.b])]
    rows = [(table.row_of(a.spot), table.row_of(b.spot)) for _, a, b in known]
    strengths = bottlenecks(table.all_edges(), rows)
    found = []
    for (pair, a, b), strength in zip(known, strengths, strict=True):
        is_one = a == b  # under two addresses
        group = table.group_of(a.spot)
        together = is_one or (group >= 0 and group == table.group_of(b.spot))
        found.append(FoundPair(pair, 1.0 if is_one else strength / ONE, together))
    threshold, within = _threshold(folder.header.config), pairs_within(_groups(folder, table))
    return JudgedPairs(found, len(pairs) - len(found), threshold, within)


def _place(folder: IndexFolder, url: str) -> Place | None:
    return next(filter(None, map(folder.find, folder.forms(url))), None)


def _groups(folder: IndexFolder, table: MirrorTable) -> Iterator[list[str]]:
    for number in range(len(table)):
        yield [folder.shards[spot.shard].spelt(spot.document) for spot in table.members(number)]


def _threshold(config: Mapping[str, Mapping[str, Any]]) -> float:
    return float(config.get("mirrors", {}).get("resemblance", MirrorConfig().resemblance))
