"""A whole plan: sample, build, predict, price; and the object that is printed and saved."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pagekin
from pagekin.config import BuildConfig, to_dict
from pagekin.planning.costs import Costs, Place, costs
from pagekin.planning.growth import Estimate, times
from pagekin.planning.measuring import Measured, measure
from pagekin.planning.predicting import predict
from pagekin.planning.prediction import Prediction, StagePrediction
from pagekin.planning.sample import Sample, Wanted
from pagekin.planning.sampling import take_sample
from pagekin.planning.survey import Survey, survey
from pagekin.planning.taken import HotKey
from pagekin.web.sources import Source

__all__ = ["Ask", "make_plan"]

_SMALL = 200  # pages: words, rare URLs and pairs are hardly seen in fewer
_FORMAT = 1


@dataclass(frozen=True)
class Ask:
    """What is to be planned."""

    snapshot: Sequence[Source]
    config: BuildConfig
    parts: Collection[str]
    wanted: Wanted
    seed: int
    place: Place


def make_plan(ask: Ask, say: Callable[[str], None]) -> dict[str, Any]:
    """Read a sample, build it, and tell what the whole would take."""
    with tempfile.TemporaryDirectory(prefix="pagekin-plan-") as name:
        folder = Path(name)
        sample = take_sample(ask.snapshot, ask.wanted, ask.seed, folder)
        say(
            f"sample: {sum(s.pages for s in sample.spans):,} pages, {sample.share:.2%} of the bytes"
        )
        seen = survey(sample.files, ask.config.reading)
        runs = list(_runs(ask, sample, folder, say))
    prediction = predict(runs, sample, ask.place.shape)
    return _described(ask, sample, seen, runs, prediction, costs(prediction, ask.place))


def _runs(ask: Ask, sample: Sample, folder: Path, say: Callable[[str], None]) -> Iterator[Measured]:
    """A quarter of the sample, a half, and all; of a whole snapshot nothing is to be guessed."""
    count = len(sample.files)
    sizes = [count] if sample.method == "all" else sorted({-(-count // 4), -(-count // 2), count})
    for size in sizes:
        here = folder / f"part-{size}"
        here.mkdir()

        def told(stage: str, size: int = size) -> None:
            say(f"building {size} of {count} parts of the sample: {stage}")

        share, last = sample.share * size / count, size == count
        files = sample.files[:size]
        yield measure(ask.config, ask.parts, files, here, told, share=share, starts=last)


def _described(  # noqa: PLR0917 - all that is known
    ask: Ask,
    sample: Sample,
    seen: Survey,
    runs: Sequence[Measured],
    prediction: Prediction,
    spent: Costs,
) -> dict[str, Any]:
    share, place = sample.share, ask.place
    return {
        "pagekin plan": _FORMAT,
        "pagekin": pagekin.__version__,
        "snapshot": {"files": len(ask.snapshot), "bytes": sample.total_bytes},
        "sample": {
            "method": sample.method,
            "seed": ask.seed,
            "share": share,
            "pages": seen.pages,
            "bytes": sum(span.bytes for span in sample.spans),
            "spans": len(sample.spans),
            "error": sample.error,
        },
        "warnings": list(_warnings(sample, seen)),
        "config": to_dict(ask.config),
        "parts": list(ask.parts),
        "pages": _estimate(prediction.pages),
        "records": {k: round(n / share) for k, n in seen.records.items()},
        "stages": [_stage(stage, spent) for stage in prediction.stages],
        "cpu_hours": _estimate(_cpu_hours(prediction, place)),
        "index": {
            "documents": _estimate(prediction.documents),
            "bytes": _estimate(prediction.index),
        },
        "place": _place(place, spent),
        "hot": _hot(seen, share),
        "assumptions": list(_assumptions(sample, place)),
    }


def _stage(stage: StagePrediction, spent: Costs) -> dict[str, Any]:
    return {
        "name": stage.name,
        "map_tasks": stage.map_tasks,
        "reduce_tasks": stage.reduce_tasks,
        "records": _estimate(stage.records),
        "kinds": {kind: _estimate(e) for kind, e in stage.kinds.items()},
        "bytes": _estimate(stage.output),
        "shuffle": {
            "records": _estimate(stage.shuffle_records),
            "bytes": _estimate(stage.shuffle),
            "compressed": _estimate(stage.shuffle_packed),
        },
        "cpu_seconds": {
            "map": _estimate(stage.map_cpu),
            "sort": _estimate(stage.sort_cpu),
            "reduce": _estimate(stage.reduce_cpu),
        },
        "longest_task_seconds": {"map": stage.longest_map, "reduce": stage.longest_reduce},
        "hours": _estimate(spent.stages[stage.name]),
        "peak_memory": _estimate(stage.memory),
        "hottest": [_key(hot, stage) for hot in stage.hottest],
    }


def _key(hot: HotKey, stage: StagePrediction) -> dict[str, Any]:
    share = min(1.0, hot.bytes / max(stage.shuffle.value, 1))
    return {
        "key": hot.key,
        "records": hot.records,
        "bytes": hot.bytes,
        "share": round(share, 6),
        "seconds": round(share * stage.reduce_cpu.value, 3),
    }


def _place(place: Place, spent: Costs) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "slots": place.shape.slots,
        "reduces": place.shape.reduces,
        "speed": place.speed,
        "hours": _estimate(spent.hours),
    }
    if place.prices is None:
        return shown
    prices = place.prices
    shown["prices"] = {
        "date": prices.date,
        "source": prices.source,
        "currency": prices.currency,
        "spot_factor": prices.spot_factor,
    }
    shown["nodes"] = [
        {
            "role": bill.nodes.role,
            "type": bill.nodes.type,
            "count": bill.nodes.count,
            "spot": bill.nodes.spot,
            "instance_hours": _estimate(bill.hours),
            "cost": _estimate(bill.dollars),
        }
        for bill in spent.bills
    ]
    return shown | {"cost": _estimate(spent.dollars)}


def _hot(seen: Survey, share: float) -> dict[str, Any]:
    pages = max(seen.pages, 1)
    return {
        "pages_with_most_links": [{"url": p.url, "links": p.links} for p in seen.widest],
        "largest_domains": [
            {"domain": name, "share": count / pages, "pages": round(count / share)}
            for name, count in seen.domains.items()
        ],
    }


def _cpu_hours(prediction: Prediction, place: Place) -> Estimate:
    total = Estimate(0, 0, 0)
    for stage in prediction.stages:
        total = total.plus(stage.cpu)
    return times(total, 1 / 3600 / place.speed)


def _warnings(sample: Sample, seen: Survey) -> Iterator[str]:
    yield from sample.notes
    if seen.pages < _SMALL and sample.method != "all":
        yield (
            f"the sample has {seen.pages} pages only, so that the number of pages is known to"
            f" {2 * sample.error:.0%} and what grows by a curve hardly at all; take"
            f" --sample {_SMALL * 5} or more"
        )


def _assumptions(sample: Sample, place: Place) -> Iterator[str]:
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
    yield "slots wait for the last tasks of a stage for 30 % of its time"
    yield "bounds are twice the standard error of the sample, and 20 % for CPU times"
    if place.prices:
        yield "every vCPU of a core or task machine runs one task; disks and requests cost extra"
        yield (
            f"prices are of {place.prices.date} ({place.prices.source}); a spot machine costs"
            f" {place.prices.spot_factor:g} of the price on demand, and none is taken away"
        )


def _estimate(estimate: Estimate) -> dict[str, float]:
    return {
        name: round(number, 4) if abs(number) < 100 else round(number)
        for name, number in estimate._asdict().items()
    }
