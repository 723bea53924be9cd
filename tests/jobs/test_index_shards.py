"""Index shards: final bags become the pieces of an index's files."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pagekin.bags.bag import BAR, write_dictionary
from pagekin.index.shard_files import SHARD_FILES, parse_piece
from pagekin.jobs.index_shards import IndexShards
from pagekin.tables import ArrayFile
from tests.indexes import (
    bag_record,
    config_of,
    make_bag,
    make_index,
    random_bags,
    word_of,
)
from tests.jobs.running import Pair, run_job, run_script, split_output
from tests.running import NOT_ENRICHED_FLAGS

BAGS = random_bags(40)
STATISTICS = b'!task\t{"counters": {"final_bags": {"bags": 40}}}'


def lines() -> list[bytes]:
    return [*(b"%b\t%b" % bag_record(bag) for bag in BAGS), STATISTICS]


@pytest.fixture
def dictionary(tmp_path: Path) -> Path:
    """The words of all terms."""
    terms = sorted({term for bag in BAGS for term in bag.terms.tolist()})
    path = tmp_path / "dictionary.arrays"
    entries = [word_of(term).text() for term in terms]
    write_dictionary(path, [(np.array(terms, dtype=np.uint32), BAR.join([*entries, b""]))])
    return path


def arrays_of(records: list[Pair]) -> dict[int, dict[str, bytes]]:
    """The arrays of each shard, from their pieces."""
    found: dict[int, dict[str, bytes]] = defaultdict(lambda: defaultdict(bytes))
    for pair in records:
        shard, (name, data) = parse_piece(pair)
        found[shard][name] += data
    return found


def flags(dictionary: Path, shards: int, *more: object) -> list[object]:
    return ["--dictionary", dictionary, "--index-shards", shards, *NOT_ENRICHED_FLAGS, *more]


def test_empty(dictionary):
    """No bags, no pieces, and nothing counted."""
    assert ([], {}) == run_job(IndexShards, flags(dictionary, 3))


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("least", [0, 2])
def test_pieces(dictionary, tmp_path, shards, least):
    """The pieces, put together, are the files of an index of these bags."""
    config = config_of(shards, 12, least)
    folder = make_index(tmp_path / "index", BAGS, config)
    more = ("--signatures-count", 12, "--index-min-inlinks", least)
    records, _ = run_job(IndexShards, flags(dictionary, shards, *more), lines())
    found = arrays_of(records)
    assert set(range(shards)) == found.keys()
    for shard in found:
        for name, file in SHARD_FILES.items():
            arrays = ArrayFile(folder / f"shard-{shard:05d}" / file.name)
            for array in file.dtypes if name != "kin" else ():  # they are another stage's
                assert arrays[array].tobytes() == found[shard][f"{name}/{array}"]


def test_counters(dictionary):
    """Documents are counted, and those without a term."""
    _, counters = run_job(IndexShards, flags(dictionary, 3), lines())
    empty = sum(not len(bag.terms) for bag in BAGS)
    assert empty
    assert {"index": {"documents": 40, "without_terms": empty}} == counters


def test_order_of_lines_is_irrelevant(dictionary):
    """The records are those of the set of bags, however they are split and ordered."""
    args = flags(dictionary, 3)
    assert run_job(IndexShards, args, lines()) == run_job(IndexShards, args, reversed(lines()))


def test_as_a_script(dictionary, tmp_path):
    """`python jobs/index_shards.py -r local` gives the records of the inline runner."""
    parts = []
    for k in range(2):
        parts.append(tmp_path / f"part-{k:05d}")
        parts[-1].write_bytes(b"".join(line + b"\n" for line in lines()[k::2]))
    args = flags(dictionary, 2, "--signatures-method", "icws", "--weight-normalise", "false")
    said = run_script("index_shards", "-r", "local", "--no-conf", *args, *parts)
    assert 0 == said.code, said.err
    assert run_job(IndexShards, args, lines()) == split_output(said.out.encode())


def test_values_are_sorted_by_url(dictionary):
    """A URL that begins like another comes before it, as the index needs it."""
    urls = [f"http://a.example/a{end}" for end in ("", "!", "/", "0", "~", "%20")]
    some = [b"%b\t%b" % bag_record(make_bag(url, {20: 1})) for url in urls]
    records, _ = run_job(IndexShards, flags(dictionary, 1), some)
    arrays = arrays_of(records)[0]
    bounds = np.frombuffer(arrays["urls/bounds"], "<u8").tolist()
    text = arrays["urls/text"]
    found = [text[a:b].decode() for a, b in pairwise(bounds)]
    assert sorted(urls) == found


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        ("--dictionary", "--dictionary is needed: the words of each term"),
        ("--index-shards", "--index-shards is needed: a task does not know all documents"),
    ],
)
def test_options_that_are_needed(dictionary, tmp_path, left_out, said):
    """Without the words, or the number of shards, the job says what is missing."""
    (tmp_path / "part-00000").write_bytes(b"")
    args = flags(dictionary, 1)
    at = args.index(left_out)
    done = run_script("index_shards", *args[:at], *args[at + 2 :], tmp_path / "part-00000")
    assert 2 == done.code
    assert said in done.err


def test_help():
    """--help explains the job, its sections, and the table."""
    said = run_script("index_shards", "--help")
    text = " ".join(said.out.split())
    assert 0 == said.code
    assert "the shards of an index: signatures, H, and its inversion I" in text
    assert "the words of each term" in text
    for flag in ("--signatures-count", "--index-min-inlinks", "--weight-normalise"):
        assert flag in text
    assert "--window-words" not in text
