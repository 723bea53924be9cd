"""From what a sample took to what the whole would take, stage by stage.

    map output       grows within a task as the sample shows, and in proportion to the tasks
    records, bytes   by the curve through a quarter, a half and all of the sample
    bags             every page has one; of how many URLs are linked to `unseen` tells, and of how
                     many pages the sample links to its curve, up to all
    what is cut      records made one of each that is read have the length that they have now
    CPU              a fixed part for each task, and in proportion to the bytes (of jobs that read
                     the snapshot: pages) that it reads and writes
    hottest keys     in proportion to the pages: they are in every part of the snapshot

Nothing here knows the names of stages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pagekin.planning.growth import Estimate, fit, times
from pagekin.planning.lines import added, line_through, over, over_parts, slope_of, total
from pagekin.planning.measuring import Measured
from pagekin.planning.prediction import Prediction, Shape, StagePrediction
from pagekin.planning.sample import Sample
from pagekin.planning.taken import HotKey, Taken, Task
from pagekin.planning.unseen import grown_distinct

__all__ = ["predict"]

_BYTES_PER_TASK = 256 << 20  # of the snapshot, as a build deals its files
_SPLIT = 128 << 20  # bytes of a stage's records that a map task reads
_FEW, _LITTLE = 1000, 1 << 20  # records and bytes: too few for a curve of their bytes
_OFTEN = 5  # records of a key: its number in the whole is then known to a half
_CPU_ERROR = 0.1  # relative; the same task on the same machine at another time


def predict(runs: Sequence[Measured], sample: Sample, shape: Shape) -> Prediction:
    """The whole, from ever larger parts of a sample."""
    return _Whole(runs, sample, shape).prediction()


class _Whole:
    """Works through the stages in their order."""

    def __init__(self, runs: Sequence[Measured], sample: Sample, shape: Shape) -> None:
        self._runs, self._sample, self._shape = runs, sample, shape
        self._pages = [float(max(run.pages, 1)) for run in runs]
        self._target = self._pages[-1] / sample.share
        self._sizes = self._sizes_of(runs)
        self._done: dict[str, StagePrediction] = {}

    def prediction(self) -> Prediction:
        for number in range(len(self._runs[-1].stages)):
            stage = self._stage([run.stages[number] for run in self._runs])
            self._done[stage.name] = stage
        documents = self._documents()
        sizes = fit(
            [max(run.documents, 1.0) for run in self._runs],
            [float(run.index_bytes) for run in self._runs],
        )
        index = over(sizes, documents)
        pages = self._sampled(Estimate(*[self._target] * 3))
        return Prediction(pages, list(self._done.values()), documents, index)

    def _sampled(self, estimate: Estimate) -> Estimate:
        """With the uncertainty of the number of pages."""
        return times(estimate, 1.0, self._sample.error)

    def _sizes_of(self, runs: Sequence[Measured]) -> list[float]:
        """How large the parts are: pages differ, what they give to the shuffle tells more."""
        shuffles = [[t.shuffle_bytes for t in run.stages if not t.reads] for run in runs]
        sizes = [float(max(sizes, default=0)) for sizes in shuffles]
        return sizes if all(sizes) else self._pages

    def _grown(self, taken: list[Taken], ys: Sequence[float]) -> Estimate:
        """What grows by a curve of its own with what the stage reads."""
        reads = self._done.get(taken[-1].reads)
        if reads:
            return over(fit([float(max(t.input_bytes, 1)) for t in taken], ys), reads.output)
        curve = fit(self._sizes, ys)
        return self._sampled(curve.at(self._sizes[-1] / self._sample.share))

    def _stage(self, taken: list[Taken]) -> StagePrediction:
        last = taken[-1]
        reads = self._done.get(last.reads)
        maps = self._map_tasks(reads)
        shuffle = self._shuffled(taken, maps, reads, lambda t: t.shuffle_bytes)
        kinds = self._kinds(taken)
        records = total(kinds.values())
        output = self._output(taken, records)
        map_cpu = self._map_cpu(taken, maps, reads, shuffle)
        reduces = self._shape.reduces if last.reduce else 0
        reduce_cpu = self._reduce_cpu(taken, reduces, shuffle, output)
        hottest = self._hottest(last, shuffle, reads)
        share = hottest[0].bytes / shuffle.value if hottest and shuffle.value else 0.0
        return StagePrediction(
            last.name,
            maps,
            reduces,
            records,
            kinds,
            output,
            self._shuffled(taken, maps, reads, lambda t: t.shuffle_records),
            shuffle,
            self._shuffled(taken, maps, reads, lambda t: t.shuffle_packed),
            map_cpu,
            times(shuffle, slope_of([t.shuffle_bytes for t in taken], [t.sort_cpu for t in taken])),
            reduce_cpu,
            map_cpu.value * self._largest_part(maps, reads),
            reduce_cpu.value * max(share, 1 / max(reduces, 1)),
            self._memory(taken, maps, reduces),
            hottest,
        )

    # --- tasks ---

    def _map_tasks(self, reads: StagePrediction | None) -> int:
        if reads:
            parts = max(reads.reduce_tasks or reads.map_tasks, self._shape.slots)
            return max(parts, math.ceil(reads.output.value / _SPLIT))
        wanted = max(self._shape.slots, self._sample.total_bytes // _BYTES_PER_TASK)
        return max(1, min(wanted, self._sample.total_files))

    def _largest_part(self, maps: int, reads: StagePrediction | None) -> float:
        """The share of the largest map task: files of a snapshot cannot be split."""
        file = 0.0 if reads else self._sample.largest_file / self._sample.total_bytes
        return max(1 / maps, min(file, 1.0))

    def _shuffled(
        self,
        taken: list[Taken],
        maps: int,
        reads: StagePrediction | None,
        amount: Callable[[Taken], int],
    ) -> Estimate:
        """What the mappers write: each sees a part, and knows nothing of the others."""
        ys = [float(amount(t)) for t in taken]
        if not reads:
            return self._sampled(Estimate(*[ys[-1] / self._sample.share] * 3))
        xs = [float(max(t.input_bytes, 1)) for t in taken]
        if taken[-1].shuffle_records < _FEW and taken[-1].shuffle_bytes < _LITTLE:
            return times(reads.output, ys[-1] / xs[-1])
        return over_parts(fit(xs, ys), reads.output, maps)

    # --- CPU ---

    def _map_cpu(
        self, taken: list[Taken], maps: int, reads: StagePrediction | None, shuffle: Estimate
    ) -> Estimate:
        cpu = [t.map.cpu for t in taken]
        if not reads:
            line = line_through(self._pages, cpu, taken[-1].map.start)
            seconds = Estimate(*[line.slope * self._target] * 3)
            return times(added(self._sampled(seconds), line.start, maps), 1, _CPU_ERROR)
        done = [t.input_bytes + t.shuffle_bytes for t in taken]
        line = line_through(done, cpu, taken[-1].map.start)
        work = times(reads.output.plus(shuffle), line.slope)
        return times(added(work, line.start, maps), 1, _CPU_ERROR)

    def _reduce_cpu(
        self, taken: list[Taken], reduces: int, shuffle: Estimate, output: Estimate
    ) -> Estimate:
        if not reduces:
            return Estimate(0, 0, 0)
        cpu = [t.reduce.cpu if t.reduce else 0.0 for t in taken]
        least = taken[-1].reduce.start if taken[-1].reduce else 0.0
        line = line_through([t.shuffle_bytes + t.output_bytes for t in taken], cpu, least)
        work = times(shuffle.plus(output), line.slope)
        return times(added(work, line.start, reduces), 1, _CPU_ERROR)

    # --- what comes out ---

    def _output(self, taken: list[Taken], records: Estimate) -> Estimate:
        """Bytes: by their own curve, or by the record where each is made of one that is read."""
        last = taken[-1]
        before = self._runs[-1].stages
        same = any(t.name == last.reads and _is_among(last.kinds, t.kinds) for t in before)
        few = last.output_records < _FEW and last.output_bytes < _LITTLE
        if last.output_records and (same or few):
            return times(records, last.output_bytes / last.output_records)
        return self._grown(taken, [t.output_bytes for t in taken])

    def _kinds(self, taken: list[Taken]) -> dict[str, Estimate]:
        names = dict.fromkeys(name for t in taken for name in t.kinds)
        grown = {n: self._grown(taken, [t.kinds.get(n, 0) for t in taken]) for n in names}
        return grown | self._bags(taken) if taken[-1].linked else grown

    def _bags(self, taken: list[Taken]) -> dict[str, Estimate]:
        """Every page has a bag; of linked URLs more and more are pages that were read."""
        both = [t.kinds.get("read and linked", 0) for t in taken]
        every = "linked" in taken[-1].kinds  # else only URLs that are read have bags
        read = [t.kinds.get("read", 0) + b for t, b in zip(taken, both, strict=True)]
        share = self._sample.share
        pages = self._sampled(Estimate(*[read[-1] / share] * 3))
        targets = self._sampled(grown_distinct(taken[-1].linked, 1 / share))
        known = fit(self._pages, [b / max(r, 1) for b, r in zip(both, read, strict=True)])
        together = min(1.0, known.at(self._target).value) * pages.value
        together = min(together, targets.value) if every else together
        grown = {
            "read": times(pages, 1 - together / max(pages.value, 1)),
            "read and linked": times(pages, together / max(pages.value, 1)),
        }
        alone = Estimate(*(max(0.0, number - together) for number in targets))
        return grown | {"linked": alone} if every else grown

    def _documents(self) -> Estimate:
        """As many as the last stage with bags has, if the sample's index had all of them."""
        for number, stage in reversed(list(enumerate(self._done.values()))):
            if self._runs[-1].stages[number].output_records == self._runs[-1].documents:
                return stage.records
        curve = fit(self._sizes, [run.documents for run in self._runs])
        return self._sampled(curve.at(self._sizes[-1] / self._sample.share))

    def _hottest(
        self, last: Taken, shuffle: Estimate, reads: StagePrediction | None
    ) -> list[HotKey]:
        """Keys that the sample has often enough to say how often the whole has them."""
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

    def _memory(self, taken: list[Taken], maps: int, reduces: int) -> Estimate:
        """What the sample took, and what it would be if it grew with a task's part."""
        tasks: list[tuple[Task, int]] = [(taken[-1].map, maps)]
        tasks += [(taken[-1].reduce, reduces)] if taken[-1].reduce else []
        seen = max(task.memory for task, _ in tasks)
        grown = max(
            task.memory
            + (task.memory - task.idle_memory) * max(0.0, 1 / self._sample.share / count - 1)
            for task, count in tasks
        )
        return Estimate(seen, seen, max(seen, grown))


def _is_among(kinds: dict[str, int], others: dict[str, int]) -> bool:
    return bool(kinds) and kinds.items() <= others.items()
