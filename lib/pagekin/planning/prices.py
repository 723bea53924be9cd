"""Hours and dollars: the predicted CPU time on the machines that are there, stage after stage.

A stage takes its CPU time divided by what the slots do, but no less than its longest map and its
longest reduce task; the cluster starts once, and each stage has a pause. CPU seconds were measured
on this machine: `speed` is how many of its seconds a slot of the cluster does in one.

The price file is a TOML table that its user keeps up (docs/formats.md). Machines come from the
options of mrjob's EMR runner: instance fleets, instance groups, or types with their numbers. Of a
fleet, whose machines AWS chooses, the first type that has a price stands for all.
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pagekin.errors import UsageError
from pagekin.planning.extrapolation import NOTHING, Estimate
from pagekin.planning.prediction import Prediction, StagePrediction

__all__ = [
    "Nodes",
    "Place",
    "Prices",
    "costs",
    "dollars",
    "nodes_of",
    "place_of",
    "read_prices",
    "slots",
    "stage_hours",
]

_ROLES = ("master", "core", "task")
_PAUSE = 0.5 / 60  # hours between two stages of a cluster: uploads, the next step
# Seconds of CPU of a build on this machine beside its tasks: to start, and for each stage.
_COMMAND, _STEP = 0.4, 0.07
_NUMBERS = ("vcpus", "memory_gib", "ec2", "emr")  # of a machine; dollars an hour, emr on top of ec2


@dataclass(frozen=True)
class Prices:
    """The price file."""

    date: str
    source: str
    currency: str
    spot_factor: float  # of the price on demand
    startup_minutes: float  # of a cluster, paid in full
    machines: dict[str, dict[str, float]]  # by instance type


@dataclass(frozen=True)
class Nodes:
    """Machines of one kind and role."""

    role: str
    type: str
    count: int
    spot: bool = False


@dataclass(frozen=True)
class Place:
    """Where the build would run: this machine, or a cluster."""

    slots: int  # tasks at once
    reduces: int  # reduce tasks of a stage
    speed: float
    nodes: tuple[Nodes, ...] = ()  # of a cluster
    prices: Prices | None = None

    @property
    def is_here(self) -> bool:
        """Is it this machine, with the local runner?"""
        return not self.nodes

    @property
    def waiting(self) -> float:
        """Of the time of all tasks: slots wait for the last ones. Here shares are equal."""
        return 0.1 if self.is_here else 0.3


# --- the price file ---


def read_prices(path: Path) -> Prices:
    """The price file; UsageError in one sentence where it is none."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        machines = {
            name: {key: _number(path, f"machines.{name}.{key}", t.get(key)) for key in _NUMBERS}
            for name, t in table["machines"].items()
        }
        return Prices(
            str(table["date"]),
            str(table["source"]),
            str(table.get("currency", "USD")),
            _number(path, "spot_factor", table["spot_factor"]),
            _number(path, "startup_minutes", table["startup_minutes"]),
            machines,
        )
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"{path}: the price file cannot be read: {reason}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the price file is not valid TOML: {error}") from error
    except (KeyError, AttributeError) as error:
        raise UsageError(f"{path}: the price file lacks {error}; see docs/formats.md") from error


