"""Joined links: heads of bags, messages along links, and what they add up to."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pybase64 import b64encode

from pagekin.bags.bag import BagColumns
from pagekin.enrich import links
from pagekin.tables import url_digest

URL = b"http://a.example/"
TERMS = 3  # of a head in these tests
Bag = dict[int, float]


def columns(*bags: Bag) -> BagColumns:
    """These bags, one behind another."""
    terms = [term for bag in bags for term in sorted(bag)]
    weights = [bag[term] for bag in bags for term in sorted(bag)]
    bounds = np.cumsum([0, *map(len, bags)], dtype=np.int64)
    return BagColumns(np.array(terms, np.uint32), np.array(weights, np.float32), bounds)


def rows(bags: BagColumns) -> list[dict[int, float]]:
    """The bags as dictionaries."""
    edges = zip(bags.bounds, bags.bounds[1:], strict=False)
    return [
        dict(zip(bags.terms[a:b].tolist(), bags.weights[a:b].tolist(), strict=True))
        for a, b in edges
    ]


def head(terms: dict[int, int]) -> bytes:
    """A head of these terms and weights, in this order."""
    padded = [*terms.items(), *[(0, 0)] * TERMS][:TERMS]
    return b"".join(t.to_bytes(4, "little") for t, _ in padded) + bytes(w for _, w in padded)


def from_page(kind: int, name: str, terms: dict[int, int], weight: int = 255) -> bytes:
    return links.message(kind, weight, links.sender_of(name.encode()), head(terms))


def contexts(*messages: bytes, most: int = 100) -> list[list[Bag]]:
    """The parts of each kind of one URL."""
    size = links.message_size(TERMS)
    values, _ = links.contexts_of([URL], [b"".join(messages)], size, most)
    return [rows(part)[0] for part in links.read_contexts(values)]


# --- heads --------------------------------------------------------------------------------------


def test_head():
    """The heaviest terms, heaviest first, of equal ones the smaller; the heaviest weighs 255."""
    bags = columns({1: 0.1, 5: 0.4, 7: 0.2, 9: 0.2, 11: 0.1}, {8: 0.5}, {})
    expected = [head({5: 255, 7: 128, 9: 128}), head({8: 255}), head({})]
    assert expected == links.heads_of(bags, TERMS)


def test_light_terms_weigh_something():
    """What rounds to 0 is still a term."""
    assert [head({1: 255, 2: 1})] == links.heads_of(columns({1: 1.0, 2: 1e-6}), TERMS)


weights = st.floats(2.0**-20, 1, width=32)
bags_of = st.lists(st.dictionaries(st.integers(0, 9), weights, max_size=8), max_size=5)


@given(bags_of, st.integers(1, 6))
def test_heads_one_by_one(bags: list[Bag], count: int):
    """Heads of many bags are those of each, found by sorting it."""
    made = links.heads_of(columns(*bags), count)
    for bag, one in zip(bags, made, strict=True):
        heaviest = sorted(bag.items(), key=lambda item: (-item[1], item[0]))[:count]
        terms, heavy = (column[0].tolist() for column in links.split_heads([one]))
        padding = [0] * (count - len(heaviest))
        assert [term for term, _ in heaviest] + padding == terms
        top = heaviest[0][1] if heaviest else 1.0
        assert [max(1, round(w * (255 / top))) for _, w in heaviest] + padding == heavy


def test_damaged_head():
    """Bytes that are no head are refused."""
    with pytest.raises(ValueError, match="a head has 7 bytes"):
        links.split_heads([b"1234567"])


# --- contexts -----------------------------------------------------------------------------------


def test_kinds_apart():
    """Each kind is a part of its own; a part without messages is empty."""
    citing = from_page(links.CITING, "b", {1: 255, 2: 255})
    beside = from_page(links.COCITED, "c", {3: 255})
    assert [{1: 0.5, 2: 0.5}, {}, {3: 1.0}] == contexts(citing, beside)


def test_weights_are_squared():
    """A term of twice the sum has four times the weight."""
    found = contexts(
        from_page(links.CITING, "b", {1: 255, 2: 255}),
        from_page(links.CITING, "c", {1: 255, 3: 255}),
    )[links.CITING]
    assert 4 == pytest.approx(found[1] / found[2], rel=0.02)
    assert found[2] == found[3]


def test_neighbours_count_by_their_weights():
    """A neighbour of half the weight gives half the sum."""
    found = contexts(
        from_page(links.CITED, "b", {1: 255}, 200), from_page(links.CITED, "c", {2: 255}, 100)
    )[links.CITED]
    assert 4 == pytest.approx(found[1] / found[2], rel=0.02)


def test_greatest_weight():
    """A page that stands beside another on very many pages has the greatest weight."""
    assert from_page(2, "b", {1: 9}, 255) == from_page(2, "b", {1: 9}, 70_000)


kinds = st.integers(0, len(links.KINDS) - 1)
heads = st.dictionaries(st.integers(0, 12), st.integers(1, 255), max_size=TERMS)
senders = st.sampled_from([f"http://{k}.example/" for k in range(9)])
told = st.dictionaries(st.tuples(kinds, senders), st.tuples(heads, st.integers(1, 255)))


def chosen_by_hand(url: bytes, messages: list[bytes], most: int) -> set[bytes]:
    """Of each kind those whose sender's number, mixed with the URL's, is least."""
    own = int.from_bytes(url_digest(url)[:8])

    def lot(message: bytes) -> tuple[int, bytes]:
        sender = int.from_bytes(message[2:10], "little")
        return (sender ^ own) * 0x9E3779B97F4A7C15 % 2**64, message

    of_kinds = [[m for m in messages if m[0] == kind] for kind in range(len(links.KINDS))]
    return {m for some in of_kinds for m in sorted(some, key=lot)[:most]}


def context_by_hand(messages: set[bytes], kind: int, kept: int) -> Bag:
    """The part of one kind, by its definition."""
    sums: Counter[int] = Counter()
    for message in messages:
        _, weight, _, packed = links.parse_message(message)
        terms, heavy = (column[0].tolist() for column in links.split_heads([packed]))
        for term, one in zip(terms, heavy, strict=True):
            if message[0] == kind and one:
                sums[term] += one * 1023 // sum(heavy) * weight
    shares = {term: number / max(sums.values()) for term, number in sums.items()}
    whole = {term: round(255 * share * share) for term, share in shares.items()}
    order = sorted((-number, term) for term, number in whole.items() if number)[:kept]
    total = -sum(number for number, _ in order)
    return {term: float(np.float32(-number / total)) for number, term in order}


@given(st.lists(told, min_size=1, max_size=4), st.integers(1, 5), st.integers(1, 6))
@settings(deadline=None)
def test_twin(of_urls: list[dict[tuple[int, str], tuple[dict[int, int], int]]], most: int, kept):
    """Contexts of many URLs are those of each, by their definition."""
    urls = [b"http://url%d.example/" % k for k in range(len(of_urls))]
    all_messages = [
        [from_page(kind, name, *rest) for (kind, name), rest in some.items()] for some in of_urls
    ]
    with patch.object(links, "_KEPT", kept):
        heard = [b"".join(messages) for messages in all_messages]
        values, used = links.contexts_of(urls, heard, links.message_size(TERMS), most)
    parts = links.read_contexts(values)
    chosen = [chosen_by_hand(*each, most) for each in zip(urls, all_messages, strict=True)]
    for kind, part in enumerate(parts):
        assert [context_by_hand(some, kind, kept) for some in chosen] == rows(part)
        assert used[kind] == sum(m[0] == kind for some in chosen for m in some)


@given(told, st.integers(1, 4), st.randoms())
@settings(deadline=None)
def test_cut_in_pieces(some, most, random):
    """Messages may be cut before they are all together, and come in any order."""
    messages = [from_page(kind, name, *rest) for (kind, name), rest in some.items()]
    whole = contexts(*messages, most=most)
    random.shuffle(messages)
    pieces = [messages[k::3] for k in range(3)]
    kept = [m for piece in pieces for m in links.least_messages(URL, piece, most)]
    assert whole == contexts(*kept, most=most)


def test_not_all_hear_the_same():
    """Which of many pages a URL hears depends on the URL."""
    messages = [from_page(links.CITING, f"{k}", {k: 255}) for k in range(50)]
    heard = {tuple(links.least_messages(b"%d" % url, messages, 5)) for url in range(20)}
    assert 20 == len(heard)


def test_golden_value():
    """The bytes of contexts: sizes of the parts, their terms, their weights."""
    value, _ = links.contexts_of(
        [URL],
        [from_page(links.CITED, "b", {7: 255, 2: 100})],
        links.message_size(TERMS),
        100,
    )
    assert [b64encode(b"\0\2\0" + b"\2\0\0\0\7\0\0\0" + bytes([39, 255]))] == value


def test_no_contexts():
    """Of no URLs there are none."""
    assert ([], [0, 0, 0]) == links.contexts_of([], [], links.message_size(TERMS), 100)
    assert [[]] * 3 == [rows(part) for part in links.read_contexts([])]


@pytest.mark.parametrize("value", [b"AA==", b64encode(b"\1\0\0abc"), b64encode(b"\0\0\0a"), b"A"])
def test_damaged_contexts(value):
    """What is no value of contexts is refused."""
    with pytest.raises(ValueError, match=r"fit|padding|shape|size|base64|Non-base64|reshape"):
        links.read_contexts([value])


def test_damaged_messages():
    """So are messages that are cut, or of no kind."""
    size = links.message_size(TERMS)
    one = from_page(links.CITED, "b", {7: 255})
    with pytest.raises(ValueError, match="do not fit"):
        links.contexts_of([URL], [one[:-1]], size, 100)
    with pytest.raises(ValueError, match="no kind"):
        links.contexts_of([URL], [b"\3" + one[1:]], size, 100)


# --- table --------------------------------------------------------------------------------------

some_urls = st.sets(st.sampled_from([b"http://%d.example/" % k for k in range(9)]))


@given(some_urls, some_urls, st.integers(1, 4))
def test_table(tmp_path_factory, stored: set[bytes], wanted: set[bytes], at_once: int):
    """URLs get their contexts back, and those without get empty parts."""
    path = tmp_path_factory.mktemp("table") / "contexts.arrays"
    records = []
    for k, url in enumerate(sorted(stored)):
        heard = from_page(links.CITING, "b", {k: 9}) + from_page(links.COCITED, "c", {90 + k: 9})
        values, _ = links.contexts_of([url], [heard], links.message_size(TERMS), 100)
        records.append((url, values[0]))
    with patch.object(links, "_AT_ONCE", at_once):
        links.write_contexts(path, iter(records))
    urls = sorted(wanted)
    place = {url: k for k, (url, _) in enumerate(records)}
    expected = [{place[url]: 1.0} if url in place else {} for url in urls]
    citing, cited, cocited = links.Contexts(path).parts(urls)
    assert expected == rows(citing)
    assert [{}] * len(urls) == rows(cited)
    assert [{90 + k: 1.0 for k in bag} for bag in expected] == rows(cocited)
