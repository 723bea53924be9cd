"""URLs as people write them: without a scheme, with or without www or a last slash."""

from __future__ import annotations

import re

from pagekin.web.urls import canonical

__all__ = ["address_of", "spellings"]

# "mailto:" and "ftp://", but not the host and port of "example.org:8080/x"
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|\Z))", re.IGNORECASE)


def address_of(text: str) -> str | None:
    """The canonical URL that somebody means; None for what is no web address.

    >>> address_of("example.org/a"), address_of("mailto:a@example.org")
    ('http://example.org/a', None)
    """
    text = text.strip()
    return canonical(text) or (None if _SCHEME.match(text) else canonical(f"http://{text}"))


def spellings(url: str) -> list[str]:
    """Other canonical URLs that often lead to the same page.

    >>> spellings("http://example.org/a")[:3]
    ['http://example.org/a/', 'http://www.example.org/a', 'http://www.example.org/a/']
    """
    scheme, rest = url.split("://", 1)
    schemes = (scheme, "https" if scheme == "http" else "http")
    rests = (rest, rest.removeprefix("www.") if rest.startswith("www.") else f"www.{rest}")
    near = []
    for other in schemes:
        for text in rests:
            near += [f"{other}://{text}", _other_end(f"{other}://{text}")]
    return [form for form in dict.fromkeys(near) if form != url and canonical(form) == form]


def _other_end(url: str) -> str:
    return url[:-1] if url.endswith("/") else f"{url}/"
