"""Pages whose whole text was written for them: news, forum threads, sites in other languages."""

from __future__ import annotations

from dataclasses import replace

from .addresses import written
from .layouts import Box, Link, Page, heading_of
from .markup import bullets, from_text, link, paragraph
from .stock import Data, Site, World, read, site_of

__all__ = ["foreign_pages", "forum_pages", "news_pages"]

POSTS = 4  # on a page of a thread; the first post of the thread is repeated on each


def news_pages() -> list[Page]:
    data = read("news")
    sites = {name: site_of(site) for name, site in data["site"].items()}
    items = [(sites[item["on"]], item) for item in data["item"]]
    latest = Box("Latest", tuple((site.url(item["path"]), item["title"]) for site, item in items))
    menu = tuple((site.front, site.name) for site in sites.values())
    return [
        *(_news_front(site, items, menu) for site in sites.values()),
        *(_news_item(site, item, menu, latest) for site, item in items),
    ]


def _news_front(site: Site, items: list[tuple[Site, Data]], menu: tuple[Link, ...]) -> Page:
    heading, blocks = heading_of(site), [paragraph(site.intro)]
    for owner, item in items:
        more = link(written(owner.url(item["path"]), site.front, site), "Read on")
        if owner == site:
            blocks += [heading(item["title"]), paragraph(f"{item['teaser']} {more}")]
    return Page(site.front, site, "Today", "\n".join(blocks), menu)


def _news_item(site: Site, item: Data, menu: tuple[Link, ...], latest: Box) -> Page:
    body = from_text(item["text"], heading_of(site))
    return Page(site.url(item["path"]), site, item["title"], body, menu, (latest,))


def forum_pages() -> list[Page]:
    data = read("forum")
    site = site_of(data["site"])
    threads = data["thread"]
    pages = [page for thread in threads for page in _thread(thread, data["site"]["rules"], site)]
    anchors = (link(f"/thread.php?id={t['number']}", f"{t['room']}: {t['title']}") for t in threads)
    body = paragraph(site.intro) + "\n" + bullets(anchors)
    return [Page(site.front, site, "Rooms and threads", body, _forum_menu(site)), *pages]


def _thread(thread: Data, rules: str, site: Site) -> list[Page]:
    """The pages of a thread, then all its posts on one page for printing: near-same pages."""
    first, posts = thread["posts"][0], thread["posts"]
    number = thread["number"]
    views = [(f"/thread.php?id={number}", posts[:POSTS])]
    if thread["pages"] == 3:
        views.append((f"/thread.php?id={number}&page=2", [first, *posts[POSTS - 1 :]]))
    views.append((f"/print.php?id={number}", posts))
    return [_view(thread, path, shown, rules, site) for path, shown in views]


def _view(thread: Data, path: str, posts: list[list[str]], rules: str, site: Site) -> Page:
    heading = heading_of(site)
    blocks = [
        f'<div class="rules">{rules}</div>',
        *(_post(user, text) for user, text in posts),
        heading("Threads in this room"),
        bullets([link(f"/room.php?name={thread['room'].replace(' ', '+')}", thread["room"])]),
    ]
    return Page(site.url(path), site, thread["title"], "\n".join(blocks), _forum_menu(site))


def _post(user: str, text: str) -> str:
    report = link("/report.php", "report", rel="nofollow")
    words = from_text(text, str).replace('">', '" rel="nofollow">')
    return (
        f'<table class="post" width="100%"><tr><td width="120"><b>{user}</b><br>member</td>\n'
        f"<td>{words}<small>{report} | {link('/reply.php', 'reply')}</small></td></tr></table>"
    )


def _forum_menu(site: Site) -> tuple[Link, ...]:
    rooms = ("Beekeeping", "Bread Baking", "Bicycle Repair", "Astronomy", "Weaving")
    return tuple((site.url(f"/room.php?name={room.replace(' ', '+')}"), room) for room in rooms)


def foreign_pages(world: World) -> list[Page]:
    return [
        _foreign_page(row, site, pages) for site, pages in world.foreign.items() for row in pages
    ]


def _foreign_page(row: Data, site: Site, pages: list[Data]) -> Page:
    """A page may differ from its site in charset, in how it is declared, and in the lang mark."""
    own = {key: row[key] for key in ("charset", "declared", "marked") if key in row}
    menu = tuple((site.url(page["path"]), page["title"]) for page in pages)
    body = from_text(row["text"], heading_of(site))
    return Page(site.url(row["path"]), replace(site, **own), row["title"], body, menu)
