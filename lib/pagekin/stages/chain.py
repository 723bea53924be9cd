"""The chain of stages: what each reads, which part of the configuration it depends on, and what is
made of its output on this machine before it counts as finished.

A stage is one mrjob job. This table is what `pagekin build --until` and the workspace know of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from pagekin.bags.dictionary import write_dictionary
from pagekin.bags.frequencies import Frequencies
from pagekin.cocitation.records import BLOCKS_KEY
from pagekin.config import BuildConfig
from pagekin.names import DICTIONARY, FREQUENCIES, PACKING, PARTS, RESOLUTION
from pagekin.stages.document_frequency.counting import DF, WORDS, unpack_all_counts, unpack_words
from pagekin.stages.inventory.captures import ALIAS, CAPTURED, OVER
from pagekin.stages.inventory.sample import SAMPLE_KEY, Sampling, write_sampled
from pagekin.storage.part_files import read_merged
from pagekin.text.words import Terms
from pagekin.web.resolution import write_resolution

__all__ = [
    "LINKS_ONLY",
    "SAMPLE",
    "STAGES",
    "WITH_BLOCKS",
    "Stage",
    "settle_shards",
    "split_chains",
    "wanted_stages",
]

WITH_BLOCKS = "--with-blocks"
SAMPLE = "--sample="
LINKS_ONLY = "--links-only"
_CAPTURES = "--captures"
_OF_WORDS = ("bag_fragments", "document_frequency")  # stages with records of words

_DOCUMENTS_A_SHARD = 500_000  # a minute of a reducer, and some 3 GB to copy

_AT_ONCE = 1 << 20  # bytes of records; a call for each takes longer

Finish = Callable[[Path, dict[str, dict[str, int]]], None]


def _nothing(folder: Path, counters: dict[str, dict[str, int]]) -> None:
    """Nothing is made of the records."""


@dataclass(frozen=True)
class Stage:
    """One link of the chain."""

    name: str
    does: str  # for people
    job: str  # module and class below pagekin.jobs
    sections: tuple[str, ...] = ()  # of the configuration
    reads: str = ""  # the stage whose part files it reads; "": the snapshot
    takes: bytes = b""  # with what the keys of the records begin that it reads; b"": all
    flags: tuple[str, ...] = ()  # of its job, besides those of the configuration
    tables: dict[str, tuple[str, str]] = field(default_factory=dict)  # option -> (stage, file)
    version: int = 1  # raised when its output changes for the same configuration
    beside: dict[str, int] = field(default_factory=dict)  # versions of what else its job makes
    finish: Finish = _nothing
    wanted: Callable[[BuildConfig], bool] = lambda config: True
    settle: Callable[[BuildConfig, int], BuildConfig] = lambda config, records: config
    part: str = ""  # of PARTS; "": wanted always
    for_index: bool = False  # wanted where an index is wanted

    @property
    def makes_tables(self) -> bool:
        """Are its records read on this machine before it counts as finished?"""
        return self.finish is not _nothing


def finish_inventory(
    folder: Path, counters: dict[str, dict[str, int]], *, captured: bool = False
) -> None:
    """Make the table of aliases, of captures to pass over, and of captured URLs where wanted."""

    def entries(kind: bytes) -> Iterator[tuple[bytes, bytes]]:
        for key, value in read_merged(folder):
            word, _, rest = value.partition(b" ")
            if word == kind:
                yield key, rest

    over = (capture for _, capture in entries(OVER))
    # a file that could not be read now may be read later, and its pages are not known
    all_read = not counters.get("files", {}).get("failed")
    urls = (url for url, _ in entries(CAPTURED)) if captured and all_read else None
    write_resolution(folder / RESOLUTION, entries(ALIAS), over, urls)


def _finish_sample(
    finish: Finish, stands_for: int, folder: Path, counters: dict[str, dict[str, int]]
) -> None:
    """Also say how bags are packed, if each page of the sample stands for so many."""
    finish(folder, counters)
    told = (value for key, value in read_merged(folder) if key.startswith(SAMPLE_KEY))
    write_sampled(folder / PACKING, told, stands_for)


def finish_frequencies(folder: Path, counters: dict[str, dict[str, int]]) -> None:
    """Make the tables of document frequencies and of words."""
    counts = [(np.empty(0, np.uint32), np.empty(0, np.uint32))]

    def words() -> Iterator[tuple[Terms, bytes]]:
        """Those of the records; what these say of frequencies is kept on the way."""
        for values in _some_values(folder):
            counted = [value.removeprefix(DF) for value in values if value.startswith(DF)]
            counts.append(unpack_all_counts(counted))
            yield unpack_words(v.removeprefix(WORDS) for v in values if v.startswith(WORDS))

    write_dictionary(folder / DICTIONARY, words())
    terms, df = (np.concatenate(column) for column in zip(*counts, strict=True))
    bags = counters.get("frequencies", {}).get("bags", 0)
    Frequencies.write(folder / FREQUENCIES, terms, df, bags)


def _some_values(folder: Path) -> Iterator[list[bytes]]:
    """The values of records, as many at once as take a megabyte."""
    some: list[bytes] = []
    size = 0
    for _, value in read_merged(folder):
        some.append(value)
        size += len(value)
        if size > _AT_ONCE:
            yield some
            some, size = [], 0
    yield some


def settle_shards(config: BuildConfig, documents: int) -> BuildConfig:
    """The number of shards, where it follows from the number of documents."""
    shards = config.index.shards or max(1, -(-documents // _DOCUMENTS_A_SHARD))
    return replace(config, index=replace(config.index, shards=shards))


STAGES: tuple[Stage, ...] = (
    Stage(
        "inventory",
        "which URL stands for which, and which capture is read",
        "inventory:Inventory",
        sections=("reading",),
        finish=finish_inventory,
        wanted=lambda config: config.reading.resolve,
    ),
    Stage(
        "bag_fragments",
        "pages become fragments, fragments are merged to raw bags",
        "bag_fragments:BagFragments",
        sections=("reading", "text", "window", "bag"),
        tables={"resolution": ("inventory", RESOLUTION), "packing": ("inventory", PACKING)},
        part="bags",
        version=4,
    ),
    Stage(
        "document_frequency",
        "in how many bags each term stands, and its words",
        "document_frequency:DocumentFrequency",
        reads="bag_fragments",
        finish=finish_frequencies,
        part="bags",
        version=2,
    ),
    Stage(
        "weighted_bags",
        "raw bags are weighted, cut and normalised",
        "weighted_bags:WeightedBags",
        sections=("weight",),
        reads="bag_fragments",
        tables={"frequencies": ("document_frequency", FREQUENCIES)},
        part="bags",
    ),
    Stage(
        "index_shards",
        "final bags get signatures, and lie in shards with H and I",
        "index_shards:IndexShards",
        sections=("weight", "signatures", "index"),
        reads="weighted_bags",
        tables={"dictionary": ("document_frequency", DICTIONARY)},
        settle=settle_shards,
        for_index=True,
        part="bags",
        version=3,
    ),
    Stage(
        "blocks",
        "pages become blocks of links",
        "link_blocks:LinkBlocks",
        sections=("reading", "blocks"),
        tables={"resolution": ("inventory", RESOLUTION)},
        part="cocitation",
        version=2,
    ),
    Stage(
        "pairs",
        "links of one block are pairs, merged over all pages",
        "cocitation_pairs:CocitationPairs",
        sections=("cocitation",),
        reads="blocks",
        takes=BLOCKS_KEY,
        part="cocitation",
    ),
    Stage(
        "related",
        "the best pairs of each page",
        "cocitation_related:CocitationRelated",
        sections=("cocitation",),
        reads="pairs",
        part="cocitation",
    ),
)


def wanted_stages(
    config: BuildConfig,
    until: str = "",
    *,
    index: bool = False,
    parts: Collection[str] = PARTS,
    sampling: Sampling | None = None,
    of_words: tuple[str, ...] = (),
) -> tuple[Stage, ...]:
    """The stages that this configuration needs: of these parts, up to and with `until`.

    With bags a sample of the pages tells how they are packed; without one they are packed less.
    `of_words` are flags of the jobs that make records of words.
    """

    parts_of = {stage.name: stage.part for stage in STAGES}
    of_until = parts_of.get(until, "")
    if "bags" not in parts or of_until not in {"", "bags"}:
        sampling = None

    def is_wanted(stage: Stage) -> bool:
        of_part = not stage.part or stage.part in parts
        wanted = stage.wanted(config) or (stage.name == "inventory" and sampling is not None)
        return of_part and wanted and (index or not stage.for_index)

    chain = [stage for stage in STAGES if is_wanted(stage) or stage.name == until]
    chain = [
        replace(stage, flags=(*stage.flags, *of_words)) if stage.name in _OF_WORDS else stage
        for stage in chain
    ]
    if "bags" in parts:
        chain = [_for_bags(stage, config, sampling) for stage in chain]
    if not until:
        return _in_one_pass(chain)
    last = next(k for k, stage in enumerate(chain) if stage.name == until)
    needed = {"", of_until}  # of the other part nothing stands before it that it needs
    return _in_one_pass([stage for stage in chain[: last + 1] if stage.part in needed])


def _for_bags(stage: Stage, config: BuildConfig, sampling: Sampling | None) -> Stage:
    """The inventory names what was captured, where nothing else has a bag; and it reads a sample of
    the pages, which tells how bags are packed. Where nobody wants to know what stands for what,
    that is all it does.
    """
    if stage.name == "bag_fragments" and not config.reading.resolve:
        return replace(stage, tables={"packing": stage.tables["packing"]})
    if stage.name != "inventory":
        return stage
    resolves = config.reading.resolve
    captured = config.bag.urls == "crawled" and resolves
    flags = [_CAPTURES] if captured else []
    if sampling:
        flags.append(f"{SAMPLE}{sampling.one_in}")
        flags += [] if sampling.words else [LINKS_ONLY]
    if sampling and not resolves:
        flags.append(f"--heads={sampling.heads}")
    finish = partial(finish_inventory, captured=captured) if resolves else _nothing
    return replace(
        stage,
        does=stage.does if resolves else "from a sample of the pages, how bags are packed",
        sections=(*stage.sections, "text") if sampling and sampling.words else stage.sections,
        flags=tuple(flags),
        finish=partial(_finish_sample, finish, sampling.stands_for) if sampling else finish,
    )


def _in_one_pass(chain: list[Stage]) -> tuple[Stage, ...]:
    """Where bags and blocks are both wanted, one reading of the pages makes both."""
    by_name = {stage.name: stage for stage in chain}
    if not {"bag_fragments", "blocks"} <= by_name.keys():
        return tuple(chain)
    bags, blocks = by_name["bag_fragments"], by_name.pop("blocks")
    by_name["bag_fragments"] = replace(
        bags,
        does=f"{bags.does}; and {blocks.does}",
        sections=tuple(dict.fromkeys((*bags.sections, *blocks.sections))),
        flags=(*bags.flags, WITH_BLOCKS),
        beside={"blocks.version": blocks.version},
    )
    for stage in chain:
        if stage.reads == "blocks":
            by_name[stage.name] = replace(stage, reads="bag_fragments")
    return tuple(by_name.values())


def split_chains(
    stages: Sequence[Stage],
) -> tuple[Sequence[Stage], Sequence[Stage], Sequence[Stage]]:
    """What both parts rest on, and two chains behind that do not need each other: of bags, and of
    co-citation. Where there is only one, all is in the first.
    """
    aside = [stage for stage in stages if stage.part == "cocitation"]
    needed = {name for stage in aside for name in (stage.reads, *_tables_of(stage))}
    others = [stage for stage in stages if stage not in aside]
    first = max((k + 1 for k, stage in enumerate(others) if stage.name in needed), default=0)
    if not (aside and others[first:]):
        return stages, (), ()
    return others[:first], others[first:], aside


def _tables_of(stage: Stage) -> Iterator[str]:
    """The stages whose tables it reads."""
    return (name for name, _ in stage.tables.values())
