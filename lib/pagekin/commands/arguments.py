"""What several commands declare and check alike: their arguments, and files of URLs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagekin.config import add_flags, sections, words_of
from pagekin.engine import RUNNERS
from pagekin.errors import InputError, UsageError
from pagekin.printing import print_lines, tell
from pagekin.stages.declaration import PARTS
from pagekin.web.streams import scheme_of

if TYPE_CHECKING:
    from pagekin.build.judging_material import Labels
    from pagekin.config import BuildConfig

__all__ = [
    "DEFAULT_WORK",
    "add_command",
    "add_configuration",
    "add_index",
    "add_job",
    "add_judged_pages",
    "add_pages_and_parts",
    "check_at_least",
    "check_job",
    "check_judged_pages",
    "check_labels",
    "engine_for_job",
    "location",
    "print_result",
    "read_urls",
]

DEFAULT_WORK = Path("pagekin-work")  # in the current folder


def add_command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    description: str,
    *,
    examples: str = "",
    usage: str | None = None,
) -> argparse.ArgumentParser:
    """Declare a command that `run` carries out; its arguments are for the caller to add."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        usage=usage,
        help=summary,
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def location(word: str) -> Path | str:
    """A path of this machine, or an hdfs:// or s3:// address as it was written.

    >>> location("s3://bucket/work/")
    's3://bucket/work'
    """
    return word.rstrip("/") if scheme_of(word) else Path(word)


def add_index(parser: argparse.ArgumentParser) -> None:
    """Declare --index: an existing index, wherever it is."""
    parser.add_argument(
        "--index",
        default=DEFAULT_WORK,
        type=location,
        metavar="DIR",
        help="the index: a folder, or an hdfs:// or s3:// address, which is copied here once; or"
        " the workspace of the build that made it (default: %(default)s)",
    )


def add_pages_and_parts(add: Any) -> None:
    """Declare the options of `build` and `plan` that say what is read and made."""
    add("--base-url", default="", metavar="URL", help="put before the relative paths of a list")
    add(
        "--exclude-host",
        dest="reading_exclude_host",
        type=words_of,
        metavar="HOST,...",
        help="the same as --reading-exclude-host",
    )
    parts = f"{', '.join(PARTS[:-1])} and {PARTS[-1]}"
    add(
        "--without",
        action="append",
        default=[],
        choices=PARTS,
        metavar="PART",
        help=f"leave out one of {parts}; may be given again",
    )


def add_configuration(
    parser: argparse.ArgumentParser,
    names: Iterable[str] = (),
    title: str = "configuration",
    about: str = "what is computed; in BUILD.toml --window-words is `words` in [window]",
    *,
    on_request: bool = False,
) -> None:
    """Declare the keys of these sections (all without names) as flags, last in the help, or in the
    help that --help-all shows.
    """
    group = parser.add_argument_group(title, about)
    add_flags(group.add_argument, names or sections())
    if on_request:
        parser.add_argument(
            "--help-all",
            action=_HelpAll,
            shown=[(action, action.help) for action in group._group_actions],
            help=f"show the options of the {title} too, which are those of pagekin build",
        )
        for action in group._group_actions:
            action.help = argparse.SUPPRESS
        group.title = group.description = None


class _HelpAll(argparse.Action):
    """--help with the options that it leaves out."""

    def __init__(
        self, *args: Any, shown: Sequence[tuple[argparse.Action, Any]], **how: Any
    ) -> None:
        super().__init__(*args, **{**how, "nargs": 0, "default": argparse.SUPPRESS})
        self._shown = shown

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        for action, text in self._shown:
            action.help = text
        parser.print_help()
        parser.exit()


def add_job(parser: argparse.ArgumentParser, title: str, about: str) -> None:
    """Declare -r and -c of a command that can do its work as a job."""
    add = parser.add_argument_group(title).add_argument
    add("-r", "--runner", choices=RUNNERS, help=about)
    add("-c", "--conf", type=Path, metavar="MRJOB_CONF", help="an mrjob.conf for the runner")


