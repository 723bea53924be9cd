"""The declarations of all stages for people and programs: as text, data, a table and a drawing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pagekin.config import BuildConfig
from pagekin.kinds import KINDS
from pagekin.stages.chain import STAGES, needed_by
from pagekin.stages.declaration import Output, Stage

__all__ = ["flow_chart", "stages_as_data", "stages_as_text", "stages_table"]

_SNAPSHOT = "the snapshot"


def stages_as_data() -> dict[str, Any]:
    """Everything that is declared: stages with their outputs, and kinds of record."""
    return {
        "stages": [
            {
                "name": stage.name,
                "job": stage.job,
                "reads": _reads(stage),
                "shuffles": [kind.name for kind in stage.shuffles],
                "rounds": _most_rounds(stage),
                "outputs": [_output(stage, output) for output in stage.outputs],
            }
            for stage in STAGES
        ],
        "kinds": [
            {
                "name": kind.name,
                "key": kind.key,
                "value": kind.value,
                "prefix": kind.prefix.decode(),
            }
            for kind in KINDS
        ],
    }


def _output(stage: Stage, output: Output) -> dict[str, Any]:
    return {
        "name": output.name,
        "does": output.does,
        "part": output.part,
        "version": output.version,
        "makes": [kind.name for kind in output.makes],
        "uses": [table.file for table in (*stage.looks_up, *output.uses)],
        "tables": [table.file for table in output.tables],
        "settings": list(stage.sections_of([output])),
        "needs": list(dict.fromkeys(maker.name for maker, _ in needed_by(output))),
    }


def _reads(stage: Stage) -> list[str]:
    return [kind.name for kind in stage.reads] or [_SNAPSHOT]


def _most_rounds(stage: Stage) -> int:
    """How often its job runs, at most, by default."""
    return stage.rounds.most(BuildConfig()) if stage.rounds else 1


def stages_as_text() -> Iterator[str]:
    """A few lines for each stage."""
    for stage in STAGES:
        yield f"{stage.name}  (jobs/{stage.job.partition(':')[0]}.py)"
        yield f"  reads {', '.join(_reads(stage))}"
        if stage.rounds:
            most = _most_rounds(stage)
            yield f"  runs in rounds, each on the records of the one before, at most {most}"
        for output in stage.outputs:
            told = _output(stage, output)
            yield f"  makes {output.name}: {output.does}"
            yield f"    records: {', '.join(told['makes'])}"
            for name in ("tables", "uses", "settings"):
                if told[name]:
                    yield f"    {name}: {', '.join(told[name])}"


def stages_table() -> Iterator[str]:
    """The table of the formats, in Markdown."""
    yield "| stage | output | reads | tables it uses | records | tables it makes | settings |"
    yield "|---|---|---|---|---|---|---|"
    for stage in STAGES:
        for output in stage.outputs:
            told = _output(stage, output)
            columns = [", ".join(_reads(stage))]
            columns += [", ".join(told[n]) for n in ("uses", "makes", "tables", "settings")]
            yield f"| `{stage.name}` | `{output.name}` | {' | '.join(columns)} |"


def flow_chart() -> Iterator[str]:
    """Which stage reads what, as a Mermaid chart; dotted: a table that tasks look things up in."""
    yield "flowchart TD"
    yield f"  snapshot[({_SNAPSHOT})]"
    for stage in STAGES:
        names = " / ".join(output.name for output in stage.outputs)
        yield f"  {stage.name}[{stage.name}{f': {names}' if len(stage.outputs) > 1 else ''}]"
    for stage in STAGES:
        if not stage.reads:
            yield f"  snapshot --> {stage.name}"
        for kind in stage.reads:
            maker = next(s for s in STAGES if any(kind in o.makes for o in s.outputs))
            yield f"  {maker.name} -->|{kind.name}| {stage.name}"
        if stage.rounds:
            yield f"  {stage.name} -->|again| {stage.name}"
        for table in stage.uses:
            maker = next(s for s in STAGES if any(table in o.tables for o in s.outputs))
            yield f"  {maker.name} -.->|{table.option}| {stage.name}"
    yield "  index[(index)]"
    read = {kind for stage in STAGES for kind in stage.reads}
    for stage in STAGES:
        for output in stage.outputs:
            is_last = not (output.tables or any(kind in read for kind in output.makes))
            if output.part and is_last:
                yield f"  {stage.name} -->|{', '.join(k.name for k in output.makes)}| index"
