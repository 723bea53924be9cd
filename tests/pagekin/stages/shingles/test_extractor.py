"""Pages become sketches, and hosts leave out what they repeat."""

from __future__ import annotations

from itertools import chain

import pytest

from pagekin.config import BuildConfig, MirrorConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.mirrors.shingles import fingerprints, make_sketch, pack, unpack
from pagekin.stages.shingles.extractor import (
    ShingleExtractor,
    leave_templates_out,
    read_sketches,
)
from tests.pages import html_page

MENU = " ".join(f"menu{'abcdefghij'[k]}" for k in range(10))
CONFIG = BuildConfig(mirrors=MirrorConfig(length=2))
PLAIN = BuildConfig(mirrors=MirrorConfig(length=2, templates=False))


def text_of(k: int) -> str:
    """Words that no other page has."""
    return " ".join("abcdefghij"[k] * n for n in range(5, 25))


def sent(pages: dict[str, str], counters: Counters | None = None) -> list[Pair]:
    """What the map side sends of these pages, sorted."""
    extractor = ShingleExtractor(CONFIG, counters or Counters())
    made = (extractor.records(html_page(html, url)) for url, html in pages.items())
    return sorted((*chain.from_iterable(made), *extractor.finish()))


def left(pages: dict[str, str], config: BuildConfig = CONFIG) -> dict[str, set[int]]:
    """The fingerprints of each page on the reduce side."""
    found = read_sketches(leave_templates_out(sent(pages), config, Counters()))
    return {url.decode(): set(unpack(word).fingerprints.tolist()) for url, word in found}


def shingles(text: str) -> set[int]:
    return set(fingerprints(text.encode(), 2).tolist())


SITE = {
    f"http://a.example/{k or ''}": f"<nav>{MENU}</nav><p>{text_of(k)}</p>{MENU}" for k in range(5)
}


def test_what_a_site_repeats_is_left_out():
    """Not what another one repeats; and where templates are wanted nothing is left out."""
    other = {f"http://b.example/{k}": f"<p>{text_of(k)}" for k in range(2)}
    found = left(SITE | other)
    for k in range(5):
        url = f"http://a.example/{k or ''}"
        borders = shingles(f"{MENU} {text_of(k)} {MENU}") - shingles(MENU) - shingles(text_of(k))
        assert found[url] == shingles(text_of(k)) | borders
        assert left(SITE | other, PLAIN)[url] == shingles(f"{MENU} {text_of(k)} {MENU}")
    assert found["http://b.example/1"] == shingles(text_of(1))


def test_pages_come_in_the_order_of_their_lots():
    """Which has nothing to do with the order in which they were read, or with their tasks."""
    records = [*leave_templates_out(sent(SITE), CONFIG, Counters())]
    backwards = sent(dict(reversed(SITE.items())))
    assert records == [*leave_templates_out(backwards, CONFIG, Counters())]
    assert {b"!shingles/http://a.example/"} == {key for key, _ in records}
    assert sorted(SITE) != [url.decode() for url, _ in read_sketches(records)]
    assert set(SITE) == {url.decode() for url, _ in read_sketches(records)}


def test_counters():
    """Pages, those without words, hosts, and what was left out."""
    counters = Counters()
    long = " ".join(f"{'abcdefghij'[k % 10]}{'k' * (k // 10)}" for k in range(600))
    pages = SITE | {"http://a.example/none": "<p>12", "http://c.example/": f"<p>{long}"}
    pairs = sent(pages, counters)
    expected = {"pages": 6, "pages_without_words": 1, "pages_sampled": 1}
    assert expected == counters.as_dict()["shingles"]
    counters = Counters()
    assert 6 == len([*leave_templates_out(pairs, CONFIG, counters)])
    expected = {"hosts": 2, "hosts_with_templates": 1, "of_templates": 5 * 9}
    assert expected == counters.as_dict()["shingles"]


def test_of_pages_that_name_one_url_the_first_counts():
    """Which is the same on every runner: values are sorted."""
    counters = Counters()
    key = b"!shingles/http://a.example/"
    words = sorted(pack(make_sketch(fingerprints(text_of(k).encode(), 2))) for k in range(2))
    values = [b"%016x /x %b" % (7, word) for word in words]
    made = [*leave_templates_out(((key, value) for value in values), CONFIG, counters)]
    assert [(key, b"/x " + words[0])] == made
    assert 1 == counters.as_dict()["shingles"]["pages_of_one_url"]


@pytest.mark.parametrize("word", [b"", b"AAAA", b"!", b"A" * 32 + b"==", b"A" * 64])
def test_damaged_sketches_are_refused(word: bytes):
    """A wrong length, what is no base64, and fingerprints that do not ascend."""
    with pytest.raises(ValueError):
        unpack(word)


def test_a_sketch_is_read_as_it_was_written():
    """Also one without any shingles."""
    for text in ("", "one two three", " ".join(f"{'ab' * k}" for k in range(1, 900))):
        sketch = make_sketch(fingerprints(text.encode(), 2))
        found = unpack(pack(sketch))
        assert sketch[:2] == found[:2]
        assert sketch.fingerprints.tolist() == found.fingerprints.tolist()
