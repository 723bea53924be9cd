"""The pages of a made-up web: each its host's frame, and blocks of text and links.

What all pages of a host have in common: styles, scripts, header, navigation, side and footer. A
real page is a few KB of text in 50 to 100 KB of such things, and most of its links stand there.
Hosts have one of six styles: two with tables for layout as old sites have, four with lists.

The content is blocks: paragraphs, lists, tables and whatever else pages are made of. A kind of page
is a row of letters, one for a block, gone through until words and links are used up.

A page follows from the settings and its number alone. A copy on a mirror has the words and the
links of its original, in the frame of the mirror and with a line that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from statistics import NormalDist
from typing import NamedTuple

from pagekin.synthetic.chance import draws, key_of, mix
from pagekin.synthetic.hyperlinks import Addresses, Targets
from pagekin.synthetic.population import Host, Population, WebConfig
from pagekin.synthetic.prose import Text, dice, draw_words, make_words

__all__ = ["MadePage", "PageMaker", "encode"]

_LINKS = 56
_WORDS = 180  # of a frame, about

_MENU, _SIDE, _FOOT = 24, 12, 12
_HOT = (60, 40, 25, 15, 8)  # of 100 hosts link to the most linked pages in their footers
_MODERN = 6  # more than there are styles: their scripts at the end are others
_TABLES = 2  # styles with tables for layout
_SAYS_LANGUAGE = 8  # of 10 hosts
_KEPT = 8192  # frames of 10 KB


@dataclass(frozen=True)
class _Frame:
    """The pieces between which a page puts its own; in the charset of the host."""

    start: bytes  # to the title
    head: bytes  # from the title to the body, the same for all hosts of a style
    top: bytes  # to the content
    end: bytes
    close: bytes  # the same for all hosts of a style


def encode(text: str, charset: str) -> bytes:
    """Characters that the charset lacks become references."""
    return text.encode(charset, "xmlcharrefreplace")


class _Frames:
    """The frames of all hosts, made as they are asked for."""

    def __init__(self, web: Population, addresses: Addresses) -> None:
        self._web, self._addresses = web, addresses
        self.of = lru_cache(_KEPT)(self._frame)

    def _frame(self, number: int) -> _Frame:
        host = self._web.hosts.host(number)
        key = key_of(self._web.config.seed, "frame", number)
        lang = f' lang="{host.language.code}"' if key % 10 < _SAYS_LANGUAGE else ""
        doctype = "<!DOCTYPE html>" if host.style >= _TABLES else _OLD_DOCTYPE
        declared = _meta(host) if host.declared in {"meta", "both"} else ""
        start = f"{doctype}\n<html{lang}>\n<head>\n{declared}"
        return _Frame(
            encode(start, host.charset),
            _head(host.style),
            encode(self._top(host, key), host.charset),
            encode(self._end(host, key), host.charset),
            _close(host.style),
        )

    def _links(self, host: Host, key: int, count: int) -> list[str]:
        """Links of the frame lead to the host's own first pages."""
        pages = self._web.by_host.members(host.number)[: 2 * count].tolist() or [0]
        chance = draws(key, count).tolist()
        return [self._addresses.link(pages[c % len(pages)], host, 50) for c in chance]

    def _top(self, host: Host, key: int) -> str:
        menu = self._links(host, key, _MENU)
        name = f'<a class="logo" href="/"><img src="/logo.png" alt="{host.name}"></a>'
        if host.style < _TABLES:
            rows = "".join(f'<tr><td bgcolor="#eeeeff">{link}</td></tr>\n' for link in menu)
            return (
                f'<body bgcolor="#ffffff"><table width="100%" border="0"><tr><td>{name}</td></tr>'
                f'</table>\n<table width="100%"><tr><td width="160" valign="top">\n<table>{rows}'
                '</table>\n</td><td valign="top">\n'
            )
        return (
            f'<body class="s{host.style}"><div id="page"><header><div class="bar">{name}'
            f"{_SEARCH}</div>\n<nav><ul>\n{_submenus(menu)}</ul></nav></header>\n"
            '<div class="wrap"><main id="content" class="column column-main">\n'
        )

    def _end(self, host: Host, key: int) -> str:
        side = self._links(host, key ^ 1, _SIDE)
        foot = self._links(host, key ^ 2, _FOOT) + self._hot_links(host, key)
        note = f"<small>&copy; {2005 + key % 18} {host.name}</small>"
        if host.style < _TABLES:
            rows = "".join(f"{link}<br>\n" for link in side)
            return (
                f'\n</td><td width="140" valign="top"><font size="2">{rows}</font></td></tr>'
                "</table>"
                f"<hr><center><p>{' | '.join(foot)}</p>{note}</center>"
            )
        boxes = "".join(
            f'<li class="entry"><div class="entry-inner"><img src="/thumb.png" alt=""><span>{link}'
            "</span></div></li>\n"
            for link in side
        )
        items = "".join(f'<li class="foot-item"><span>{link}</span></li>\n' for link in foot)
        return (
            f'\n</main><aside class="column column-side"><div class="widget"><div><ul>{boxes}</ul>'
            f'</div></div></aside></div>\n<footer><div class="inner"><ul>{items}</ul>{note}</div>'
            "</footer></div>"
        )

    def _hot_links(self, host: Host, key: int) -> list[str]:
        popular, chance = self._web.popular, draws(key ^ 3, len(_HOT)).tolist()
        some = zip(popular[: len(_HOT)].tolist(), chance, _HOT, strict=False)
        return [self._addresses.link(p, host, 50) for p, c, share in some if c % 100 < share]


