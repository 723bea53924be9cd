"""Links of pages become a graph of pages, and one of hosts.

Nodes are pages that were read, URLs that links lead to, and the hosts of both; a host links once to
another, however many of its pages do. A link within a site (a top sub-domain) is no link where
these are left out, and what only such links lead to is no node.

A node is known by 22 characters, its URL or `//HOST` in 128 bits of a hash. It has these records,
in this order; the scores are those of `pagekin.authority.ranks`:

    1 LINKS INLINKS CITING RANK HUB AUTHORITY NAME   the node with its scores
    2 RANK HUB NODE NODE ...                         what it sends along each link, and to whom
    3 AUTHORITY NODE NODE ...                        what it sends back along each link to it

CITING is for a host how many of its pages have links, for a page 0. What mappers send of a node is
shorter: `1 NAME`, `2` and `3` with nodes alone, and `4 CITING`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64encode

from pagekin.authority.ranks import FIRST, HOST_GRAPH, PAGE_GRAPH, RANK_ONE, sent_along
from pagekin.authority.table import HOST_MARK, host_name
from pagekin.config import AuthorityConfig
from pagekin.counters import Counters
from pagekin.kinds import GRAPH, LINKS, Pair
from pagekin.stages.links.extractor import parse_links
from pagekin.tables import url_digest
from pagekin.web.urls import top_subdomain

__all__ = [
    "BACK",
    "CITING_PAGES",
    "NODE_LENGTH",
    "ONWARD",
    "SELF",
    "Node",
    "back_value",
    "graph_of",
    "join_ends",
    "node_of",
    "node_value",
    "onward_value",
    "parse_node",
    "send_ends",
]

SELF, ONWARD, BACK, CITING_PAGES = b"1", b"2", b"3", b"4"
NODE_LENGTH = 22  # characters
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"  # of base64
_ORDERED = bytes(sorted(_LETTERS.replace(b"+", b"-").replace(b"/", b"_")))
_TO_ORDERED = bytes.maketrans(_LETTERS, _ORDERED)
_TOGETHER = 1_000  # links in one record
_GATHERED = 200_000  # ends of links that wait to be sent: 40 MB
_HOSTS = 50_000  # that are remembered

Nodes = NDArray[np.bytes_]


class Node(NamedTuple):
    """A node with its scores."""

    links: int
    inlinks: int
    citing: int
    rank: int
    hub: int
    authority: int
    name: bytes


def node_of(name: bytes) -> bytes:
    """What a URL, or `//HOST`, is known by. Nodes are in the order of the digests of their names.

    >>> node_of(b"http://a.example/"), node_of(b"//a.example")
    (b'c-H09xkDVK_PvGNXe7xvlF', b'LJ_S_Us7sFqRO5OjzI2r4k')
    """
    return b64encode(url_digest(name)).translate(_TO_ORDERED)[:NODE_LENGTH]


def graph_of(name: bytes) -> str:
    """The graph that a node belongs to."""
    return HOST_GRAPH if name.startswith(HOST_MARK) else PAGE_GRAPH


def parse_node(value: bytes) -> Node:
    """The node of a record that begins with SELF; ValueError if it is none."""
    _, links, inlinks, citing, rank, hub, authority, name = value.split(b" ")
    counts = int(links), int(inlinks), int(citing)
    return Node(*counts, int(rank), int(hub), int(authority), name)


# --- the map side ---------------------------------------------------------------------------------


def send_ends(pairs: Iterable[Pair], config: AuthorityConfig) -> Iterator[Pair]:
    """Both ends of each link; those of the targets, and of hosts, gathered."""
    within = config.within_sites == "count"
    names: set[bytes] = set()
    onward: defaultdict[bytes, set[bytes]] = defaultdict(set)  # of hosts
    back: defaultdict[bytes, set[bytes]] = defaultdict(set)
    citing: Counter[bytes] = Counter()  # pages of hosts
    gathered = 0
    for key, value in pairs:
        page = key.removeprefix(LINKS.prefix)
        page_host, page_site = _host_and_site(_origin(page))
        targets = []
        for url in parse_links(page, value).urls:
            url_host, url_site = _host_and_site(_origin(url))
            if url_site == page_site and not within:
                continue
            targets.append(url)
            if url_host != page_host:
                onward[page_host].add(url_host)
        names.update([page, page_host, *targets])
        names.update(_host_and_site(_origin(url))[0] for url in targets)
        node = node_of(page)
        nodes = list(map(node_of, targets))
        if nodes:
            citing[page_host] += 1
            yield node, b" ".join([ONWARD, *nodes])
        for target in nodes:
            back[target].add(node)
        gathered += 2 + len(nodes)
        if gathered > _GATHERED:
            yield from _gathered(names, onward, back, citing)
            gathered = 0
    yield from _gathered(names, onward, back, citing)


def _origin(url: bytes) -> bytes:
    """Scheme, host and port."""
    return url[: url.find(b"/", 8)]


@lru_cache(_HOSTS)
def _host_and_site(origin: bytes) -> tuple[bytes, str]:
    """The node of a host, and its top sub-domain."""
    url = f"{origin.decode('utf-8', 'replace')}/"
    return host_name(url), top_subdomain(url)


def _gathered(
    names: set[bytes],
    onward: defaultdict[bytes, set[bytes]],
    back: defaultdict[bytes, set[bytes]],
    citing: Counter[bytes],
) -> Iterator[Pair]:
    """What was gathered, which is forgotten then."""
    for name in names:
        yield node_of(name), b"%b %b" % (SELF, name)
    for name, others in onward.items():
        node, nodes = node_of(name), list(map(node_of, others))
        yield node, b" ".join([ONWARD, *nodes])
        for other in nodes:
            back[other].add(node)
    for node, others in back.items():
        yield node, b" ".join([BACK, *others])
    for name, pages in citing.items():
        yield node_of(name), b"%b %d" % (CITING_PAGES, pages)
    for some in (names, onward, back, citing):
        some.clear()


# --- the reduce side ------------------------------------------------------------------------------


def join_ends(pairs: Iterable[Pair], counters: Counters) -> Iterator[Pair]:
    """The records of each node before the first round."""
    for key, group in groupby(pairs, key=itemgetter(0)):
        name, citing = b"", 0
        ends: dict[bytes, list[bytes]] = {ONWARD: [], BACK: []}
        for _, value in group:
            mark, _, rest = value.partition(b" ")
            if mark == SELF:
                name = rest
            elif mark == CITING_PAGES:
                citing += int(rest)
            else:
                ends[mark].append(rest)
        onward, back = (_together(ends[mark]) for mark in (ONWARD, BACK))
        node = Node(len(onward), len(back), citing, RANK_ONE, FIRST, FIRST, name)
        counters.add("link_graph", graph_of(name))
        counters.add("link_graph", f"links_of_{graph_of(name)}", node.links)
        key = GRAPH.prefix + key  # noqa: PLW2901
        yield key, node_value(node)
        for others in _in_records(onward):
            yield key, onward_value(node, others)
        for others in _in_records(back):
            yield key, back_value(node, others)


def _together(lists: Sequence[bytes]) -> Nodes:
    """The nodes of several lists, each once, in their order."""
    if not lists:
        return np.empty(0, f"S{NODE_LENGTH}")
    return np.unique(np.frombuffer(b" ".join(lists) + b" ", f"S{NODE_LENGTH},S1")["f0"])


def _in_records(nodes: Nodes) -> Iterator[bytes]:
    """Lists of nodes, each for one record."""
    for start in range(0, len(nodes), _TOGETHER):
        yield b" ".join(nodes[start : start + _TOGETHER].tolist())


# --- records --------------------------------------------------------------------------------------


def node_value(node: Node) -> bytes:
    """The record of a node itself."""
    return b"%b %d %d %d %d %d %d %b" % (SELF, *node)


def onward_value(node: Node, others: bytes) -> bytes:
    """A record of links of a node to others."""
    return b"%b %d %d %b" % (ONWARD, sent_along(node.rank, node.links), node.hub, others)


def back_value(node: Node, others: bytes) -> bytes:
    """A record of links of others to a node."""
    return b"%b %d %b" % (BACK, node.authority, others)
