"""Eq. 5 to 7 by hand, and which links of a page make a pair."""

from __future__ import annotations

import math

import pytest

from pagekin.blocks.filters import KeptLink as Link
from pagekin.cocitation.block_record import blocks_value
from pagekin.cocitation.similarity import ONE, similarity_by_distance
from pagekin.config import CocitationConfig
from pagekin.counters import Counters
from pagekin.stages.pairs.stripe_codec import split_stripes, unpack_partners
from pagekin.stages.pairs.stripes import make_stripes
from pagekin.tables import url_number

CLOSE = 1.5 / ONE


def url(name: object) -> str:
    return f"http://{name}.example/"


def links(*anchors: str) -> list[Link]:
    """Links to a0.example, a1.example and so on."""
    return [Link(url(f"a{k}"), anchor, k) for k, anchor in enumerate(anchors)]


def stripes(
    blocks: list[list[Link]], config: CocitationConfig, counters: Counters | None = None
) -> list[tuple[str, bytes, dict[int, float]]]:
    """URL, group, and S by the number of the partner, of one page."""
    records = [(b"http://p.example/", blocks_value("p.example", blocks))]
    found = []
    for key, value in make_stripes(records, config, counters or Counters()):
        group, pairs = unpacked(value, config) if value else (b"", {})
        found.append((key.decode(), group, pairs))
    return found


def unpacked(value: bytes, config: CocitationConfig) -> tuple[bytes, dict[int, float]]:
    (group,), facts, hashes = split_stripes([value])
    partners = unpack_partners(facts, hashes, similarity_by_distance(config))
    found = zip(partners.hashes.tolist(), (partners.values / ONE).tolist(), strict=True)
    return group, {h: v for h, v in found if v}


def similarity(block: list[Link], one: int, other: int, **options: object) -> float:
    """S of two links of a block; 0 where they make no pair."""
    found = stripes([block], CocitationConfig(**options))
    return found[one][2].get(url_number(block[other].url.encode()), 0.0)


def test_proximity_by_hand():
    """Eq. 5: 1 up to 8 places apart, then e^-1/2, e^-1 ..., and 0 from 51 places on."""
    table = similarity_by_distance(CocitationConfig(near=8)).tolist()
    assert [ONE] * 9 == table[:9]
    assert [651257337, 395007542] == table[9:11]
    assert [round(ONE * math.exp(-(k - 8) / 2)) for k in range(9, len(table))] == table[9:]
    assert (51, 0) == (len(table) - 1, table[-1])


@pytest.mark.parametrize(("apart", "expected"), [(8, 1.0), (9, 0.6065306597), (10, 0.3678794412)])
def test_far_links(apart, expected):
    """Links 8 places apart are as near as neighbours, farther ones less."""
    block = links(*map(str, range(12)))
    assert expected == pytest.approx(similarity(block, 1, 1 + apart), abs=1e-9)
    assert expected == pytest.approx(similarity(block, 1 + apart, 1), abs=1e-9)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("bees and honey", "honey", 1.5),  # "and" is a stop word
        ("Beekeeper's honey", "HONEY, beekeepers", 2.0),  # stems, case, punctuation
        ("bees wax candle", "honey wax", 1.25),  # 1 of 4
        ("bees", "wax", 1.0),
        ("2", "3", 1.0),  # no words on both sides
        ("the", "the", 1.0),
        ("蜜蜂蜂蜜", "蜂蜜", 1.5),  # cut into words
    ],
)
def test_anchors_by_hand(one, other, expected):
    """Eq. 6 and 7: near links with anchors that share words."""
    assert expected == pytest.approx(similarity(links(one, other), 0, 1), abs=CLOSE)


def test_stop_words_kept():
    """With stop words "the bees" shares half its words with "the wax"."""
    block = links("the bees", "the wax")
    assert 1.0 == similarity(block, 0, 1)
    assert 4 / 3 == pytest.approx(similarity(block, 0, 1, stop_words=False), abs=CLOSE)


