"""Inventory: which URL stands for which, and which capture of a page is read."""

from __future__ import annotations

import pytest

from pagekin.jobs.inventory import Inventory
from pagekin.kinds import SAMPLE, STOP_WORDS
from pagekin.stages.inventory.sample import read_links
from tests.jobs.running import Result, run_job, run_script, split_output, write_warc
from tests.warcs import gz, request, response, warc_record, warcinfo

CAPTURES = "--outputs=captures"
NOT_TOLD = ["--bag-templates", "none"]  # which URLs were captured
HTML = b"<html><title>Bees</title><p>Bees and hives."


def redirect(url: str, target: str, **headers: object) -> bytes:
    return response(url, b"", 301, {"Location": target}, **headers)


def inventory(tmp_path, *records: bytes, args: tuple[str, ...] = ()) -> Result:
    """What the job says of one compressed file."""
    line = write_warc(tmp_path / "a.warc.gz", *map(gz, records))
    return run_job(Inventory, [*NOT_TOLD, *(args or [CAPTURES])], [line])


def test_empty():
    """No files, no records, and nothing counted."""
    assert ([], {}) == run_job(Inventory, [CAPTURES])


def test_file_without_records(tmp_path):
    """An empty file was read, and holds nothing."""
    assert ([], {"files": {"read": 1}}) == inventory(tmp_path)


def test_redirects(tmp_path):
    """A redirected URL is an alias of its target, canonical and resolved against its own."""
    records, counters = inventory(
        tmp_path,
        warcinfo(),
        request("http://a.example/old"),
        redirect("http://a.example/old", "../new?utm_source=x#top"),
        redirect("http://b.example/", "HTTP://A.example:80/"),
        response("http://a.example/new", HTML),
    )
    expected = [
        (b"http://a.example/new", b"spelt http://a.example/new"),
        (b"http://a.example/old", b"alias http://a.example/new"),
        (b"http://b.example/", b"alias http://a.example/"),
    ]
    assert expected == records
    assert {
        "files": {"read": 1},
        "inventory": {"aliases": 2, "captures": 1, "redirects": 2},
        "records": {"read": 5},
    } == counters


def test_redirects_that_lead_nowhere(tmp_path):
    """To themselves, to no web address, or without a target: none makes an alias."""
    records, counters = inventory(
        tmp_path,
        redirect("http://a.example/x", "http://a.example/x#part"),
        redirect("http://a.example/y", "mailto:ann@a.example"),
        response("http://a.example/z", b"", 302, {}),
    )
    assert [] == records
    expected = {"redirects_to_itself": 1, "redirects_to_no_web_address": 1}
    assert expected == counters["inventory"]


def test_latest_redirect_counts(tmp_path):
    """Of several redirects of one URL the latest by its WARC date."""
    records, _ = inventory(
        tmp_path,
        redirect("http://a.example/", "/second", warc_date="2024-02-01T00:00:00Z"),
        redirect("http://a.example/", "/third", warc_date="2024-03-01T00:00:00Z"),
        redirect("http://a.example/", "/first", warc_date="2024-01-01T00:00:00Z"),
    )
    assert [(b"http://a.example/", b"alias http://a.example/third")] == records


def test_latest_capture_is_read(tmp_path):
    """Earlier captures are passed over by the names of their files and places."""
    early = gz(response("http://a.example/", HTML, warc_date="2024-01-01T00:00:00Z"))
    late = gz(response("http://A.example/", HTML, warc_date="2024-02-01T00:00:00Z"))
    one = write_warc(tmp_path / "1.warc.gz", late, early)
    two = write_warc(tmp_path / "2.warc.gz", gz(warcinfo()), early)
    records, counters = run_job(Inventory, [CAPTURES, *NOT_TOLD], [one, two])
    assert [
        (b"http://a.example/", b"over %b:%d" % (one, len(late))),
        (b"http://a.example/", b"over %b:%d" % (two, len(gz(warcinfo())))),
        (b"http://a.example/", b"spelt http://a.example/"),
    ] == records
    assert {"captures": 3, "captures_passed_over": 2} == counters["inventory"]


