"""The texts as Python sees them: sites, topics and articles, read from the TOML files beside this.

Field names are those of the files. What is read here is never changed afterwards.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

__all__ = [
    "Article",
    "Data",
    "Elsewhere",
    "Site",
    "Topic",
    "World",
    "load_world",
    "read",
    "site_of",
]

HERE = Path(__file__).parent
TOPICS = (
    "beekeeping",
    "sailing",
    "bread",
    "astronomy",
    "chess",
    "bicycles",
    "mushrooms",
    "choirs",
    "volcanoes",
    "weaving",
)
Data = dict[str, Any]


@dataclass(frozen=True)
class Site:
    address: str  # scheme and host, no slash at the end
    name: str
    motto: str
    layout: str  # a template
    links: str  # how it writes links to itself: relative, rooted or absolute
    role: str = ""  # hub, blog, house, wiki or the name of a sub-domain
    topic: str = ""
    intro: str = ""
    shelf: str = ""  # under which heading others list it
    caption: str = ""
    table: tuple[tuple[str, ...], ...] = ()
    charset: str = "utf-8"
    declared: str = "both"  # where the charset is named: header, meta, both or none
    packed: str = ""  # Content-Encoding
    lang: str = "en"
    marked: bool = True  # has a lang attribute
    category: str = ""

    def url(self, path: str) -> str:
        """The address of a path on this site; a whole URL stays what it is."""
        return urljoin(self.address + "/", path)

    @property
    def front(self) -> str:
        return self.url("/")


@dataclass(frozen=True)
class Article:
    site: Site
    topic: str
    subtopic: str
    url: str
    title: str
    lead: str
    about: str  # how a list of links describes it
    called: tuple[str, ...]  # how others name it in a sentence
    old: tuple[str, ...]  # former addresses, each redirecting to the next


@dataclass(frozen=True)
class Elsewhere:
    """A place that is linked and was never captured."""

    url: str
    shelf: str
    title: str
    about: str


@dataclass(frozen=True)
class Topic:
    name: str
    near: tuple[str, ...]
    sites: dict[str, Site]
    passages: dict[str, list[list[str]]]  # by subtopic: heading, then sentences
    articles: tuple[Article, ...]
    elsewhere: tuple[Elsewhere, ...]

    @property
    def folder(self) -> str:
        return self.name.replace(" ", "_")


@dataclass(frozen=True)
class World:
    topics: dict[str, Topic]
    wiki: Site
    foreign: dict[Site, list[Data]]  # sites in other languages and their pages

    @property
    def articles(self) -> list[Article]:
        return [article for topic in self.topics.values() for article in topic.articles]

    def foreign_sites(self, topic: str) -> list[Site]:
        return [site for site in self.foreign if site.topic == topic]

    def foreign_pages(self, topic: str) -> list[tuple[str, str]]:
        """Address and title of the pages in other languages."""
        sites = self.foreign_sites(topic)
        return [(site.url(p["path"]), p["title"]) for site in sites for p in self.foreign[site]]


@cache
def read(name: str) -> Data:
    with (HERE / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def site_of(data: Data, **more: str) -> Site:
    """A site from a table of a file; keys that are no field of a site (its pages) are left out."""
    known = {key: value for key, value in data.items() if key in Site.__dataclass_fields__}
    table = tuple(tuple(row) for row in known.pop("table", ()))
    return Site(**{**known, **more}, table=table)


def load_world() -> World:
    wiki = site_of(read("sites")["wiki"], role="wiki")
    topics = [_topic(read(f"topics/{name}"), wiki) for name in TOPICS]
    return World({topic.name: topic for topic in topics}, wiki, _foreign())


def _topic(data: Data, wiki: Site) -> Topic:
    name = data["name"]
    sites = {role: site_of(site, role=role, topic=name) for role, site in data["site"].items()}
    return Topic(
        name=name,
        near=tuple(data["near"]),
        sites=sites,
        passages={part["name"]: part["passages"] for part in data["subtopic"]},
        articles=tuple(_article(row, name, {**sites, "wiki": wiki}) for row in data["article"]),
        elsewhere=tuple(Elsewhere(**row) for row in data["elsewhere"]),
    )


def _article(row: Data, topic: str, sites: dict[str, Site]) -> Article:
    site = sites[row["on"]]
    return Article(
        site=site,
        topic=topic,
        subtopic=row["in"],
        url=site.url(row["path"]),
        title=row["title"],
        lead=row["lead"],
        about=row["about"],
        called=tuple(row["called"]),
        old=tuple(site.url(path) for path in row.get("old", ())),
    )


def _foreign() -> dict[Site, list[Data]]:
    names = sorted(path.stem for path in (HERE / "languages").glob("*.toml"))
    files = [read(f"languages/{name}") for name in names]
    return {
        site_of(data, lang=file["lang"]): data["page"] for file in files for data in file["site"]
    }
