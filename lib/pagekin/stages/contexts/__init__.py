"""What the pages around a URL say is summed up, by how they are linked with it."""

from __future__ import annotations

from pathlib import Path

from pagekin.kinds import CONTEXTS, JOINED_HEADS, MESSAGES
from pagekin.stages.declaration import Circumstances, Counts, Output, Stage, Table

__all__ = ["CONTEXTS_OF_URLS", "CONTEXT_TABLE"]

CONTEXT_TABLE = Table(
    "contexts", "contexts.arrays", "what the pages around each URL say", required=False
)


def _make_tables(folder: Path, counts: Counts, circumstances: Circumstances) -> None:
    """The contexts of all URLs."""
    # imported here: only the process that builds makes tables
    from pagekin.enrich.links import write_contexts  # noqa: PLC0415
    from pagekin.storage.part_files import read_merged  # noqa: PLC0415

    records = (
        (key.removeprefix(CONTEXTS.prefix), value)
        for key, value in read_merged(folder)
        if CONTEXTS.holds(key)
    )
    write_contexts(folder / CONTEXT_TABLE.file, records)


CONTEXTS_OF_URLS = Stage(
    "contexts",
    "contexts:Contexts",
    outputs=(
        Output(
            "contexts",
            "each URL hears of the pages that link to it, that it links to, and those beside it",
            makes=(CONTEXTS,),
            sections=("enrich.links_terms", "enrich.links_most"),
            part="bags",
            tables=(CONTEXT_TABLE,),
            make_tables=_make_tables,
            is_possible=lambda config: config.enrich.links,
        ),
    ),
    reads=(JOINED_HEADS,),
    shuffles=(MESSAGES,),
)
