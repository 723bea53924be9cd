"""The two jobs of co-citation: blocks become pairs of related pages, and those the best kin."""

from __future__ import annotations

import math
from unittest.mock import patch

import pytest

from pagekin.blocks.filters import KeptLink as Link
from pagekin.cocitation import kin_table
from pagekin.cocitation.block_record import blocks_value
from pagekin.cocitation.kin_table import parse_kin, url_key
from pagekin.jobs.pairs import Pairs
from pagekin.jobs.related import Related
from pagekin.kinds import BLOCKS
from pagekin.stages.pairs import stripes
from pagekin.stages.related.best_kin import parse_edge
from tests.jobs.running import Pair, run_job, run_script, split_output
from tests.pagekin.authority.scores import write_table

BEES, HIVES, MUSIC = "http://bees.example/", "http://hives.example/", "http://music.example/"


def line(pair: Pair) -> bytes:
    return b"%b\t%b" % pair


def block_lines(sites: int = 6) -> list[bytes]:
    """Among records of other kinds, as the reading writes them.

    Pages of so many sites that link to bees and hives, the first three to music as well."""
    lines = [b'!task\t{"counters": {}}', b"!words/000\tbees 1", b"http://a.example/\t1 0 0 0 "]
    for k in range(sites):
        block = [Link(BEES, "Bees", 0), Link(HIVES, "All hives", 1)]
        blocks = [block, [Link(MUSIC, "Songs", 0), Link(BEES, "bees", 1)]] if k < 3 else [block]
        url = f"http://www.site{k}.example/"
        lines.append(line((BLOCKS.prefix + url.encode(), blocks_value(f"site{k}.example", blocks))))
    return lines


def kin_of(records: list[Pair]) -> dict[str, list[tuple[str, float]]]:
    told = (parse_kin(value) for _, value in records)
    return {url: [(each.url, round(each.score, 4)) for each in kin] for url, kin in told}


def test_empty():
    """No blocks, no pairs, no kin, and nothing counted."""
    assert ([], {}) == run_job(Pairs)
    assert ([], {}) == run_job(Related)


def test_regulated(tmp_path):
    """The links of pages count by their standing: two of the sites are linked to, four are not."""
    hosts = [(f"//www.site{k}.example", 3.0 if k < 2 else 1.0, 0, 0) for k in range(6)]
    table = write_table(tmp_path, hosts, {"linking_pages": 6, "vouched_pages": 2})
    words = ["--cocitation-threshold=0.1", "--cocitation-regulate=pagerank", "--authority", table]
    records, counters = run_job(Pairs, words, block_lines())
    weight = round(1 + math.log(1 + 3 / (10 / 6)), 2)
    total = (2 * weight + 4 * 0.01) / (1 + math.log(6))
    [page] = [parse_edge(v) for _, v in records if v.split(b" ")[1:2] == [HIVES.encode()]]
    assert total == pytest.approx(page.score, abs=1e-5)
    assert [weight, weight, 0.01] == [reason.weight for reason in page.reasons]
    assert 4 == counters["cocitation"]["pages_of_less_weight"]


def test_pages_without_links():
    """A page without blocks is counted, and that is all."""
    lines = [line((BLOCKS.prefix + b"http://a.example/", blocks_value("a.example", [])))]
    assert ([], {"cocitation": {"pages": 1}}) == run_job(Pairs, inputs=lines)


def test_pairs_by_hand():
    """Six sites add 1 each; bees stand in 9 blocks and hives in 6.

    TS(bees -> hives) = 6 / (1 + ln 6), TS(hives -> bees) = 6 / (1 + ln 9).
    """
    words = ["--cocitation-threshold", "2", "--cocitation-reasons", "1"]
    records, counters = run_job(Pairs, words, block_lines())
    bees, hives = url_key(BEES.encode()), url_key(HIVES.encode())
    score = f"{(1 << 47) - 1 - round(6 / (1 + 1.791759469228055) * 2**20):012x}"
    edge = f"{score} {HIVES} 6 6\x011048576 site0.example All hives".encode()
    assert [(bees, edge)] == [pair for pair in records if not pair[1].startswith(b"!")]
    assert {(bees, b"!" + BEES.encode()), (hives, b"!" + HIVES.encode())} <= set(records)
    assert {
        "cocitation": {
            "blocks": 9,
            "links": 18,
            "pages": 6,
            "pages_cited": 3,
            "pairs": 9,
            "related_pairs": 1,
        }
    } == counters


def test_shared_numbers():
    """Two pages whose URLs have one number keep the kin that they have; it is counted."""
    words = ["--cocitation-threshold", "0.5"]
    pairs, _ = run_job(Pairs, words, block_lines())
    alone, _ = run_job(Related, inputs=map(line, pairs))
    with (
        patch.object(kin_table, "url_number", len),  # hives and music are equally long
        patch.object(stripes, "url_number", len),
    ):
        pairs, _ = run_job(Pairs, words, block_lines())
        records, counters = run_job(Related, inputs=map(line, pairs))
    kin, shared = kin_of(alone), kin_of(records)
    assert {BEES: [HIVES, MUSIC], HIVES: [BEES], MUSIC: [BEES]} == {
        url: [other for other, _ in found] for url, found in shared.items()
    }
    assert kin[BEES] == shared[BEES]
    assert 1 == counters["cocitation"]["hash_collisions"]


