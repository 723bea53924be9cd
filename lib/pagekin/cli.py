"""The program `pagekin`. Its commands are in `pagekin.commands`.

Answers go to stdout; progress and errors go to stderr. The exit codes are those of
`pagekin.errors`; 130 means that a signal or the keyboard stopped the program.
"""

from __future__ import annotations

import argparse
import difflib
import io
import multiprocessing
import os
import re
import signal
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

import pagekin
from pagekin.commands.ask_people import add_pool
from pagekin.commands.build import add_build
from pagekin.commands.evaluate import add_compare, add_evaluate
from pagekin.commands.list_urls import add_urls
from pagekin.commands.make_package import add_package
from pagekin.commands.manage_index import add_info, add_merge_index, add_verify
from pagekin.commands.plan_build import add_plan
from pagekin.commands.plan_signatures import add_plan_signatures
from pagekin.commands.show_authority import add_authority
from pagekin.commands.show_bag import add_bag
from pagekin.commands.show_mirrors import add_mirrors
from pagekin.commands.show_neighbours import add_neighbours
from pagekin.commands.show_page import add_blocks, add_page
from pagekin.commands.show_related import add_related
from pagekin.commands.show_stages import add_records, add_stages
from pagekin.commands.show_topics import add_topics
from pagekin.commands.sweep_strategies import add_sweep
from pagekin.errors import PagekinError, UsageError
from pagekin.printing import tell, tell_traceback

__all__ = ["main"]

_STOPPED = 130
_AGAIN = 0.1  # seconds

# Words that a help may use, told in it before the options.
_TERMS = {
    "bag": "the words of a page, and those of others around their links to it, with weights",
    "signature": "a number drawn from a bag: two bags have an equal one as often as they are alike",
    "shard": "a part of an index",
    "shingle": "so many words of a page in a row",
    "gamma": "how well an order of pages agrees with a directory's: 1 fully, 0 by chance",
    "co-citation": "being linked to side by side, in one block of links, by many sites",
    "block": "links that a page shows as one list, menu or paragraph",
    "the paper": "of bags, signatures and gamma: Haveliwala and others, Evaluating Strategies for\n"
    "Similarity Search on the Web, 2002; of blocks and co-citation: Shen and others, Finding\n"
    "Related Web Pages in Parallel by Using Grouped Link Structures",
}
_COMMANDS = (
    *(add_build, add_related, add_urls, add_bag, add_neighbours, add_topics, add_page, add_blocks),
    *(add_mirrors, add_authority),
    *(add_info, add_verify, add_merge_index),
    *(add_stages, add_records),
    *(add_plan, add_plan_signatures),
    *(add_evaluate, add_compare, add_sweep, add_pool),
    add_package,
)


class _Parser(argparse.ArgumentParser):
    """An argparse parser whose error is one sentence, raised as UsageError.

    An unknown flag or command is refused before anything else is checked, and the nearest known one
    is named. Flags cannot be shortened: what a short form means would change with every new flag.
    """

    commands: Collection[str] = ()  # names of its subcommands

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **options})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        words = sys.argv[1:] if args is None else list(args)
        self._check(words)
        found, unknown = super().parse_known_args(words, namespace)
        if unknown:  # refused here, because the parser above would point to its own --help
            self.error(f"unrecognized argument {unknown[0]}")
        return found, unknown

    def format_help(self) -> str:
        """With what the words mean that it uses."""
        text = super().format_help()
        used = [term for term in _TERMS if re.search(rf"(?i)\b{term}(?:s|\b)", text)]
        lines = [f"  {t:12} {_TERMS[t]}".replace("\n", f"\n{'':15}") for t in used]
        starts = re.compile("^(positional arguments|options)", re.M)
        before, heading, rest = starts.split(text, maxsplit=1)
        terms = "\n".join(["words:", *lines, "", ""]) if used and not self.commands else ""
        return f"{before}{terms}{heading}{rest}"

    def _check(self, words: Iterable[str]) -> None:
        for word in words:
            flag = word.partition("=")[0]
            if self.commands and not word.startswith("-"):
                if word not in self.commands:
                    self.error(f"there is no command {word!r}{_nearest(word, self.commands)}")
                return  # the rest is for the command's parser
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
    """Run a command line; returns the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # for terminals without all letters
    sys.excepthook = tell_traceback
    # OpenBLAS starts threads that spin: a third of the CPU of a short command, and of each task
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        options = _parser().parse_args(argv)
        with _stoppable():
            code: int = options.run(options)
            if sys.stdout:  # None where it was closed before this process began
                sys.stdout.flush()  # here, where the error of a closed pipe is still caught
    except PagekinError as error:
        tell(f"pagekin: {error.args[0]}", *(f"  {line}" for line in error.args[1:]))
        return error.exit_code
    except KeyboardInterrupt:
        tell("pagekin: stopped; the same command goes on from here")
        return _STOPPED
    except BrokenPipeError:  # the reader, such as `| head`, ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a full disk, a folder without permission to write
        reason = error.strerror or error
        tell(f"pagekin: {error.filename or 'the system'}: {reason}")
        return PagekinError.exit_code
    return code


@contextmanager
def _stoppable() -> Iterator[None]:
    """Within, signals stop the command. Ignored signals (nohup, `&` in scripts) stay ignored.

    Python drops what is raised while it clears an object away: the signal is sent again then.
    """
    # SIGHUP too: when a terminal is closed a cluster has to be ended
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {n: h for n in numbers if (h := signal.getsignal(n)) not in {signal.SIG_IGN, None}}
    received: list[int] = []

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        if multiprocessing.parent_process():  # a task of the local runner: it ends silently
            raise SystemExit(_STOPPED)
        received.append(number)
        raise KeyboardInterrupt

    def unraisable(dropped: sys.UnraisableHookArgs) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt) and received:
            threading.Timer(_AGAIN, os.kill, (os.getpid(), received[-1])).start()
        else:
            hook(dropped)

    for number in before:
        signal.signal(number, stop)
    hook, sys.unraisablehook = sys.unraisablehook, unraisable
    try:
        yield
    except Exception as error:
        if received:  # a `finally` failed on the way out, and its error hides the interrupt
            raise KeyboardInterrupt from error
        raise
    finally:
        sys.unraisablehook = hook
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
    for add_command in _COMMANDS:
        add_command(commands)
    parser.commands = commands.choices
    return parser