_OLD_DOCTYPE = '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">'
_SEARCH = '<form action="/search"><input name="q" type="search"><button>&raquo;</button></form>'


def _meta(host: Host) -> str:
    if host.style % 2:
        return f'<meta charset="{host.charset}">\n'
    kind = f"text/html; charset={host.charset}"
    return f'<meta http-equiv="Content-Type" content="{kind}">\n'


@cache
def _head(style: int) -> bytes:
    """The rest of the head: no character in it depends on the charset."""
    return f"{_heads(style)}{_sheet(style)}{_script(style)}</head>\n".encode("ascii")


@cache
def _close(style: int) -> bytes:
    script = _script(style + _MODERN) if style >= _TABLES else ""
    return f"{script}</body></html>\n".encode("ascii")


def _heads(style: int) -> str:
    """Names, sheets and scripts of the site."""
    chance, names = draws(key_of(0, "heads", style), 16).tolist(), _names()
    sheets = [f'<link rel="stylesheet" href="/static/{names[c & 511]}.css">' for c in chance[:4]]
    scripts = [f'<script async src="/static/{names[c & 511]}.js"></script>' for c in chance[4:8]]
    metas = [f'<meta name="{names[c & 511]}" content="{c:x}">' for c in chance[8:]]
    return "\n".join((*metas, '<link rel="icon" href="/favicon.ico">', *sheets, *scripts, ""))


def _submenus(links: list[str]) -> str:
    """A menu of six entries, each with its own menu below."""
    groups = [links[at : at + 4] for at in range(0, len(links), 4)]
    return "".join(
        f'<li class="menu-item menu-item-parent"><span>{first}</span><div><ul class="sub-menu">'
        + "".join(f'<li class="menu-item"><span>{link}</span></li>' for link in more)
        + "</ul></div></li>\n"
        for first, *more in groups
    )


@cache
def _names() -> list[str]:
    names: list[str] = make_words("en", key_of(0, "styles"), 512).tolist()
    return names


def _sheet(style: int) -> str:
    """About 8 KB of rules, few of which the page needs."""
    chance = draws(key_of(0, "sheet", style), 150).tolist()
    names = _names()
    rules = [
        f".{names[c & 511]} .{names[c >> 9 & 511]}{{color:#{c >> 20 & 0xFFFFFF:06x};"
        f"margin:{c >> 44 & 15}px 0;padding:{c >> 48 & 7}px}}"
        for c in chance
    ]
    own = "h1{font-size:28px}h2{font-size:21px}.bar{background:#def}nav li{float:left}"
    return f"<style>{own}\n{chr(10).join(rules)}\n</style>\n"


def _script(style: int) -> str:
    """About 9 KB that count clicks."""
    chance = draws(key_of(0, "script", style), 100).tolist()
    names = _names()
    lines = [
        f"function {names[c & 511]}{c >> 50 & 63}(e){{if(e.{names[c >> 9 & 511]}>{c >> 20 & 255})"
        f'{{window["{names[c >> 30 & 511]}"].push([e,{c >> 40 & 1023}])}}}}'
        for c in chance
    ]
    return f"<script>{chr(10).join(lines)}</script>\n"


# --- blocks ---

_KINDS = (  # articles, link lists, tables, blogs, forums
    *("hppippqhppplhpppc", "hppphpiplhppdc", "hppphlpqpphplcc"),
    *("plhlhlhlpl", "hplptphtpl", "hippcchippcc", "pcccccclcccc"),
)
_MAX_BLOCKS = 400  # of a page, whatever words are left


