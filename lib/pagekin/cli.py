"""The one command: `pagekin`. Each subcommand lives in a module of `pagekin.commands`.

Answers go to stdout; progress and errors go to stderr. The exit codes are those of
`pagekin.errors`; 130 means stopped from the keyboard or by a signal.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import pagekin
from pagekin.commands import bag, build, page
from pagekin.errors import PagekinError, UsageError

__all__ = ["main"]

_STOPPED = 130
_COMMANDS = (build, bag, page)


class _Parser(argparse.ArgumentParser):
    """argparse whose complaint is one sentence, like every other of ours."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # words of any script on any terminal
    try:
        options = _parser().parse_args(argv)
        with _stoppable():
            code: int = options.run(options)
            sys.stdout.flush()  # here, where a reader that is gone can still be met
    except PagekinError as error:
        print(f"pagekin: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("pagekin: stopped; the same command goes on from here", file=sys.stderr)
        return _STOPPED
    except BrokenPipeError:  # `| head` had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a full disk, a folder without leave to write
        print(f"pagekin: {error.filename or 'the system'}: {error.strerror}", file=sys.stderr)
        return PagekinError.exit_code
    return code


@contextmanager
def _stoppable() -> Iterator[None]:
    """Signals end what runs; those that are ignored (nohup, `&` in scripts) stay ignored."""
    both = (signal.SIGTERM, signal.SIGINT)
    before = {n: h for n in both if (h := signal.getsignal(n)) not in {signal.SIG_IGN, None}}
    for number in before:
        signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    if multiprocessing.parent_process():  # a worker of mrjob's local runner: it goes silently
        raise SystemExit(_STOPPED)
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="pagekin",
        description="Finds the kin of a web page: bags of words from crawl snapshots.",
        epilog="pagekin COMMAND --help explains a command. The guide is in docs/guide/.",
    )
    parser.add_argument("--version", action="version", version=f"pagekin {pagekin.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    for command in _COMMANDS:
        command.add_parser(commands)
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
