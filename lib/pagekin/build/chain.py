"""The chain of stages over one snapshot: what is missing or out of date is built, the rest is kept.

An output depends on its part of the configuration, its version, the snapshot if its stage reads it,
and the digests of the records that it is made of. All that is written down with it; when it differs
now, the output is built again, and a sentence says why. An output whose input came out the same as
before is kept. Outputs of one stage that are to be built are made in one pass.

Before a pass is read its files are compared with what was written. One that is damaged is removed,
made anew, and named among the warnings.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import xxhash

import pagekin
from pagekin import native
from pagekin.build.made import (
    Pass,
    check_files,
    last_round,
    newest_pass,
    pass_name,
    superseded,
    table_path,
)
from pagekin.build.manifests import total_size, write_manifests
from pagekin.build.remote_index import RemoteIndex
from pagekin.build.report import Report, warnings, why_no_pages, write_summary
from pagekin.build.rounds import goes_on, number_after, round_options, with_rounds_before
from pagekin.config import BuildConfig, to_dict, to_flags
from pagekin.counters import differing
from pagekin.engine.run import Engine, JobResult, collect_result, one_cluster, run_job
from pagekin.errors import DamageError, InputError, StageError, WorkspaceError, naming
from pagekin.kinds import Kind
from pagekin.progress import StageProgress
from pagekin.stages.chain import maker_of, needed_by, output_named, stage_of, wanted_outputs
from pagekin.stages.declaration import PARTS, Circumstances, Counts, Output, Stage, Table
from pagekin.stages.index_shards import settle_shards
from pagekin.stages.inventory.cuts import cuts_of
from pagekin.storage.remote_workspace import AnyWorkspace
from pagekin.web.sources import Source, hints_for

__all__ = ["Build", "Decision", "PlannedPass", "plan"]

_NOTES_SHOWN = 10
_UNKNOWN = 1 << 30  # bytes of a file whose size nobody knows: as those of Common Crawl
_LOST = "some were lost on the way, or came twice; give the same command again"
_ONE_SET = "give all nodes one set (--package auto), and the same command again"
_NAMES = 10  # of the snapshot's files, that the index remembers


@dataclass(frozen=True)
class Decision:
    """What is to happen with an output, and why."""

    output: Output
    build: bool
    reason: str


@dataclass(frozen=True)
class PlannedPass:
    """What a stage is to make in one pass, in which job, and with which options."""

    stage: Stage
    outputs: tuple[Output, ...]
    config: BuildConfig  # with what follows from the records that the stage reads
    options: list[str]

    @property
    def name(self) -> str:
        """What it is called in the workspace."""
        return pass_name(self.stage, self.outputs)


@dataclass
class Build:
    """One run of the chain."""

    workspace: AnyWorkspace
    config: BuildConfig
    engine: Engine
    snapshot: list[Source]
    until: str = ""
    max_failed_files: int = 0
    others: Collection[str] = ()  # files of the snapshot's folders that are no WARC files
    quiet: bool = False
    index: Path | RemoteIndex | None = None
    parts: Collection[str] = PARTS
    share: float = 1.0  # of a snapshot that the files are: its large hosts are cut as for the whole
    runs: Callable[..., tuple[float, float]] = run_job  # or another with its arguments

    @cached_property
    def outputs(self) -> tuple[Output, ...]:
        """The outputs that are wanted, in the order of their stages."""
        has_index = self.index is not None
        return wanted_outputs(self.config, self.until, index=has_index, parts=self.parts)

    def stages(self) -> Iterator[tuple[Stage, tuple[Output, ...]]]:
        """The stages that are wanted, in order, each with its wanted outputs."""
        for stage in dict.fromkeys(map(stage_of, self.outputs)):
            yield stage, tuple(output for output in stage.outputs if output in self.outputs)

    # --- running ---

    def run(self) -> dict[str, Any]:
        """Build what is to be built; gives the summary, which is also written beside the stages."""
        report = Report(quiet=self.quiet)
        summary = self._new_summary()
        began = time.monotonic()
        damages: dict[str, str] = {}
        with self.workspace.locked():
            try:
                while not self._is_made(report, summary, damages):
                    summary["stages"].clear()
                summary["state"] = "complete"
            except KeyboardInterrupt:
                summary["state"] = "stopped"
                raise
            except Exception as error:
                summary["state"], summary["error"] = "failed", str(error)
                raise
            finally:
                summary["seconds"] = round(time.monotonic() - began, 3)
                summary["warnings"] = [*damages.values(), *warnings(summary, self.others)]
                write_summary(self.workspace, summary)
        return summary

    def _is_made(self, report: Report, summary: dict[str, Any], damages: dict[str, str]) -> bool:
        """Make what is missing; no if a pass that was to be read is damaged, and so was removed."""
        alone = self.engine
        try:
            with one_cluster(alone, report.cluster) as self.engine:
                for stage, outputs in self.stages():
                    self._run_stage(stage, outputs, report, summary["stages"])
            self._sweep()
            if self.index is not None:
                summary["index"] = self._make_index(self.index, report)
        except DamageError as damage:
            self.workspace.remove(damage.stage)
            if damage.stage in damages:  # it was made anew, and is damaged again
                raise
            damages[damage.stage] = f"{damage}; {damage.stage} was made anew"
            report.told([f"{damage}; {damage.stage} is made anew"])
            self.engine = alone
            return False
        return True

    def _sweep(self) -> None:
        """Remove the passes that are not needed any more."""
        for name in superseded(self.workspace, self.config):
            self.workspace.remove(name)

    def _new_summary(self) -> dict[str, Any]:
        return {
            "pagekin": pagekin.__version__,
            "state": "running",
            "runner": self.engine.runner,
            "work_is_done_by": native.describe(),
            "tasks": self.engine.width,
            "snapshot": {"files": len(self.snapshot), "bytes": total_size(self.snapshot)},
            "config": to_dict(self.config),
            "stages": [],
        }

    def _run_stage(
        self, stage: Stage, outputs: tuple[Output, ...], report: Report, told: list[dict[str, Any]]
    ) -> None:
        """Make the outputs of a stage that are missing, in one pass; tell of all of them."""
        decisions = [self.decide(output) for output in outputs]
        for decision in decisions:
            report.decision(decision.output.name, decision.build, decision.reason)
        if missing := tuple(d.output for d in decisions if d.build):
            self._run_pass(self.plan_pass(stage, missing), report)
            self._sweep()
        for name in dict.fromkeys(self._pass_of(output).name for output in outputs):
            made = [d for d in decisions if self._pass_of(d.output).name == name]
            state = "built" if any(d.build for d in made) else "kept"
            reasons = dict.fromkeys(d.reason for d in made)
            if len(reasons) > 1:
                reasons = dict.fromkeys(f"{d.output.name}: {d.reason}" for d in made)
            reason = "; ".join(reasons)
            record = self.workspace.passes()[name]
            told.append({"name": name, "state": state, "reason": reason, **record["result"]})
            counters = record["result"]["counters"]
            if stage.reads_pages and not counters.get("records", {}).get("used"):
                why = why_no_pages(counters, len(self.snapshot))
                more = [*record["result"]["notes"][:_NOTES_SHOWN], *hints_for(self.others)]
                raise InputError("; ".join([why, *more]))
            config = self._config_for(stage)
            report.told(each.output.tells(config, counters) for each in made)

    def _pass_of(self, output: Output) -> Pass:
        found = newest_pass(self.workspace, output)
        if found is None:
            raise StageError(f"{output.name} was finished and is gone again; who removed it?")
        return found

    def _run_pass(self, planned: PlannedPass, report: Report) -> None:
        """Run the job of a pass: once, or round by round behind those that are there."""
        self._check_input(planned)
        before = self._whole_round(planned.outputs[0])
        while self._run_job(planned, before, report):
            before = last_round(self.workspace, planned.outputs[0])

    def _run_job(self, planned: PlannedPass, before: Pass | None, report: Report) -> bool:
        """Run the job once, at first or behind a round; is another round to follow?"""
        if before and (damage := self.workspace.damage(before.name, thorough=True)):
            raise DamageError(before.name, f"{self.workspace.name}/{before.name}: {damage}")
        made = self.workspace.new_folder(planned.name)
        with naming(made):
            return self._make_pass(planned, before, made, report)

    def _make_pass(
        self, planned: PlannedPass, before: Pass | None, made: Path, report: Report
    ) -> bool:
        stage, name, rounds = planned.stage, planned.name, planned.stage.rounds
        number = number_after(before)
        label = f"{name} round {number}" if rounds else name
        engine = self._engine(stage, before)
        inputs, total, unit = self._inputs(stage, before, made, engine)
        options = [*planned.options, *self._table_options(planned.outputs)]
        options += round_options(rounds, before, total) if rounds else []
        notes = made / "progress"
        notes.mkdir()
        if self.engine.runner == "emr":  # no node of it sees our folder of notes
            total, unit = 0, "records"
        else:
            options += ["--progress-dir", str(notes)]
        shown = StageProgress(
            label, notes, report.progress_to, files=len(self.snapshot), total=total, unit=unit
        )
        with shown:
            output = self.workspace.output(name)
            seconds, cpu = self.runs(stage.job, engine, options, inputs, made, output)
            began = time.monotonic()
            makes_tables = any(output.tables for output in planned.outputs)
            self.workspace.bring(name, made / "output", whole=makes_tables)
            result = collect_result(made / "output")
            follows = bool(rounds) and self._goes_on(planned, number, result)
            circumstances = self._circumstances(planned.outputs)
            for each in planned.outputs if not follows else ():
                each.make_tables(made / "output", result.counters, circumstances)
        self._check_result(stage, before, inputs, result)
        result.seconds = round(seconds + time.monotonic() - began, 3)
        result.cpu_seconds = round(cpu, 3)
        self._check_files(result)
        made_before = max((p.get("number", 0) for p in self.workspace.passes().values()), default=0)
        told = with_rounds_before(rounds, before, result) if rounds else asdict(result)
        record = {
            "stage": name,
            "pagekin": pagekin.__version__,
            "number": made_before + 1,
            "runner": self.engine.runner,
            "config": to_dict(planned.config),
            "unfinished" if follows else "outputs": {
                o.name: {"depends": self._depends(o)} for o in planned.outputs
            },
            "options": planned.options,
            "snapshot": [] if stage.reads else [source.uri for source in self.snapshot],
            "result": told,
        }
        self.workspace.complete(name, made / "output", record)
        report.built(label, asdict(result))
        return follows

    def _goes_on(self, planned: PlannedPass, number: int, result: JobResult) -> bool:
        """Is another round to follow this one?"""
        rounds = planned.stage.rounds
        if rounds is None or not goes_on(rounds, planned.config, number, result):
            return False
        if number < rounds.most(planned.config):
            return True
        if rounds.must_be_still:
            raise StageError(f"stage {planned.stage.name} failed: not still after {number} rounds")
        return False

    def _make_index(self, path: Path | RemoteIndex, report: Report) -> dict[str, Any]:
        # imported here: only a build that makes an index needs it
        from pagekin.build.make_index import make_index, make_remote_index  # noqa: PLC0415

        files = {Path(source.uri).name for source in self.snapshot}
        snapshot = {
            "files": len(self.snapshot),
            "bytes": total_size(self.snapshot),
            "names": sorted(files)[:_NAMES],
        }
        names = [output.name for output in self.outputs]
        if "pairs" in names:
            taken = self._config_for(stage_of(output_named("pairs")))
            snapshot["cocitation_threshold"] = taken.cocitation.threshold
        material = (self.workspace, self._index_config(names), names)
        if isinstance(path, RemoteIndex):
            made = make_remote_index(*material, path, snapshot, report)
        else:
            made = make_index(*material, path, snapshot, report)
        report.index(made)
        return made

    def _index_config(self, names: Collection[str]) -> BuildConfig:
        """The configuration with the number of shards: from that of the bags, if there are any."""
        if "index_shards" in names:
            return self._config_for(stage_of(output_named("index_shards")))
        kin = self._pass_of(output_named("related"))
        return settle_shards(self.config, kin.record["result"]["records"])

    # --- deciding ---

    def decide(self, output: Output) -> Decision:
        """Is the output there and up to date?"""
        reasons = self._why_build(output)
        if reasons and (begun := self._whole_round(output)):
            reasons.append(f"goes on with round {number_after(begun)}")
        return Decision(output, bool(reasons), "; ".join(reasons) or "up to date")

    def _whole_round(self, output: Output) -> Pass | None:
        """The last round that a build which was stopped made as it would be made now."""
        found = last_round(self.workspace, output)
        current = found and found.record["unfinished"][output.name]["depends"]
        return found if found and current == self._depends(output) else None

    def _why_build(self, output: Output) -> list[str]:
        """Why the output is to be built; nothing: it is there and up to date."""
        found = newest_pass(self.workspace, output)
        if found is None:
            return ["not there yet"]
        before = found.record["outputs"][output.name]["depends"]
        reasons = [damage] if (damage := self.workspace.damage(found.name)) else []
        reasons += _differences(before, self._depends(output))
        failed = _failed_files(found.counters)
        if failed > self.max_failed_files:
            reasons.append(f"files that could not be read were left out: {failed}")
        return reasons

    def _depends(self, output: Output) -> dict[str, Any]:
        stage = stage_of(output)
        depends: dict[str, Any] = {"version": output.version}
        values = to_dict(self._config_for(stage), stage.sections_of([output]))
        for section, keys in values.items():
            depends |= {f"{section}.{key}": _plain(value) for key, value in keys.items()}
        if not stage.reads:
            depends["snapshot"] = _snapshot_digest(self.snapshot)
        for maker, needed in needed_by(output, self.config):
            if maker in self.outputs and (isinstance(needed, Kind) or needed.shapes_records):
                found = newest_pass(self.workspace, maker)
                for kind in (needed,) if isinstance(needed, Kind) else maker.makes:
                    digest = found.written(kind)["digest"] if found else "not there"
                    depends[f"records {kind.name}"] = digest
        return depends

    def _config_for(self, stage: Stage) -> BuildConfig:
        """The configuration, with what follows from the records that the stage reads."""
        config = stage.settle(self.config, self._amount_read(stage, "records"), self.share)
        return stage.heeds(config, self._counted_before(stage))

    def _counted_before(self, stage: Stage) -> Counts:
        """What the passes counted that made the records which a stage reads."""
        passes = (newest_pass(self.workspace, maker_of(kind)) for kind in self._reads(stage))
        return {name: group for found in passes if found for name, group in found.counters.items()}

    def _reads(self, stage: Stage) -> tuple[Kind, ...]:
        return stage.reads_in(self.config)

    def _amount_read(self, stage: Stage, unit: str, before: Pass | None = None) -> int:
        """How many records, or bytes, a stage reads of those before it, or of the round before; 0
        where nobody knows.
        """
        if before:
            return sum(int(before.written(kind)[unit]) for kind in stage.outputs[0].makes)
        passes = [
            (newest_pass(self.workspace, maker_of(kind)), kind) for kind in self._reads(stage)
        ]
        return sum(int(found.written(kind)[unit]) for found, kind in passes if found)

    # --- a pass ---

    def plan_pass(self, stage: Stage, outputs: tuple[Output, ...]) -> PlannedPass:
        """How these outputs of a stage are made."""
        config = self._config_for(stage)
        options = to_flags(config, stage.sections_of(outputs))
        if len(stage.outputs) > 1:
            options.append(f"--outputs={','.join(output.name for output in outputs)}")
        circumstances = self._circumstances(outputs)
        for output in outputs:
            options += output.more_options(circumstances)
        return PlannedPass(stage, outputs, config, options)

    def _circumstances(self, outputs: tuple[Output, ...]) -> Circumstances:
        sizes = tuple(source.size if source.size >= 0 else _UNKNOWN for source in self.snapshot)
        names = [output.name for output in outputs]
        return Circumstances(self.config, sizes, 1 / self.share, names)

    def tables_for(self, outputs: Collection[Output]) -> list[Table]:
        """The tables that are made, or are to be made, for these outputs."""
        found = [
            needed
            for output in outputs
            for maker, needed in needed_by(output, self.config)
            if isinstance(needed, Table) and maker in self.outputs
        ]
        return list(dict.fromkeys(found))

    def _table_options(self, outputs: Collection[Output]) -> Iterator[str]:
        for table in self.tables_for(outputs):
            path = table_path(self.workspace, table)
            if path is None:
                raise WorkspaceError(
                    f"{self.workspace.name}: {table.file} is gone; who removed it?"
                )
            yield from (f"--{table.option}", str(path))

    def _engine(self, stage: Stage, before: Pass | None) -> Engine:
        """As wide as the input is worth, where its size is known."""
        if stage.reads:
            return self.engine.fitting(self._amount_read(stage, "bytes", before))
        known = all(source.size >= 0 for source in self.snapshot)
        return self.engine.fitting(total_size(self.snapshot)) if known else self.engine

    def _check_input(self, planned: PlannedPass) -> None:
        """DamageError where something that the job reads is not as it was written."""
        stage, tables = planned.stage, self.tables_for(planned.outputs)
        cuts = [stage.cut_by] if stage.cut_by else []
        makers = [*map(maker_of, (*self._reads(stage), *cuts)), *map(maker_of, tables)]
        check_files(self.workspace, [maker for maker in makers if maker in self.outputs])

    def _inputs(
        self, stage: Stage, before: Pass | None, made: Path, engine: Engine
    ) -> tuple[list[str], int, str]:
        """Input paths, and how much there is to do in which unit."""
        if not stage.reads:
            manifests, cuts = made / "manifests", self._cuts(stage)
            paths = write_manifests(manifests, self.snapshot, engine.width, cuts)
            return list(map(str, paths)), total_size(self.snapshot), "bytes"
        records = self.workspace.inputs(before.name) if before else self.paths_read(stage)
        return records, self._amount_read(stage, "records", before), "records"

    def _check_result(
        self, stage: Stage, before: Pass | None, inputs: list[str], result: JobResult
    ) -> None:
        """StageError where records were lost on their way, or tasks were not of one kind."""
        if stage.reads:
            written, what = self._amount_read(stage, "records", before), "records"
        else:
            written = sum(Path(path).read_bytes().count(b"\n") for path in inputs)
            what = "files and parts of files"
        failed = f"stage {stage.name} failed:"
        if result.read != written:
            raise StageError(f"{failed} tasks read {result.read:,} of {written:,} {what}; {_LOST}")
        if result.received != result.sent:
            numbers = f"{result.received:,} of {result.sent:,}"
            raise StageError(f"{failed} of records between tasks {numbers} arrived; {_LOST}")
        if mixed := differing(result.versions):
            raise StageError(f"{failed} its tasks had different libraries, {mixed}; {_ONE_SET}")

    def _cuts(self, stage: Stage) -> dict[str, list[int]]:
        """Where files may be cut for a stage that reads them, by their addresses."""
        maker = maker_of(stage.cut_by) if stage.cut_by else None
        if maker not in self.outputs:
            return {}
        return cuts_of(self.workspace.records(self._pass_of(maker).name))

    def paths_read(self, stage: Stage) -> list[str]:
        """What a stage reads of the passes before it: files here, patterns elsewhere."""
        passes = dict.fromkeys(self._pass_of(maker_of(kind)).name for kind in self._reads(stage))
        return [path for name in passes for path in self.workspace.inputs(name)]

    def _check_files(self, result: JobResult) -> None:
        failed = _failed_files(result.counters)
        if failed > self.max_failed_files:
            raise StageError(
                f"{failed} of {len(self.snapshot)} files could not be read;"
                f" with --max-failed-files {failed} the build goes on without them."
                " What was noted of the files:",
                *result.notes[:_NOTES_SHOWN],
            )


def plan(build: Build) -> list[Decision]:
    """What a run would do; an output behind one that is built is decided only then."""
    decisions: list[Decision] = []
    building: set[str] = set()
    for output in build.outputs:
        decision = build.decide(output)
        before = building & {maker.name for maker, _ in needed_by(output, build.config)}
        if before and not decision.build:
            reason = f"if {' or '.join(sorted(before))} comes out different"
            decision = Decision(output, True, reason)
        if decision.build:
            building.add(output.name)
        decisions.append(decision)
    return decisions


def _snapshot_digest(snapshot: list[Source]) -> str:
    text = "\n".join(sorted(f"{s.uri}\t{s.size}\t{s.stamp}" for s in snapshot))
    return f"{len(snapshot)} files, {xxhash.xxh3_128_hexdigest(text.encode())}"


def _failed_files(counters: dict[str, dict[str, int]]) -> int:
    in_parts = counters.get("files_failed_in_part", {})  # by address
    return counters.get("files", {}).get("failed", 0) + len(in_parts)


def _plain(value: Any) -> Any:
    """As JSON gives it back."""
    return list(value) if isinstance(value, tuple) else value


def _differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Sentences on what changed."""
    for key in sorted(before.keys() | now.keys()):
        old, new = before.get(key), now.get(key)
        if old == new:
            continue
        if key.startswith("records "):
            yield f"the {key.removeprefix('records ')} before it are others"
        elif key == "snapshot":
            yield "the snapshot changed (another --work would keep what was built before)"
        elif key == "version":
            yield "this pagekin makes it differently"
        else:
            yield f"{key} changed from {old} to {new}"
