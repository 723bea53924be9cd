"""The inventory of a snapshot: from records to which URL stands for which, and what is read."""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagekin.config import BuildConfig, ReadingConfig
from pagekin.counters import Counters
from pagekin.stages.inventory.captures import (
    ALIAS,
    OVER,
    SPELT,
    capture_value,
    redirect_value,
    settle,
)
from pagekin.stages.inventory.survey import Surveyor
from pagekin.web import resolution
from pagekin.web.page import SnapshotReader, capture_name, read_file
from pagekin.web.resolution import Resolution, write_resolution
from pagekin.web.urls import are_spellings, plain_spelling, spellings
from tests.warcs import gz, request, response, warc_record, warcinfo

HTML = b"<html lang=en><title>Bees</title><p>Bees and hives."
URLS = [f"http://{name}.example/" for name in "abcd"]
SPELLINGS = [
    *("http://a.example/C++", "https://a.example/C++", "http://www.a.example/C%2B%2B/"),
    *("http://b.example/", "https://www.b.example/", "http://c.example/?q", "https://c.example/?q"),
]
TYPED = {"Content-Type": "text/html"}
DATES = [f"2024-05-{day:02}T00:00:00Z" for day in (1, 2, 10)]


class Seen(NamedTuple):
    """Something that was captured: a page, or a redirect if there is no name."""

    url: str
    date: str
    target: str | None = None
    redirect: bool = False

    def record(self) -> bytes:
        """The WARC record."""
        if self.redirect:
            return response(
                self.url, b"", 302, {"Location": self.target or ""}, warc_date=self.date
            )
        link = f"<link rel=canonical href='{self.target}'>" if self.target else ""
        return response(self.url, link.encode() + HTML, warc_date=self.date)


@dataclass
class Found:
    """What an inventory says."""

    aliases: dict[str, str] = field(default_factory=dict)  # by key
    pages: dict[str, str] = field(default_factory=dict)  # by key: how they are spelt
    over: set[bytes] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)


def survey(uris: list[str], config: ReadingConfig | None = None) -> Found:
    """The inventory as the job makes it: all pairs sorted, settled key by key."""
    counters = Counters()
    config = config or ReadingConfig()
    surveyor = Surveyor(BuildConfig(reading=config), counters)
    pairs = sorted(pair for uri in uris for pair in surveyor.survey(uri, lambda pages, size: None))
    found = Found()
    for url, group in groupby(pairs, key=itemgetter(0)):
        values = (value for _, value in group)
        for _, said in settle(url, values, counters, join=config.join_spellings):
            kind, _, rest = said.partition(b" ")
            if kind == ALIAS:
                found.aliases[url.decode()] = rest.decode()
            elif kind == SPELT:
                found.pages[url.decode()] = rest.decode()
            else:
                assert OVER == kind
                found.over.add(rest)
    found.counts = counters.as_dict().get("inventory", {})
    return found


def resolution_of(folder: Path, found: Found, join: bool = True) -> Resolution:
    aliases, pages = (
        [(key.encode(), url.encode()) for key, url in urls.items()]
        for urls in (found.aliases, found.pages)
    )
    write_resolution(folder / "resolution", aliases, found.over, None, pages if join else None)
    return Resolution(folder / "resolution")


def write(path: Path, *members: bytes) -> str:
    path.write_bytes(b"".join(members))
    return str(path)


# --- the plain twin -------------------------------------------------------------------------------


def plain_inventory(captured: list[tuple[bytes, Seen]], config: ReadingConfig) -> Found:
    """The same from the list of what was captured, with dictionaries."""
    found = Found()
    key_of = plain_spelling if config.join_spellings else str
    pages: defaultdict[str, list[tuple[str, str, bytes, str | None]]] = defaultdict(list)
    moves: defaultdict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for name, (url, date, target, redirect) in captured:
        if not redirect:
            pages[key_of(url)].append((date, url, name, target))
        elif target and target != url:
            moves[key_of(url)].append((date, url, target))
    for key in {*pages, *moves}:
        captures = sorted(pages[key], key=itemgetter(0, 1, 2))
        found.over |= {name for _, _, name, _ in captures[:-1]}
        if captures:
            _, url, _, own = captures[-1]
            target = own if own and config.follow_canonical else url
        else:
            target = max(moves[key])[2]
        if key_of(target) != key:
            found.aliases[key] = target
        elif config.join_spellings:
            found.pages[key] = target
    return found


def plain_end(found: Found, url: str, join: bool) -> str:
    """Where a chain ends; the URL itself if it is a loop, or longer than ten hops."""
    end = url
    for _ in range(11):
        key = plain_spelling(end) if join else end
        if key not in found.aliases:
            return found.pages.get(key, end)
        end = found.aliases[key]
        if end == url:
            return url
    return url


