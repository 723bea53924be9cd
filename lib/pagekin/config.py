"""The configuration of a build: frozen dataclasses, composed, one per part of the method.

It is written into every artefact, and a stage depends on exactly the sections that it names. Each
field's help text and bounds stand in its metadata, from which BUILD.toml, the flags of `pagekin
build` and the options of every job follow.

BUILD.toml has a table per section; `--window-words 16` is `words` in `[window]`. Flags override the
file. Every mistake is reported in one go, and for an unknown key the nearest known one is named.

Rests on [SIM] (Haveliwala, Gionis, Klein, Indyk: Evaluating Strategies for Similarity Search on the
Web, 2002), sections 3 and 6.1, and for blocks on [BLOCK] (Shen, Chen, Meng, Zhang: Finding Related
Web Pages in Parallel by Using Grouped Link Structures). What the papers leave open is decided in
docs/decisions/.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from pagekin.errors import UsageError

__all__ = [
    "LANGUAGES",
    "AuthorityConfig",
    "BagConfig",
    "BlockConfig",
    "BuildConfig",
    "CocitationConfig",
    "EnrichConfig",
    "IndexConfig",
    "ReadingConfig",
    "SignatureConfig",
    "TextConfig",
    "WeightConfig",
    "WindowConfig",
    "add_flags",
    "config_from_flags",
    "config_of",
    "keys_of",
    "known_config",
    "load_config",
    "sections",
    "to_dict",
    "to_flags",
    "unknown",
    "words_of",
]


# ISO 639-1, but for the two Norwegians nb and nn: stop words and stems are made for "no".
_CODES = (
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy "
    "da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht "
    "hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky "
    "la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nd ne ng nl no nr nv ny oc oj "
    "om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su "
    "sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
)
LANGUAGES = tuple(_CODES.split())
_WITH_STOP_WORDS = ("de", "en", "es", "fr", "it", "nl", "pt", "ru", "zh")

_FURTHEST = 8191  # places of words around a link that term_positions tells apart
_HEAVIEST = 100.0  # weights are summed as 64-bit whole numbers of 2^-32: 4 million links still fit


def _option(
    default: Any,
    text: str,
    *,
    choices: Iterable[str] = (),
    examples: Iterable[str] = (),
    low: float = -math.inf,
    high: float = math.inf,
) -> Any:
    """A field with its help, its allowed words or its least and greatest value.

    `examples` stand for choices that are too many to be listed.
    """
    words = {"choices": tuple(choices), "examples": tuple(examples)}
    bounds = {**words, "low": low, "high": high}
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
    join_spellings: bool = _option(
        True,
        "URLs that differ in http or https, in www., in a final slash or in needless escapes are"
        " one page if one of them was captured or redirected (needs resolve)",
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
    derived_stops: bool = _option(
        True,
        "derive a stop list from the snapshot for each language that none is shipped for, if it has"
        " pages enough; not without reading.resolve",
    )
    default_language: str = _option(
        "en",
        "the language of pages that do not say and are too short to tell (ISO 639-1)",
        choices=LANGUAGES,
        examples=_WITH_STOP_WORDS,
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
    headings: float = _weight(0.5, "weight, in anchor words, of the headings above a link; 0: none")
    citing_title: float = _weight(
        0.5, "weight, in anchor words, of the citing page's title; 0: none"
    )
    same_host: str = _option(
        "keep",
        "links within one host: keep, drop, or weigh (see same_host_weight)",
        choices=("keep", "drop", "weigh"),
    )
    same_host_weight: float = _weight(
        0.25, "with same_host = weigh: the factor on every word of such a link"
    )
    urls: str = _option(
        "all",
        "which URLs have bags: all that are read or linked to, or those whose page was read"
        " (crawled)",
        choices=("all", "crawled"),
    )
    templates: str = _option(
        "anchors",
        "anchors: of links in menus to URLs that were not read nothing but the anchor counts"
        " (needs reading.resolve); none: all links are alike",
        choices=("none", "anchors"),
    )
    max_terms: int = _option(
        65_536,
        "distinct terms kept of one URL before weighting: beyond that its lightest terms go",
        low=1024,
        high=1 << 22,
    )

    @property
    def asks_what_was_read(self) -> bool:
        """Do bags depend on which URLs were captured?"""
        return self.urls == "crawled" or self.templates == "anchors"


@dataclass(frozen=True)
class WeightConfig:
    """From raw to final weights [SIM 3.3, 5.2]."""

    tf: str = _option(
        "sqrt",
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
    common: float = _option(
        0.15,
        "nmdf: terms of a larger share of the bags count nothing for mu and sigma; 1: all count",
        low=0,
        high=1,
    )
    terms: int = _option(200, "keep this many heaviest terms of a bag; 0: all", low=0)
    normalise: bool = _option(True, "scale every bag to the sum 1")


@dataclass(frozen=True)
class EnrichConfig:
    """What is added to bags that their own words leave unsaid."""

    words: bool = _option(
        True, "add words that are related to those of a bag of 100 terms and more"
    )
    neighbours: bool = _option(
        False, "learn which terms are neighbours, as words does, for pagekin neighbours alone"
    )
    words_share: float = _option(
        1.0, "words: so much is added to a bag of the sum 1", low=0, high=10
    )
    words_sample: int = _option(
        10_000,
        "words: neighbours of terms are learned from so many bags, drawn by their URLs",
        low=1,
        high=40_000,
    )
    words_nearest: int = _option(
        30, "words: neighbours of a term at the most, the nearest", low=1, high=1_000
    )
    words_least: int = _option(
        5, "words: terms of fewer bags of the sample have no neighbours", low=2
    )
    links: bool = _option(
        True, "add words of the pages that link here, are linked to, and stand beside"
    )
    links_share: float = _option(
        0.3, "links: so much of each of the three is added to a bag of the sum 1", low=0, high=10
    )
    links_terms: int = _option(
        20, "links: so many heaviest terms of a page are heard along its links", low=1, high=255
    )
    links_near: int = _option(
        16,
        "links: pages stand beside each other if at most so many words are between their links",
        low=0,
        high=1_000,
    )
    links_most: int = _option(
        100,
        "links: a URL hears at most so many pages of each of the three, chosen by lot",
        low=1,
        high=1_000,
    )
    topics: bool = _option(True, "add the topics, learned from the snapshot, that a bag is near")
    topics_share: float = _option(
        0.5,
        "topics: so much of a bag of 100 terms and more, of a shorter one less; its words are the"
        " rest",
        low=0,
        high=1,
    )
    topics_sample: int = _option(
        3_000,
        "topics: learned from so many bags, those of the most terms (up to 200)",
        low=1,
        high=10_000,
    )
    topics_sets: int = _option(
        8, "topics: so many times they are learned, each time from other beginnings", low=1, high=16
    )
    topics_centroids: int = _option(
        120, "topics: so many each time, at most one for 4 bags", low=2, high=1_000
    )
    topics_rounds: int = _option(2, "topics: rounds of k-means", low=0, high=100)
    topics_terms: int = _option(
        200, "topics: keep this many heaviest terms of each", low=1, high=1_000
    )
    topics_nearest: int = _option(
        3, "topics: a bag has so many of each time, the nearest", low=1, high=64
    )
    terms: int = _option(300, "keep this many heaviest words of an enriched bag; 0: all", low=0)

    @property
    def learns_words(self) -> bool:
        """Are neighbours of terms learned?"""
        return self.words or self.neighbours

    @property
    def is_on(self) -> bool:
        """Is anything added?"""
        return self.words or self.links or self.topics


@dataclass(frozen=True)
class SignatureConfig:
    """The signatures of a bag, by whose equality similar bags are found [SIM 6.2]."""

    count: int = _option(
        80,
        "signatures of a bag, 4 bytes each; pagekin plan-signatures says how many are needed",
        low=1,
        high=4096,
    )
    seed: int = _option(
        20020507,
        "where all their randomness comes from: only signatures of one seed can be compared",
        low=0,
        high=(1 << 64) - 1,
    )
    method: str = _option(
        "darts",
        "darts: the fastest and most exact, for bags of the sum 1; icws: for weights of any sum;"
        " linear: the paper's, over rounded copies of the terms, less exact",
        choices=("darts", "icws", "linear"),
    )
    copies: int = _option(
        512,
        "linear: a weight of 1 becomes this many copies of its term",
        low=1,
        high=65_535,
    )


@dataclass(frozen=True)
class IndexConfig:
    """How documents lie in the index [SIM 6.2]."""

    shards: int = _option(
        0, "parts of the index; 0: one for each 500,000 documents", low=0, high=100_000
    )
    min_inlinks: int = _option(
        0,
        "URLs with fewer links to them are nobody's kin, but have kin themselves; 0: none"
        " (the paper leaves out those with 3 or fewer: 4)",
        low=0,
    )


@dataclass(frozen=True)
class BlockConfig:
    """How a page becomes blocks of links [BLOCK]."""

    rules: str = _option(
        "structural",
        "structural: by the tree of elements, fine; coarse: the same, larger blocks; paper:"
        " sections merged by their text, links and style; page: the whole page is one block",
        choices=("structural", "coarse", "paper", "page"),
    )
    menus: bool = _option(
        True, "structural: an element that calls itself a menu (tag, class, id or role) is a block"
    )
    page_share: float = _option(
        0.8, "structural: what holds more than this share of a page's links is cut", low=0, high=1
    )
    detail: int = _option(
        100,
        "structural: what leads to fewer addresses than one for each so many links of the page,"
        " three at most, is a detail of what is around it; 0: one link is",
        low=0,
    )
    huge: int = _option(200, "structural: what holds more links than this is cut", low=1)
    tags: tuple[str, ...] = _option(
        ("div", "hr", "p", "table", "tr", "ul"), "paper: sections begin and end at these tags"
    )
    styles: str = _option(
        "all",
        "paper: where styles are read: all, or attributes (no style sheets, no style attributes)",
        choices=("all", "attributes"),
    )
    alt: bool = _option(True, "paper: alternative texts of images are text of their section")
    t1: float = _option(
        0.5, "paper: a link section has more than this share of its words in links", low=0, high=1
    )
    t2: int = _option(0, "paper: a link section has more links than this", low=0)
    wordless: float = _option(
        1.0, "paper: that share where a section has links and no words", low=0, high=1
    )
    background: str = _option(
        "most",
        "paper: the background of a section is that of most characters, or of the first text",
        choices=("most", "first"),
    )
    bold: str = _option(
        "any",
        "paper: what makes a section bold: any bold text, bold text outside_links or"
        " outside_headings, or all text",
        choices=("any", "outside_links", "outside_headings", "all"),
    )
    bold_factor: float = _option(1.2, "paper: b of bold text in Eq. 1", low=0, high=100)
    distance: str = _option(
        "hundred",
        "paper: colour distances are divided by a hundred and cut at 1, or by the widest of sRGB",
        choices=("hundred", "widest"),
    )
    max_score: float = _option(
        0.5, "paper: sections whose font scores differ by more are not merged", low=0, high=100
    )
    max_words: int = _option(
        10, "paper: two sections of more words than this are not merged", low=0
    )
    larger: str = _option(
        "words",
        "paper: rule 5 takes that section for the larger which has more of these",
        choices=("words", "links", "characters"),
    )
    levels: int = _option(
        0,
        "paper: merge only within an element that is at most so many of `tags` above both sections;"
        " 0: anywhere",
        low=0,
        high=100,
    )
    invalid: str = _option(
        "links",
        "links that lead to no web page: take out the links, or the whole sections that hold one",
        choices=("links", "sections"),
    )
    large: int = _option(80, "S: blocks of more links than this are discarded", low=1)
    dynamic: str = _option(
        "host",
        "links with a query lead to the root of their host, of its top sub-domain (domain), are"
        " dropped, or are kept",
        choices=("host", "domain", "drop", "keep"),
    )
    dynamic_paths: bool = _option(
        False, "links to programs (cgi-bin, .php, .asp and their kin) are dynamic too"
    )
    anchors_first: bool = _option(
        False, "drop links without anchor text before repeated ones, not after them"
    )


@dataclass(frozen=True)
class CocitationConfig:
    """Kin by links that stand together [BLOCK]; in brackets the paper's letters."""

    near: int = _option(
        8,
        "links so many places apart and less are as near as neighbours [lambda]",
        low=0,
        high=10_000,
    )
    place: str = _option(
        "filtered",
        "a link's place is counted among the links that the filters left (filtered), or among all"
        " of its block (block)",
        choices=("filtered", "block"),
    )
    stop_words: bool = _option(True, "anchors are compared without the stop words of the language")
    language: str = _option(
        "en",
        "the language whose stems and stop words anchors get (ISO 639-1)",
        choices=LANGUAGES,
        examples=_WITH_STOP_WORDS,
    )
    repetition: int = _option(
        9,
        "of links with one anchor text on pages of one domain this many count, the best [r]",
        low=1,
        high=1 << 30,
    )
    domain_limit: float = _option(
        10.0, "all pages of one domain add this much at the most [N]", low=0, high=1e9
    )
    kin: int = _option(15, "related pages of a page at the most [M]", low=1, high=10_000)
    threshold: float = _option(
        0.0,
        "pages of a lower total similarity are not related [T]; 0: 0.5 where 10,000 pages have"
        " blocks or fewer, 1 more for ten times as many, 4 (the paper's) at the most; a job by"
        " itself keeps all then",
        low=0,
        high=1e9,
    )
    reasons: int = _option(
        3, "citing domains that are kept with each related page, the heaviest", low=0, high=100
    )
    plain: bool = _option(
        False,
        "plain co-citation (Dean and Henzinger 1999) for comparison: a page is one block, each"
        " page counts 1, and near, repetition, domain_limit and inlinks count nothing; to be set"
        " with blocks.rules = page and blocks.large = 1000000, or what is left out of blocks is"
        " missing",
    )
    around: int = _option(
        8,
        "with plain: half so many links before and behind a link are its company [BF]",
        low=2,
        high=10_000,
    )
    regulate: str = _option(
        "none",
        "the links of a page count by its standing: by pagerank (its own or its host's, whichever"
        " is higher), by its score as one of the hubs, or alike (none, the paper's way)",
        choices=("none", "pagerank", "hubs"),
    )


