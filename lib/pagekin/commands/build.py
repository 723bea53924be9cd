"""`pagekin build`: the chain of stages over a snapshot."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from pagekin.config import BuildConfig, sections
from pagekin.errors import UsageError
from pagekin.options import add_flags, config_from_flags
from pagekin.pipeline.names import PARTS, RUNNERS

__all__ = ["add_parser"]

_DESCRIPTION = """\
Turn a crawl snapshot into bags of words, and with --index into an index that answers questions
(pagekin related), stage by stage, in the workspace DIR. A build that was
stopped or killed goes on where it was when the same command is given again; a stage whose part of
the configuration changed is built again.

SNAPSHOT is a WARC file (.warc, .warc.gz, .warc.zst), a folder or glob of them, an hdfs://, s3:// or
https:// address, or a list of paths as Common Crawl publishes it (warc.paths.gz, with --base-url).
"""

_EXAMPLES = """\
examples:
  pagekin build --work work --index crawl.index crawl/        all cores of this machine
  pagekin build -r inline --work work page.warc.gz            one process, for debugging
  pagekin build --work work --base-url https://data.commoncrawl.org/ warc.paths.gz
  pagekin build --work work --config BUILD.toml --window-kind topical crawl/
"""


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "build",
        usage="%(prog)s --work DIR [options] SNAPSHOT [SNAPSHOT ...]",
        help="turn a crawl snapshot into bags and an index",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("snapshot", nargs="+", metavar="SNAPSHOT", help="what to read, see above")
    add("--work", required=True, type=Path, metavar="DIR", help="the workspace, made if not there")
    add(
        "-r",
        "--runner",
        default="local",
        choices=RUNNERS,
        help="the mrjob runner: this process, this machine, or a cluster (default: %(default)s)",
    )
    add("-c", "--conf", type=Path, metavar="MRJOB_CONF", help="an mrjob.conf for the runner")
    add("--config", type=Path, metavar="BUILD.toml", help="what to compute; flags override it")
    add("--until", default="", metavar="STAGE", help="stop behind this stage (--dry-run names all)")
    add("--index", type=Path, metavar="DIR", help="make an index in this folder, to be asked")
    add("--shards", dest="index_shards", type=int, metavar="N", help="the same as --index-shards")
    add("--without", choices=PARTS, metavar="PART", help=f"leave out one of {' and '.join(PARTS)}")
    add("--only", choices=PARTS, metavar="PART", help="make nothing but this part")
    add("--base-url", default="", metavar="URL", help="put before the relative paths of a list")
    add(
        "--tasks",
        type=int,
        default=0,
        metavar="N",
        help="tasks at once (default: one for each core)",
    )
    add(
        "--max-failed-files",
        type=int,
        default=0,
        metavar="N",
        help="go on when up to N files cannot be read (default: %(default)s)",
    )
    add("--dry-run", action="store_true", help="say what would be done, and do nothing")
    add("--json", action="store_true", help="print the summary (or the plan) as JSON")
    add("-q", "--quiet", action="store_true", help="no progress and no summary, only errors")
    add("-v", "--verbose", action="store_true", help="show mrjob's own messages too")
    group = parser.add_argument_group(
        "configuration", "what is computed; in BUILD.toml --window-words is `words` in [window]"
    )
    add_flags(group.add_argument, sections())


def run(options: argparse.Namespace) -> int:
    """Run or plan a build."""
    # the imports are here because they are slow and the other commands do not need them
    from pagekin.pipeline.build import Build
    from pagekin.pipeline.engines import missing_engine
    from pagekin.pipeline.runner import Engine
    from pagekin.pipeline.workspace import Workspace
    from pagekin.web.sources import list_snapshot

    _check(options)
    parts = _parts(options)
    config = config_from_flags(options, options.config)
    missing = missing_engine(options.runner, options.conf)
    if missing and not options.dry_run:
        raise UsageError(missing)
    snapshot = list_snapshot(options.snapshot, options.base_url)
    engine = Engine(options.runner, options.conf, options.tasks, options.verbose)
    work = options.work
    workspace = Workspace(work) if options.dry_run else Workspace.create(work)
    build = Build(
        workspace,
        config,
        engine,
        snapshot,
        options.until,
        options.max_failed_files,
        quiet=options.quiet,
        index=options.index,
        parts=parts,
    )
    if options.dry_run:
        return _print_plan(build, missing, as_json=options.json)
    return _print_summary(build.run(), options)


def _parts(options: argparse.Namespace) -> tuple[str, ...]:
    """What is to be made."""
    from pagekin.pipeline.stages import STAGES

    if options.only and options.without:
        raise UsageError("--only and --without: name one of them")
    parts = tuple(p for p in PARTS if p != options.without and options.only in {None, p})
    last = next((stage.part for stage in STAGES if stage.name == options.until), "")
    if last and last not in parts:
        flag = f"--only {options.only}" if options.only else f"--without {options.without}"
        raise UsageError(f"--until {options.until} is of {last}, which {flag} leaves out")
    return parts


def _check(options: argparse.Namespace) -> None:
    from pagekin.pipeline.stages import STAGES

    names = [stage.name for stage in STAGES]
    if options.until and options.until not in names:
        raise UsageError(f"--until {options.until}: no such stage; there are {', '.join(names)}")
    if options.index:
        from pagekin.index.assembling import check_target

        check_target(options.index)
        if options.work.resolve().is_relative_to(options.index.resolve()):
            raise UsageError(f"--index {options.index}: holds the workspace; name another folder")
        if options.until:
            raise UsageError(f"--until {options.until} stops before the index; leave out --index")
    if options.tasks < 0 or options.max_failed_files < 0:
        raise UsageError("--tasks and --max-failed-files take numbers from 0")
    if options.conf and not options.conf.is_file():
        raise UsageError(f"-c {options.conf}: there is no such file")


def _print_plan(build: Any, missing: str, *, as_json: bool) -> int:
    from pagekin.config import to_dict
    from pagekin.pipeline.build import plan, total_size

    decisions = plan(build)
    if as_json:
        stages = [{"name": d.stage.name, "build": d.build, "reason": d.reason} for d in decisions]
        notes = [missing] if missing else []
        described = {"config": to_dict(build.config), "stages": stages, "notes": notes}
        print(json.dumps(described, indent=2))
        return 0
    files, size = len(build.snapshot), total_size(build.snapshot)
    print(f"{files} files, {size:,} bytes, on -r {build.engine.runner} into {build.workspace.path}")
    for d in decisions:
        print(f"{'build' if d.build else 'keep ':5} {d.stage.name:20} {d.stage.does}")
        print(f"{'':26} {d.reason}")
    print("differs from the defaults: " + (_unusual(build.config) or "nothing"))
    if missing:
        print(f"note: {missing}")
    return 0


def _unusual(config: BuildConfig) -> str:
    from pagekin.options import to_flags

    return " ".join(to_flags(config, sections()))


def _print_summary(summary: dict[str, Any], options: argparse.Namespace) -> int:
    from pagekin.pipeline.progress import duration
    from pagekin.pipeline.report import summary_lines

    if options.json:
        print(json.dumps(summary, indent=2))
    elif not options.quiet:
        print("\n".join(summary_lines(summary)))
        where = options.work / "summary.json"
        print(f"done in {duration(summary['seconds'])}; the same as JSON: {where}", file=sys.stderr)
    return 0
