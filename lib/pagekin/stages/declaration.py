"""What a stage says of itself; dry run, plan, options and report follow from it.

A stage is one MapReduce job. It has one output, or several that can be made in one pass or apart:
those of stages that read the snapshot are made by extractors, so that each page is parsed once. An
output names the kinds of record that it is made of, the parts of the configuration that it depends
on, its version, and the tables that are made of its records on this machine.

The configuration an output depends on is a list of sections (`"window"`) and of single keys
(`"bag.urls"`). A stage also depends on the records it reads, and on those of its tables.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pagekin.config import BuildConfig
from pagekin.kinds import Kind

__all__ = [
    "PARTS",
    "Circumstances",
    "Counts",
    "Extractor",
    "Output",
    "Rounds",
    "Stage",
    "Table",
    "load_named",
    "parts_without",
    "share_of_sample",
]

# What an index is made of; each can be made without the other.
PARTS = ("bags", "cocitation", "mirrors")
_RESTS_ON = {"mirrors": "bags"}  # groups of mirrors are groups of documents

Counts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Circumstances:
    """What an output may ask about the build that it is part of."""

    config: BuildConfig
    sizes: tuple[int, ...]  # bytes of the files of the snapshot, guessed where nobody knows them
    stands_for: float = 1.0  # so many times as large is the snapshot that these files stand for
    made_together: Collection[str] = ()  # names of the outputs of one pass


@dataclass(frozen=True)
class Table:
    """A file made of the records of an output, which tasks of later stages look things up in."""

    option: str  # of jobs that need it, without the dashes
    file: str  # in the folder of the pass
    about: str
    shapes_records: bool = True  # False: records are the same whatever it says
    required: bool = True  # by the jobs that have the option
    # False: stages that use it are made without it
    wanted: Callable[[BuildConfig], bool] = lambda config: True


def _nothing(folder: Path, counters: Counts, circumstances: Circumstances) -> None:
    """No table is made."""


def _no_options(circumstances: Circumstances) -> list[str]:
    return []


@dataclass(frozen=True)
class Output:
    """Records of one or more kinds that are made, and kept, together."""

    name: str
    does: str  # for people
    makes: tuple[Kind, ...]
    sections: tuple[str, ...] = ()  # of the configuration, besides those of its stage
    version: int = 1  # raised when the records change for the same configuration
    part: str = ""  # of PARTS that it is made for; empty: of both, or of none
    uses: tuple[Table, ...] = ()
    tables: tuple[Table, ...] = ()
    make_tables: Callable[[Path, Counts, Circumstances], None] = _nothing
    # False: stages that read it, or use its tables, are made without it
    is_possible: Callable[[BuildConfig], bool] = lambda config: True
    more_options: Callable[[Circumstances], list[str]] = _no_options  # without effect on records
    tells: Callable[[BuildConfig, Counts], str] = lambda config, counts: ""  # for people, of a pass


@dataclass(frozen=True)
class Extractor(Output):
    """An output that is made of pages, by objects with `view`, `records(page)` and `finish()`.

    `runs` names the class, `module:Class` below pagekin. Where its records are merged by key before
    they are kept, `merges` names a function of sorted pairs.
    """

    runs: str = ""
    merges: str = ""


@dataclass(frozen=True)
class Rounds:
    """The job of a stage runs again and again, until a round says that nothing moves any more.

    The first round reads what the stage reads, each later one the records that the round before
    made. What a round counts in the group `counts` is what `is_still` is asked, with the number of
    the round (from 1), and what the job of the next round finds in `self.before`. Counts of 0 are
    in neither.
    """

    most: Callable[[BuildConfig], int]
    counts: str
    is_still: Callable[[BuildConfig, int, Mapping[str, int]], bool]
    must_be_still: bool = False  # a stage that is not, after the last round, has failed


@dataclass(frozen=True)
class Stage:
    """One link of the chain."""

    name: str
    job: str  # `module:Class` below pagekin.jobs
    outputs: tuple[Output, ...]
    reads: tuple[Kind, ...] = ()  # none: the snapshot
    shuffles: tuple[Kind, ...] = ()  # what its mappers send; none: it has no reducers
    sections: tuple[str, ...] = ()
    looks_up: tuple[Table, ...] = ()  # tables that all its outputs use
    # of the kinds that it reads, those that it reads under this configuration; None: all
    chooses: Callable[[BuildConfig], tuple[Kind, ...]] | None = None
    cut_by: Kind | None = None  # tells where its files may be cut, so that several tasks read one
    # the configuration, with what follows from the number of records that are read, which are made
    # of this share of the snapshot
    settle: Callable[[BuildConfig, int, float], BuildConfig] = lambda config, records, share: config
    # the configuration, with what follows from what the stages before it counted
    heeds: Callable[[BuildConfig, Counts], BuildConfig] = lambda config, counts: config
    rounds: Rounds | None = None  # None: its job runs once

    def __post_init__(self) -> None:
        if self.rounds and not (self.reads and len(self.outputs) == 1):
            raise ValueError(f"{self.name}: rounds are for stages of records with one output")

    def reads_in(self, config: BuildConfig) -> tuple[Kind, ...]:
        """The kinds that it reads under this configuration."""
        return self.chooses(config) if self.chooses else self.reads

    @property
    def uses(self) -> tuple[Table, ...]:
        """The tables that any of its outputs needs."""
        of_outputs = (table for output in self.outputs for table in output.uses)
        return tuple(dict.fromkeys((*self.looks_up, *of_outputs)))

    @property
    def reads_pages(self) -> bool:
        """Are all its outputs made of pages?"""
        return all(isinstance(output, Extractor) for output in self.outputs)

    @property
    def all_sections(self) -> tuple[str, ...]:
        """The parts of the configuration that any of its outputs depends on."""
        return self.sections_of(self.outputs)

    def sections_of(self, outputs: Collection[Output]) -> tuple[str, ...]:
        """The parts of the configuration that these outputs depend on."""
        found = [*self.sections, *(name for output in outputs for name in output.sections)]
        return tuple(dict.fromkeys(found))


def parts_without(left_out: Collection[str]) -> tuple[str, ...]:
    """The parts of an index but for these, and for those that rest on them.

    >>> parts_without(["bags"])
    ('cocitation',)
    """
    return tuple(p for p in PARTS if not {p, _RESTS_ON.get(p)} & {*left_out})


def share_of_sample(key: str) -> Callable[[BuildConfig, int, float], BuildConfig]:
    """For stages that learn from a sample, whose size is this key of `enrich`: as small a share of
    it as the files are of the snapshot, so that what a plan builds shows the rest.

    >>> share_of_sample("topics_sample")(BuildConfig(), 500, 0.125).enrich.topics_sample
    375
    """

    def settle(config: BuildConfig, bags: int, share: float) -> BuildConfig:
        sample = max(1, round(getattr(config.enrich, key) * share))
        return replace(config, enrich=replace(config.enrich, **{key: sample}))

    return settle


def load_named(name: str) -> Any:
    """What `module:name` below pagekin names."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(f"pagekin.{module}"), attribute)
