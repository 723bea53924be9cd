"""From the content of a page to its whole HTML: template, menu, side boxes, footer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from string import Template

from .addresses import host, written
from .markup import link
from .stock import HERE, Data, Site, read

__all__ = ["Box", "Link", "Page", "dressed", "heading_of"]

Link = tuple[str, str]  # address, text


@dataclass(frozen=True)
class Box:
    """A list of links beside the content."""

    title: str
    links: tuple[Link, ...]


@dataclass(frozen=True)
class Page:
    url: str
    site: Site
    title: str
    body: str  # HTML of the content
    menu: tuple[Link, ...] = ()
    boxes: tuple[Box, ...] = ()
    head: str = ""  # more elements for <head>


def dressed(page: Page) -> str:
    """The whole document."""
    site, layout = page.site, read("layouts")[page.site.layout]
    return _template(site.layout).substitute(
        lang=f' lang="{site.lang}"' if site.marked else "",
        meta=_meta(site, layout),
        head=f"{page.head}\n" if page.head else "",
        title=escape(page.title, quote=False),
        site=escape(site.name, quote=False),
        motto=escape(site.motto, quote=False),
        home=written(site.front, page.url, site),
        menu=_menu(page, layout),
        aside="".join(f"{_box(box, page, layout)}\n" for box in page.boxes),
        body=page.body,
        footer=_footer(page),
    )


def heading_of(site: Site) -> Callable[[str], str]:
    """The function that writes a heading in the manner of the site's layout."""
    pattern = Template(read("layouts")[site.layout]["heading"])
    return lambda text: pattern.substitute(text=escape(text, quote=False))


@cache
def _template(name: str) -> Template:
    return Template((HERE / "templates" / f"{name}.html").read_text(encoding="utf-8"))


def _meta(site: Site, layout: Data) -> str:
    if site.declared not in {"meta", "both"}:
        return ""
    return Template(layout["meta"]).substitute(charset=site.charset) + "\n"


def _menu(page: Page, layout: Data) -> str:
    entries: list[str] = []
    for url, text in page.menu:
        pattern = layout["here"] if url == page.url else layout["link"]
        href = escape(written(url, page.url, page.site))
        entries.append(Template(pattern).substitute(href=href, text=escape(text, quote=False)))
    return str(layout["join"]).join(entries)


def _box(box: Box, page: Page, layout: Data) -> str:
    items = _items(box.links, page)
    return Template(layout["box"]).substitute(title=escape(box.title, quote=False), items=items)


def _items(links: Sequence[Link], page: Page) -> str:
    return "".join(
        f"<li>{link(written(url, page.url, page.site), text)}</li>" for url, text in links
    )


def _footer(page: Page) -> str:
    """The same words at the end of every page of a site."""
    words, site = read("phrases")["footer"][page.site.lang], page.site
    licence = link("http://licences.example/share-alike/3.0/", words["licence"], rel="license")
    links = [
        link(written(site.url("/imprint.html"), page.url, site), words["imprint"]),
        link(f"mailto:mail@{host(site.address)}", words["contact"]),
        link("javascript:window.print()", words["print"]),
    ]
    sentence: str = words["sentence"].format(licence=licence)
    return sentence + " " + " | ".join(links)
