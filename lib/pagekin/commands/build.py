"""`pagekin build`: the chain of stages over a snapshot."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pagekin.commands.arguments import (
    DEFAULT_WORK,
    add_command,
    add_configuration,
    add_pages_and_parts,
    location,
    print_result,
)
from pagekin.commands.locations import (
    check_locations,
    default_index,
    index_in_store,
    store_at,
)
from pagekin.config import config_from_flags, sections
from pagekin.engine import ON_THIS_MACHINE, RUNNERS
from pagekin.errors import UsageError
from pagekin.printing import tell
from pagekin.stages.declaration import PARTS, parts_without
from pagekin.web.streams import scheme_of

__all__ = ["add_build"]

_DESCRIPTION = """\
Turn a crawl snapshot into bags of words and related pages, and into an index that answers questions
(pagekin related). The stages of the build work in a folder, the workspace, and the index is made in
it: pagekin-work, unless --work and --index name others. A build that was stopped or killed goes on
when the same command is given again. When the configuration changed, only what depends on the
change is built again.

SNAPSHOT is a WARC file (.warc, .warc.gz, .warc.zst), a folder or glob of them, an hdfs://, s3:// or
https:// address, or a list of paths as Common Crawl publishes it (warc.paths.gz, with --base-url).
"""

_EXAMPLES = """\
examples:
  pagekin build crawl/                                        all cores of this machine
  pagekin build --work jan --index jan.index crawl/           into folders of these names
  pagekin build -r inline page.warc.gz                        one process, for debugging
  pagekin build --base-url https://data.commoncrawl.org/ warc.paths.gz
  pagekin build -r emr -c emr/small.conf --dry-run s3://bucket/crawl/
  pagekin build --work topical --config BUILD.toml --window-kind topical crawl/
