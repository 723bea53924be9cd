"""A sweep over a snapshot: reads the pages once, makes bags, judges, and keeps all that it made.

    DIR/workspace.json, .lock      as of a build; one sweep works in it at a time
    DIR/build-KEY/                 a build: the inventory of the snapshot, and co-citation
    DIR/index-KEY/                 an index with nothing but co-citation
    DIR/fragments-KEY/             fragments of all pages
    DIR/bags-KEY/                  raw bags of labelled pages, df of all
    DIR/judged/KEY.json            the result of a strategy

A key is the hash of everything that a result depends on, so whatever changed (a strategy, a file of
the snapshot, a label, a version) asks for another name, and what is there under a name is right. So
a sweep that was stopped goes on, and one with more strategies does the rest.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import xxhash

import pagekin
from pagekin.build.chain import Build
from pagekin.build.made import table_path
from pagekin.build.manifests import total_size
from pagekin.config import BagConfig, BuildConfig, ReadingConfig, to_dict
from pagekin.engine.run import Engine
from pagekin.errors import WorkspaceError
from pagekin.evaluate.directory import Directory, DirectoryConfig, read_directory
from pagekin.printing import tell
from pagekin.progress import ShownLine, duration
from pagekin.stages.inventory import RESOLUTION
from pagekin.storage.workspace import Workspace
from pagekin.sweep.fragment_sets import (
    FragmentKey,
    FragmentNeeds,
    FragmentSet,
    fragment_key,
    needs_of,
    read_snapshot,
    words_around,
)
from pagekin.sweep.judging_tasks import (
    BagsTask,
    JudgeTask,
    Judging,
    judge_strategy,
    make_raw_bags,
    run_tasks,
)
from pagekin.sweep.strategies import Strategy, StrategyFile
from pagekin.web.resolution import Resolution
from pagekin.web.sources import Source

__all__ = ["Sweep"]

_VERSION = 4  # raised when something comes out different for the same key
_OF_TABLES = frozenset({"cocitation", "both"})

Results = dict[str, dict[str, Any]]
T = TypeVar("T")


def _hash(*parts: Any) -> str:
    """Sixteen hexadecimal digits for plain values."""
    text = json.dumps([_VERSION, pagekin.__version__, *parts], sort_keys=True, default=str)
    return xxhash.xxh3_64_hexdigest(text.encode())


def _hash_of_labels(directory: Directory) -> str:
    """Of the pages with their classes."""
    state = xxhash.xxh3_64(json.dumps(directory.classes).encode())
    for array in (directory.keys, directory.bounds, directory.members):
        state.update(array.tobytes())
    return state.hexdigest()


@dataclass
class Sweep:
    """One run."""

    plan: StrategyFile
    workspace: Workspace
    snapshot: list[Source]
    judging: Judging
    width: int = 1  # processes at once
    quiet: bool = False

    def run(self) -> Results:
        """The result of each strategy by its name; `{"left_out": why}` for one without."""
        with self.workspace.locked():
            (self.workspace.path / "judged").mkdir(exist_ok=True)
            waiting = {self._target(s): s for s in self.plan.strategies}
            known = len(waiting)
            waiting = {path: s for path, s in waiting.items() if not path.exists()}
            self._print(f"{known} strategies, {known - len(waiting)} of them judged already")
            self._read([s.config for s in waiting.values()])
            self._make_bags([s.config for s in waiting.values()])
            left_out = self._judge(waiting)
        return {s.name: self._result(s, left_out) for s in self.plan.strategies}

    # --- progress ---

    def _print(self, sentence: str) -> None:
        if not self.quiet:
            tell(f"sweep: {sentence}")

    def _show(self, line: Callable[[], str]) -> AbstractContextManager[object]:
        """Show a line while something goes on."""
        return nullcontext() if self.quiet else ShownLine(lambda: f"sweep: {line()}")

    def _counted(self, what: str, done: Iterable[T], total: int) -> Iterator[T]:
        """The same items; shows how many are done, and the time that the others may take."""
        began, count = time.monotonic(), 0

        def line() -> str:
            rest = (time.monotonic() - began) / max(count, 1) * (total - count)
            return f"{what}: {count} of {total}, {duration(rest)} left"

        with self._show(line):
            for item in done:
                count += 1
                yield item

    # --- names ---

    @cached_property
    def _snapshot_hash(self) -> str:
        """Of the files, by name, size and time."""
        return _hash(sorted(map(list, self.snapshot)))

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
            found[reading] = resolution, directory, _hash_of_labels(directory)
        return found

    def _fragments_name(self, key: FragmentKey) -> str:
        """The folder of a set of fragments."""
        return f"fragments-{_hash(asdict(key), self._snapshot_hash)}"

    def _bags_name(self, config: BuildConfig) -> str:
        """The folder of raw bags: what weights do not change."""
        parts = to_dict(config, ("window", "bag"))
        labels = self._readings[config.reading][2]
        return f"bags-{_hash(self._fragments_name(fragment_key(config)), parts, labels)}"

    def _target(self, strategy: Strategy) -> Path:
        judging = {k: v for k, v in asdict(self.judging).items() if k != "directory"}
        key = _hash(self._bags_name(strategy.config), strategy.parts(), judging)
        return self.workspace.path / "judged" / f"{key}.json"

    # --- the steps ---

    def _build(self, config: BuildConfig, **more: Any) -> Path:
        """Do a part of a build in a workspace of its own; gives its folder."""
        folder = self.workspace.path / f"build-{_hash(asdict(config.reading))}"
        engine = Engine("local" if self.width > 1 else "inline", tasks=self.width)
        Build(Workspace.create(folder), config, engine, self.snapshot, quiet=True, **more).run()
        return folder

    def _resolution(self, reading: ReadingConfig) -> Resolution | None:
        if not reading.resolve:
            return None
        self._print("taking the inventory of the snapshot")
        folder = self._build(
            BuildConfig(reading=reading, bag=BagConfig(templates="anchors")), until="captures"
        )
        path = table_path(Workspace.open(folder), RESOLUTION)
        return Resolution(path) if path else None

    def _read(self, waiting: Sequence[BuildConfig]) -> None:
        """Make the fragments that are not there: all of one way to read in one pass."""
        every = needs_of(s.config for s in self.plan.strategies)
        wanted = {fragment_key(c) for c in waiting if not self._has(self._bags_name(c))}
        missing = [k for k in every if k in wanted and not self._has_fragments(k, every[k])]
        for reading in dict.fromkeys(key.reading for key in missing):
            self._read_for(reading, {k: every[k] for k in missing if k.reading == reading})

    def _has(self, name: str) -> bool:
        return self.workspace.stage_record(name) is not None

    def _has_fragments(self, key: FragmentKey, needs: FragmentNeeds) -> bool:
        """Is the set there, and does it hold enough?"""
        record = self.workspace.stage_record(self._fragments_name(key))
        if record is None:
            return False
        widths = tuple(int(width) for width in record["windows"])
        return FragmentNeeds(widths, tuple(record["sources"])).cover(needs)

    def _read_for(self, reading: ReadingConfig, needs: Mapping[FragmentKey, FragmentNeeds]) -> None:
        resolution = self._readings[reading][0]
        sets = [
            FragmentSet(key, needs[key], self.workspace.new_folder("fragments"), resolution)
            for key in needs
        ]
        total, read = total_size(self.snapshot), {"pages": 0, "bytes": 0}

        def report(pages: int, size: int) -> None:
            read["pages"] += pages
            read["bytes"] += size

        def line() -> str:
            share = f", {read['bytes'] * 100 // total} %" if total else ""
            return f"reading: {read['pages']:,} pages{share}"

        with self._show(line):
            counters = read_snapshot(self.snapshot, reading, resolution, sets, report)
        pages = counters.get("records", "used")
        self._print(f"{pages:,} pages are read, for {len(sets)} sets of fragments")
        for one in sets:
            record = {
                "windows": one.mean_windows(),
                "sources": list(one.needs.sources),
                "counters": counters.as_dict(),
            }
            self.workspace.complete(self._fragments_name(one.key), one.folder, record)

    def _make_bags(self, waiting: Sequence[BuildConfig]) -> None:
        tasks = [
            BagsTask(
                self.workspace.path,
                name,
                self.workspace.require(self._fragments_name(fragment_key(c))),
                c,
                self._readings[c.reading][1],
            )
            for name, c in {self._bags_name(c): c for c in waiting}.items()
            if not self._has(name)
        ]
        done = run_tasks(make_raw_bags, tasks, self.width)
        for _ in self._counted("making bags", done, len(tasks)):
            pass

    def _judge(self, waiting: Mapping[Path, Strategy]) -> dict[Path, str]:
        """Judge what waits; gives what cannot be judged, and why."""
        left_out = {}
        tasks = [self._task(path, strategy) for path, strategy in waiting.items()]
        done = run_tasks(judge_strategy, tasks, self.width)
        for task, why, seconds in self._counted("judging", done, len(tasks)):
            if why:
                left_out[task.target] = why
            outcome = f"left out: {why}" if why else f"judged in {seconds:.1f} s"
            self._print(f"{task.strategy.name}: {outcome}")
        return left_out

    def _task(self, path: Path, strategy: Strategy) -> JudgeTask:
        config = strategy.config
        return JudgeTask(
            self.workspace.path,
            self._bags_name(config),
            path,
            strategy,
            self.judging,
            self._readings[config.reading][1],
            self._window(config),
            self._cocitation_index(config) if strategy.by in _OF_TABLES else None,
        )

    def _window(self, config: BuildConfig) -> float | None:
        """The mean number of words around a link, where there are any."""
        record = self.workspace.stage_record(self._fragments_name(fragment_key(config)))
        if not config.bag.anchor or record is None:
            return None
        found: float | None = record["windows"].get(str(words_around(config)))
        return found

    def _cocitation_index(self, config: BuildConfig) -> Path:
        """An index that holds the table of co-citation."""
        parts = [asdict(part) for part in (config.reading, config.blocks, config.cocitation)]
        path = self.workspace.path / f"index-{_hash(parts, self._snapshot_hash)}"
        if not path.exists():
            self._print("building the table of co-citation")
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