@dataclass(frozen=True)
class AuthorityConfig:
    """What links say of the standing of pages and hosts."""

    scores: bool = _option(
        False,
        "score pages and hosts by the links between them, for pagekin authority and --prefer; it is"
        " done for cocitation.regulate in any case",
    )
    within_sites: str = _option(
        "auto",
        "links within a site (a top sub-domain), which are praise of oneself: leave them out, count"
        " them, or auto: count them only where fewer than 1 link in 100 leads to another site; a"
        " job by itself leaves them out then",
        choices=("auto", "leave", "count"),
    )
    damping: float = _option(
        0.85, "so much of a rank goes on along links, in thousandths", low=0, high=0.99
    )
    rounds: int = _option(
        250, "at the most, if hubs and authorities are not still before", low=1, high=100_000
    )
    memory_links: int = _option(
        500_000,
        "graphs of at most so many links are ranked in the memory of one task, larger ones in"
        " rounds of a job; the scores are the same",
        low=0,
        high=10_000_000,
    )


@dataclass(frozen=True)
class MirrorConfig:
    """Which pages are mirrors: they say the same [TOPK]."""

    length: int = _option(7, "words of a shingle", low=1, high=100)
    templates: bool = _option(
        True, "leave out shingles that a third of the pages of a site have, as menus"
    )
    least: int = _option(
        20, "pages of fewer different shingles, without templates, are nobody's mirrors", low=1
    )
    candidates: str = _option(
        "bands",
        "pages are compared that share: a band of their MIPs; a super-shingle, which only copies do"
        " that hardly differ; or a shingle, which misses nothing and is slow",
        choices=("bands", "super_shingles", "shingles"),
    )
    permutations: int = _option(
        84, "MIPs of a page: minima of so many permutations", low=1, high=4096
    )
    rows: int = _option(3, "bands: MIPs of each", low=1, high=4096)
    super_shingles: int = _option(
        6, "super_shingles: so many of a page, each of as many MIPs", low=1, high=4096
    )
    most_pages: int = _option(
        1_000, "shingles: those of more pages are left out", low=2, high=100_000
    )
    sampled: int = _option(
        32,
        "pages that share one of a sample of shingles, one in so many, are compared too: so a page"
        " is found that is contained in a longer one; 0: none",
        low=0,
    )
    resemblance: float = _option(
        0.5, "mirrors share at least this much of the shingles of both", low=0, high=1
    )
    containment: float = _option(
        0.9,
        "a page is contained in another that has this much of its shingles and is no mirror",
        low=0,
        high=1,
    )
    most_members: int = _option(
        10_000,
        "a larger group loses its weakest edges, unless full copies alone hold it together",
        low=2,
    )
    least_pair: float = _option(
        0.2,
        "so does a group of whose members, compared by lot, two share less of their shingles",
        low=0,
        high=1,
    )