targets = st.sampled_from(URLS + SPELLINGS)
dates = st.sampled_from(DATES)
pages = st.builds(Seen, targets, dates, st.one_of(st.none(), targets), st.just(False))
moves = st.builds(Seen, targets, dates, targets, st.just(True))


@settings(max_examples=150)
@given(
    st.lists(st.one_of(pages, moves), max_size=10),
    st.builds(ReadingConfig, follow_canonical=st.booleans(), join_spellings=st.booleans()),
    st.integers(0, 10),
)
@example([Seen(URLS[0], DATES[0]), Seen(URLS[0], DATES[0])], ReadingConfig(), 1)
@example([Seen(URLS[k], DATES[0], URLS[k - 1], True) for k in range(4)], ReadingConfig(), 0)
@example([Seen(url, DATES[0]) for url in SPELLINGS], ReadingConfig(), 3)
@example([Seen(SPELLINGS[0], DATES[0], SPELLINGS[1], True)], ReadingConfig(), 0)
def test_equals_the_plain_twin(
    tmp_path_factory: pytest.TempPathFactory, seen: list[Seen], config: ReadingConfig, cut: int
) -> None:
    """Over two real files: the same aliases, chains and captures, and each page is read once."""
    folder = tmp_path_factory.getbasetemp()
    records = [gz(one.record()) for one in seen]
    uris = [
        write(folder / "1.warc.gz", *records[:cut]),
        write(folder / "2.warc.gz", *records[cut:]),
    ]
    join = config.join_spellings
    names = [capture_name(u, r) for u in uris for r in read_file(u, Counters(), 1 << 20)]
    expected = plain_inventory(list(zip(names, seen, strict=True)), config)
    found = survey(uris, config)
    assert (expected.aliases, expected.pages) == (found.aliases, found.pages)
    assert expected.over == found.over

    resolution = resolution_of(folder, found, join)
    every = [*URLS, *SPELLINGS, *(other for url in SPELLINGS for other in spellings(url))]
    ends = {url: plain_end(expected, url, join) for url in every}
    assert ends == {url: resolution.end_of(url) for url in every}
    assert {url: end for url, end in ends.items() if end != url} == resolution.resolve(every)
    snapshot = SnapshotReader(config, Counters(), resolution)
    read = Counter(page.url for uri in uris for page in snapshot.pages(uri))
    key_of = plain_spelling if join else str
    assert dict.fromkeys((key_of(one.url) for one in seen if not one.redirect), 1) == Counter(
        key_of(url) for url in read.elements()
    )


# --- what is looked at ----------------------------------------------------------------------------


def test_what_is_no_capture(tmp_path: Path) -> None:
    """Only HTML pages and redirects with a target are in the inventory."""
    url = "http://a.example/"
    uri = write(
        tmp_path / "a.warc",
        warcinfo(),
        request(url),
        warc_record("revisit", url, b"HTTP/1.1 200 OK\r\n\r\n"),
        response(url, HTML, 404),
        response(url, b"GIF89a", 200, {"Content-Type": "image/gif"}),
        response(url, b"", 301),
        response(url, b""),
        response(url, b" \n"),
        response(url, gzip.compress(b""), 200, {"Content-Encoding": "gzip", **TYPED}),
        response(url, b"0\r\n\r\n", 200, {"Transfer-Encoding": "chunked", **TYPED}),
        response("ftp://a.example/", HTML),
        warc_record("response", url, b"not http"),
    )
    assert Found() == survey([uri])


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/b", "http://a.example/b"),
        ("b?utm_source=x#top", "http://a.example/d/b"),
        ("//B.example", "http://b.example/"),
        ("https://a.example:443/d/", "https://a.example/d/"),
        ("", None),
        ("#top", None),
        ("http://a.example/d/index.html", None),
        ("mailto:a@b.example", None),
        ("http://[", None),
    ],
)
def test_redirects(tmp_path: Path, location: str, target: str | None) -> None:
    """A Location is resolved as a link is; what leads nowhere or to itself is counted."""
    uri = write(
        tmp_path / "a.warc", response("http://a.example/d/", b"", 301, {"Location": location})
    )
    found = survey([uri])
    said = found.pages if target and are_spellings(target, "http://a.example/d/") else found.aliases
    assert ({"http://a.example/d": target} if target else {}) == said
    assert 1 == sum(n for name, n in found.counts.items() if name.startswith("redirects"))


