"""The base of all jobs: what tasks say is no record, and what they count is one."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import xxhash

import pagekin
from pagekin.counters import TaskStatistics
from pagekin.engine.job import BytesProtocol, PagekinJob
from pagekin.kinds import RAW_BAGS, STATISTICS, WORDS, Pair
from pagekin.stages.declaration import Output, Stage
from tests.jobs.noisy import Noisy
from tests.jobs.running import run_job, run_script, split_output
from tests.running import ROOT, python

LINES = [b"b", b"a", b"b", b"c"]


class Windowed(PagekinJob):
    """A job with options."""

    STAGE = Stage("windowed", "none:None", (Output("windowed", "nothing", (), ("window.words",)),))


@pytest.fixture(autouse=True)
def _nothing_left(recwarn: pytest.WarningsRecorder) -> Iterator[None]:
    """The noisy job warns and sets up logging, as libraries do."""
    before = list(logging.root.handlers)
    yield
    logging.root.handlers[:] = before


def test_noise_inline():
    """print, warnings, logging and writes become no records, and end no task of this process."""
    records, counters = run_job(Noisy, inputs=LINES)
    assert [b"a", b"b", b"c"] == [key for key, _ in records]
    assert {"lines": {"mapped": 4, "reduced": 4}} == counters


def test_noise_local(tmp_path):
    """Nor do they in tasks of their own; there the package is the one that runs here."""
    (tmp_path / "lines").write_bytes(b"".join(line + b"\n" for line in LINES))
    script = ROOT / "tests" / "jobs" / "noisy.py"
    said = python(script, "-r", "local", "--no-conf", tmp_path / "lines")
    records, counters = split_output(said.out.encode())
    here = pagekin.__file__.encode()
    assert [(b"a", here), (b"b", here), (b"c", here)] == records
    assert {"lines": {"mapped": 4, "reduced": 4}} == counters


@pytest.mark.parametrize(
    ("runner", "shipped"),
    [("inline", 0), ("local", 0), ("hadoop", 1), ("spark", 1), ("emr", 1)],
)
def test_package_travels(runner, shipped):
    """To other machines the package goes under its own name, whatever its folder is called."""
    package = f"{Path(pagekin.__file__).parent}#pagekin"
    assert shipped == Noisy(["-r", runner]).dirs().count(package)


def test_mistakes_in_options():
    """A job that is run as a script complains like argparse, without a traceback."""
    said = run_script("reading", "--window-kind", "square", "--bag-links", "-2")
    assert (2, "") == (said.code, said.out)
    assert said.err.splitlines()[-1] == (
        "reading.py: error: window.kind is 'square'; it takes one of basic, syntactic,"
        " topical; bag.links is -2.0; it must be at least 0 and at most 100.0"
    )
    assert "Traceback" not in said.err


def test_help():
    """Help says what a job reads and writes, in the lines of its docstring, before its options."""
    said = run_script("reading", "--help")
    assert (0, "") == (said.code, said.err)
    about, options = said.out.split("usage: reading.py [options] [input files]\n")
    assert about.startswith("Snapshot -> what is made of its pages")
    assert "    input    manifests: a WARC address a line" in about.splitlines()
    assert "  --window-words N " in options


def test_help_of_a_runner():
    """The options of a runner have nothing to do with the job."""
    said = run_script("reading", "-r", "local", "--help")
    assert (0, False, True) == (said.code, "raw bags" in said.out, "--num-cores" in said.out)


def test_options_become_the_configuration():
    """A job's options are the fields of its sections."""
    assert 7 == Windowed(["--window-words=7"]).config.window.words


def statistics_of(pairs: Iterable[Pair]) -> tuple[list[Pair], dict[str, Any]]:
    """The records of a task, and what its last line says."""
    *records, (key, said) = pairs
    assert STATISTICS == key
    return records, json.loads(said)


def test_statistics():
    """The last line of a task says how many records it wrote, of how many bytes, which ones."""
    records, said = statistics_of(Noisy(["--reducer"]).reduce_pairs([(b"a", b"1"), (b"b", b"2")]))
    lines = [b"%b\t%b" % pair for pair in records]
    digest = sum(map(xxhash.xxh3_128_intdigest, lines)) % (1 << 128)
    size = sum(len(line) + 1 for line in lines)
    expected = {"records": 2, "bytes": size, "digest": f"{digest:032x}"}
    assert ({"records": expected}, 1) == (said["written"], said["tasks"])
    assert {"lines": {"reduced": 2}} == said["counters"]


