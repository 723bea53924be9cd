"""The one command: `pagekin`. Each subcommand lives in a module of `pagekin.commands`.

Answers go to stdout; progress and errors go to stderr. The exit codes are those of
`pagekin.errors`; 130 means stopped from the keyboard or by a signal.
"""

from __future__ import annotations

import argparse
import atexit
import difflib
import io
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

import pagekin
from pagekin.commands import (
    bag,
    blocks,
    build,
    compare,
    evaluate,
    info,
    merge_index,
    package,
    page,
    plan,
    plan_signatures,
    pool,
    related,
    sweep,
    verify,
)
from pagekin.errors import PagekinError, UsageError
from pagekin.memory import collect_seldom

__all__ = ["main", "program"]

_STOPPED = 130
_COMMANDS = (
    *(build, related, bag, page, blocks, info, verify, merge_index),
    *(plan, plan_signatures),
    *(evaluate, compare, sweep, pool),
    package,
)


class _Parser(argparse.ArgumentParser):
    """argparse whose complaint is one sentence, like every other of ours.

    A flag or command that it does not know is refused before anything else is found wrong, with the
    nearest that it knows. Shortened flags are not known: they would change with every new one.
    """

    commands: Collection[str] = ()  # of the parser that has them

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **options})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        words = sys.argv[1:] if args is None else list(args)
        self._check(words)
        found, unknown = super().parse_known_args(words, namespace)
        if unknown:  # said here: the parser above would name itself as the place of help
            self.error(f"unrecognized argument {unknown[0]}")
        return found, unknown

    def _check(self, words: Iterable[str]) -> None:
        for word in words:
            flag = word.partition("=")[0]
            if self.commands and not word.startswith("-"):
                if word not in self.commands:
                    self.error(f"there is no command {word!r}{_nearest(word, self.commands)}")
                return  # what follows is the command's own
            if word == "--":
                return
            if flag.startswith("--") and flag not in self._option_string_actions:
                self.error(f"unrecognized argument {flag}{_nearest(flag, self._flags())}")

    def _flags(self) -> list[str]:
        return [flag for flag in self._option_string_actions if flag.startswith("--")]

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


def _nearest(word: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1)
    if near:
        return f" (did you mean {near[0]}?)"
    return "" if word.startswith("-") else f" (there are {', '.join(known)})"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # words of any script on any terminal
    # its threads spin when numpy is loaded: a third of the CPU of a short command, and of each task
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    collect_seldom()
    try:
        options = _parser().parse_args(argv)
        with _stoppable():
            code: int = options.run(options)
            if sys.stdout:  # else it was closed before this process began
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
        reason = error.strerror or error
        print(f"pagekin: {error.filename or 'the system'}: {reason}", file=sys.stderr)
        return PagekinError.exit_code
    return code


def program() -> NoReturn:
    """The command as a process. When all is done and said it ends at once: to take apart what was
    loaded is a tenth of a short command, and the system does it all the same.
    """
    code = main()
    if sys.getprofile() or sys.gettrace():  # somebody looks on, and will tell at the end
        raise SystemExit(code)
    try:
        threading._shutdown()  # type: ignore[attr-defined]  # waits for all that still write
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):  # there is none, or nobody reads
                stream.flush()
    finally:
        os._exit(code)


@contextmanager
def _stoppable() -> Iterator[None]:
    """Signals end what runs; those that are ignored (nohup, `&` in scripts) stay ignored."""
    # a hangup too: whoever closes the terminal means it, and a cluster has to be ended
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {n: h for n in numbers if (h := signal.getsignal(n)) not in {signal.SIG_IGN, None}}
    heard: list[int] = []

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        if multiprocessing.parent_process():  # a worker of mrjob's local runner: it goes silently
            raise SystemExit(_STOPPED)
        heard.append(number)
        raise KeyboardInterrupt

    for number in before:
        signal.signal(number, stop)
    try:
        yield
    except Exception as error:
        if heard:  # where it came a `finally` failed, and only that error was left
            raise KeyboardInterrupt from error
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="pagekin",
        description="Finds the kin of a web page: an index of related pages from crawl snapshots.",
        epilog="pagekin COMMAND --help explains a command. The guide is in docs/guide/.",
    )
    parser.add_argument("--version", action="version", version=f"pagekin {pagekin.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    for command in _COMMANDS:
        command.add_parser(commands)
    parser.commands = commands.choices
    return parser


if __name__ == "__main__":
    program()
