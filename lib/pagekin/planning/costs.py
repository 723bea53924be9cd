"""Hours and dollars: the predicted CPU time on the machines that are there, stage after stage.

A stage takes its CPU time divided by what the slots do, but no less than its longest map and its
longest reduce task; the cluster starts once, and each stage has a pause. CPU seconds were measured
on this machine: `speed` says how many of its seconds a slot of the cluster does in one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pagekin.errors import UsageError
from pagekin.planning.growth import Estimate, times
from pagekin.planning.prediction import Prediction, Shape, StagePrediction
from pagekin.planning.prices import Cluster, Nodes, Prices, cluster_of, dollars, read_prices, slots

__all__ = ["Costs", "Place", "costs", "hours_of_stage", "place_of"]

_PAUSE = 0.5 / 60  # hours between two stages of a cluster: uploads, the next step
_SPREAD = 0.3  # of the time of all tasks: slots wait for the last ones


@dataclass(frozen=True)
class Place:
    """Where the build would run."""

    shape: Shape
    speed: float
    cluster: Cluster | None = None  # None: this machine
    prices: Prices | None = None


@dataclass(frozen=True)
class Bill:
    """What some machines are used and paid for."""

    nodes: Nodes
    hours: Estimate  # of all of them together
    dollars: Estimate


@dataclass(frozen=True)
class Costs:
    """What a build takes of a place."""

    stages: dict[str, Estimate]  # hours
    hours: Estimate
    bills: tuple[Bill, ...]

    @property
    def dollars(self) -> Estimate:
        total = Estimate(0, 0, 0)
        for bill in self.bills:
            total = total.plus(bill.dollars)
        return total


def place_of(conf: Path | None, prices: Path | None, speed: float) -> Place:
    """This machine, or the cluster of an mrjob.conf."""
    if speed <= 0:
        raise UsageError(f"--speed {speed:g}: takes a number above 0")
    if conf is None:
        if prices:
            raise UsageError("--prices: name a cluster too, such as -c emr/small.conf")
        width = os.cpu_count() or 1
        return Place(Shape(width, width), speed)
    if not conf.is_file():
        raise UsageError(f"-c {conf}: there is no such file")
    from pagekin.engine.emr.runner import options_of  # noqa: PLC0415 - boto3 takes 0.3 s

    table = read_prices(prices or conf.parent / "prices.toml")
    cluster = cluster_of(options_of(conf), table, conf)
    width = slots(cluster, table)
    return Place(Shape(width, cluster.reduces or width), speed, cluster, table)


def costs(prediction: Prediction, place: Place) -> Costs:
    """Hours by stage, and what they cost."""
    by_stage = {stage.name: hours_of_stage(stage, place) for stage in prediction.stages}
    total = _sum(by_stage.values())
    if place.cluster is None or place.prices is None:
        return Costs(by_stage, total, ())
    start = place.prices.startup_minutes / 60
    total = total.plus(Estimate(start, start, start))
    bills = tuple(
        Bill(
            nodes,
            times(total, nodes.count),
            Estimate(*(dollars(nodes, hours, place.prices) for hours in total)),
        )
        for nodes in place.cluster.nodes
    )
    return Costs(by_stage, total, bills)


def hours_of_stage(stage: StagePrediction, place: Place) -> Estimate:
    """How long it takes."""
    waves = [
        _phase(stage.map_cpu, stage.longest_map, stage.map_tasks, place),
        _phase(stage.reduce_cpu.plus(stage.sort_cpu), stage.longest_reduce, 0, place),
    ]
    pause = _PAUSE if place.cluster else 0.0
    return _sum(waves).plus(Estimate(pause, pause, pause))


def _phase(cpu: Estimate, longest: float, tasks: int, place: Place) -> Estimate:
    width = min(place.shape.slots, tasks or place.shape.reduces)
    shared = [seconds * (1 + _SPREAD) / width for seconds in cpu]
    return Estimate(*(max(s, longest) / place.speed / 3600 for s in shared))


def _sum(estimates: Iterable[Estimate]) -> Estimate:
    total = Estimate(0, 0, 0)
    for estimate in estimates:
        total = total.plus(estimate)
    return total