def test_captures(tmp_path):
    """With --bag-urls crawled every captured URL is named, once, beside what is said of it; also
    where a first look sees no page."""
    early = gz(response("http://a.example/", HTML, warc_date="2024-01-01T00:00:00Z"))
    late = gz(response("http://a.example/", HTML, warc_date="2024-02-01T00:00:00Z"))
    other = gz(response("http://b.example/", HTML))
    moved = gz(redirect("http://c.example/", "http://b.example/"))
    blank = gz(response("http://d.example/", b" ", headers={"Content-Encoding": "gzip"}))
    lost = gz(response("http://e.example/", HTML, 404))
    line = write_warc(tmp_path / "1.warc.gz", early, late, other, moved, blank, lost)
    plain, counters = run_job(Inventory, [CAPTURES, *NOT_TOLD], [line])
    records, same = run_job(Inventory, [CAPTURES, "--bag-urls", "crawled"], [line])
    assert counters == same
    urls = [b"http://%b.example/" % name for name in (b"a", b"b", b"d")]
    captured = [(url, b"captured " + url) for url in urls]
    assert sorted([*plain, *captured]) == sorted(records)


def test_redirect_of_a_captured_url(tmp_path):
    """A login wall today does not unmake yesterday's page."""
    records, counters = inventory(
        tmp_path,
        response("http://a.example/", HTML, warc_date="2024-01-01T00:00:00Z"),
        redirect("http://a.example/", "/login", warc_date="2024-02-01T00:00:00Z"),
    )
    assert [(b"http://a.example/", b"spelt http://a.example/")] == records
    assert 1 == counters["inventory"]["redirects_of_captured_urls"]


SPELLINGS = ("http://www.a.example/C++", "https://a.example/C%2B%2B/", "http://a.example/C++")


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("read", SPELLINGS)
def test_spellings(tmp_path, read, order):
    """Captures of one page in several spellings are captures of one page: the latest is read, and
    what it is called is what all are called."""
    dates = {url: f"2024-01-0{1 + (url == read)}T00:00:00Z" for url in SPELLINGS}
    pages = [response(url, HTML, warc_date=dates[url]) for url in SPELLINGS[::order]]
    records, counters = inventory(tmp_path, *pages)
    assert {b"http://a.example/C++"} == {key for key, _ in records}
    assert b"spelt " + read.encode() == records[-1][1]
    expected = {"captures": 3, "captures_passed_over": 2, "other_spellings": 2}
    assert expected == counters["inventory"]


def test_spellings_apart(tmp_path):
    """Without --reading-join-spellings each is a page of its own, and captures are named by URL."""
    args = (CAPTURES, "--reading-join-spellings", "false", "--bag-urls", "crawled")
    pages = [response(url, HTML) for url in SPELLINGS]
    records, counters = inventory(tmp_path, *pages, args=args)
    assert sorted((url.encode(), b"captured " + url.encode()) for url in SPELLINGS) == records
    assert {"captures": 3} == counters["inventory"]


def test_what_is_no_capture(tmp_path):
    """Errors, images, revisits and addresses that are none are neither captures nor aliases."""
    records, counters = inventory(
        tmp_path,
        response("http://a.example/1", HTML, 404),
        response("http://a.example/2", b"GIF89a", 200, {"Content-Type": "image/gif"}),
        warc_record("revisit", "http://a.example/3", b"HTTP/1.1 200 OK\r\n\r\n"),
        response("dns:a.example", HTML),
    )
    assert ([], {"files": {"read": 1}, "records": {"read": 4}}) == (records, counters)


CANONICAL = b'<html><link rel=canonical href="/real"><p>Bees'


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ((), [(b"http://a.example/x", b"spelt http://a.example/x")]),
        (
            (CAPTURES, "--reading-follow-canonical", "true"),
            [(b"http://a.example/x", b"alias http://a.example/real")],
        ),
    ],
)
def test_canonical(tmp_path, flags, expected):
    """rel=canonical makes an alias where it is asked for, and only there."""
    records, _ = inventory(tmp_path, response("http://a.example/x", CANONICAL), args=flags)
    assert expected == records


def test_excluded_hosts(tmp_path):
    """What is said by a host that is left out counts for nothing."""
    args = (CAPTURES, "--reading-exclude-host", "a.example")
    records, counters = inventory(tmp_path, redirect("http://www.a.example/", "/x"), args=args)
    assert [] == records
    assert "inventory" not in counters


