"""A mutation fuzzer for everything between a snapshot file and the fragments of a page.

It spoils the pages of the demo snapshot (see `tests.mutations`): as HTML, as HTTP, as records, as
members of a compressed file. Between them stand right records. All go into WARC files, compressed
and plain by turns, and a process of its own reads each file as a mapper does. Checked is that

- nothing raises, and every record has its reason (the reader checks the sum);
- no page takes longer than 10 s, and no process more than 500 MB;
- every right record of a compressed file is read, and gives the very fragments that it always
  gives. In a plain file a wrong length may reach over it exactly to the end of another, which
  nothing can tell from a long record: 1 in 200 may be lost.

`scripts/fuzz` is the door, to `tests.guided` too. Seed and number make a record, whatever stands
before it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.limits import MAX_RECORD
from pagekin.stages.fragments.extractor import FragmentExtractor
from pagekin.stages.inventory.survey import Surveyor
from pagekin.text.tokens import with_sentences
from pagekin.web.page import Page, SnapshotReader, is_html, open_response, read_file, status_reason
from pagekin.web.warc import Record
from tests.mutations import KINDS, Case, mutate
from tests.warcs import gz, response, warcinfo

__all__ = ["main", "write_files"]

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "demo" / "snapshot"
CONFIG = BuildConfig()

SECONDS = 10.0  # CPU time that a page may take
MEGABYTES = 500  # memory that a process may take
_FILE = 500  # spoilt records in a file, at the most
_LOST = 1 / 200  # of the right records of plain files
_PATIENCE = 1800  # seconds until a process is taken for hanging

_SPOILT = "http://spoilt.example/"
_RIGHT = "http://right.example/"
_RIGHT_BODY = (
    b"<html lang=en><title>Bees</title><h1>Hives</h1><p>Bees make <a href='http://honey.example/'>"
    b"honey</a> in wooden hives.<br>They fly far.</html>"
)


@dataclass
class Tally:
    """What became of the records of one kind."""

    records: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0  # of the slowest


@dataclass
class Result:
    """What a run found."""

    tallies: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    right: Counter[bool] = field(default_factory=Counter)  # by whether the file was compressed
    lost: Counter[bool] = field(default_factory=Counter)
    fragments: set[str] = field(default_factory=set)  # digests, of all right records
    slowest: tuple[float, str] = (0.0, "none")
    largest: tuple[float, str] = (0.0, "none")
    failures: list[str] = field(default_factory=list)


# --- writing --------------------------------------------------------------------------------------


def run(records: int, seed: int, scale: float) -> Result:
    """Write, read and judge so many spoilt records, file by file."""
    result = Result()
    with tempfile.TemporaryDirectory(prefix="pagekin-fuzz-") as folder:
        for path, kinds in write_files(Path(folder), records, seed, scale):
            _judge(path, kinds, result)
            path.unlink()
    if result.lost[False] > _LOST * result.right[False]:
        result.failures.append(f"{result.lost[False]} right records of plain files lost")
    return result


def write_files(
    folder: Path, records: int, seed: int, scale: float
) -> Iterator[tuple[Path, dict[int, str]]]:
    """Files of spoilt and right records by turns, and the kind of each spoilt one by its number."""
    blocks = _demo_blocks()
    size = min(_FILE, (records + 1) // 2)  # at least one file of either form
    for start in range(0, records, size):
        packed = start // size % 2 == 0
        path = folder / f"{start}.warc{'.gz' if packed else ''}"
        with path.open("wb") as out:
            out.write(gz(warcinfo()) if packed else warcinfo())
            kinds = {
                number: _write(out, number, random.Random(f"{seed} {number}"), blocks, scale)
                for number in range(start, min(start + size, records))
            }
        yield path, kinds


def _demo_blocks() -> list[bytes]:
    """The HTTP blocks of the demo's pages, as they were sent."""
    blocks = []
    for path in sorted(DEMO.glob("*.warc.gz")):
        for record in read_file(str(path), Counters(), MAX_RECORD):
            opened = open_response(record)
            if not isinstance(opened, str) and is_html(opened[1]) and not status_reason(opened[1]):
                blocks.append(record.block)
    return blocks


def _kind(number: int, chance: random.Random) -> str:
    """Each kind once, then by their weights."""
    if number < len(KINDS):
        return list(KINDS)[number]
    (kind,) = chance.choices(list(KINDS), [kind.weight for kind in KINDS.values()])
    return kind


def _write(
    out: BinaryIO, number: int, chance: random.Random, blocks: list[bytes], scale: float
) -> str:
    """A spoilt record, and behind it a right one; gives the kind."""
    packed = out.name.endswith(".gz")
    kind = _kind(number, chance)
    case = Case(kind, f"{_SPOILT}{number}", chance.choice(blocks), packed, scale)
    out.write(mutate(case, chance))
    right = response(f"{_RIGHT}{number}", _RIGHT_BODY)
    out.write(gz(right) if packed else right)
    return kind


# --- reading, in a process of its own -------------------------------------------------------------


class _Watched(SnapshotReader):
    """A reader that notes what becomes of each record, and how long it took."""

    def __init__(self, counters: Counters) -> None:
        super().__init__(CONFIG.reading, counters)
        self.seen: list[tuple[str, str, float]] = []

    def _read(self, uri: str, record: Record) -> Page | str:
        sys.stderr.write(f"{record.url}\n")  # where we are, should we end here
        start = time.process_time()
        page = super()._read(uri, record)
        reason = page if isinstance(page, str) else "used"
        self.seen.append((record.url, reason, time.process_time() - start))
        return page

    def add_time(self, seconds: float) -> None:
        url, reason, before = self.seen[-1]
        self.seen[-1] = (url, reason, before + seconds)


