"""The base of every job: tasks that behave alike on every mrjob runner.

A job reads and writes lines of bytes, `key TAB value`, and overrides `map_task` and, if it has one,
`reduce_task`: generators over the whole stream of a task, because per-record calls of mrjob cost
more than most records' work. Here is what the runners disagree about, evened out:

- records are sorted by value within a key (SORT_VALUES), as bytes;
- the package travels with the job to other machines: only dependencies need be on a node;
- a stray `print` goes to stderr and not among the records; stderr is text also on the inline
  runner, where mrjob makes it binary and a library's warning would end the task (Yelp/mrjob#2153);
- counters are records: the last line of every part file, key `!task`, holds the task's counters,
  its number of records and their digest. It survives where mrjob cannot fetch counters, and what a
  killed task had counted is gone with its output.

mrjob is imported in `pagekin.engine` and in jobs only.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import io
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

import pagekin
from pagekin import memory
from pagekin.config import BuildConfig
from pagekin.engine.lean_mrjob import MRJob, MRStep, import_runners
from pagekin.engine.statistics import TaskStatistics
from pagekin.errors import UsageError
from pagekin.kinds import Pair
from pagekin.names import READING, TASK_KEY
from pagekin.options import add_flags, config_from_flags
from pagekin.progress import TaskProgress

__all__ = ["BytesProtocol", "PagekinJob", "load"]


_PLACE = 500  # bytes of an address or key that a message shows
_NOTE_EVERY = 256  # records: looking at the clock is dearer than reading one


class BytesProtocol:
    """`key TAB value`, both bytes without tab or line end; nothing is decoded.

    Hadoop takes key and value together as its key, because it sorts by both, and then writes the
    tab before its own value, which is empty: reducers there read lines that end with a tab.
    """

    def read(self, line: bytes) -> Pair:
        key, _, value = line.partition(b"\t")
        return key, value.removesuffix(b"\t")

    def write(self, key: bytes, value: bytes) -> bytes:
        return key + b"\t" + value


class _Formatter(argparse.HelpFormatter):
    """Asks once how wide the terminal is, and not for each of 200 options."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_width())


@cache
def _width() -> int:
    return shutil.get_terminal_size().columns - 2


def load(name: str) -> None:
    """Load a module below pagekin, and call a function of it where one is named (`module:name`)."""
    module, _, function = name.partition(":")
    loaded = importlib.import_module(f"pagekin.{module}")
    if function:
        getattr(loaded, function)()


def _attribute(flag: str) -> str:
    """Where the parser puts it."""
    return flag.removeprefix("--").replace("-", "_")


# what mrjob remembers of a job's declared options: the same for all jobs of a class
_DECLARED = ("arg_parser", "_passthru_arg_dests", "_file_arg_dests")
_declared: dict[type[MRJob], dict[str, Any]] = {}


