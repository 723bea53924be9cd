"""The cabinet of odd pages, redirects, errors, files and second visits of odd.toml as answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from http import HTTPStatus
from itertools import pairwise

from .addresses import host
from .answers import Answer, encoded, html_answer, sent
from .layouts import Page, dressed, heading_of
from .markup import bullets, from_text, link, paragraph
from .stock import Article, Data, Site, World, read, site_of

__all__ = ["odd_answers", "second_visits"]


def odd_answers(world: World) -> list[Answer]:
    data = read("odd")
    site = site_of(data["site"])
    return [
        _cabinet(site, data["page"]),
        *(_odd_page(row, site) for row in data["page"]),
        *(_error(row, site) for row in data["error"]),
        *(_redirect(row["url"], row["to"], row["status"]) for row in data["redirect"]),
        *(hop for article in world.articles for hop in _moved(article)),
        *(_file(row) for row in data["file"]),
    ]


def second_visits(answers: Iterable[Answer]) -> list[Answer]:
    """Pages seen again three days later: some changed, some not (revisit)."""
    data, by_url = read("odd"), {answer.url: answer for answer in answers}
    changed = [_changed(by_url[row["url"]], row["old"], row["new"]) for row in data["again"]]
    same = [replace(by_url[row["url"]], visit=2, revisit=True) for row in data["revisit"]]
    return changed + same


def _cabinet(site: Site, rows: list[Data]) -> Answer:
    """The front page, which links to all others."""
    anchors = (link(row["path"], str(row.get("title", row["path"]))) for row in rows)
    body = f"{paragraph(site.intro)}\n{bullets(anchors)}"
    return html_answer(site.front, dressed(Page(site.front, site, site.name, body)), site)


def _odd_page(row: Data, site: Site) -> Answer:
    own = {key: row[key] for key in ("charset", "declared") if key in row}
    site, url = replace(site, **own), site.url(row["path"])
    html = row["html"].lstrip("\n") if "html" in row else _dressed(row, url, site)
    answer = html_answer(url, html, site, type_=_type_of(row), coding=row.get("coding", ""))
    return replace(answer, cut=row.get("cut"))


def _dressed(row: Data, url: str, site: Site) -> str:
    body = from_text(row["text"], heading_of(site))
    depth = row.get("nested", 0)
    body = "<div>" * depth + body + "</div>" * depth
    menu = ((site.front, "The cabinet"),)
    return dressed(Page(url, site, row["title"], body, menu, head=row.get("head", "")))


def _type_of(row: Data) -> str | None:
    if "claimed" in row:
        return f"text/html; charset={row['claimed']}"
    return row.get("type")


def _error(row: Data, site: Site) -> Answer:
    """Errors are sent by the host that was asked, with a page in the same plain layout."""
    name = host(row["url"])
    own = replace(site, address=f"http://{name}", name=name, motto="error")
    body = from_text(row["text"], heading_of(own))
    html = dressed(Page(row["url"], own, row["title"], body))
    return html_answer(row["url"], html, own, status=row["status"])


def _redirect(url: str, target: str, status: int) -> Answer:
    note = f"<html><body><p>{HTTPStatus(status).phrase}: {link(target, 'here')}</p></body></html>\n"
    return sent(url, status, [("Location", target), ("Content-Type", "text/html")], note.encode())


def _moved(article: Article) -> list[Answer]:
    """Each former address leads to the next one, the last to the article."""
    hops = [*article.old, article.url]
    return [_redirect(old, new, 301) for old, new in pairwise(hops)]


def _changed(answer: Answer, old: str, new: str) -> Answer:
    body = answer.body.replace(encoded(old, "utf-8"), encoded(new, "utf-8"))
    if body == answer.body:
        raise ValueError(f"{answer.url}: nothing to change, its page does not hold {old!r}")
    fields = [(name, value) for name, value in answer.fields if name == "Content-Type"]
    return replace(sent(answer.url, answer.status, fields, body), visit=2)


def _file(row: Data) -> Answer:
    return sent(row["url"], 200, [("Content-Type", row["type"])], _FILES[row["kind"]](row["text"]))


def _pdf(text: str) -> bytes:
    """One page with one line of text."""
    show = f"BT /F1 18 Tf 72 720 Td ({text}) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(show)} >>\nstream\n{show}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    parts, places = ["%PDF-1.4\n"], []
    for number, content in enumerate(objects, 1):
        places.append(sum(map(len, parts)))
        parts.append(f"{number} 0 obj\n{content}\nendobj\n")
    start = sum(map(len, parts))
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    parts.append(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}")
    parts.append(
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    )
    return "".join(parts).encode("ascii")


def _gif(text: str) -> bytes:
    """The smallest picture: one transparent point."""
    del text
    return bytes.fromhex(
        "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b"
    )


_FILES: dict[str, Callable[[str], bytes]] = {"pdf": _pdf, "gif": _gif, "text": str.encode}
