"""Price file, machines of mrjob's options, and costs against hand computations."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekin.errors import UsageError
from pagekin.planning.extrapolation import Estimate
from pagekin.planning.prediction import Prediction, StagePrediction
from pagekin.planning.prices import (
    Nodes,
    Place,
    costs,
    dollars,
    nodes_of,
    place_of,
    read_prices,
    slots,
)
from tests.running import ROOT

PRICES = ROOT / "emr" / "prices.toml"
CONF = Path("my.conf")
SMALL = """
date = "2020-01"
source = "a list"
spot_factor = 0.5
startup_minutes = 6
[machines]
"big" = {vcpus = 8, memory_gib = 32, ec2 = 1.0, emr = 0.25}
"small" = {vcpus = 2, memory_gib = 8, ec2 = 0.2, emr = 0.05}
"""


@pytest.fixture(name="prices")
def _prices(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text(SMALL)
    return read_prices(path)


def test_dollars(prices):
    """Two spot machines for three hours: 2 x 3 x (1.0 x 0.5 + 0.25)."""
    assert dollars(Nodes("task", "big", 2, spot=True), 3, prices) == pytest.approx(4.5)
    assert dollars(Nodes("core", "big", 2), 3, prices) == pytest.approx(7.5)


def test_types_and_numbers(prices):
    """A master, and core machines of a type and number; tasks run on these."""
    options = {
        "master_instance_type": "small",
        "core_instance_type": "big",
        "num_core_instances": 3,
    }
    nodes = nodes_of(options, prices, CONF)
    assert nodes == (Nodes("master", "small", 1), Nodes("core", "big", 3))
    assert 24 == slots(nodes, prices)


def test_fleets(prices):
    """A fleet's capacity by the weight of the first type that has a price."""
    fleet = {
        "InstanceFleetType": "TASK",
        "TargetSpotCapacity": 20,
        "InstanceTypeConfigs": [
            {"InstanceType": "unheard-of", "WeightedCapacity": 4},
            {"InstanceType": "big", "WeightedCapacity": 8},
        ],
    }
    master = {
        "InstanceFleetType": "MASTER",
        "TargetOnDemandCapacity": 1,
        "InstanceTypeConfigs": [{"InstanceType": "small"}],
    }
    nodes = nodes_of({"instance_fleets": [master, fleet]}, prices, CONF)
    assert nodes == (Nodes("master", "small", 1), Nodes("task", "big", 3, spot=True))


def test_groups(prices):
    """Instance groups, with a spot market."""
    group = {
        "InstanceRole": "CORE",
        "InstanceType": "big",
        "InstanceCount": 2,
        "Market": "SPOT",
    }
    nodes = nodes_of({"instance_groups": [group]}, prices, CONF)
    assert nodes == (Nodes("core", "big", 2, spot=True),)


@pytest.mark.parametrize(
    ("name", "count"),
    [("small.conf", 8), ("large.conf", 288)],
)
def test_our_configurations(name, count):
    """The configurations that come with pagekin name machines that have a price."""
    place = place_of(ROOT / "emr" / name, PRICES, 1.0)
    assert (place.slots, place.reduces) == (count, count)


def test_number_of_reduces(tmp_path):
    """The reduce tasks of the configuration, else one for each slot."""
    text = "runners: {emr: {master_instance_type: small, core_instance_type: big, "
    (tmp_path / "prices.toml").write_text(SMALL)
    path = tmp_path / "mrjob.conf"
    path.write_text(text + "num_core_instances: 3, jobconf: {mapreduce.job.reduces: 7}}}")
    assert (24, 7) == (place_of(path, None, 1.0).slots, place_of(path, None, 1.0).reduces)
    path.write_text(text + "num_core_instances: 3}}")
    assert 24 == place_of(path, None, 1.0).reduces


def test_unknown_type(prices):
    """One sentence says which type, and what to do."""
    options = {"master_instance_type": "huge", "core_instance_type": "huge"}
    with pytest.raises(UsageError, match="instance type huge has no price; add"):
        nodes_of(options, prices, CONF)