def test_many_shared_words():
    """Anchors of more than 64 words that others share are compared in full."""
    names = [f"{a}{b}{c}" for a in "bdfgk" for b in "aou" for c in "bdfgk"]
    block = links(" ".join(names), " ".join(names[:-1]), "x" + names[0])
    assert 1 + 74 / 75 == pytest.approx(similarity(block, 0, 1), abs=CLOSE)


def test_places():
    """Places are counted among the links left, or in the block as it was."""
    block = [Link(url("a"), "x", 0), Link(url("b"), "y", 10)]
    assert 1.0 == similarity(block, 0, 1)
    assert math.exp(-1) == pytest.approx(similarity(block, 0, 1, place="block"), abs=CLOSE)


def test_one_top_subdomain():
    """Links of one top sub-domain make no pair, but take their places."""
    block = [Link(f"http://w{k}.a.co.uk/", "x", k) for k in range(9)]
    block = [Link(url("first"), "a", 0), *block, Link(url("last"), "b", 10)]
    found = stripes([block], CocitationConfig())
    assert [10, *[2] * 9, 10] == [len(partners) for _, _, partners in found]
    assert {
        url_number(url("first").encode()),
        url_number(url("last").encode()),
    } == set(found[1][2])
    assert math.exp(-1) == pytest.approx(similarity(block, 0, 10), abs=CLOSE)


def test_ports_and_odd_hosts():
    """A port is no part of a top sub-domain; addresses and bare names are their own."""
    hosts = ["a.example", "b.a.example:8080", "[2001:db8::1]", "10.0.0.1", "localhost", "co.uk"]
    block = [Link(f"http://{host}/", "x", k) for k, host in enumerate(hosts)]
    assert [4, 4, 5, 5, 5, 5] == [len(p) for _, _, p in stripes([block], CocitationConfig())]


def test_first_block_decides():
    """Of two blocks with one pair the first counts, also where it makes the pair less alike."""
    far = links(*map(str, range(60)))
    counters = Counters()
    found = stripes([far, [far[0], far[59], far[3]]], CocitationConfig(), counters)
    assert not found[0][2].get(url_number(far[59].url.encode()))  # too far: 0 counts
    assert [{}, {}, {}] == [partners for _, _, partners in found[60:]]
    assert 3 == counters.get("cocitation", "pairs_of_an_earlier_block")
    assert 63 == len(found)  # one stripe for each link of each block, for in_p


def test_many_blocks():
    """Repeats are seen across more blocks than one number has bits."""
    filler = [[Link(url(f"f{k}"), "x", 0), Link(url("a"), "y", 1)] for k in range(70)]
    pair = [Link(url("a"), "x", 0), Link(url("b"), "y", 1)]
    found = stripes([*filler, pair, pair, *filler], CocitationConfig())
    assert 71 * 2 == sum(len(partners) for _, _, partners in found)


def test_too_many_blocks():
    """Blocks behind the 4,096th are left out and counted."""
    counters = Counters()
    found = stripes([links("x")] * 4100, CocitationConfig(), counters)
    assert 4096 == len(found)
    assert 4 == counters.get("cocitation", "blocks_over_limit")


def test_groups():
    """A stripe tells the page's top sub-domain and the link's own anchor; alone it is empty."""
    found = stripes([links("Bees  here", "wax")], CocitationConfig())
    assert [b"p.example Bees here", b"p.example wax"] == [group for _, group, _ in found]
    assert [(url("a0"), b"", {})] == stripes([links("alone")], CocitationConfig())


def test_plain():
    """Plain: a page is one block, four links before and four behind, all of short pages."""
    block = links(*map(str, range(11)))
    found = stripes([block[:6], block[5:]], CocitationConfig(plain=True))
    sizes = [len(partners) for _, _, partners in found]
    assert [4, 5, 6, 7, 8, 8, 8, 7, 6, 5, 4] == sizes
    assert {1.0} == {value for _, _, partners in found for value in partners.values()}
    assert [8] * 9 == [len(p) for _, _, p in stripes([block[:9]], CocitationConfig(plain=True))]