class _Content:
    """Words and links that become blocks."""

    def __init__(self, text: Text, links: Iterator[str], count: int, throw: Callable[[], int]):
        self.text, self.throw = text, throw
        self._links, self._left = links, count

    def blocks(self, kind: str) -> str:
        """Blocks in the order of the kind, over and over."""
        blocks: list[str] = []
        while self.text.left > 30 and len(blocks) < _MAX_BLOCKS:
            blocks += [_BLOCKS[letter](self) for letter in kind if self.text.left > 30]
        while self._left > 0:
            blocks.append(self.items())
        return "\n".join(blocks)

    def link(self) -> str:
        """The next link, or nothing when there are no more."""
        if self._left <= 0:
            return ""
        self._left -= 1
        return next(self._links)

    def heading(self) -> str:
        throw = self.throw()
        level = 2 + (throw & 1)
        words = self.text.phrase(2 + (throw >> 2 & 3))
        return f'<div class="head"><h{level} id="s{throw}"><span>{words}</span></h{level}></div>'

    def sentences(self, count: int) -> str:
        """One in four has a link, while there are some."""
        sentence, throw = self.text.sentence, self.throw
        return "".join([sentence(self.link() if throw() & 3 == 0 else "") for _ in range(count)])

    def paragraph(self) -> str:
        throw = self.throw()
        style = ' style="margin-top:0;color:gray"' if throw & 7 == 0 else ""
        return (
            f'<div class="block block-text" data-id="{throw}"><div class="block-inner">'
            f'<p class="text"{style}>{self.sentences(2 + (throw >> 3 & 3))}</p></div></div>'
        )

    def items(self) -> str:
        """A list of links, half of them with a line about each."""
        throw = self.throw()
        rows = []
        for number in range(min(5 + (throw & 7), max(self._left, 1))):
            about = f" &ndash; {self.text.phrase(6)}" if throw & 8 and self.text.left > 6 else ""
            rows.append(
                f'<li class="item item-{number}"><div class="item-inner"><span>'
                f"{self.link()}</span>{about}</div></li>"
            )
        tag = "ol" if throw & 48 == 0 else "ul"
        return f'<div class="block block-list"><{tag}>\n{chr(10).join(rows)}\n</{tag}></div>'

    def table(self) -> str:
        """Rows of a name, which may be a link, and one to three numbers."""
        throw = self.throw()
        numbers = [f'</td><td class="cell">{self.throw()}' for _ in range(1 + throw % 3)]
        head = "".join(f"<th>{self.text.phrase(1)}</th>" for _ in range(1 + len(numbers)))
        rest = "".join(numbers)
        rows = [
            f'<tr><td class="cell">{self.link() if throw & 16 else self.text.phrase(3)}'
            f"{rest}{number}</td></tr>\n"
            for number in range(5 + (throw >> 1 & 7))
        ]
        return (
            f'<table class="data" border="1"><tbody>\n<tr>{head}</tr>\n{"".join(rows)}'
            "</tbody></table>"
        )

    def figure(self) -> str:
        throw = self.throw()
        return (
            f'<figure class="media"><a href="/images/{throw}.jpg"><img src="/thumbs/{throw}.jpg"'
            f' width="320" height="200" alt="{self.text.phrase(3)}"></a>'
            f"<figcaption>{self.text.phrase(5)}</figcaption></figure>"
        )

    def quote(self) -> str:
        return f"<blockquote><p>{self.sentences(2)}</p></blockquote>"

    def definitions(self) -> str:
        rows = "".join(
            f"<dt>{self.text.phrase(2)}</dt><dd>{self.text.phrase(8)}</dd>\n"
            for _ in range(3 + (self.throw() & 3))
        )
        return f"<dl>{rows}</dl>"

    def comment(self) -> str:
        """Nested as forums nest them."""
        throw = self.throw()
        return (
            f'<div class="comment depth-{throw & 3}" id="c{throw}"><div class="comment-body">'
            f'<div class="comment-head"><img src="/avatar/{throw & 255}.png" alt="">'
            f'<a href="/user/{throw & 1023}" rel="nofollow">{self.text.phrase(1)}</a>'
            f'<span class="date">{1 + throw % 28}.{1 + throw % 12}.{2008 + throw % 16}</span></div>'
            f'<div class="comment-text"><p>{self.sentences(2 + (throw & 1))}</p></div></div></div>'
        )


_BLOCKS: dict[str, Callable[[_Content], str]] = {
    "h": _Content.heading,
    "p": _Content.paragraph,
    "l": _Content.items,
    "t": _Content.table,
    "i": _Content.figure,
    "q": _Content.quote,
    "d": _Content.definitions,
    "c": _Content.comment,
}


# --- pages ---

_WORDS_OF_A_LINK = 3
_SPREAD = 0.6  # of the logarithm of lengths
_STEPS = 256
_HOT_ROW = 40  # links to the hot URL in one list
_THROWS = 512


