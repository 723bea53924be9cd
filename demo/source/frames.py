"""What all pages of a site have around their content: the menu and the boxes at the side."""

from __future__ import annotations

from .addresses import host
from .chance import some
from .layouts import Box, Link
from .stock import Article, Site, Topic, World

__all__ = ["articles_on", "boxes_of", "has_link_page", "menu_of", "neighbours"]

RECENT = 4  # blog entries named in the sidebar


def articles_on(site: Site, world: World) -> list[Article]:
    return [article for article in world.articles if article.site == site]


def has_link_page(site: Site) -> bool:
    return site.role == "hub"


def menu_of(site: Site, world: World) -> tuple[Link, ...]:
    if site.role == "wiki":
        return _wiki_menu(site)
    entries: list[Link] = [(site.front, "Home")]
    if site.role == "blog":
        return (*entries, (site.url("/archive/"), "Archive"), (site.url("/feed.xml"), "Feed"))
    entries += [(article.url, article.title) for article in articles_on(site, world)]
    if has_link_page(site):
        entries.append((site.url("/links.html"), "Links"))
    return (*entries, *((sister.front, sister.name) for sister in _sisters(site, world)))


def boxes_of(site: Site, world: World, page: str) -> tuple[Box, ...]:
    if site.role == "blog":
        return _blog_boxes(site, world)
    if site.role == "house":
        return (Box("We recommend", _fronts(site, world)),)
    if site.role == "wiki":
        return (Box("Other subjects", tuple(_wiki_subjects(world, page))),)
    return ()


def neighbours(topic: Topic, world: World) -> list[Site]:
    """The blogs of related topics, which the blogs of this one read."""
    return [world.topics[name].sites["blog"] for name in topic.near]


def _sisters(site: Site, world: World) -> list[Site]:
    """The other sub-domains of a hub."""
    domain = _domain(site)
    others = world.topics[site.topic].sites.values()
    return [other for other in others if other != site and _domain(other) == domain]


def _domain(site: Site) -> list[str]:
    return host(site.address).split(".")[-2:]


def _blog_boxes(site: Site, world: World) -> tuple[Box, ...]:
    topic = world.topics[site.topic]
    recent = [(article.url, article.title) for article in articles_on(site, world)[:RECENT]]
    friends = [(other.front, other.name) for other in neighbours(topic, world)]
    return (
        Box("Recent entries", tuple(recent)),
        Box("Blogroll", (*_fronts(site, world), *friends)),
    )


def _fronts(site: Site, world: World) -> tuple[Link, ...]:
    """The front pages of the topic's other sites, and one place that was never captured."""
    topic = world.topics[site.topic]
    sites = [*topic.sites.values(), *world.foreign_sites(topic.name)]
    far = some(topic.elsewhere, 1, "elsewhere", site.address)
    own = [(other.front, other.name) for other in sites if other != site]
    return (*own, *((place.url, place.title) for place in far))


def _wiki_menu(site: Site) -> tuple[Link, ...]:
    return (
        (site.front, "Main page"),
        (site.url("/wiki/Special:Random"), "Random article"),
        (site.url("/wiki/Special:RecentChanges"), "Recent changes"),
        (site.url("/wiki/Help:Contents"), "Help"),
    )


def _wiki_subjects(world: World, page: str) -> list[Link]:
    others = [article for article in articles_on(world.wiki, world) if article.url != page]
    return [(article.url, article.title) for article in some(others, 5, "subjects", page)]
