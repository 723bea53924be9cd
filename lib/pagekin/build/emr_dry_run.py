"""What a build on EMR would create and run, without a word to EMR; nothing is written anywhere.

mrjob itself makes the parameters of the cluster and of every step, from the same configuration as
in earnest. What is not known before its time is a guess: the names of part files of a stage that is
not built yet stand as a pattern, and where the number of shards follows from the number of pages it
is 1. Names that mrjob makes of the time will be others.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagekin.build.chain import write_manifests
from pagekin.engine.emr.runner import Launcher
from pagekin.engine.run import Engine, job_class, listening
from pagekin.options import to_flags

if TYPE_CHECKING:
    from pagekin.build.chain import Build, Decision
    from pagekin.stages.chain import Stage

__all__ = ["emr_plan", "plan_lines"]

_NO_CLUSTER_YET = "j-THIS-CLUSTER"


def emr_plan(build: Build, decisions: list[Decision]) -> dict[str, Any]:
    """The cluster and the steps of all stages that would be built; empty if there are none."""
    stages = [decision.stage for decision in decisions if decision.build]
    if not stages:
        return {}
    with listening(verbose=False), tempfile.TemporaryDirectory(prefix="pagekin-plan-") as folder:
        plan = _cluster(build.engine)
        plan["steps"] = [_step(build, stage, Path(folder)) for stage in stages]
    return plan


def _cluster(engine: Engine) -> dict[str, Any]:
    launcher = Launcher(engine.conf)
    try:
        launcher._add_bootstrap_files_for_upload(persistent=True)
        script = launcher._master_bootstrap_script_path
        return {
            "region": launcher._opts["region"],
            "cluster": launcher._cluster_kwargs(persistent=True),
            "bootstrap": Path(script).read_text("utf-8").splitlines() if script else [],
        }
    finally:
        launcher._cleanup_local_tmp()


def _step(build: Build, stage: Stage, folder: Path) -> dict[str, Any]:
    words = build.engine.arguments(folder, build.workspace.output(stage.name))
    words += ["--cluster-id", _NO_CLUSTER_YET, *_options(build, stage)]
    runner = job_class(stage)([*words, *_inputs(build, stage, folder)]).make_runner()
    try:
        # its version of Hadoop is asked of the cluster
        runner._cluster_to_cache[_NO_CLUSTER_YET] = {
            "image_version": runner._opts["release_label"].removeprefix("emr-"),
            "app_versions": {"hadoop": "3"},
        }
        runner._create_dir_archives()
        runner._add_input_files_for_upload()
        runner._create_setup_wrapper_scripts()
        runner._add_master_node_setup_files_for_upload()
        runner._add_job_files_for_upload()
        return {"stage": stage.name, **runner._steps_to_submit()[0]}
    finally:
        runner._cleanup_local_tmp()


def _options(build: Build, stage: Stage) -> Iterator[str]:
    record = build.workspace.stage_record(stage.reads) if stage.reads else None
    config = stage.settle(build.config, record["result"]["records"] if record else 0)
    yield from to_flags(config, stage.sections)
    yield from stage.flags
    wanted = {s.name for s in build.stages()}
    for option, (name, file) in stage.tables.items():
        if name in wanted:
            yield from (f"--{option}", f"{build.workspace.name}/{name}/{file}")


def _inputs(build: Build, stage: Stage, folder: Path) -> list[str]:
    if not stage.reads:
        manifests = folder / stage.name
        return list(map(str, write_manifests(manifests, build.snapshot, build.engine.width)))
    if build.workspace.stage_record(stage.reads):
        return build.workspace.inputs(stage.reads, stage.takes)
    return [f"{build.workspace.name}/{stage.reads}/part-*"]


def plan_lines(plan: dict[str, Any]) -> Iterator[str]:
    """The plan for people."""
    if not plan:
        yield "everything is there: no cluster would be made"
        return
    yield f"one cluster in {plan['region']} for all steps, ended with the build:"
    yield from (f"  {line}" for line in json.dumps(plan["cluster"], indent=2).splitlines())
    if plan["bootstrap"]:
        yield "each node begins with:"
        yield from (f"  {line}" for line in plan["bootstrap"])
    for number, step in enumerate(plan["steps"], 1):
        yield f"step {number} of {len(plan['steps'])}, stage {step['stage']}: {step['Name']}"
        yield f"  {step['HadoopJarStep']['Jar']}, on failure {step['ActionOnFailure']}"
        yield from (f"  {line}" for line in _by_option(step["HadoopJarStep"]["Args"]))


def _by_option(words: list[str]) -> Iterator[str]:
    """An option and its value a line."""
    line: list[str] = []
    for word in words:
        if word.startswith("-") and line:
            yield " ".join(line)
            line = []
        line.append(word)
    yield " ".join(line)