def test_digest_of_any_order():
    """The digest is that of a set of records: it does not depend on which task wrote which."""
    together = statistics_of(Noisy(["--reducer"]).reduce_pairs([(b"a", b"1"), (b"b", b"2")]))[1]
    apart = [
        statistics_of(Noisy(["--reducer"]).reduce_pairs([pair]))[1]["written"]["records"]["digest"]
        for pair in ((b"b", b"2"), (b"a", b"1"))
    ]
    added = sum(int(digest, 16) for digest in apart) % (1 << 128)
    assert f"{added:032x}" == together["written"]["records"]["digest"]


def test_statistics_of_kinds():
    """The records of each kind are counted apart."""
    statistics = TaskStatistics([WORDS, RAW_BAGS])
    records = [(b"!words/0", b"x"), (b"http://a.example/", b"y"), (b"http://b.example/", b"")]
    assert records == list(statistics.noted(records))
    counts = {name: count.records for name, count in statistics.written.items()}
    assert {"words": 1, "raw bags": 2} == counts
    assert 3 == statistics.total().records
    other = TaskStatistics()
    other.merge(statistics.to_json(), output=True)
    assert other.written == statistics.written


def test_reducers_add_what_mappers_said():
    """What mappers counted comes out once, and what they passed on is no output of the stage."""
    mapped = list(Noisy(["--mapper"]).map_pairs([(b"a", b""), (b"b", b"")]))
    records, said = statistics_of(Noisy(["--reducer"]).reduce_pairs(sorted(mapped)))
    assert {"lines": {"mapped": 2, "reduced": 2}} == said["counters"]
    assert (len(records), 2) == (said["written"]["records"]["records"], said["tasks"])


def test_records_are_counted_on_their_way():
    """What mappers read and send, and what reducers receive; statistics are no records."""
    old = STATISTICS, b'{"read": 9}'
    mapped = [
        list(Noisy(["--mapper"]).map_pairs([*pairs, old])) for pairs in ([(b"a", b"")] * 3, [])
    ]
    sent = [len(pairs) - 1 for pairs in mapped]
    assert [3, 0] == sent
    _, said = statistics_of(Noisy(["--reducer"]).reduce_pairs(sorted(mapped[0] + mapped[1])))
    assert (3, 3, 3) == (said["read"], said["sent"], said["received"])


def test_versions_of_tasks_elsewhere():
    """A task that is no fork of the build says which libraries it has."""
    _, said = statistics_of(Noisy(["--mapper"]).map_pairs([]))
    assert [version("lxml")] == said["versions"]["lxml"]
    _, said = statistics_of(Noisy(["-r", "inline"]).map_pairs([]))
    assert {} == said["versions"]


def test_mappers_forget_what_an_earlier_stage_counted():
    """The statistics of the stage before are among the input of a mapper; they are no records."""
    pairs = [(STATISTICS, b'{"counters": {"lines": {"mapped": 3}}}'), (b"a", b"")]
    records, said = statistics_of(Noisy(["--mapper"]).map_pairs(pairs))
    assert [b"a"] == [key for key, _ in records]
    assert {"lines": {"mapped": 1}} == said["counters"]


@pytest.mark.parametrize(
    ("line", "pair"),
    [
        (b"key\tvalue", (b"key", b"value")),
        (b"key\t", (b"key", b"")),
        (b"key\ta\tb", (b"key", b"a\tb")),
        (b"\xff\x00\t\xfe", (b"\xff\x00", b"\xfe")),
    ],
)
def test_protocol(line, pair):
    """A line is a key, a tab and a value, and nothing is decoded."""
    assert pair == BytesProtocol().read(line)
    assert line == BytesProtocol().write(*pair)


def test_line_of_hadoop():
    """Hadoop ends what a reducer reads with a tab of its own, which belongs to no value."""
    assert (b"key", b"value") == BytesProtocol().read(b"key\tvalue\t")
    assert (b"key", b"") == BytesProtocol().read(b"key\t\t")


def test_line_without_a_tab():
    """A manifest's line is a key without a value."""
    assert (b"/a b.warc", b"") == BytesProtocol().read(b"/a b.warc")
