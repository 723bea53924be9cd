"""Pages become block records: segmentation, filters, and where links lead in the end [BLOCK]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pagekin.blocks.filters import KeptLink
from pagekin.blocks.page_blocks import blocks_view, kept_links
from pagekin.cocitation.block_record import blocks_value
from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.kinds import BLOCKS, Pair
from pagekin.web.page import Page, View
from pagekin.web.resolution import Resolution, own_url
from pagekin.web.urls import are_spellings, top_subdomain

__all__ = ["BlockExtractor"]


class BlockExtractor:
    """Makes the block record of each page under one configuration."""

    def __init__(
        self, config: BuildConfig, counters: Counters, resolution: Resolution | None = None
    ) -> None:
        self._config = config
        self._counters = counters
        self._resolution = resolution

    @property
    def view(self) -> View:
        """What is to be made of a page: an outline, or a tree for the rules of the paper."""
        return blocks_view(self._config.blocks)

    def records(self, page: Page) -> Iterator[Pair]:
        """The record of a page; none if the filters leave no link of it."""
        found = kept_links(page, self._config.blocks, self._counters, self._config.reading)
        if found:
            blocks = self._resolved(found)
            url = own_url(page.url, self._config.reading, self._resolution)
            yield BLOCKS.prefix + url.encode(), blocks_value(top_subdomain(url), blocks)

    def finish(self) -> Iterator[Pair]:
        """Nothing: no record of a page waits for others."""
        return iter(())

    def _resolved(self, blocks: Sequence[Sequence[KeptLink]]) -> Sequence[Sequence[KeptLink]]:
        """Links lead to what their URL stands for; of a block's links to one page the first."""
        urls = list({link.url for block in blocks for link in block})
        moved = self._resolution.resolve(urls) if self._resolution else {}
        if not moved:
            return blocks  # in each a URL stands once
        left = [link.url for block in blocks for link in block if link.url in moved]
        respelt = sum(are_spellings(url, moved[url]) for url in left)
        self._counters.add("block_links", "through_other_spellings", respelt)
        self._counters.add("block_links", "through_redirects", len(left) - respelt)
        return [self._first_of_each(block, moved) for block in blocks]

    def _first_of_each(self, block: Sequence[KeptLink], moved: dict[str, str]) -> list[KeptLink]:
        seen: dict[str, KeptLink] = {}
        for link in block:
            url = moved.get(link.url, link.url)
            seen.setdefault(url, KeptLink(url, link.anchor, link.place))
        return list(seen.values())
