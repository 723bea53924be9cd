"""The two kinds of work of a sweep: to make a shelf of raw bags, and to judge a strategy.

Both run in any process, read what lies in the workspace, and put what they made there, whole.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pagekin.config import BuildConfig, to_dict
from pagekin.errors import PagekinError
from pagekin.evaluate.directory import Directory
from pagekin.evaluate.judgement import judge, sample_sources, summarise
from pagekin.evaluate.labelled_pages import label_bags
from pagekin.evaluate.similarities import Material, make_representation
from pagekin.index.folder import IndexFolder
from pagekin.storage.workspace import Workspace, write_json
from pagekin.sweep.shelf import Shelf, make_shelf
from pagekin.sweep.strategies import Strategy

__all__ = ["JudgeTask", "Judging", "ShelfTask", "judge_strategy", "stock_shelf"]


@dataclass(frozen=True)
class ShelfTask:
    """Raw bags to be made of fragments."""

    work: Path
    name: str
    fragments: Path
    config: BuildConfig
    directory: Directory


@dataclass(frozen=True)
class Judging:
    """How strategies are judged; the options of `pagekin evaluate gamma`."""

    directory: tuple[str, ...]
    form: str = "auto"
    depth: int = 3
    shallow: str = "keep"
    linked: bool = False
    sample: int | None = None
    seed: int = 1
    resamples: int = 1000

    def settings(self, strategy: Strategy) -> dict[str, Any]:
        """What makes the result of a strategy again, as `evaluate gamma --json` says it."""
        return {
            "directory": list(self.directory),
            "work": None,
            "index": None,
            "format": self.form,
            "depth": self.depth,
            "shallow": self.shallow,
            "linked": self.linked,
            "by": strategy.by,
            "alpha": strategy.alpha,
            "candidates": strategy.candidates,
            "sample": self.sample,
            "seed": self.seed,
            "resamples": self.resamples,
            "config": to_dict(strategy.config),
        }


@dataclass(frozen=True)
class JudgeTask:
    """A strategy to be judged with the bags of a shelf."""

    work: Path
    shelf: str
    target: Path
    strategy: Strategy
    judging: Judging
    directory: Directory
    window: float | None  # mean words around a link
    index: Path | None  # with a table of co-citation


def stock_shelf(task: ShelfTask) -> str:
    """Make raw bags; gives their name."""
    workspace = Workspace(task.work)
    made = workspace.new_folder(task.name)
    said = make_shelf(task.fragments, task.config, task.directory, made)
    workspace.complete(task.name, made, said)
    return task.name


def judge_strategy(task: JudgeTask) -> tuple[JudgeTask, str, float]:
    """Judge a strategy; gives why it cannot be ("": it is done), and how many seconds it took."""
    began = time.monotonic()
    try:
        result = _judged(task)
    except PagekinError as error:
        return task, str(error), time.monotonic() - began
    write_json(task.target, result)
    return task, "", time.monotonic() - began


def _judged(task: JudgeTask) -> dict[str, Any]:
    material, judging = _material(task), task.judging
    pages = material.pages
    sources = sample_sources(pages, judging.sample or len(pages), judging.seed)
    judged = judge(pages, make_representation(task.strategy.by, material), sources)
    result = summarise(judged, seed=judging.seed, resamples=judging.resamples)
    return {**result, "window": task.window, "settings": judging.settings(task.strategy)}


def _material(task: JudgeTask) -> Material:
    workspace, strategy = Workspace(task.work), task.strategy
    shelf = Shelf(workspace.require(task.shelf))
    bags = shelf.weighed(strategy.config.weight)
    return Material(
        label_bags(bags, task.directory, linked=task.judging.linked),
        strategy.config,
        IndexFolder(task.index) if task.index else None,
        shelf.frequencies,
        (workspace.stage_record(task.shelf) or {})["documents"],
        strategy.alpha,
        strategy.candidates,
    )
