"""The chain of stages over one snapshot: what is missing or out of date is built, the rest is kept.

A stage depends on its part of the configuration, its version, the snapshot if it reads it, and the
digest of what it reads. All that is written into the stage; when it differs now, the stage is built
again, and a sentence says why. A stage whose input came out the same as before is kept.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import xxhash

import pagekin
from pagekin.build.remote_index import RemoteIndex
from pagekin.build.report import Report, write_summary
from pagekin.config import BuildConfig, to_dict
from pagekin.engine.local.beside import Beside, Slots
from pagekin.engine.run import (
    Engine,
    StageResult,
    collect_result,
    job_class,
    one_cluster,
    run_job,
)
from pagekin.errors import StageError
from pagekin.names import ON_THIS_MACHINE, PARTS
from pagekin.options import to_flags
from pagekin.progress import StageProgress
from pagekin.stages.chain import (
    LINKS_ONLY,
    SAMPLE,
    WITH_BLOCKS,
    Stage,
    settle_shards,
    split_chains,
    wanted_stages,
)
from pagekin.stages.inventory.sample import Sampling, sampling_of
from pagekin.stages.word_buckets import digit_flags
from pagekin.storage.part_files import cut_out
from pagekin.storage.remote_workspace import AnyWorkspace, required_table
from pagekin.tables import ArrayFile
from pagekin.web.sources import Source

__all__ = ["Build", "Decision", "plan"]

Tell = Callable[[dict[str, Any]], None]

_BYTES_PER_TASK = 256 << 20  # of compressed input: a task of a few minutes
_MAX_MANIFESTS = 100_000
_NOTES_SHOWN = 10
_UNKNOWN = 1 << 30  # bytes of a file whose size nobody knows: as those of Common Crawl
_NAMES = 10  # of the snapshot's files, that the index remembers
_INDEXING = "build.make_index"  # imported late: it is loaded while the tasks of the last stage run


@dataclass(frozen=True)
class Decision:
    """What is to happen with a stage, and why."""

    stage: Stage
    build: bool
    reason: str


@dataclass
class Build:
    """One run of the chain."""

    workspace: AnyWorkspace
    config: BuildConfig
    engine: Engine
    snapshot: list[Source]
    until: str = ""
    max_failed_files: int = 0
    quiet: bool = False
    index: Path | RemoteIndex | None = None
    parts: Collection[str] = PARTS
    samples: bool = True  # does a sample of the pages tell how bags are packed?
    share: float = 1.0  # of a snapshot that the files are: its large hosts are cut as for the whole
    travels: bool = False  # is it to be packed as for a network, also on this machine?
    runs: Callable[..., tuple[float, float]] = run_job  # or another with its arguments

    def stages(self) -> tuple[Stage, ...]:
        """The stages that are wanted, in order."""
        return wanted_stages(
            self.config,
            self.until,
            index=self.index is not None,
            parts=self.parts,
            sampling=self._sampling if self.samples else None,
            of_words=digit_flags(sum(self._sizes()) / self.share),
        )

    def _sizes(self) -> Iterator[int]:
        return (source.size if source.size >= 0 else _UNKNOWN for source in self.snapshot)

    @cached_property
    def _sampling(self) -> Sampling:
        # codes of terms are for the network; and where links to others are not sent, little is left
        travels = self.travels or self.engine.runner not in ON_THIS_MACHINE
        words = travels and self.config.bag.urls == "all"
        sampling = sampling_of(self._sizes(), whole=self.config.reading.resolve, words=words)
        return sampling._replace(stands_for=round(sampling.stands_for / self.share))

    def run(self) -> dict[str, Any]:
        """Build what is to be built; gives the summary, which is also written beside the stages."""
        report = Report(quiet=self.quiet)
        summary = self._new_summary()
        began = time.monotonic()
        with self.workspace.locked():
            try:
                with one_cluster(self.engine, report.cluster) as self.engine:
                    self._run_stages(report, summary["stages"].append)
                if self.index is not None:
                    summary["index"] = self._make_index(self.index, report)
                self.workspace.settle()
                summary["state"] = "complete"
            except KeyboardInterrupt:
                summary["state"] = "stopped"
                raise
            except Exception as error:
                summary["state"], summary["error"] = "failed", str(error)
                raise
            finally:
                summary["seconds"] = round(time.monotonic() - began, 3)
                write_summary(self.workspace, summary)
        return summary

    def _new_summary(self) -> dict[str, Any]:
        return {
            "pagekin": pagekin.__version__,
            "state": "running",
            "runner": self.engine.runner,
            "tasks": self.engine.width,
            "snapshot": {"files": len(self.snapshot), "bytes": total_size(self.snapshot)},
            "config": to_dict(self.config),
            "stages": [],
        }

    def _run_stages(self, report: Report, tell: Tell) -> None:
        """All stages; what the summary says of each is told when it is done."""
        first, chain, other = split_chains(self.stages())
        self._run_chain(first, report, tell, behind=chain)
        if other and self._may_run_beside(other):
            self._run_beside(chain, other, report, tell)
        else:
            self._run_chain([*chain, *other], report, tell)

    def _run_chain(
        self,
        stages: Sequence[Stage],
        report: Report,
        tell: Tell,
        behind: Sequence[Stage] = (),
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """One stage after the other; `check` raises where it is of no use to go on."""
        for stage, after in zip(stages, [*stages[1:], *behind[:1], None], strict=False):
            check()
            tell(self._step(stage, after, report))

    def _may_run_beside(self, other: Sequence[Stage]) -> bool:
        """May tasks that are forked run at once, more than one, and is there anything to do?"""
        engine = self._engine(self._read_result(other[0]))
        # a configuration of mrjob may have each task started as a program, which knows of no leave
        forks = engine.runner == "local" and not engine.conf and sys.platform == "linux"
        return forks and engine.width > 1 and any(self.decide(stage).build for stage in other)

    def _run_beside(
        self, chain: Sequence[Stage], other: Sequence[Stage], report: Report, tell: Tell
    ) -> None:
        """Two chains that do not need each other; the other one in a process of its own."""
        folder = self.workspace.new_folder("beside")
        mine, others = report.beside(folder / "line")
        slots, told = Slots(), folder / "stages"

        def tell_us(said: dict[str, Any]) -> None:
            with told.open("a", encoding="utf-8") as out:
                out.write(f"{json.dumps(said)}\n")

        def work() -> None:
            self.engine = replace(self.engine, slots=slots)
            try:
                self._run_chain(other, others, tell_us)
                self.workspace.settle()
            except Exception as error:  # it is raised when the stage of the first chain is done
                others.failed_beside(error)
                raise

        try:
            with Beside(f"stages {', '.join(stage.name for stage in other)}", work) as beside:
                self._run_chain(chain, mine, tell, check=beside.check)
                slots.put(self.engine.width - slots.own)
                with mine.waiting():
                    beside.join()
        finally:
            slots.close()
            if told.exists():
                for line in told.read_text(encoding="utf-8").splitlines():
                    tell(json.loads(line))

    def _step(self, stage: Stage, after: Stage | None, report: Report) -> dict[str, Any]:
        decision = self.decide(stage)
        report.decision(decision.stage.name, decision.build, decision.reason)
        if decision.build:
            self._build(stage, after, report)
        record = self.workspace.stage_record(stage.name)
        if record is None:
            raise StageError(f"stage {stage.name} was finished and is gone again; who removed it?")
        state = "built" if decision.build else "kept"
        return {"name": stage.name, "state": state, "reason": decision.reason, **record["result"]}

    def _make_index(self, path: Path | RemoteIndex, report: Report) -> dict[str, Any]:
        files = {Path(source.uri).name for source in self.snapshot}
        snapshot = {
            "files": len(self.snapshot),
            "bytes": total_size(self.snapshot),
            "names": sorted(files)[:_NAMES],
        }
        names = [stage.name for stage in self.stages()]
        from pagekin.build.make_index import make_index, make_remote_index  # noqa: PLC0415

        material = (self.workspace, self._index_config(), names)
        try:  # while the stages that it is made of come to the disk
            if isinstance(path, RemoteIndex):
                made = make_remote_index(*material, path, snapshot, report)
            else:
                made = make_index(*material, path, snapshot, report)
        except Exception:
            self.workspace.settle()  # what the disk refused is the reason, and is told
            raise
        report.index(made)
        return made

    def _index_config(self) -> BuildConfig:
        """The configuration with the number of shards: from that of the bags, if there are any."""
        by_name = {stage.name: stage for stage in self.stages()}
        if "index_shards" in by_name:
            return self._config_for(by_name["index_shards"])
        record = self.workspace.stage_record("related") or {}
        return settle_shards(self.config, record["result"]["records"])

    def _config_for(self, stage: Stage) -> BuildConfig:
        """The configuration, with what follows from the stage before."""
        record = self.workspace.stage_record(stage.reads) if stage.reads else None
        return stage.settle(self.config, record["result"]["records"] if record else 0)

    # --- deciding ---

    def decide(self, stage: Stage) -> Decision:
        """Is the stage there and up to date?"""
        record = self.workspace.stage_record(stage.name)
        if record is None:
            return Decision(stage, True, "not there yet")
        reasons = list(_differences(_like(record["depends"], stage), self._depends(stage)))
        failed = _failed_files(record["result"]["counters"])
        if failed > self.max_failed_files:
            reasons.append(f"files that could not be read were left out: {failed}")
        return Decision(stage, bool(reasons), "; ".join(reasons) or "up to date")

    def _depends(self, stage: Stage) -> dict[str, Any]:
        depends: dict[str, Any] = {"version": stage.version, "flags": list(stage.flags)}
        depends |= stage.beside
        for section in stage.sections:
            values = to_dict(self._config_for(stage), (section,))[section]
            depends |= {f"{section}.{key}": _plain(value) for key, value in values.items()}
        if not stage.reads:
            depends["snapshot"] = _snapshot_digest(self.snapshot)
        for name in self._upstream(stage):
            record = self.workspace.stage_record(name)
            depends[f"stage {name}"] = record["result"]["digest"] if record else "not there"
        return depends

    def _upstream(self, stage: Stage) -> list[str]:
        wanted = {s.name for s in self.stages()}
        names = [stage.reads, *(name for name, _ in stage.tables.values())]
        return [name for name in names if name in wanted]

    # --- building ---

    def _build(self, stage: Stage, after: Stage | None, report: Report) -> None:
        made = self.workspace.new_folder(stage.name)
        read = self._read_result(stage)
        engine = self._engine(read)
        inputs, total, unit = self._inputs(stage, read, made, engine)
        if stage.takes and engine.runner in ON_THIS_MACHINE:
            inputs = _cut_out(inputs, stage.takes, made / "taken")
            engine = self.engine.fitting(sum(Path(path).stat().st_size for path in inputs))
        engine = replace(engine, ahead=self._loads_of(after))
        notes = made / "progress"
        notes.mkdir()
        config = self._config_for(stage)
        options = [*to_flags(config, stage.sections), *stage.flags, *self._table_options(stage)]
        files = len(self.snapshot)
        if self.engine.runner == "emr":  # no node of it sees our folder of notes
            total, unit = 0, "records"
        else:
            options += ["--progress-dir", str(notes)]
        show = partial(StageProgress, stage.name, notes, report.progress_to, other=report.other)
        with show(files=files, total=total, unit=unit):
            output = self.workspace.output(stage.name)
            seconds, cpu = self.runs(stage, engine, options, inputs, made, output)
            began = time.monotonic()
            self.workspace.bring(stage.name, made / "output", whole=stage.makes_tables)
            result = collect_result(made / "output")
            stage.finish(made / "output", result.counters)
        result.seconds = round(seconds + time.monotonic() - began, 3)
        result.cpu_seconds = round(cpu, 3)
        self._check_files(result)
        record = {
            "stage": stage.name,
            "pagekin": pagekin.__version__,
            "runner": self.engine.runner,
            "config": to_dict(config),
            "depends": self._depends(stage),
            "result": asdict(result),
        }
        self.workspace.complete(stage.name, made / "output", record, soon=True)
        report.built(stage.name, asdict(result))

    def _loads_of(self, after: Stage | None) -> Iterator[str]:
        """What is loaded for the stage behind, or behind the last one; its job, when asked."""
        if after:
            yield from job_class(after).all_loads(after.flags)
        elif self.index is not None and not self.engine.slots:
            yield _INDEXING

    def _read_result(self, stage: Stage) -> dict[str, Any]:
        """What is known of the output that the stage reads; nothing where it reads the snapshot."""
        record = self.workspace.stage_record(stage.reads) if stage.reads else None
        result: dict[str, Any] = (record or {}).get("result", {})
        return result

    def _engine(self, read: dict[str, Any]) -> Engine:
        """As wide as the input is worth, where its size is known."""
        if read:
            return self.engine.fitting(read["bytes"])
        known = all(source.size >= 0 for source in self.snapshot)
        return self.engine.fitting(total_size(self.snapshot)) if known else self.engine

    def _inputs(
        self, stage: Stage, read: dict[str, Any], made: Path, engine: Engine
    ) -> tuple[list[str], int, str]:
        """Input paths, and how much there is to do in which unit."""
        if stage.reads:
            total = 0 if stage.takes else read["records"]  # 0: nobody knows
            return self.workspace.inputs(stage.reads, stage.takes), total, "records"
        paths = write_manifests(made / "manifests", self.snapshot, engine.width)
        return list(map(str, paths)), total_size(self.snapshot), "bytes"

    def _table_options(self, stage: Stage) -> Iterator[str]:
        wanted = {s.name for s in self.stages()}
        for option, (name, file) in stage.tables.items():
            if name in wanted:
                path = required_table(self.workspace, name, file)
                ArrayFile(path).verify()  # damage would end no task and show in no count
                yield f"--{option}"
                yield str(path)

    def _check_files(self, result: StageResult) -> None:
        failed = _failed_files(result.counters)
        if failed > self.max_failed_files:
            raise StageError(
                f"{failed} of {len(self.snapshot)} files could not be read;"
                f" with --max-failed-files {failed} the build goes on without them"
                + "".join(f"\n  {note}" for note in result.notes[:_NOTES_SHOWN])
            )


def plan(build: Build) -> list[Decision]:
    """What a run would do; a stage behind one that is built is decided only then."""
    decisions: list[Decision] = []
    building: set[str] = set()
    for stage in build.stages():
        decision = build.decide(stage)
        behind = building & {stage.reads, *(name for name, _ in stage.tables.values())}
        if behind and not decision.build:
            reason = f"if {' or '.join(sorted(behind))} comes out different"
            decision = Decision(stage, True, reason)
        if decision.build:
            building.add(stage.name)
        decisions.append(decision)
    return decisions


def write_manifests(folder: Path, snapshot: list[Source], width: int) -> list[Path]:
    """Small files that name the WARC files, one for each map task, of about equal bytes."""
    folder.mkdir()
    unknown = sum(source.size < 0 for source in snapshot)  # as in lists: a task for each
    count = max(width, total_size(snapshot) // _BYTES_PER_TASK + unknown)
    count = min(count, len(snapshot), _MAX_MANIFESTS)
    loads = [0] * count
    shares: list[list[str]] = [[] for _ in range(count)]
    for source in sorted(snapshot, key=lambda s: (-s.size, s.uri)):
        lightest = loads.index(min(loads))
        shares[lightest].append(source.uri)
        loads[lightest] += max(source.size, 1)
    paths = [folder / f"manifest-{k:05d}" for k in range(count)]
    for path, share in zip(paths, shares, strict=True):
        path.write_text("".join(f"{uri}\n" for uri in sorted(share)), encoding="utf-8")
    return paths


def _cut_out(parts: list[str], start: bytes, folder: Path) -> list[str]:
    """What of the parts of a stage has keys that so begin: tasks share that, and not the others."""
    folder.mkdir()
    paths = map(Path, parts)
    return [str(cut_out(path, start, folder / path.name)) for path in paths]


def total_size(snapshot: list[Source]) -> int:
    """Bytes of all files whose size is known."""
    return sum(max(source.size, 0) for source in snapshot)


def _snapshot_digest(snapshot: list[Source]) -> str:
    text = "\n".join(sorted(f"{s.uri}\t{s.size}\t{s.stamp}" for s in snapshot))
    return f"{len(snapshot)} files, {xxhash.xxh3_128_hexdigest(text.encode())}"


def _failed_files(counters: dict[str, dict[str, int]]) -> int:
    return counters.get("files", {}).get("failed", 0)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _like(before: dict[str, Any], stage: Stage) -> dict[str, Any]:
    """What a stage depended on, without blocks or a sample that it made and nobody wants now; a
    sample with words will do where links are wanted.
    """
    before = {"flags": [], **before}
    if WITH_BLOCKS in before["flags"] and WITH_BLOCKS not in stage.flags:
        before = _without(before, "blocks.", [f for f in before["flags"] if f != WITH_BLOCKS])
    others, sampled = _parted(before["flags"])
    wanted_others, wanted = _parted(stage.flags)
    if sampled and not wanted:
        return _without(before, "text.", others)
    if sampled and LINKS_ONLY not in sampled and LINKS_ONLY in wanted and others == wanted_others:
        return _without(before, "text.", list(stage.flags))
    return before


def _without(before: dict[str, Any], section: str, flags: list[str]) -> dict[str, Any]:
    return {k: v for k, v in before.items() if not k.startswith(section)} | {"flags": flags}


def _parted(flags: Iterable[str]) -> tuple[list[str], list[str]]:
    """Flags that have nothing to do with a sample, and those of the sample."""
    sampling = [flag for flag in flags if flag.startswith((SAMPLE, LINKS_ONLY))]
    return [flag for flag in flags if flag not in sampling], sampling


def _differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Sentences on what changed."""
    for key in sorted(before.keys() | now.keys()):
        old, new = before.get(key), now.get(key)
        if old == new:
            continue
        if key.startswith("stage "):
            yield f"{key.removeprefix('stage ')} before it has other output"
        elif key == "snapshot":
            yield "the snapshot changed"
        elif key.endswith("version"):
            yield "this pagekin makes it differently"
        elif key == "flags":
            more = [flag for flag in new or () if flag not in (old or ())]
            yield f"its job is to run with {' '.join(more)}" if more else "its job is to do less"
        elif (key not in before or key not in now) and now.get("flags") != before.get("flags"):
            continue  # what goes with the flag
        else:
            yield f"{key} changed from {old} to {new}"
