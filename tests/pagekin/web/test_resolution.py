"""The table of what stands for what, looked up by digests of URLs."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.tables import ArrayFile
from pagekin.web import resolution
from pagekin.web.resolution import Resolution, write_aliases, write_resolution
from pagekin.web.urls import plain_spelling, spelt

URLS = [f"http://h{k}.example/" for k in range(12)]
SMALL_BYTES = st.binary(min_size=16, max_size=16).map(lambda some: bytes(b % 2 for b in some))


@given(
    st.dictionaries(st.sampled_from(URLS), st.sampled_from(URLS)),
    st.lists(SMALL_BYTES, min_size=len(URLS), max_size=len(URLS), unique=True),
)
@settings(deadline=None)
def test_any_digests(
    tmp_path_factory: pytest.TempPathFactory, moved: dict[str, str], digests: list[bytes]
) -> None:
    """All of a digest tells URLs apart, zeros at its end too; in one file, and in joined ones."""
    digest_of = dict(zip((url.encode() for url in URLS), digests, strict=True))
    one, other, joined = (tmp_path_factory.mktemp("tables") / name for name in "abc")
    aliases = [(url.encode(), target.encode()) for url, target in sorted(moved.items())]
    with patch.object(resolution, "url_digest", digest_of.__getitem__):
        write_resolution(one, aliases, [])
        write_resolution(other, aliases[::2], [])
        write_aliases(joined, [other, one])
        for path in (one, joined):
            found = Resolution(path)
            ends = {url: end for url in URLS if (end := followed(url, moved)) != url}
            assert ends == found.resolve(URLS)
            assert [ends.get(url, url) for url in URLS] == list(map(found.end_of, URLS))


def followed(url: str, moved: dict[str, str]) -> str:
    """Where a chain ends; the URL itself where it never does."""
    seen = [url]
    while (target := moved.get(seen[-1], seen[-1])) != seen[-1]:
        if target == url or len(seen) > 10:
            return url
        seen.append(target)
    return seen[-1]


def test_passed_over(tmp_path: Path) -> None:
    """Captures are passed over by their names, and no others."""
    names = [b"crawl.warc:%d" % place for place in range(2_000)]
    write_resolution(tmp_path / "table", [], names[::2])
    found = Resolution(tmp_path / "table")
    assert [True, False] * 1_000 == list(map(found.passes_over, names))


def test_many_spellings(tmp_path: Path) -> None:
    """Each of many pages is found in the spelling that was captured."""
    pages = [spelt(f"http://h{k}.example/p", k % 8) for k in range(2_000)]
    keys = [plain_spelling(page).encode() for page in pages]
    entries = [(key, page.encode()) for key, page in zip(keys, pages, strict=True)]
    write_resolution(tmp_path / "table", [], [], None, entries)
    plain = [key.decode() for key in keys]
    ends = Resolution(tmp_path / "table").resolve(plain)
    assert pages == [ends.get(url, url) for url in plain]


def test_golden_table(tmp_path: Path) -> None:
    """The bytes of a table are fixed."""
    write_resolution(
        tmp_path / "table",
        [(b"http://old.example/", b"http://new.example/")],
        [b"a.warc:0"],
        [b"http://new.example/"],
        [(b"http://a.example/", b"https://www.a.example/")],
    )
    file = ArrayFile(tmp_path / "table")
    expected = {"aliases": "|S16", "spelt": "|S16", "passed_over": "|S16", "captured": "<u8"}
    assert expected == {name: file.dtypes[name] for name in expected}
    assert "21c105ab6cb21137b3623479c9795b72" == file.checksum
