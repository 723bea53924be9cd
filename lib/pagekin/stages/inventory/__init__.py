"""The inventory: which URL stands for which, which capture is read, where large files can be cut, a
sample of the pages, and stop lists of languages that none is shipped for.

Headers of all records are read, and the pages of the sample on the way. Where nobody wants to know
what stands for what, only the beginning of each file is read, for the sample alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pagekin.config import BuildConfig
from pagekin.kinds import CAPTURES, CUTS, SAMPLE, SIGHTINGS, STOP_WORDS
from pagekin.stages.declaration import Circumstances, Counts, Extractor, Output, Stage, Table

__all__ = ["DERIVED_STOPS", "INVENTORY", "PACKING", "RESOLUTION"]

RESOLUTION = Table(
    "resolution",
    "resolution.arrays",
    "which URL stands for which, and which captures are not read",
    required=False,
)
PACKING = Table(
    "packing",
    "packing.arrays",
    "where large hosts are cut into ranges of URLs, so that reducers get equal shares",
    shapes_records=False,
    required=False,
)
DERIVED_STOPS = Table(
    "stops",
    "stops.arrays",
    "stop words of languages that no list is shipped for",
    required=False,
)


def _make_resolution(folder: Path, counts: Counts, circumstances: Circumstances) -> None:
    """The table of aliases, of captures to pass over, and of captured URLs where they are named."""
    # imported here: only the process that builds makes tables
    from pagekin.stages.inventory.captures import ALIAS, CAPTURED, OVER, SPELT  # noqa: PLC0415
    from pagekin.storage.part_files import read_merged  # noqa: PLC0415
    from pagekin.web.resolution import write_resolution  # noqa: PLC0415

    def entries(wanted: bytes) -> Iterator[tuple[bytes, bytes]]:
        for key, value in read_merged(folder):
            word, _, rest = value.partition(b" ")
            if word == wanted and CAPTURES.holds(key):
                yield key, rest

    # a file that could not be read now may be read later, and its pages are not known
    all_read = not counts.get("files", {}).get("failed")
    config = circumstances.config
    named = all_read and config.bag.asks_what_was_read
    words = (CAPTURED, SPELT) if config.reading.follow_canonical else (CAPTURED,)
    write_resolution(
        folder / RESOLUTION.file,
        entries(ALIAS),
        (capture for _, capture in entries(OVER)),
        (url for word in words for _, url in entries(word)) if named else None,
        entries(SPELT) if config.reading.join_spellings else None,
    )


def _make_packing(folder: Path, counts: Counts, circumstances: Circumstances) -> None:
    from pagekin.stages.inventory.sample import sampling_for, write_sampled  # noqa: PLC0415
    from pagekin.storage.part_files import read_merged  # noqa: PLC0415

    told = (value for key, value in read_merged(folder) if SAMPLE.holds(key))
    write_sampled(folder / PACKING.file, told, sampling_for(circumstances).stands_for)


def _sample_options(circumstances: Circumstances) -> list[str]:
    from pagekin.stages.inventory.sample import sampling_for  # noqa: PLC0415

    sampling = sampling_for(circumstances)
    return [f"--sample={sampling.one_in}", f"--heads={sampling.heads}"]


def _resolves(config: BuildConfig) -> bool:
    return config.reading.resolve


def _make_stop_lists(folder: Path, counts: Counts, circumstances: Circumstances) -> None:
    from pagekin.bags.vocabulary import write_stop_lists  # noqa: PLC0415
    from pagekin.stages.inventory.stop_lists import parse_stop_words  # noqa: PLC0415
    from pagekin.storage.part_files import read_merged  # noqa: PLC0415

    derived = {
        key.removeprefix(STOP_WORDS.prefix).decode(): parse_stop_words(value)[1]
        for key, value in read_merged(folder)
        if STOP_WORDS.holds(key)
    }
    write_stop_lists(folder / DERIVED_STOPS.file, derived)


def _derives_stops(config: BuildConfig) -> bool:
    # without `resolve` only the beginning of each file is read here
    return config.reading.resolve and config.text.stop_words and config.text.derived_stops


def _tells_of_stops(config: BuildConfig, counts: Counts) -> str:
    derived = counts.get("stop_words_derived", {})
    told = ", ".join(f"{language} ({number})" for language, number in sorted(derived.items()))
    return f"stop words derived from the pages: {told}" if told else ""


INVENTORY = Stage(
    "inventory",
    "inventory:Inventory",
    outputs=(
        Output(
            "captures",
            "which URL stands for which, which capture is read, and where files can be cut",
            makes=(CAPTURES, CUTS),
            version=4,
            sections=("bag.urls", "bag.templates"),
            tables=(RESOLUTION,),
            make_tables=_make_resolution,
            is_possible=_resolves,
        ),
        Extractor(
            "sample",
            "from one page in N: how large the hosts are",
            makes=(SAMPLE,),
            version=3,
            part="bags",
            tables=(PACKING,),
            make_tables=_make_packing,
            more_options=_sample_options,
            runs="stages.inventory.sample:Sampler",
        ),
        Extractor(
            "stop_words",
            "stop lists of languages that none is shipped for",
            makes=(STOP_WORDS,),
            version=2,
            part="bags",
            tables=(DERIVED_STOPS,),
            make_tables=_make_stop_lists,
            is_possible=_derives_stops,
            tells=_tells_of_stops,
            runs="stages.inventory.stop_lists:StopWordSampler",
        ),
    ),
    shuffles=(SIGHTINGS, CUTS, SAMPLE, STOP_WORDS),
    sections=("reading",),
)
