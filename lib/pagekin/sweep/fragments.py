"""Which fragments serve which strategies.

Fragments hold no weights, and a word whose place weighs nothing goes when they are merged. So the
fragments of the widest window with all sources serve every strategy of the same reading, words and
kind of window, and the bags come out as a build of its own would make them. Nothing is folded when
they are made, as a build's mappers do with hot URLs: sums hold weights.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pagekin.bags.windows import reach
from pagekin.config import BagConfig, BuildConfig, ReadingConfig, TextConfig, WindowConfig

__all__ = ["FragmentKey", "FragmentNeeds", "fragment_key", "needs_of", "words_around"]

_SOURCES = ("anchor", "content", "links", "headings", "citing_title")


@dataclass(frozen=True)
class FragmentKey:
    """What fragments of one set have in common."""

    reading: ReadingConfig
    text: TextConfig
    kind: str
    drop_same_host: bool


@dataclass(frozen=True)
class FragmentNeeds:
    """How much a set has to hold."""

    widths: tuple[int, ...]  # words each side, ascending
    sources: tuple[str, ...]  # of the bag: what weighs anything

    def config(self, key: FragmentKey) -> BuildConfig:
        """The configuration that cuts such fragments."""
        weights: dict[str, Any] = {name: float(name in self.sources) for name in _SOURCES}
        same_host = "drop" if key.drop_same_host else "keep"
        return BuildConfig(
            reading=key.reading,
            text=key.text,
            window=WindowConfig(key.kind, self.widths[-1]),
            bag=BagConfig(**weights, distance="none", same_host=same_host),
        )

    def cover(self, other: FragmentNeeds) -> bool:
        """Do fragments for these needs serve the others too?"""
        return set(other.widths) <= set(self.widths) and set(other.sources) <= set(self.sources)


def words_around(config: BuildConfig) -> int:
    """How many words each side of a link weigh anything."""
    return reach(config.window, config.bag) if config.bag.anchor else 0


def fragment_key(config: BuildConfig) -> FragmentKey:
    """The set that a strategy takes its fragments from."""
    kind = config.window.kind if words_around(config) else "basic"
    dropped = config.bag.same_host == "drop"
    return FragmentKey(config.reading, config.text, kind, dropped)


def needs_of(configs: Iterable[BuildConfig]) -> dict[FragmentKey, FragmentNeeds]:
    """The sets that some strategies need together."""
    needs: dict[FragmentKey, FragmentNeeds] = {}
    for config in configs:
        key = fragment_key(config)
        found = needs.get(key, FragmentNeeds((), ()))
        widths = tuple(sorted({*found.widths, words_around(config)}))
        sources = {name for name in _SOURCES if getattr(config.bag, name)}
        needs[key] = dataclasses.replace(
            found, widths=widths, sources=tuple(sorted({*found.sources, *sources}))
        )
    return needs
