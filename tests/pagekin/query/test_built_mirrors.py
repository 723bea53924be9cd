"""Answers of whole builds: no two of one group of mirrors, on a made-up web and a real one."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from pagekin import Index
from pagekin.cli import main
from pagekin.query.api import WAYS
from tests.trees import corpus
from tests.warcs import response

ARTICLES, COPIES = 24, 4  # every page once on its own host, and up to so often on others
CHANGED = 40  # one word in so many differs on a copy


def made_up_pages(seed: int = 1) -> tuple[dict[str, str], list[set[str]]]:
    """Pages of a few topics by their URLs, with copies that differ in some words; and which pages
    are copies of one another."""
    chance = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(3, 9))) for _ in range(900)]
    pages: dict[str, str] = {}
    groups = []
    links = [f"http://host{k % 5}.example/{k}" for k in range(ARTICLES)]
    for k, url in enumerate(links):
        topic = words[k % 4 * 200 : k % 4 * 200 + 300]
        text = chance.choices(topic, k=250)
        group = {url}
        pages[url] = " ".join(text)
        for copy in range(chance.randint(0, COPIES)):
            other = [chance.choice(words) if chance.random() < 1 / CHANGED else w for w in text]
            place = f"http://copy{copy}.example/{k}"
            group.add(place)
            pages[place] = " ".join(other)
        groups.append(group)
    return {url: body(url, text, links, chance) for url, text in pages.items()}, groups


def body(url: str, text: str, links: list[str], chance: random.Random) -> str:
    items = "".join(f"<li><a href='{to}'>to {to[-2:]}</a>" for to in chance.sample(links, 6))
    return f"<html><title>{url}</title><body><p>{text}</p><ul>{items}</ul></body></html>"


def build(work: Path, *snapshot: Path) -> Index:
    words = ["build", "-q", "-r", "inline", "--cocitation-threshold", "0.01", "--work", work]
    assert 0 == main([str(word) for word in (*words, *snapshot)])
    return Index(work / "index")


def groups_of(index: Index) -> dict[str, int]:
    """The number of the group of each page that has one."""
    groups = [index.mirrors(one.representative, 0) for one in index.mirror_groups(0).largest]
    return {url: number for number, group in enumerate(groups) for url in group.members}


def check(index: Index, sample: list[str]) -> Counter[str]:
    """No two answers belong to one group, and all its members have one answer. Gives the number of
    answers that have mirrors, by the way of asking."""
    of_page = groups_of(index)
    met: Counter[str] = Counter()
    for by in WAYS:
        for url in sample:
            answer = index.related(url, by=by)
            groups = [of_page[kin.url] for kin in answer if kin.url in of_page]
            assert len(groups) == len({*groups} - {of_page.get(url, -1)}), (by, url)
            assert [kin.mirrors > 0 for kin in answer] == [kin.url in of_page for kin in answer]
            met[by] += len(groups)
            members = [page for page, group in of_page.items() if group == of_page.get(url)]
            for member in members[:3]:
                assert list(answer) == list(index.related(member, by=by)), (by, url, member)
    return met


def test_made_up_web(tmp_path):
    """The build finds what was copied, and answers fold it, by bags, by co-citation and by both."""
    pages, groups = made_up_pages()
    crawl = tmp_path / "crawl.warc"
    crawl.write_bytes(b"".join(response(url, html.encode()) for url, html in pages.items()))
    index = build(tmp_path / "work", crawl)
    found = index.mirror_groups(0)
    truth = sorted(sorted(group) for group in groups if len(group) > 1)
    told = sorted(sorted(index.mirrors(g.representative, 0).members) for g in found.largest)
    assert truth == told
    # pages link to the originals, so these stand for their copies
    assert {url for group in groups if len(group) > 1 for url in group if "host" in url} == {
        group.representative for group in found.largest
    }
    met = check(index, list(pages))
    assert min(met[by] for by in WAYS) > 100


def test_releases_of_manuals(tmp_path):
    """Documentation in two releases."""
    folder = corpus("debdocs") / "mirrors"
    index = build(tmp_path / "work", *sorted(folder.glob("*.warc.gz")))
    assert index.mirror_groups().groups > 400
    urls = [url for shard in range(index.shards) for url in index.urls(shard, crawled=True)]
    assert check(index, urls[::12])["bags"] > 100
