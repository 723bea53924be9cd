"""Blocks of links: the records that segmentation, filters and pairs speak in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Block", "Left", "Link", "Removed", "Segment", "Sifted"]


class Segment(NamedTuple):
    """Links of a page that belong together, and why."""

    links: tuple[int, ...]  # by their numbers: the page's <a href>, counted from 0
    tag: str  # what bounds it
    rule: str  # what decided


class Left(NamedTuple):
    """A link that the filters left, as pairs are made of it."""

    url: str  # canonical; of a dynamic link that of its host
    anchor: str  # its text, white space squeezed
    place: int  # its place in the block, counted before the filters


class Sifted(NamedTuple):
    """A block behind the filters."""

    segment: Segment
    links: list[Left]  # in order
    taken: list[str]  # for each link of the segment the filter that took it, or ""
    changed: list[tuple[int, str]]  # the numbers of links that lead elsewhere now, and the filter
    first: dict[str, int]  # URL -> the number of the first link to it


@dataclass(frozen=True, slots=True)
class Link:
    """A link that the filters left, with all that is known of it."""

    number: int  # of the page's <a href>, counted from 0
    place: int  # its place in the block, counted before the filters
    href: str  # as written
    url: str  # canonical; of a dynamic link that of its host
    anchor: str  # its text, white space squeezed
    tsd: str  # the top sub-domain of its URL


class Removed(NamedTuple):
    """A link that a filter took or changed."""

    number: int
    href: str
    filter: str  # as the counters name it
    reason: str


@dataclass(frozen=True, slots=True)
class Block:
    """A block of links explained; `links` are those left after the filters, in order."""

    links: tuple[Link, ...]
    segment: Segment
    removed: tuple[Removed, ...]
    changed: tuple[Removed, ...]  # links that lead elsewhere now
