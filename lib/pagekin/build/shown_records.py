"""Records of a workspace in readable form: those that a stage made, or that its mappers send."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr
from itertools import islice
from typing import Any

from pagekin.build.bag_store import words_of
from pagekin.build.made import Pass, required_pass, table_path
from pagekin.config import known_config
from pagekin.engine.run import job_class
from pagekin.errors import UsageError, WorkspaceError
from pagekin.kinds import STATISTICS, Kind, Pair
from pagekin.stages.chain import maker_of, outputs_named, stage_of
from pagekin.stages.declaration import Output, Stage
from pagekin.stages.document_frequency import DICTIONARY
from pagekin.stages.readable import TermNames, show_record
from pagekin.storage.part_files import records_from
from pagekin.storage.workspace import Workspace

__all__ = ["shown_records"]


def shown_records(
    workspace: Workspace, name: str, prefix: str = "", count: int = 10, *, shuffled: bool = False
) -> Iterator[dict[str, Any]]:
    """The first records of a stage, or of one of its outputs, whose keys begin with `prefix`.

    The mark of a kind (`!words/`) may be left out. With `shuffled` the mappers of the stage are run
    again in this process, as far as needed, and what they send for these outputs is shown.
    """
    outputs = outputs_named(name)
    names = TermNames(words_of(workspace) if table_path(workspace, DICTIONARY) else None)
    start = prefix.encode()
    if shuffled:
        found = _sent(workspace, stage_of(outputs[0]), outputs, start)
    else:
        found = _made(workspace, outputs, start)
    for kind, (key, value) in islice(found, count or None):
        yield {"kind": kind.name, **show_record(kind, key, value, names)}


def _made(
    workspace: Workspace, outputs: Iterable[Output], start: bytes
) -> Iterator[tuple[Kind, Pair]]:
    """Records that are kept, kind by kind, in the order of their keys."""
    for output in outputs:
        folder = workspace.require(required_pass(workspace, output).name)
        for kind in output.makes:
            least = start if start.startswith(kind.prefix) else kind.prefix + start
            for pair in records_from(folder, least or kind.key_range[0]):
                if not (kind.holds(pair[0]) and pair[0].startswith(least)):
                    break
                yield kind, pair


def _sent(
    workspace: Workspace, stage: Stage, outputs: tuple[Output, ...], start: bytes
) -> Iterator[tuple[Kind, Pair]]:
    """What the mappers of a stage send, in the order in which they do."""
    if not stage.shuffles:
        raise UsageError(f"{stage.name} has no reducers: its mappers send nothing")
    made = required_pass(workspace, outputs[0])
    words = ["--mapper", "--step-num=0", *made.record["options"]]
    if len(stage.outputs) > 1:
        names = [output.name for output in outputs if output.name in made.record["outputs"]]
        words += [f"--outputs={','.join(names)}"]
    for table in stage.uses:
        if path := table_path(workspace, table):
            words += [f"--{table.option}", str(path)]
    job = job_class(stage.job)(words)
    pairs = job.map_pairs(_input_of(workspace, stage, made))
    while (pair := _next_quietly(pairs)) is not None:
        key, value = pair
        if key == STATISTICS:
            continue
        kind = next((k for k in stage.shuffles if k.prefix and k.holds(key)), None)
        kind = kind or next(k for k in stage.shuffles if not k.prefix)
        if key.startswith(start) or key.startswith(kind.prefix + start):
            yield kind, (key, value)


def _next_quietly(pairs: Iterator[Pair]) -> Pair | None:
    """The next pair; what a task notes on stderr while it makes it is not shown."""
    with redirect_stderr(io.StringIO()):
        return next(pairs, None)


def _input_of(workspace: Workspace, stage: Stage, made: Pass) -> Iterator[Pair]:
    if not stage.reads:
        if not made.record["snapshot"]:
            raise WorkspaceError(f"{workspace.path}: {made.name} does not say what it read")
        for uri in made.record["snapshot"]:
            yield uri.encode(), b""
    kinds = stage.reads_in(known_config(made.record["config"]))
    for name in dict.fromkeys(required_pass(workspace, maker_of(kind)).name for kind in kinds):
        yield from workspace.records(name)