def test_related_by_hand():
    """Each page has its kin, the highest TS first, with the URL it was known by its hash."""
    words = ["--cocitation-threshold", "0.5"]
    pairs, _ = run_job(Pairs, words, block_lines())
    records, counters = run_job(Related, inputs=map(line, pairs))
    assert {
        BEES: [(HIVES, 2.1492), (MUSIC, 1.4295)],
        HIVES: [(BEES, 1.8766)],
        MUSIC: [(BEES, 0.9383)],
    } == kin_of(records)
    assert {"cocitation": {"kin": 4, "pages_with_kin": 3}} == counters


def test_weak_kin():
    """What a single domain links to with a page comes behind what several do, however high its TS;
    pages that have nothing else are counted."""
    lines = block_lines(2)
    block = [Link(BEES, "Bees", 0), Link("http://shop.example/", "Bees", 1)]
    for k in range(8):
        url = b"http://one.example/%d" % k
        lines.append(line((BLOCKS.prefix + url, blocks_value("one.example", [block]))))
    pairs, _ = run_job(Pairs, ["--cocitation-threshold", "0.5"], lines)
    records, counters = run_job(Related, inputs=map(line, pairs))
    kin = dict(parse_kin(value) for _, value in records)
    (hives, music, shop) = kin[BEES]
    assert [(HIVES, False), (MUSIC, False), ("http://shop.example/", True)] == [
        (each.url, each.weak) for each in (hives, music, shop)
    ]
    assert shop.score > hives.score == music.score
    assert [True] == [each.weak for each in kin["http://shop.example/"]]
    assert 1 == counters["cocitation"]["pages_with_weak_kin_alone"]


def test_most_kin():
    """No more than M kin are kept; a job by itself, which knows no number of pages, keeps all."""
    pairs, _ = run_job(Pairs, inputs=block_lines())
    words = ["--cocitation-kin", "1"]
    records, _ = run_job(Related, words, map(line, pairs))
    assert [(HIVES, 2.1492)] == kin_of(records)[BEES]


def test_plain():
    """With plain co-citation TS is the number of pages that link to both."""
    words = ["--cocitation-plain", "true", "--cocitation-threshold", "3"]
    pairs, counters = run_job(Pairs, words, block_lines())
    records, _ = run_job(Related, inputs=map(line, pairs))
    assert {
        BEES: [(HIVES, 6.0), (MUSIC, 3.0)],
        HIVES: [(BEES, 6.0), (MUSIC, 3.0)],
        MUSIC: [(BEES, 3.0), (HIVES, 3.0)],
    } == kin_of(records)
    assert 6 == counters["cocitation"]["blocks"]


def test_pair_without_a_name():
    """Kin of a page whose URL nobody told are no kin: the records would name nobody."""
    lines = [b"00000000000000ff\tfffffffffff0 http://a.example/ 1 1"]
    assert ([], {"cocitation": {"pages_without_a_url": 1}}) == run_job(Related, inputs=lines)


def test_as_scripts(tmp_path):
    """`python jobs/pairs.py` and `related.py -r local` give the records of the inline runner."""
    lines = block_lines()
    (tmp_path / "part-00000").write_bytes(b"".join(each + b"\n" for each in lines[:4]))
    (tmp_path / "part-00001").write_bytes(b"".join(each + b"\n" for each in lines[4:]))
    words = ["--cocitation-threshold", "0.5"]
    parts = sorted(tmp_path.glob("part-*"))
    said = run_script("pairs", "-r", "local", "--no-conf", *words, *parts)
    assert 0 == said.code, said.err
    pairs = split_output(said.out.encode())
    assert run_job(Pairs, words, lines) == pairs
    (tmp_path / "pairs").write_bytes(said.out.encode())
    said = run_script("related", "-r", "local", "--no-conf", tmp_path / "pairs")
    assert 0 == said.code, said.err
    assert run_job(Related, inputs=map(line, pairs[0])) == split_output(said.out.encode())


def test_help():
    """--help explains the options that a job depends on, with the paper's letters."""
    texts = {}
    for name in ("pairs", "related"):
        said = run_script(name, "--help")
        assert 0 == said.code
        texts[name] = " ".join(said.out.split())
        assert "related pages of a page at the most [M] (default: 15)" in texts[name]
        assert "--text-stemming" not in texts[name]
    assert "pages of a lower total similarity are not related [T]; 0: 0.5 where" in texts["pairs"]
    assert "--cocitation-threshold" not in texts["related"]
