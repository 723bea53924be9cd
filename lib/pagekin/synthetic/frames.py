"""What all pages of a host have in common: styles, scripts, header, navigation, side and footer.

A real page is a few KB of text in 50 to 100 KB of such things, and most of its links stand there.
Hosts have one of six styles: two with tables for layout as old sites have, four with lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from pagekin.synthetic.addresses import Addresses
from pagekin.synthetic.chance import draws, key_of
from pagekin.synthetic.hosts import Host
from pagekin.synthetic.languages import make_words
from pagekin.synthetic.plan import Plan

__all__ = ["LINKS", "WORDS", "Frame", "Frames", "encode"]

LINKS = 56  # of a frame, about
WORDS = 180

_MENU, _SIDE, _FOOT = 24, 12, 12
_HOT = (60, 40, 25, 15, 8)  # of 100 hosts link to the most linked pages in their footers
_MODERN = 6  # more than there are styles: their scripts at the end are others
_TABLES = 2  # styles with tables for layout
_SAYS_LANGUAGE = 8  # of 10 hosts
_KEPT = 8192  # frames of 10 KB


@dataclass(frozen=True)
class Frame:
    """The pieces between which a page puts its own; in the charset of the host."""

    start: bytes  # to the title
    head: bytes  # from the title to the body, the same for all hosts of a style
    top: bytes  # to the content
    end: bytes
    close: bytes  # the same for all hosts of a style


def encode(text: str, charset: str) -> bytes:
    """Characters that the charset lacks become references."""
    return text.encode(charset, "xmlcharrefreplace")


class Frames:
    """The frames of all hosts, made as they are asked for."""

    def __init__(self, plan: Plan, addresses: Addresses) -> None:
        self._plan, self._addresses = plan, addresses
        self.of = lru_cache(_KEPT)(self._frame)

    def _frame(self, number: int) -> Frame:
        host = self._plan.hosts.host(number)
        key = key_of(self._plan.config.seed, "frame", number)
        said = f' lang="{host.language.code}"' if key % 10 < _SAYS_LANGUAGE else ""
        doctype = "<!DOCTYPE html>" if host.style >= _TABLES else _OLD_DOCTYPE
        declared = _meta(host) if host.declared in {"meta", "both"} else ""
        start = f"{doctype}\n<html{said}>\n<head>\n{declared}"
        return Frame(
            encode(start, host.charset),
            _head(host.style),
            encode(self._top(host, key), host.charset),
            encode(self._end(host, key), host.charset),
            _close(host.style),
        )

    def _links(self, host: Host, key: int, count: int) -> list[str]:
        """Links of the frame lead to the host's own first pages."""
        pages = self._plan.by_host.members(host.number)[: 2 * count].tolist() or [0]
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
        popular, chance = self._plan.popular, draws(key ^ 3, len(_HOT)).tolist()
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
