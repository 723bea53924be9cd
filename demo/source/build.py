"""The order of the crawl, the four WARC files and the directory.

scripts/make-demo-snapshot is the door to `main`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from .addresses import host
from .answers import Answer, answer_page
from .articles import article_page, copies_of
from .chance import draw
from .citations import citations_of
from .frames import has_link_page
from .fronts import front_page, link_page
from .gathered import people_pages, portal_pages
from .layouts import Page
from .oddities import odd_answers, second_visits
from .stock import World, load_world
from .told import foreign_pages, forum_pages, news_pages
from .warc import Capture, info_record, metadata_record, request_record, response_record

__all__ = ["all_answers", "main", "pages_of", "write_directory", "write_snapshot"]

FILES = 4
FIRST_VISIT = datetime(2016, 5, 1, 8, 0, tzinfo=UTC)
BETWEEN_VISITS = timedelta(days=3)
BETWEEN_PAGES = timedelta(seconds=7)
VERSIONS = ("1.0", "1.0", "1.0", "1.1")  # of the WARC format, by file
COMPLETE = 0  # the file in which each response has its request and metadata beside it


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Writes the demo snapshot and its directory.")
    parser.add_argument("--to", type=Path, default=Path(__file__).parents[1], help="folder")
    folder: Path = parser.parse_args(arguments).to
    world = load_world()
    sizes = write_snapshot(folder / "snapshot", world)
    write_directory(folder / "directory.tsv", world)
    sys.stdout.write(f"{folder}: {len(sizes)} files, {sum(sizes):,} bytes\n")
    return 0


def write_snapshot(folder: Path, world: World) -> list[int]:
    """Writes the WARC files and gives back their sizes."""
    folder.mkdir(parents=True, exist_ok=True)
    answers = all_answers(world)
    hosts = sorted({host(answer.url) for answer in answers})
    sizes = []
    for number in range(FILES):
        mine = set(hosts[number::FILES])
        part = [answer for answer in answers if host(answer.url) in mine]
        name = f"crawl-{number:05}.warc.gz"
        sizes.append((folder / name).write_bytes(b"".join(_records(name, number, part))))
    return sizes


def write_directory(path: Path, world: World) -> None:
    """Every article and every page in another language, with its class."""
    classes = {
        article.url: f"/Top/{world.topics[article.topic].folder}/{article.subtopic}"
        for article in world.articles
    }
    for site, pages in world.foreign.items():
        classes |= {site.url(page["path"]): f"/Top/{site.category}" for page in pages}
    lines = "".join(f"{url}\t{name}\n" for url, name in sorted(classes.items()))
    path.write_text(lines, encoding="utf-8")


def all_answers(world: World) -> list[Answer]:
    answers = [answer_page(page) for page in pages_of(world)] + odd_answers(world)
    return answers + second_visits(answers)


def pages_of(world: World) -> list[Page]:
    """All pages but the odd ones."""
    citations = citations_of(world)
    sites = [site for topic in world.topics.values() for site in topic.sites.values()]
    articles = [article_page(article, world, citations) for article in world.articles]
    return [
        *(front_page(site, world) for site in (*sites, world.wiki)),
        *(link_page(site, world) for site in sites if has_link_page(site)),
        *articles,
        *copies_of(articles),
        *portal_pages(world),
        *people_pages(world),
        *news_pages(),
        *forum_pages(),
        *foreign_pages(world),
    ]


def _records(name: str, number: int, answers: Sequence[Answer]) -> Iterator[bytes]:
    version = VERSIONS[number]
    yield info_record(name, FIRST_VISIT, version)
    for capture in _crawled(answers):
        if number == COMPLETE:
            yield request_record(capture, version)
        yield response_record(capture, version)
        if number == COMPLETE:
            yield metadata_record(capture, version)


def _crawled(answers: Sequence[Answer]) -> Iterator[Capture]:
    """The answers in the order of the crawl, hosts mixed, second visits at the end."""
    order = sorted(answers, key=lambda answer: (answer.visit, draw("order", answer.url)))
    seen: dict[str, datetime] = {}
    for number, answer in enumerate(order, 1):
        time = FIRST_VISIT + number * BETWEEN_PAGES + (answer.visit - 1) * BETWEEN_VISITS
        yield Capture(answer, time, seen.get(answer.url))
        seen[answer.url] = time