@dataclass(frozen=True)
class BuildConfig:
    """Everything that decides what a build computes (not where or how fast)."""

    reading: ReadingConfig = ReadingConfig()
    text: TextConfig = TextConfig()
    window: WindowConfig = WindowConfig()
    bag: BagConfig = BagConfig()
    weight: WeightConfig = WeightConfig()
    enrich: EnrichConfig = EnrichConfig()
    signatures: SignatureConfig = SignatureConfig()
    index: IndexConfig = IndexConfig()
    blocks: BlockConfig = BlockConfig()
    cocitation: CocitationConfig = CocitationConfig()
    mirrors: MirrorConfig = MirrorConfig()
    authority: AuthorityConfig = AuthorityConfig()

    def __post_init__(self) -> None:
        if self.bag.anchor == self.bag.content == self.bag.links == 0:
            raise UsageError("bag: anchor, content and links are all 0; no bag would hold a term")
        if self.reading.follow_canonical and not self.reading.resolve:
            raise UsageError("reading: follow_canonical needs resolve = true")
        if self.signatures.method == "darts" and not self.weight.normalise:
            raise UsageError(
                "signatures: method darts needs bags of the sum 1 (weight.normalise = true);"
                " for others there is method icws"
            )
        mirrors = self.mirrors
        if max(mirrors.rows, mirrors.super_shingles) > mirrors.permutations:
            raise UsageError("mirrors: rows and super_shingles are at most as many as permutations")


