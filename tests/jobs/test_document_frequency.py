"""Document frequency: raw bags become counts of bags per term, and words."""

from __future__ import annotations

from collections import Counter
from itertools import chain, groupby
from operator import itemgetter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags.bag import BAR, Bag
from pagekin.bags.vocabulary import forms_records
from pagekin.counters import Counters
from pagekin.jobs.document_frequency import DocumentFrequency
from pagekin.stages.document_frequency import counting
from pagekin.stages.document_frequency.counting import (
    DF,
    WORDS,
    count_terms,
    reduce_buckets,
    unpack_counts,
    unpack_words,
)
from pagekin.text.words import Form, Forms, term_hash
from tests.indexes import bag_record
from tests.jobs.running import Pair, run_job, run_script, split_output

BAGS = {
    "http://a.example/": ["bee", "hive", "honei"],
    "http://b.example/": ["bee", "honei"],
    "http://c.example/": ["bee", "volcano"],
    "http://d.example/": [],
}
FORMS = [
    ("bee", "bees", 7),
    ("bee", "bee", 9),
    ("hive", "hives", 2),
    ("hive", "hive", 2),
    ("honei", "honey", 1),
    ("ash", "ashes", 5),  # its weight was 0 everywhere: it stands in no bag
]


def form(term: str, surface: str, count: int) -> Form:
    return Form(term_hash(term), term, surface, count)


def line(pair: Pair) -> bytes:
    return b"%b\t%b" % pair


def raw_output() -> list[bytes]:
    """Lines as the reading writes them, the statistics of a task among them."""
    words = [line(pair) for pair in forms_records([Forms.of(form(*entry) for entry in FORMS)])]
    bags = []
    for url, terms in BAGS.items():
        hashes = np.array(sorted(map(term_hash, terms)), dtype=np.uint32)
        weights = np.ones(len(hashes), dtype=np.float32)
        bags.append(line(bag_record(Bag(url, True, 0, 0, 0, hashes, weights))))
    return [*words, *bags, b'!task\t{"counters": {"bags": {"urls": 4}}}']


def counts_of(records: list[Pair]) -> dict[int, int]:
    found = {}
    for key, value in records:
        if value.startswith(DF):
            terms, df = unpack_counts(value.removeprefix(DF))
            assert {int(key, 16)} == set((terms >> 32 - 4 * len(key)).tolist())
            found |= dict(zip(terms.tolist(), df.tolist(), strict=True))
    return found


def test_empty():
    """No bags, no terms, and nothing counted."""
    assert ([], {}) == run_job(DocumentFrequency)


def test_only_empty_bags():
    """Bags without terms are bags."""
    lines = [line for line in raw_output() if line.startswith(b"http://d.example/")]
    assert ([], {"frequencies": {"bags": 1}}) == run_job(DocumentFrequency, inputs=lines)


def test_counts():
    """Each term with the number of bags that hold it, in the bucket of its hash."""
    records, counters = run_job(DocumentFrequency, inputs=raw_output())
    expected = Counter(term_hash(term) for terms in BAGS.values() for term in terms)
    assert expected == counts_of(records)
    assert {
        "frequencies": {"bags": 4, "incidences": 7, "terms": 4, "terms_without_a_word": 1}
    } == counters


def test_words():
    """Each term that stands in a bag with its most frequent form; of equal ones the first."""
    records, _ = run_job(DocumentFrequency, inputs=raw_output())
    found: dict[bytes, int] = {}
    for _, value in records:
        if value.startswith(WORDS):
            hashes, entries = unpack_words([value.removeprefix(WORDS)])
            assert sorted(hashes.tolist()) == hashes.tolist()
            found |= dict(zip(entries.split(BAR)[:-1], hashes.tolist(), strict=True))
    words = {"bee": b"bee bee", "hive": b"hive hive", "honei": b"honei honey"}
    assert {entry: term_hash(term) for term, entry in words.items()} == found


@given(
    st.lists(st.sets(st.integers(16, 2**32 - 1)), max_size=5),
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(1, 9)), max_size=9),
    st.sampled_from([0, 50, 1 << 20]),
)
def test_buckets(parts, seen, held):
    """Each bucket has what its records say, whatever their order, and however much is held."""
    parts += [{term_hash(word)} for word, _ in seen]
    forms = [[Forms.of([form(word, word, count)])] for word, count in seen]
    pairs = [forms_records(some) for some in forms]
    pairs += [[bag_record(bag_of(part))] for part in parts]
    sent = sorted(chain.from_iterable(count_terms(some, Counters()) for some in pairs))
    assert {2} >= {len(key) for key, _ in sent}
    counters = Counters()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_HELD", held)
        records = list(reduce_buckets(sent, counters))
    backwards = [list(group) for _, group in groupby(sent, key=itemgetter(0))][::-1]
    others = reduce_buckets(chain.from_iterable(backwards), Counters())
    assert sorted(records) == sorted(others)  # as on Spark, where keys come in any order
    expected = Counter(chain.from_iterable(parts))
    assert expected == counts_of(records)
    assert expected.total() == counters.get("frequencies", "incidences")
    words = [unpack_words([v.removeprefix(WORDS)])[0] for _, v in records if v.startswith(WORDS)]
    assert len(dict(seen)) == sum(map(len, words))


def bag_of(terms: set[int]) -> Bag:
    hashes = np.array(sorted(terms), np.uint32)
    return Bag("http://a.example/", True, 0, 0, 0, hashes, np.ones(len(hashes), np.float32))


def test_order_of_lines_is_irrelevant():
    """The records are those of the set of bags, however they are split and ordered."""
    one = run_job(DocumentFrequency, inputs=raw_output())
    assert one == run_job(DocumentFrequency, inputs=reversed(raw_output()))


def test_as_a_script(tmp_path):
    """`python jobs/document_frequency.py -r local` gives the records of the inline runner."""
    lines = raw_output()
    (tmp_path / "part-00000").write_bytes(b"".join(line + b"\n" for line in lines[:4]))
    (tmp_path / "part-00001").write_bytes(b"".join(line + b"\n" for line in lines[4:]))
    said = run_script(
        "document_frequency", "-r", "local", "--no-conf", *sorted(tmp_path.glob("part-*"))
    )
    assert 0 == said.code, said.err
    assert run_job(DocumentFrequency, inputs=lines) == split_output(said.out.encode())


def test_help():
    """The job has no configuration of its own."""
    said = run_script("document_frequency", "--help")
    assert 0 == said.code
    assert "--progress-dir" in said.out
    assert "--weight-df" not in said.out
