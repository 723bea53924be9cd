"""Link blocks: a snapshot becomes blocks of links, page by page."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import pytest

from pagekin import kinds
from pagekin.cocitation.block_record import parse_blocks
from pagekin.config import BlockConfig, BuildConfig
from pagekin.counters import Counters
from pagekin.jobs.reading import Reading
from pagekin.stages.blocks.extractor import BlockExtractor
from pagekin.web.resolution import write_resolution
from tests.jobs.running import Pair, Result, run_job, run_script, split_output, write_warc
from tests.trees import tree_page
from tests.warcs import gz, response, warcinfo

MOVED = "http://moved.example/"


BLOCKS = "--outputs=blocks"


def blocks(args: Iterable[object] = (), inputs: Iterable[bytes] = ()) -> Result:
    """What the job makes where nothing but blocks is wanted."""
    return run_job(Reading, [BLOCKS, *args], inputs)


def html_of(k: int) -> str:
    """A page with a list of links to other sites, one of them moved, and a menu of its own."""
    sites = [f"http://site{n}.example/{k}" for n in range(k % 3 + 2)]
    items = "".join(f"<li><a href={url}>About {n}</a>" for n, url in enumerate([*sites, MOVED]))
    return f"<ul><li><a href=/a>a</a><li><a href=/b>b</a></ul><p>Page {k}</p><ul>{items}</ul>"


PAGES = {f"http://page{k}.example/": html_of(k) for k in range(12)}
PAGES["http://quiet.example/"] = "<p>No links."


def warcs(folder, files: int) -> list[bytes]:
    """The pages dealt to so many files; gives the lines of a manifest."""
    records = [gz(response(url, html.encode())) for url, html in PAGES.items()]
    return [
        write_warc(folder / f"{files}-{k}.warc.gz", gz(warcinfo()), *records[k::files])
        for k in range(files)
    ]


def expected(config: BuildConfig | None = None) -> list[Pair]:
    """The records that the functions under the job make, without mrjob."""
    extractor = BlockExtractor(config or BuildConfig(), Counters())
    made = (extractor.records(tree_page(html, url)) for url, html in PAGES.items())
    return sorted(chain.from_iterable(made))


@pytest.fixture
def table(tmp_path):
    """What the inventory found: one page that was moved."""
    path = tmp_path / "resolution.arrays"
    write_resolution(path, [(MOVED.encode(), b"http://site0.example/0")], [])
    return path


def test_empty():
    """No files, no blocks, and nothing counted."""
    assert ([], {}) == blocks()


def test_file_without_pages(tmp_path):
    """A file that holds no page makes no record, and says what it held."""
    line = write_warc(tmp_path / "a.warc.gz", gz(warcinfo()))
    records, counters = blocks(inputs=[line])
    assert [] == records
    assert {"files": {"read": 1}, "records": {"not_response_warcinfo": 1, "read": 1}} == counters


@pytest.mark.parametrize("files", [1, 2, 5])
def test_any_division_of_files(tmp_path, files):
    """However the pages are dealt to files and tasks, the records are the same."""
    records, counters = blocks(inputs=warcs(tmp_path, files))
    assert expected() == records
    assert 12 == len(records)
    assert {"read": files} == counters["files"]


def test_order_of_files(tmp_path):
    """The order of the files is irrelevant, for records and counters."""
    lines = warcs(tmp_path, 4)
    assert blocks(inputs=lines) == blocks(inputs=lines[::-1])


def test_counters(tmp_path):
    """Blocks and links are counted, those found and those left, and what took the others."""
    records, counters = blocks(inputs=warcs(tmp_path, 2))
    left = [len(block.urls) for _, value in records for block in parse_blocks(value).blocks]
    assert {"found": 24, "left": 12} == counters["blocks"]
    assert sum(left) == counters["block_links"]["left"] == 48
    assert (72, 24) == tuple(counters["block_links"][n] for n in ("found", "common_domain"))
    assert 0 == counters["block_links"].get("through_redirects", 0)
    assert 13 == counters["records"]["used"]


def test_resolution(tmp_path, table):
    """With the table of the inventory links lead to where their pages moved."""
    lines = warcs(tmp_path, 2)
    records, counters = blocks(["--resolution", table], lines)
    assert 12 == counters["block_links"]["through_redirects"]
    urls = {key: parse_blocks(value).blocks[0].urls for key, value in records}
    assert [b"http://site0.example/0", b"http://site1.example/0"] == urls[
        kinds.BLOCKS.prefix + b"http://page0.example/"
    ]
    assert b"http://site0.example/0" == urls[kinds.BLOCKS.prefix + b"http://page1.example/"][-1]
    assert not any(MOVED.encode() in some for some in urls.values())


def test_settings(tmp_path):
    """The sections reading and blocks are heard."""
    words = ["--blocks-rules", "page"]
    records, _ = blocks(words, warcs(tmp_path, 2))
    assert expected(BuildConfig(blocks=BlockConfig(rules="page"))) == records
    assert expected() != records
    lines = warcs(tmp_path, 2)
    assert [] == blocks(["--reading-exclude-host", "example"], lines)[0]


def test_unreadable_files(tmp_path):
    """Files that cannot be read are counted and cost the others nothing."""
    missing = str(tmp_path / "none.warc.gz").encode()
    records, counters = blocks(inputs=[missing, *warcs(tmp_path, 1)])
    assert {"failed": 1, "read": 1} == counters["files"]
    assert expected() == records


def test_as_a_script(tmp_path, table):
    """`python jobs/reading.py -r local` gives the records of the inline runner."""
    lines = warcs(tmp_path, 3)
    (tmp_path / "manifest").write_bytes(b"".join(line + b"\n" for line in lines))
    words = ["--blocks-rules", "paper", "--resolution", table]
    said = run_script("reading", "-r", "local", "--no-conf", BLOCKS, *words, tmp_path / "manifest")
    assert 0 == said.code, said.err
    assert blocks(words, lines) == split_output(said.out.encode())


def test_help():
    """--help explains the job and every option of the sections that it reads."""
    said = run_script("reading", "--help")
    text = " ".join(said.out.split())
    assert 0 == said.code
    assert "blocks map: segmentation, filters" in text
    assert "which URL stands for which, and which captures are not read" in text
    for flag in ("--blocks-rules", "--reading-follow-canonical"):
        assert flag in text
    assert "--cocitation-threshold" not in text