class PagekinJob(MRJob):  # type: ignore[misc]
    """Base of all jobs; see the module's docstring. All have these protocols: tasks read and write
    lines by themselves, as BytesProtocol does, which Spark calls.
    """

    INPUT_PROTOCOL = BytesProtocol
    INTERNAL_PROTOCOL = BytesProtocol
    OUTPUT_PROTOCOL = BytesProtocol
    SORT_VALUES = True

    SECTIONS: ClassVar[tuple[str, ...]] = ()  # the parts of BuildConfig that become options
    REDUCES: ClassVar[bool] = True
    READS_FILES: ClassVar[bool] = False  # its input is manifests of the snapshot
    LINES_ARE_WORK: ClassVar[bool] = False  # a line of its input is worth a task
    PASSES_OVER: ClassVar[bytes] = b""  # so begin keys of which its mappers make nothing
    # what a byte costs its reducers of records whose keys so begin, beside those of others
    WORTH: ClassVar[tuple[tuple[bytes, float], ...]] = ()
    HELD: ClassVar[int] = 4 << 20  # bytes that a mapper may hold to sort, where tasks are forked
    ASIDE: ClassVar[bytes] = b""  # so begin keys of records on which no later result depends
    # what tasks load when they begin, to be shared where they are forked: modules below pagekin,
    # and functions of them that make what else each task makes for itself (see `load`)
    MAPS_WITH: ClassVar[tuple[str, ...]] = ()
    REDUCES_WITH: ClassVar[tuple[str, ...]] = ()
    OPTIONS_WITH: ClassVar[tuple[tuple[str, tuple[str, ...]], ...]] = ()  # and mappers with options

    lines: Iterable[bytes] | None = None  # what a task reads in place of its standard input
    write_lines: Callable[[Iterable[bytes], BinaryIO], object] | None = None  # or as they come

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The work of one map task."""
        raise NotImplementedError

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The work of one reduce task; pairs of one key stand together, ordered by value."""
        raise NotImplementedError

    def make_ready(self) -> None:
        """Load what tasks of this kind need, here where they are to be forked."""
        for name in self.loads():
            load(name)

    def loads(self) -> tuple[str, ...]:
        """What such a task loads when it begins."""
        options = vars(self.options)
        if not options["run_mapper"]:
            return self.REDUCES_WITH
        return self.MAPS_WITH + self._loads_for(lambda flag: options[_attribute(flag)])

    @classmethod
    def all_loads(cls, flags: Collection[str]) -> tuple[str, ...]:
        """What tasks of both kinds load, where the job has these flags."""
        return cls.MAPS_WITH + cls._loads_for(lambda flag: flag in flags) + cls.REDUCES_WITH

    @classmethod
    def _loads_for(cls, has: Callable[[str], bool]) -> tuple[str, ...]:
        return tuple(name for flag, names in cls.OPTIONS_WITH if has(flag) for name in names)

    # --- options ---

    def __init__(self, args: list[str] | None = None) -> None:
        kind = type(self)
        if args is not None and kind in _declared:  # 200 options take 1 ms, and reading them .3
            self.configure_args = partial(self.__dict__.update, _declared[kind])  # type: ignore[method-assign]
        super().__init__(args)
        if args is not None:  # else its parser ends the program where it finds something wrong
            _declared.setdefault(kind, {name: vars(self)[name] for name in _DECLARED})

    def configure_args(self) -> None:
        self.arg_parser.formatter_class = _Formatter
        super().configure_args()
        add_flags(self.add_passthru_arg, self.SECTIONS)
        self.add_passthru_arg(
            "--progress-dir",
            default="",
            help="a local folder where tasks note how far they are (set by pagekin build)",
        )

    def load_args(self, args: list[str]) -> None:
        super().load_args(args)
        self._kwargs: dict[str, Any] = {}  # of its runner
        try:
            self.config: BuildConfig = config_from_flags(self.options)
        except UsageError as error:
            self.arg_parser.error(str(error))
        self._begin()

    def _begin(self) -> None:
        """Nothing is done yet: a job may be executed more than once."""
        self._statistics = TaskStatistics()
        self._at = b""  # the key of the record that is being worked on
        self.counters_ = self._statistics.counters  # mrjob has a method of the plain name

    def _print_help(self, options: Any) -> None:
        # mrjob shows the options in a parser of its own making, which has no description
        if not options.runner:
            sys.stdout.write(f"{inspect.getdoc(sys.modules[type(self).__module__])}\n\n")
        super()._print_help(options)

    def _runner_class(self) -> Any:
        # imported here: no task needs them
        import_runners()
        if self.options.runner == "hadoop":
            from pagekin.engine.hadoop.runner import HadoopRunner  # noqa: PLC0415

            return HadoopRunner
        if self.options.runner == "local":
            from pagekin.engine.local.runner import LocalRunner  # noqa: PLC0415

            return LocalRunner
        if self.options.runner in {None, "inline"}:
            from pagekin.engine.local.inline import InlineRunner  # noqa: PLC0415

            return InlineRunner
        return super()._runner_class()

    def _runner_kwargs(self) -> dict[str, Any]:
        if not self._kwargs:  # make_runner asks twice, and mrjob reads all words each time
            kwargs = super()._runner_kwargs()
            mine = {"mrjob_cls": type(self)} if self.options.runner == "local" else {}
            self._kwargs = {**mine, **kwargs}
        return dict(self._kwargs)

    def make_runner(self) -> Any:
        self._kwargs = {}
        return super().make_runner()

    def dirs(self) -> list[str]:
        if self.options.runner in {None, "inline", "local"}:
            return list(super().dirs())  # tasks have this interpreter, and so this package
        package = Path(pagekin.__file__).parent
        return [f"{package}#pagekin", *super().dirs()]

    def sort_values(self) -> bool:
        # a job of mappers only would write a tab behind each of its lines on Hadoop
        return bool(super().sort_values()) and self.REDUCES

    # --- tasks ---

    def steps(self) -> list[MRStep]:
        # the two methods only tell mrjob that there is a mapper and a reducer
        if self.REDUCES:
            return [MRStep(mapper=self._unused, reducer=self._unused)]
        # said in the step, because a number of reducers in mrjob's configuration overrides mrjob's
        # own 0, and Hadoop would sort the records and put a tab behind each
        return [MRStep(mapper=self._unused, jobconf={"mapreduce.job.reduces": "0"})]

    def _unused(self, *_: Any) -> None:
        raise NotImplementedError("run_mapper, run_reducer and their pairs are overridden")

    def run_mapper(self, step_num: int = 0) -> None:
        self._write(self.map_pairs(self._read(), step_num))

    def run_reducer(self, step_num: int = 0) -> None:
        self._write(self.reduce_pairs(self._read(), step_num))

    def _read(self) -> Iterator[Pair]:
        """The pairs of the input, as the protocol reads them, in one function."""
        for line in self.lines or self._read_input():
            key, _, value = line.rstrip(b"\r\n").partition(b"\t")
            yield key, value.removesuffix(b"\t")

    def _write(self, pairs: Iterable[Pair]) -> None:
        lines = (b"%b\t%b\n" % pair for pair in pairs)
        if self.write_lines:
            self.write_lines(lines, self.stdout)
        else:
            self.stdout.writelines(lines)

    def map_pairs(self, pairs: Iterable[Pair], step_num: int = 0) -> Iterator[Pair]:
        memory.settle()
        # statistics among the input of a mapper are those of an earlier stage
        mine = self._without_statistics(pairs, lambda said: None)
        mine = self._named(mine) if self.READS_FILES else mine
        task = self._account(self.map_task(mine), is_output=not self.REDUCES)
        return self._explained("mapper", task)

    def reduce_pairs(self, pairs: Iterable[Pair], step_num: int = 0) -> Iterator[Pair]:
        memory.settle()

        def add_mapper(said: bytes) -> None:
            self._statistics.merge(said, output=False)

        mine = self._without_statistics(pairs, add_mapper)
        task = self._account(self.reduce_task(mine), is_output=True)
        return self._explained("reducer", task)

    def _without_statistics(
        self, pairs: Iterable[Pair], take: Callable[[bytes], None]
    ) -> Iterator[Pair]:
        """All pairs but those of statistics, which go to `take`; notes the progress."""
        seen = 0
        with TaskProgress(self.options.progress_dir) as self.progress:
            for pair in pairs:
                if pair[0] == TASK_KEY:
                    take(pair[1])
                    continue
                self._at = pair[0]
                yield pair
                seen += 1
                if not seen % _NOTE_EVERY:
                    self.progress.add(records=_NOTE_EVERY)
            self.progress.add(records=seen % _NOTE_EVERY)

    def _named(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The lines of a manifest; should the task be killed, nothing else tells where it was."""
        for pair in pairs:
            print(f"{READING}{self._place()}", file=sys.stderr, flush=True)  # noqa: T201
            yield pair

    def _explained(self, kind: str, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The pairs; to an error it is added where in the input it arose."""
        try:
            yield from pairs
        except Exception as error:
            where = f"at {self._place()}" if self._at else "before its first record"
            error.add_note(f"in a {kind} of {type(self).__name__}, {where}")
            raise

    def _place(self) -> str:
        return self._at[:_PLACE].decode("utf-8", "backslashreplace")

    def _account(self, pairs: Iterable[Pair], *, is_output: bool) -> Iterator[Pair]:
        """The pairs, and behind them the statistics of the task."""
        if is_output:
            add, start = self._statistics.add, self.ASIDE
            for key, value in pairs:
                add(key, value, aside=start != b"" and key.startswith(start))
                yield key, value
        else:
            yield from pairs
        yield TASK_KEY, self._statistics.finish()

    # --- standard streams ---

    _stdout: Any  # mrjob's, if they are not the process's own
    _stderr: Any

    def execute(self) -> None:
        options = self.options
        if not (options.run_mapper or options.run_combiner or options.run_reducer):
            super().execute()
            return
        self._begin()
        before = self._stdout, self._stderr
        # pin mrjob's own streams first: it looks sys.stdout up at every write
        self._stdout, self._stderr = self.stdout, self.stderr
        if not isinstance(sys.stderr, io.TextIOBase):
            sys.stderr = io.TextIOWrapper(
                _PassOn(cast(BinaryIO, sys.stderr)), "utf-8", "backslashreplace", write_through=True
            )
        sys.stdout = sys.stderr
        try:
            super().execute()
        finally:
            self._stdout, self._stderr = before


class _PassOn(io.RawIOBase):
    """Hands bytes on to mrjob's stderr, and does not close it."""

    def __init__(self, target: BinaryIO) -> None:
        self._target = target

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._target.write(bytes(data))
        return len(data)
