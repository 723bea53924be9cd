"""Every kind of record in readable form: what `pagekin records` shows, one function for a kind.

A function gets key and value and gives a plain dictionary. Terms are numbers in all records; where
the words of a build are known, the words stand for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from pybase64 import b64decode

from pagekin import kinds
from pagekin.authority.table import FULL_WEIGHT
from pagekin.bags.bag import BAR, SOURCES, Bag, BagColumns, Dictionary, EnrichedBags, parse_bag
from pagekin.bags.vocabulary import read_forms
from pagekin.cocitation.block_record import parse_blocks
from pagekin.cocitation.kin_table import WEIGHT_MARK, parse_kin
from pagekin.cocitation.similarity import ONE
from pagekin.enrich.links import KINDS, parse_message, read_contexts, split_heads
from pagekin.enrich.neighbours import ONE as ONE_SHARE
from pagekin.index.mirror_table import Edge
from pagekin.index.shard_files import parse_piece
from pagekin.kinds import Kind
from pagekin.mirrors.shingles import unpack
from pagekin.stages.authority.rounds import RECEIVED, WHOLE_GRAPH
from pagekin.stages.contexts.sums import parse_messages
from pagekin.stages.document_frequency.counting import DF, WORDS, unpack_counts
from pagekin.stages.fragments.parcels import open_parcels
from pagekin.stages.inventory.cuts import parse_cuts
from pagekin.stages.inventory.sample import read_links
from pagekin.stages.joined_heads.join import BESIDE, CITED, CITING, OWN, parse_head
from pagekin.stages.link_graph.nodes import CITING_PAGES, NODE_LENGTH, ONWARD, SELF, parse_node
from pagekin.stages.links.extractor import parse_links, whole
from pagekin.stages.mirror_edges import verify
from pagekin.stages.mirror_groups import cutting
from pagekin.stages.mirror_members import join as members
from pagekin.stages.mirror_offers import offers
from pagekin.stages.pairs.stripe_codec import split_stripes, unpack_partners
from pagekin.stages.related.best_kin import named_page, parse_edge
from pagekin.stages.shingles.extractor import read_sketches
from pagekin.stages.term_neighbours.learning import parse_neighbours
from pagekin.stages.topics.learning import parse_topic
from pagekin.text.words import Terms

__all__ = ["TermNames", "show_record"]

_NUMBER = 16  # digits
_FIRST = 16  # bytes of an array that are shown
_UNTOLD = np.array([-1])  # for similarities that a stripe leaves to the distance in the block

Shown = dict[str, Any]


class TermNames:
    """The words of terms, in the form in which they are most often written; or their numbers."""

    def __init__(self, dictionary: Dictionary | None) -> None:
        self._dictionary = dictionary

    def of(self, terms: Iterable[int] | Terms) -> list[str]:
        """A name for each term."""
        hashes = np.asarray(list(terms), dtype=np.uint32)
        if self._dictionary is None:
            return [f"{term:08x}" for term in hashes.tolist()]
        return [entry.display for entry in self._dictionary.look_up(hashes)]


def show_record(kind: Kind, key: bytes, value: bytes, names: TermNames) -> Shown:
    """One record, its key first."""
    return {"key": _text(key), **_SHOWN[kind](key, value, names)}


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


# --- what the inventory makes ---


def _sighting(key: bytes, value: bytes, names: TermNames) -> Shown:
    word, _, rest = value.partition(b" ")
    what = {b"c": "capture", b"r": "redirect", b"o": "another answer"}
    return {"what": what.get(word, _text(word)), "about": _text(rest)}


def _capture(key: bytes, value: bytes, names: TermNames) -> Shown:
    word, _, rest = value.partition(b" ")
    return {"what": _text(word), "about": _text(rest)}


def _cuts(key: bytes, value: bytes, names: TermNames) -> Shown:
    return {"places": parse_cuts(value)}


def _sample(key: bytes, value: bytes, names: TermNames) -> Shown:
    return {"urls": {_text(url): terms for url, terms in read_links(value)}}


def _stop_words(key: bytes, value: bytes, names: TermNames) -> Shown:
    first, *words = _text(value).split(" ")
    if len(first) == _NUMBER:  # before the shuffle, of one page
        return {"lot": first, "url_number": words[0], "words": words[1:]}
    return {"pages": int(first), "words": words}


# --- what the reading makes ---


def _parcel(key: bytes, value: bytes, names: TermNames) -> Shown:
    opened = open_parcels([(key, value)])
    of_link = opened.entry.tolist()

    def words(low: int, high: int) -> str:
        return " ".join(names.of(opened.terms[low:high]))

    windows: dict[int, list[Shown]] = {}
    for link, entry in enumerate(of_link):
        low, first, behind, high = (
            int(column[link])
            for column in (opened.low, opened.anchor, opened.anchor_end, opened.high)
        )
        window = {"before": words(low, first), "anchor": words(first, behind)}
        windows.setdefault(entry, []).append({**window, "behind": words(behind, high)})
    return {
        "citing_host": _text(opened.host[0]),
        "title": words(int(opened.title[0]), int(opened.text[0])),
        "urls": [
            {"url": _text(url), "links": windows.get(entry, [])}
            if links
            else {"url": _text(url), "text": words(int(opened.text[0]), int(opened.headings[0]))}
            for entry, (url, links) in enumerate(
                zip(opened.url, opened.links.tolist(), strict=True)
            )
        ],
    }


def _bag(key: bytes, value: bytes, names: TermNames) -> Shown:
    bag = parse_bag(key, value)
    return {
        "read": bag.crawled,
        "links": bag.anchors,
        "linking_pages": bag.pages,
        "linking_hosts": bag.hosts,
        "terms": _heaviest_first(bag, names),
    }


def _heaviest_first(bag: Bag, names: TermNames) -> list[list[str | float]]:
    order = np.lexsort((bag.terms, -bag.weights))
    words = names.of(bag.terms[order])
    weights = [round(float(weight), 6) for weight in bag.weights[order]]
    return [[word, weight] for word, weight in zip(words, weights, strict=True)]


def _forms(key: bytes, value: bytes, names: TermNames) -> Shown:
    return {"forms": [list(row) for row in read_forms(value)]}


def _blocks(key: bytes, value: bytes, names: TermNames) -> Shown:
    page = parse_blocks(value)
    return {
        "domain": _text(page.domain),
        "blocks": [
            [[_text(u), _text(a)] for u, a in zip(block.urls, block.anchors, strict=True)]
            for block in page.blocks
        ],
    }


# --- bags, on their way to an index ---


def _term_counts(key: bytes, value: bytes, names: TermNames) -> Shown:
    if value.startswith(DF):
        terms, counts = unpack_counts(value.removeprefix(DF))
        pairs = zip(names.of(terms), counts.tolist(), strict=True)
        return {"bags_with_term": [[name, count] for name, count in pairs]}
    return {"words": [_text(word) for word in value.removeprefix(WORDS).split(BAR)]}


def _sampled_bag(key: bytes, value: bytes, names: TermNames) -> Shown:
    return {"terms": names.of(np.frombuffer(b64decode(value, validate=True), "<u4"))}


def _neighbours(key: bytes, value: bytes, names: TermNames) -> Shown:
    df, words, packed = parse_neighbours(value)
    others, shares = np.split(np.frombuffer(packed, "<u4"), 2)
    near = zip(names.of(others), shares.tolist(), strict=True)
    return {
        "word": _text(words.partition(b" ")[2]),
        "bags_with_term": df,
        "neighbours": [[name, round(share / ONE_SHARE, 6)] for name, share in near],
    }


def _enriched_bag(key: bytes, value: bytes, names: TermNames) -> Shown:
    made = EnrichedBags.read([(key, value)])
    shown = _bag(key, value.split(b" ", 2)[2], names)
    order = np.lexsort((made.bags.terms, -made.bags.weights))
    sources = [SOURCES[source] for source in made.sources[order].tolist()]
    with_sources = zip(shown["terms"], sources, strict=True)
    return {**shown, "terms": [[*term, source] for term, source in with_sources]}


def _topic_sample(key: bytes, value: bytes, names: TermNames) -> Shown:
    rank, lot, packed = value.split(b" ")
    bag = parse_bag(b"", b"0 0 0 0 " + packed)
    return {"short_of_full": int(rank), "lot": _text(lot), "terms": _heaviest_first(bag, names)}


def _topic(key: bytes, value: bytes, names: TermNames) -> Shown:
    topic = parse_topic(value)
    order = np.argsort(-topic.centroid.values.astype(np.int64), kind="stable")
    pairs = zip(
        names.of(topic.centroid.terms[order]), topic.centroid.values[order].tolist(), strict=True
    )
    return {"words": topic.words, "terms": [[name, value] for name, value in pairs]}


def _document(key: bytes, value: bytes, names: TermNames) -> Shown:
    url, *rest = value.split(b" ")
    return {"url": _text(url), "fields": [_text(field) for field in rest[:-1]], "bytes": len(value)}


def _shard_piece(key: bytes, value: bytes, names: TermNames) -> Shown:
    shard, (name, data) = parse_piece((key, value))
    return {"shard": shard, "array": name, "bytes": len(data), "first": data[:_FIRST].hex(" ")}


# --- joined links ---


def _links(key: bytes, value: bytes, names: TermNames) -> Shown:
    links = parse_links(key.removeprefix(kinds.LINKS.prefix), value)
    urls = [_text(url) for url in links.urls]
    return {
        "links": urls[: links.readable],
        "links_to_pages_not_read": urls[links.readable :],
        "side_by_side": [[urls[a], urls[b]] for a, b in links.pairs],
    }


def _head(key: bytes, value: bytes, names: TermNames) -> Shown:
    return {"terms": _head_terms(b64decode(value, validate=True), names)}


def _head_terms(head: bytes, names: TermNames) -> list[list[Any]]:
    terms, weights = (column[0] for column in split_heads([head]))
    pairs = zip(names.of(terms), weights.tolist(), strict=True)
    return [[name, weight] for name, weight in pairs if weight]


def _asked(key: bytes, value: bytes, names: TermNames) -> Shown:
    if value.startswith(OWN):
        return _head(key, value.removeprefix(OWN), names)
    what = {CITED: "links_to", CITING: "linked_from", BESIDE: "beside"}[value[:1]]
    return {what: [_text(url) for url in whole(value[1:].split(), key)]}


def _joined_head(key: bytes, value: bytes, names: TermNames) -> Shown:
    told = parse_head(key.removeprefix(kinds.JOINED_HEADS.prefix), value)
    return {
        "terms": _head_terms(told.head, names),
        "links_to": [_text(url) for url in told.cited],
        "linked_from": [_text(url) for url in told.citing],
        "beside": {_text(url): times for url, times in told.beside.items()},
    }


def _messages(key: bytes, value: bytes, names: TermNames) -> Shown:
    number, joined = parse_messages(value)
    size = len(joined) // number
    rows = [joined[k : k + size] for k in range(0, len(joined), size)]
    return {"messages": [_message(row, names) for row in rows]}


def _message(row: bytes, names: TermNames) -> Shown:
    kind, weight, sender, head = parse_message(row)
    about = {"from": KINDS[kind], "weight": weight, "sender": sender.hex()}
    return {**about, "terms": _head_terms(head, names)}


def _contexts(key: bytes, value: bytes, names: TermNames) -> Shown:
    def heaviest_first(part: BagColumns) -> list[list[Any]]:
        order = np.lexsort((part.terms, -part.weights))
        weights = [round(float(weight), 6) for weight in part.weights[order]]
        pairs = zip(names.of(part.terms[order]), weights, strict=True)
        return [list(pair) for pair in pairs]

    return dict(zip(KINDS, map(heaviest_first, read_contexts([value])), strict=True))


# --- mirrors ---


def _site_sketch(key: bytes, value: bytes, names: TermNames) -> Shown:
    lot, _, rest = value.partition(b" ")
    return {"lot": _text(lot), **_page_sketch(key, rest, names)}


def _page_sketch(key: bytes, value: bytes, names: TermNames) -> Shown:
    ((url, word),) = read_sketches([(key, value)])
    return {"url": _text(url), **_sketch(word)}


def _sketch(word: bytes) -> Shown:
    sketch = unpack(word)
    first = [f"{number:016x}" for number in sketch.fingerprints[:_FIRST].tolist()]
    known = len(sketch.fingerprints)
    return {"shingles": sketch.shingles, "fingerprints": known, "first": first}


def _mirror_urls(key: bytes, value: bytes, names: TermNames) -> Shown:
    return {"urls": [_text(url) for url in value.split(b" ")]}


def _mirror_key(key: bytes, value: bytes, names: TermNames) -> Shown:
    digest, _, url = value.rpartition(b" ")
    return {"url": _text(url), **({"digest": _text(digest)} if digest else {})}


def _mirror_ask(key: bytes, value: bytes, names: TermNames) -> Shown:
    if value.startswith(offers.OWN):
        return _sketch(value.removeprefix(offers.OWN))
    return {"compared_with": _text(value.removeprefix(offers.OTHER))} if value[1:] else {}


def _mirror_offer(key: bytes, value: bytes, names: TermNames) -> Shown:
    word, *urls = value.split(b" ")
    return {**_sketch(word), "compared_with": [_text(url) for url in urls]}


def _mirror_side(key: bytes, value: bytes, names: TermNames) -> Shown:
    if value.startswith(verify.OWN):
        return _sketch(value.removeprefix(verify.OWN))
    url, _, word = value.removeprefix(verify.OTHER).partition(b" ")
    return {"compared_with": _text(url), **(_sketch(word) if word else {"copy": True})}


def _mirror_edge(key: bytes, value: bytes, names: TermNames) -> Shown:
    edge = verify.parse_edge(value)
    return {
        "url": _text(edge.url),
        "resemblance": edge.resemblance / verify.WHOLE_SHARE,
        "containment": edge.containment / verify.WHOLE_SHARE,
        "other_containment": edge.other_containment / verify.WHOLE_SHARE,
        "mirrors": edge.are_mirrors,
    }


def _node_edge(key: bytes, value: bytes, names: TermNames) -> Shown:
    return {"pages": _text(value).split(" ")}


def _page_fact(key: bytes, value: bytes, names: TermNames) -> Shown:
    digit, told = value[:1], value[1:]
    if digit == members.SKETCH:
        return _sketch(told)
    if digit == members.OWN_EDGE:
        return _component_part(key, members.EDGE + told, names)
    return {members.FACTS[digit]: _text(told)}


def _member(key: bytes, value: bytes, names: TermNames) -> Shown:
    component, _, part = value.partition(b" ")
    return {"component": _text(component), **_component_part(key, part, names)}


def _component_part(key: bytes, value: bytes, names: TermNames) -> Shown:
    if value.startswith(members.EDGE):
        edge = members.parse_edge_part(value)
        shares = {name: share / verify.WHOLE_SHARE for name, share in _shares(edge)}
        return {"urls": [_text(edge.a), _text(edge.b)], **shares}
    page = members.parse_page_part(value)
    return {"url": _text(page.url), "inlinks": page.inlinks, **_sketch(page.sketch)}


def _shares(edge: members.EdgePart | Edge) -> Iterator[tuple[str, int]]:
    return zip(("resemblance", "a_in_b", "b_in_a"), edge[2:], strict=True)


def _mirror_group(key: bytes, value: bytes, names: TermNames) -> Shown:
    representative, url = cutting.parse_key(key)
    shown: Shown = {"representative": _text(representative)}
    if url:
        edges = cutting.parse_edges(url, value)
        return {
            **shown,
            "url": _text(url),
            "edges": {
                _text(edge.a): [share / verify.WHOLE_SHARE for _, share in _shares(edge)]
                for edge in edges
            },
        }
    facts = cutting.parse_facts(value)
    shares = facts.least_edge / verify.WHOLE_SHARE, facts.least_pair / verify.WHOLE_SHARE
    return {
        **shown,
        "members": facts.members,
        "least_edge": shares[0],
        "least_pair": shares[1],
        "diameter": facts.diameter,
        "cut": facts.cut,
    }


# --- co-citation ---


def _stripe(key: bytes, value: bytes, names: TermNames) -> Shown:
    if not value:
        return {"partners": []}
    (group,), facts, hashes = split_stripes([value])
    domain, _, rest = group.partition(b" ")
    anchor, mark, weight = rest.partition(WEIGHT_MARK)
    partners = unpack_partners(facts, hashes, _UNTOLD)
    pairs = zip(partners.hashes.tolist(), partners.values.tolist(), strict=True)
    return {
        "domain": _text(domain),
        "anchor": _text(anchor),
        "weight": int(weight) / FULL_WEIGHT if mark else 1.0,
        "partners": [[f"{partner:016x}", _similarity(value)] for partner, value in pairs if value],
    }


def _similarity(value: int) -> float | str:
    """S of Eq. 5; where it is not told it is P, which follows from the distance in the block."""
    return "by distance" if value < 0 else value / ONE


def _edge(key: bytes, value: bytes, names: TermNames) -> Shown:
    if (url := named_page(value)) is not None:
        return {"url": _text(url)}
    page = parse_edge(value)
    return {
        "related": page.url,
        "score": page.score,
        "blocks": page.blocks,
        "domains": page.domains,
        "reasons": [reason._asdict() for reason in page.reasons],
    }


def _kin(key: bytes, value: bytes, names: TermNames) -> Shown:
    url, found = parse_kin(value)
    return {"url": url, "related": [each._asdict() for each in found]}


# --- authority ---


def _node(key: bytes, value: bytes, names: TermNames) -> Shown:
    """A node, its links, or what is sent to it; others are told by 22 characters."""
    mark, _, rest = value.partition(b" ")
    if key == WHOLE_GRAPH:  # the records of all nodes under one key
        node, _, record = value.partition(b" ")
        return {"node": _text(node), **_node(node, record, names)}
    if mark == SELF and rest.count(b" "):
        told = parse_node(value)
        return {**told._asdict(), "name": _text(told.name)}
    if mark == SELF:
        return {"name": _text(rest)}
    if mark == CITING_PAGES:
        return {"citing": int(rest)}
    if mark == RECEIVED:
        return dict(zip(("rank", "hub", "authority"), map(int, rest.split()), strict=True))
    words = rest.split()
    scores = [int(word) for word in words if len(word) < NODE_LENGTH]
    told_names = ("rank", "hub") if mark == ONWARD else ("authority",)
    others = [_text(word) for word in words[len(scores) :]]
    sent = dict(zip(told_names, scores, strict=False))
    return {**sent, "links_to" if mark == ONWARD else "linked_from": others}


_SHOWN: dict[Kind, Callable[[bytes, bytes, TermNames], Shown]] = {
    kinds.SIGHTINGS: _sighting,
    kinds.CAPTURES: _capture,
    kinds.CUTS: _cuts,
    kinds.SAMPLE: _sample,
    kinds.STOP_WORDS: _stop_words,
    kinds.PARCELS: _parcel,
    kinds.RAW_BAGS: _bag,
    kinds.WORDS: _forms,
    kinds.BLOCKS: _blocks,
    kinds.TERM_COUNTS: _term_counts,
    kinds.FINAL_BAGS: _bag,
    kinds.SAMPLED_BAGS: _sampled_bag,
    kinds.NEIGHBOURS: _neighbours,
    kinds.ENRICHED_BAGS: _enriched_bag,
    kinds.TOPIC_SAMPLE: _topic_sample,
    kinds.TOPICS: _topic,
    kinds.LINKS: _links,
    kinds.HEADS: _head,
    kinds.ASKED: _asked,
    kinds.JOINED_HEADS: _joined_head,
    kinds.MESSAGES: _messages,
    kinds.CONTEXTS: _contexts,
    kinds.DOCUMENTS: _document,
    kinds.SHARD_PIECES: _shard_piece,
    kinds.SITE_SKETCHES: _site_sketch,
    kinds.SHINGLES: _page_sketch,
    kinds.MIRROR_KEYS: _mirror_key,
    kinds.COPIES: _mirror_urls,
    kinds.MIRROR_PAIRS: _mirror_urls,
    kinds.MIRROR_ASKS: _mirror_ask,
    kinds.MIRROR_OFFERS: _mirror_offer,
    kinds.MIRROR_SIDES: _mirror_side,
    kinds.MIRROR_EDGES: _mirror_edge,
    kinds.NODE_EDGES: _node_edge,
    kinds.COMPONENTS: _node_edge,
    kinds.PAGE_FACTS: _page_fact,
    kinds.MEMBERS: _member,
    kinds.COMPONENT_PARTS: _component_part,
    kinds.MIRROR_GROUPS: _mirror_group,
    kinds.STRIPES: _stripe,
    kinds.EDGES: _edge,
    kinds.KIN: _kin,
    kinds.LINK_ENDS: _node,
    kinds.GRAPH: _node,
    kinds.RANK_MESSAGES: _node,
    kinds.RANKS: _node,
}
