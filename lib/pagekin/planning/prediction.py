"""From what a sample took to what the whole would take, stage by stage.

    map output       grows within a task as the sample shows, and in proportion to the tasks
    records, bytes   by the curve through a quarter, a half and all of the sample
    bags             every page has one; how many URLs are linked to is estimated as the number of
                     distinct things, and how many pages the sample links to by its curve, up to all
    what is cut      records made one of each that is read have the length that they have now
    CPU              a fixed part for each task, and in proportion to the bytes (of jobs that read
                     the snapshot: pages) that it reads and writes.
    hottest keys     in proportion to the pages: they are in every part of the snapshot

Nothing here knows the names of stages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pagekin.planning.extrapolation import (
    NOTHING,
    Estimate,
    fit_curve,
    fit_line,
    grown_distinct,
)
from pagekin.planning.sample_build import HotKey, SampleBuild, StageUse
from pagekin.planning.snapshot_sample import Sample
from pagekin.stages.inventory.cuts import CELL

__all__ = ["Prediction", "StagePrediction", "predict"]

_BYTES_PER_TASK = 256 << 20  # of the snapshot, as a build deals its files
_SPLIT = 128 << 20  # bytes of a stage's records that a map task reads
_FEW, _LITTLE = 1000, 1 << 20  # records and bytes: too few for a curve of their bytes
_OFTEN = 5  # records of a key: its number in the whole is then known to a half
_CPU_ERROR = 0.1  # relative; the same task on the same machine at another time


@dataclass
class StagePrediction:
    """What a stage would take, with the names that a saved plan has (docs/formats.md)."""

    name: str
    map_tasks: int
    reduce_tasks: int
    records: Estimate
    kinds: dict[str, Estimate]  # of records
    bytes: Estimate  # of the output
    shuffle: dict[str, Estimate]  # records, bytes, and bytes when they are compressed
    cpu_seconds: dict[str, Estimate]  # of all map tasks, of sorting, of all reduce tasks
    longest_task_seconds: dict[str, float]  # of map and reduce
    peak_memory: Estimate  # bytes, of the largest task
    hottest: list[dict[str, Any]]  # keys with their share of the shuffle, and what they cost


@dataclass
class Prediction:
    """What the whole would take."""

    pages: Estimate
    stages: list[StagePrediction]
    documents: Estimate
    index: Estimate  # bytes
    index_seconds: float  # to put it together
    busy: float  # how many times its CPU time a task takes on this machine now


def predict(runs: Sequence[SampleBuild], sample: Sample, slots: int, reduces: int) -> Prediction:
    """The whole, from ever larger parts of a sample; `slots`: tasks at once."""
    return _Whole(runs, sample, slots, reduces).prediction()


class _Whole:
    """Works through the stages in their order."""

    def __init__(
        self, runs: Sequence[SampleBuild], sample: Sample, slots: int, reduces: int
    ) -> None:
        self._runs, self._sample, self._slots, self._reduces = runs, sample, slots, reduces
        self._pages = [float(max(run.pages, 1)) for run in runs]
        self._all_pages = self._pages[-1] / sample.share
        self._sizes = self._sizes_of(runs)
        self._done: dict[str, StagePrediction] = {}

    def prediction(self) -> Prediction:
        for number in range(len(self._runs[-1].stages)):
            stage = self._stage([run.stages[number] for run in self._runs])
            self._done[stage.name] = stage
        documents = self._documents()
        sizes = fit_curve(
            [max(run.documents, 1.0) for run in self._runs],
            [float(run.index_bytes) for run in self._runs],
        )
        pages = self._with_error(Estimate.exact(self._all_pages))
        index, last = sizes.at_estimate(documents), self._runs[-1]
        seconds = last.index_seconds * index.value / max(last.index_bytes, 1)
        stages = list(self._done.values())
        return Prediction(pages, stages, documents, index, seconds, last.busy)

    def _with_error(self, estimate: Estimate) -> Estimate:
        """With the uncertainty of the number of pages."""
        return estimate.widened(self._sample.error)

    def _sizes_of(self, runs: Sequence[SampleBuild]) -> list[float]:
        """How large the parts are: pages differ, what they give to the shuffle is more exact."""
        shuffles = [[use.shuffle_bytes for use in run.stages if not use.reads] for run in runs]
        sizes = [float(max(sizes, default=0)) for sizes in shuffles]
        return sizes if all(sizes) else self._pages

    def _grown(self, uses: list[StageUse], ys: Sequence[float]) -> Estimate:
        """What grows by a curve of its own with what the stage reads."""
        reads = self._done.get(uses[-1].reads)
        if reads:
            xs = [float(max(use.input_bytes, 1)) for use in uses]
            return fit_curve(xs, ys).at_estimate(reads.bytes)
        curve = fit_curve(self._sizes, ys)
        return self._with_error(curve.at(self._sizes[-1] / self._sample.share))

    def _stage(self, uses: list[StageUse]) -> StagePrediction:
        last = uses[-1]
        reads = self._done.get(last.reads)
        maps, reduces = self._map_tasks(last, reads), self._reduces if last.reduce else 0
        shuffle = {
            "records": self._shuffled(uses, maps, reads, lambda use: use.shuffle_records),
            "bytes": self._shuffled(uses, maps, reads, lambda use: use.shuffle_bytes),
            "compressed": self._shuffled(uses, maps, reads, lambda use: use.shuffle_packed),
        }
        sent = shuffle["bytes"]
        kinds = self._kinds(uses)
        records = sum(kinds.values(), NOTHING)
        output = self._output(uses, records)
        cpu = {
            "map": self._map_cpu(uses, maps, reads, sent),
            "sort": self._sort_cpu(uses, sent),
            "reduce": self._reduce_cpu(uses, reduces, sent, output),
        }
        hottest = self._hottest(last, sent, reads)
        share = hottest[0].bytes / sent.value if hottest and sent.value else 0.0
        longest = {
            "map": cpu["map"].value * self._largest_part(maps, last, reads),
            "reduce": cpu["reduce"].value * max(share, 1 / max(reduces, 1)),
        }
        memory = self._memory(last, maps, reduces)
        keys = [_key_cost(key, sent.value, cpu["reduce"].value) for key in hottest]
        return StagePrediction(
            *(last.name, maps, reduces, records, kinds, output),
            *(shuffle, cpu, longest, memory, keys),
        )

    # --- tasks ---

    def _map_tasks(self, last: StageUse, reads: StagePrediction | None) -> int:
        if reads:
            parts = max(reads.reduce_tasks or reads.map_tasks, self._slots)
            return max(parts, math.ceil(reads.bytes.value / _SPLIT))
        wanted = max(1, self._slots, self._sample.total_bytes // _BYTES_PER_TASK)
        cells = self._sample.total_bytes // CELL if last.cuts_files else 0
        return min(wanted, max(self._sample.total_files, cells))

    def _largest_part(self, maps: int, last: StageUse, reads: StagePrediction | None) -> float:
        """The share of the largest map task: the inventory does not cut files."""
        cut = reads or last.cuts_files
        file = 0.0 if cut else self._sample.largest_file / self._sample.total_bytes
        return max(1 / maps, min(file, 1.0))

    def _shuffled(
        self,
        uses: list[StageUse],
        maps: int,
        reads: StagePrediction | None,
        amount: Callable[[StageUse], int],
    ) -> Estimate:
        """What the mappers write: each sees a part, and knows nothing of the others."""
        ys = [float(amount(use)) for use in uses]
        if not reads:
            return self._with_error(Estimate.exact(ys[-1] / self._sample.share))
        xs = [float(max(use.input_bytes, 1)) for use in uses]
        if uses[-1].shuffle_records < _FEW and uses[-1].shuffle_bytes < _LITTLE:
            return reads.bytes * (ys[-1] / xs[-1])
        return fit_curve(xs, ys).at_estimate(reads.bytes, maps)

    # --- CPU ---

    def _map_cpu(
        self, uses: list[StageUse], maps: int, reads: StagePrediction | None, shuffle: Estimate
    ) -> Estimate:
        cpu, least = [use.map.cpu for use in uses], uses[-1].map.start
        if reads:
            amounts = [use.input_bytes + use.shuffle_bytes for use in uses]
            start, slope = fit_line(amounts, cpu, least)
            work = (reads.bytes + shuffle) * slope
        else:
            start, slope = fit_line(self._pages, cpu, least)
            work = self._with_error(Estimate.exact(slope * self._all_pages))
        return (work + Estimate.exact(start * maps)).widened(_CPU_ERROR)

    @staticmethod
    def _sort_cpu(uses: list[StageUse], shuffle: Estimate) -> Estimate:
        amounts = [use.shuffle_bytes for use in uses]
        slope = fit_line(amounts, [use.sort_cpu for use in uses])[1] if amounts[-1] else 0.0
        return shuffle * slope

    @staticmethod
    def _reduce_cpu(
        uses: list[StageUse], reduces: int, shuffle: Estimate, output: Estimate
    ) -> Estimate:
        if not reduces:
            return NOTHING
        cpu = [use.reduce.cpu if use.reduce else 0.0 for use in uses]
        least = uses[-1].reduce.start if uses[-1].reduce else 0.0
        amounts = [use.shuffle_bytes + use.output_bytes for use in uses]
        start, slope = fit_line(amounts, cpu, least)
        work = (shuffle + output) * slope
        return (work + Estimate.exact(start * reduces)).widened(_CPU_ERROR)

    # --- what comes out ---

    def _output(self, uses: list[StageUse], records: Estimate) -> Estimate:
        """Bytes: by their own curve, or by the record where each is made of one that is read."""
        last = uses[-1]
        before = self._runs[-1].stages
        same = last.kinds and any(
            use.name == last.reads and last.kinds.items() <= use.kinds.items() for use in before
        )
        few = last.output_records < _FEW and last.output_bytes < _LITTLE
        if last.output_records and (same or few):
            return records * (last.output_bytes / last.output_records)
        return self._grown(uses, [use.output_bytes for use in uses])

    def _kinds(self, uses: list[StageUse]) -> dict[str, Estimate]:
        names = dict.fromkeys(name for use in uses for name in use.kinds)
        grown = {n: self._grown(uses, [use.kinds.get(n, 0) for use in uses]) for n in names}
        return grown | self._bags(uses) if uses[-1].linked else grown

    def _bags(self, uses: list[StageUse]) -> dict[str, Estimate]:
        """Every page has a bag; of linked URLs more and more are pages that were read."""
        both = [use.kinds.get("read and linked", 0) for use in uses]
        every = "linked" in uses[-1].kinds  # else only URLs that are read have bags
        read = [use.kinds.get("read", 0) + b for use, b in zip(uses, both, strict=True)]
        share = self._sample.share
        pages = self._with_error(Estimate.exact(read[-1] / share))
        targets = self._with_error(grown_distinct(uses[-1].linked, 1 / share))
        known = fit_curve(self._pages, [b / max(r, 1) for b, r in zip(both, read, strict=True)])
        together = min(1.0, known.at(self._all_pages).value) * pages.value
        together = min(together, targets.value) if every else together
        linked_share = together / max(pages.value, 1)
        grown = {"read": pages * (1 - linked_share), "read and linked": pages * linked_share}
        if every:
            alone = (max(0.0, n - together) for n in (targets.value, targets.low, targets.high))
            grown["linked"] = Estimate(*alone)
        return grown

    def _documents(self) -> Estimate:
        """As many as the last stage with bags has, if the sample's index had all of them."""
        for number, stage in reversed(list(enumerate(self._done.values()))):
            if self._runs[-1].stages[number].output_records == self._runs[-1].documents:
                return stage.records
        curve = fit_curve(self._sizes, [run.documents for run in self._runs])
        return self._with_error(curve.at(self._sizes[-1] / self._sample.share))

    def _hottest(
        self, last: StageUse, shuffle: Estimate, reads: StagePrediction | None
    ) -> list[HotKey]:
        """Keys that are in the sample often enough to predict their number in the whole."""
        if last.shards and reads:  # their number follows from that of the documents
            shards = last.shards(round(reads.records.value))
            records = reads.records.value / shards
            return [HotKey(f"each of {shards}", round(records), round(shuffle.value / shards))]
        factor = 1 / self._sample.share
        return [
            HotKey(k.key, round(k.records * factor), round(k.bytes * factor))
            for k in last.hottest
            if k.records >= _OFTEN
        ]

    def _memory(self, last: StageUse, maps: int, reduces: int) -> Estimate:
        """What the sample took, and what it would be if it grew with a task's part."""
        tasks = [(last.map, maps)] + ([(last.reduce, reduces)] if last.reduce else [])
        seen = max(task.memory for task, _ in tasks)
        grown = max(
            task.memory
            + (task.memory - task.idle_memory) * max(0.0, 1 / self._sample.share / count - 1)
            for task, count in tasks
        )
        return Estimate(seen, seen, max(seen, grown))


def _key_cost(key: HotKey, shuffle: float, cpu: float) -> dict[str, Any]:
    """A key with its share of the shuffle, and the CPU seconds of the reducer that gets it."""
    share = min(1.0, key.bytes / max(shuffle, 1))
    return {**key._asdict(), "share": round(share, 6), "seconds": round(share * cpu, 3)}
