"""Webs that are made up: the same again, read by pagekin's own reader with the expected counts."""

from __future__ import annotations

import codecs
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.errors import UsageError
from pagekin.evaluate.directory import read_directory
from pagekin.synthetic.made_pages import PageMaker
from pagekin.synthetic.make_web import DIRECTORY, SETTINGS, file_name, main, write_web
from pagekin.synthetic.population import Topics, WebConfig
from pagekin.web.page import Page, SnapshotReader, read_file

SMALL = WebConfig(pages=600, seed=1, mean_words=400)
LIMIT = 1 << 20


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small web in three files. For reading only."""
    folder = tmp_path_factory.mktemp("web")
    write_web(SMALL, folder, 3)
    return folder


@pytest.fixture(scope="module")
def said(web: Path) -> dict[str, Any]:
    """Its web.json."""
    told: dict[str, Any] = json.loads((web / SETTINGS).read_text(encoding="utf-8"))
    return told


@pytest.fixture(scope="module")
def read(web: Path) -> tuple[list[Page], Counters]:
    """Its pages, and what the reader counted."""
    counters = Counters()
    return list(pages_of(web, counters)), counters


def pages_of(folder: Path, counters: Counters) -> Iterator[Page]:
    reader = SnapshotReader(BuildConfig().reading, counters)
    for path in sorted(folder.glob("*.warc.gz")):
        yield from reader.pages(str(path))


def records_of(folder: Path) -> list[tuple[str, str, bytes]]:
    """Kind, URL and block of all records but the first of each file, in order."""
    return [
        (record.kind, record.url, record.block)
        for path in sorted(folder.glob("*.warc.gz"))
        for record in read_file(str(path), Counters(), LIMIT)
        if record.kind != "warcinfo"
    ]


def text_of(html: str) -> set[str]:
    """The words between the frames of a page."""
    content = re.split(r'</main>|</td><td width="140"', html.partition("<h1>")[2])[0]
    return set(re.sub(r"<[^>]*>", " ", content).split())


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


# --- the same again ---


def test_same_settings_same_bytes(web: Path, tmp_path: Path) -> None:
    """Two runs write the same files, also when several processes share the work."""
    write_web(SMALL, tmp_path / "again", 3, processes=2)
    assert bytes_of(web) == bytes_of(tmp_path / "again")


def test_number_of_files_changes_no_page(web: Path, tmp_path: Path) -> None:
    """However many files there are: the same records in the same order."""
    write_web(SMALL, tmp_path / "one", 1)
    assert records_of(web) == records_of(tmp_path / "one")


def test_a_page_needs_no_other() -> None:
    """A page is the same whichever were made before it."""
    first, second = PageMaker(SMALL), PageMaker(SMALL)
    one_way = [first.make(page).body for page in range(40)]
    other_way = [second.make(page).body for page in reversed(range(40))]
    assert one_way == other_way[::-1]


def test_another_seed_makes_another_web() -> None:
    """No page has the same bytes."""
    one, other = PageMaker(SMALL), PageMaker(WebConfig(pages=600, seed=6, mean_words=400))
    assert not {one.make(k).body for k in range(30)} & {other.make(k).body for k in range(30)}


def test_a_stopped_run_goes_on(web: Path, tmp_path: Path) -> None:
    """Files that are there stay; a file that is missing, or only begun, is written."""
    write_web(SMALL, tmp_path, 3)
    kept = tmp_path / file_name(0)
    before = kept.stat().st_mtime_ns
    (tmp_path / file_name(2)).rename(tmp_path / f"{file_name(2)}.new")
    (tmp_path / f"{file_name(2)}.new").write_bytes(b"begun")
    write_web(SMALL, tmp_path, 3)
    assert bytes_of(web) == bytes_of(tmp_path)
    assert before == kept.stat().st_mtime_ns


def test_nothing_else_is_overwritten(web: Path, tmp_path: Path) -> None:
    """A folder with another web, or with anything else, is refused."""
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not empty"):
        write_web(SMALL, tmp_path, 3)
    with pytest.raises(UsageError, match="another web"):
        write_web(SMALL, web, 4)


# --- what the reader makes of it ---


def test_records_are_those_foretold(read: tuple[list[Page], Counters], said: Any) -> None:
    """Every record is read, and has the reason that web.json foretells."""
    told = said["records"]
    counts = read[1].as_dict()
    expected = {
        "used": told["pages"],
        "redirect": told["redirect"],
        "not_response_revisit": told["revisit"],
        "status_4xx": told["missing"],
        "status_5xx": told["server_error"],
        "not_html": told["not_html"],
        "not_response_warcinfo": 3,
    }
    assert {k: n for k, n in expected.items() if n} | {"read": sum(expected.values())} == counts[
        "records"
    ]
    assert all(told.values())
    assert told["truncated"] == counts["pages"]["truncated_by_crawler"]
    assert {"read": 3} == counts["files"]


def test_a_member_for_each_record(web: Path) -> None:
    """As in Common Crawl, so that a record can be read by its offset alone."""
    path = web / file_name(1)
    data = path.read_bytes()
    starts = [record.offset for record in read_file(str(path), Counters(), LIMIT)]
    assert len(set(starts)) == len(starts)
    for start, end in list(zip(starts, [*starts[1:], len(data)], strict=True))[::40]:
        assert gzip.decompress(data[start:end]).startswith(b"WARC/1.0\r\n")


def test_pages_have_the_size_that_was_asked_for() -> None:
    """On average, as the reader counts words and links of the body."""
    maker = PageMaker(WebConfig(pages=400, seed=2))
    bodies = [maker.make(page).body for page in range(200)]
    links = np.mean([body.count(b"<a href=") for body in bodies])
    assert 40_000 < np.mean([len(body) for body in bodies]) < 75_000
    assert 85 < links < 115


# --- charsets and languages ---


def test_charsets_decode(read: tuple[list[Page], Counters]) -> None:
    """A page in whatever charset holds the words that were put into it, where it is declared."""
    maker = PageMaker(SMALL)
    titles = {
        maker.addresses.url(k): maker.addresses.title(maker.web.origin[k]) for k in range(600)
    }
    declared = {
        maker.addresses.url(k) for k in range(600) if maker.addresses.host(k).declared != "none"
    }
    pages = [page for page in read[0] if page.url in declared]
    wrong = [page.url for page in pages if titles[page.url].encode() not in page.flat.text]
    assert [] == wrong


def test_every_charset_occurs_and_is_the_one_declared() -> None:
    """The bytes of every host's pages are valid in its charset."""
    maker = PageMaker(WebConfig(pages=1500, seed=1, mean_words=100))
    seen = Counter()
    for page in range(0, 1500, 5):
        made = maker.make(page)
        codecs.decode(made.body, made.host.charset)
        seen[made.host.charset] += 1
    assert {
        *("utf-8", "windows-1252", "iso-8859-1"),
        *("koi8-r", "windows-1251", "gb18030", "shift_jis"),
    } == set(seen)


