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

from pagekin.build.made import newest_pass
from pagekin.build.manifests import write_manifests
from pagekin.engine.emr.runner import Launcher
from pagekin.engine.run import Engine, job_class, listening
from pagekin.stages.chain import maker_of

if TYPE_CHECKING:
    from pagekin.build.chain import Build, Decision, PlannedPass
    from pagekin.stages.declaration import Output

__all__ = ["emr_plan", "plan_lines"]

_NO_CLUSTER_YET = "j-THIS-CLUSTER"


def emr_plan(build: Build, decisions: list[Decision]) -> dict[str, Any]:
    """The cluster and the steps of all stages that would be built; empty if there are none."""
    wanted = [decision.output for decision in decisions if decision.build]
    passes = [
        build.plan_pass(stage, missing)
        for stage, outputs in build.stages()
        if (missing := tuple(output for output in outputs if output in wanted))
    ]
    if not passes:
        return {}
    with listening(verbose=False), tempfile.TemporaryDirectory(prefix="pagekin-plan-") as folder:
        plan = _cluster(build.engine)
        plan["steps"] = [_step(build, planned, passes, Path(folder)) for planned in passes]
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


def _step(
    build: Build, planned: PlannedPass, passes: list[PlannedPass], folder: Path
) -> dict[str, Any]:
    words = build.engine.arguments(str(folder), build.workspace.output(planned.name))
    words += ["--cluster-id", _NO_CLUSTER_YET, *planned.options]
    for table in build.tables_for(planned.outputs):
        name = _pass_with(build, passes, maker_of(table))
        words += [f"--{table.option}", f"{build.workspace.name}/{name}/{table.file}"]
    inputs = _inputs(build, planned, passes, folder)
    runner = job_class(planned.stage.job)([*words, *inputs]).make_runner()
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
        rounds = planned.stage.rounds
        most = {"rounds": rounds.most(planned.config)} if rounds else {}
        return {"stage": planned.name, **most, **runner._steps_to_submit()[0]}
    finally:
        runner._cleanup_local_tmp()


def _pass_with(build: Build, passes: list[PlannedPass], output: Output) -> str:
    """The name of the pass that will hold an output: one of these, or one that is there."""
    planned = next((p.name for p in passes if output in p.outputs), "")
    found = None if planned else newest_pass(build.workspace, output)
    return found.name if found else planned


def _inputs(
    build: Build, planned: PlannedPass, passes: list[PlannedPass], folder: Path
) -> list[str]:
    if not planned.stage.reads:
        manifests = folder / planned.name
        return list(map(str, write_manifests(manifests, build.snapshot, build.engine.width)))
    makers = [maker_of(kind) for kind in planned.stage.reads_in(build.config)]
    if all(newest_pass(build.workspace, maker) for maker in makers):
        return build.paths_read(planned.stage)
    names = dict.fromkeys(_pass_with(build, passes, maker) for maker in makers)
    return [f"{build.workspace.name}/{name}/part-*" for name in names]


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
        again = f", up to {step['rounds']} times" if "rounds" in step else ""
        yield f"step {number} of {len(plan['steps'])}, stage {step['stage']}{again}: {step['Name']}"
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
