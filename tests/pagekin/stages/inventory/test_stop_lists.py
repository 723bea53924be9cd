"""Stop lists derived from the pages of a language, however the pages are dealt to tasks."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.config import BuildConfig, ReadingConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.inventory import stop_lists
from pagekin.stages.inventory.sample import lot_of
from pagekin.stages.inventory.stop_lists import (
    StopWordSampler,
    derive_stop_words,
    parse_stop_words,
)
from pagekin.stages.inventory.survey import Surveyor
from pagekin.web.page import open_response
from pagekin.web.warc import Record, read_records
from tests.pages import html_page
from tests.warcs import DATE, pipe, response

WORDS = ["w", "na", "się", "pszczoła", "miód", "ul"]
KEY = b"!stops/pl"


def record_of(url: str, words: list[str], lang: str = "pl", date: str = DATE) -> Record:
    html = f"<!doctype html><html lang='{lang}'><body><p>{' '.join(words)}</p>".encode()
    (record,) = read_records(pipe(response(url, html, warc_date=date)))
    assert isinstance(record, Record)
    return record


def kept(*records: Record) -> list[Pair]:
    """What one task sends of these records."""
    sampler = StopWordSampler(ReadingConfig())
    for record in records:
        opened = open_response(record)
        assert not isinstance(opened, str)
        sampler.look(record, opened[1])
    return list(sampler.records())


def derived(sent: list[Pair], counters: Counters | None = None) -> list[Pair]:
    """The reduce side, as the job has it."""
    counters = counters or Counters()
    return [
        pair
        for key, group in groupby(sorted(sent), key=itemgetter(0))
        for pair in derive_stop_words(key, (value for _, value in group), counters)
    ]


def values(*pages: str) -> list[bytes]:
    return [b"%016x %016x %b" % (k, k, words.encode()) for k, words in enumerate(pages)]


# --- the reduce side ---


def test_by_hand():
    """A word on six pages of ten is a stop word, on five it is none; the most frequent is first."""
    counters = Counters()
    pages = values(*["miód na w"] * 5, "na ul w", *["na"] * 4)
    assert [(KEY, b"10 na w")] == list(derive_stop_words(KEY, pages, counters))
    assert {"stop_words_derived": {"pl": 2}} == counters.as_dict()
    assert (10, ["na", "w"]) == parse_stop_words(b"10 na w")


def test_too_few_pages():
    """Nine pages tell nothing of a language; that is counted."""
    counters = Counters()
    assert [] == list(derive_stop_words(KEY, values(*["na"] * 9), counters))
    assert {"inventory": {"languages_of_too_few_pages": 1}} == counters.as_dict()


def test_captures_of_one_page():
    """A page counts once, however often it was captured."""
    again = [b"%016x %016x na" % (lot, 0) for lot in range(20)]
    assert [] == list(derive_stop_words(KEY, sorted([*again, *values("na")]), Counters()))


def test_most_words():
    """No more than 150 words, the most frequent ones, of equal ones the first."""
    words = [f"s{k:03}" for k in range(200)]
    pages = values(*[" ".join(words)] * 9, " ".join(words[50:]))
    ((_, value),) = derive_stop_words(KEY, pages, Counters())
    assert (10, words[50:]) == parse_stop_words(value)


# --- the map side ---


@given(
    st.lists(
        st.tuples(
            st.integers(0, 8),
            st.lists(st.sampled_from(WORDS), max_size=4),
            st.sampled_from(["pl", "pl-PL", "cs", "en", "", "xx"]),
            st.sampled_from(["2024-05-06T07:08:09Z", "2024-05-06T07:08:10Z"]),
        ),
        max_size=14,
    ),
    st.lists(st.integers(0, 2), min_size=14, max_size=14),
    st.randoms(use_true_random=False),
)
@settings(deadline=None, max_examples=60)
def test_same_for_any_tasks(pages, tasks, chance):
    """The lists are those of the pages with the least lots, whichever task sees which, and when:
    counted by brute force.
    """
    records = [record_of(f"http://a.example/{n}", *said) for n, *said in pages]
    with patch.object(stop_lists, "_MOST_PAGES", 4), patch.object(stop_lists, "_LEAST_PAGES", 2):
        dealt = list(zip(tasks, records, strict=False))
        chance.shuffle(dealt)
        sent = [pair for task in range(3) for pair in kept(*(r for t, r in dealt if t == task))]
        found = derived(sent)
    expected = []
    for language in ("cs", "pl"):
        captures: dict[int, list[tuple[int, str]]] = {}
        for (n, words, lang, _), record in zip(pages, records, strict=True):
            if lang[:2] == language:
                text = " ".join(sorted(set(words)))
                captures.setdefault(n, []).append((lot_of(record), text))
        least = sorted(min(some) for some in captures.values())[:4]
        chosen = [set(text.split()) for _, text in least]
        if len(chosen) >= 2:
            count = {word: sum(word in page for page in chosen) for word in WORDS}
            often = sorted(
                (w for w in WORDS if count[w] >= 0.6 * len(chosen)), key=lambda w: (-count[w], w)
            )
            value = " ".join([str(len(chosen)), *often]).encode()
            expected.append((f"!stops/{language}".encode(), value))
    assert expected == found


@pytest.mark.parametrize(("date", "works"), [(DATE, True), ("2024-05-06T07:08:10Z", False)])
def test_chosen_urls(date, works):
    """Whoever chooses URLs by the lots that they would have at a time makes the list only if they
    are captured in that second.
    """
    honest = [record_of(f"http://h{k}.example/", ["na"]) for k in range(90)]
    trap = sorted((record_of(f"http://x.example/{k}", ["miód"]) for k in range(3_000)), key=lot_of)
    later = [record_of(record.url, ["miód"], date=date) for record in trap[:40]]
    ((_, value),) = derived(kept(*honest, *later))
    assert ["miód" if works else "na"] == parse_stop_words(value)[1]


@pytest.mark.parametrize("lang", ["en", "de-AT", "zh", "", "{{lang}}"])
def test_what_is_not_looked_at(lang):
    """Pages of languages with a list, and pages that do not name a language."""
    assert [] == kept(record_of("http://a.example/", ["na"], lang))


@pytest.mark.parametrize(
    "tag", ["<html lang=pl>", '<HTML class="a" xml:lang="PL_pl" >', "<!-- x --><html\nlang='pl'>"]
)
def test_spellings(tag):
    """The attribute is found as pages write it, and read as the page reads it."""
    html = f"{tag}<p>na na w".encode()
    assert "pl" == html_page(html.decode()).language
    (record,) = read_records(pipe(response("http://a.example/", html)))
    ((key, value),) = kept(record)
    assert (KEY, [b"na", b"w"]) == (key, value.split(b" ")[2:])


def test_long_pages():
    """Of a long record the beginning counts, however much of it the inventory reads for others."""
    words = ["na"] * (stop_lists.LONGEST // 3)
    ((_, value),) = kept(record_of("http://a.example/", [*words, "ul"]))
    assert [b"na"] == value.split(b" ")[2:]


def test_without_captures(tmp_path):
    """Where nobody asks for captures all pages are looked at all the same, and none is counted."""
    path = tmp_path / "a.warc"
    urls = [f"http://a.example/{k}" for k in range(3)]
    html = b"<html lang=pl><p>na"
    path.write_bytes(b"".join(response(url, html) for url in urls))
    for captures in (False, True):
        sampler, counters = StopWordSampler(ReadingConfig()), Counters()
        surveyor = Surveyor(BuildConfig(), counters, captures=captures, stop_words=sampler)
        pairs = list(surveyor.survey(str(path), lambda pages, size: None))
        assert captures == bool(pairs)
        assert (3 if captures else 0) == counters.as_dict().get("inventory", {}).get("captures", 0)
        assert 3 == len(list(sampler.records()))