def test_languages_are_recognised(read: tuple[list[Page], Counters]) -> None:
    """By the attribute or by detection: nine in ten pages are in the language of their class."""
    maker = PageMaker(SMALL)
    plan = maker.web
    codes = {maker.addresses.url(k): plan.topics.code(plan.leaf[k]) for k in range(600)}
    right = sum(codes[page.url] == page.language for page in read[0])
    assert right > 0.9 * len(read[0])


# --- the directory ---


def test_directory_is_read(web: Path, said: Any, read: tuple[list[Page], Counters]) -> None:
    """`pagekin evaluate gamma` finds three-level classes of pages that are in the web."""
    directory = read_directory([web / DIRECTORY])
    assert said["listed"] == len(directory)
    assert {3} == {len(path) for path in directory.classes}
    assert sum(directory.find(page.url) >= 0 for page in read[0]) == said["listed"]


def test_classes_share_their_words() -> None:
    """Two classes have the more words in common the nearer they are."""
    topics = Topics(256, 1)

    def common(leaf: int, other: int) -> int:
        return len(set(topics.words(leaf)) & set(topics.words(other)))

    assert topics.family(0) == topics.family(16)
    cousin = next(k for k in range(0, 256, 16) if topics.family(k) != topics.family(0))
    assert common(0, 16) > common(0, cousin) > common(0, 1)


