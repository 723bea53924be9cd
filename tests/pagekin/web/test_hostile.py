"""Files that mean harm are read like others: every record counts, and in time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pagekin.counters import Counters
from pagekin.limits import LIMITS
from tests.hostile import CASES, SECONDS, Case, Told, read

LARGE = "PAGEKIN_HOSTILE" in os.environ
TRIES = 3  # on a busy machine time is no constant


def is_linear(once: Told, twice: Told) -> bool:
    """Did twice the bytes take about twice the time? Four times would be quadratic."""
    return twice.seconds <= 2.7 * once.seconds + 0.2


def told(case: Case, path: Path) -> tuple[Told, Told]:
    """What becomes of a file, and of one twice as long."""
    found = []
    for size in (case.largest // 2, case.largest) if LARGE else (case.size, 2 * case.size):
        path.write_bytes(case.make(size))
        found.append(read(path, case.rules))
        path.unlink()
    once, twice = found
    return once, twice


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, tmp_path: Path) -> None:
    """No exception; each record is used or has its reason; what was done to it is counted; no
    record takes longer than 10 s, and the time is linear in the bytes.
    """
    case = CASES[name]
    for _ in range(TRIES):
        once, twice = told(case, tmp_path / "hostile.warc")
        if is_linear(once, twice):
            break
    counts = twice.counters.as_dict()["records"]
    assert counts.pop("read") == sum(counts.values()) > 0
    assert [] == [name for name in case.counted if not twice.counters.get(*name.split("."))]
    assert twice.slowest <= SECONDS
    assert is_linear(once, twice), (
        f"{once.seconds:.2f} s, and of twice the bytes {twice.seconds:.2f}"
    )


def test_limits_take_effect() -> None:
    """Of the limits of pages and records each is reached by a case, and its counter says so."""
    counted = {name for case in CASES.values() for name in case.counted}
    of_pages = {x.counter for x in LIMITS if x.counter.startswith(("records", "pages", "links"))}
    assert of_pages <= counted


def test_time_is_looked_at() -> None:
    """A reader whose time is quadratic would be found."""
    once, twice, four_times = (Told(Counters(), seconds, seconds) for seconds in (1.0, 2.2, 4.0))
    assert (True, False) == (is_linear(once, twice), is_linear(once, four_times))
