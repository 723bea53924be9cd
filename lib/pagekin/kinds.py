"""All kinds of record: what each is called, what its key and value are, and how its keys begin.

A record is a pair of bytes. Kinds whose keys begin with `!` sort before every URL, so records of
several kinds can lie in one sorted file, and be told apart or cut out of it by their keys alone.
docs/formats.md describes the bytes of each kind; `pagekin.stages.readable` shows them in words.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ASKED",
    "BLOCKS",
    "CAPTURES",
    "COMPONENTS",
    "COMPONENT_PARTS",
    "CONTEXTS",
    "COPIES",
    "CUTS",
    "DOCUMENTS",
    "EDGES",
    "ENRICHED_BAGS",
    "FINAL_BAGS",
    "GRAPH",
    "HEADS",
    "JOINED_HEADS",
    "KIN",
    "KINDS",
    "LINKS",
    "LINK_ENDS",
    "MARK",
    "MEMBERS",
    "MESSAGES",
    "MIRROR_ASKS",
    "MIRROR_EDGES",
    "MIRROR_GROUPS",
    "MIRROR_KEYS",
    "MIRROR_OFFERS",
    "MIRROR_PAIRS",
    "MIRROR_SIDES",
    "NEIGHBOURS",
    "NODE_EDGES",
    "PAGE_FACTS",
    "PARCELS",
    "RANKS",
    "RANK_MESSAGES",
    "RAW_BAGS",
    "SAMPLE",
    "SAMPLED_BAGS",
    "SHARD_PIECES",
    "SHINGLES",
    "SIGHTINGS",
    "SITE_SKETCHES",
    "STATISTICS",
    "STOP_WORDS",
    "STRIPES",
    "TERM_COUNTS",
    "TOPICS",
    "TOPIC_SAMPLE",
    "WORDS",
    "Kind",
    "Pair",
    "compared_bags",
    "key_after",
]

Pair = tuple[bytes, bytes]  # key, value

# The key of a task's statistics, the last line of every part file.
STATISTICS = b"!task"

MARK = b"!"  # with which keys begin whose kind shows in them
_FIRST_UNMARKED = b'"'  # the least key that does not begin with the mark


@dataclass(frozen=True)
class Kind:
    """One kind of record."""

    name: str
    key: str  # what the key is, for people
    value: str
    prefix: bytes = b""  # with what its keys begin, `!...`; empty: with anything but `!`

    @property
    def key_range(self) -> tuple[bytes, bytes | None]:
        """The least key of the kind, and the least key behind all of them (None: there is none)."""
        if not self.prefix:
            return _FIRST_UNMARKED, None
        return self.prefix, key_after(self.prefix)

    def holds(self, key: bytes) -> bool:
        """Is this a key of the kind?"""
        return key.startswith(self.prefix) if self.prefix else not key.startswith(MARK)


def compared_bags(*, enriched: bool) -> Kind:
    """The kind of the bags that are compared, where bags are enriched or are not."""
    return ENRICHED_BAGS if enriched else FINAL_BAGS


def key_after(prefix: bytes) -> bytes:
    """The least key above all keys that begin with `prefix`.

    >>> key_after(b"!blocks/")
    b'!blocks0'
    """
    return prefix[:-1] + bytes([prefix[-1] + 1])


# what the inventory makes
SIGHTINGS = Kind("sightings", "plain URL", "a capture or a redirect, seen by one task")
CAPTURES = Kind("captures", "plain URL", "what it stands for, or a capture that is not read")
CUTS = Kind("cuts", "!cuts/ADDRESS", "where a large file can be cut", b"!cuts/")
SAMPLE = Kind("sample", "!sample/NUMBER", "what one page in N says of the snapshot", b"!sample/")
STOP_WORDS = Kind("stop words", "!stops/LANGUAGE", "words on most pages of a language", b"!stops/")

# what the one reading of the pages makes
PARCELS = Kind("parcels", "range of URLs", "what one page says about the URLs of a range")
RAW_BAGS = Kind("raw bags", "URL", "origin, terms and their summed weights")
WORDS = Kind("words", "!words/DIGITS", "the words of the terms whose hash begins so", b"!words/")
BLOCKS = Kind("blocks", "!blocks/URL", "the blocks of links of a page", b"!blocks/")

LINKS = Kind("links", "!links/URL", "where the links of a page lead", b"!links/")

# bags
TERM_COUNTS = Kind("term counts", "DIGITS", "in how many bags each term stands, or its words")
FINAL_BAGS = Kind("final bags", "URL", "origin, terms and weights with sum 1")
SAMPLED_BAGS = Kind("sampled bags", "sample", "the heaviest terms of a bag of a sample")
NEIGHBOURS = Kind("neighbours", "TERM", "the terms nearest to it, with their shares")
ENRICHED_BAGS = Kind(
    "enriched bags", "!enriched/URL", "a final bag with parts added, and whence", b"!enriched/"
)
TOPIC_SAMPLE = Kind("topic sample", "sample", "a bag that topics may be learned from")
TOPICS = Kind("topics", "SET.NUMBER", "a topic: the words and the vector of its heaviest terms")
HEADS = Kind("heads", "!heads/URL", "the heaviest terms of a page that was read", b"!heads/")
ASKED = Kind("asked", "URL", "the head of a page, where it links to, or who is to hear of it")
JOINED_HEADS = Kind("joined heads", "!joined/URL", "a head, and the URLs that hear it", b"!joined/")
MESSAGES = Kind("messages", "URL", "what a URL hears of the pages around it")
CONTEXTS = Kind("contexts", "!contexts/URL", "the terms of the pages around a URL", b"!contexts/")
DOCUMENTS = Kind("documents", "SHARD PART", "the bag of a document, or its origin and signatures")
SHARD_PIECES = Kind("shard pieces", "SHARD PART NUMBER", "a piece of an array of the shard")

# mirrors
SITE_SKETCHES = Kind("site sketches", "!shingles/HOST", "a lot, a page, its sketch", b"!shingles/")
SHINGLES = Kind(
    "shingles", "!shingles/HOST", "a page, and its sketch without templates", b"!shingles/"
)
MIRROR_KEYS = Kind("mirror keys", "!pairs/KEY or !copies/DIGEST", "a page whose sketch has it")
COPIES = Kind("copies", "!copies/DIGEST", "two pages of one sketch", b"!copies/")
MIRROR_PAIRS = Kind("mirror pairs", "!pairs/KEY", "two pages that may be mirrors", b"!pairs/")
MIRROR_ASKS = Kind("mirror asks", "URL", "the sketch of a page, or a page to compare it with")
MIRROR_OFFERS = Kind(
    "mirror offers", "!offers/URL", "a sketch, and the pages to compare it with", b"!offers/"
)
MIRROR_SIDES = Kind("mirror sides", "URL", "its sketch, or a page to compare it with")
MIRROR_EDGES = Kind("mirror edges", "!edges/URL", "another page, and what both share", b"!edges/")
NODE_EDGES = Kind("node edges", "PAGE", "a page that is connected with it")
COMPONENTS = Kind(
    "components", "!components/PAGE", "a greater page of the same component", b"!components/"
)
PAGE_FACTS = Kind("page facts", "PAGE", "its component, inlinks, sketch or URL, or an edge of it")
MEMBERS = Kind("members", "!members/PAGE", "its component, and the page or an edge", b"!members/")
COMPONENT_PARTS = Kind("component parts", "COMPONENT", "a page of it, or an edge")
MIRROR_GROUPS = Kind(
    "mirror groups",
    "!groups/COMPONENT URL [URL]",
    "a group by its representative, or the edges of one of its members",
    b"!groups/",
)

# co-citation
STRIPES = Kind("stripes", "URL", "the partners of one link in one block, with their similarity")
EDGES = Kind("edges", "NUMBER", "a page that is related to this one, with its score and reasons")
KIN = Kind("kin", "NUMBER", "a page and the best pages related to it")

# authority
LINK_ENDS = Kind("link ends", "NODE", "what a node is called, links to, or is linked to by")
GRAPH = Kind("graph", "!graph/NODE", "a page or host, and its links to others", b"!graph/")
RANK_MESSAGES = Kind("rank messages", "NODE", "what a node is sent along links, and its own")
RANKS = Kind("ranks", "!ranks/NODE", "the scores of a page or host, and its links", b"!ranks/")

KINDS = (
    *(SIGHTINGS, CAPTURES, CUTS, SAMPLE, STOP_WORDS),
    *(PARCELS, RAW_BAGS, WORDS, BLOCKS, LINKS),
    *(TERM_COUNTS, FINAL_BAGS, SAMPLED_BAGS, NEIGHBOURS, TOPIC_SAMPLE, TOPICS),
    *(HEADS, ASKED, JOINED_HEADS, MESSAGES, CONTEXTS, ENRICHED_BAGS),
    *(DOCUMENTS, SHARD_PIECES),
    *(SITE_SKETCHES, SHINGLES, MIRROR_KEYS, COPIES, MIRROR_PAIRS),
    *(MIRROR_ASKS, MIRROR_OFFERS, MIRROR_SIDES, MIRROR_EDGES),
    *(NODE_EDGES, COMPONENTS, PAGE_FACTS, MEMBERS, COMPONENT_PARTS, MIRROR_GROUPS),
    *(STRIPES, EDGES, KIN),
    *(LINK_ENDS, GRAPH, RANK_MESSAGES, RANKS),
)