def tell(path: str) -> dict[str, Any]:
    """What is in a file."""
    counters = Counters()
    reader, extractor = _Watched(counters), FragmentExtractor(CONFIG, counters)
    fragments: dict[str, str] = {}
    peaks: list[tuple[float, str]] = []
    for page in reader.pages(path):
        start = time.process_time()
        # all right pages are the same but for their address
        same = replace(page, url=_RIGHT) if page.url.startswith(_RIGHT) else page
        digest = hashlib.sha256()
        for key, value in extractor.cut(same, extractor.read(same, with_sentences(same.flat.text))):
            digest.update(b"%b %b\n" % (key, value))
        extractor.forget_words()
        reader.add_time(time.process_time() - start)
        peaks.append((_peak(), reader.seen[-1][0]))
        fragments[page.url] = digest.hexdigest()
    list(Surveyor(CONFIG, Counters()).survey(path, lambda pages, size: None))
    return {
        "seen": reader.seen,
        "fragments": fragments,
        "peaks": peaks,
        "packed": path.endswith(".gz"),
    }


def _peak() -> float:
    """The most memory that this process took; getrusage may tell that of its parent."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


# --- judging --------------------------------------------------------------------------------------


def _judge(path: Path, kinds: dict[int, str], result: Result) -> None:
    """Read a file, and add what became of its records."""
    command = [sys.executable, "-m", "tests.fuzz", "--read", str(path)]
    log = path.with_name("log")
    with log.open("wb") as stderr:
        try:
            done = subprocess.run(
                command,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=ROOT,
                timeout=_PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            done = None
    if done is None or done.returncode:
        lines = log.read_text(errors="replace").splitlines()
        last = next((line for line in reversed(lines) if line.startswith(_SPOILT)), "its start")
        how = f"ended with {done.returncode}: {lines[-1]}" if done else "never ended"
        result.failures.append(f"a reader {how}; at {last} or behind it")
    else:
        _add(json.loads(done.stdout.splitlines()[-1]), kinds, result)


def _add(told: dict[str, Any], kinds: dict[int, str], result: Result) -> None:
    seen = {url: (reason, seconds) for url, reason, seconds in told["seen"]}
    for number, kind in kinds.items():
        reason, seconds = seen.get(f"{_SPOILT}{number}", ("not given", 0.0))
        tally = result.tallies[kind]
        tally.records += 1
        tally.outcomes[reason] += 1
        tally.seconds = max(tally.seconds, seconds)
        result.slowest = max(result.slowest, (seconds, f"{number} ({kind})"))
        if seconds > SECONDS:
            result.failures.append(f"{number} ({kind}) took {seconds:.1f} s")
        _add_right(told["fragments"].get(f"{_RIGHT}{number}"), told["packed"], number, result)
    _add_peaks(told["peaks"], result)


def _add_right(fragments: str | None, packed: bool, number: int, result: Result) -> None:
    """The right record behind a spoilt one."""
    result.right[packed] += 1
    if fragments is None:
        result.lost[packed] += 1
        if packed:
            result.failures.append(f"the right record behind {number} was not read")
        return
    result.fragments.add(fragments)
    if len(result.fragments) > 1:
        result.failures.append(f"the right record behind {number} was read otherwise")


def _add_peaks(peaks: list[tuple[float, str]], result: Result) -> None:
    before = 0.0
    for megabytes, url in peaks:
        result.largest = max(result.largest, (megabytes, url))
        if megabytes > max(before, MEGABYTES):
            result.failures.append(f"{url} took {megabytes:.0f} MB")
        before = megabytes


def _table(result: Result) -> str:
    """What became of the records, a line for each kind."""
    lines = [f"{'kind':28} {'records':>7} {'used':>6} {'slowest':>8}  others"]
    for kind in KINDS:
        tally = result.tallies[kind]
        others = ", ".join(
            f"{n} {name}" for name, n in tally.outcomes.most_common() if name != "used"
        )
        used = tally.outcomes["used"]
        lines.append(f"{kind:28} {tally.records:7} {used:6} {tally.seconds:6.2f} s  {others}")
    return "\n".join(
        [
            *lines,
            f"right records lost: {result.lost[True]} of {result.right[True]} in compressed files,"
            f" {result.lost[False]} of {result.right[False]} in plain ones",
            f"slowest: {result.slowest[0]:.2f} s, {result.slowest[1]}",
            f"largest process: {result.largest[0]:.0f} MB after {result.largest[1]}",
            *(f"FAILED: {failure}" for failure in result.failures),
        ]
    )


def main() -> int:
    """Spoil, read, and say what became of it; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description="Spoilt snapshots, read as a mapper reads them.")
    parser.add_argument("--records", type=int, default=1000, help="spoilt records (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="another one gives others (default: 1)")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="size of the heavy pages (default: 1, the limits)"
    )
    parser.add_argument("--read", metavar="FILE", help=argparse.SUPPRESS)
    add = parser.add_argument_group("guided by coverage (tests/guided.py)").add_argument
    add(
        "--target", metavar="NAME", help="a target of tests/targets.py, or all, in place of records"
    )
    add("--seconds", type=int, default=60, metavar="N", help="for each target (default: 60)")
    add("--keep", action="store_true", help="keep what reaches new places in tests/corpus")
    options = parser.parse_args()
    if options.target:
        from tests.guided import run_targets  # noqa: PLC0415 - what it builds needs this module

        return run_targets(options.target, options.seconds, keep=options.keep)
    if options.read:
        sys.stdout.write(json.dumps(tell(options.read)) + "\n")
        return 0
    result = run(options.records, options.seed, options.scale)
    sys.stdout.write(_table(result) + "\n")
    return 1 if result.failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