def test_unreadable_files(tmp_path):
    """A missing file, and one of something else, are counted and cost the others nothing."""
    good = write_warc(tmp_path / "good.warc.gz", gz(redirect("http://a.example/", "/b")))
    garbage = write_warc(tmp_path / "bad.warc.gz", b"This is no WARC file.\n" * 100)
    missing = str(tmp_path / "none.warc.gz").encode()
    records, counters = run_job(Inventory, [CAPTURES], [missing, garbage, good])
    assert [(b"http://a.example/", b"alias http://a.example/b")] == records
    assert {"failed": 2, "read": 1} == counters["files"]
    damaged = {name: n for name, n in counters["records"].items() if name.startswith("damaged")}
    assert 1 == sum(damaged.values())


def test_as_a_script(tmp_path):
    """`python jobs/inventory.py -r local` gives the records of the inline runner."""
    line = write_warc(tmp_path / "a b.warc.gz", gz(redirect("http://a.example/old", "/new")))
    (tmp_path / "manifest").write_bytes(line + b"\n")
    said = run_script("inventory", "-r", "local", "--no-conf", CAPTURES, tmp_path / "manifest")
    assert 0 == said.code, said.err
    assert run_job(Inventory, [CAPTURES], [line]) == split_output(said.out.encode())


def test_help():
    """--help explains the options of the reading, and no others."""
    said = run_script("inventory", "--help")
    assert 0 == said.code
    assert "rel=canonical stands for the URL that it names" in " ".join(said.out.split())
    assert "--window-words" not in said.out


def test_sample(tmp_path):
    """Pages that are chosen by their URL tell of themselves, and all else is as without them."""
    pages = [f"http://a.example/{k}" for k in range(40)]
    records = [response(url, HTML + f"<a href=/{k}x>x</a>".encode()) for k, url in enumerate(pages)]
    records.append(redirect("http://b.example/", "http://a.example/"))
    without, counted = inventory(tmp_path, *records)
    made, counters = inventory(tmp_path, *records, args=("--sample", "4"))
    told = [(key, value) for key, value in made if SAMPLE.holds(key)]
    assert without == [pair for pair in made if pair not in told]
    assert 3 < counters["inventory"].pop("pages_sampled") == len(told) < 20
    assert counted == counters
    for _, value in told:
        assert 2 == len(dict(read_links(value)))


def test_sample_of_heads(tmp_path):
    """With nothing but the sample a file is read no further than wanted."""
    records = [response(f"http://a.example/{k}", HTML + bytes(9000)) for k in range(40)]
    line = write_warc(tmp_path / "a.warc", *records)
    whole, _ = run_job(
        Inventory, ["--outputs=sample", "--sample", "1", "--heads", str(1 << 30)], [line]
    )
    some, counters = run_job(
        Inventory, ["--outputs=sample", "--sample", "1", "--heads", "100000"], [line]
    )
    assert 40 == len(whole)
    assert {"inventory": {"pages_sampled": len(some)}} == counters
    assert 10 <= len(some) <= 12
    assert {*some} < {*whole}


def test_stop_words(tmp_path):
    """Words on most pages of a language that no list is shipped for; alone or beside the captures,
    and by the local runner, they are the same.
    """
    html = "<html lang=pl><p>{} na stole i w ulu się robi".format
    pages = [
        gz(response(f"http://p{k}.example/", html(("miód", "wosk", "pyłek")[k % 3]).encode()))
        for k in range(12)
    ]
    one = write_warc(tmp_path / "1.warc.gz", *pages[:5])
    two = write_warc(tmp_path / "2.warc.gz", *pages[5:])
    alone = run_job(Inventory, ["--outputs=stop_words"], [one, two])
    records, counters = alone
    assert [(b"!stops/pl", "12 i na robi się stole ulu w".encode())] == records
    assert {"pl": 7} == counters["stop_words_derived"]
    both, _ = run_job(Inventory, ["--outputs=captures,stop_words"], [two, one])
    assert records == [pair for pair in both if STOP_WORDS.holds(pair[0])]
    (tmp_path / "manifest").write_bytes(one + b"\n" + two + b"\n")
    said = run_script(
        "inventory", "-r", "local", "--no-conf", "--outputs=stop_words", tmp_path / "manifest"
    )
    assert 0 == said.code, said.err
    assert alone == split_output(said.out.encode())
