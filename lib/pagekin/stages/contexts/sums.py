"""Heads are sent along the links, and become the contexts of URLs.

A message is a row of bytes (`pagekin.enrich.links.message`). Many of them travel as one record:
their number, and behind a blank all of them, without ends of lines. Base64 would take a third more
of what is most of the shuffle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from pagekin.config import EnrichConfig
from pagekin.counters import Counters
from pagekin.enrich.links import (
    CITED,
    CITING,
    COCITED,
    KINDS,
    MOST_HEARD,
    cited_weight,
    contexts_of,
    least_messages,
    message,
    message_size,
    sender_of,
)
from pagekin.kinds import CONTEXTS, JOINED_HEADS, Pair
from pagekin.stages.joined_heads.join import parse_head

__all__ = ["hear", "messages_value", "parse_messages", "tell"]

_GATHERED = 100_000  # messages that wait to be sent: 12 MB
_URLS = 2_000  # are summed up at once
_TOGETHER = 4 << 20  # or fewer, if they have so many bytes of messages: 60 MB at work

_ESCAPE = b"\x1b"
_ESCAPED = ((_ESCAPE, b"e"), (b"\n", b"n"), (b"\r", b"r"), (b"\t", b"t"))  # the escape first


def tell(pairs: Iterable[Pair], config: EnrichConfig, counters: Counters) -> Iterator[Pair]:
    """The map side: messages to URLs, gathered; the many to a hot one are cut already here."""
    messages: defaultdict[bytes, list[bytes]] = defaultdict(list)
    gathered = 0
    for key, value in pairs:
        page = key.removeprefix(JOINED_HEADS.prefix)
        told, sender = parse_head(page, value), sender_of(page)
        of_citing = message(CITING, MOST_HEARD, sender, told.head)
        for url in told.cited:
            messages[url].append(of_citing)
        if told.citing:
            of_cited = message(CITED, cited_weight(len(told.citing)), sender, told.head)
            for url in told.citing:
                messages[url].append(of_cited)
        for url, times in told.beside.items():
            messages[url].append(message(COCITED, times, sender, told.head))
        some = len(told.cited), len(told.citing), len(told.beside)
        gathered += sum(some)
        for kind, number in zip(KINDS, some, strict=True):
            counters.add("contexts", kind, number)
        if gathered > _GATHERED:
            yield from _gathered(messages, config.links_most)
            gathered = 0
    yield from _gathered(messages, config.links_most)


def _gathered(messages: defaultdict[bytes, list[bytes]], most: int) -> Iterator[Pair]:
    """What was gathered, which is forgotten then."""
    for url, some in messages.items():
        yield url, messages_value(least_messages(url, some, most))
    messages.clear()


def messages_value(messages: list[bytes]) -> bytes:
    """So many messages as one value."""
    body = b"".join(messages)
    for byte, letter in _ESCAPED:
        body = body.replace(byte, _ESCAPE + letter)
    return b"%d %b" % (len(messages), body)


def parse_messages(value: bytes) -> tuple[int, bytes]:
    """How many messages stand in such a value, and all of them; ValueError if it is none."""
    number, _, joined = value.partition(b" ")
    for byte, letter in reversed(_ESCAPED):
        joined = joined.replace(_ESCAPE + letter, byte)
    if int(number) < 1 or len(joined) % int(number):
        raise ValueError("no messages, or of different lengths")
    return int(number), joined


def hear(pairs: Iterable[Pair], config: EnrichConfig, counters: Counters) -> Iterator[Pair]:
    """The reduce side: the contexts of each URL."""
    urls: list[bytes] = []
    heard: list[bytes] = []
    size = 0
    for url, group in groupby(pairs, key=itemgetter(0)):
        urls.append(url)
        heard.append(b"".join([parse_messages(value)[1] for _, value in group]))
        size += len(heard[-1])
        if len(urls) == _URLS or size > _TOGETHER:
            yield from _contexts(urls, heard, config, counters)
            urls, heard, size = [], [], 0
    yield from _contexts(urls, heard, config, counters)


def _contexts(
    urls: list[bytes], heard: list[bytes], config: EnrichConfig, counters: Counters
) -> Iterator[Pair]:
    each = message_size(config.links_terms)
    values, used = contexts_of(urls, heard, each, config.links_most)
    counters.add("contexts", "urls", len(urls))
    for kind, number in zip(KINDS, used, strict=True):
        counters.add("contexts", f"{kind}_heard", number)
    yield from zip((CONTEXTS.prefix + url for url in urls), values, strict=True)