"""


def add_build(commands: Any) -> None:
    """Declare the command."""
    usage = "%(prog)s [options] SNAPSHOT [SNAPSHOT ...]"
    summary = "turn a crawl snapshot into bags and an index"
    parser = add_command(
        commands, "build", _run, summary, _DESCRIPTION, examples=_EXAMPLES, usage=usage
    )
    add = parser.add_argument
    add("snapshot", nargs="+", metavar="SNAPSHOT", help="what to read (see above)")
    add(
        "--work",
        default=DEFAULT_WORK,
        type=location,
        metavar="DIR",
        help="the workspace, which is made if it is not there: a folder, or with a cluster an"
        " hdfs:// or s3:// address, where the records then stay (default: %(default)s)",
    )
    add(
        "-r",
        "--runner",
        default="local",
        choices=RUNNERS,
        help="the mrjob runner: this process, this machine, or a cluster (default: %(default)s)",
    )
    add("-c", "--conf", type=Path, metavar="MRJOB_CONF", help="an mrjob.conf for the runner")
    add(
        "--package",
        metavar="FILE",
        help="an archive of pagekin package, for nodes without the dependencies; auto: make one, or"
        " use that of last time; none (default: auto for emr, else none)",
    )
    add("--config", type=Path, metavar="BUILD.toml", help="what to compute; flags override it")
    add(
        "--until",
        default="",
        metavar="STAGE",
        help="stop after this stage or output (--dry-run lists them)",
    )
    add(
        "--index",
        type=location,
        metavar="DIR",
        help="the index for pagekin related: a folder, or an hdfs:// or s3:// address (default:"
        " index in the workspace)",
    )
    add("--no-index", action="store_true", help="make no index")
    add("--shards", dest="index_shards", type=int, metavar="N", help="the same as --index-shards")
    add_pages_and_parts(add)
    add("--only", choices=PARTS, metavar="PART", help="make nothing but this part")
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
    add("--dry-run", action="store_true", help="show what would be done, and do nothing")
    add("--json", action="store_true", help="print the summary (or the plan) as JSON")
    add("-q", "--quiet", action="store_true", help="print no progress and no summary, only errors")
    add("-v", "--verbose", action="store_true", help="show mrjob's own messages too")
    add_configuration(parser)


def _run(options: argparse.Namespace) -> int:
    from pagekin.build.chain import Build
    from pagekin.engine.requirements import missing_engine, offer_hadoop
    from pagekin.engine.run import Engine

    options.asks_s3 = not (options.dry_run and options.runner == "emr" and _has_no_keys())
    if options.index is None and not (options.no_index or options.until):
        options.index = default_index(options.work)
    elif options.index and options.no_index:
        raise UsageError("--index and --no-index: name one of them")
    _check(options)
    parts = _parts(options)
    config = config_from_flags(options, options.config)
    missing = missing_engine(options.runner, options.conf)
    if missing and not options.dry_run:
        raise UsageError(missing)
    if options.runner == "hadoop" and not missing:
        offer_hadoop(options.conf)
    others: list[str] = []
    snapshot = _snapshot(options, others)
    if options.runner == "emr":
        _check_seen_by_nodes(snapshot)
    package = None if options.runner in ON_THIS_MACHINE else _package(options)
    engine = Engine(options.runner, options.conf, options.tasks, options.verbose, package)
    workspace, index = _workspace(options), options.index
    build = Build(
        workspace,
        config,
        engine,
        snapshot,
        options.until,
        options.max_failed_files,
        others=others,
        quiet=options.quiet,
        index=index_in_store(index, options) if isinstance(index, str) else index,
        parts=parts,
    )
    if options.dry_run:
        notes = [missing] if missing else []
        _print_plan(build, [*notes, *_unasked(options)], as_json=options.json)
        return 0
    _print_summary(build.run(), options)
    return 0


def _has_no_keys() -> bool:
    from pagekin.web.s3 import missing_credentials

    return bool(missing_credentials())


def _snapshot(options: argparse.Namespace, others: list[str]) -> list[Any]:
    """The files of the snapshot; what may not be asked for stands for its files. `others` gets the
    files of folders that are no WARC files.
    """
    from pagekin.web.sources import Source, list_snapshot

    unasked = [] if options.asks_s3 else _in_s3(options.snapshot)
    words = [word for word in options.snapshot if word not in unasked]
    listed = list_snapshot(words, options.base_url, others) if words else []
    return [*listed, *map(Source, unasked)]


def _in_s3(places: Iterable[Any]) -> list[str]:
    return [place for place in places if isinstance(place, str) and scheme_of(place) == "s3"]


def _unasked(options: argparse.Namespace) -> Iterator[str]:
    """What a dry run without credentials could not find out, a sentence each."""
    if options.asks_s3:
        return
    if snapshot := _in_s3(options.snapshot):
        yield f"S3 was not asked what is at {', '.join(snapshot)}: each stands for one file"
    if places := _in_s3([options.work, options.index]):
        yield f"S3 was not asked what is at {', '.join(places)}: nothing counts as built"


def _package(options: argparse.Namespace) -> Path | None:
    from pagekin.engine.package import chosen_package

    return chosen_package(options.package, options.runner, make=not options.dry_run)


def _workspace(options: argparse.Namespace) -> Any:
    from pagekin.storage.workspace import Workspace

    if isinstance(options.work, Path):
        return Workspace(options.work) if options.dry_run else Workspace.create(options.work)
    from pagekin.storage.remote_workspace import RemoteWorkspace

    store = store_at(options.work, options)
    return RemoteWorkspace(store) if options.dry_run else RemoteWorkspace.create(store)


def _check_seen_by_nodes(snapshot: Any) -> None:
    here = next((source.uri for source in snapshot if not scheme_of(source.uri)), "")
    if here:
        raise UsageError(
            f"{here} is on this machine, which nodes of EMR do not see; copy it to s3://"
        )


def _parts(options: argparse.Namespace) -> tuple[str, ...]:
    """What is to be made."""
    from pagekin.stages.chain import outputs_named

    if options.only and options.without:
        raise UsageError("--only and --without: name one of them")
    parts = (options.only,) if options.only else parts_without(options.without)
    ends = outputs_named(options.until) if options.until else ()
    if ends and not any(output.part in {"", *parts} for output in ends):
        part = ends[0].part
        named = [p for p in options.without if part not in parts_without([p])]
        flag = f"--only {options.only}" if options.only else f"--without {named[-1]}"
        raise UsageError(f"--until {options.until} is of {part}, which {flag} leaves out")
    return parts


def _check(options: argparse.Namespace) -> None:
    from pagekin.stages.chain import outputs_named

    if options.until:
        try:
            outputs_named(options.until)
        except UsageError as error:
            raise UsageError(f"--until: {error}") from error
    check_locations(options)
    if options.index and options.until:
        raise UsageError(f"--until {options.until} stops before the index; leave out --index")
    if options.tasks < 0 or options.max_failed_files < 0:
        raise UsageError("--tasks and --max-failed-files take numbers from 0")
    if options.package and options.runner in ON_THIS_MACHINE:
        raise UsageError(f"--package: tasks of -r {options.runner} have what is installed here")
    if options.conf and not options.conf.is_file():
        raise UsageError(f"-c {options.conf}: there is no such file")


def _print_plan(build: Any, notes: list[str], *, as_json: bool) -> None:
    from pagekin.build.chain import plan
    from pagekin.config import to_dict

    decisions = plan(build)
    on_emr = _plan_on_emr(build, decisions)
    stages = [{"name": d.output.name, "build": d.build, "reason": d.reason} for d in decisions]
    sizes = [source.size for source in build.snapshot]
    snapshot = {
        "files": len(sizes),
        "bytes": sum(size for size in sizes if size >= 0),
        "files_of_unknown_size": sum(size < 0 for size in sizes),
    }
    described = {"snapshot": snapshot, "config": to_dict(build.config), "stages": stages}
    described["notes"] = notes
    described |= {"emr": on_emr} if on_emr is not None else {}
    print_result(described, _plan_lines(build, decisions, on_emr, notes), as_json=as_json)


def _plan_lines(
    build: Any, decisions: Any, on_emr: dict[str, Any] | None, notes: list[str]
) -> Iterator[str]:
    from pagekin.config import to_flags

    yield f"{_sizes(build)}, on -r {build.engine.runner} into {build.workspace.name}"
    for d in decisions:
        yield f"{'build' if d.build else 'keep ':5} {d.output.name:20} {d.output.does}"
        yield f"{'':26} {d.reason}"
    unusual = " ".join(to_flags(build.config, sections()))
    yield f"differs from the defaults: {unusual or 'nothing'}"
    if on_emr is not None:
        from pagekin.build.emr_dry_run import plan_lines

        yield from plan_lines(on_emr)
    yield from (f"note: {note}" for note in notes)


def _sizes(build: Any) -> str:
    """How much there is to read, as far as that is known."""
    from pagekin.build.manifests import total_size
    from pagekin.progress import counted

    unknown = sum(source.size < 0 for source in build.snapshot)
    files = counted(len(build.snapshot), "file")
    if unknown == len(build.snapshot):
        return f"{files} of unknown size"
    beside = f" and {unknown:,} of unknown size among them" if unknown else ""
    return f"{files}, {total_size(build.snapshot):,} bytes{beside}"


def _plan_on_emr(build: Any, decisions: Any) -> dict[str, Any] | None:
    """Cluster and steps; None where there is no EMR, or too little is known of it."""
    if build.engine.runner != "emr":
        return None
    from pagekin.engine.emr.runner import options_of, unset_options

    if unset_options(options_of(build.engine.conf)):
        return None  # the notes say so; mrjob would ask AWS for some of them
    from pagekin.build.emr_dry_run import emr_plan

    return emr_plan(build, decisions)


def _print_summary(summary: dict[str, Any], options: argparse.Namespace) -> None:
    from pagekin.build.report import short_lines, summary_lines
    from pagekin.progress import duration

    if options.json:
        print_result(summary, (), as_json=True)
    elif not options.quiet:
        lines = summary_lines(summary) if options.verbose else short_lines(summary)
        print_result(summary, [*lines, *_what_next(options)], as_json=False)
    for sentence in summary["warnings"]:
        tell(f"warning: {sentence}")
    if not (options.json or options.quiet):
        where = f"{options.work}/summary.json"
        took = duration(summary["seconds"])
        tell(f"done in {took}; every counter is in {where}, -v shows them")


def _what_next(options: argparse.Namespace) -> Iterator[str]:
    """What to ask the index now, by the example of the page that most links lead to."""
    if options.index is None:
        left = "--no-index" if options.no_index else "--until"
        yield f"next      without {left} an index is made, which answers questions"
        return
    url = shlex.quote(_most_linked(options.index)) if isinstance(options.index, Path) else "URL"
    is_default = options.index == default_index(DEFAULT_WORK)
    index = "" if is_default else f" --index {shlex.quote(str(options.index))}"
    by = " --by cocitation" if options.only == "cocitation" else ""
    yield f"next      pagekin related{index}{by} {url}"
    yield f"          pagekin related{index}{by} --why {url}"
    yield f"          pagekin info{index}"


def _most_linked(path: Path) -> str:
    """Of the pages that were read the one that most links lead to: it has something to show. Where
    no such page has a bag, the first page with kin.
    """
    from pagekin.index.folder import IndexFolder
    from pagekin.query.cocited import KinTables

    folder = IndexFolder(path)
    found = []
    for shard in folder.shards:
        read = shard.crawled(slice(None)).nonzero()[0]
        if len(read):
            inlinks = shard.urls["anchors"][read]
            at = int(inlinks.argmax())
            found.append((int(inlinks[at]), shard.spelt(int(read[at]))))
    if found:
        return max(found)[1]
    tables = KinTables(folder)
    firsts = (min(urls, key=str.encode) for shard in folder.shards if (urls := tables.urls(shard)))
    return next(firsts, "URL")
