"""Mirrors through their jobs: pages become sketches, candidates, and verified pairs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from pagekin.jobs.mirror_edges import MirrorEdges
from pagekin.jobs.mirror_offers import MirrorOffers
from pagekin.jobs.mirror_pairs import MirrorPairs
from pagekin.jobs.reading import Reading
from pagekin.kinds import COPIES, SHINGLES, Pair
from pagekin.mirrors.shingles import fingerprints
from pagekin.stages.mirror_edges.verify import parse_edge
from tests.jobs.running import run_job, run_script, split_output, write_warc
from tests.warcs import gz, response, warcinfo

SHINGLES_ALONE = "--outputs=shingles"
LENGTH = 7


def text_of(subject: int, changed: int) -> str:
    """A hundred words about a subject, the last of which are others."""
    chance = np.random.default_rng(subject)
    words = ["".join(map(chr, row)) for row in chance.integers(97, 123, (200, 6))]
    return " ".join([*words[: 100 - changed], *words[100 : 100 + changed]])


# three copies of 0, one of them like the others; two pages of 1, hardly alike; a part of 2
PAGES = {
    "http://a.example/": text_of(0, 1),
    "http://b.example/": text_of(0, 1),
    "http://c.example/": text_of(0, 1),
    "http://d.example/": text_of(0, 10),
    "http://e.example/": text_of(1, 1),
    "http://f.example/": text_of(1, 60),
    "http://g.example/": text_of(2, 1),
    "http://h.example/": " ".join(text_of(2, 1).split()[:42]),
    "http://i.example/": "too short",
}


def lines(records: Iterable[Pair]) -> list[bytes]:
    return [b"%b\t%b" % record for record in sorted(records)]


def warcs(folder: Path, files: int) -> list[bytes]:
    """The pages dealt to so many files; gives the lines of a manifest."""
    records = [gz(response(url, f"<p>{text}".encode())) for url, text in PAGES.items()]
    return [
        write_warc(folder / f"{files}-{k}.warc.gz", gz(warcinfo()), *records[k::files])
        for k in range(files)
    ]


@pytest.fixture(scope="module")
def sketches(tmp_path_factory) -> list[Pair]:
    records, _ = run_job(Reading, [SHINGLES_ALONE], warcs(tmp_path_factory.mktemp("web"), 2))
    return records


@pytest.fixture(scope="module")
def found(sketches) -> list[Pair]:
    """Copies and pairs by the plain way, which misses nothing."""
    return run_job(MirrorPairs, ["--mirrors-candidates", "shingles"], lines(sketches))[0]


def expected() -> dict[tuple[str, str], tuple[float, float, float]]:
    """All pairs that share a half, or of which one holds nine tenths of the other."""
    sets = {url: shingles(text) for url, text in PAGES.items()}
    shares = {}
    for (one, p), (other, q) in combinations(sets.items(), 2):
        both = len(p & q)
        share = both / len(p | q), both / len(p), both / len(q)
        if min(len(p), len(q)) >= 20 and (share[0] >= 0.5 or max(share[1:]) >= 0.9):
            shares[one, other] = share
    return shares


def shingles(text: str) -> set[int]:
    return set(fingerprints(text.encode(), LENGTH).tolist())


def test_nothing():
    """No pages, no sketches, no pairs, and nothing counted."""
    assert ([], {}) == run_job(Reading, [SHINGLES_ALONE])
    for job in (MirrorPairs, MirrorOffers, MirrorEdges):
        assert ([], {}) == run_job(job)


@pytest.mark.parametrize("files", [1, 4])
def test_any_division_of_files(tmp_path, sketches, files):
    """However the pages are dealt to files and tasks, the sketches are the same."""
    records, counters = run_job(Reading, [SHINGLES_ALONE], warcs(tmp_path, files))
    assert sketches == records
    assert {"pages": 9, "hosts": 9} == counters["shingles"]
    assert all(SHINGLES.holds(key) for key, _ in records)


def test_edges_are_those_of_all_pairs(sketches, found):
    """By the plain way, but for the copies, which are edges to the least of them alone."""
    records, counters = run_job(MirrorOffers, (), lines([*sketches, *found]))
    assert {"pages_compared": 6, "pairs_compared": 3} == counters["mirrors"]
    records, counters = run_job(MirrorEdges, (), lines([*found, *records]))
    of_copies = {("http://b.example/", f"http://{k}.example/") for k in "cd"}
    of_copies.add(("http://c.example/", "http://d.example/"))
    edges = {
        pair: tuple(int(10_000 * share) for share in shares)
        for pair, shares in expected().items()
        if pair not in of_copies
    }
    edge_of = {}
    for key, value in records:
        edge = parse_edge(value)
        pair = key.decode().removeprefix("!edges/"), edge.url.decode()
        edge_of[pair] = edge[1:4]
        assert edge.are_mirrors == (edge.resemblance >= 5000)
    assert edges == edge_of
    assert {"edges": 3, "contained": 1, "refuted": 1} == counters["mirrors"]


def test_bands_find_what_is_alike(sketches):
    """The default: all pairs that are alike by .9, of those of other pages next to none."""
    records, counters = run_job(MirrorPairs, (), lines(sketches))
    copies = {value for key, value in records if COPIES.holds(key)}
    assert {b"http://a.example/ http://%b.example/" % k for k in (b"b", b"c")} == copies
    pairs = {value for key, value in records if not COPIES.holds(key)}
    assert b"http://a.example/ http://d.example/" in pairs
    counted = counters["mirrors"]
    assert (8, 1, 2) == tuple(counted[n] for n in ("pages", "pages_too_short", "exact_copies"))


@pytest.mark.parametrize(
    ("script", "job"),
    [("mirror_pairs", MirrorPairs), ("mirror_offers", MirrorOffers), ("mirror_edges", MirrorEdges)],
)
def test_as_scripts(sketches, found, tmp_path, script, job):
    """`python jobs/NAME.py -r local` gives the records of the inline runner."""
    offers, _ = run_job(MirrorOffers, (), lines([*sketches, *found]))
    given = {MirrorPairs: sketches, MirrorOffers: [*sketches, *found], MirrorEdges: offers}
    records = lines(given[job])
    (tmp_path / "part-00000").write_bytes(b"".join(line + b"\n" for line in records))
    said = run_script(script, "-r", "local", "--no-conf", tmp_path / "part-00000")
    assert 0 == said.code, said.err
    assert run_job(job, (), records) == split_output(said.out.encode())


@pytest.mark.parametrize("job", ["mirror_pairs", "mirror_offers", "mirror_edges"])
def test_help(job):
    """--help explains the job."""
    said = run_script(job, "--help")
    assert 0 == said.code
    assert "Records are described in docs/formats.md" in said.out
