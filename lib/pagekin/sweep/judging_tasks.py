"""The two kinds of work of a sweep, and the processes that do it: raw bags are made, strategies are
judged.

Raw bags of all URLs are merged and counted, those of labelled pages are kept. Document frequencies,
mu and sigma are over the bags of all URLs seen, as in a build, and what is kept of the other bags
is nothing but that. Strategies that differ only in weights share raw bags. Merging, counting and
weighing are the code of the jobs `bag_fragments`, `document_frequency` and `weighted_bags`.

A task runs in any process, reads what lies in the workspace, and writes what it made there, whole:
so nothing large travels between processes. A process that is stopped, or whose sweep is gone, ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO, TypeVar

import numpy as np

from pagekin.bags.bag import Bag, parse_bag
from pagekin.bags.weigh import Frequencies, weigh_bags
from pagekin.config import BuildConfig, to_dict
from pagekin.counters import Counters
from pagekin.errors import PagekinError, StageError
from pagekin.evaluate.directory import Directory
from pagekin.evaluate.judgement import judge, sample_sources, summarise
from pagekin.evaluate.labelled_pages import label_bags
from pagekin.evaluate.similarities import Material, make_representation
from pagekin.index.folder import IndexFolder
from pagekin.kinds import Pair
from pagekin.stages.document_frequency.counting import (
    DF,
    count_terms,
    reduce_buckets,
    unpack_counts,
)
from pagekin.stages.fragments.merge import BagMerger
from pagekin.storage.part_files import read_records
from pagekin.storage.workspace import Workspace, write_json
from pagekin.sweep.fragment_sets import fragments_of
from pagekin.sweep.strategies import Strategy

__all__ = ["BagsTask", "JudgeTask", "Judging", "judge_strategy", "make_raw_bags", "run_tasks"]

_BAGS, _FREQUENCIES = "bags", "frequencies.arrays"  # files of raw bags and of their terms
_STOPPED = 130  # exit code
_EVERY = 1.0  # seconds between two looks at the parent process

Task = TypeVar("Task")
Result = TypeVar("Result")


# --- raw bags ---


@dataclass(frozen=True)
class BagsTask:
    """Raw bags to be made of fragments."""

    work: Path
    name: str
    fragments: Path
    config: BuildConfig
    directory: Directory


def make_raw_bags(task: BagsTask) -> str:
    """Merge the fragments; gives the name of the raw bags."""
    workspace, counters = Workspace(task.work), Counters()
    folder = workspace.new_folder(task.name)
    merger = BagMerger(task.config.bag, task.config.window, counters)
    with (folder / _BAGS).open("wb") as out:
        bags = _keep_labelled(merger.merge(fragments_of(task.fragments)), task.directory, out)
        _count_terms(bags, folder / _FREQUENCIES, counters)
    documents = counters.get("bags", "urls") - counters.get("bags", "empty")
    record = {"documents": documents, "counters": counters.as_dict()}
    workspace.complete(task.name, folder, record)
    return task.name


def _keep_labelled(pairs: Iterable[Pair], directory: Directory, out: BinaryIO) -> Iterator[Pair]:
    """The same pairs, of which those of labelled pages are written."""
    for key, value in pairs:
        if directory.find(key.decode()) >= 0:
            out.write(key + b"\t" + value + b"\n")
        yield key, value


def _count_terms(bags: Iterable[Pair], path: Path, counters: Counters) -> None:
    """In how many bags each term stands."""
    buckets: dict[bytes, list[bytes]] = {}
    for bucket, value in count_terms(bags, counters):
        buckets.setdefault(bucket, []).append(value)
    pairs = ((bucket, value) for bucket in sorted(buckets) for value in buckets.pop(bucket))
    parts = [unpack_counts(v.removeprefix(DF)) for _, v in reduce_buckets(pairs, counters)]
    terms = np.concatenate([np.empty(0, np.uint32), *(t for t, _ in parts)])
    df = np.concatenate([np.empty(0, np.uint32), *(d for _, d in parts)])
    Frequencies.write(path, terms, df, counters.get("frequencies", "bags"))


# --- judging ---


@dataclass(frozen=True)
class Judging:
    """How strategies are judged; the options of `pagekin evaluate gamma`."""

    directory: tuple[str, ...]
    form: str = "auto"
    depth: int = 3
    shallow: str = "keep"
    linked: bool = False
    sample: int | None = None
    seed: int = 1
    resamples: int = 1000

    def settings(self, strategy: Strategy) -> dict[str, Any]:
        """What makes the result of a strategy again, as `evaluate gamma --json` prints it."""
        return {
            "directory": list(self.directory),
            "work": None,
            "index": None,
            "format": self.form,
            "depth": self.depth,
            "shallow": self.shallow,
            "linked": self.linked,
            "by": strategy.by,
            "alpha": strategy.alpha,
            "candidates": strategy.candidates,
            "sample": self.sample,
            "seed": self.seed,
            "resamples": self.resamples,
            "config": to_dict(strategy.config),
        }


@dataclass(frozen=True)
class JudgeTask:
    """A strategy to be judged with raw bags."""

    work: Path
    bags: str  # their name in the workspace
    target: Path
    strategy: Strategy
    judging: Judging
    directory: Directory
    window: float | None  # mean words around a link
    index: Path | None  # with a table of co-citation


def judge_strategy(task: JudgeTask) -> tuple[JudgeTask, str, float]:
    """Judge a strategy; gives why it cannot be ("": it is done), and how many seconds it took."""
    began = time.monotonic()
    try:
        result = _judged(task)
    except PagekinError as error:
        return task, str(error), time.monotonic() - began
    write_json(task.target, result)
    return task, "", time.monotonic() - began


def _judged(task: JudgeTask) -> dict[str, Any]:
    material, judging = _material(task), task.judging
    pages = material.pages
    sources = sample_sources(pages, judging.sample or len(pages), judging.seed)
    judged = judge(pages, make_representation(task.strategy.by, material), sources)
    result = summarise(judged, seed=judging.seed, resamples=judging.resamples)
    return {**result, "window": task.window, "settings": judging.settings(task.strategy)}


def _material(task: JudgeTask) -> Material:
    workspace, strategy = Workspace(task.work), task.strategy
    folder = workspace.require(task.bags)
    frequencies = Frequencies(folder / _FREQUENCIES)
    raw = (parse_bag(*pair) for pair in read_records(folder / _BAGS))
    bags: Iterator[Bag] = weigh_bags(raw, frequencies, strategy.config.weight)
    return Material(
        label_bags(bags, task.directory, linked=task.judging.linked),
        strategy.config,
        IndexFolder(task.index) if task.index else None,
        frequencies,
        (workspace.stage_record(task.bags) or {})["documents"],
        strategy.alpha,
        strategy.candidates,
    )


# --- processes ---


def run_tasks(
    work: Callable[[Task], Result], tasks: Sequence[Task], width: int
) -> Iterator[Result]:
    """What `work` gives for each task, as they are done; `width` at once."""
    if width == 1 or len(tasks) < 2:
        yield from map(work, tasks)
        return
    # spawned, as a fork of a process with threads (numpy has some) may hang
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(
        min(width, len(tasks)), mp_context=context, initializer=_begin, initargs=(os.getpid(),)
    )
    try:
        for future in as_completed([pool.submit(work, task) for task in tasks]):
            yield future.result()
    except BrokenProcessPool as error:
        raise StageError(
            "a process of the sweep was killed, perhaps for want of memory; --tasks 1 takes least"
        ) from error
    except BaseException:
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(parent: int) -> None:
    """The keyboard's signal is the parent's business; without a parent there is no work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_EVERY)
    os._exit(_STOPPED)
