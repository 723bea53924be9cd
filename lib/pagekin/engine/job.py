"""The base of every job: tasks that behave alike on every mrjob runner.

A job reads and writes lines of bytes, `key TAB value`, and overrides `map_task` and, if it has one,
`reduce_task`: generators over the whole stream of a task, because per-record calls of mrjob cost
more than most records' work. The job of a stage names its declaration, from which its options, the
records that its mappers read, and the kinds that it counts follow. Here is what the runners
disagree about, evened out:

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

import ctypes
import gc
import inspect
import io
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

from mrjob.job import MRJob
from mrjob.step import MRStep

import pagekin
from pagekin.config import BuildConfig, add_flags, config_from_flags
from pagekin.counters import TaskStatistics, versions_here
from pagekin.engine import ON_THIS_MACHINE
from pagekin.errors import UsageError
from pagekin.kinds import MARK, STATISTICS, Kind, Pair
from pagekin.printing import tell
from pagekin.progress import TaskProgress
from pagekin.stages.declaration import Output, Rounds, Stage
from pagekin.web.streams import ByteRange, parse_range

__all__ = ["NOW_READING", "BytesProtocol", "PagekinJob", "settle_memory"]

# What a task says on stderr before it opens a file: a task that is killed has no other last words.
NOW_READING = "reading "

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of glibc's parameters (malloc.h)
_KEPT = 256 << 20  # bytes at the end of the heap
_BLOCK = 32 << 20  # bytes of one array; above, the system is asked as before
_OBJECTS = 20_000  # a few MB at the most

_PLACE = 500  # bytes of an address or key that a message shows
_NOTE_EVERY = 256  # records: looking at the clock is dearer than reading one


@cache
def settle_memory() -> None:
    """For a process that works in batches: keep freed memory, and look for cycles less often.

    glibc gives each block above 128 KB back to the system as soon as it is freed, and every array
    of numpy in a batch then costs a page fault for each of its pages: 0.3 of the CPU of merging
    bags. Tasks keep what they have freed; what they hold at most stays what it was. Other C
    libraries are left alone. Python looks for reference cycles whenever there are 700 objects more.
    Tasks make hardly any cycles and very many objects: looking after 20,000 saves 5 % of the CPU of
    a whole build of 1,208 real pages.
    """
    gc.set_threshold(_OBJECTS)
    with suppress(AttributeError, OSError):
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, _BLOCK)
        library.mallopt(_TRIM_THRESHOLD, _KEPT)


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


def _pairs(lines: Iterable[bytes]) -> Iterator[Pair]:
    """The same as the protocol reads, in one function: a call for each line takes longer."""
    for line in lines:
        key, _, value = line.rstrip(b"\r\n\t").partition(b"\t")
        yield key, value


class PagekinJob(MRJob):  # type: ignore[misc]
    """Base of all jobs; see the module's docstring. All have these protocols: tasks read and write
    lines by themselves, as BytesProtocol does, which Spark calls.
    """

    INPUT_PROTOCOL = BytesProtocol
    INTERNAL_PROTOCOL = BytesProtocol
    OUTPUT_PROTOCOL = BytesProtocol
    SORT_VALUES = True

    STAGE: ClassVar[Stage | None] = None  # the declaration; None: a job outside of the chain
    REDUCES: ClassVar[bool] = True
    LINES_ARE_WORK: ClassVar[bool] = False  # is a line of its input worth a task?

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.STAGE:
            cls.REDUCES = bool(cls.STAGE.shuffles)
            cls.LINES_ARE_WORK = not cls.STAGE.reads  # manifests of the snapshot

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The work of one map task."""
        raise NotImplementedError

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The work of one reduce task; pairs of one key stand together, ordered by value."""
        raise NotImplementedError

    def make_ready(self) -> None:
        """Make what tasks share where they are forked: large tables that each would load anew."""

    # --- options ---

    def configure_args(self) -> None:
        super().configure_args()
        if self.STAGE:
            self._add_stage_args(self.STAGE)
        self.add_passthru_arg(
            "--progress-dir",
            default="",
            help="a local folder where tasks note how far they are (set by pagekin build)",
        )

    def _add_stage_args(self, stage: Stage) -> None:
        add_flags(self.add_passthru_arg, stage.all_sections)
        for table in stage.uses:
            need = "needed" if table.required else "default: none"
            self.add_file_arg(f"--{table.option}", help=f"{table.about} ({need})")
        names = ",".join(output.name for output in stage.outputs)
        if len(stage.outputs) > 1:
            self.add_passthru_arg(
                "--outputs",
                default=names,
                metavar="NAME,...",
                help="what is to be made (default: %(default)s)",
            )
        if stage.rounds:
            self._add_round_args(stage.rounds)

    def _add_round_args(self, rounds: Rounds) -> None:
        add = self.add_passthru_arg
        help_ = "from 2 on it reads what the round before made (default: %(default)s)"
        add("--round", type=int, default=1, metavar="N", help=help_)
        help_ = "records that this round reads (default: %(default)s, nobody knows)"
        add("--records-read", type=int, default=0, metavar="N", help=help_)
        help_ = f"what the round before counted as {rounds.counts} (default: nothing)"
        add("--before", default="", metavar="NAME=N,...", help=help_)

    def load_args(self, args: list[str]) -> None:
        super().load_args(args)
        try:
            self.config: BuildConfig = config_from_flags(self.options)
            self.outputs = self._chosen_outputs()
            self._read_round()
        except UsageError as error:
            self.arg_parser.error(str(error))
        self._begin()

    def _chosen_outputs(self) -> tuple[Output, ...]:
        if self.STAGE is None:
            return ()
        known = {output.name: output for output in self.STAGE.outputs}
        names = getattr(self.options, "outputs", ",".join(known)).split(",")
        if unknown := [name for name in names if name not in known]:
            raise UsageError(f"--outputs: no {', '.join(unknown)}; there are {', '.join(known)}")
        return tuple(output for name, output in known.items() if name in names)

    def _read_round(self) -> None:
        """Of a stage with rounds: which one this is, and what is known from the one before."""
        options = vars(self.options)
        self.round: int = options.get("round", 1)
        self.records_read: int = options.get("records_read", 0)
        words = filter(None, options.get("before", "").split(","))
        try:
            self.before = {name: int(n) for name, _, n in (word.partition("=") for word in words)}
        except ValueError:
            given = options["before"]
            raise UsageError(f"--before takes NAME=N,... and not {given}") from None

    @property
    def reads(self) -> tuple[Kind, ...]:
        """The kinds of record that its mappers read; none: manifests of the snapshot."""
        if self.STAGE is None:
            return ()
        return self.STAGE.reads if self.round == 1 else self.STAGE.outputs[0].makes

    def tables(self) -> dict[str, Path]:
        """The files of the tables that the job was given, by their options."""
        options = [table.option for table in self.STAGE.uses] if self.STAGE else []
        given = {option: getattr(self.options, option) for option in options}
        return {option: Path(path) for option, path in given.items() if path}

    def _begin(self) -> None:
        """Nothing is done yet: a job may be executed more than once."""
        kinds = [kind for output in self.outputs for kind in output.makes]
        self._statistics = TaskStatistics(kinds)
        self._at = b""  # the key of the record that is being worked on
        self.counters_ = self._statistics.counters  # mrjob has a method of the plain name

    def _print_help(self, options: Any) -> None:
        # mrjob shows the options in a parser of its own making, which has no description
        if not options.runner:
            sys.stdout.write(f"{inspect.getdoc(sys.modules[type(self).__module__])}\n\n")
        super()._print_help(options)

    # --- runners ---

    def _runner_class(self) -> Any:
        # imported here: no task needs them
        if self.options.runner == "hadoop":
            from pagekin.engine.hadoop.runner import HadoopRunner  # noqa: PLC0415

            return HadoopRunner
        if self.options.runner == "spark":
            from pagekin.engine.spark.runner import SparkRunner  # noqa: PLC0415

            return SparkRunner
        if self.options.runner in {None, *ON_THIS_MACHINE}:
            from pagekin.engine.local.runner import InlineRunner, LocalRunner  # noqa: PLC0415

            return LocalRunner if self.options.runner == "local" else InlineRunner
        return super()._runner_class()

    def make_runner(self) -> Any:
        for table in self.STAGE.uses if self.STAGE else ():
            if table.required and table.option not in self.tables():
                self.arg_parser.error(f"--{table.option} is needed: {table.about}")
        runner = super().make_runner()
        if self.options.runner in {None, *ON_THIS_MACHINE}:
            runner.job = self
        return runner

    def dirs(self) -> list[str]:
        if self.options.runner in {None, *ON_THIS_MACHINE}:
            return list(super().dirs())  # tasks have this interpreter, and so this package
        package = Path(pagekin.__file__).parent
        return [f"{package}#pagekin", *super().dirs()]

    def sort_values(self) -> bool:
        # a job of mappers only would write a tab behind each of its lines on Hadoop
        return bool(super().sort_values()) and self.REDUCES

    def steps(self) -> list[MRStep]:
        # the two methods only tell mrjob that there is a mapper and a reducer
        if self.REDUCES:
            return [MRStep(mapper=self._unused, reducer=self._unused)]
        # said in the step, because a number of reducers in mrjob's configuration overrides mrjob's
        # own 0, and Hadoop would sort the records and put a tab behind each
        return [MRStep(mapper=self._unused, jobconf={"mapreduce.job.reduces": "0"})]

    def _unused(self, *_: Any) -> None:
        raise NotImplementedError("run_mapper, run_reducer and their pairs are overridden")

    # --- tasks ---

    def run_mapper(self, step_num: int = 0) -> None:
        self.run_task("mapper", self._read_input(), self.stdout)

    def run_reducer(self, step_num: int = 0) -> None:
        self.run_task("reducer", self._read_input(), self.stdout)

    def run_task(self, kind: str, lines: Iterable[bytes], out: BinaryIO) -> None:
        """One mapper or reducer: lines become pairs, and what it makes of them lines again."""
        pairs = _pairs(lines)
        made = self.map_pairs(pairs) if kind == "mapper" else self.reduce_pairs(pairs)
        out.writelines(b"%b\t%b\n" % pair for pair in made)

    def map_pairs(self, pairs: Iterable[Pair], step_num: int = 0) -> Iterator[Pair]:
        self._begin_task()
        # statistics among the input of a mapper are those of an earlier stage, or round
        mine = self._records(pairs, self.reads, lambda statistics: None, "read")
        task = self._account(self.map_task(mine), is_output=not self.REDUCES)
        return self._explained("mapper", task)

    def reduce_pairs(self, pairs: Iterable[Pair], step_num: int = 0) -> Iterator[Pair]:
        self._begin_task()

        def add_mapper(statistics: bytes) -> None:
            self._statistics.merge(statistics, output=False)

        mine = self._records(pairs, (), add_mapper, "received")
        task = self._account(self.reduce_task(mine), is_output=True)
        return self._explained("reducer", task)

    def _begin_task(self) -> None:
        settle_memory()
        self.progress = TaskProgress(self.options.progress_dir)
        if self.options.runner not in ON_THIS_MACHINE:  # there tasks are forks of the build
            self._statistics.versions = {name: [it] for name, it in versions_here().items()}

    def _records(
        self,
        pairs: Iterable[Pair],
        kinds: Collection[Kind],
        take: Callable[[bytes], None],
        counted: str,
    ) -> Iterator[Pair]:
        """The records of these kinds, without kinds all; statistics go to `take`. At the end their
        number is added to the field `counted` of the task's own.

        Notes the progress. One loop, because here every record of every stage passes.
        """
        marks = tuple(kind.prefix for kind in kinds if kind.prefix) if kinds else (MARK,)
        unmarked = not kinds or any(not kind.prefix for kind in kinds)
        seen = 0
        with self.progress:
            for pair in pairs:
                key = pair[0]
                if key.startswith(MARK):
                    if key == STATISTICS:
                        take(pair[1])
                        continue
                    if not key.startswith(marks):
                        continue
                elif not unmarked:
                    continue
                self._at = key
                yield pair
                seen += 1
                if not seen % _NOTE_EVERY:
                    self.progress.add(records=_NOTE_EVERY)
            self.progress.add(records=seen % _NOTE_EVERY)
        vars(self._statistics)[counted] += seen

    def files_to_read(self, pairs: Iterable[Pair]) -> Iterator[tuple[str, ByteRange]]:
        """The lines of a manifest: files, or parts of them. Each is named before it is read, and
        counted behind that, a file with its first part.

        Should the task be killed, nothing else tells where it was.
        """
        for address, bounds in pairs:
            part = parse_range(bounds)
            where = f" from byte {part.start}" if part.start else ""
            tell(f"{NOW_READING}{self._place()}{where}")
            yield address.decode(), part
            self.progress.add(files=int(not part.start))

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
            yield from self._statistics.noted(pairs)
        else:
            sent = 0
            for sent, pair in enumerate(pairs, 1):  # noqa: B007 - the last one counts
                yield pair
            self._statistics.sent += sent
        yield STATISTICS, self._statistics.finish()

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
