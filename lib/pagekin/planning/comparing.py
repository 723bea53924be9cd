"""A plan beside the build that it was made for: every number that both know, and the error."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pagekin.errors import InputError, WorkspaceError
from pagekin.storage.workspace import Workspace

__all__ = ["compare", "load_plan"]

_KIND = "pagekin plan"
_SUMMARY = "summary.json"


def load_plan(path: Path) -> dict[str, Any]:
    """A saved plan; InputError in one sentence where it is none."""
    try:
        plan: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if plan[_KIND] == 1:
            return plan
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: is no plan; `pagekin plan --save FILE` writes one") from error
    raise InputError(f"{path}: is a plan of another format; make it anew")


def compare(plan: Mapping[str, Any], workspace: Workspace) -> list[dict[str, Any]]:
    """A row for each number, stage by stage."""
    rows: list[dict[str, Any]] = []
    for stage in plan["stages"]:
        record = workspace.stage_record(stage["name"])
        if record is None:
            continue
        rows += _stage_rows(stage, record["result"])
    if not rows:
        raise WorkspaceError(f"{workspace.name}: no stage of the plan is built; run pagekin build")
    pages = _pages(plan, workspace)
    return [*pages, *rows, *_index_rows(plan, workspace)]


def _pages(plan: Mapping[str, Any], workspace: Workspace) -> Iterator[dict[str, Any]]:
    records = (workspace.stage_record(stage["name"]) for stage in plan["stages"])
    used = [r["result"]["counters"].get("records", {}).get("used", 0) for r in records if r]
    if any(used):
        yield _row("pages", "count", plan["pages"], max(used))


def _stage_rows(stage: Mapping[str, Any], fact: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    name, cpu = stage["name"], stage["cpu_seconds"]
    tasks = {key: cpu["map"][key] + cpu["reduce"][key] for key in ("value", "low", "high")}
    yield _row(f"{name}: records", "count", stage["records"], fact["records"])
    yield _row(f"{name}: output", "bytes", stage["bytes"], fact["bytes"])
    yield _row(f"{name}: CPU of tasks", "seconds", tasks, fact["task_cpu_seconds"])
    yield _row(f"{name}: largest task", "bytes", stage["peak_memory"], fact["peak_memory"])


def _index_rows(plan: Mapping[str, Any], workspace: Workspace) -> Iterator[dict[str, Any]]:
    path = workspace.path / _SUMMARY
    try:
        made = json.loads(path.read_text(encoding="utf-8")).get("index")
    except (OSError, ValueError):
        return
    if made:
        yield _row("index: documents", "count", plan["index"]["documents"], made["documents"])
        yield _row("index: size", "bytes", plan["index"]["bytes"], made["bytes"])


def _row(what: str, unit: str, amounts: Mapping[str, float], fact: float) -> dict[str, Any]:
    error = round(amounts["value"] / fact - 1, 4) if fact else None
    return {
        "what": what,
        "unit": unit,
        "predicted": amounts["value"],
        "low": amounts["low"],
        "high": amounts["high"],
        "fact": fact,
        "error": error,
    }
