"""The six rules by which sections are merged, one by one and in their order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.blocks.adjusting import RULES, adjust, font_score, merging_rule
from pagekin.blocks.colours import WIDEST, lab_distance
from pagekin.blocks.scanning import Section, scan
from pagekin.config import BlockConfig
from tests.soups import soups
from tests.trees import tree_page

LINK = "<a href=x>bees</a>"
TEN = "<i>one two three four five six seven eight nine ten</i>"
ELEVEN = f"{TEN} eleven"
CONFIG = BlockConfig()


def sections(html: str, **options: Any) -> list[Section]:
    return scan(tree_page(html).tree.tops, BlockConfig(**options))


def rule_between(one: str, other: str, **options: Any) -> str:
    """The rule that decides about two paragraphs."""
    first, second = sections(f"<p>{one}</p><p>{other}</p>", **options)
    return merging_rule(first, second, BlockConfig(**options))


def blocks(html: str, **options: Any) -> list[list[int]]:
    config = BlockConfig(**options)
    return [list(segment.links) for segment in adjust(sections(html, **options), config)]


# --- rule 1 ---


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (LINK, LINK, "1 link sections"),
        (LINK, f"{LINK} {LINK} of", "1 link sections"),
        (LINK, f"{LINK} flowers", "6 otherwise"),  # half of the words is not more than half
        (LINK, "<a href=x><img></a>", "1 link sections"),
        (f"<b>{LINK}</b>", LINK, "1 link sections"),
        (f"<h2>{LINK}</h2>", f"{LINK * 20}", "1 link sections"),
        (LINK, f"<span style='background:red'>{LINK}</span>", "6 otherwise"),
        (LINK, "flowers", "6 otherwise"),
    ],
)
def test_link_sections(one, other, expected):
    """Two link sections on one background are merged, bold or not."""
    assert expected == rule_between(one, other)


def test_thresholds_of_link_sections():
    """T1 and T2 are to be exceeded."""
    half = f"{LINK} flowers"
    assert "1 link sections" == rule_between(half, half, t1=0.49)
    assert "6 otherwise" == rule_between(half, half, t1=0.5)
    assert "1 link sections" == rule_between(LINK * 2, LINK * 2, t2=1)
    assert "6 otherwise" == rule_between(LINK, LINK, t2=1)


def test_wordless_link_sections():
    """A section of images counts as all links, or as option says."""
    image = "<a href=x><img></a>"
    assert "1 link sections" == rule_between(image, image)
    assert "6 otherwise" == rule_between(image, image, wordless=0.0)


def test_background_of_most_characters():
    """The background of a section is that of most of its characters, or of the first."""
    mixed = f"<span style='background:red'>{LINK}</span><a href=y>flowers</a>"
    assert "1 link sections" == rule_between(mixed, LINK)
    assert "6 otherwise" == rule_between(mixed, LINK, background="first")


# --- rule 2 ---


@pytest.mark.parametrize(
    ("text", "bold", "expected"),
    [
        ("<b>bees</b> fly", "any", True),
        ("<b>bees</b> fly", "all", False),
        ("<b>bees</b>", "all", True),
        (f"<b>{LINK}</b> fly far", "any", True),
        (f"<b>{LINK}</b> fly far", "outside_links", False),
        ("<h4>bees</h4>", "any", True),
        ("<h4>bees</h4>", "outside_headings", False),
        ("<b> </b>bees", "any", False),
    ],
)
def test_bold(text, bold, expected):
    """A section with bold text stays alone; which text is meant can be chosen."""
    for pair in ((text, "wax"), ("wax", text)):
        assert expected == (rule_between(*pair, bold=bold) == "2 bold")


# --- rule 3 ---


def test_font_score():
    """Eq. 1 by hand: characters, times 1.2 if bold, times the distance from the background."""
    section = sections("<p>abc<b>de</b><font color=red>f</font> ")[0]
    red = min(lab_distance((255, 0, 0), (255, 255, 255)) / 100, 1)
    assert pytest.approx((3 * 1 + 2 * 1.2 * 1 + 1 * red) / 6) == font_score(section, CONFIG)
    black = 100 / WIDEST
    wide = (3 * black + 2 * 1.2 * black + lab_distance((255, 0, 0), (255, 255, 255)) / WIDEST) / 6
    assert pytest.approx(wide, abs=1e-6) == font_score(section, BlockConfig(distance="widest"))
    assert pytest.approx((3 + 2 * 2 + red) / 6) == font_score(section, BlockConfig(bold_factor=2.0))


def test_font_scores():
    """Sections whose scores differ by more than the limit stay apart, if they have text."""
    pale = "<font color=#dddddd>wax</font>"
    assert "3 font scores" == rule_between("bees", pale)
    assert "6 otherwise" == rule_between("bees", pale, max_score=0.9)
    assert "6 otherwise" == rule_between("bees", pale, distance="widest")
    assert "5 type of the larger" == rule_between(pale, "<a href=x><img></a>")


# --- rules 4 to 6 ---


def test_words():
    """Two sections of more than ten words stay apart."""
    many = f"{LINK} {LINK} " * 6
    assert "4 words" == rule_between(ELEVEN, many)
    assert "5 type of the larger" == rule_between(TEN, many)
    assert "4 words" == rule_between(TEN, many, max_words=9)
    assert "6 otherwise" == rule_between(ELEVEN, TEN)


@pytest.mark.parametrize(
    ("one", "other", "larger", "expected"),
    [
        (LINK * 2, "wax", "words", "5 type of the larger"),
        (LINK * 2, "wax and honey", "words", "5 type of the larger"),
        (LINK, "wax", "words", "6 otherwise"),
        ("wax", LINK, "words", "5 type of the larger"),
        (LINK, "wax", "links", "6 otherwise"),
        ("wax", LINK, "links", "6 otherwise"),
        (LINK, "beeswax", "characters", "5 type of the larger"),
        ("beeswax", LINK, "characters", "5 type of the larger"),
        ("wax", LINK, "characters", "6 otherwise"),
    ],
)
def test_type_of_the_larger(one, other, larger, expected):
    """Different types merge if together they have the type of the larger, in words by default.

    One word in a link beside one that is in none makes a section that is no link section; of two
    equal ones the first is the larger.
    """
    assert expected == rule_between(one.replace("</a><a", "</a> <a"), other, larger=larger)


def test_order():
    """Each rule is asked only if no earlier one applied."""
    assert ["1", "2", "3", "4", "5", "6"] == [rule[0] for rule in list(RULES)[:6]]
    pale_bold = f"<b><font color=#dddddd>{ELEVEN}</font></b>"
    assert "2 bold" == rule_between(ELEVEN, pale_bold)
    pale = f"<font color=#dddddd>{ELEVEN}</font>"
    assert "3 font scores" == rule_between(ELEVEN, pale)
    assert "4 words" == rule_between(ELEVEN, ELEVEN)
    assert "4 words" == rule_between(ELEVEN, LINK * 12 + "x" + f" {LINK}" * 11)


# --- the algorithm ---


def test_merged_sections_stand_for_both():
    """What was merged has the words, links and boldness of both in what follows."""
    html = f"<p>{LINK}</p><p><b>{LINK}</b></p><p>wax</p><p>{LINK}{LINK}</p>"
    assert [[0, 1], [2, 3]] == blocks(html)  # bold by its second part, so the third is not merged


def test_last_section_is_put_out():
    """The last block is a block too."""
    assert [[0, 1]] == blocks(f"<p>{LINK} {LINK}")


def test_blocks_of_one_link_are_discarded():
    """So are those without links."""
    assert [] == blocks(f"<p>{LINK}</p><h2>wax</h2><p>{ELEVEN}</p>")


def test_sections_without_links_stand_between():
    """Text between two lists keeps them apart."""
    listed = f"<ul><li>{LINK}<li>{LINK}</ul>"
    assert [[0, 1, 2, 3]] == blocks(listed * 2)
    assert [[0, 1], [2, 3]] == blocks(f"{listed}<h2>wax</h2>{listed}")


def test_levels():
    """On request only within an element that is near to both."""
    cell = f"<table><tr><td>{LINK} {LINK}</table>"
    html = f"<div>{cell}</div><div>{cell}</div>"
    assert [[0, 1, 2, 3]] == blocks(html)
    assert [[0, 1, 2, 3]] == blocks(html, levels=3)
    assert [[0, 1], [2, 3]] == blocks(html, levels=2)
    siblings = f"<div><p>{LINK}</p><p>{LINK}</p></div>"
    assert [[0, 1]] == blocks(siblings, levels=1)


def test_invalid_links():
    """On request whole sections with a link that leads nowhere are removed."""
    html = f"<p>{LINK}{LINK}</p><p>{LINK}{LINK}</p>"
    config = BlockConfig(invalid="sections")
    found = adjust(sections(html), config, lambda number: number != 1)
    assert [(2, 3)] == [segment.links for segment in found]
    assert 1 == len(adjust(sections(html), BlockConfig(), lambda number: number != 1))


def test_what_is_told():
    """A block tells where it begins, what merged it and what ended it."""
    html = f"<p class=a>{LINK}</p><p>{LINK}</p><p>wax</p><h2>x</h2>"
    (segment,) = adjust(sections(html), CONFIG)
    assert "<p.a>" == segment.tag
    expected = "3 sections (1 by 1 link sections, 1 by 5 type of the larger); ended by: 2 bold"
    assert expected == segment.rule
    (alone,) = adjust(sections(f"{LINK}{LINK}"), CONFIG)
    assert ("start of the page", "1 section; ended by: end of the page") == alone[1:]


def test_scanned_sections_stay_as_they_are():
    """Merging changes nothing of what was scanned."""
    found = sections(f"<p>{LINK}</p>" * 3)
    before = [(s.links.copy(), s.words, s.runs.copy()) for s in found]
    adjust(found, CONFIG)
    assert before == [(s.links, s.words, s.runs) for s in found]


options = st.fixed_dictionaries(
    {},
    optional={
        "t1": st.sampled_from([0.0, 0.3, 1.0]),
        "t2": st.integers(0, 2),
        "wordless": st.sampled_from([0.0, 1.0]),
        "background": st.sampled_from(["most", "first"]),
        "bold": st.sampled_from(["any", "outside_links", "outside_headings", "all"]),
        "distance": st.sampled_from(["hundred", "widest"]),
        "larger": st.sampled_from(["words", "links", "characters"]),
        "levels": st.integers(0, 2),
    },
)


@given(soups(st.sampled_from([LINK, "<p>", "wax", "<b>"]), size=40), options)
def test_any_page(page, chosen):
    """Blocks are runs of whole sections in order; none is lost but by its size."""
    config = BlockConfig(**chosen)
    found = sections(f"<body>{page}", **chosen)
    segments = adjust(found, config)
    numbers = [number for segment in segments for number in segment.links]
    assert sorted(set(numbers)) == numbers
    assert all(len(segment.links) > 1 for segment in segments)
    of_block = {number: k for k, segment in enumerate(segments) for number in segment.links}
    for section in found:
        assert len({of_block.get(number) for number in section.links}) <= 1
        assert len(section.links) < 2 or section.links[0] in of_block
