"""How the pages of a corpus are packed, found as the inventory of a build finds it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.harness import timed
from pagekin.jobs.inventory import Inventory
from pagekin.stages.inventory.sample import SAMPLE_KEY, Sampling, sampling_of, write_sampled

__all__ = ["inventory_task", "sample_task"]


def inventory_task(files: list[str], sample: str = "") -> dict[str, Any]:
    """CPU of the map phase of the inventory, with a sample of links or of words or without."""
    job = _job(files, sample)
    done = timed(lambda: len(_pairs(job, files)))
    return {"cpu": done.cpu, "pages": job.counters_.get("inventory", "captures")}


def sample_task(files: list[str], path: str, sample: str = "words") -> dict[str, Any]:
    """Write how the pages are packed; gives how many of them were read for that."""
    pairs = sorted(_pairs(_job(files, sample), files))
    told = [value for key, value in pairs if key.startswith(SAMPLE_KEY)]
    write_sampled(Path(path), told, _sampling(files).stands_for)
    return {"pages": len(told)}


def _job(files: list[str], sample: str) -> Inventory:
    flags = {"": [], "links": ["--links-only"], "words": []}[sample]
    return Inventory([f"--sample={_sampling(files).one_in}", *flags] if sample else [])


def _pairs(job: Inventory, files: list[str]) -> list[tuple[bytes, bytes]]:
    return list(job.map_pairs((file.encode(), b"") for file in files))


def _sampling(files: list[str]) -> Sampling:
    return sampling_of((Path(file).stat().st_size for file in files), whole=True, words=True)
