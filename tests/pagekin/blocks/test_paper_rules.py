"""Sections: where a page is cut, what is known of each, and the rules by which they are merged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.blocks.links import HEADINGS, find_links
from pagekin.blocks.paper_rules import RULES, Section, adjust, font_score, merging_rule, scan
from pagekin.blocks.styles import WIDEST, lab_distance
from pagekin.config import BlockConfig
from tests.soups import soups
from tests.trees import tree_page

CONFIG = BlockConfig()
UNREAD = {"script", "style", "noscript", "select", "svg", "iframe", "head"}


def sections_of(html: str, **options: Any) -> list[Section]:
    return scan(tree_page(html).tree.tops, BlockConfig(**options))


def links_of(html: str, **options: Any) -> list[list[int]]:
    return [section.links for section in sections_of(html, **options)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=1>a</a> <a href=2>b</a>", [[0, 1]]),
        ("<p><a href=1>a</a><p><a href=2>b</a>", [[0], [1]]),
        ("<a href=1>a</a><hr><a href=2>b</a>", [[0], [1]]),
        ("<a href=1>a</a><br><a href=2>b</a>", [[0, 1]]),
        ("<h2>bees</h2><div><a href=1>a</a></div>", [[], [0]]),
        ("<div>x<p>y</p>z</div>", [[], [], []]),
        ("<div> <p> </p> </div>", []),
        ("<ul><li><a href=1>a</a><li><a href=2>b</a></ul>", [[0, 1]]),
        ("<ol><li><a href=1>a</a></ol><a href=2>b</a>", [[0, 1]]),
        ("<table><tr><td><a href=1>a</a><td><a href=2>b</a></table>", [[0, 1]]),
        ("<table><tr><td><a href=1>a</a><tr><td><a href=2>b</a></table>", [[0], [1]]),
        ("<a name=x>a</a><a href=1>b</a>", [[0]]),
        ("<script><a href=0>n</a></script><noscript><a href=1>a</a></noscript>b", [[0]]),
    ],
)
def test_cuts(html, expected):
    """Each start and end of div, hr, p, table, tr and ul cuts; what is between two is a section."""
    assert expected == links_of(html)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=1><div>a</div></a><a href=2>b</a>", [[0], [1]]),
        ("x<a href=1><div>a</div>b</a>", [[], [0], []]),
        ("x<a href=1>a<div>b</div></a>", [[0], []]),
        ("x<a href=1><div><img></div></a>", [[], [0]]),
        ("x<a href=1> </a><div>y</div>", [[0], []]),
        ("x<a href=1></a><div>y</div>", [[0], []]),
        ("x<a href=1><div></div></a>y", [[], [0]]),
    ],
)
def test_link_around_cuts(html, expected):
    """A link lies in the section of its first content, else where it ends."""
    assert expected == links_of(html)


def test_other_tags():
    """The list of tags can be chosen."""
    html = "<div><a href=1>a</a><ol><a href=2>b</a></ol></div>"
    assert [[0], [1]] == links_of(html, tags=("ol",))
    assert [[0, 1]] == links_of(html, tags=())


def test_what_is_known():
    """Text, words, headings, styles and boldness of a section."""
    section = sections_of(
        "<h2>Two bees</h2> make <b>much</b> <a href=1>honey <b>and wax</b></a><img alt='a hive'>"
    )[0]
    assert ("Two bees make much honey and wax a hive", 9, 3) == (
        section.text,
        section.words,
        section.link_words,
    )
    assert ["h2"] == list(section.headings)
    assert (7 + 4 + 6, 7 + 4, 4 + 6) == (
        section.bold,
        section.bold_outside_links,
        section.bold_outside_headings,
    )
    assert 31 == section.characters == sum(section.runs.values())
    blue = (0, 0, 238)
    expected = {
        ((0, 0, 0), True, 24.0): 7,
        ((0, 0, 0), False, 16.0): 4 + 5,
        ((0, 0, 0), True, 16.0): 4,
        (blue, False, 16.0): 5,
        (blue, True, 16.0): 6,
    }
    assert expected == {(s.colour, s.bold, s.size): n for s, n in section.runs.items()}


def test_without_alternative_texts():
    """On request the texts of images count for nothing."""
    html = "<a href=1><img alt='a hive'></a>"
    assert (2, 2) == (sections_of(html)[0].words, sections_of(html)[0].link_words)
    bare = sections_of(html, alt=False)[0]
    assert (0, 0, [0]) == (bare.words, bare.link_words, bare.links)


def test_backgrounds():
    """Characters on each background; an image without text has one too."""
    html = "<table bgcolor=red><tr><td>ab<td bgcolor=lime>cde</table>"
    html += "<p bgcolor=red><a href=1><img></a>"
    first, second = sections_of(html)
    assert {(255, 0, 0): 2, (0, 255, 0): 3} == first.backgrounds()
    assert {(255, 0, 0): 0} == second.backgrounds()


def test_boundaries():
    """A section says at which tag it begins."""
    html = "a<div class='x y'>b</div>c<hr>d<ul id=n><li>e</ul>"
    expected = ["start of the page", "<div.x>", "</div>", "</hr>", "<ul#n>"]
    assert expected == [section.opened for section in sections_of(html)]


def test_title_is_no_part():
    """What stands in the head is not on the page."""
    assert [] == sections_of("<title>Bees</title><p>")


def test_limit():
    """Links behind the first ones are text."""
    tops = tree_page("<a href=1>a</a><p><a href=2>b</a>").tree.tops
    assert [[0], []] == [section.links for section in scan(tops, CONFIG, max_links=1)]


# --- a twin that cuts tag by tag ---


def tokens_of(element: Any, seen: bool, tokens: list[Any]) -> None:
    """(tag, True) and (tag, False) at starts and ends, link numbers as lists, words as strings."""
    seen = seen and element.tag not in UNREAD
    is_link = element.tag == "a" and element.get("href") is not None
    tokens.append((element.tag, True, is_link))
    if element.tag == "img" and seen:
        tokens.append("image")
    elif seen and (element.text or "").split():
        tokens.append("text")
    for child in element:
        tokens_of(child, seen, tokens)
        if seen and (child.tail or "").split():
            tokens.append("text")
    tokens.append((element.tag, False, is_link))


def plain_sections(tops: list[Any], tags: list[str]) -> list[list[int]]:
    """Move each link to its first content; then cut at one tag after the other."""
    tokens: list[Any] = []
    for top in tops:
        tokens_of(top, True, tokens)
    placed: list[Any] = []
    waiting: list[int] = []
    number = 0
    for token in tokens:
        if isinstance(token, tuple):
            tag, starts, is_link = token
            if starts:
                placed.append(token)
                if is_link:
                    waiting.append(number)
                    number += 1
            else:
                if is_link:
                    placed += [[n] for n in waiting]
                    waiting = []
                placed.append(token)
        else:
            placed += [[n] for n in waiting]
            waiting = []
            if token in {"text", "image"}:
                placed.append(token)
    parts = [placed]
    for tag in tags:
        parts = [piece for part in parts for piece in split_at(part, tag)]
    kept = [part for part in parts if any(t == "text" or isinstance(t, list) for t in part)]
    return [[n for t in part if isinstance(t, list) for n in t] for part in kept]


def split_at(part: list[Any], tag: str) -> list[list[Any]]:
    pieces: list[list[Any]] = [[]]
    for token in part:
        if isinstance(token, tuple) and token[0] == tag:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return pieces


@given(
    soups(st.sampled_from(["<a href=1>", "</a>", "<div>", "</div>", "<p>", "bees"]), size=40),
    st.permutations(list(CONFIG.tags)),
)
def test_twin(page, order):
    """In one pass or tag by tag in any order: the sections are the same."""
    tops = tree_page(f"<body>{page}").tree.tops
    found = [section.links for section in scan(tops, BlockConfig(alt=False))]
    assert plain_sections(tops, order) == found
    assert list(range(len(find_links(tops)))) == [n for links in found for n in links]


@given(soups(size=40))
def test_any_soup(page):
    """Counts agree with each other, whatever the page."""
    for section in scan(tree_page(f"<body>{page}").tree.tops, CONFIG):
        assert section.links or section.characters
        assert section.link_words <= section.words
        assert max(section.bold_outside_links, section.bold_outside_headings) <= section.bold
        assert section.bold <= section.characters
        assert set(section.headings) <= set(HEADINGS)
        assert section.backgrounds()


LINK = "<a href=x>bees</a>"
TEN = "<i>one two three four five six seven eight nine ten</i>"
ELEVEN = f"{TEN} eleven"


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
