"""What a workspace holds: which pass made an output, its records, and its tables.

An output may have been made by several passes, alone or with others. The newest of them counts; a
pass that is the newest of no output is not needed any more.

A stage with rounds keeps its last whole round as a pass that has no output yet; each round takes
the place of the one before, and the last one makes it a pass like others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pagekin.config import BuildConfig
from pagekin.errors import DamageError, WorkspaceError
from pagekin.kinds import Kind, Pair
from pagekin.stages.chain import is_possible, maker_of
from pagekin.stages.declaration import Output, Stage, Table
from pagekin.storage.remote_workspace import AnyWorkspace

__all__ = [
    "Pass",
    "check_files",
    "last_round",
    "newest_pass",
    "pass_name",
    "records_of",
    "required_pass",
    "superseded",
    "table_path",
]


class Pass(NamedTuple):
    """One run of a stage: its name in the workspace, and what it says of itself."""

    name: str
    record: dict[str, Any]

    @property
    def number(self) -> int:
        """Of two passes the newer one has the higher number."""
        return int(self.record.get("number", 0))

    @property
    def counters(self) -> dict[str, dict[str, int]]:
        """What its tasks counted."""
        counters: dict[str, dict[str, int]] = self.record["result"]["counters"]
        return counters

    def written(self, kind: Kind) -> dict[str, Any]:
        """Records, bytes and digest of a kind of record; all 0 where it made none."""
        none = {"records": 0, "bytes": 0, "digest": f"{0:032x}"}
        written: dict[str, Any] = self.record["result"]["kinds"].get(kind.name, none)
        return written


def pass_name(stage: Stage, outputs: tuple[Output, ...]) -> str:
    """What a pass is called that makes these outputs of a stage."""
    if len(stage.outputs) == 1:
        return stage.name
    return ".".join([stage.name, *(output.name for output in outputs)])


def _passes(workspace: AnyWorkspace) -> list[Pass]:
    found = [Pass(name, record) for name, record in workspace.passes().items()]
    return sorted(found, key=lambda made: made.number)


def newest_pass(workspace: AnyWorkspace, output: Output) -> Pass | None:
    """The pass whose records of this output count; None where there is none."""
    made = [p for p in _passes(workspace) if output.name in p.record.get("outputs", {})]
    return made[-1] if made else None


def last_round(workspace: AnyWorkspace, output: Output) -> Pass | None:
    """The last whole round of an output that is not finished; None where there is none."""
    made = [p for p in _passes(workspace) if output.name in p.record.get("unfinished", {})]
    return made[-1] if made else None


def required_pass(workspace: AnyWorkspace, output: Output) -> Pass:
    """The same; WorkspaceError where there is none."""
    found = newest_pass(workspace, output)
    if found is None:
        raise WorkspaceError(
            f"{workspace.name}: stage {output.name} is not built; run pagekin build"
        )
    return found


def check_files(workspace: AnyWorkspace, outputs: Iterable[Output]) -> None:
    """DamageError where a file of the passes that made these is not what was written."""
    found = (newest_pass(workspace, output) for output in outputs)
    for name in dict.fromkeys(made.name for made in found if made):
        if damage := workspace.damage(name, thorough=True):
            raise DamageError(name, f"{workspace.name}/{name}: {damage}")


def superseded(workspace: AnyWorkspace, config: BuildConfig) -> list[str]:
    """The passes that are the newest of no output that this configuration has."""
    newest: dict[str, str] = {}
    passes = _passes(workspace)
    for made in passes:
        outputs = made.record.get("outputs", {})
        newest.update({name: made.name for name in outputs if is_possible(name, config)})
    unneeded = [p.name for p in passes if "outputs" in p.record and p.name not in newest.values()]
    begun = [(p.name, of) for p in passes for of in p.record.get("unfinished", {})]
    return unneeded + [name for name, of in begun if not is_possible(of, config)]


def records_of(workspace: AnyWorkspace, kind: Kind) -> Iterator[Pair]:
    """All records of a kind, in the order of their keys."""
    found = required_pass(workspace, maker_of(kind))
    return (pair for pair in workspace.records(found.name) if kind.holds(pair[0]))


def table_path(workspace: AnyWorkspace, table: Table) -> Path | None:
    """The file of a table, on this machine; None where it was not made."""
    found = newest_pass(workspace, maker_of(table))
    return workspace.table(found.name, table.file) if found else None
