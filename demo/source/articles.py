"""The pages with texts about one thing: chapters of hubs, blog entries, house and wiki articles.

A text is the article's own lead, then those passages of its subtopic that suit it best. Which of
their sentences it has is drawn per page: pages of one subtopic share their vocabulary and are no
copies.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urlsplit

from .addresses import address_of, written
from .chance import draw, one, some
from .citations import Citations
from .frames import boxes_of, menu_of
from .layouts import Page, heading_of
from .markup import bullets, link, paragraph, rows
from .stock import Article, World, read, site_of

__all__ = ["article_page", "copies_of"]

SENTENCES = 3  # of a passage of four or five
PASSAGES = {"blog": 2, "house": 1, "wiki": 3}  # hubs and their sub-domains: two


def article_page(article: Article, world: World, citations: Citations) -> Page:
    write = _WRITERS.get(article.site.role, _chapter)
    return Page(
        url=article.url,
        site=article.site,
        title=article.title,
        body=write(article, world, citations[article.url]),
        menu=menu_of(article.site, world),
        boxes=boxes_of(article.site, world, article.url),
        head=f'<link rel="canonical" href="{article.url}">' if article.site.role == "wiki" else "",
    )


def copies_of(pages: Iterable[Page]) -> list[Page]:
    """Near-duplicates: encyclopedia articles under another host's name, with a note above."""
    data = read("sites")["mirror"]
    site = site_of(data)
    note = paragraph(f"<small>{data['intro']}</small>")
    return [
        replace(page, url=site.url(path), site=site, body=f"{note}\n{page.body}", menu=())
        for page in pages
        if page.site.role == "wiki" and (path := urlsplit(page.url).path) in data["copies"]
    ]


def _chapter(article: Article, world: World, cited: list[Article]) -> str:
    """Headings, and a closing line that the whole site shares."""
    blocks = [paragraph(article.lead)]
    for (heading, text), citation in _with_citations(article, world, cited, "cite"):
        blocks += [heading_of(article.site)(heading), paragraph(f"{text} {citation}".strip())]
    blocks.append(paragraph(f"<i>{one(read('phrases')['closing_hub'], article.url)}</i>"))
    return "\n".join(blocks)


def _entry(article: Article, world: World, cited: list[Article]) -> str:
    """No headings, a personal tone, the time of writing below."""
    phrases = read("phrases")
    blocks = [paragraph(f"{one(phrases['opening_blog'], article.url)} {article.lead}")]
    for (_, text), citation in _with_citations(article, world, cited, "cite_blog"):
        blocks.append(paragraph(f"{text} {citation}".strip()))
    blocks.append(paragraph(one(phrases["closing_blog"], article.url)))
    comments = int(draw("comments", article.url) * 12)
    more = link(f"mailto:?subject={article.title}", "send this entry")
    blocks.append(
        f'<p class="meta">Filed under {article.subtopic.replace("_", " ").lower()}. '
        f"{comments} comments. {more}</p>"
    )
    return "\n".join(blocks)


def _encyclopedia(article: Article, world: World, cited: list[Article]) -> str:
    passages = _passages(article, world)
    heading = heading_of(article.site)
    blocks = [_facts(article), paragraph(article.lead), _contents([head for head, _ in passages])]
    for head, text in passages:
        blocks += [heading(head), paragraph(text)]
    own = [other for other in world.topics[article.topic].articles if _is_sister(other, article)]
    blocks += [heading("See also"), bullets(_link(other, article, other.title) for other in own)]
    described = (f"{_link(other, article, other.title)}: {other.about}" for other in cited)
    blocks += [heading("External links"), bullets(described)]
    return "\n".join(blocks)


def _facts(article: Article) -> str:
    return rows(
        [("Subject", article.topic), ("Field", article.subtopic.replace("_", " "))], article.title
    )


def _contents(headings: list[str]) -> str:
    anchors = (link(f"#{head.replace(' ', '_')}", head) for head in headings)
    return f'<div class="toc"><h2>Contents</h2>{bullets(anchors)}</div>'


def _is_sister(other: Article, article: Article) -> bool:
    return other.site == article.site and other.url != article.url


def _with_citations(
    article: Article, world: World, cited: list[Article], phrases: str
) -> list[tuple[tuple[str, str], str]]:
    """Each passage with the sentences that name other pages, dealt out in turn."""
    passages = _passages(article, world)
    sentences = [_citation(other, article, phrases) for other in cited]
    return [
        (passage, " ".join(sentences[i :: len(passages)])) for i, passage in enumerate(passages)
    ]


def _citation(other: Article, article: Article, phrases: str) -> str:
    """Articles of another subtopic are not introduced as if they were about the same thing."""
    kind = phrases if other.subtopic == article.subtopic else "cite_far"
    phrase: str = one(read("phrases")[kind], other.url, article.url)
    return phrase.format(link=_link(other, article, one(other.called, other.url, article.url)))


def _link(other: Article, article: Article, text: str) -> str:
    address = address_of(other, article.url)
    return link(written(address, article.url, article.site), text)


def _passages(article: Article, world: World) -> list[tuple[str, str]]:
    """Heading and text of the passages that suit the article best, in the order of the stock."""
    stock = world.topics[article.topic].passages[article.subtopic]
    own = _stems([article.title, article.lead, article.about, *article.called])
    best = sorted(stock, key=lambda passage: -len(own & _stems(passage)))
    return [
        (heading, " ".join(some(sentences, SENTENCES, heading, article.url)))
        for heading, *sentences in stock
        if [heading, *sentences] in best[: PASSAGES.get(article.site.role, 2)]
    ]


def _stems(texts: Iterable[str]) -> set[str]:
    """The beginnings of all longer words: enough to see what two texts have in common."""
    return {word[:5] for text in texts for word in text.lower().split() if len(word) > 4}


_WRITERS = {"blog": _entry, "wiki": _encyclopedia}
