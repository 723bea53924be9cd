"""The top sub-domain: whose site a URL belongs to."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pagekin.web import domains
from pagekin.web.domains import top_subdomain
from pagekin.web.urls import canonical, host

LABELS = st.one_of(
    st.sampled_from(
        ["", "com", "co", "uk", "ck", "www", "*", "!www", "xn--", "xn--p1ai", "1", "0"]
    ),
    st.text("abc-_!*'()", max_size=4),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("example.com", "example.com"),
        ("www.example.com", "example.com"),
        ("a.b.c.example.com", "example.com"),
        ("www.example.co.uk", "example.co.uk"),
        ("example.co.uk", "example.co.uk"),
        ("co.uk", "co.uk"),
        ("uk", "uk"),
        ("a.github.io", "a.github.io"),
        ("b.github.io", "b.github.io"),
        ("x.a.github.io", "a.github.io"),
        ("github.io", "github.io"),
        ("ann.blogspot.com", "ann.blogspot.com"),
        ("www.ann.blogspot.com", "ann.blogspot.com"),
        ("shop.example.com.au", "example.com.au"),
        # *.ck is a suffix, but for www.ck
        ("a.b.c.ck", "b.c.ck"),
        ("a.www.ck", "www.ck"),
        ("www.xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("a.xn--e1afmkfd.xn--p1ai", "xn--e1afmkfd.xn--p1ai"),
        # 公司.cn, in punycode
        ("a.b.xn--55qx5d.cn", "b.xn--55qx5d.cn"),
        ("xn--55qx5d.cn", "xn--55qx5d.cn"),
        ("localhost", "localhost"),
        ("a.b.unknownsuffix", "b.unknownsuffix"),
        ("192.0.2.1", "192.0.2.1"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("a..example.com", "a..example.com"),
    ],
)
def test_top_subdomain_of_a_host(name: str, expected: str) -> None:
    """The owner is the label before the public suffix; what has none stands for itself."""
    assert expected == top_subdomain(name)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.example.co.uk:8080/a?b=//c.org/", "example.co.uk"),
        ("http://x.a.github.io/", "a.github.io"),
        ("http://192.0.2.1:80/", "192.0.2.1"),
        ("http://[::1]:81/a", "[::1]"),
        ("http://co.uk/", "co.uk"),
    ],
)
def test_top_subdomain_of_a_url(url: str, expected: str) -> None:
    """A URL belongs where its host belongs."""
    assert expected == top_subdomain(url)


@settings(deadline=None)
@given(st.lists(LABELS, min_size=1, max_size=5).map(".".join))
def test_the_owner_is_an_end_of_the_host_and_owns_itself(name: str) -> None:
    """Every host a form can have has an owner: its last labels, which own themselves."""
    form = canonical(f"http://{name}/")
    assume(form is not None)
    owner = top_subdomain(form)
    assert f".{host(form)}".endswith(f".{owner}")
    assert owner == top_subdomain(owner)


def test_the_memo_is_bounded() -> None:
    """A crawl of any number of hosts costs bounded memory."""
    assert domains._registered.cache_parameters()["maxsize"] == domains.MEMO_SIZE


def test_the_list_is_not_read_before_it_is_needed() -> None:
    """Importing costs no suffix list."""
    code = "from pagekin.web import domains; print(domains._suffix_list.cache_info().currsize)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "0\n"
