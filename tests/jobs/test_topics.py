"""Topics: the bags of most terms are the sample, and k-means over it gives the records."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pagekin.bags.bag import Bag, Bags, Dictionary, write_dictionary
from pagekin.bags.weigh import Frequencies
from pagekin.config import BuildConfig, EnrichConfig
from pagekin.counters import Counters
from pagekin.enrich.topics import FULL, Topics, fit
from pagekin.jobs.topics import LearnTopics
from pagekin.kinds import STATISTICS
from pagekin.stages.declaration import Circumstances
from pagekin.stages.topics import TOPICS_STAGE
from pagekin.stages.topics.learning import choose_sample, learn, parse_topic
from pagekin.tables import url_number
from tests.indexes import bag_record, random_bags
from tests.jobs.running import run_job, run_script, split_output

FLAGS = ("--enrich-topics-sets=2", "--enrich-topics-centroids=3", "--enrich-topics-terms=9")
CONFIG = EnrichConfig(topics_sets=2, topics_centroids=3, topics_terms=9)


def bag_of(url: str, count: int) -> Bag:
    """A bag of so many terms, of equal weights."""
    terms = np.arange(100, 100 + count, dtype=np.uint32)
    return Bag(url, True, 0, 0, 0, terms, np.full(count, 1 / max(count, 1), np.float32))


def lines(bags: list[Bag]) -> list[bytes]:
    statistics = b'%b\t{"counters": {"final_bags": {"bags": 4}}}' % STATISTICS
    return [*(b"%b\t%b" % bag_record(bag) for bag in bags), statistics]


@pytest.fixture
def tables(tmp_path: Path) -> tuple[str, ...]:
    """The options that name both tables."""
    terms = np.arange(16, 700, dtype=np.uint32)
    Frequencies.write(tmp_path / "f.arrays", terms, np.ones(len(terms), np.uint32), 300)
    entries = b"".join(b"w%d W%d|" % (term, term) for term in terms.tolist())
    write_dictionary(tmp_path / "d.arrays", [(terms, entries)])
    return f"--frequencies={tmp_path / 'f.arrays'}", f"--dictionary={tmp_path / 'd.arrays'}"


def sampled(bags: list[Bag], config: EnrichConfig, documents: int = 1) -> list[str]:
    """The URLs of the bags that a mapper sends, by their numbers, in order."""
    urls = {f"{url_number(bag.url.encode()):016x}": bag.url for bag in bags}
    pairs = choose_sample(map(bag_record, bags), documents, config, Counters())
    return [urls[value.split(b" ")[1].decode()] for _, value in pairs]


def test_empty(tables):
    """No bags in, no topics out."""
    records, counters = run_job(LearnTopics, [*tables, *FLAGS])
    assert [] == records
    assert {} == counters


def test_topics_of_bags(tables):
    """The topics are those that `fit` finds in the bags of most terms, with their words."""
    bags = [bag for bag in random_bags(90) if len(bag.terms)]
    args = [*tables, *FLAGS, "--enrich-topics-sample=40"]
    records, counters = run_job(LearnTopics, args, lines(bags))
    lots = {bag.url: url_number(bag.url.encode()) for bag in bags}
    ordered = sorted(bags, key=lambda bag: (-len(bag.terms), lots[bag.url]))[:40]
    numbers = np.array([lots[bag.url] for bag in ordered], np.uint64)
    expected = fit(Bags.of(ordered).columns(), numbers, CONFIG)
    assert [b"%02d.%04d" % (s, n) for s in range(2) for n in range(3)] == [k for k, _ in records]
    for centroid, (_, value) in zip(expected, records, strict=True):
        topic = parse_topic(value)
        assert centroid.terms.tolist() == topic.centroid.terms.tolist()
        assert centroid.values.tolist() == topic.centroid.values.tolist()
        assert [f"W{term}" for term in centroid.heaviest(8).tolist()] == topic.words
    assert 40 == counters["topics"]["bags_learned_from"]
    assert 6 == counters["topics"]["learned"]
    assert counters["topics"]["bags_offered"] >= 40


def test_fullest_first():
    """Bags of more terms come first, up to 200; equal ones by the number of their URL."""
    long = [bag_of(f"http://l{k}.example/", FULL + k) for k in range(20)]
    bags = [bag_of("http://none.example/", 0), bag_of("http://few.example/", 3), *long]
    order = sorted((bag.url for bag in long), key=lambda url: url_number(url.encode()))
    config = EnrichConfig(topics_sample=8)
    assert order[:8] == sampled(bags, config)
    assert [*order, "http://few.example/"] == sampled(bags, EnrichConfig(topics_sample=99))
    for k in range(0, len(bags), 7):
        assert order[:8] == sampled([*bags[k:], *bags[:k]], config)


def test_long_bags_are_cut():
    """Of a bag of more than 200 terms the heaviest are sent, of equal ones the smaller hashes."""
    weights = np.linspace(0.001, 0.002, FULL + 50).astype(np.float32)
    bag = bag_of("http://a.example/", FULL + 50)._replace(weights=weights)
    [(_, value)] = choose_sample([bag_record(bag)], 1, EnrichConfig(), Counters())
    expected = bag._replace(terms=bag.terms[50:], weights=weights[50:])
    assert bag_record(expected)[1].split(b" ")[-1] == value.split(b" ")[-1]


def test_large_snapshots():
    """Of very many bags only those are looked at whose URLs have small numbers: 100 for each."""
    bags = [bag_of(f"http://h{k}.example/", 5) for k in range(400)]
    config = EnrichConfig(topics_sample=1_000)
    share = 0.25
    few = set(sampled(bags, config, round(1_000 * 100 / share)))
    expected = {b.url for b in bags if url_number(b.url.encode()) < share * 2**64}
    assert expected == few
    assert 400 == len(sampled(bags, config, 1_000 * 100))


def test_tasks_leave_no_trace():
    """Samples of two tasks together begin with that of one."""
    bags, config = random_bags(60), EnrichConfig(topics_sample=9)

    def values(some: list[Bag]) -> list[bytes]:
        return [v for _, v in choose_sample(map(bag_record, some), 60, config, Counters())]

    assert values(bags) == sorted(values(bags[::2]) + values(bags[1::2]))[:9]


@pytest.mark.parametrize("count", [0, 1, 7, 8, 30])
def test_table(tmp_path, tables, count):
    """The table holds the topics of the records, also of very few bags; it says how many."""
    bags = [bag_of(f"http://a{k}.example/", 2 + k) for k in range(count)]
    records, counters = run_job(LearnTopics, [*tables, *FLAGS], lines(bags))
    made = b"".join(b"%b\t%b\n" % pair for pair in records)
    (tmp_path / "part-00000").write_bytes(made)
    [output] = TOPICS_STAGE.outputs
    config = BuildConfig(enrich=CONFIG)
    output.make_tables(tmp_path, counters, Circumstances(config, ()))
    topics = Topics(tmp_path / "topics.arrays")
    size = {0: 0, 1: 0, 7: 0, 8: 2, 30: 3}[count]
    assert (2, size, 2 * size) == (topics.sets, topics.size, len(topics.words))
    assert [parse_topic(value).words for _, value in records] == topics.words
    said = output.tells(config, counters)
    learned = f"2 times {size} topics were learned from {count} bags"
    assert said == (
        learned if size else f"no topics were learned: {count} bags have a term, and 8 are needed"
    )


def test_all_is_read(tables):
    """A reducer reads what was sent to it to the end, though it needs the first bags alone."""
    pairs = iter([(b"sample", b"000 %016x " % number) for number in range(20)])
    words = Dictionary(Path(tables[1].partition("=")[2]))
    counters = Counters()
    list(learn(pairs, EnrichConfig(topics_sample=8), words, counters))
    assert 8 == counters.as_dict()["topics"]["bags_learned_from"]
    assert [] == list(pairs)


def test_as_a_script(tables, tmp_path):
    """`python jobs/topics.py -r local` gives the records of the inline runner."""
    text = b"".join(line + b"\n" for line in lines(random_bags(40)))
    (tmp_path / "part-00000").write_bytes(text)
    words = [*tables, *FLAGS]
    said = run_script("topics", "-r", "local", "--no-conf", *words, tmp_path / "part-00000")
    assert 0 == said.code, said.err
    records, _ = run_job(LearnTopics, words, lines(random_bags(40)))
    assert records == split_output(said.out.encode())[0]
