"""No task's memory grows with the number of pages or with the most linked URL."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagekin.build.bag_store import BagStore
from tests.warcs import gz, response

HOT = "http://hot.example/"
LINKS_A_PAGE = 100
FILES = 4


def linking_pages(count: int, seed: int) -> Iterator[bytes]:
    """Pages of many hosts, each with 100 links to one URL in ever new words."""
    chance = random.Random(seed)
    for k in range(count):
        words = [f"w{chance.randrange(20_000):05d}".translate(LETTERS) for _ in range(300)]
        parts = [
            f'{" ".join(words[n : n + 2])} <a href="{HOT}">{words[n + 2]}</a>'
            for n in range(0, 3 * LINKS_A_PAGE, 3)
        ]
        yield response(f"http://h{k % 500}.example/{k}", f"<p>{' '.join(parts)}</p>".encode())


LETTERS = str.maketrans("0123456789", "abcdefghij")


def build(tmp_path: Path, inlinks: int) -> dict[str, dict[str, int]]:
    """Peak memory and more by stage, of a local build with so many links to one URL."""
    snapshot = tmp_path / f"snapshot-{inlinks}"
    snapshot.mkdir()
    pages = list(linking_pages(inlinks // LINKS_A_PAGE, seed=inlinks))
    for k in range(FILES):
        records = b"".join(map(gz, pages[k::FILES]))
        (snapshot / f"{k}.warc.gz").write_bytes(records)
    work = tmp_path / f"work-{inlinks}"
    words = ("build", "-q", "--no-index", "--work", work, snapshot)
    command = [sys.executable, "-m", "pagekin", *words]
    subprocess.run(command, check=True)
    bag = BagStore(work).get(HOT)
    assert (inlinks, inlinks // LINKS_A_PAGE, 500) == (bag.anchors, bag.pages, bag.hosts)
    summary = json.loads((work / "summary.json").read_text())
    return {stage["name"]: stage for stage in summary["stages"]}


def test_one_url_with_300_000_inlinks(tmp_path: Path) -> None:
    """Five times the inlinks cost a task no more than noise: the hot URL is folded in pieces."""
    few = build(tmp_path, 60_000)
    many = build(tmp_path, 300_000)
    for name, stage in many.items():
        assert stage["peak_memory"] < 250 << 20, name
        assert stage["peak_memory"] == pytest.approx(few[name]["peak_memory"], abs=40 << 20), name