# --- links ---


def test_inlinks_have_a_power_law() -> None:
    """Over two powers of ten the logarithms lie on a line with a slope between -0.6 and -2.

    It is that of the share of pages with at least so many inlinks, so one less than the exponent.
    """
    maker = PageMaker(WebConfig(pages=3000, seed=3))
    counts = Counter(
        target
        for page in range(3000)
        for target, _ in maker._targets.of(maker.web.origin[page], 40)
    )
    inlinks = np.array(sorted(n for page, n in counts.items() if page < 3000))
    sizes = np.array([4, 8, 16, 32, 64, 128, 256, 512])
    shares = np.array([(inlinks >= size).mean() for size in sizes])
    slope, _ = np.polyfit(np.log(sizes), np.log(shares), 1)
    assert -2.0 < slope < -0.6
    assert np.corrcoef(np.log(sizes), np.log(shares))[0, 1] < -0.95


def test_mirrors_are_near_copies() -> None:
    """A copy has nearly all words of its original; some name it as canonical."""
    maker = PageMaker(WebConfig(pages=2000, seed=1))
    copies = [page for page in range(2000) if maker.web.origin[page] != page]
    assert 20 < len(copies) < 400
    canonical = 0
    for copy in copies[:40]:
        origin = maker.web.origin[copy]
        made, source = maker.make(copy), maker.make(origin)
        assert maker.addresses.host(copy).name != maker.addresses.host(origin).name
        words, own = (text_of(one.body.decode(one.host.charset)) for one in (source, made))
        assert len(words & own) > 0.95 * len(words)
        canonical += f'rel="canonical" href="{source.url}"'.encode() in made.body
    assert 5 < canonical < 35


# --- what is hard for a cluster ---


def test_hot_inlinks() -> None:
    """Exactly so many links lead to the hot URL over and above the others."""
    plain = PageMaker(WebConfig(pages=50, seed=4, mean_words=100))
    hot = PageMaker(WebConfig(pages=50, seed=4, mean_words=100, hot_inlinks=1234))
    href = f'<a href="{hot.addresses.url(hot.hot)}">'.encode()
    before = sum(plain.make(page).body.count(href) for page in range(50))
    assert 1234 == sum(hot.make(page).body.count(href) for page in range(50)) - before


def test_wide_page() -> None:
    """One page has so many links more, all to different URLs."""
    config = WebConfig(pages=50, seed=4, mean_words=100, wide_page=5000)
    maker = PageMaker(config)
    counts = [maker.make(page).body.count(b"<a href=") for page in range(50)]
    assert [maker.wide] == [page for page, count in enumerate(counts) if count > 5000]
    assert 5000 == len({maker.addresses.url(page) for page in range(5000)})


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_big_domain(share: float) -> None:
    """One domain has that share of the pages."""
    maker = PageMaker(WebConfig(pages=4000, big_domain=share))
    mine = sum(
        maker.addresses.host(k).name.endswith("everybody-writes.example") for k in range(4000)
    )
    assert share == pytest.approx(mine / 4000, abs=0.03)


# --- the command ---


def test_every_mistake_is_named_at_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One plain sentence for each, and nothing is written."""
    out = tmp_path / "web"
    assert 2 == main(["--pages", "1", "--big-domain", "2", str(out)])
    said = capsys.readouterr()
    assert "make-web: --pages takes 10" in said.err
    assert "--big-domain takes a share" in said.err
    assert not out.exists()


def test_the_command_says_what_it_wrote(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One line on stdout."""
    assert 0 == main(["--pages", "20", "--mean-words", "50", "--seed", "3", str(tmp_path / "web")])
    assert "20 pages on 10 hosts in 1 files" in capsys.readouterr().out