def test_no_machines(prices):
    """A configuration of another runner has none."""
    with pytest.raises(UsageError, match=r"names no machines for runners\.emr"):
        nodes_of({}, prices, CONF)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("date = ", "not valid TOML"),
        ("date = 'x'", "lacks 'machines'"),
        (SMALL.replace("vcpus = 8, ", ""), r"machines\.big\.vcpus takes a number from 0, not None"),
        (SMALL.replace("0.5", "'half'"), "spot_factor takes a number"),
        ("machines = 3", "lacks"),
    ],
)
def test_broken_files(tmp_path, text, complaint):
    """What is no price file is refused in one sentence."""
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        read_prices(path)


def stage(map_cpu=0.0, reduce_cpu=0.0, longest_map=0.0, longest_reduce=0.0):
    """A stage of which only the CPU times matter."""
    none = Estimate.exact(0)
    cpu = {"map": Estimate.exact(map_cpu), "sort": none, "reduce": Estimate.exact(reduce_cpu)}
    longest = {"map": longest_map, "reduce": longest_reduce}
    return StagePrediction("one", 100, 10, none, {}, none, {}, cpu, longest, none, [])


def prediction(*stages, index_seconds=0.0, busy=1.0):
    """A prediction of which only the stages and the times matter."""
    none = Estimate.exact(0)
    return Prediction(none, list(stages), none, none, index_seconds, busy)


def test_hours(prices):
    """26,000 s on ten slots with 30 % of waiting are 3,380 s; start and pause come on top."""
    options = {"master_instance_type": "small", "core_instance_type": "small"}
    nodes = nodes_of({**options, "num_core_instances": 5}, prices, CONF)
    spent = costs(prediction(stage(map_cpu=26_000), busy=7), Place(10, 10, 1.0, nodes, prices))
    hours = 26_000 * 1.3 / 10 / 3600 + 0.5 / 60 + 6 / 60
    assert spent["hours"].value == pytest.approx(hours)
    assert spent["cost"].value == pytest.approx(6 * hours * 0.25)
    assert [node["instance_hours"].value for node in spent["nodes"]] == pytest.approx(
        [hours, 5 * hours]
    )


def test_the_longest_task_decides():
    """More slots do not help where one task takes 7,200 s; a machine of twice the speed does."""
    one = prediction(stage(map_cpu=7300, longest_map=7200))
    assert costs(one, Place(1000, 10, 1.0))["hours"].value == pytest.approx(2, rel=1e-3)
    assert costs(one, Place(1000, 10, 2.0))["hours"].value == pytest.approx(1, rel=1e-3)


def test_hours_here():
    """On this machine slots wait little, and command, stages and index take time too; where others
    are at work all takes so much longer, but for the index, which was measured like that."""
    one = prediction(stage(map_cpu=100, reduce_cpu=20), index_seconds=5)
    hours = (120 * 1.1 / 2 + 0.07 + 0.4 + 5) / 3600
    assert costs(one, Place(2, 2, 1.0))["hours"].value == pytest.approx(hours)
    busy = prediction(stage(map_cpu=100, reduce_cpu=20), index_seconds=5, busy=3.0)
    hours = (3 * (120 * 1.1 / 2 + 0.07 + 0.4) + 5) / 3600
    assert costs(busy, Place(2, 2, 1.0))["hours"].value == pytest.approx(hours)


def test_places(tmp_path):
    """Prices belong to a cluster, a speed is above 0, and a configuration must be there."""
    with pytest.raises(UsageError, match="name a cluster too"):
        place_of(None, PRICES, 1.0)
    with pytest.raises(UsageError, match="takes a number above 0"):
        place_of(None, None, 0.0)
    with pytest.raises(UsageError, match="there is no such file"):
        place_of(tmp_path / "no.conf", None, 1.0)
    place = place_of(ROOT / "emr" / "small.conf", None, 1.0)
    assert (8, 8) == (place.slots, place.reduces)
