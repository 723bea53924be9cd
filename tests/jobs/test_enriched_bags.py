"""Enriched bags: final bags with parts added to them."""

from __future__ import annotations

import numpy as np
import pytest

from pagekin.bags.bag import SOURCES, Bags, EnrichedBags
from pagekin.config import EnrichConfig
from pagekin.enrich import links, neighbours
from pagekin.enrich.links import contexts_of, heads_of, message, message_size, write_contexts
from pagekin.enrich.mixture import CITING, OWN, RELATED, enrich
from pagekin.enrich.neighbours import ONE, Nearest, write_neighbours
from pagekin.enrich.topics import Centroid, Topic, Topics
from pagekin.jobs.enriched_bags import EnrichedBags as Job
from pagekin.kinds import ENRICHED_BAGS
from pagekin.text.words import term_hash
from tests.indexes import make_bag
from tests.jobs.running import run_job, run_script, split_output
from tests.running import NOT_ENRICHED_FLAGS

TOKEN = term_hash("topic:0.0")
BAGS = [
    make_bag("http://a.example/", {100: 4.0, 200: 2.0, 300: 1.0}, 3, title="A b"),
    make_bag("http://b.example/", {100: 1.0}, crawled=False),
    make_bag("http://c.example/", {}),
]


def lines() -> list[bytes]:
    return [b"%b\t%b" % record for record in Bags.of(BAGS).records()]


def test_empty():
    """No bags in, no bags out, and nothing counted."""
    assert ([], {}) == run_job(Job, [*NOT_ENRICHED_FLAGS, "--enrich-terms", "2"])


def test_without_parts():
    """Bags are cut to as many terms as is asked for; the plain ones lie behind them."""
    records, counters = run_job(Job, [*NOT_ENRICHED_FLAGS, "--enrich-terms", "2"], lines())
    assert sorted(enrich(Bags.of(BAGS), [], None, 2).records()) == records
    made = EnrichedBags.read([(k.removeprefix(ENRICHED_BAGS.prefix), v) for k, v in records])
    assert [[100, 200], [100], []] == [bag.terms.tolist() for bag in made.bags]
    assert [0, 3, 4, 4] == made.plain.bounds.tolist()
    assert {"enriched_bags": {"bags": 3, "own words": 3}} == counters


def test_as_a_script(tmp_path):
    """`python jobs/enriched_bags.py -r local` gives the records of the inline runner."""
    (tmp_path / "part-00000").write_bytes(b"".join(line + b"\n" for line in lines()))
    args = [*NOT_ENRICHED_FLAGS, "--no-conf", tmp_path / "part-00000"]
    said = run_script("enriched_bags", "-r", "local", *args)
    assert 0 == said.code, said.err
    assert run_job(Job, NOT_ENRICHED_FLAGS, lines()) == split_output(said.out.encode())


def test_related_words(tmp_path, monkeypatch):
    """Related words are added with their share, from the table of neighbours."""
    monkeypatch.setattr(neighbours, "ENOUGH", 3)
    near = Nearest(
        np.array([100, 200, 500], np.uint32),
        np.array([5, 5, 5], np.uint32),
        np.array([0, 1, 1, 1]),
        np.array([2], np.uint32),
        np.array([ONE], np.uint16),
    )
    table = tmp_path / "neighbours.arrays"
    write_neighbours(table, near, [b"a a", b"b b", b"e e"], {"bags": 90})
    args = [
        *NOT_ENRICHED_FLAGS,
        "--enrich-words",
        "true",
        "--enrich-words-share",
        "0.5",
        "--neighbours",
        table,
    ]
    records, counters = run_job(Job, args, lines())
    made = EnrichedBags.read([(k.removeprefix(ENRICHED_BAGS.prefix), v) for k, v in records])
    first = next(iter(made.bags))
    assert [100, 200, 300, 500] == first.terms.tolist()
    assert 1 / 3 == pytest.approx(float(first.weights[3]))
    assert [OWN, OWN, OWN, RELATED] == made.sources[:4].tolist()
    assert 1 == counters["enriched_bags"]["related words"]


def test_topics(tmp_path):
    """Topics take their share of the whole, less of a short bag; a bag may be near none."""
    config = EnrichConfig(topics_sets=1, topics_nearest=1)
    centroid = Centroid(np.array([200], np.uint32), np.array([8192], np.uint16))
    table = tmp_path / "topics.arrays"
    Topics.write(table, [Topic(["bees"], centroid)], config)
    args = [
        *NOT_ENRICHED_FLAGS,
        "--enrich-topics",
        "true",
        "--enrich-topics-share",
        "0.25",
        "--topics",
        table,
    ]
    long = make_bag("http://d.example/", dict.fromkeys(range(200, 320), 1.0))
    bags = [b"%b\t%b" % record for record in Bags.of([*BAGS, long]).records()]
    records, counters = run_job(Job, args, bags)
    made = EnrichedBags.read([(k.removeprefix(ENRICHED_BAGS.prefix), v) for k, v in records])
    short, second, third, full = (
        dict(zip(bag.terms.tolist(), bag.weights.tolist(), strict=True)) for bag in made.bags
    )
    share = 0.25 * 3 / 100
    words = {term: (1 - share) * weight / 7 for term, weight in ((100, 4), (200, 2), (300, 1))}
    assert pytest.approx({**words, TOKEN: share}) == short
    assert ([100], []) == (list(second), list(third))
    assert pytest.approx({**dict.fromkeys(range(200, 320), 0.75 / 120), TOKEN: 0.25}) == full
    assert 2 == counters["enriched_bags"]["topics"]


def test_words_of_linked_pages(tmp_path):
    """What the pages around a URL say is added, each kind with its share and its source."""
    (head,) = heads_of(Bags.of([make_bag("http://d.example/", {700: 1.0})]).columns(), 1)
    said = b"".join(message(kind, 255, bytes(8), head) for kind in (links.CITING, links.COCITED))
    url = BAGS[1].url.encode()
    values, _ = contexts_of([url], [said], message_size(1), 9)
    write_contexts(tmp_path / "contexts.arrays", [(url, values[0])])
    args = [*NOT_ENRICHED_FLAGS, "--enrich-links", "true", "--enrich-links-share", "0.5"]
    records, counters = run_job(Job, [*args, "--contexts", tmp_path / "contexts.arrays"], lines())
    made = EnrichedBags.read([(k.removeprefix(ENRICHED_BAGS.prefix), v) for k, v in records])
    first, second, _ = made.bags
    assert [100, 200, 300] == first.terms.tolist()
    assert ([100, 700], [0.5, 0.5]) == (second.terms.tolist(), second.weights.tolist())
    assert [OWN, CITING] == made.sources[3:5].tolist()
    assert 1 == counters["enriched_bags"][SOURCES[CITING]]


def test_table_is_missing():
    """Without the table that a part needs the job says so."""
    args = [*NOT_ENRICHED_FLAGS, "--enrich-words", "true", "--no-conf", "/dev/null"]
    said = run_script("enriched_bags", *args)
    assert 0 != said.code
    assert "--neighbours is needed: which terms are neighbours of each" in said.err
