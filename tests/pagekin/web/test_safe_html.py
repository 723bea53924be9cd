"""Pages that we write do nothing in a browser, whatever strangers wrote into them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from pagekin.evaluate.figures import Mark, plot
from pagekin.evaluate.html_page import code, document, figure, link, section, table, text
from pagekin.web.safe_html import escaped, policy
from tests.browsers import Visit, visit
from tests.running import Said

# Each asks the server for /hit/NAME when it works, by a request or by a script.
SCRIPT = "fetch('/hit/{}')"
ATTACKS = {
    "script": "<script>{js}</script>",
    "script-src": "<script src='{hit}'></script>",
    "onerror": '<img src=x: onerror="{js}">',
    "img": "<img src='{hit}'>",
    "srcset": "<img srcset='{hit} 1x'>",
    "onload": '<svg onload="{js}"></svg>',
    "svg-image": "<svg><image href='{hit}'/></svg>",
    "svg-script": "<svg><script>{js}</script></svg>",
    "svg-link": '<svg><a xlink:href="javascript:{js}"><text y=20>x</text></a></svg>',
    "link": '<a href="javascript:{js}">x</a>',
    "link-tab": '<a href="java&#9;script:{js}">x</a>',
    "ping": "<a href='#' ping='{hit}'>x</a>",
    "iframe": "<iframe src='{hit}'></iframe>",
    "srcdoc": '<iframe srcdoc="<script>{js}</script>"></iframe>',
    "object": "<object data='{hit}'></object>",
    "embed": "<embed src='{hit}'>",
    "sheet": "<link rel=stylesheet href='{hit}'>",
    "import": "<style>@import '{hit}';</style>",
    "style": "<div style=\"background:url('{hit}')\">x</div>",
    "background": "<table background='{hit}'><tr><td>x</table>",
    "poster": "<video poster='{hit}'></video>",
    "audio": "<audio src='{hit}' autoplay></audio>",
    "button": "<input type=image src='{hit}'>",
    "focus": '<input autofocus onfocus="{js}">',
    "toggle": '<details open ontoggle="{js}">x</details>',
    "form": "<form action='{hit}' target=a><button>x</button></form>",
    "mutated": '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x:'
    ' onerror={js}&gt;">',
    "noscript": '<noscript><p title="</noscript><img src=x: onerror={js}>"></noscript>',
    "refresh": "<meta http-equiv=refresh content='0;url={hit}'>",
}
# Which of them work in a browser of today, so that we know that it would tell.
WORK = {
    *("script", "script-src", "onerror", "img", "srcset", "onload", "svg-script", "link"),
    *("link-tab", "iframe", "srcdoc", "object", "sheet", "import", "style", "refresh"),
}


def attack(name: str) -> str:
    """A piece of HTML."""
    return ATTACKS[name].replace("{js}", SCRIPT.format(name)).replace("{hit}", f"/hit/{name}")


@pytest.fixture
def hostile_page(tmp_path: Path) -> Path:
    """A page with all of them among its links."""
    path = tmp_path / "hostile.html"
    links = "".join(f"<li><a href=http://{c}.example/>{c}</a>" for c in "ab")
    path.write_text(f"<ul>{links}</ul>{''.join(map(attack, ATTACKS))}", encoding="utf-8")
    return path


def test_attacks_work(hostile_page: Path) -> None:
    """As it stands the page does what it wants: the browser tells of it."""
    assert WORK <= set(visit(hostile_page).hits)


@pytest.mark.parametrize("name", sorted(ATTACKS))
def test_marked_page_keeps_nothing(name: str, tmp_path: Path, command: Callable[..., Said]) -> None:
    """Nothing that runs, loads or leads elsewhere is in what `blocks --html` writes: no attack
    relies on the policy alone."""
    page, out = tmp_path / "page.html", tmp_path / "marked.html"
    page.write_text(f"<p><a href=/x>x</a> {attack(name)}", encoding="utf-8")
    assert 0 == command("blocks", "--url", "http://own.example/", "--html", out, page).code
    written = out.read_text(encoding="utf-8")
    body = written.partition("</style>")[2]
    assert "/hit/" not in re.sub(r"&lt;.*?&gt;", "", body)
    tags = re.findall(r"<([a-z]+)", body)
    assert {"html", "body", "p", "a"} <= set(tags)
    assert not {"script", "style", "iframe", "img", "svg", "math", "link", "input"} & set(tags)


def test_marked_page(hostile_page: Path, tmp_path: Path, command: Callable[..., Said]) -> None:
    """In a browser the marked page asks for nothing and runs nothing, and has its colours."""
    out = tmp_path / "marked.html"
    words = ("blocks", "--url", "http://own.example/", "--html", out, hostile_page)
    assert 0 == command(*words).code
    seen = visit(out, "a[data-block='1']", "background-color", "div[data-legend]", "position")
    assert Visit([], ["rgb(163, 245, 188)", "fixed"]) == seen


def test_policy_alone_is_enough(hostile_page: Path) -> None:
    """Whatever came through: under the policy a browser does nothing of it, but for a refresh. No
    policy of a file forbids that; it is taken out, or escaped."""
    body = hostile_page.read_text(encoding="utf-8")
    hostile_page.write_text(f"<!doctype html><meta charset=utf-8>{policy('p{}')}{body}")
    assert ["refresh"] == visit(hostile_page).hits


def test_report(tmp_path: Path) -> None:
    """A report is shown as it was meant, and what strangers named in it is text."""
    path = tmp_path / "report.html"
    every = "".join(map(attack, ATTACKS))
    drawing = figure(plot(every, every, ("", "gamma"), [Mark(every, every, 1.0, 0.5)]))
    shown = table([every, every], [[link(f"http://x.example/{every}"), escaped(every)]])
    parts = [text(every), code(every), section(every, shown, drawing)]
    path.write_text(document(every, every, date(2026, 1, 1), parts), encoding="utf-8")
    seen = visit(path, "pre", "white-space", "text.title", "font-size")
    assert Visit([], ["pre-wrap", "18px"]) == seen


def test_report_under_the_policy_alone(tmp_path: Path) -> None:
    """Were something not escaped, the policy would hold it, but for a refresh."""
    path = tmp_path / "report.html"
    path.write_text(document("a", "b", date(2026, 1, 1), map(attack, ATTACKS)), encoding="utf-8")
    assert ["refresh"] == visit(path).hits
