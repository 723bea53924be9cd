"""In how many bags each term stands, and how it is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pagekin.kinds import RAW_BAGS, TERM_COUNTS, WORDS
from pagekin.stages.declaration import Circumstances, Counts, Output, Stage, Table

__all__ = ["DICTIONARY", "DOCUMENT_FREQUENCY", "FREQUENCIES"]

FREQUENCIES = Table("frequencies", "frequencies.arrays", "in how many bags each term stands")
DICTIONARY = Table("dictionary", "dictionary.arrays", "the words of each term")

_AT_ONCE = 1 << 20  # bytes of records; a call for each takes longer


def _make_tables(folder: Path, counts: Counts, circumstances: Circumstances) -> None:
    """The tables of document frequencies and of words."""
    # imported here: only the process that builds makes tables
    import numpy as np  # noqa: PLC0415

    from pagekin.bags.bag import write_dictionary  # noqa: PLC0415
    from pagekin.bags.weigh import Frequencies  # noqa: PLC0415
    from pagekin.stages.document_frequency.counting import (  # noqa: PLC0415
        DF,
        WORDS,
        unpack_counts,
        unpack_words,
    )
    from pagekin.text.words import Terms  # noqa: PLC0415

    columns = [(np.empty(0, np.uint32), np.empty(0, np.uint32))]

    def words() -> Iterator[tuple[Terms, bytes]]:
        """Those of the records; the frequencies that stand between them are kept on the way."""
        for values in _batches(folder):
            counted = [value.removeprefix(DF) for value in values if value.startswith(DF)]
            columns.append(unpack_counts(*counted))
            yield unpack_words(v.removeprefix(WORDS) for v in values if v.startswith(WORDS))

    write_dictionary(folder / DICTIONARY.file, words())
    terms, df = (np.concatenate(column) for column in zip(*columns, strict=True))
    bags = counts.get("frequencies", {}).get("bags", 0)
    Frequencies.write(folder / FREQUENCIES.file, terms, df, bags)


def _batches(folder: Path) -> Iterator[list[bytes]]:
    """The values of records, as many at once as take a megabyte."""
    from pagekin.storage.part_files import read_merged  # noqa: PLC0415

    some: list[bytes] = []
    size = 0
    for _, value in read_merged(folder):
        some.append(value)
        size += len(value)
        if size > _AT_ONCE:
            yield some
            some, size = [], 0
    yield some


DOCUMENT_FREQUENCY = Stage(
    "document_frequency",
    "document_frequency:DocumentFrequency",
    outputs=(
        Output(
            "document_frequency",
            "in how many bags each term stands, and its words",
            makes=(TERM_COUNTS,),
            version=4,
            part="bags",
            tables=(FREQUENCIES, DICTIONARY),
            make_tables=_make_tables,
        ),
    ),
    reads=(RAW_BAGS, WORDS),
    shuffles=(TERM_COUNTS,),
)