@pytest.mark.parametrize(("start", "end"), [(19, 19), (18, 19), (9, 19), (8, 8), (0, 0)])
def test_chains(tmp_path: Path, start: int, end: int) -> None:
    """A chain of twenty: ten hops are followed, a longer way is none."""
    urls = [f"http://a.example/{k}" for k in range(20)]
    found = Found(aliases=dict(pairwise(urls)))
    resolution = resolution_of(tmp_path, found, join=False)
    assert urls[end] == resolution.end_of(urls[start])


def test_loops(tmp_path: Path) -> None:
    """A URL whose chain never ends stands for itself, inside of the loop and before it."""
    found = Found(aliases={"a": "b", "b": "c", "c": "b", "d": "d"})
    resolution = resolution_of(tmp_path, found, join=False)
    assert {url: url for url in "abcde"} == {url: resolution.end_of(url) for url in "abcde"}
    assert {} == resolution.resolve(list("abcde"))


@given(
    st.sets(st.sampled_from(URLS)), st.dictionaries(st.sampled_from(URLS), st.sampled_from(URLS))
)
def test_captured(
    tmp_path_factory: pytest.TempPathFactory, captured: set[str], aliases: dict[str, str]
) -> None:
    """Those that were captured are known, and targets, for which an alias may have been."""
    path = tmp_path_factory.mktemp("captured") / "resolution"
    pairs = [(alias.encode(), target.encode()) for alias, target in aliases.items()]
    write_resolution(path, pairs, [], map(str.encode, captured))
    found = Resolution(path)
    assert found.knows_captured
    known = captured | set(aliases.values())
    ends = found.look_up(URLS)
    assert found.resolve(URLS) == ends.moved
    assert {url for url in URLS if found.end_of(url) not in known} == ends.others
    assert ({}, set()) == found.look_up([])
    write_resolution(path, pairs, [])
    unknown = Resolution(path)
    assert not unknown.knows_captured
    assert (found.resolve(URLS), set()) == unknown.look_up(URLS)


