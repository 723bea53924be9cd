"""Fragments for many strategies hold what each of them needs, and sort as a reducer's input."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pagekin.config import BagConfig, BuildConfig, TextConfig, WindowConfig
from pagekin.storage.part_files import read_records
from pagekin.sweep.fragment_sets import (
    FragmentNeeds,
    fragment_key,
    needs_of,
    sort_records,
    words_around,
)


def config(words=32, kind="basic", stemming="stem", **bag):
    return BuildConfig(
        text=TextConfig(stemming=stemming),
        window=WindowConfig(kind, words),
        bag=BagConfig(**{"headings": 0.0, "citing_title": 0.0, **bag}),
    )


def test_words_around():
    """Words of no weight are none: W = 32 is 30 with distance weights, and 0 without anchors."""
    assert 30 == words_around(config())
    assert 32 == words_around(config(distance="none"))
    assert 8 == words_around(config(8))
    assert 0 == words_around(config(anchor=0.0))


def test_needs():
    """Strategies of one kind of window and one way to make terms share a set: the widest, with all
    sources; where no word around a link counts the kind does not."""
    some = [
        config(8),
        config(16, distance="none", links=8.0),
        config(kind="topical", anchor=0.0),
        config(0, kind="syntactic"),
        config(4, kind="topical", headings=1.0),
        config(stemming="nostem"),
        config(same_host="drop"),
        config(same_host="weigh"),
    ]
    needs = needs_of(some)
    found = {(k.text.stemming, k.kind, k.drop_same_host): n for k, n in needs.items()}
    assert {
        ("stem", "basic", False): FragmentNeeds((0, 8, 16, 30), ("anchor", "content", "links")),
        ("stem", "topical", False): FragmentNeeds((4,), ("anchor", "content", "headings")),
        ("nostem", "basic", False): FragmentNeeds((30,), ("anchor", "content")),
        ("stem", "basic", True): FragmentNeeds((30,), ("anchor", "content")),
    } == found
    for one in some:
        assert needs[fragment_key(one)].cover(needs_of([one])[fragment_key(one)])


def test_cover():
    """Fragments serve what asks for no other width and no other source."""
    wide = FragmentNeeds((4, 8), ("anchor", "links"))
    assert wide.cover(FragmentNeeds((8,), ("anchor",)))
    assert not wide.cover(FragmentNeeds((6,), ("anchor",)))
    assert not wide.cover(FragmentNeeds((8,), ("content",)))


def test_config_of_a_set():
    """The fragments of a set are those of the widest window without any weights."""
    (key,) = needs_of([config(8)])
    made = FragmentNeeds((0, 8), ("anchor", "headings")).config(key)
    assert config(8, distance="none", content=0.0, headings=1.0) == made


pairs = st.lists(st.tuples(st.binary(min_size=1, max_size=3), st.binary(max_size=4)), max_size=60)


@given(pairs)
def test_sorting(tmp_path_factory, some):
    """All records come back, by key and in order of their values, whatever the keys begin with."""
    clean = [tuple(part.translate(None, b"\t\n") or b"x" for part in pair) for pair in some]
    path = tmp_path_factory.mktemp("fragments") / "records"
    path.write_bytes(b"".join(b"%b\t%b\n" % pair for pair in clean))
    sort_records(path)
    back = list(read_records(path))
    assert sorted(clean) == sorted(back)
    keys = [key for key, _ in back]
    changes = sum(a != b for a, b in pairwise(keys))
    assert len(set(keys)) - bool(keys) == changes
    for key in set(keys):
        values = [value for k, value in back if k == key]
        assert sorted(values) == values
