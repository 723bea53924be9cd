"""A whole plan: sample, build, predict, price; and a plan compared with the build it was made for.

A plan is an object of plain values, which is printed, saved and loaded (docs/formats.md).
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pagekin
from pagekin.config import BuildConfig, to_dict
from pagekin.errors import InputError, WorkspaceError
from pagekin.planning.extrapolation import NOTHING, Estimate
from pagekin.planning.prediction import Prediction, predict
from pagekin.planning.prices import Place, costs, stage_hours
from pagekin.planning.sample_build import SampleBuild, build_sample
from pagekin.planning.snapshot_sample import (
    Sample,
    SampledPages,
    SampleSize,
    describe_pages,
    take_sample,
)
from pagekin.storage.workspace import Workspace
from pagekin.web.sources import Source

__all__ = ["Question", "compare_with_build", "load_plan", "make_plan"]

_KIND, _FORMAT = "pagekin plan", 1
_SMALL = 200  # pages: words, rare URLs and pairs are hardly seen in fewer
_SUMMARY = "summary.json"


@dataclass(frozen=True)
class Question:
    """What is to be planned."""

    snapshot: Sequence[Source]
    config: BuildConfig
    parts: Collection[str]
    size: SampleSize
    seed: int
    place: Place


def make_plan(question: Question, report: Callable[[str], None]) -> dict[str, Any]:
    """Read a sample, build it, and say what the whole would take; `report` is told of progress."""
    place, began = question.place, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pagekin-plan-") as name:
        folder = Path(name)
        sample = take_sample(question.snapshot, question.size, question.seed, folder)
        report(f"sample: {sample.pages:,} pages, {sample.share:.2%} of the bytes")
        if sample.method == "all" and place.is_here:
            report("all pages are read: to build them takes no longer than to plan it")
        pages = describe_pages(sample.files, question.config.reading)
        runs = list(_builds(question, sample, folder, report))
    prediction = predict(runs, sample, place.slots, place.reduces)
    plan = _described(question, sample, pages, prediction)
    plan["seconds"] = round(time.monotonic() - began, 1)
    plan["warnings"] += _too_dear(plan, place)
    return plan


def _too_dear(plan: Mapping[str, Any], place: Place) -> Iterator[str]:
    """What to do where nothing was gained by planning."""
    build = plan["place"]["hours"]["value"] * 3600
    if place.is_here and build <= plan["seconds"]:
        yield (
            f"the build takes no longer than this plan took ({build:,.0f} s and"
            f" {plan['seconds']:,.0f} s): no plan is needed, pagekin build can begin"
        )


def _builds(
    question: Question, sample: Sample, folder: Path, report: Callable[[str], None]
) -> Iterator[SampleBuild]:
    """A quarter of the sample, a half, and all; of a whole snapshot nothing is to be guessed."""
    count = len(sample.files)
    sizes = [count] if sample.method == "all" else sorted({-(-count // 4), -(-count // 2), count})
    for size in sizes:
        here = folder / f"part-{size}"
        here.mkdir()

        def stage_begins(stage: str, size: int = size) -> None:
            report(f"building {size} of {count} parts of the sample: {stage}")

        yield build_sample(
            question.config,
            question.parts,
            sample.files[:size],
            here,
            stage_begins,
            share=sample.share * size / count,
            starts=size == count,
        )


def _described(
    question: Question, sample: Sample, pages: SampledPages, prediction: Prediction
) -> dict[str, Any]:
    share, place = sample.share, question.place
    cpu = [amount for stage in prediction.stages for amount in stage.cpu_seconds.values()]
    plan: dict[str, Any] = _plain(
        {
            _KIND: _FORMAT,
            "pagekin": pagekin.__version__,
            "snapshot": {"files": len(question.snapshot), "bytes": sample.total_bytes},
            "sample": {
                "method": sample.method,
                "seed": question.seed,
                "share": share,
                "pages": pages.pages,
                "bytes": sample.bytes,
                "spans": len(sample.spans),
                "error": sample.error,
            },
            "warnings": list(_warnings(sample, pages)),
            "config": to_dict(question.config),
            "parts": list(question.parts),
            "pages": prediction.pages,
            "records": {k: round(n / share) for k, n in pages.records.items()},
            "stages": [
                {**vars(stage), "hours": stage_hours(stage, place, prediction.busy)}
                for stage in prediction.stages
            ],
            "cpu_hours": sum(cpu, NOTHING) * (1 / 3600 / place.speed),
            "index": {"documents": prediction.documents, "bytes": prediction.index},
            "place": costs(prediction, place),
            "hot": _hot(pages, share),
            "assumptions": list(_assumptions(sample, place, prediction.busy)),
        }
    )
    return plan


def _plain(value: Any) -> Any:
    """The same with estimates as objects of rounded numbers."""
    if isinstance(value, Estimate):
        return {
            name: round(number, 4) if abs(number) < 100 else round(number)
            for name, number in asdict(value).items()
        }
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _hot(pages: SampledPages, share: float) -> dict[str, Any]:
    return {
        "pages_with_most_links": [{"url": u, "links": links} for links, u in pages.most_links],
        "largest_domains": [
            {"domain": name, "share": count / pages.pages, "pages": round(count / share)}
            for name, count in pages.domains.items()
        ],
    }


def _warnings(sample: Sample, pages: SampledPages) -> Iterator[str]:
    yield from sample.notes
    if pages.pages < _SMALL and sample.method != "all":
        yield (
            f"the sample has {pages.pages} pages only, so that the number of pages is known to"
            f" {2 * sample.error:.0%} and what grows by a curve hardly at all; take"
            f" --sample {_SMALL * 5} or more"
        )


def _assumptions(sample: Sample, place: Place, busy: float) -> Iterator[str]:
    yield {
        "spans": f"the sample is {len(sample.spans)} spans spread evenly over all bytes: pages that"
        " stand together are taken together, so it may miss hosts",
        "files": "the sample is whole files: they may differ from the others",
        "all": "all pages were read: nothing is extrapolated but the number of tasks",
    }[sample.method]
    yield "what maps write of pages grows in proportion to them"
    yield (
        "linked URLs go on being found as the numbers of URLs with 1, 2, 3 ... linking pages make"
        " most likely; other records and bytes grow by a curve through three sizes of the sample"
    )
    yield "pairs above a threshold are rare in a sample: of all numbers theirs are the least sure"
    yield "redirects and second captures are paired less often in a sample than in the whole"
    yield "a task takes a fixed CPU time and one in proportion to what it reads and writes"
    yield "the most inlinked pages have as large a share of all links as in the sample"
    yield f"a slot is {place.speed:g} times as fast as this machine (--speed)"
    if place.is_here:
        yield (
            f"this machine stays as busy as it was: a task took {busy:.1f} times its CPU time"
            " (1.0 where nothing else runs)"
        )
    yield f"slots wait for the last tasks of a stage for {place.waiting:.0%} of its time"
    yield "bounds are twice the standard error of the sample, and 20 % for CPU times"
    if place.prices:
        yield "every vCPU of a core or task machine runs one task; disks and requests cost extra"
        yield (
            f"prices are of {place.prices.date} ({place.prices.source}); a spot machine costs"
            f" {place.prices.spot_factor:g} of the price on demand, and none is taken away"
        )


# --- a plan compared with a build ---


def load_plan(path: Path) -> dict[str, Any]:
    """A saved plan; InputError in one sentence where it is none."""
    try:
        plan: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if plan[_KIND] == _FORMAT:
            return plan
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: is no plan; `pagekin plan --save FILE` writes one") from error
    raise InputError(f"{path}: is a plan of another format; make it anew")


def compare_with_build(plan: Mapping[str, Any], workspace: Workspace) -> list[dict[str, Any]]:
    """A row for each number that both know, stage by stage, with the error."""
    passes = workspace.passes().items()
    built = {name.partition(".")[0]: record for name, record in passes if "outputs" in record}
    results = [(s, built[s["name"]]["result"]) for s in plan["stages"] if s["name"] in built]
    if not results:
        raise WorkspaceError(f"{workspace.name}: no stage of the plan is built; run pagekin build")
    rows = []
    if pages := max(r["counters"].get("records", {}).get("used", 0) for _, r in results):
        rows.append(_row("pages", "count", plan["pages"], pages))
    for stage, result in results:
        name, cpu = stage["name"], stage["cpu_seconds"]
        tasks = {key: cpu["map"][key] + cpu["reduce"][key] for key in ("value", "low", "high")}
        rows += [
            _row(f"{name}: records", "count", stage["records"], result["records"]),
            _row(f"{name}: output", "bytes", stage["bytes"], result["bytes"]),
            _row(f"{name}: CPU of tasks", "seconds", tasks, result["task_cpu_seconds"]),
            _row(f"{name}: largest task", "bytes", stage["peak_memory"], result["peak_memory"]),
        ]
    if index := _index_of(workspace):
        rows.append(
            _row("index: documents", "count", plan["index"]["documents"], index["documents"])
        )
        rows.append(_row("index: size", "bytes", plan["index"]["bytes"], index["bytes"]))
    return rows


def _index_of(workspace: Workspace) -> dict[str, Any] | None:
    """The sizes of the index in the summary of the build, if there is one."""
    try:
        summary = json.loads((workspace.path / _SUMMARY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    index: dict[str, Any] | None = summary.get("index")
    return index


def _row(what: str, unit: str, amounts: Mapping[str, float], fact: float) -> dict[str, Any]:
    return {
        "what": what,
        "unit": unit,
        "predicted": amounts["value"],
        "low": amounts["low"],
        "high": amounts["high"],
        "fact": fact,
        "error": round(amounts["value"] / fact - 1, 4) if fact else None,
    }
