"""The demo snapshot: made anew to the same bytes, and holding what demo/README.md promises."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "demo"
FILES = [f"snapshot/crawl-{number:05}.warc.gz" for number in range(4)]
RESERVED = re.compile(r"(.+\.)?(example|test|example\.org|example\.net)")
HREF = re.compile(r"""href=["']?([^"'>\s]+)""", re.IGNORECASE)
LANGUAGES = ("Deutsch", "Français", "Español", "中文", "Русский", "日本語")


class Seen(NamedTuple):
    """A response record."""

    file: int
    status: int
    type: str
    location: str
    truncated: bool
    body: bytes  # without transfer and content coding


@cache
def responses() -> dict[str, list[Seen]]:
    seen = defaultdict(list)
    for number, name in enumerate(FILES):
        with (DEMO / name).open("rb") as file:
            # "all" would decode contents too, but ends the file at a body both chunked and gzipped
            for record in ArchiveIterator(
                file, record_types=WarcRecordType.response, auto_decode="transfer"
            ):
                seen[record.headers["WARC-Target-URI"]].append(_seen(number, record))
    return dict(seen)


def _seen(number: int, record) -> Seen:
    http = record.http_headers
    body = record.reader.read()
    if http.get("Content-Encoding"):
        body = zlib.decompress(body, 32 + zlib.MAX_WBITS)
    return Seen(
        number,
        http.status_code,
        http.get("Content-Type", ""),
        http.get("Location", ""),
        "WARC-Truncated" in record.headers,
        body,
    )


def html_pages() -> dict[str, bytes]:
    return {
        url: seen[0].body
        for url, seen in responses().items()
        if seen[0].status == 200
        and seen[0].type.partition(";")[0] in {"text/html", ""}
        and not seen[0].body.startswith(b"%PDF")
    }


def directory() -> dict[str, str]:
    lines = (DEMO / "directory.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines)


def links() -> dict[str, set[str]]:
    """The hosts that link to a URL, but for its own; disguises taken off."""
    hosts = defaultdict(set)
    for url, body in html_pages().items():
        for href in HREF.findall(body.decode("latin-1")):
            if href.lower().startswith(("http:", "//")) and "[" not in href:
                target = urlsplit(urljoin(url, href.replace("&amp;", "&").replace("img/../", "")))
                name = target.netloc.lower().removesuffix(":80")
                kept = "" if target.query.startswith(("utm_", "fbclid")) else target.query
                plain = target._replace(scheme="http", netloc=name, query=kept, fragment="")
                if name and name != urlsplit(url).netloc:
                    hosts[plain.geturl()].add(urlsplit(url).netloc)
    return hosts


def odd(path: str) -> Seen:
    return responses()[f"http://oddities.example{path}"][0]


@pytest.mark.skipif("ng" in zlib.ZLIB_RUNTIME_VERSION, reason="zlib-ng compresses otherwise")
def test_same_bytes(tmp_path):
    """The script makes exactly the files that are kept beside it."""
    door = ROOT / "scripts" / "make-demo-snapshot"
    subprocess.run([sys.executable, "-B", door, "--to", tmp_path], check=True, capture_output=True)
    for name in [*FILES, "directory.tsv"]:
        assert (DEMO / name).read_bytes() == (tmp_path / name).read_bytes(), name


def test_small():
    """All four files together stay below 600 KB."""
    assert sum((DEMO / name).stat().st_size for name in FILES) < 600_000


@pytest.mark.parametrize("name", FILES)
def test_records_are_whole(name):
    """Every gzip member is one record: a head, a block of the length it names, two line ends."""
    for member in _members((DEMO / name).read_bytes()):
        head, _, rest = member.partition(b"\r\n\r\n")
        length = re.search(rb"\r\nContent-Length: (\d+)$", head)
        assert length
        assert head.startswith(b"WARC/1.")
        assert len(rest) == int(length[1]) + 4
        assert rest.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("name", FILES)
def test_digests(name):
    """Every block has the digest that its record names."""
    with (DEMO / name).open("rb") as file:
        assert all(
            record.verify_block_digest() for record in ArchiveIterator(file, parse_http=False)
        )


def _members(data: bytes) -> Iterator[bytes]:
    while data:
        unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
        yield unpacker.decompress(data)
        data = unpacker.unused_data


def test_record_types():
    """All six kinds of records stand in the files, requests and metadata in the first one."""
    kinds: Counter[tuple[int, str]] = Counter()
    for number, name in enumerate(FILES):
        with (DEMO / name).open("rb") as file:
            kinds.update((number, str(r.record_type)) for r in ArchiveIterator(file))
    assert [kinds[number, "warcinfo"] for number in range(4)] == [1, 1, 1, 1]
    assert sum(kinds[number, "revisit"] for number in range(4)) == 2
    assert kinds[0, "response"] == kinds[0, "request"] == kinds[0, "metadata"]
    assert sum(kinds[n, kind] for n in (1, 2, 3) for kind in ("request", "metadata")) == 0


def test_versions():
    """The last file is WARC/1.1, the others are WARC/1.0."""
    starts = [zlib.decompressobj(31).decompress((DEMO / name).read_bytes(), 8) for name in FILES]
    assert starts == [b"WARC/1.0"] * 3 + [b"WARC/1.1"]


def test_size_of_the_web():
    """As many HTML pages and hosts as the README says."""
    assert len(html_pages()) == 315
    assert len({urlsplit(url).netloc for url in responses()}) == 53
    assert len(directory()) == 192


def test_hosts_are_reserved():
    """No page is on, and no page links to, a host that somebody could own."""
    names = {urlsplit(url).netloc for url in (*responses(), *links())}
    assert sorted(name for name in names if not RESERVED.fullmatch(name)) == []


def test_directory():
    """Every class is two deep below Top, and every page of the directory was captured."""
    assert {3} == {name.count("/") for name in directory().values()}
    assert set() == set(directory()) - set(html_pages())
    subtopics = Counter(name.split("/")[2] for name in set(directory().values()))
    assert sum(count >= 3 for topic, count in subtopics.items() if topic not in LANGUAGES) == 10


def test_languages():
    """Pages in six other languages."""
    found = Counter(name.split("/")[2] for name in directory().values())
    assert [found[name] for name in LANGUAGES] == [15, 8, 7, 5, 5, 2]


@pytest.mark.parametrize(
    ("url", "charset", "words"),
    [
        ("http://crumb-diary.example.net/", "windows-1252", "year – and"),
        ("http://volcans.example/coulee.html", "iso-8859-1", "hérissée"),
        ("http://sauerteig-heft.example/roggenbrot/", "windows-1252", "zweihundertfünfzig"),
        ("http://shahmaty.example/debut.html", "windows-1251", "рокировку"),
        ("http://tianwen.example/wangyuanjing.html", "gb18030", "第一台望远镜"),
        ("http://ori.example/", "shift_jis", "手織りの部屋"),
        ("http://oddities.example/utf16.html", "utf-16", "♔♕♖"),
        ("http://oddities.example/mislabelled.html", "windows-1252", "Crème brûlée"),
    ],
)
def test_charsets(url, charset, words):
    """The bytes are in the charset that the README names, and not in UTF-8."""
    body = responses()[url][0].body
    assert words in body.decode(charset)
    assert words not in body.decode("utf-8", "replace")


def test_every_article_is_linked():
    """Each page of the directory has inlinks from two other hosts, an English one from three."""
    hosts = defaultdict(set)
    for url, names in links().items():
        hosts[_moved_to(url)] |= names
    assert [url for url in directory() if len(hosts[url]) < 2 and "impressum" not in url] == []
    english = [url for url, name in directory().items() if name.split("/")[2] not in LANGUAGES]
    assert [url for url in english if len(hosts[url]) < 3] == []


def _moved_to(url: str) -> str:
    """Follows redirects, a chain of two at most."""
    for _ in range(2):
        seen = responses().get(url)
        url = urljoin(url, seen[0].location) if seen else url
    return url


def test_places_never_captured():
    """More than twenty pages on hosts of their own are known by links alone."""
    captured = {urlsplit(url).netloc for url in responses()}
    far = [url for url in links() if urlsplit(url).netloc not in captured]
    assert len(far) >= 30


def test_redirects():
    """Moved pages, a chain of two, a loop, and one without a target."""
    moved = {url: s[0] for url, s in responses().items() if s[0].status in {301, 302}}
    assert len(moved) == 16
    assert moved["http://bowline.example/"].location == "http://sailing.example/knots/bowline.html"
    assert (
        moved["http://sailing.example/knots/bowline.html"].location
    ) == "http://knots.sailing.example/bowline.html"
    assert moved["http://oddities.example/loop/one"].location == "/loop/two"
    assert moved["http://oddities.example/nowhere"].location == ""
    assert links()["http://bowline.example/"]


def test_second_visits():
    """Two pages were captured twice with different words."""
    twice = {url: seen for url, seen in responses().items() if len(seen) > 1}
    assert {"http://www.courier.example/", "http://valley-beekeepers.test/"} == set(twice)
    assert all(first.body != second.body for first, second in twice.values())


def test_errors():
    """Two pages not found, one gone, two servers in trouble."""
    statuses = Counter(seen[0].status for seen in responses().values())
    assert tuple(statuses[status] for status in (404, 410, 500, 503)) == (2, 1, 1, 1)


def test_oddities():
    """What is odd about the pages of the cabinet."""
    assert odd("/truncated.html").truncated
    assert len(odd("/truncated.html").body) == 1200
    assert b"/course/warping.html" in odd("/truncated.html").body
    assert b"were never begun" not in odd("/truncated.html").body
    assert odd("/deep.html").body.count(b"<div>") == 3000
    assert odd("/nul.html").body.count(b"\0") >= 5
    assert odd("/empty.html").body == b""
    assert odd("/no-type.html").type == ""
    assert odd("/handbook.html").body.startswith(b"%PDF")
    assert odd("/handbook.html").type == "text/html"
    assert odd("/img/bee.gif").body.startswith(b"GIF89a")
    assert b"Look for it within two or three days of full moon" in odd("/chunked.html").body
    assert b"draws water out of damp air" in odd("/chunked-gzip.html").body
    assert b"spoonful of thin oil" in odd("/deflate.html").body


def test_readme_is_true():
    """Every address in the README was captured unless it says otherwise, every oddity is in it."""
    readme = (DEMO / "README.md").read_text(encoding="utf-8")
    never = re.search(r"never captured, so that.*?\n\n(.*?)\n\n", readme, re.DOTALL)
    assert never
    unknown = set(re.findall(r"http://\S+", never[1]))
    named = set(re.findall(r"http://[^\s>`|]+", readme)) - unknown
    assert set() == named - set(responses())
    assert set() == unknown & set(responses())
    assert unknown <= set(links())
    pages = tomllib.loads((DEMO / "source/odd.toml").read_text(encoding="utf-8"))["page"]
    assert [p["path"] for p in pages if f"http://oddities.example{p['path']}>" not in readme] == []
    hosts = {urlsplit(url).netloc for url in responses()}
    assert sorted(host for host in hosts if f"`{host}`" not in readme) == []
