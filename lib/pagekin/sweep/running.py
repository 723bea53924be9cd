"""A sweep over a snapshot: reads the pages once, makes bags, judges, and keeps all that it made.

    DIR/workspace.json, .lock      as of a build; one sweep works in it at a time
    DIR/build-KEY/                 a build: the inventory of the snapshot, and co-citation
    DIR/index-KEY/                 an index with nothing but co-citation
    DIR/fragments-KEY/             fragments of all pages
    DIR/bags-KEY/                  raw bags of labelled pages, df of all
    DIR/judged/KEY.json            the result of a strategy

What is there is right, as its name says all that it depends on (`pagekin.sweep.keys`); so a sweep
that was stopped goes on, and one with more strategies does the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pagekin.build.chain import Build, total_size
from pagekin.build.made import table_path
from pagekin.config import BuildConfig, ReadingConfig
from pagekin.engine.run import Engine
from pagekin.errors import WorkspaceError
from pagekin.evaluate.directory import Directory, DirectoryConfig, read_directory
from pagekin.stages.inventory import RESOLUTION
from pagekin.storage.workspace import Workspace
from pagekin.sweep.fragments import (
    FragmentKey,
    FragmentNeeds,
    fragment_key,
    needs_of,
    words_around,
)
from pagekin.sweep.keys import (
    fragments_name,
    hash_of,
    labels_hash,
    parts_of,
    shelf_name,
    snapshot_hash,
)
from pagekin.sweep.progress import Progress
from pagekin.sweep.reading import FragmentSet, read_snapshot
from pagekin.sweep.strategies import Plan, Strategy
from pagekin.sweep.tasks import JudgeTask, Judging, ShelfTask, judge_strategy, stock_shelf
from pagekin.sweep.workers import run_tasks
from pagekin.web.resolution import Resolution
from pagekin.web.sources import Source

__all__ = ["Sweep"]

_OF_TABLES = frozenset({"cocitation", "both"})

Results = dict[str, dict[str, Any]]


@dataclass
class Sweep:
    """One run."""

    plan: Plan
    workspace: Workspace
    snapshot: list[Source]
    judging: Judging
    progress: Progress
    width: int = 1  # processes at once

    def run(self) -> Results:
        """The result of each strategy by its name; `{"left_out": why}` for one without."""
        with self.workspace.locked():
            (self.workspace.path / "judged").mkdir(exist_ok=True)
            waiting = {self._target(s): s for s in self.plan.strategies}
            known = len(waiting)
            waiting = {path: s for path, s in waiting.items() if not path.exists()}
            self.progress.say(f"{known} strategies, {known - len(waiting)} of them judged already")
            self._read([s.config for s in waiting.values()])
            self._stock([s.config for s in waiting.values()])
            left_out = self._judge(waiting)
        return {s.name: self._result(s, left_out) for s in self.plan.strategies}

    # --- names ---

    @cached_property
    def _snapshot(self) -> str:
        return snapshot_hash(self.snapshot)

    @cached_property
    def _readings(self) -> dict[ReadingConfig, tuple[Resolution | None, Directory, str]]:
        """For each way to read: what stands for what, the labels, and their hash."""
        found = {}
        for reading in dict.fromkeys(s.config.reading for s in self.plan.strategies):
            resolution = self._resolution(reading)
            resolve: Callable[[str], str] = resolution.end_of if resolution else str
            judging = self.judging
            config = DirectoryConfig(judging.depth, judging.shallow, judging.form)
            directory = read_directory(map(Path, judging.directory), config, resolve)
            found[reading] = resolution, directory, labels_hash(directory)
        return found

    @property
    def labels(self) -> Directory:
        """The labels under the first way to read."""
        return next(iter(self._readings.values()))[1]

    def _shelf_name(self, config: BuildConfig) -> str:
        return shelf_name(config, self._snapshot, self._readings[config.reading][2])

    def _target(self, strategy: Strategy) -> Path:
        judging = {k: v for k, v in asdict(self.judging).items() if k != "directory"}
        key = hash_of(self._shelf_name(strategy.config), parts_of(strategy), judging)
        return self.workspace.path / "judged" / f"{key}.json"

    # --- the steps ---

    def _build(self, config: BuildConfig, **more: Any) -> Path:
        """Do a part of a build in a workspace of its own; gives its folder."""
        folder = self.workspace.path / f"build-{hash_of(asdict(config.reading))}"
        engine = Engine("local" if self.width > 1 else "inline", tasks=self.width)
        Build(Workspace.create(folder), config, engine, self.snapshot, quiet=True, **more).run()
        return folder

    def _resolution(self, reading: ReadingConfig) -> Resolution | None:
        if not reading.resolve:
            return None
        self.progress.say("taking the inventory of the snapshot")
        folder = self._build(BuildConfig(reading=reading), until="captures")
        path = table_path(Workspace.open(folder), RESOLUTION)
        return Resolution(path) if path else None

    def _read(self, waiting: list[BuildConfig]) -> None:
        """Make the fragments that are not there: all of one way to read in one pass."""
        every = needs_of(s.config for s in self.plan.strategies)
        wanted = {fragment_key(c) for c in waiting if not self._has(self._shelf_name(c))}
        missing = [key for key in wanted if not self._fragments(key, every[key])]
        for reading in dict.fromkeys(key.reading for key in missing):
            keys = [key for key in every if key.reading == reading and key in missing]
            self._read_for(reading, {key: every[key] for key in keys})

    def _has(self, name: str) -> bool:
        return self.workspace.stage_record(name) is not None

    def _fragments(self, key: FragmentKey, needs: FragmentNeeds) -> dict[str, Any] | None:
        """What is known of a set, if it is there and holds enough."""
        record = self.workspace.stage_record(fragments_name(key, self._snapshot))
        if record is None:
            return None
        widths = tuple(int(width) for width in record["windows"])
        return record if FragmentNeeds(widths, tuple(record["sources"])).cover(needs) else None

    def _read_for(self, reading: ReadingConfig, needs: Mapping[FragmentKey, FragmentNeeds]) -> None:
        resolution = self._readings[reading][0]
        folders = {k: self.workspace.new_folder("fragments") for k in needs}
        sets = [FragmentSet(k, needs[k], folders[k], resolution) for k in needs]
        self.progress.reading(total_size(self.snapshot))
        counters = read_snapshot(self.snapshot, reading, resolution, sets, self.progress.read)
        pages = counters.get("records", "used")
        self.progress.say(f"{pages:,} pages are read, for {len(sets)} sets of fragments")
        for one in sets:
            record = {
                "windows": one.mean_windows(),
                "sources": list(one.needs.sources),
                "counters": counters.as_dict(),
            }
            name = fragments_name(one.key, self._snapshot)
            self.workspace.complete(name, folders[one.key], record)

    def _stock(self, waiting: list[BuildConfig]) -> None:
        shelves = {self._shelf_name(c): c for c in waiting}
        tasks = [
            ShelfTask(
                self.workspace.path,
                name,
                self.workspace.require(fragments_name(fragment_key(c), self._snapshot)),
                c,
                self._readings[c.reading][1],
            )
            for name, c in shelves.items()
            if not self._has(name)
        ]
        done = run_tasks(stock_shelf, tasks, self.width)
        for _ in self.progress.each("making bags", done, len(tasks)):
            pass

    def _judge(self, waiting: Mapping[Path, Strategy]) -> dict[Path, str]:
        """Judge what waits; gives what cannot be judged, and why."""
        left_out = {}
        tasks = [self._task(path, strategy) for path, strategy in waiting.items()]
        done = run_tasks(judge_strategy, tasks, self.width)
        for task, why, seconds in self.progress.each("judging", done, len(tasks)):
            if why:
                left_out[task.target] = why
            said = f"left out: {why}" if why else f"judged in {seconds:.1f} s"
            self.progress.say(f"{task.strategy.name}: {said}")
        return left_out

    def _task(self, path: Path, strategy: Strategy) -> JudgeTask:
        config = strategy.config
        return JudgeTask(
            self.workspace.path,
            self._shelf_name(config),
            path,
            strategy,
            self.judging,
            self._readings[config.reading][1],
            self._window(config),
            self._cited(config) if strategy.by in _OF_TABLES else None,
        )

    def _window(self, config: BuildConfig) -> float | None:
        """The mean number of words around a link, where there are any."""
        record = self.workspace.stage_record(fragments_name(fragment_key(config), self._snapshot))
        if not config.bag.anchor or record is None:
            return None
        found: float | None = record["windows"].get(str(words_around(config)))
        return found

    def _cited(self, config: BuildConfig) -> Path:
        """An index that holds the table of co-citation."""
        parts = [asdict(part) for part in (config.reading, config.blocks, config.cocitation)]
        path = self.workspace.path / f"index-{hash_of(parts, self._snapshot)}"
        if not path.exists():
            self.progress.say("building the table of co-citation")
            self._build(config, parts=("cocitation",), index=path)
        return path

    def _result(self, strategy: Strategy, left_out: Mapping[Path, str]) -> dict[str, Any]:
        path = self._target(strategy)
        if path in left_out:
            return {"left_out": left_out[path]}
        try:
            result: dict[str, Any] = json.loads(path.read_bytes())
        except (OSError, ValueError) as error:
            raise WorkspaceError(f"{path} cannot be read; remove it and sweep again") from error
        return {**result, "result": str(path)}
