"""Which outputs a build needs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pagekin.config import BuildConfig, EnrichConfig, ReadingConfig
from pagekin.errors import UsageError
from pagekin.stages.chain import wanted_outputs
from tests.indexes import NOT_ENRICHED


def names(config: BuildConfig, until: str = "") -> list[str]:
    return [output.name for output in wanted_outputs(config, until)]


def test_joined_links():
    """What pages hear along links is made where it is asked for, and not else."""
    made = ["links", "page_heads", "joined_heads", "contexts"]
    assert {*made} <= {*names(BuildConfig(enrich=replace(NOT_ENRICHED, links=True)))}
    assert not {*made} & {*names(BuildConfig(enrich=EnrichConfig(links=False, words=True)))}


@pytest.mark.parametrize(
    ("config", "until"),
    [
        (BuildConfig(enrich=EnrichConfig(links=False)), "contexts"),
        (BuildConfig(enrich=NOT_ENRICHED), "enriched_bags"),
        (BuildConfig(reading=ReadingConfig(resolve=False)), "captures"),
    ],
)
def test_until_what_is_not_made(config, until):
    """To end with an output that the settings do not ask for is refused, before it is begun."""
    with pytest.raises(UsageError, match=f"{until} is not made under these settings"):
        wanted_outputs(config, until)
