"""Segmentation judged by people: produced blocks against blocks of links that people marked.

E-precision and I-precision are Eq. 3 and 4 of [BLOCK]: the shares of produced blocks that equal, or
lie within, a marked one. By them alone a method wins that leaves out what is unsure, so three more
are given: E-recall (the share of the distinct marked link lists that a produced block equals), F of
both, and coverage (the share of marked links that end in a produced block). Only blocks of two
links and more count, on both sides; marked ones may lie within each other.

Pages and marks are read from a folder with `index.json` (docs/formats.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pagekin.blocks.links import Links, TreeLinks, same_links
from pagekin.blocks.page_blocks import blocks_view, page_links, segments
from pagekin.blocks.paper_rules import scan
from pagekin.config import BlockConfig
from pagekin.errors import InputError
from pagekin.web.page import TREE, make_page
from pagekin.web.urls import canonical

__all__ = ["MarkedPage", "Scores", "evaluate_segmentation", "read_marked_pages"]

_NOWHERE = "http://localhost/"
_Lists = Iterable[Iterable[int]]


class MarkedPage(NamedTuple):
    """A page and the blocks that people marked in it."""

    name: str
    url: str
    body: bytes  # UTF-8, whatever charset it declares
    hrefs: list[str]  # of its links, in order
    marked: list[list[int]]  # the links of each block, by their place in `hrefs`


@dataclass
class Scores:
    """Counts over pages, from which the measures are made."""

    pages: int = 0
    blocks: int = 0
    human_blocks: int = 0
    human_lists: int = 0  # the distinct ones of them
    _equal: int = field(default=0, repr=False)  # blocks that equal a marked one
    _inside: int = field(default=0, repr=False)  # blocks within a marked one
    _met: int = field(default=0, repr=False)  # distinct marked lists that a block equals
    _marked: int = field(default=0, repr=False)  # links in marked blocks
    _covered: int = field(default=0, repr=False)  # those of them in blocks

    def add(self, produced: _Lists, marked: _Lists) -> None:
        """Count a page."""
        blocks = [b for b in map(frozenset, produced) if len(b) > 1]
        humans = [h for h in map(frozenset, marked) if len(h) > 1]
        distinct = set(humans)
        links = frozenset[int]().union(*distinct)
        self.pages += 1
        self.blocks += len(blocks)
        self.human_blocks += len(humans)
        self.human_lists += len(distinct)
        self._equal += sum(block in distinct for block in blocks)
        self._inside += sum(any(block <= human for human in distinct) for block in blocks)
        self._met += len(distinct.intersection(blocks))
        self._marked += len(links)
        self._covered += len(links & frozenset[int]().union(*blocks))

    def as_dict(self) -> dict[str, int | float]:
        """Counts and measures."""
        precision, recall = _share(self._equal, self.blocks), _share(self._met, self.human_lists)
        return {
            "pages": self.pages,
            "blocks": self.blocks,
            "human_blocks": self.human_blocks,
            "human_lists": self.human_lists,
            "e_precision": precision,
            "i_precision": _share(self._inside, self.blocks),
            "e_recall": recall,
            "f": _share(2 * precision * recall, precision + recall),
            "coverage": _share(self._covered, self._marked),
        }


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def evaluate_segmentation(
    pages: Iterable[MarkedPage], config: BlockConfig
) -> dict[str, dict[str, int | float]]:
    """The measures of the sections that scanning makes, and of the blocks under some rules."""
    before, after = Scores(), Scores()
    view = blocks_view(config, TREE)  # sections are cut from the tree under all rules
    for marked in pages:
        page = make_page(canonical(marked.url) or _NOWHERE, marked.body, "utf-8", view=view)
        if isinstance(page, str) or page.tree is None:
            before.add([], marked.marked)
            after.add([], marked.marked)
            continue
        in_tree, links = TreeLinks(page.tree.tops), page_links(page, config)
        sections = (section.links for section in scan(page.tree.tops, config))
        before.add(_translate(sections, in_tree, marked.hrefs), marked.marked)
        blocks = (segment.links for segment in segments(page, links, config))
        after.add(_translate(blocks, links, marked.hrefs), marked.marked)
    return {"before": before.as_dict(), "after": after.as_dict()}


def _translate(blocks: _Lists, ours: Links, theirs: list[str]) -> Iterator[list[int]]:
    """Blocks by the numbers that people's links have; a link that they did not see is left out."""
    places = same_links(ours.hrefs, theirs)
    return ([places[number] for number in block if number in places] for block in blocks)


def read_marked_pages(folder: Path) -> Iterator[MarkedPage]:
    """The pages of a folder, in the order of its index."""
    for entry in _entries(folder):
        try:
            marks = _read_json(folder / entry["blocks"])
            yield MarkedPage(
                entry["id"],
                entry.get("url") or "",
                _read_text(folder / entry["html"]).encode("utf-8"),
                [link["href"] for link in marks["links"]],
                [[link["i"] for link in block["links"]] for block in marks["blocks"]],
            )
        except (KeyError, TypeError) as error:
            raise InputError(f"{folder}: an entry of a page lacks {error}") from error


def _entries(folder: Path) -> list[Any]:
    index = _read_json(folder / "index.json")
    if not isinstance(index, dict) or not isinstance(index.get("pages"), list):
        raise InputError(f"{folder / 'index.json'}: holds no list of pages")
    return list(index["pages"])


def _read_json(path: Path) -> Any:
    try:
        return json.loads(_read_text(path))
    except ValueError as error:
        raise InputError(f"{path}: is not valid JSON: {error}") from error


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
