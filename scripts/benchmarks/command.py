"""The command `scripts/bench`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.catalogue import NAMES, find_benchmark
from benchmarks.documents import write_documents, write_plots
from benchmarks.harness import ROOT, say
from benchmarks.results import markdown
from benchmarks.storing import RESULTS, circumstances, load, stored, write
from pagekin.errors import NotFoundError, PagekinError

__all__ = ["main"]

_DESCRIPTION = """\
Measure pagekin on the same work in the same run as its peers and as the physical floor: tables
with ratios, accuracy beside speed, and by how much a target is missed. Each result is stored as
JSON with the machine, the versions and the commit; plots lie beside.

NAME --help tells how it is measured and what may be changed. `all` takes about ten minutes on two
quiet cores, and is what make bench runs; with --full every benchmark has its defaults. `house`,
which compares with another commit, runs where it is named. Peers that are not installed are left
out: make bench installs them, and so does pip install '.[bench]'.
"""

_EXAMPLES = """\
examples:
  scripts/bench --list
  scripts/bench all --full
  scripts/bench map --warc crawl/*.warc.gz
  scripts/bench queries --documents 1000000 --label million
  scripts/bench house --against HEAD~1
  scripts/bench --write-docs map queries-million
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser(_named(words)).parse_args(words)
    try:
        if options.list:
            _list()
        elif options.write_docs is not None:
            _document(options)
        elif options.name == "all":
            _run_all(options)
        elif options.name:
            _run_one(options.name, options)
        else:
            _parser("").print_help()
    except PagekinError as error:
        sys.stderr.write(f"bench: {error}\n")
        return error.exit_code
    return 0


def _named(words: Sequence[str]) -> str:
    """The benchmark that the words name: only its module is imported."""
    return next((word for word in words if word in NAMES), "")


def _parser(named: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bench",
        usage="scripts/bench [--list | --write-docs NAME ... | NAME [options] | all]",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--list", action="store_true", help="the names, and what they measure")
    parser.add_argument(
        "--write-docs",
        nargs="*",
        metavar="NAME",
        help="put stored results into docs/measurements/*.md; NAME-LABEL for a labelled one,"
        " without a name all",
    )
    _add_common(parser.add_argument, hidden=True)
    commands = parser.add_subparsers(dest="name", metavar="NAME", title="benchmarks")
    for name in NAMES:
        _add_benchmark(commands, name, known=name == named)
    every = commands.add_parser("all", help="all of them, some at smaller sizes")
    every.add_argument("--full", action="store_true", help="with their defaults: twice as long")
    _add_common(every.add_argument)
    return parser


def _add_benchmark(commands: Any, name: str, *, known: bool) -> None:
    if not known:
        commands.add_parser(name)
        return
    benchmark = find_benchmark(name)
    parser = commands.add_parser(
        name,
        usage=f"scripts/bench {name} [options]",
        description=f"{benchmark.does}\n\n{benchmark.about}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    benchmark.add_options(parser.add_argument)
    _add_common(parser.add_argument)


def _add_common(add: Any, *, hidden: bool = False) -> None:
    def told(text: str) -> str:
        return argparse.SUPPRESS if hidden else text

    here = {"metavar": "DIR", "type": Path}
    add(
        "--data",
        **here,
        default=ROOT / ".bench",
        help=told("made-up webs and builds, kept for the next time (default: .bench)"),
    )
    add(
        "--results",
        **here,
        default=RESULTS,
        help=told("where results are stored (default: docs/measurements/results)"),
    )
    add("--label", default="", metavar="WORD", help=told("stored as NAME-WORD"))
    add("--json", action="store_true", help=told("print what is stored"))


def _list() -> None:
    for name in NAMES:
        print(f"{name:12} {find_benchmark(name).does}")


# --- running ---


def _run_all(options: argparse.Namespace) -> None:
    """Each in turn; one that fails does not keep the others from running."""
    failed = []
    for name in NAMES:
        if find_benchmark(name).alone:
            continue
        words = [name, *(() if options.full else find_benchmark(name).quick)]
        words += ["--data", str(options.data), "--results", str(options.results)]
        words += ["--label", options.label] if options.label else []
        words += ["--json"] if options.json else []
        try:
            _run_one(name, _parser(name).parse_args(words))
        except PagekinError as error:
            say(f"bench: {name}: {error}")
            failed.append(name)
    if failed:
        raise PagekinError(f"failed: {', '.join(failed)}")


def _run_one(name: str, options: argparse.Namespace) -> None:
    around, began = circumstances(os.getloadavg()), time.monotonic()
    say(f"== {name}")
    options.data.mkdir(parents=True, exist_ok=True)
    result = find_benchmark(name).run(options)
    around["seconds"] = round(time.monotonic() - began, 1)
    title = f"{name}-{options.label}" if options.label else name
    said = stored(name, options, around, result)
    path = write(options.results, title, said)
    write_plots(_plots(options.results), said)
    told = json.dumps(said, indent=1) if options.json else "\n".join(markdown(result))
    print(told, flush=True)
    say(f"== {name}: {around['seconds']:.0f} s; {path.name}")


def _plots(results: Path) -> Path:
    """Plots lie beside the folder of results."""
    return results.parent / "plots"


def _document(options: argparse.Namespace) -> None:
    """Stored results into the documents, without measuring."""
    results: Path = options.results
    every = not options.write_docs
    for title in options.write_docs or sorted(path.stem for path in results.glob("*.json")):
        said = load(results, title)
        write_plots(_plots(results), said)
        try:
            for path in write_documents(results.parent, title, said, _plots(results).name):
                print(f"{title}: {path.name}")
        except NotFoundError as error:
            if not every:
                raise
            say(str(error))
