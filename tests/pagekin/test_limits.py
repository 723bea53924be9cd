"""Limits of what is read, and the page that describes them."""

from __future__ import annotations

import re
import subprocess
import sys

from pagekin import limits
from pagekin.limits import LIMITS, table
from tests.running import ROOT


def test_page():
    """The guide has the table as the limits make it."""
    page = (ROOT / "docs" / "guide" / "limits.md").read_text(encoding="utf-8")
    assert "\n".join(table()) in page


def test_table_is_printed():
    """For whoever changed a limit."""
    words = [sys.executable, "-m", "pagekin.limits"]
    said = subprocess.run(words, capture_output=True, text=True, check=True)
    assert [*table()] == said.stdout.splitlines()


def test_every_limit_is_described():
    """Each has a name to import, a reason and a unit, and is told once."""
    values = {name: getattr(limits, name) for name in limits.__all__ if name.isupper()}
    assert len(values) - 1 == len(LIMITS) == len({limit.what for limit in LIMITS})
    assert all(limit.why and limit.beyond and limit.unit for limit in LIMITS)
    assert {limit.value for limit in LIMITS} == {v for k, v in values.items() if k != "LIMITS"}


def test_counters_are_described():
    """Each counter of a limit stands in the table of all counters."""
    formats = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    formats = formats.partition("## Counters")[2].replace("`bad_X`", "`bad_gzip`")
    for group, name in (limit.counter.split(".") for limit in LIMITS if limit.counter):
        (row,) = re.findall(rf"^\| `{group}` \| (.*)", formats, re.MULTILINE)
        assert f"`{name.removeprefix('damaged_')}`" in row, (group, name)
