"""Which terms stand in the same bags: learned from a sample of final bags."""

from __future__ import annotations

from pathlib import Path

from pagekin.config import BuildConfig
from pagekin.kinds import FINAL_BAGS, NEIGHBOURS, SAMPLED_BAGS
from pagekin.stages.declaration import Circumstances, Counts, Output, Stage, Table, share_of_sample
from pagekin.stages.document_frequency import DICTIONARY, FREQUENCIES

__all__ = ["NEIGHBOUR_TABLE", "TERM_NEIGHBOURS"]

NEIGHBOUR_TABLE = Table(
    "neighbours", "neighbours.arrays", "which terms are neighbours of each", required=False
)


def _make_tables(folder: Path, counts: Counts, circumstances: Circumstances) -> None:
    """The table of neighbours."""
    # imported here: only the process that builds makes tables
    from pagekin.stages.term_neighbours.learning import write_table  # noqa: PLC0415
    from pagekin.storage.part_files import read_merged  # noqa: PLC0415

    bags = counts.get("neighbours", {}).get("sampled_bags", 0)
    write_table(folder / NEIGHBOUR_TABLE.file, read_merged(folder), bags)


def _tells(config: BuildConfig, counts: Counts) -> str:
    numbers = counts.get("neighbours", {})
    bags, terms = numbers.get("sampled_bags", 0), numbers.get("terms_with_neighbours", 0)
    return f"{terms:,} terms have neighbours, learned from {bags:,} bags"


TERM_NEIGHBOURS = Stage(
    "term_neighbours",
    "term_neighbours:TermNeighbours",
    outputs=(
        Output(
            "term_neighbours",
            "which terms stand in the same bags of a sample",
            makes=(NEIGHBOURS,),
            sections=(*("enrich.words_sample", "enrich.words_nearest", "enrich.words_least"),),
            part="bags",
            uses=(FREQUENCIES, DICTIONARY),
            tables=(NEIGHBOUR_TABLE,),
            make_tables=_make_tables,
            is_possible=lambda config: config.enrich.learns_words,
            tells=_tells,
        ),
    ),
    reads=(FINAL_BAGS,),
    shuffles=(SAMPLED_BAGS,),
    settle=share_of_sample("words_sample"),
)