def check_job(options: argparse.Namespace) -> None:
    """UsageError where the job that -r and -c ask for cannot run."""
    if options.conf and not options.runner:
        raise UsageError("-c goes with -r")
    if options.conf and not options.conf.is_file():
        raise UsageError(f"-c {options.conf}: there is no such file")
    if options.runner:
        from pagekin.engine.requirements import missing_engine

        if missing := missing_engine(options.runner, options.conf):
            raise UsageError(missing)


def engine_for_job(options: argparse.Namespace) -> Any:
    """The engine that -r and -c name."""
    # imported here: commands that start no job need no mrjob, which takes 0.05 s
    from pagekin.engine.package import chosen_package
    from pagekin.engine.run import Engine

    package = chosen_package(None, options.runner)
    return Engine(options.runner, options.conf, package=package)


def add_judged_pages(add: Any) -> None:
    """Declare the options of `evaluate gamma` and `sweep` that say which pages are judged."""
    add(
        "--directory",
        required=True,
        type=Path,
        action="append",
        metavar="FILE",
        help="a file of the directory, or a folder of such files; may be given again",
    )
    add(
        "--format",
        choices=("auto", "pages", "curlie", "rdf"),
        default="auto",
        help="the format of all files (default: told by the beginning of each file)",
    )
    add(
        "--depth",
        type=int,
        default=3,
        metavar="N",
        help="classes below this depth join their ancestor there (default: %(default)s)",
    )
    add(
        "--shallow",
        choices=("keep", "drop"),
        default="keep",
        help="pages above the depth: a class of their own (default), or left out as in the paper",
    )
    add("--linked", action="store_true", help="only pages that some page links to, as in the paper")
    add(
        "--exclude-host",
        type=words_of,
        default=(),
        metavar="HOST,...",
        help="hosts of the directory and its mirrors: their pages must not be in the bags",
    )
    add("--sample", type=int, metavar="N", help="judge N source pages, drawn at random")
    add("--seed", type=int, default=1, metavar="N", help="of all drawings (default: %(default)s)")
    add(
        "--resamples",
        type=int,
        default=1000,
        metavar="N",
        help="drawings from which the intervals are made (default: %(default)s)",
    )


def check_judged_pages(options: argparse.Namespace) -> None:
    """UsageError for a number that makes no sense."""
    check_at_least(options, depth=1, resamples=1, sample=1, seed=0)


def check_labels(options: argparse.Namespace, labels: Labels, config: BuildConfig) -> None:
    """Say what is wrong in a directory that was read; UsageError where bags of this configuration
    hold words of hosts that must not be in them: it is too late now.
    """
    without = config.reading.exclude_host
    if missing := [host for host in options.exclude_host if host not in without]:
        raise UsageError(
            f"--exclude-host: the bags were made with the pages of {', '.join(missing)} in them;"
            f" build again with --exclude-host {','.join([*without, *missing])}"
        )
    too_long = ("lines_too_long", "elements_too_long")
    for name in ("damaged", *too_long, "no_web_address", "files_broken_off"):
        if count := labels.counters.get("directory", name):
            tell(f"pagekin: directory: {name.replace('_', ' ')}: {count:,}")


def check_at_least(options: argparse.Namespace, **bounds: int) -> None:
    """UsageError for the first of these options that is below its bound; None is no number."""
    for name, least in bounds.items():
        value = getattr(options, name)
        if value is not None and value < least:
            flag = f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} takes a number from {least}")


def read_urls(path: Path) -> list[str]:
    """The lines of a file of URLs; "-" is standard input."""
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--urls {path}: cannot be read: {error}") from error
    return [line.strip() for line in text.splitlines() if line.strip()]


def print_result(result: Any, lines: Iterable[str], *, as_json: bool, **how: Any) -> None:
    """Print a result as JSON (`how` is for json.dumps), or as lines for people."""
    if as_json:
        lines = json.dumps(result, **{"indent": 2, **how}).split("\n")
    print_lines(lines)
