"""How a page writes the address of another one.

To itself a site links in its own manner (relative, rooted, absolute). To others it links in full,
and one link in seven is disguised the way copied links are: with tracking parameters, a fragment,
a host in capitals, a port. All disguises name the same page.
"""

from __future__ import annotations

import posixpath
from urllib.parse import urlsplit

from .chance import draw, one
from .stock import Article, Site

__all__ = ["address_of", "host", "written"]

DISGUISED = 1 / 7
OLD_ADDRESS = 0.4  # share of links to a moved page that still name its old address
TRACKING = (
    "utm_source=feed&utm_medium=rss",
    "utm_source=newsletter&utm_campaign=spring",
    "fbclid=IwAR3x",
)


def host(url: str) -> str:
    return urlsplit(url).netloc


def written(target: str, page: str, site: Site) -> str:
    """The href by which `page` of `site` links to `target`."""
    if host(target) != host(page):
        return _disguised(target, page) if draw("disguise", target, page) < DISGUISED else target
    return _STYLES[site.links](target, page)


def address_of(article: Article, page: str) -> str:
    """The address under which `page` knows the article: the present one or a former one."""
    if article.old and draw("old", article.url, page) < OLD_ADDRESS:
        return article.old[0]
    return article.url


def _disguised(url: str, page: str) -> str:
    parts = urlsplit(url)
    forms = [
        parts._replace(query="&".join(filter(None, (parts.query, one(TRACKING, url, page))))),
        parts._replace(fragment="content"),
        parts._replace(netloc=parts.netloc.upper()),
        parts._replace(netloc=parts.netloc + ":80"),
        parts._replace(path="/img/.." + parts.path),
    ]
    return one(forms, "form", url, page).geturl()


def _absolute(url: str, page: str) -> str:
    del page
    return url


def _rooted(url: str, page: str) -> str:
    del page
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def _relative(url: str, page: str) -> str:
    folder = posixpath.dirname(urlsplit(page).path)
    target = _rooted(url, page)
    short = posixpath.relpath(target, folder)
    return f"{short}/" if target.endswith("/") else short


_STYLES = {"absolute": _absolute, "rooted": _rooted, "relative": _relative}
