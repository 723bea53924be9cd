"""What a made-up web is made from: one frozen set of settings, checked before anything is written.

Settings that are not given follow from the number of pages. Nothing here says where the files go or
how many there are: these do not change a page.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pagekin.errors import UsageError

__all__ = ["MAX_PAGES", "WebConfig"]

MAX_PAGES = 50_000_000  # the arrays of a plan take about 40 bytes a page in every process
_PAGES_OF_A_HOST, _MOST_HOSTS = 10, 20_000
_PAGES_OF_A_TOPIC = 25
_TOPICS = (16, 4096)  # at least one for each language and branch; at most what a process can hold


@dataclass(frozen=True)
class WebConfig:
    """The settings that decide every byte of the web."""

    pages: int
    seed: int = 1
    hosts: int = 0
    """0: one for 10 pages, but at most 20,000."""
    topics: int = 0
    """Classes of the third level; 0: one for 25 pages, but 16 to 4,096."""
    mean_words: int = 1400
    mean_links: int = 100
    hot_inlinks: int = 0
    """Links to one URL, dealt out to all pages."""
    wide_page: int = 0
    """Links to as many URLs on one page."""
    big_domain: float = 0.0
    """Share of the pages that one domain has."""

    def __post_init__(self) -> None:
        wrong = [text for holds, text in self._rules() if not holds]
        if wrong:
            raise UsageError("; ".join(wrong))

    def _rules(self) -> list[tuple[bool, str]]:
        """What must hold, and the sentence if it does not."""
        return [
            (10 <= self.pages <= MAX_PAGES, f"--pages takes 10 to {MAX_PAGES:,}"),
            (0 <= self.seed < 1 << 63, "--seed takes a number from 0, below 2 to the 63rd"),
            (0 <= self.hosts <= self.pages, "--hosts takes at most as many as there are pages"),
            (0 <= self.topics <= _TOPICS[1], f"--topics takes at most {_TOPICS[1]:,}"),
            (10 <= self.mean_words <= 20_000, "--mean-words takes 10 to 20,000"),
            (60 <= self.mean_links <= 2_000, "--mean-links takes 60 to 2,000"),
            (0 <= self.hot_inlinks <= 2_000 * self.pages, "--hot-inlinks takes 2,000 for a page"),
            (0 <= self.wide_page <= 1_000_000, "--wide-page takes at most 1,000,000"),
            (0 <= self.big_domain <= 0.95, "--big-domain takes a share from 0 to 0.95"),
        ]

    @property
    def host_count(self) -> int:
        return self.hosts or max(10, min(self.pages // _PAGES_OF_A_HOST, _MOST_HOSTS))

    @property
    def topic_count(self) -> int:
        low, high = _TOPICS
        return self.topics or min(max(self.pages // _PAGES_OF_A_TOPIC, low), high)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
