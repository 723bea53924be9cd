"""What a cluster costs: the price file, the machines that an mrjob.conf names, and the arithmetic.

The price file is a TOML table that its user keeps up (docs/formats.md). Machines come from the
options of mrjob's EMR runner: instance fleets, instance groups, or types with their numbers. Of a
fleet, whose machines AWS chooses, the first type that has a price stands for all.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pagekin.errors import UsageError

__all__ = ["Cluster", "Machine", "Nodes", "Prices", "cluster_of", "dollars", "read_prices", "slots"]

_ROLES = ("master", "core", "task")


@dataclass(frozen=True)
class Machine:
    """An instance type."""

    vcpus: int
    memory: float  # GiB
    ec2: float  # an hour, on demand
    emr: float  # an hour, on top, also for spot machines


@dataclass(frozen=True)
class Prices:
    """The price file."""

    date: str
    source: str
    currency: str
    spot_factor: float  # of the price on demand
    startup_minutes: float  # of a cluster, paid in full
    machines: dict[str, Machine]


@dataclass(frozen=True)
class Nodes:
    """Machines of one kind and role."""

    role: str
    type: str
    count: int
    spot: bool = False


@dataclass(frozen=True)
class Cluster:
    """What is paid for, and how many tasks it runs at once."""

    nodes: tuple[Nodes, ...]
    reduces: int  # as configured; 0: not said


_NUMBERS = {"vcpus": int, "memory_gib": float, "ec2": float, "emr": float}


def read_prices(path: Path) -> Prices:
    """The price file; UsageError in one sentence where it is none."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        machines = {name: _machine(path, name, t) for name, t in table["machines"].items()}
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


def _machine(path: Path, name: str, table: Mapping[str, Any]) -> Machine:
    values = [_number(path, f"machines.{name}.{key}", table.get(key)) for key in _NUMBERS]
    return Machine(int(values[0]), *values[1:])


def _number(path: Path, name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise UsageError(f"{path}: {name} takes a number from 0, not {value!r}")
    return float(value)


def cluster_of(options: Mapping[str, Any], prices: Prices, conf: Path) -> Cluster:
    """The machines that mrjob's options for EMR ask for."""
    if options.get("instance_fleets"):
        nodes = [_fleet(fleet, prices, conf) for fleet in options["instance_fleets"]]
    elif options.get("instance_groups"):
        nodes = [_group(group) for group in options["instance_groups"]]
    else:
        nodes = list(_counted(options))
    nodes = [each for each in nodes if each.count]
    for each in nodes:
        _check_known(each.type, prices, conf)
    if not any(each.role != "master" or len(nodes) == 1 for each in nodes):
        raise UsageError(f"-c {conf}: it names no machines for runners.emr; see emr/small.conf")
    reduces = (options.get("jobconf") or {}).get("mapreduce.job.reduces", 0)
    return Cluster(tuple(nodes), int(reduces))


def _check_known(name: str, prices: Prices, conf: Path) -> None:
    if name not in prices.machines:
        known = ", ".join(sorted(prices.machines))
        raise UsageError(
            f'-c {conf}: instance type {name} has no price; add [machines."{name}"] to the price'
            f" file, which knows {known}"
        )


def _fleet(fleet: Mapping[str, Any], prices: Prices, conf: Path) -> Nodes:
    kinds = fleet.get("InstanceTypeConfigs") or [{}]
    names = [kind.get("InstanceType", "") for kind in kinds]
    chosen = next((k for k in kinds if k.get("InstanceType") in prices.machines), None)
    if chosen is None:
        _check_known(names[0], prices, conf)
        raise AssertionError(names)
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


def _counted(options: Mapping[str, Any]) -> Iterator[Nodes]:
    for role in _ROLES:
        name = options.get(f"{role}_instance_type") or options.get("instance_type")
        count = 1 if role == "master" else int(options.get(f"num_{role}_instances") or 0)
        if name and count:
            yield Nodes(role, str(name), count, bool(options.get(f"{role}_instance_bid_price")))


def slots(cluster: Cluster, prices: Prices) -> int:
    """Tasks at once: one for each vCPU of the machines that run tasks."""
    working = [n for n in cluster.nodes if n.role != "master"] or list(cluster.nodes)
    return sum(n.count * prices.machines[n.type].vcpus for n in working)


def dollars(nodes: Nodes, hours: float, prices: Prices) -> float:
    """What so many hours of these machines cost; the surcharge of EMR has no spot price."""
    machine = prices.machines[nodes.type]
    ec2 = machine.ec2 * (prices.spot_factor if nodes.spot else 1.0)
    return nodes.count * hours * (ec2 + machine.emr)
