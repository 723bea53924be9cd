"""A plan as lines of text, from the object that is also saved; and its comparison with a build."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

__all__ = ["comparison_lines", "plan_lines"]

_Amounts = Mapping[str, float]


def plan_lines(plan: Mapping[str, Any]) -> Iterator[str]:
    """All of it, most wanted first."""
    yield from _head(plan)
    yield ""
    yield from _stages(plan["stages"])
    yield ""
    yield from _totals(plan)
    yield from _place(plan["place"])
    yield ""
    yield from _hot(plan)
    yield ""
    yield "assumed:"
    yield from (f"  - {each}" for each in plan["assumptions"])
    yield from (f"note: {each}" for each in plan["warnings"])


def _head(plan: Mapping[str, Any]) -> Iterator[str]:
    snapshot, sample = plan["snapshot"], plan["sample"]
    yield f"snapshot   {snapshot['files']:,} files, {_size(snapshot['bytes'])}"
    yield (
        f"sample     {sample['pages']:,} pages, {sample['share']:.2%} of the bytes, by"
        f" {sample['method']}, seed {sample['seed']}"
    )
    yield f"pages      {_between(plan['pages'], _count)}"
    kinds = sorted(plan["records"].items(), key=lambda item: -item[1])
    yield f"records    {', '.join(f'{name} {_count(n)}' for name, n in kinds)}"


def _stages(stages: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield (
        f"{'stage':20} {'tasks':>11} {'records':>8} {'shuffle':>8} {'packed':>8} {'output':>8}"
        f" {'CPU':>8} {'longest':>8} {'memory':>16}"
    )
    for stage in stages:
        cpu = sum(each["value"] for each in stage["cpu_seconds"].values())
        memory = stage["peak_memory"]
        in_use = f"{_size(memory['low'])}-{_size(memory['high'])}"
        sizes = (
            stage["shuffle"]["bytes"]["value"],
            stage["shuffle"]["compressed"]["value"] if stage["reduce_tasks"] else 0,
            stage["bytes"]["value"],
        )
        shown = " ".join(f"{_size(size) if size else '-':>8}" for size in sizes)
        tasks = f"{stage['map_tasks']:,}+{stage['reduce_tasks']:,}"
        yield (
            f"{stage['name']:20} {tasks:>11} {_count(stage['records']['value']):>8} {shown}"
            f" {_time(cpu):>8} {_time(max(stage['longest_task_seconds'].values())):>8} {in_use:>16}"
        )


def _totals(plan: Mapping[str, Any]) -> Iterator[str]:
    yield f"CPU        {_between(plan['cpu_hours'], _hours)}"
    index = plan["index"]
    yield (
        f"index      {_between(index['bytes'], _size)}, documents"
        f" {_between(index['documents'], _count)}"
    )


def _place(place: Mapping[str, Any]) -> Iterator[str]:
    yield f"time       {_between(place['hours'], _hours)} on {place['slots']:,} slots"
    for node in place.get("nodes", ()):
        market = "spot" if node["spot"] else "on demand"
        yield (
            f"           {node['count']:,} x {node['type']} ({node['role']}, {market}):"
            f" {node['instance_hours']['value']:,.1f} instance hours,"
            f" {node['cost']['value']:,.2f}"
        )
    if "cost" in place:
        prices = place["prices"]
        yield (
            f"cost       {_between(place['cost'], lambda n: f'{n:,.2f}')} {prices['currency']}"
            f" at prices of {prices['date']}: check them"
        )


def _hot(plan: Mapping[str, Any]) -> Iterator[str]:
    yield "hottest keys: all records of one go to one reducer"
    for stage in plan["stages"]:
        for hot in stage["hottest"][:2]:
            if hot["records"] > 1:
                yield (
                    f"  {stage['name']:18} {_count(hot['records']):>7} records"
                    f" {_size(hot['bytes']):>7}, {hot['share']:>6.1%} of the shuffle,"
                    f" {_time(hot['seconds'])} of one task"
                    f"  {hot['key'][:60]}"
                )
    yield "pages with the most links in the sample: their blocks become pairs, links squared"
    for page in plan["hot"]["pages_with_most_links"][:3]:
        yield f"  {page['links']:>7,} links {page['url'][:90]}"
    yield "largest domains: their pages are no more work than others, but their inlinks may be"
    for domain in plan["hot"]["largest_domains"][:3]:
        yield f"  {domain['share']:>7.1%} of the pages {domain['domain']}"


def comparison_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Predictions and facts."""
    yield f"{'what':42} {'predicted':>12} {'bounds':>23} {'fact':>12} {'error':>7}"
    for row in rows:
        amount = {"bytes": _size, "seconds": _time}.get(row["unit"], _count)
        bounds = f"{amount(row['low'])} to {amount(row['high'])}"
        error = "" if row["error"] is None else f"{row['error']:+.0%}"
        yield (
            f"{row['what']:42} {amount(row['predicted']):>12} {bounds:>23}"
            f" {amount(row['fact']):>12} {error:>7}"
        )


def _between(amounts: _Amounts, shown: Any) -> str:
    value, low, high = (shown(amounts[key]) for key in ("value", "low", "high"))
    return f"{value} ({low} to {high})" if low != high else f"{value}"


def _count(number: float) -> str:
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e5, "k")):
        if number >= limit:
            return f"{number / (1e3 if unit == 'k' else limit):,.1f} {unit}"
    return f"{number:,.0f}"


def _size(number: float) -> str:
    for limit, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if number >= limit:
            return f"{number / limit:,.{0 if number >= 10 * limit else 1}f} {unit}"
    return f"{number:,.0f} B"


def _hours(hours: float) -> str:
    return _time(hours * 3600)


def _time(seconds: float) -> str:
    if seconds >= 3600:
        return f"{seconds / 3600:,.1f} h"
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.1f} s"
