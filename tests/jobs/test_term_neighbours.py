"""Neighbours of terms: final bags become records of terms that stand in the same bags."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pagekin.bags.bag import BagColumns, write_dictionary
from pagekin.bags.weigh import Frequencies
from pagekin.enrich import neighbours
from pagekin.enrich.neighbours import ONE, Neighbours
from pagekin.jobs.term_neighbours import TermNeighbours
from pagekin.stages.declaration import Circumstances
from pagekin.stages.term_neighbours import NEIGHBOUR_TABLE, TERM_NEIGHBOURS
from pagekin.stages.term_neighbours.learning import parse_neighbours
from pagekin.tables import url_number
from tests.indexes import bag_record, make_bag
from tests.jobs.running import run_job, run_script, split_output

# 20 and 30 stand in the same five of 50 bags, the others alone
BAGS = [
    make_bag(f"http://{k}.example/", {20: 1.0, 30: 2.0} if k < 5 else {100 + k: 1.0})
    for k in range(50)
]
OTHER_LINES = [b"!words/000\tbees 3 bee", b'!task\t{"counters": {"bags": {"urls": 4}}}']
EXPECTED = [
    (b"00000014", b"5 moon moons HgAAAP//AAA="),
    (b"0000001e", b"5 lunar lunar FAAAAP//AAA="),
]


def lines() -> list[bytes]:
    return [OTHER_LINES[0], *(b"%b\t%b" % bag_record(bag) for bag in BAGS), OTHER_LINES[1]]


@pytest.fixture
def tables(tmp_path: Path) -> list[str]:
    """The options that name the document frequencies, of which the number of bags is asked, and
    the dictionary.
    """
    terms, df = np.array([20, 30], np.uint32), np.array([5, 5], np.uint32)
    Frequencies.write(tmp_path / "frequencies.arrays", terms, df, len(BAGS))
    write_dictionary(tmp_path / "dictionary.arrays", [(terms, b"moon moons|lunar lunar|")])
    names = ("frequencies", "dictionary")
    return [word for name in names for word in (f"--{name}", str(tmp_path / f"{name}.arrays"))]


def test_empty(tables):
    """No bags in, no neighbours out, and nothing counted."""
    assert ([], {}) == run_job(TermNeighbours, tables)


def test_records(tables):
    """Each term with its words and neighbours; other kinds of record are passed by."""
    records, counters = run_job(TermNeighbours, tables, lines())
    assert EXPECTED == records
    assert (5, b"moon moons", b"\x1e\0\0\0\xff\xff\0\0") == parse_neighbours(records[0][1])
    counted = {"sampled_bags": 50, "terms": 2, "terms_with_neighbours": 2, "neighbours": 2}
    assert {"neighbours": counted} == counters


def test_a_sample(tables, tmp_path):
    """Where there are more bags than are wanted, those of the lowest numbers are taken."""
    bags = [make_bag(f"http://{k}.example/", {20: 1.0}) for k in range(1_000)]
    Frequencies.write(tmp_path / "frequencies.arrays", *[np.empty(0, np.uint32)] * 2, len(bags))
    records = [b"%b\t%b" % bag_record(bag) for bag in bags]
    _, counters = run_job(TermNeighbours, [*tables, "--enrich-words-sample=100"], records)
    below = sum(url_number(bag.url.encode()) < (1 << 64) // 10 for bag in bags)
    assert below == counters["neighbours"]["sampled_bags"] < 150


def test_the_heaviest_terms(tables):
    """Of a large bag its 100 heaviest terms count."""
    heavy = {1_000 + k: 2.0 for k in range(99)}
    bags = [make_bag(bag.url, {**heavy, 20: 3.0, 30: 1.0}) for bag in BAGS[:5]]
    records = [b"%b\t%b" % bag_record(bag) for bag in (*bags, *BAGS[5:])]
    found = {key for key, _ in run_job(TermNeighbours, tables, records)[0]}
    assert (b"%08x" % 20 in found, b"%08x" % 30 in found, 100) == (True, False, len(found))


def test_the_table(tables, tmp_path, monkeypatch):
    """The table that is made of the records expands bags, and says of how many bags it is."""
    monkeypatch.setattr(neighbours, "ENOUGH", 2)
    records, counters = run_job(TermNeighbours, tables, lines())
    folder = tmp_path / "output"
    folder.mkdir()
    (folder / "part-00000").write_bytes(b"".join(b"%b\t%b\n" % pair for pair in records))
    [output] = TERM_NEIGHBOURS.outputs
    output.make_tables(folder, counters, Circumstances(None, ()))
    known = Neighbours(folder / NEIGHBOUR_TABLE.file)
    asked = BagColumns(
        np.array([20, 40], np.uint32), np.array([0.5, 0.5], np.float32), np.array([0, 2])
    )
    assert ([30], [1.0]) == tuple(column.tolist() for column in known.expand(asked)[:2])
    assert {"bags": 50} == known.file.meta
    assert b"moon moonslunar lunar" == known.file["words"].tobytes()
    assert [ONE, ONE] == known.file["shares"].tolist()


def test_as_a_script(tables, tmp_path):
    """`python jobs/term_neighbours.py -r local` gives the records of the inline runner."""
    for part in range(2):
        mine = lines()[part::2]
        (tmp_path / f"part-0000{part}").write_bytes(b"".join(line + b"\n" for line in mine))
    parts = [tmp_path / "part-00000", tmp_path / "part-00001"]
    said = run_script("term_neighbours", "-r", "local", "--no-conf", *tables, *parts)
    assert 0 == said.code, said.err
    assert EXPECTED == split_output(said.out.encode())[0]
