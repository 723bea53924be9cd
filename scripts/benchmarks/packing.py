"""Where the large hosts of a corpus are cut, found as the inventory of a build finds it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.harness import timed
from pagekin.config import BuildConfig
from pagekin.jobs.inventory import Inventory
from pagekin.kinds import SAMPLE
from pagekin.stages.declaration import Circumstances
from pagekin.stages.inventory.sample import Sampling, sampling_for, write_sampled

__all__ = ["inventory_task", "sample_task"]


def inventory_task(files: list[str], *, sample: bool = False) -> dict[str, Any]:
    """CPU of the map phase of the inventory, with a sample of the pages or without."""
    job = _job(files, sample=sample)
    done = timed(lambda: len(_pairs(job, files)))
    return {"cpu": done.cpu, "pages": job.counters_.get("inventory", "captures")}


def sample_task(files: list[str], path: str) -> dict[str, Any]:
    """Write where large hosts are cut; gives how many pages were read for that."""
    pairs = sorted(_pairs(_job(files, sample=True), files))
    told = [value for key, value in pairs if SAMPLE.holds(key)]
    write_sampled(Path(path), told, _sampling(files).stands_for)
    return {"pages": len(told)}


def _job(files: list[str], *, sample: bool) -> Inventory:
    outputs = "captures,sample" if sample else "captures"
    return Inventory([f"--outputs={outputs}", f"--sample={_sampling(files).one_in}"])


def _pairs(job: Inventory, files: list[str]) -> list[tuple[bytes, bytes]]:
    return list(job.map_pairs((file.encode(), b"") for file in files))


def _sampling(files: list[str]) -> Sampling:
    sizes = tuple(Path(file).stat().st_size for file in files)
    return sampling_for(Circumstances(BuildConfig(), sizes, made_together=("captures", "sample")))
