"""Links of pages become a graph: who is a node, which links count, and the records."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pagekin.config import AuthorityConfig, BuildConfig
from pagekin.counters import Counters
from pagekin.kinds import GRAPH, LINKS, Pair
from pagekin.stages.link_graph import nodes as module
from pagekin.stages.link_graph import settle_sites
from pagekin.stages.link_graph.nodes import (
    BACK,
    ONWARD,
    SELF,
    join_ends,
    node_of,
    parse_node,
    send_ends,
)
from pagekin.tables import url_digest

A, B, C, D = (f"http://{host}.example/" for host in ("www.a", "b", "c", "blog.a"))
PAGES = {A: [B, A + "x", D], A + "x": [B, C, A], B: [A], D: [C]}


def links_records(pages: dict[str, list[str]]) -> list[Pair]:
    return [
        (LINKS.prefix + page.encode(), b"|%b|" % " ".join(urls).encode())
        for page, urls in pages.items()
    ]


def graph_of(records: list[Pair], within: str = "leave", tasks: int = 1):
    """(names of all nodes), (links by names), and what was counted."""
    config, counters = AuthorityConfig(within_sites=within), Counters()
    sent = [pair for k in range(tasks) for pair in send_ends(records[k::tasks], config)]
    made = list(join_ends(sorted(sent), counters))
    names = {key: parse_node(v).name.decode() for key, v in made if v.startswith(SELF)}
    assert [key.removeprefix(GRAPH.prefix) for key in names] == [
        node_of(name.encode()) for name in names.values()
    ]
    onward, back = set(), set()
    for key, value in made:
        if value.startswith(ONWARD):
            onward |= {(names[key], names[GRAPH.prefix + n]) for n in value.split()[3:]}
        elif value.startswith(BACK):
            back |= {(names[GRAPH.prefix + n], names[key]) for n in value.split()[2:]}
    assert onward == back
    for key, value in made:
        if value.startswith(SELF):
            node = parse_node(value)
            sides = [[link[side] for link in onward].count(names[key]) for side in (0, 1)]
            assert sides == [node.links, node.inlinks]
    return set(names.values()), onward, counters.as_dict()


def test_between_sites():
    """Links within a site are none; what only they lead to is no node unless it was read."""
    names, links, counters = graph_of(links_records(PAGES | {C: [C + "own"]}))
    hosts = {"//www.a.example", "//b.example", "//c.example", "//blog.a.example"}
    assert {A, A + "x", B, C, D} | hosts == names
    between = {(A, B), (A + "x", B), (A + "x", C), (B, A), (D, C)}
    of_hosts = {
        ("//www.a.example", "//b.example"),
        ("//www.a.example", "//c.example"),
        ("//b.example", "//www.a.example"),
        ("//blog.a.example", "//c.example"),
    }
    assert between | of_hosts == links
    counted = {"pages": 5, "links_of_pages": 5, "hosts": 4, "links_of_hosts": 4}
    assert {"link_graph": counted} == counters


def test_within_sites():
    """Where links within sites count, those between hosts of one site do for hosts, too."""
    _, links, _ = graph_of(links_records(PAGES), "count")
    assert {(A, A + "x"), (A, D), ("//www.a.example", "//blog.a.example")} < links
    assert ("//www.a.example", "//www.a.example") not in links


def test_one_site_is_told_by_its_links():
    """Links within a site count where fewer than one in a hundred leads to another site."""
    settled = [
        settle_sites(BuildConfig(), {"joined_links": {"found": 1_000, "to_other_sites": n}})
        for n in (9, 10)
    ]
    assert ["count", "leave"] == [config.authority.within_sites for config in settled]
    asked = BuildConfig(authority=AuthorityConfig(within_sites="count"))
    assert asked == settle_sites(asked, {"joined_links": {"found": 10, "to_other_sites": 10}})


@given(
    st.dictionaries(
        st.sampled_from([A, B, C, D, A + "x", B + "y"]),
        st.lists(st.sampled_from([A, B, C, D, A + "x", C + "z"]), unique=True),
    ),
    st.integers(1, 4),
)
def test_tasks_do_not_show(pages, tasks):
    """The graph is that of one task, for any number."""
    records = links_records(pages)
    assert graph_of(records) == graph_of(records, tasks=tasks)


def test_gathering_does_not_show(monkeypatch):
    """Nor does it matter how many ends of links wait to be sent."""
    records = links_records(PAGES)
    expected = graph_of(records)
    monkeypatch.setattr(module, "_GATHERED", 1)
    monkeypatch.setattr(module, "_TOGETHER", 1)
    assert expected == graph_of(records)


@given(st.lists(st.binary(min_size=1, max_size=20), unique=True))
def test_nodes_are_in_the_order_of_digests(names):
    """So the table of scores, which has digests, is written as the records come."""
    assert sorted(names, key=node_of) == sorted(names, key=url_digest)
