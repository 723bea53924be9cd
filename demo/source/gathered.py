"""Pages that gather links of many topics: the portal and the personal pages.

The portal lists by kind of place, never by subtopic, so that it does not give away the classes by
which related pages are judged (`directory.tsv`).
"""

from __future__ import annotations

from .addresses import address_of, written
from .chance import draw, one, some
from .fronts import shelves_of
from .layouts import Link, Page, heading_of
from .markup import bullets, definitions, from_text, link, paragraph, rows
from .stock import Article, Data, Site, Topic, World, read, site_of

__all__ = ["people_pages", "portal_pages"]

READING = 8  # articles in the portal's reading list of a topic
BOOKMARKS = 5  # articles for each liking of a person
REMARKED = 0.4  # share of bookmarks with a remark


def portal_pages(world: World) -> list[Page]:
    site = site_of(read("sites")["portal"])
    topics = world.topics.values()
    return [
        _portal_front(site, world),
        *(_portal_topic(site, topic, world) for topic in topics),
        _portal_everything(site, world),
    ]


def people_pages(world: World) -> list[Page]:
    data = read("people")
    pages = [_person(person, data["site"], world) for person in data["person"]]
    return [_register(site_of(data["site"], layout="plain"), pages), *pages]


def _portal_menu(site: Site, world: World) -> tuple[Link, ...]:
    topics = [(site.url(f"/{topic.folder}/"), topic.name) for topic in world.topics.values()]
    return ((site.front, "Top"), *topics, (site.url("/everything.html"), "Everything"))


def _portal_front(site: Site, world: World) -> Page:
    """A table of topics, three of their sites named beside each."""
    table = []
    for topic in world.topics.values():
        sites = some(list(topic.sites.values()), 3, "portal", topic.name)
        anchors = (link(written(s.front, site.front, site), s.name) for s in sites)
        table.append((link(f"/{topic.folder}/", topic.name), ", ".join(anchors)))
    body = paragraph(site.intro) + "\n" + rows(table)
    return Page(site.front, site, "All topics", body, _portal_menu(site, world))


def _portal_topic(site: Site, topic: Topic, world: World) -> Page:
    """Separate lists, each of another kind: definitions, a table, bullets, bare lines."""
    url, heading = site.url(f"/{topic.folder}/"), heading_of(site)

    def to(target: str, text: str) -> str:
        return link(written(target, url, site), text)

    shelves = shelves_of(topic, world)
    places = [*shelves["Associations"], *shelves["Suppliers"]]
    reading = some(topic.articles, READING, "reading", topic.name)
    blocks = [
        heading("Places to begin"),
        definitions((to(u, title), about) for u, title, about in shelves["Guides"]),
        heading("Worth reading"),
        rows([(to(address_of(a, url), a.title), a.about) for a in reading]),
        heading("Societies and suppliers"),
        bullets(f"{to(u, title)} ({about})" for u, title, about in places),
        heading("Other languages and other topics"),
        "<br>\n".join(to(u, text) for u, text in _beyond(topic, site, world)),
    ]
    return Page(url, site, topic.name, "\n".join(blocks), _portal_menu(site, world))


def _beyond(topic: Topic, site: Site, world: World) -> list[Link]:
    topics = [(site.url(f"/{world.topics[name].folder}/"), name) for name in topic.near]
    return [*world.foreign_pages(topic.name), *((url, f"See also: {name}") for url, name in topics)]


def _portal_everything(site: Site, world: World) -> Page:
    """One block of far more than eighty links, as link farms and site maps have it."""
    url = site.url("/everything.html")
    articles = sorted(world.articles, key=lambda article: article.title)
    cells = [link(written(a.url, url, site), a.title) for a in articles]
    table = [cells[i : i + 3] for i in range(0, len(cells), 3)]
    return Page(url, site, "Everything, from A to Z", rows(table), _portal_menu(site, world))


def _register(site: Site, pages: list[Page]) -> Page:
    anchors = (link(written(page.url, site.front, site), page.title) for page in pages)
    return Page(site.front, site, "All home pages", bullets(anchors))


def _person(person: Data, host: Data, world: World) -> Page:
    site = site_of({**host, **person}, name=host["name"], motto=host["motto"])
    url = site.url(person["folder"] + person.get("page", ""))
    heading = heading_of(site)
    blocks = [from_text(person["text"], heading)]
    for liking in person["likes"]:
        name, _, subtopic = liking.partition("/")
        title = f"{name}: {subtopic.replace('_', ' ').lower()}"
        blocks += [heading(title), bullets(_bookmarks(world.topics[name], subtopic, url, site))]
    menu = ((site.front, "All home pages"), (site.url(person["folder"]), "My page"))
    return Page(url, site, person["title"], "\n".join(blocks), menu)


def _bookmarks(topic: Topic, subtopic: str, page: str, site: Site) -> list[str]:
    """Mostly the subtopic, one article beside it, a front page and a place never captured."""
    inside = [article for article in topic.articles if article.subtopic == subtopic]
    beside = [article for article in topic.articles if article.subtopic != subtopic]
    articles = some(inside, BOOKMARKS - 1, "likes", page) + some(beside, 1, "beside", page)
    front = one(list(topic.sites.values()), "front", page, topic.name)
    far = one(topic.elsewhere, "far", page, topic.name)
    return [
        *(_bookmark(article, page, site) for article in articles),
        link(written(front.front, page, site), front.name),
        f"{link(far.url, far.title)}: {far.about}",
    ]


def _bookmark(article: Article, page: str, site: Site) -> str:
    text = one((article.title, *article.called), "bookmark", article.url, page)
    anchor = link(written(address_of(article, page), page, site), text)
    if draw("remark", article.url, page) > REMARKED:
        return anchor
    return f"{anchor} ({one(read('phrases')['remark'], article.url, page)})"