class MadePage(NamedTuple):
    """A page as the server sends it."""

    url: str
    body: bytes
    host: Host


class PageMaker:
    """Makes the pages of a web."""

    def __init__(self, config: WebConfig) -> None:
        self.config, self.web = config, Population(config)
        self.addresses = Addresses(self.web)
        self._frames = _Frames(self.web, self.addresses)
        self._targets = Targets(self.web)
        self._factors = _factors()

    @property
    def hot(self) -> int:
        """The page to which the hot links lead."""
        return int(self.web.popular[0])

    @property
    def wide(self) -> int:
        """The page with very many links."""
        return int(self.web.popular[1])

    def make(self, page: int) -> MadePage:
        """The page of a number."""
        host, origin = self.addresses.host(page), self.web.origin[page]
        frame = self._frames.of(host.number)
        key = key_of(self.config.seed, "page", origin)
        title = self.addresses.title(origin)
        url = self.addresses.url(page)
        head = f"<title>{title} - {host.name}</title>\n{self._names(page, origin, url)}"
        content = f"<h1>{title}</h1>\n{self._note(page, origin)}{self._content(origin, key, host)}"
        content += self._asked(page, key, host)
        parts = (
            *(frame.start, encode(head, host.charset), frame.head, frame.top),
            *(encode(content, host.charset), frame.end, frame.close),
        )
        return MadePage(url, b"".join(parts), host)

    def _names(self, page: int, origin: int, url: str) -> str:
        """Half of the copies name their original, a third of the others themselves."""
        chance = mix(page ^ self.config.seed)
        if page != origin:
            named = self.addresses.url(origin) if chance & 1 else ""
        else:
            named = url if chance % 3 == 0 else ""
        return f'<link rel="canonical" href="{named}">\n' if named else ""

    def _note(self, page: int, origin: int) -> str:
        if page == origin:
            return ""
        return f'<p class="note"><small>Mirror {page} of {self.addresses.url(origin)}</small></p>\n'

    def _content(self, origin: int, key: int, host: Host) -> str:
        config, web = self.config, self.web
        factor = self._factors[key % _STEPS]
        count = round((config.mean_links - _LINKS) * factor)
        own = config.mean_words - _WORDS - _WORDS_OF_A_LINK * (config.mean_links - _LINKS)
        size = 40 + round(max(own - 40, 0) * factor)
        leaf = web.leaf[origin]
        language = web.topics.language(leaf)
        throw = dice(key ^ 1, _THROWS)
        words = draw_words(
            language,
            web.topics.table(leaf),
            key,
            size,
            web.topics.table(web.topics.another(leaf, key)),
        )
        text = Text(language, words, throw)
        links = self._targets.of(origin, count)
        made = (self.addresses.link(target, host, chance) for target, chance in links)
        return _Content(text, made, count, throw).blocks(_KINDS[(key >> 20) % len(_KINDS)])

    def _asked(self, page: int, key: int, host: Host) -> str:
        """Links to the hot URL, and the many of the wide page."""
        pages, config = self.config.pages, self.config
        hot = config.hot_inlinks // pages + (page < config.hot_inlinks % pages)
        parts = [self._hot_links(key, host, hot)] if hot else []
        if config.wide_page and page == self.wide:
            links = [self.addresses.link(k, host, 50) for k in range(config.wide_page)]
            parts.append(_lists(links))
        return "".join(parts)

    def _hot_links(self, key: int, host: Host, count: int) -> str:
        """Each with words of its own around it."""
        leaf, topics = self.web.leaf[self.hot], self.web.topics
        language = host.language
        words = draw_words(language, topics.table(leaf), key ^ 2, 4 * count)
        href = self.addresses.url(self.hot)
        space = language.space
        links = [
            f'{words[at]}{space}{words[at + 1]} <a href="{href}">{words[at + 2]}</a>'
            f" {words[at + 3]}"
            for at in range(0, 4 * count, 4)
        ]
        return _lists(links)


def _lists(links: list[str]) -> str:
    """Lists of forty."""
    rows = [links[at : at + _HOT_ROW] for at in range(0, len(links), _HOT_ROW)]
    return "".join(f"\n<ul>{''.join(f'<li>{link}</li>' for link in row)}</ul>" for row in rows)


def _factors() -> list[float]:
    """Lengths of pages as multiples of the mean: lognormal, in 256 equally likely steps."""
    normal = NormalDist(-_SPREAD * _SPREAD / 2, _SPREAD)
    return [2.718281828459045 ** normal.inv_cdf((k + 0.5) / _STEPS) for k in range(_STEPS)]
