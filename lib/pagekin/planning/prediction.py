"""What is predicted: of each stage, and of all."""

from __future__ import annotations

from dataclasses import dataclass

from pagekin.planning.growth import Estimate
from pagekin.planning.taken import HotKey

__all__ = ["Prediction", "Shape", "StagePrediction"]


@dataclass(frozen=True)
class Shape:
    """What tasks there are."""

    slots: int  # tasks at once
    reduces: int


@dataclass
class StagePrediction:
    """What a stage would take."""

    name: str
    map_tasks: int
    reduce_tasks: int
    records: Estimate
    kinds: dict[str, Estimate]
    output: Estimate  # bytes
    shuffle_records: Estimate
    shuffle: Estimate  # bytes
    shuffle_packed: Estimate
    map_cpu: Estimate  # seconds, of all tasks
    sort_cpu: Estimate
    reduce_cpu: Estimate
    longest_map: float  # seconds of CPU
    longest_reduce: float
    memory: Estimate  # bytes, of the largest task
    hottest: list[HotKey]

    @property
    def cpu(self) -> Estimate:
        """Of the tasks and of the sorting between them."""
        return self.map_cpu.plus(self.sort_cpu).plus(self.reduce_cpu)


@dataclass
class Prediction:
    """What the whole would take."""

    pages: Estimate
    stages: list[StagePrediction]
    documents: Estimate
    index: Estimate  # bytes
