"""Which answers may be shown, by their hosts: some are excluded, and no host may have too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from pagekin.web.urls import among_hosts, host

__all__ = ["allowed"]

T = TypeVar("T")


def allowed(
    entries: Iterable[T], url_of: Callable[[T], str], excluded: Sequence[str], per_host: int
) -> Iterator[T]:
    """Without excluded hosts; `per_host` of one host at the most, if it is not 0."""
    is_excluded = among_hosts(excluded)
    taken: Counter[str] = Counter()
    for entry in entries:
        name = host(url_of(entry))
        taken[name] += 1
        if not is_excluded(name) and not (per_host and taken[name] > per_host):
            yield entry
