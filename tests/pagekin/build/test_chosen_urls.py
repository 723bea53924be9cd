"""Builds of snapshots in which somebody chose URLs and hosts whose hashes are those of others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.index.verify import verify_index
from pagekin.web.urls import host, plain_spelling, spelt
from tests.collisions import host_like, url_like
from tests.jobs.running import write_warc
from tests.running import NOT_ENRICHED_FLAGS
from tests.warcs import gz, http_block, response, warc_record

Build = Callable[..., Index]

VICTIM, PARTNER = "http://victim.example/bees", "http://partner.example/hives"
THIEF, FRIEND = "http://thief.example/", "http://friend.example/"
SITES = 6
TWIN = url_like(plain_spelling(VICTIM))  # its key has the XXH3-64 of the victim's


def page(url: str, html: str) -> bytes:
    return gz(response(url, html.encode()))


def links(*urls: str) -> str:
    return "<ul>" + "".join(f"<li><a href='{url}'>word{k}</a>" for k, url in enumerate(urls))


def moved(url: str, target: str) -> bytes:
    """A redirect."""
    block = http_block(b"", 302, {"Location": target})
    return gz(warc_record("response", url, block, content_type="application/http;msgtype=response"))


def fans(*urls: str) -> list[bytes]:
    """Pages of some sites with links to these URLs."""
    return [page(f"http://fan{k}.example/", links(*urls)) for k in range(SITES)]


@pytest.fixture
def build(command: Callable[..., object], tmp_path: Path) -> Build:
    """The index of some records."""

    def run(records: list[bytes], *flags: str) -> Index:
        write_warc(tmp_path / "a.warc.gz", *records)
        into = (*NOT_ENRICHED_FLAGS, "--work", tmp_path / "work", "--index", tmp_path / "index")
        command("build", "-q", "-r", "inline", *into, *flags, tmp_path / "a.warc.gz")
        assert [] == verify_index(tmp_path / "index")
        return Index.open(tmp_path / "index")

    return run


CANONICAL = page(TWIN, f"<link rel=canonical href='{THIEF}'><p>honey")


@pytest.mark.parametrize(
    ("attack", "flags"),
    [
        ([moved(TWIN, THIEF)], ()),
        ([moved(TWIN, THIEF), page(VICTIM, "<p>bees")], ("--reading-join-spellings=false",)),
        ([CANONICAL], ("--reading-follow-canonical=true",)),
        ([page(spelt(TWIN, 7), "<p>honey"), page(VICTIM, "<p>bees")], ()),
    ],
    ids=["redirect", "redirect of a captured page", "canonical", "spelling"],
)
def test_aliases(build, attack, flags):
    """All links to a page count for it, whatever stands for URLs of the hash that its own has."""
    index = build([*fans(VICTIM), page(THIEF, "<p>wax"), *attack], *flags)
    assert SITES == index.get(VICTIM).anchors
    assert VICTIM == index.get(VICTIM).url
    assert 0 == index.get(THIEF).anchors


@pytest.mark.parametrize("twin", [TWIN, f"http://z{TWIN[8:]}"], ids=["twin", "another"])
def test_cocitation(build, twin):
    """A page has the kin that it is cited with, and no others; so has the other page, which comes
    first in the order of URLs.
    """
    spam = [page(f"http://spam{k}.example/", links(twin, FRIEND)) for k in range(SITES)]
    index = build([*fans(VICTIM, PARTNER), *spam])
    kin = {url: [one.url for one in index.related(url, by="cocitation")] for url in (VICTIM, twin)}
    assert {VICTIM: [PARTNER], twin: [FRIEND]} == kin


def test_citing_hosts(build):
    """Hosts are counted by their names, and a link from a host is within it if the names agree."""
    others = [host_like("fan0.example"), host_like(host(VICTIM))]
    cited = [page(f"http://{other}/", f"<a href='{VICTIM}'>nectar</a>") for other in others]
    own = page("http://victim.example/", f"<a href='{VICTIM}'>pollen</a>")
    flags = ("--bag-same-host=weigh", "--bag-same-host-weight=0")
    index = build([*fans(VICTIM), *cited, own], *flags)
    bag = index.get(VICTIM)
    assert (SITES + 3, SITES + 3) == (bag.anchors, bag.hosts)
    terms = {term["term"] for term in index.describe(bag, 0)["terms"]}
    assert {"nectar"} == terms & {"nectar", "pollen"}
