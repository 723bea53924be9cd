"""PageRank, hubs and authorities of pages and of hosts, in rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pagekin.config import BuildConfig
from pagekin.kinds import GRAPH, RANK_MESSAGES, RANKS
from pagekin.stages.declaration import Circumstances, Counts, Output, Rounds, Stage, Table

__all__ = ["AUTHORITY", "AUTHORITY_TABLE"]

AUTHORITY_TABLE = Table(
    "authority",
    "authority.arrays",
    "the standing of pages and hosts, by their links",
    required=False,
    wanted=lambda config: config.cocitation.regulate != "none",
)


def _make_tables(folder: Path, counts: Counts, circumstances: Circumstances) -> None:
    """The table of all scores."""
    # imported here: only the process that builds makes tables
    from pagekin.stages.authority.table import write_table  # noqa: PLC0415
    from pagekin.storage.part_files import read_merged  # noqa: PLC0415

    write_table(folder / AUTHORITY_TABLE.file, read_merged(folder), counts.get("ranks", {}))


def _settle_memory(config: BuildConfig, counts: Counts) -> BuildConfig:
    """In rounds, where the graph is too large for the memory of one task."""
    links = sum(counts.get("link_graph", {}).get(f"links_of_{name}", 0) for name in _graphs())
    if links <= config.authority.memory_links:
        return config
    return replace(config, authority=replace(config.authority, memory_links=0))


def _graphs() -> tuple[str, str]:
    return "pages", "hosts"


def _is_still(config: BuildConfig, number: int, counted: Mapping[str, int]) -> bool:
    from pagekin.authority.ranks import Sums, are_still  # noqa: PLC0415 - it needs numpy

    if not counted or "rounds_in_memory" in counted:  # there is no node, or all rounds are done
        return True
    return are_still(number, [Sums.counted(name, counted) for name in _graphs()])


AUTHORITY = Stage(
    "authority",
    "authority:Authority",
    outputs=(
        Output(
            "authority",
            "PageRank, hubs and authorities of pages and of hosts",
            makes=(RANKS,),
            sections=("authority.damping", "authority.rounds", "authority.memory_links"),
            tables=(AUTHORITY_TABLE,),
            make_tables=_make_tables,
        ),
    ),
    reads=(GRAPH,),
    shuffles=(RANK_MESSAGES,),
    heeds=_settle_memory,
    rounds=Rounds(lambda config: config.authority.rounds, "ranks", _is_still),
)