def test_too_many_captures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not stored, and so nothing is known of them."""
    monkeypatch.setattr(resolution, "_MOST_CAPTURED", 2)
    for number, knows in ((2, True), (3, False)):
        write_resolution(tmp_path / "table", [], [], [url.encode() for url in URLS[:number]])
        assert knows == Resolution(tmp_path / "table").knows_captured


def test_empty_resolution(tmp_path: Path) -> None:
    """Nothing found: nothing stands for anything."""
    resolution = resolution_of(tmp_path, Found())
    assert ({}, {}) == (resolution.resolve(["http://a.example/"]), resolution.resolve([]))
    assert URLS[0] == resolution.end_of(URLS[0])
    assert not resolution.passes_over(b"a.warc:0")


def test_spellings(tmp_path: Path) -> None:
    """A page that was captured in one spelling is what all its spellings stand for, also those
    that the inventory never saw; the capture that is not read and the redirects are counted.
    """
    records = [
        Seen("http://www.a.example/C%2B%2B/", DATES[1]).record(),
        Seen("https://a.example/C++", DATES[0]).record(),
        Seen("http://a.example/C++", DATES[2], "http://www.a.example/C++/", redirect=True).record(),
        Seen("http://b.example/old", DATES[0], "http://a.example/C++/", redirect=True).record(),
    ]
    found = survey([write(tmp_path / "a.warc", *records)])
    assert {"http://a.example/C++": "http://www.a.example/C%2B%2B/"} == found.pages
    assert {"http://b.example/old": "http://a.example/C++/"} == found.aliases
    assert {
        **{"captures": 2, "captures_passed_over": 1, "redirects": 2},
        **{"aliases": 1, "other_spellings": 2},
    } == found.counts
    asked = ["http://a.example/C%2B%2B", "https://www.a.example/C++", "https://b.example/old/"]
    resolution = resolution_of(tmp_path, found)
    assert dict.fromkeys(asked, "http://www.a.example/C%2B%2B/") == resolution.resolve(asked)
    assert {} == resolution.resolve(["http://www.a.example/C%2B%2B/", "http://a.example/c++"])


def test_of_one_date_https_is_read(tmp_path: Path) -> None:
    """In whatever order they stand in the files."""
    urls = ["https://a.example/", "http://www.a.example/"]
    for k, order in enumerate((urls, urls[::-1])):
        uri = write(tmp_path / f"{k}.warc", *(Seen(url, DATES[0]).record() for url in order))
        assert {"http://a.example/": urls[0]} == survey([uri]).pages


def test_redirect_of_a_captured_url(tmp_path: Path) -> None:
    """It was a page once: a later login wall does not unmake it."""
    uri = write(
        tmp_path / "a.warc",
        Seen(URLS[0], DATES[0]).record(),
        Seen(URLS[0], DATES[2], URLS[1], redirect=True).record(),
    )
    found = survey([uri])
    assert {} == found.aliases
    assert {"captures": 1, "redirects": 1, "redirects_of_captured_urls": 1} == found.counts


def test_same_file_twice(tmp_path: Path) -> None:
    """A capture does not pass over itself, or the page would be lost."""
    uri = write(tmp_path / "a.warc", Seen(URLS[0], DATES[0]).record())
    assert set() == survey([uri, uri]).over


def test_excluded_hosts(tmp_path: Path) -> None:
    """Neither captures nor redirects of hosts that are not read."""
    uri = write(
        tmp_path / "a.warc",
        Seen(URLS[0], DATES[0]).record(),
        Seen(URLS[1], DATES[0], URLS[2], redirect=True).record(),
        Seen(URLS[3], DATES[0], URLS[0], redirect=True).record(),
    )
    config = ReadingConfig(exclude_host=("a.example", "b.example"))
    assert {URLS[3]: URLS[0]} == survey([uri], config).aliases


@pytest.mark.parametrize("far", [0, 10_000])
def test_canonical_urls(tmp_path: Path, far: int) -> None:
    """They are followed if that is asked for, wherever in the page they stand."""
    body = b" " * far + b"<!doctype html><link rel=canonical href='/own?utm_medium=x'><p>Bees"
    uri = write(tmp_path / "a.warc", response("http://a.example/x", body))
    assert {} == survey([uri]).aliases
    config = ReadingConfig(follow_canonical=True)
    assert {"http://a.example/x": "http://a.example/own"} == survey([uri], config).aliases


def test_canonical_of_the_latest_capture(tmp_path: Path) -> None:
    """What an older capture called its own address does not matter."""
    uri = write(
        tmp_path / "a.warc",
        Seen(URLS[0], DATES[1]).record(),
        Seen(URLS[0], DATES[0], URLS[1]).record(),
    )
    found = survey([uri], ReadingConfig(follow_canonical=True))
    assert ({}, 1) == (found.aliases, len(found.over))


def test_names_with_blanks() -> None:
    """Folders may have blanks in their names."""
    url = "http://a.example/"
    older = capture_value("2024-01-01", url, b"my crawl/a b.warc:0", None)
    newer = capture_value("2024-01-02", url, b"my crawl/a b.warc:9", "http://b.example/")
    said = list(settle(b"http://a.example/", sorted([newer, older]), Counters()))
    assert [
        (b"http://a.example/", b"over my crawl/a b.warc:0"),
        (b"http://a.example/", b"alias http://b.example/"),
    ] == said


@pytest.mark.parametrize("date", ["", " ", "\u2007", "no date", "2024\n05"])
def test_odd_dates(date: str) -> None:
    """Whatever a record says, a date is one word."""
    for value in (capture_value(date, "u", b"n", "t"), redirect_value(date, "u", "t")):
        assert b"t" == value.split(b" ")[-1]
        assert 5 - value.startswith(b"r") == len(value.split(b" "))


def test_fractions_of_seconds() -> None:
    """A time with a fraction is later than the same second without."""
    dates = ["2024-05-01T00:00:00Z", "2024-05-01T00:00:00.5Z", "2024-05-01T00:00:01Z"]
    values = [capture_value(date, "u", b"n", None) for date in dates]
    assert values == sorted(values)


def test_an_empty_capture_hides_none(tmp_path: Path) -> None:
    """A page that was captured empty the second time is still read as it was the first time."""
    older = response(URLS[0], HTML, warc_date=DATES[0])
    uri = write(tmp_path / "a.warc", older, response(URLS[0], b"", warc_date=DATES[1]))
    found = survey([uri])
    assert set() == found.over
    counters = Counters()
    reader = SnapshotReader(ReadingConfig(), counters, resolution_of(tmp_path, found))
    assert [URLS[0]] == [page.url for page in reader.pages(uri)]
    assert {"read": 2, "used": 1, "empty": 1} == counters.as_dict()["records"]


def test_reports(tmp_path: Path) -> None:
    """Each record is reported with its place, and whether it is a response."""
    first = request(URLS[0])
    uri = write(tmp_path / "a.warc", first, Seen(URLS[0], DATES[0]).record())
    seen: list[tuple[int, int]] = []
    surveyor = Surveyor(BuildConfig(), Counters())
    list(surveyor.survey(uri, lambda pages, size: seen.append((pages, size))))
    assert [(0, 0), (1, len(first))] == seen


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """They are counted and nothing is raised."""
    counters = Counters()
    surveyor = Surveyor(BuildConfig(), counters)
    assert [] == list(surveyor.survey(str(tmp_path / "no"), lambda pages, size: None))
    assert {"files": {"failed": 1}} == counters.as_dict()
