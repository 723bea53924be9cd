"""Edges become groups of mirrors through their jobs: components in rounds, their pages, groups."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from pagekin.jobs.mirror_components import MirrorComponents
from pagekin.jobs.mirror_groups import MirrorGroups
from pagekin.jobs.mirror_members import MirrorMembers
from pagekin.kinds import COMPONENTS, Pair
from pagekin.mirrors.shingles import make_sketch, pack
from pagekin.stages.mirror_components import steps
from pagekin.stages.mirror_components.steps import node_of
from pagekin.stages.mirror_groups.cutting import contained_pairs, read_groups
from tests.jobs.running import run_job, run_script, split_output

A, B, C, D, E, F = (f"http://{name}.example/".encode() for name in "abcdef")
# a, b and c are copies, one of them not whole; d and e as well; f holds most of e
EDGES = [
    (A, B, "10000 10000 10000"),
    (A, C, "6000 7000 8000"),
    (B, C, "6500 7000 8100"),
    (D, E, "9000 9100 9800"),
    (E, F, "3000 9500 3100 contained"),
]
SHINGLES = {A: range(100), B: range(100), C: range(20, 100), D: range(200, 300), E: range(200, 298)}
INLINKS = {A: 1, C: 3, F: 9}


def lines(records: Iterable[Pair]) -> list[bytes]:
    return [b"%b\t%b" % record for record in sorted(records)]


def edge_lines(edges: Iterable[tuple[bytes, bytes, str]]) -> list[bytes]:
    return [b"!edges/%b\t%b %b" % (a, b, shares.encode()) for a, b, shares in edges]


def page_lines(shingles: dict[bytes, Sequence[int]], inlinks: dict[bytes, int]) -> list[bytes]:
    """Sketches and raw bags."""
    words = {url: pack(make_sketch(np.array(its, np.uint64))) for url, its in shingles.items()}
    sketches = [b"!shingles/%b\t/ %b" % (url, word) for url, word in words.items()]
    bags = [b"%b\t1 %d %d 1 A title AAAA" % (url, 2 * n, n) for url, n in inlinks.items()]
    return [*sketches, *bags, b"!words/00\tnothing"]


def components(
    edges: list[bytes], number: int = 1, before: dict[str, int] | None = None
) -> tuple[list[Pair], dict]:
    told = ",".join(f"{name}={count}" for name, count in (before or {}).items())
    words = [f"--round={number}", f"--records-read={len(edges)}", f"--before={told}"]
    return run_job(MirrorComponents, words, edges)


def members(edges: list[bytes], pages: list[bytes]) -> list[Pair]:
    stars, _ = components(edges)
    return run_job(MirrorMembers, [], [*edges, *lines(stars), *pages])[0]


PAGES = page_lines(SHINGLES, INLINKS)


def test_nothing():
    """No edges, no components, no groups, and nothing counted; of pages without mirrors neither."""
    for job in (MirrorComponents, MirrorMembers, MirrorGroups):
        assert ([], {}) == run_job(job)
    assert ([], {}) == components(edge_lines(EDGES[-1:]))
    assert ([], {}) == run_job(MirrorMembers, [], PAGES)


def test_components_at_once():
    """Few edges are connected by one task; those of containment connect nothing."""
    stars, counters = components(edge_lines(EDGES))
    names = [sorted(map(node_of, some)) for some in ((A, B, C), (D, E))]
    expected = [(COMPONENTS.prefix + least, node) for least, *others in names for node in others]
    assert (sorted(expected), {}) == (stars, counters)


def test_components_in_rounds(monkeypatch):
    """The same in rounds: each reads what the one before made, until nothing is unsettled."""
    chance = random.Random(3)
    urls = [b"http://%03d.example/" % k for k in range(300)]
    pairs = {tuple(sorted(chance.sample(urls, 2))) for _ in range(260)}
    edges = edge_lines((a, b, "6000 6000 6000") for a, b in sorted(pairs))
    expected, _ = components(edges)
    monkeypatch.setattr(steps, "MOST_AT_ONCE", 10)
    made, told = edges, [{}]
    while len(told) == 1 or told[-1]:
        records, counters = components(made, len(told), told[-1])
        told.append(counters.get("components", {}))
        made = lines(records)
    assert expected == records
    # large-star, small-star, ..., and large-stars alone when no page has several lesser neighbours
    steps_made = ["small" if "several_lesser" in before else "large" for before in told[:-1]]
    assert ["large", "small"] * 3 == steps_made[:6]
    assert ["large", "large"] == steps_made[-2:]
    assert len(steps_made) < 13


def test_members():
    """Each page with a mirror meets its component, inlinks and sketch, and its edges."""
    found = [(key, value.split(b" ")) for key, value in members(edge_lines(EDGES), PAGES)]
    centre = {url: min(map(node_of, some)) for some in ((A, B, C), (D, E)) for url in some}
    pages = {words[1][1:]: (key, words) for key, words in found if words[1].startswith(b"0")}
    assert centre.keys() == pages.keys()
    for url, (key, (component, _, inlinks, _)) in pages.items():
        assert (b"!members/" + node_of(url), centre[url]) == (key, component)
        assert INLINKS.get(url, 0) == int(inlinks)
    edges = sorted(words[1:] for _, words in found if words[1].startswith(b"1"))
    assert [b"100000", A, B, b"10000", b"10000"] == edges[0]
    assert [b"104000", A, C, b"7000", b"8000"] == edges[-1]
    assert 4 == len(edges)


def test_groups():
    """Groups with their representatives and facts, as an index gets them."""
    parts = lines(members(edge_lines(EDGES), PAGES))
    records, counters = run_job(MirrorGroups, [], parts)
    groups = {group.members[0]: group for group in read_groups(records)}
    abc, de = groups[C], groups[D]
    assert ([C, A, B], 6000, 8000, 1, "") == (abc.members, *abc[2:])
    assert [(A, B, 10_000, 10_000, 10_000), (B, C, 6500, 7000, 8100), (A, C, 6000, 7000, 8000)] == (
        abc.edges
    )
    assert ([D, E], 9000, 9800, 1, "") == (de.members, *de[2:])
    assert {"mirror_groups": {"components": 2, "groups": 2, "members": 5}} == counters
    pairs = [tuple(line.split(b"\t")) for line in edge_lines(EDGES)]
    assert [(E, F, 3000, 9500, 3100)] == list(contained_pairs(pairs))


def test_guards():
    """A chain of copies whose ends have little in common, and one of too many members, are cut."""
    urls = [b"http://%03d.example/" % k for k in range(12)]
    shingles = {url: range(30 * k, 30 * k + 100) for k, url in enumerate(urls)}
    weights = {(k, k + 1): 6000 - 10 * k for k in range(11)}
    edges = edge_lines((urls[a], urls[b], f"{w} {w} {w}") for (a, b), w in weights.items())
    parts = lines(members(edges, page_lines(shingles, {})))
    records, counters = run_job(MirrorGroups, [], parts)
    groups = list(read_groups(records))
    # the weakest edge is that at the end, again and again, until three are left
    assert [(3, "a pair too little alike", 2)] == [
        (len(g.members), g.cut, g.diameter) for g in groups
    ]
    assert {"cut_too_little_alike": 9, "components": 1, "groups": 1, "members": 3} == (
        counters["mirror_groups"]
    )
    words = ["--mirrors-least-pair=0", "--mirrors-most-members=4"]
    records, counters = run_job(MirrorGroups, words, parts)
    assert [(4, "too many members")] == [(len(g.members), g.cut) for g in read_groups(records)]
    assert 8 == counters["mirror_groups"]["cut_too_large"]


def test_order_and_tasks():
    """Edges and pages in any order, in one task or several."""
    chance, urls = random.Random(5), [b"http://%02d.example/" % k for k in range(40)]
    edges = [
        (a, b, f"{w} {w} {w}")
        for a, b in combinations(urls, 2)
        if chance.random() < 0.05 and (w := chance.choice([5000, 7000, 10_000]))
    ]
    shingles = {url: range(chance.randrange(60), 100) for url in urls}
    pages = page_lines(shingles, {url: chance.randrange(3) for url in urls})
    made = members(edge_lines(edges), pages)
    assert made == members(edge_lines(edges)[::-1], pages[::-1])
    expected = run_job(MirrorGroups, [], lines(made))
    assert expected == run_job(MirrorGroups, [], lines(made)[::-1])
    assert len(expected[0]) > 10


def test_programs(tmp_path):
    """All three jobs as programs; the first again, in its second round."""
    edges = edge_lines(EDGES)
    stars = lines(components(edges)[0])
    together = [*edges, *stars, *PAGES]
    parts = lines(run_job(MirrorMembers, [], together)[0])
    for name, job, words, inputs in [
        ("mirror_components", MirrorComponents, [], edges),
        ("mirror_components", MirrorComponents, ["--round=2"], stars),
        ("mirror_members", MirrorMembers, [], together),
        ("mirror_groups", MirrorGroups, [], parts),
    ]:
        path = tmp_path / name
        path.write_bytes(b"\n".join(inputs) + b"\n")
        said = run_script(name, "-r", "local", "--no-conf", *words, path)
        assert 0 == said.code, said.err
        assert run_job(job, words, inputs) == split_output(said.out.encode())
