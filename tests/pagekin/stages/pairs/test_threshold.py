"""The threshold of co-citation, where it follows from the number of pages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.config import BuildConfig, CocitationConfig
from pagekin.stages.pairs import settle_threshold


def taken(pages: int, share: float = 1.0) -> float:
    return settle_threshold(BuildConfig(), pages, share).cocitation.threshold


@pytest.mark.parametrize(
    ("pages", "threshold"),
    [
        *((0, 0.5), (1, 0.5), (10_000, 0.5), (32_000, 1.0), (100_000, 1.5), (1_000_000, 2.5)),
        *((31_600_000, 4.0), (37_482_913, 4.0), (10**12, 4.0)),
    ],
)
def test_by_hand(pages, threshold):
    """Half a link up to 10,000 pages, 1 more for ten times as many, the paper's for its corpus."""
    assert threshold == taken(pages)


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_grows_with_the_pages(one, other):
    """More pages never have a lower threshold."""
    assert taken(min(one, other)) <= taken(max(one, other))


def test_sample():
    """Of a tenth of the snapshot it is that of the whole."""
    assert taken(1_000_000) == taken(100_000, 0.1)


def test_what_is_set_stays():
    """A threshold that is asked for is taken, and nothing else is changed."""
    asked = replace(BuildConfig(), cocitation=CocitationConfig(threshold=3.25, near=2))
    assert asked == settle_threshold(asked, 10, 1.0)
    settled = settle_threshold(BuildConfig(), 10, 1.0)
    assert replace(settled, cocitation=CocitationConfig()) == BuildConfig()
