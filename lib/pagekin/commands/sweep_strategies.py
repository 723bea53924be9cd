"""`pagekin sweep`: many strategies over one snapshot, judged by a directory."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagekin.commands.arguments import (
    add_command,
    add_judged_pages,
    check_at_least,
    check_judged_pages,
    print_result,
)
from pagekin.errors import naming
from pagekin.printing import tell

if TYPE_CHECKING:
    from pagekin.sweep.sweep import Sweep

__all__ = ["add_sweep"]

_DESCRIPTION = """\
Judge many strategies (windows, sources, stemming, weights, signatures) over one snapshot as
`pagekin evaluate gamma` does, reading the pages once; compare them in pairs, and plot them.

STRATEGIES is a file that names them (docs/formats.md), or one that ships with pagekin: `paper` has
those of the paper's figures, baselines, and the cost of signatures. DIR keeps what is made: a
sweep that was stopped goes on when the same command is given again.
"""

_EXAMPLES = """\
examples:
  pagekin sweep paper --directory directory.tsv --work sweep --report sweep.html crawl/
  pagekin sweep mine.toml --directory content.rdf.u8.gz --work sweep --plots plots crawl/
  pagekin sweep paper --directory d.tsv --work sweep --exclude-host curlie.org --json crawl/
"""


def add_sweep(commands: Any) -> None:
    """Declare the command."""
    usage = "%(prog)s STRATEGIES --directory FILE --work DIR [options] SNAPSHOT [SNAPSHOT ...]"
    summary = "many strategies over one snapshot, compared and plotted"
    parser = add_command(
        commands, "sweep", _run, summary, _DESCRIPTION, examples=_EXAMPLES, usage=usage
    )
    add = parser.add_argument
    add("strategies", metavar="STRATEGIES", help="a file (.toml), or paper")
    add("snapshot", nargs="+", metavar="SNAPSHOT", help="what to read, as of pagekin build")
    add(
        "--work", required=True, type=Path, metavar="DIR", help="the folder that keeps what is made"
    )
    add_judged_pages(add)
    add("--report", type=Path, metavar="OUT.html", help="write a report with all figures")
    add("--plots", type=Path, metavar="DIR", help="write each figure as SVG and PNG")
    printed = parser.add_mutually_exclusive_group().add_argument
    printed("--json", action="store_true", help="print JSON")
    printed(
        "--markdown", action="store_true", help="print Markdown; with --plots it shows the plots"
    )
    add("--base-url", default="", metavar="URL", help="put before the relative paths of a list")
    add("--tasks", type=int, default=0, metavar="N", help="tasks at once (default: one a core)")
    add("-q", "--quiet", action="store_true", help="no progress")


def _run(options: argparse.Namespace) -> int:
    from pagekin.evaluate.figures import require_png
    from pagekin.sweep.result import sweep_result

    check_judged_pages(options)
    check_at_least(options, tasks=0)
    if options.plots:
        require_png()  # before an hour's work, and not after it
    sweep = _sweep(options)
    results = sweep.run()
    result = sweep_result(sweep.plan, results, options.seed, options.resamples)
    result["settings"] = _settings(options)
    _write(options, result)
    lines = _tables(options, result)
    print_result(result, lines, as_json=options.json, ensure_ascii=False, indent=1)
    return 0


def _tables(options: argparse.Namespace, result: dict[str, Any]) -> list[str]:
    from pagekin.sweep.reports import sweep_lines, sweep_markdown

    if options.markdown:
        return list(sweep_markdown(result, str(options.plots or "")))[:-1]  # the last is empty
    return list(sweep_lines(result))[1:]  # the first is empty


def _sweep(options: argparse.Namespace) -> Sweep:
    from pagekin.storage.workspace import Workspace
    from pagekin.sweep.judging_tasks import Judging
    from pagekin.sweep.strategies import read_strategies
    from pagekin.sweep.sweep import Sweep
    from pagekin.web.sources import list_snapshot

    hosts = {"reading": {"exclude_host": options.exclude_host}} if options.exclude_host else {}
    plan = read_strategies(options.strategies, hosts)
    judging = Judging(
        tuple(map(str, options.directory)),
        options.format,
        options.depth,
        options.shallow,
        options.linked,
        options.sample,
        options.seed,
        options.resamples,
    )
    snapshot = list_snapshot(options.snapshot, options.base_url)
    workspace = Workspace.create(options.work)
    width = options.tasks or os.cpu_count() or 1
    return Sweep(plan, workspace, snapshot, judging, width, options.quiet)


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    names = ("format", "depth", "shallow", "linked", "sample", "seed", "resamples")
    return {
        "strategies": options.strategies,
        "directory": [str(path) for path in options.directory],
        "snapshot": options.snapshot,
        "work": str(options.work),
        "exclude_host": list(options.exclude_host),
        **{name: getattr(options, name) for name in names},
    }


def _write(options: argparse.Namespace, result: dict[str, Any]) -> None:
    from pagekin.sweep.reports import sweep_report, write_plots

    if options.plots:
        count = len(write_plots(options.plots, result))
        tell(f"pagekin: {count} plots are in {options.plots}")
    if options.report:
        page = sweep_report(result, shlex.join(["pagekin", *sys.argv[1:]]), date.today())
        with naming(options.report):
            options.report.write_text(page, encoding="utf-8", errors="replace")
        tell(f"pagekin: the report is in {options.report}")
