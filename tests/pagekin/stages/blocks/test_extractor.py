"""Pages become block records: where links lead in the end, and which of them count."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekin.cocitation.block_record import Block, PageBlocks, parse_blocks
from pagekin.config import BuildConfig, ReadingConfig
from pagekin.counters import Counters
from pagekin.kinds import BLOCKS
from pagekin.stages.blocks.extractor import BlockExtractor
from pagekin.web.resolution import Resolution, write_resolution
from tests.trees import tree_page

OWN = "http://www.own.example/dir/page.html"
MOVED = "http://moved.example/"
BEES, HIVES, MUSIC = (f"http://{name}.example/" for name in ("bees", "hives", "music"))


@pytest.fixture
def resolution(tmp_path: Path) -> Resolution:
    """One link that was moved twice, one page that stands for another, and a loop."""
    aliases = {
        MOVED: "http://moving.example/",
        "http://moving.example/": BEES,
        OWN: "http://real.example/page",
        "http://round.example/": "http://about.example/",
        "http://about.example/": "http://round.example/",
    }
    path = tmp_path / "resolution.arrays"
    write_resolution(path, [(a.encode(), t.encode()) for a, t in aliases.items()], [])
    return Resolution(path)


def links(*urls: str) -> str:
    """A list of links, which is a block."""
    return f"<ul>{''.join(f'<li><a href={u}>to {k}</a>' for k, u in enumerate(urls))}</ul>"


def gather(html: str, resolution: Resolution | None = None, **reading: bool):
    """The URL and the page of a record, or None; and what was counted of the links."""
    counters = Counters()
    config = BuildConfig(reading=ReadingConfig(**reading))
    made = list(BlockExtractor(config, counters, resolution).records(tree_page(html, OWN)))
    counted = counters.as_dict().get("block_links", {})
    assert all(key.startswith(BLOCKS.prefix) for key, _ in made)
    told = [(key.removeprefix(BLOCKS.prefix).decode(), parse_blocks(value)) for key, value in made]
    return told[0] if told else None, counted


def block(urls: list[str], anchors: list[str], places: list[int] | None = None) -> Block:
    return Block([u.encode() for u in urls], [a.encode() for a in anchors], places)


def test_record():
    """The key is the page's URL; the value its top sub-domain and blocks with anchors in order."""
    made, counted = gather(links(BEES, HIVES))
    expected = PageBlocks(b"own.example", [block([BEES, HIVES], ["to 0", "to 1"])])
    assert (OWN, expected) == made
    assert {"found": 2, "left": 2} == {name: n for name, n in counted.items() if n}


def test_redirected_links(resolution):
    """A link that was moved counts for where it leads in the end, with its own anchor and place."""
    made, counted = gather(links(HIVES, MOVED), resolution)
    assert (OWN, PageBlocks(b"own.example", [block([HIVES, BEES], ["to 0", "to 1"])])) == made
    assert 1 == counted["through_redirects"]
    made, counted = gather(links(HIVES, MOVED))
    assert [HIVES.encode(), MOVED.encode()] == made[1].blocks[0].urls
    assert 0 == counted.get("through_redirects", 0)


def test_two_links_to_one_page(resolution):
    """Of two links of a block that lead to one page the first stays; later ones keep their place.

    In another block the page counts again.
    """
    html = links(MOVED, HIVES, BEES, MUSIC) + "<p>between</p>" + links(BEES, HIVES)
    (_, page), counted = gather(html, resolution)
    first, second = page.blocks
    assert block([BEES, HIVES, MUSIC], ["to 0", "to 1", "to 3"], [0, 1, 3]) == first
    assert block([BEES, HIVES], ["to 0", "to 1"]) == second
    assert (6, 1) == (counted["left"], counted["through_redirects"])


def test_links_in_a_loop(resolution):
    """Redirects that lead in a round stand for themselves."""
    (_, page), _ = gather(links("http://round.example/", HIVES), resolution)
    assert [b"http://round.example/", HIVES.encode()] == page.blocks[0].urls


@pytest.mark.parametrize("follow", [False, True])
def test_follow_canonical(resolution, follow):
    """A page's links count for the page that it stands for, where that is asked for."""
    made, _ = gather(links(BEES, HIVES), resolution, follow_canonical=follow)
    url, domain = ("http://real.example/page", b"real.example") if follow else (OWN, b"own.example")
    assert (url, domain) == (made[0], made[1].domain)


@pytest.mark.parametrize(
    "html",
    [
        "<p>No links.",
        "<p><a href='http://bees.example/'>alone</a>",
        links("/other", "http://own.example/", "mailto:bees@bees.example"),
    ],
)
def test_no_record(html):
    """Pages without links, with lone ones, and with none that the filters leave give no record."""
    assert gather(html)[0] is None


def test_blocks_without_links(resolution):
    """A block that the filters emptied is left out, and its links are counted by the filter."""
    made, counted = gather(links("/a", "/b") + "<p>x</p>" + links(MOVED, HIVES), resolution)
    assert [[BEES.encode(), HIVES.encode()]] == [each.urls for each in made[1].blocks]
    assert (4, 2, 2) == tuple(counted[name] for name in ("found", "left", "common_domain"))


def test_order_of_settings():
    """nofollow is heard where the reading says so."""
    html = f"<ul><li><a href={BEES}>b</a><li><a rel=nofollow href={HIVES}>h</a>"
    assert [2, 1] == [
        len(gather(html, drop_nofollow=drop)[0][1].blocks[0].urls) for drop in (False, True)
    ]
