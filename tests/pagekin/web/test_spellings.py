"""URLs as people write them, and others that may lead to the same page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.web.spellings import address_of, spellings
from pagekin.web.urls import canonical


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://a.example/", "http://a.example/"),
        ("a.example", "http://a.example/"),
        ("a.example/x?b=2&a=1#top", "http://a.example/x?a=1&b=2"),
        ("HTTPS://A.Example/", "https://a.example/"),
        ("https:a.example/x", "https://a.example/x"),
        ("//a.example/x", "http://a.example/x"),
        ("a.example:8080/x", "http://a.example:8080/x"),
        ("a.example:8080", "http://a.example:8080/"),
        ("a.example:80?x", "http://a.example/?x"),
        ("localhost:80#x", "http://localhost/"),
        ("bücher.example", "http://xn--bcher-kva.example/"),
        ("a.example/index.html", "http://a.example/"),
        ("  a.example/x ", "http://a.example/x"),
        ("--all", "http://--all/"),
        ("a.example/http://b.example/", "http://a.example/http://b.example/"),
    ],
)
def test_address(text, url):
    """What people write is read as the URL that they mean."""
    assert url == address_of(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "   ", "two words", "http://", "http:///", "/", "#top", "?x"),
        *("mailto:x@y.z", "ftp://a.example/", "ftp:a.example", "javascript:void(0)"),
        *("tel:+49-30-1", "urn:isbn:3-16", "data:text/plain,x", "a.example:x", "FILE:///etc"),
    ],
)
def test_no_address(text):
    """What is no web address is none, and is not made one by a scheme before it."""
    assert address_of(text) is None


@given(st.text())
def test_any_text(text):
    """Whatever is written gives a canonical URL or none."""
    url = address_of(text)
    assert url is None or canonical(url) == url


@pytest.mark.parametrize(
    ("url", "others"),
    [
        (
            "http://a.example/x",
            [
                *("http://a.example/x/", "http://www.a.example/x", "http://www.a.example/x/"),
                *("https://a.example/x", "https://a.example/x/"),
                *("https://www.a.example/x", "https://www.a.example/x/"),
            ],
        ),
        (
            "https://www.a.example/",
            ["https://a.example/", "http://www.a.example/", "http://a.example/"],
        ),
        (
            "http://a.example:8080/",
            [
                "http://www.a.example:8080/",
                "https://a.example:8080/",
                "https://www.a.example:8080/",
            ],
        ),
    ],
)
def test_spellings(url, others):
    """With and without www and a last slash, and the other scheme; nearest first."""
    assert others == spellings(url)


WORDS = st.text("abcwx.-_/?=&%0123456789", min_size=1, max_size=12)


@given(st.builds(lambda rest: canonical(f"http://a.example/{rest}"), WORDS).filter(bool))
def test_spellings_of_anything(url):
    """They are canonical, each once, and without the URL itself."""
    others = spellings(url)
    assert len(set(others)) == len(others)
    assert url not in others
    for other in others:
        assert canonical(other) == other


def test_only_one_scheme_and_www():
    """A host whose name begins with www and a letter is another one."""
    others = spellings("http://wwwa.example/x")
    assert "http://www.wwwa.example/x" in others
    assert not any(other.startswith(("http://a.", "https://a.")) for other in others)
