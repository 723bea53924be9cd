"""The top sub-domain TSD of a URL: whose site a page belongs to, for caps and filters by domain.

It is the registered domain by the Public Suffix List with its private section, so that a.github.io
and b.github.io have two owners. The list is the one inside the package publicsuffixlist: nothing is
ever downloaded, and only the same version of that package gives the same domains again.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from publicsuffixlist import PublicSuffixList

from pagekin.web.urls import host

__all__ = ["make_suffix_list", "top_subdomain"]

# Hosts; 15 MB when full. A miss costs 2.7 microseconds, a hit less than 0.1.
MEMO_SIZE: Final = 65_536


def top_subdomain(url_or_host: str) -> str:
    """The registered domain of a canonical URL, or of the host of one.

    An address, a bare suffix ("co.uk") and a name of one label give the host itself.

    >>> top_subdomain("https://www.cs.example.co.uk:8080/a")
    'example.co.uk'
    """
    return _registered(host(url_or_host) if "://" in url_or_host else url_or_host)


@lru_cache(maxsize=MEMO_SIZE)
def _registered(name: str) -> str:
    # The parser makes an IPv4 address of every host that ends in a number, so no name ends in one.
    if name.rpartition(".")[2].isdecimal():
        return name
    return _suffix_list().privatesuffix(name) or name


def make_suffix_list() -> None:
    """Make now what the first `top_subdomain` else makes."""
    _suffix_list()


@cache
def _suffix_list() -> PublicSuffixList:
    # 80 ms, which a command that asks for no domain should not pay.
    return PublicSuffixList()
