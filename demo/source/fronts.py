"""The front pages of all English sites, and the page of links that every hub has."""

from __future__ import annotations

from collections.abc import Iterable

from .addresses import written
from .chance import some
from .frames import articles_on, boxes_of, menu_of
from .layouts import Page, heading_of
from .markup import bullets, definitions, link, paragraph, picture, rows
from .stock import Article, Elsewhere, Site, Topic, World

__all__ = ["front_page", "link_page", "shelves_of"]

SHELVES = ("Associations", "Suppliers", "Guides")
BADGES = 3
LISTED = 7  # articles of other hosts on a page of links
Entry = tuple[str, str, str]  # address, title, description


def front_page(site: Site, world: World) -> Page:
    body = _BODIES.get(site.role, _hub_body)(site, world)
    return Page(
        url=site.front,
        site=site,
        title="Main page" if site.role == "wiki" else _front_title(site),
        body=f"{paragraph(site.intro)}\n{body}",
        menu=menu_of(site, world),
        boxes=boxes_of(site, world, site.front),
    )


def link_page(site: Site, world: World) -> Page:
    """Links to other hosts of the topic, with short descriptions under a heading for each shelf."""
    topic, url, heading = world.topics[site.topic], site.url("/links.html"), heading_of(site)
    blocks = [paragraph(f"Places on the web for people interested in {topic.name.lower()}.")]
    for shelf, entries in shelves_of(topic, world, site).items():
        blocks += [heading(shelf), _listed(entries, site, url)]
    foreign = world.foreign_pages(topic.name)
    if foreign:
        anchors = (link(written(page, url, site), title) for page, title in foreign)
        blocks += [heading("In other languages"), bullets(anchors)]
    return Page(url, site, f"Links: {topic.name}", "\n".join(blocks), menu_of(site, world))


def shelves_of(topic: Topic, world: World, but: Site | None = None) -> dict[str, list[Entry]]:
    """Sites, places elsewhere and single articles of a topic by the shelf they belong on."""
    sites = [site for site in topic.sites.values() if site != but]
    entries = {
        shelf: [(site.front, site.name, site.motto) for site in sites if site.shelf == shelf]
        + [_place(place) for place in topic.elsewhere if place.shelf == shelf]
        for shelf in SHELVES
    }
    others = [article for article in topic.articles if article.site not in {but, world.wiki}]
    single = some(others, LISTED, "listed", but.address if but else topic.name)
    entries["Guides"] += [(article.url, article.title, article.about) for article in single]
    return entries


def _place(place: Elsewhere) -> Entry:
    return place.url, place.title, place.about


def _listed(entries: Iterable[Entry], site: Site, page: str) -> str:
    """Old layouts list definitions, newer ones bullets."""
    links = [(link(written(url, page, site), title), about) for url, title, about in entries]
    if site.layout == "classic":
        return definitions(links)
    return bullets(f"{anchor} – {about}" for anchor, about in links)


def _front_title(site: Site) -> str:
    return f"{site.name}: {site.motto}" if site.role == "house" else site.name


def _hub_body(site: Site, world: World) -> str:
    """The chapters by subtopic, and the badges of friends."""
    own, heading = articles_on(site, world), heading_of(site)
    blocks = []
    for subtopic in dict.fromkeys(article.subtopic for article in own):
        chapters = [article for article in own if article.subtopic == subtopic]
        blocks += [heading(subtopic.replace("_", " ")), _chapters(chapters, site)]
    return "\n".join([*blocks, _badges(site, world)])


def _chapters(articles: Iterable[Article], site: Site) -> str:
    return _listed(((a.url, a.title, a.about) for a in articles), site, site.front)


def _badges(site: Site, world: World) -> str:
    friends = [other for other in world.topics[site.topic].sites.values() if other != site]
    badges = (
        picture(written(friend.front, site.front, site), f"/img/{friend.role}.gif", friend.name)
        for friend in friends[:BADGES]
    )
    return paragraph("\n".join(badges))


def _blog_body(site: Site, world: World) -> str:
    """The first sentence of each entry and a link to the rest."""
    heading, blocks = heading_of(site), []
    for article in articles_on(site, world):
        href = written(article.url, site.front, site)
        start = article.lead.split(". ")[0]
        more = link(href, "read the rest")
        blocks += [heading(article.title), paragraph(f"{start}. {more}")]
    return "\n".join(blocks)


def _house_body(site: Site, world: World) -> str:
    own = [(article.url, article.title, article.about) for article in articles_on(site, world)]
    return "\n".join([rows(site.table, site.caption), _listed(own, site, site.front)])


def _wiki_body(site: Site, world: World) -> str:
    heading, blocks = heading_of(site), []
    for topic in world.topics.values():
        own = [article for article in topic.articles if article.site == site]
        anchors = [link(written(a.url, site.front, site), a.title) for a in own]
        blocks += [heading(topic.name), paragraph(" · ".join(anchors))]
    return "\n".join(blocks)


_BODIES = {"blog": _blog_body, "house": _house_body, "wiki": _wiki_body}
