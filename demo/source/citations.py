"""Who names whom inside a text.

The choice is made for the target, not for the source, so that no article stays without inlinks:
each is named on three other hosts, by two articles of its own subtopic where there are any. Of
the possible sources, those that name the fewest so far come first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from .addresses import host
from .chance import shuffled
from .stock import Article, World

__all__ = ["Citations", "citations_of"]

NAMED = 3  # times each article is named
SAME_SUBTOPIC = 2  # of these
MOST = 4  # articles that one article names
Citations = dict[str, list[Article]]  # by the URL of the page that names them


def citations_of(world: World) -> Citations:
    cited: Citations = defaultdict(list)
    for target in world.articles:
        for source in _sources(target, world, cited):
            cited[source.url].append(target)
    return cited


def _sources(target: Article, world: World, cited: Citations) -> list[Article]:
    """The articles that will name the target, each on a host of its own."""
    topic = world.topics[target.topic].articles
    able = [a for a in topic if host(a.url) != host(target.url) and len(cited[a.url]) < MOST]
    by_load = sorted(shuffled(able, "cites", target.url), key=lambda a: len(cited[a.url]))
    near = [a for a in by_load if a.subtopic == target.subtopic]
    far = [a for a in by_load if a.subtopic != target.subtopic]
    return _one_per_host(_one_per_host(near)[:SAME_SUBTOPIC] + far)[:NAMED]


def _one_per_host(articles: Iterable[Article]) -> list[Article]:
    first: dict[str, Article] = {}
    for article in articles:
        first.setdefault(host(article.url), article)
    return list(first.values())
