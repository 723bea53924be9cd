"""`pagekin plan`: what a build will cost, predicted from a sample of the snapshot."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pagekin.commands.arguments import (
    add_command,
    add_configuration,
    add_pages_and_parts,
    print_result,
)
from pagekin.config import config_from_flags
from pagekin.errors import UsageError
from pagekin.printing import tell
from pagekin.stages.declaration import parts_without

__all__ = ["add_plan"]

_DESCRIPTION = """\
Read a sample of a snapshot on this machine, build it, and predict a build of the whole: pages and
records, bytes of every shuffle and output, CPU time of every stage, the size of the index, the keys
that one task has to do alone, and with -c the hours and the price of a cluster.

The sample is really built, in a temporary folder, at three sizes. Nothing is created in a cloud.
Every figure has bounds; what was assumed is printed under them. docs/measurements/planning.md shows
how good predictions were. A plan takes a fifth of the time of a build, and of a snapshot of few
thousand pages as long as the build itself; it says so then.

(How many signatures a bag needs is another question: pagekin plan-signatures.)
"""

_EXAMPLES = """\
examples:
  pagekin plan crawl/                                      on this machine
  pagekin plan --sample 2000 -c emr/large.conf --base-url s3://commoncrawl/ segment.paths
      2,000 pages of a segment; hours and dollars of the fleet, at the prices of emr/prices.toml
  pagekin plan --save crawl.plan.json crawl/               keep the prediction, build, and then
  pagekin build --work work --index crawl.index crawl/
  pagekin plan --compare work --load crawl.plan.json       compare it with what happened
  pagekin plan --compare work crawl/                       the same with a prediction made now

reading the table:
  tasks     map + reduce tasks; a file of the snapshot is read by one task
  packed    the shuffle as Hadoop sends it when map output is compressed (zlib level 1)
  longest   CPU time of the longest task: more machines make no stage shorter than this
  memory    of the largest task: in the sample, and as if it grew with the input of a task
"""


def add_plan(commands: Any) -> None:
    """Declare the command."""
    usage = (
        "%(prog)s [options] SNAPSHOT [SNAPSHOT ...]\n"
        "       %(prog)s --compare WORK (--load PLAN.json | SNAPSHOT ...)"
    )
    summary = "what a build will cost: time, bytes, money, predicted from a sample"
    parser = add_command(
        commands, "plan", _run, summary, _DESCRIPTION, examples=_EXAMPLES, usage=usage
    )
    add = parser.add_argument
    add("snapshot", nargs="*", metavar="SNAPSHOT", help="what would be read, as of build")
    add(
        "--sample",
        default="auto",
        metavar="X%|N|auto",
        help="read this share of the bytes, or about N pages, and never fewer than 1,000; auto: a"
        " tenth, and 10,000 pages at the most (default: %(default)s)",
    )
    add("--seed", type=int, default=1, metavar="N", help="another sample (default: %(default)s)")
    add(
        "-c",
        "--conf",
        type=Path,
        metavar="MRJOB_CONF",
        help="the machines of this mrjob.conf, from runners.emr; without it: this machine",
    )
    add(
        "--prices",
        type=Path,
        metavar="FILE.toml",
        help="vCPUs and prices of machines (default: prices.toml beside the -c file)",
    )
    add(
        "--speed",
        type=float,
        default=1.0,
        metavar="X",
        help="one slot of the cluster is X times as fast as a core here (default: %(default)s)",
    )
    add("--config", type=Path, metavar="BUILD.toml", help="what to compute; flags override it")
    add_pages_and_parts(add)
    add("--save", type=Path, metavar="PLAN.json", help="keep the prediction in this file")
    add("--load", type=Path, metavar="PLAN.json", help="take a saved prediction; read no sample")
    add("--compare", type=Path, metavar="WORK", help="compare the prediction with a finished build")
    add("--json", action="store_true", help="print an object (docs/formats.md)")
    add("-q", "--quiet", action="store_true", help="no progress")
    add_configuration(parser)


def _run(options: argparse.Namespace) -> int:
    from pagekin.planning.plan import compare_with_build, load_plan
    from pagekin.planning.plan_text import comparison_lines, plan_lines

    _check(options)
    work = _workspace(options.compare) if options.compare else None
    plan = load_plan(options.load) if options.load else _make_plan(options)
    if options.save:
        from pagekin.storage.workspace import write_json

        write_json(options.save, plan)
    if work is None:
        print_result(plan, plan_lines(plan), as_json=options.json)
        return 0
    rows = compare_with_build(plan, work)
    print_result(rows, comparison_lines(rows), as_json=options.json)
    return 0


def _workspace(path: Path) -> Any:
    from pagekin.storage.workspace import Workspace

    return Workspace.open(path)


def _check(options: argparse.Namespace) -> None:
    if bool(options.load) == bool(options.snapshot):
        raise UsageError("name a SNAPSHOT to be sampled, or with --load a plan that was saved")
    if options.load and options.save:
        raise UsageError("--save: what --load reads is a file already")


def _make_plan(options: argparse.Namespace) -> dict[str, Any]:
    from pagekin.planning.plan import Question, make_plan
    from pagekin.planning.prices import place_of
    from pagekin.planning.snapshot_sample import parse_sample_size
    from pagekin.web.sources import list_snapshot

    def report(sentence: str) -> None:
        if not options.quiet:
            tell(sentence)

    size = parse_sample_size(options.sample)
    place = place_of(options.conf, options.prices, options.speed)
    config = config_from_flags(options, options.config)
    snapshot = list_snapshot(options.snapshot, options.base_url)
    parts = parts_without(options.without)
    question = Question(snapshot, config, parts, size, options.seed, place)
    return make_plan(question, report)
