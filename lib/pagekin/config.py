"""The configuration of a build: frozen dataclasses, composed, one per part of the method.

It is written into every artefact, and a stage depends on exactly the sections that it names. Each
field's help text and bounds stand in its metadata, from which `pagekin.options` makes BUILD.toml,
the flags of `pagekin build` and the options of every job.

Rests on [SIM] (Haveliwala, Gionis, Klein, Indyk: Evaluating Strategies for Similarity Search on the
Web, 2002), sections 3 and 6.1. What the paper leaves open is decided in docs/architecture.md.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pagekin.errors import UsageError

__all__ = [
    "BagConfig",
    "BuildConfig",
    "ReadingConfig",
    "TextConfig",
    "WeightConfig",
    "WindowConfig",
    "sections",
    "to_dict",
]


_FURTHEST = 8191  # places of words around a link that pagekin.bags.places tells apart
_HEAVIEST = 100.0  # weights are summed as 64-bit whole numbers of 2^-32: 4 million links still fit


def _option(
    default: Any,
    text: str,
    *,
    choices: Iterable[str] = (),
    low: float = -math.inf,
    high: float = math.inf,
) -> Any:
    """A field with its help, its allowed words or its least and greatest value."""
    bounds = {"choices": tuple(choices), "low": low, "high": high}
    return field(default=default, metadata={"help": text, **bounds})


def _weight(default: float, text: str) -> Any:
    return _option(default, text, low=0, high=_HEAVIEST)


@dataclass(frozen=True)
class ReadingConfig:
    """How a record becomes a page."""

    max_page_bytes: int = _option(
        5 * 1024 * 1024,
        "longer pages are cut to this many decoded bytes, and counted",
        low=1024,
        high=1 << 30,
    )
    resolve: bool = _option(
        True,
        "first take an inventory of the snapshot: links to a redirected URL count for its target,"
        " and of several captures of one URL only the latest is read",
    )
    follow_canonical: bool = _option(
        False, "a page with rel=canonical stands for the URL that it names (needs resolve)"
    )
    drop_nofollow: bool = _option(False, "leave out links marked rel=nofollow, ugc or sponsored")
    obey_robots: bool = _option(
        False,
        "leave out pages whose robots meta says noindex, and all links where it says nofollow",
    )
    exclude_host: tuple[str, ...] = _option(
        (), "hosts (with all below them) whose pages are not read: a directory used for judging"
    )


@dataclass(frozen=True)
class TextConfig:
    """How text becomes terms [SIM 3.1, 3.2]."""

    stemming: str = _option(
        "stem",
        "nostem: words as they are; stem: Porter stems; stopstem: words as they are, dropped when"
        " their stem is the stem of a stop word",
        choices=("nostem", "stem", "stopstem"),
    )
    stop_words: bool = _option(True, "drop the words of the page language's stop list")
    default_language: str = _option(
        "en", "the language of pages that do not say and are too short to tell (ISO 639-1)"
    )
    max_letters: int = _option(64, "longer runs of letters are no words", low=1)


@dataclass(frozen=True)
class WindowConfig:
    """Which words around a link describe its target [SIM 3.1]."""

    kind: str = _option(
        "basic",
        "basic: a fixed number of words each side; syntactic: cut at paragraphs, cells and list"
        " items; topical: cut at headings and at the end of lists and tables",
        choices=("basic", "syntactic", "topical"),
    )
    words: int = _option(
        32,
        "words each side at the most, stop words not counted (the paper: 0, 4, 8, 16, 32)",
        low=0,
        high=_FURTHEST,
    )


@dataclass(frozen=True)
class BagConfig:
    """What goes into the bag of a URL, and how heavy [SIM 3.1, 3.3, 5.1]."""

    anchor: float = _weight(1.0, "weight of the words in and around links to the URL; 0: none")
    content: float = _weight(1.0, "weight of the page's own words; 0: none")
    links: float = _weight(
        0.0, "weight of the citing pages' ids as terms; 0: none (1 does nothing, 8 helps)"
    )
    distance: str = _option(
        "log",
        "log: a word at distance d weighs log2(32 / (1 + d)), never below 0; none: all weigh 1",
        choices=("log", "none"),
    )
    headings: float = _weight(0.0, "weight, in anchor words, of the headings above a link; 0: none")
    citing_title: float = _weight(
        0.0, "weight, in anchor words, of the citing page's title; 0: none"
    )
    same_host: str = _option(
        "keep",
        "links within one host: keep, drop, or weigh (see same_host_weight)",
        choices=("keep", "drop", "weigh"),
    )
    same_host_weight: float = _weight(
        0.25, "with same_host = weigh: the factor on every word of such a link"
    )
    max_terms: int = _option(
        65_536,
        "distinct terms kept of one URL before weighting: beyond that its lightest terms go",
        low=1024,
        high=1 << 22,
    )


@dataclass(frozen=True)
class WeightConfig:
    """From raw to final weights [SIM 3.3, 5.2]."""

    tf: str = _option(
        "none",
        "scaling of the raw weight: none, sqrt, or log = ln(1 + tf)",
        choices=("none", "sqrt", "log"),
    )
    df: str = _option(
        "nmdf",
        "factor by document frequency: none, log = 1 / (1 + log2 df), sqrt = 1 / sqrt df,"
        " nmdf = exp(-((ln df - mu) / sigma)^2 / 2)",
        choices=("none", "log", "sqrt", "nmdf"),
    )
    mu: float = _option(
        0.0,
        "nmdf: the centre on the scale of ln df; 0: the mean of ln df over the bags' terms",
        low=-100,
        high=100,
    )
    sigma: float = _option(
        0.0,
        "nmdf: the width; 0: the standard deviation of ln df over the bags' terms",
        low=0,
        high=100,
    )
    terms: int = _option(200, "keep this many heaviest terms of a bag; 0: all", low=0)
    normalise: bool = _option(True, "scale every bag to the sum 1")


@dataclass(frozen=True)
class BuildConfig:
    """Everything that decides what a build computes (not where or how fast)."""

    reading: ReadingConfig = ReadingConfig()
    text: TextConfig = TextConfig()
    window: WindowConfig = WindowConfig()
    bag: BagConfig = BagConfig()
    weight: WeightConfig = WeightConfig()

    def __post_init__(self) -> None:
        if self.bag.anchor == self.bag.content == self.bag.links == 0:
            raise UsageError("bag: anchor, content and links are all 0; no bag would hold a term")
        if self.reading.follow_canonical and not self.reading.resolve:
            raise UsageError("reading: follow_canonical needs resolve = true")


Section = type[Any]


def sections() -> dict[str, Section]:
    """Section name -> its dataclass, in the order of the file."""
    return {f.name: type(f.default) for f in dataclasses.fields(BuildConfig)}


def to_dict(config: BuildConfig, only: Iterable[str] = ()) -> dict[str, dict[str, Any]]:
    """The configuration as plain values; `only` names the sections wanted (default: all)."""
    wanted = tuple(only) or tuple(sections())
    return {name: dataclasses.asdict(getattr(config, name)) for name in wanted}