Section = type[Any]


def sections() -> dict[str, Section]:
    """Section name -> its dataclass, in the order of the file."""
    return {f.name: type(f.default) for f in dataclasses.fields(BuildConfig)}


def known_config(stored: Mapping[str, Mapping[str, Any]]) -> BuildConfig:
    """What `to_dict` told, also after a journey through JSON, as far as this pagekin knows it.

    A configuration of an older one may lack keys. UsageError where a value cannot be.
    """
    known = {name: {f.name for f in dataclasses.fields(cls)} for name, cls in sections().items()}
    return config_of(
        {
            name: {key: value for key, value in section.items() if key in known[name]}
            for name, section in stored.items()
            if name in known
        }
    )


def to_dict(config: BuildConfig, only: Iterable[str] | None = None) -> dict[str, dict[str, Any]]:
    """The configuration as plain values; `only` names sections and keys (default: all).

    >>> to_dict(BuildConfig(), ["bag.urls"])
    {'bag': {'urls': 'all'}}
    """
    found: dict[str, dict[str, Any]] = {}
    for section, key in keys_of(sections() if only is None else only):
        found.setdefault(section, {})[key] = getattr(getattr(config, section), key)
    return found


def keys_of(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The keys of the configuration that are meant by `section` or `section.key`, each once."""
    found = []
    for name in names:
        section, _, key = name.partition(".")
        keys = [key] if key else [f.name for f in dataclasses.fields(sections()[section])]
        found += [(section, each) for each in keys]
    return iter(dict.fromkeys(found))


# --- reading and writing: BUILD.toml, flags, and the options of jobs ------------------------------

_NO_HOST = frozenset(",:/ ")
_VALUES = {int: "N", float: "X", str: "CODE", tuple[str, ...]: "NAME,..."}  # as help shows them
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}


def load_config(path: Path | None, overrides: Mapping[str, Mapping[str, Any]]) -> BuildConfig:
    """BUILD.toml (if any) under the flags; every mistake is reported in one go."""
    tables = _read_toml(path) if path else {}
    names = tables.keys() | overrides.keys()
    return config_of({n: {**tables.get(n, {}), **overrides.get(n, {})} for n in sorted(names)})


def config_of(tables: Mapping[str, Mapping[str, Any]]) -> BuildConfig:
    """The configuration in tables by section; what they do not say is as by default."""
    problems: list[str] = []
    parts = {
        name: _section(name, cls, tables.get(name, {}), problems)
        for name, cls in sections().items()
    }
    problems += [unknown(name, sections(), "section") for name in tables if name not in sections()]
    if problems:
        raise UsageError("; ".join(problems))
    return BuildConfig(**parts)


def _read_toml(path: Path) -> dict[str, dict[str, Any]]:
    import tomllib  # noqa: PLC0415 - most builds have no file, and no task has

    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: is not valid TOML: {error}") from error
    loose = [key for key, value in tables.items() if not isinstance(value, dict)]
    if loose:
        raise UsageError(
            f"{path}: {', '.join(loose)} stands outside a section;"
            f" sections are {', '.join(sections())}"
        )
    return tables


@cache
def _types(section: str) -> dict[str, Any]:
    """The types of the fields: 0.1 ms, and each job asks."""
    return get_type_hints(sections()[section])


def _section(name: str, cls: Section, values: Mapping[str, Any], problems: list[str]) -> Any:
    known = {f.name: f for f in dataclasses.fields(cls)}
    hints = _types(name)
    good: dict[str, Any] = {}
    for key, value in values.items():
        if key not in known:
            problems.append(unknown(f"{name}.{key}", [f"{name}.{k}" for k in known], "key"))
            continue
        try:
            good[key] = _checked(f"{name}.{key}", hints[key], known[key].metadata, value)
        except ValueError as error:
            problems.append(str(error))
    return cls(**good)


def unknown(name: str, known: Iterable[str], what: str) -> str:
    """The complaint about a name that is not known, with the nearest that is."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.4)
    hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
    return f"unknown {what} {name}{hint}"


def _checked(name: str, kind: Any, metadata: Mapping[str, Any], value: Any) -> Any:
    """`value` as `kind`, within its choices and bounds; ValueError says what would be right."""
    if kind == tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
            raise ValueError(f"{name} takes a list of strings, not {value!r}")
        if bad := [word for word in value if not word or _NO_HOST & set(word)]:
            raise ValueError(f"{name} takes names of hosts, not {', '.join(map(repr, bad))}")
        return tuple(value)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise ValueError(f"{name} takes {_KINDS[kind]}, not {value!r}")
    choices, low, high = metadata["choices"], metadata["low"], metadata["high"]
    if choices and value not in choices:
        some = metadata["examples"]
        right = f"codes like {', '.join(some)}" if some else f"one of {', '.join(choices)}"
        raise ValueError(f"{name} is {value!r}; it takes {right}")
    if kind in {int, float} and not low <= value <= high:
        most = f" and at most {high}" if high < math.inf else ""
        raise ValueError(f"{name} is {value}; it must be at least {low}{most}")
    return value


# --- flags: one per field, for the command and for every job -------------------------------------


def _boolean(word: str) -> bool:
    if word.lower() in {"true", "yes", "on", "1"}:
        return True
    if word.lower() in {"false", "no", "off", "0"}:
        return False
    raise argparse.ArgumentTypeError(f"takes true or false, not {word!r}")


def words_of(text: str) -> tuple[str, ...]:
    """What stands between the commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _flag(section: str, key: str) -> str:
    return f"--{section}-{key}".replace("_", "-")


def add_flags(add: Callable[..., Any], names: Iterable[str]) -> None:
    """Declare `--section-key` for these sections and keys; `add` is argparse's or mrjob's."""
    parsers: dict[Any, Callable[[str], Any]] = {bool: _boolean, tuple[str, ...]: words_of}
    for section, key in keys_of(names):
        field, kind = _field(section, key), _types(section)[key]
        shown = ",".join(field.default) if isinstance(field.default, tuple) else str(field.default)
        listed = () if field.metadata["examples"] else field.metadata["choices"]
        words = ("true", "false") if kind is bool else listed
        shown = shown.lower() if kind is bool else shown
        add(
            _flag(section, key),
            dest=f"{section}_{key}",
            type=parsers.get(kind, kind),
            default=None,
            metavar="|".join(words) or _VALUES[kind],
            help=f"{field.metadata['help']} (default: {shown or 'none'})".replace("%", "%%"),
        )


def _field(section: str, key: str) -> dataclasses.Field[Any]:
    return next(f for f in dataclasses.fields(sections()[section]) if f.name == key)


def config_from_flags(options: argparse.Namespace, path: Path | None = None) -> BuildConfig:
    """The configuration that parsed flags (over a BUILD.toml) ask for."""
    overrides = {
        name: {
            f.name: value
            for f in dataclasses.fields(cls)
            if (value := getattr(options, f"{name}_{f.name}", None)) is not None
        }
        for name, cls in sections().items()
    }
    if overrides["weight"].get("normalise") is False and not hasattr(options, "signatures_method"):
        # a job that declares no signatures makes none, and those of its bags are not its matter
        overrides["signatures"] = {"method": "icws"}
    return load_config(path, overrides)


def to_flags(config: BuildConfig, names: Iterable[str]) -> list[str]:
    """The flags that say in what `config` differs from the defaults, of these sections and keys."""
    words: list[str] = []
    for section, key in keys_of(names):
        value = getattr(getattr(config, section), key)
        if value != _field(section, key).default:
            text = ",".join(value) if isinstance(value, tuple) else str(value)
            words += [f"{_flag(section, key)}={text}"]
    return words