def _number(path: Path, name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise UsageError(f"{path}: {name} takes a number from 0, not {value!r}")
    return float(value)


# --- the machines ---


def place_of(conf: Path | None, prices: Path | None, speed: float) -> Place:
    """This machine, or the cluster of an mrjob.conf."""
    if speed <= 0:
        raise UsageError(f"--speed {speed:g}: takes a number above 0")
    if conf is None:
        if prices:
            raise UsageError("--prices: name a cluster too, such as -c emr/small.conf")
        width = os.cpu_count() or 1
        return Place(width, width, speed)
    if not conf.is_file():
        raise UsageError(f"-c {conf}: there is no such file")
    from pagekin.engine.emr.runner import options_of  # noqa: PLC0415 - boto3 takes 0.3 s

    table, options = read_prices(prices or conf.parent / "prices.toml"), options_of(conf)
    nodes = nodes_of(options, table, conf)
    width = slots(nodes, table)
    reduces = int((options.get("jobconf") or {}).get("mapreduce.job.reduces", 0))
    return Place(width, reduces or width, speed, nodes, table)


def nodes_of(options: Mapping[str, Any], prices: Prices, conf: Path) -> tuple[Nodes, ...]:
    """The machines that mrjob's options for EMR ask for."""
    if options.get("instance_fleets"):
        nodes = [_fleet(fleet, prices, conf) for fleet in options["instance_fleets"]]
    elif options.get("instance_groups"):
        nodes = [_group(group) for group in options["instance_groups"]]
    else:
        nodes = list(_types_and_numbers(options))
    nodes = [each for each in nodes if each.count]
    for each in nodes:
        _check_known(each.type, prices, conf)
    if not any(each.role != "master" or len(nodes) == 1 for each in nodes):
        raise UsageError(f"-c {conf}: it names no machines for runners.emr; see emr/small.conf")
    return tuple(nodes)


def _check_known(name: str, prices: Prices, conf: Path) -> None:
    if name not in prices.machines:
        known = ", ".join(sorted(prices.machines))
        raise UsageError(
            f'-c {conf}: instance type {name} has no price; add [machines."{name}"] to the price'
            f" file, which knows {known}"
        )


def _fleet(fleet: Mapping[str, Any], prices: Prices, conf: Path) -> Nodes:
    kinds = fleet.get("InstanceTypeConfigs") or [{}]
    chosen = next((k for k in kinds if k.get("InstanceType") in prices.machines), kinds[0])
    _check_known(chosen.get("InstanceType", ""), prices, conf)
    spot = int(fleet.get("TargetSpotCapacity", 0))
    capacity = spot or int(fleet.get("TargetOnDemandCapacity", 0))
    count = math.ceil(capacity / int(chosen.get("WeightedCapacity", 1)))
    role = str(fleet.get("InstanceFleetType", "")).lower()
    return Nodes(role, chosen["InstanceType"], count, bool(spot))


def _group(group: Mapping[str, Any]) -> Nodes:
    return Nodes(
        str(group.get("InstanceRole", "")).lower(),
        str(group.get("InstanceType", "")),
        int(group.get("InstanceCount", 1)),
        str(group.get("Market", "")).upper() == "SPOT",
    )


def _types_and_numbers(options: Mapping[str, Any]) -> Iterator[Nodes]:
    for role in _ROLES:
        name = options.get(f"{role}_instance_type") or options.get("instance_type")
        count = 1 if role == "master" else int(options.get(f"num_{role}_instances") or 0)
        if name and count:
            yield Nodes(role, str(name), count, bool(options.get(f"{role}_instance_bid_price")))


def slots(nodes: tuple[Nodes, ...], prices: Prices) -> int:
    """Tasks at once: one for each vCPU of the machines that run tasks."""
    working = [n for n in nodes if n.role != "master"] or nodes
    return sum(n.count * int(prices.machines[n.type]["vcpus"]) for n in working)


# --- what they cost ---


def costs(prediction: Prediction, place: Place) -> dict[str, Any]:
    """Where the build would run, for how many hours, and what the machines cost, with the names
    that a saved plan has (docs/formats.md)."""
    busy = prediction.busy
    total = sum((stage_hours(stage, place, busy) for stage in prediction.stages), NOTHING)
    beside = prediction.index_seconds + (_COMMAND * busy if place.is_here else 0)
    total += Estimate.exact(beside / 3600)
    prices = place.prices
    if prices:
        total += Estimate.exact(prices.startup_minutes / 60)
    about = {
        "slots": place.slots,
        "reduces": place.reduces,
        "speed": place.speed,
        "hours": total,
    }
    if prices is None:
        return about
    nodes = [
        {
            **asdict(each),
            "instance_hours": total * each.count,
            "cost": total * dollars(each, 1, prices),
        }
        for each in place.nodes
    ]
    names = ("date", "source", "currency", "spot_factor")
    return {
        **about,
        "prices": {name: getattr(prices, name) for name in names},
        "nodes": nodes,
        "cost": sum((node["cost"] for node in nodes), NOTHING),
    }


def stage_hours(stage: StagePrediction, place: Place, busy: float) -> Estimate:
    """How long a stage takes; `busy`: how many times its CPU time a task takes here."""
    cpu, longest = stage.cpu_seconds, stage.longest_task_seconds
    maps = _phase(cpu["map"], longest["map"], stage.map_tasks, place)
    reduces = _phase(cpu["reduce"] + cpu["sort"], longest["reduce"], place.reduces, place)
    if place.is_here:
        return (maps + reduces + Estimate.exact(_STEP / 3600)) * busy
    return maps + reduces + Estimate.exact(_PAUSE)


def _phase(cpu: Estimate, longest: float, tasks: int, place: Place) -> Estimate:
    """The hours of all map tasks, or of all reduce tasks."""
    width = min(place.slots, tasks)
    shared = cpu * ((1 + place.waiting) / width)
    seconds = Estimate(*(max(s, longest) for s in (shared.value, shared.low, shared.high)))
    return seconds * (1 / place.speed / 3600)


def dollars(nodes: Nodes, hours: float, prices: Prices) -> float:
    """What so many hours of these machines cost; the surcharge of EMR has no spot price."""
    machine = prices.machines[nodes.type]
    ec2 = machine["ec2"] * (prices.spot_factor if nodes.spot else 1.0)
    return nodes.count * hours * (ec2 + machine["emr"])
