"""Plain hrefs resolved in C: the same URLs as by the rules, and no plain one left."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagekin.web.urls import MAX_LENGTH, Resolver
from tests.natives import native

BASES = ["http://a.example/b/c", "https://b.example:8/", "about:blank", "mailto:x", "http://[::1]/"]
CRUMBS = (
    *("/", "//", "a", "B", "index.", "Index.html", "default.", ".", "..", "(", ";", "~", "-", "_"),
    *("%", "%2F", "%41", "%2f", "%7E", "%7B", "%E4", "%3A", "%60", "?", "#", "x=1", ":80", "@"),
    *("http://", "https://", "HTTP://", "a.de", "xn--a.de", ".com", "com", "1.2", "é", " ", "["),
    *("www.", "a1", "&amp;", "'", "\ud800", "x" * 700),
)
HREFS = st.lists(st.lists(st.sampled_from(CRUMBS), max_size=7).map("".join), max_size=8)


@given(st.sampled_from(BASES), HREFS)
@example(BASES[0], ["/" + "x" * (MAX_LENGTH - 17), "/" + "x" * (MAX_LENGTH - 16)])
@example(BASES[0], ["http://a.example/" + "x" * (MAX_LENGTH - 17)])
@settings(max_examples=2000)
def test_twins(base: str, hrefs: list[str]) -> None:
    """Each href is resolved as by the rules, or left to them; those that are plain are not."""
    rules, known = Resolver(base), dict[str, str]()
    hrefs += [f"http://a.example/{href}" for href in hrefs]
    resolve = native("pagekin.web._urls").resolve_plain
    rest = resolve(hrefs, known, rules._origin, MAX_LENGTH)
    assert {*hrefs} == {*known, *rest}
    for href, url in known.items():
        assert rules._resolve(href) == url
    for href in rest:
        plain = rules._plain(href.partition("#")[0])
        url = rules._resolve(href)
        is_plain = plain is not None and plain.lastindex is None
        assert not is_plain or "\ud800" in href or url is None or len(url) >= MAX_LENGTH
    assert [] == resolve([*known], known, rules._origin, MAX_LENGTH)


def test_wrong_input() -> None:
    """Hrefs are texts in a list."""
    resolve = native("pagekin.web._urls").resolve_plain
    with pytest.raises(TypeError):
        resolve(("/a",), {}, "", MAX_LENGTH)
    assert [7] == resolve([7], {}, "", MAX_LENGTH)
    with pytest.raises(TypeError):
        resolve([[]], {}, "", MAX_LENGTH)
