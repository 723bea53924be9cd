"""Joined links through their jobs: pages become links and heads, heads are joined and summed up."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pytest
from pybase64 import b64decode, b64encode

from pagekin.bags.bag import Bags
from pagekin.config import BuildConfig, EnrichConfig
from pagekin.counters import Counters
from pagekin.enrich.links import CITED, CITING, COCITED, read_contexts
from pagekin.jobs.contexts import Contexts
from pagekin.jobs.joined_heads import JoinedHeads
from pagekin.jobs.page_heads import PageHeads
from pagekin.jobs.reading import Reading
from pagekin.kinds import CONTEXTS, HEADS, JOINED_HEADS, Pair
from pagekin.stages.joined_heads.join import parse_head
from pagekin.stages.links.extractor import LinkExtractor
from tests.indexes import make_bag
from tests.jobs.running import run_job, run_script, split_output, write_warc
from tests.pages import html_page
from tests.warcs import gz, response, warcinfo

LINKED = "--outputs=links"
OTHER_LINES = [b"!blocks/http://a.example/\tx", b'!task\t{"counters": {}}']


def html_of(k: int) -> str:
    """A page that links to the two behind it, side by side, and to one that nobody reads."""
    others = [f"http://page{(k + n) % 12}.example/" for n in (1, 2)]
    links = "".join(f"<a href={url}>page</a> " for url in [*others, "http://unread.example/"])
    return f"<p>subject{k} word{k % 3} common</p>{links}"


PAGES = {f"http://page{k}.example/": html_of(k) for k in range(12)}


def warcs(folder: Path, files: int) -> list[bytes]:
    """The pages dealt to so many files; gives the lines of a manifest."""
    records = [gz(response(url, html.encode())) for url, html in PAGES.items()]
    return [
        write_warc(folder / f"{files}-{k}.warc.gz", gz(warcinfo()), *records[k::files])
        for k in range(files)
    ]


def lines(records: Iterable[Pair]) -> list[bytes]:
    return [b"%b\t%b" % record for record in records]


def joined_lines() -> list[bytes]:
    """What joined_heads reads: of each page its links, and a head of one term."""
    config = BuildConfig()
    extractor = LinkExtractor(config, Counters())
    links = chain.from_iterable(
        extractor.records(html_page(html, url)) for url, html in PAGES.items()
    )
    terms = EnrichConfig().links_terms
    heads = []
    for k, url in enumerate(PAGES):
        head = k.to_bytes(4, "little") + bytes(4 * (terms - 1)) + b"\xff" + bytes(terms - 1)
        heads.append((HEADS.prefix + url.encode(), b64encode(head)))
    return [*lines(links), *lines(heads), *OTHER_LINES]


@pytest.fixture(scope="module")
def joined() -> list[bytes]:
    """What contexts reads."""
    return lines(run_job(JoinedHeads, (), joined_lines())[0])


# --- links --------------------------------------------------------------------------------------


def test_no_pages():
    """No files, no links, and nothing counted."""
    assert ([], {}) == run_job(Reading, [LINKED])


@pytest.mark.parametrize("files", [1, 2, 5])
def test_links(tmp_path, files):
    """However the pages are dealt to files and tasks, the records are those of each page."""
    records, counters = run_job(Reading, [LINKED], warcs(tmp_path, files))
    extractor = LinkExtractor(BuildConfig(), Counters())
    expected = [extractor.records(html_page(html, url)) for url, html in PAGES.items()]
    assert sorted(chain.from_iterable(expected)) == records
    assert {"found": 36, "pairs": 24, "to_other_sites": 36} == counters["joined_links"]


def test_beside_fragments(tmp_path):
    """One reading makes the same links, and the same raw bags, together or apart."""
    manifest = warcs(tmp_path, 2)
    both, _ = run_job(Reading, ["--outputs=fragments,links"], manifest)
    links, _ = run_job(Reading, [LINKED], manifest)
    bags, _ = run_job(Reading, ["--outputs=fragments"], manifest)
    assert both == sorted([*links, *bags])


def test_links_as_a_script(tmp_path):
    """`python jobs/reading.py -r local` gives the records of the inline runner."""
    manifest = warcs(tmp_path, 3)
    (tmp_path / "manifest").write_bytes(b"".join(line + b"\n" for line in manifest))
    words = [LINKED, "--enrich-links-near", "0"]
    said = run_script("reading", "-r", "local", "--no-conf", *words, tmp_path / "manifest")
    assert 0 == said.code, said.err
    assert run_job(Reading, words, manifest) == split_output(said.out.encode())


# --- heads --------------------------------------------------------------------------------------


def bag_lines() -> list[bytes]:
    """Bags of all pages, and of one that was not read."""
    bags = [make_bag(url, {k: 2.0, 50 + k: 1.0}) for k, url in enumerate(PAGES)]
    bags.append(make_bag("http://unread.example/", {7: 1.0}, crawled=False))
    return [*lines(Bags.of(bags).records()), *OTHER_LINES]


def test_no_bags():
    """No bags, no heads, and nothing counted."""
    assert ([], {}) == run_job(PageHeads)


def test_heads_as_a_script(tmp_path):
    """`python jobs/page_heads.py -r local` gives the records of the inline runner."""
    (tmp_path / "part-00000").write_bytes(b"".join(line + b"\n" for line in bag_lines()))
    words = ["--enrich-links-terms", "1", tmp_path / "part-00000"]
    said = run_script("page_heads", "-r", "local", "--no-conf", *words)
    assert 0 == said.code, said.err
    records, counters = run_job(PageHeads, words[:2], bag_lines())
    assert (records, counters) == split_output(said.out.encode())
    assert {HEADS.prefix + url.encode() for url in PAGES} == {key for key, _ in records}
    assert {5} == {len(b64decode(value)) for _, value in records}


# --- joined heads -------------------------------------------------------------------------------


def test_nothing_to_join():
    """No links and no heads, nothing joined, and nothing counted."""
    assert ([], {}) == run_job(JoinedHeads)
    assert ([], {}) == run_job(JoinedHeads, (), OTHER_LINES)


def test_join():
    """Every page that was read is told with those around it."""
    records, counters = run_job(JoinedHeads, (), joined_lines())
    pages = [(key.removeprefix(JOINED_HEADS.prefix), value) for key, value in records]
    told = {page.decode(): parse_head(page, value) for page, value in pages}
    assert set(PAGES) == set(told)
    first = told["http://page5.example/"]
    assert [b"http://page3.example/", b"http://page4.example/"] == first.citing
    assert b"http://unread.example/" in first.cited
    # page 4 stands before it on page 3, page 6 behind it on page 4, the other behind it on page 3
    around = {4: 1, 6: 1}
    expected = {b"http://page%d.example/" % k: times for k, times in around.items()}
    assert {**expected, b"http://unread.example/": 1} == first.beside
    assert {"joined_links": {"pages": 12}} == counters


def test_join_as_a_script(tmp_path):
    """`python jobs/joined_heads.py -r local` gives the records of the inline runner."""
    (tmp_path / "part-00000").write_bytes(b"".join(line + b"\n" for line in joined_lines()))
    said = run_script("joined_heads", "-r", "local", "--no-conf", tmp_path / "part-00000")
    assert 0 == said.code, said.err
    assert run_job(JoinedHeads, (), joined_lines()) == split_output(said.out.encode())


# --- contexts -----------------------------------------------------------------------------------


def test_no_heads():
    """No heads, no contexts, and nothing counted."""
    assert ([], {}) == run_job(Contexts)


def test_contexts(joined):
    """Each URL has the terms of citing, cited and co-cited pages, apart."""
    records, counters = run_job(Contexts, (), joined)
    found = {key.removeprefix(CONTEXTS.prefix).decode(): value for key, value in records}
    assert {*PAGES, "http://unread.example/"} == set(found)
    parts = [part.terms.tolist() for part in read_contexts([found["http://page5.example/"]])]
    assert ([3, 4], [6, 7], [4, 6]) == (parts[CITING], parts[CITED], parts[COCITED])
    unread = read_contexts([found["http://unread.example/"]])
    assert [12, 0, 12] == [len(part.terms) for part in unread]
    numbers = {"citing": 36, "cited": 24, "cocited": 36}
    heard = {f"{name}_heard": number for name, number in numbers.items()}
    assert {"contexts": {**numbers, **heard, "urls": 13}} == counters


def test_hot_page(joined):
    """A URL hears as many pages of each kind as the setting says; the counters tell how many are
    left out.
    """
    records, counters = run_job(Contexts, ["--enrich-links-most", "4"], joined)
    found = {key.removeprefix(CONTEXTS.prefix).decode(): value for key, value in records}
    unread = read_contexts([found["http://unread.example/"]])
    assert [4, 0, 4] == [len(part.terms) for part in unread]
    counted = counters["contexts"]
    assert (36, 28) == (counted["citing"], counted["citing_heard"])


def test_contexts_as_a_script(joined, tmp_path):
    """`python jobs/contexts.py -r local` gives the records of the inline runner."""
    (tmp_path / "part-00000").write_bytes(b"".join(line + b"\n" for line in joined))
    words = ["--enrich-links-most", "3", tmp_path / "part-00000"]
    said = run_script("contexts", "-r", "local", "--no-conf", *words)
    assert 0 == said.code, said.err
    assert run_job(Contexts, words[:2], joined) == split_output(said.out.encode())


@pytest.mark.parametrize("job", ["page_heads", "joined_heads", "contexts"])
def test_help(job):
    """--help explains the job."""
    said = run_script(job, "--help")
    assert 0 == said.code
    assert "Records are described in docs/formats.md" in said.out
