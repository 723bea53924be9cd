"""A snapshot of four files: small, and with everything that runners and tasks must agree about."""

from __future__ import annotations

from pathlib import Path

from tests.warcs import gz, request, response, warc_record, warcinfo, zst

__all__ = ["warned", "write_snapshot"]

_FILLER = " ".join(f"word{chr(97 + k % 26)}{chr(97 + k // 26)}" for k in range(300))


def _page(title: str, body: str, language: str = "en") -> bytes:
    head = f'<!doctype html><html lang="{language}"><title>{title}</title>'
    return f"{head}<h1>{title}</h1><p>{body}</p></html>".encode()


def _bees() -> list[bytes]:
    home = _page(
        "The apiary",
        "Bees make honey. See <a href='/hives'>our hives</a>, the <a href='http://tools.example/"
        "smoker?utm_source=bees'>smoker</a> and <a href='http://old.example/'>an old friend</a>.",
    )
    return [
        warcinfo(),
        request("http://bees.example/"),
        response("http://bees.example/", home, warc_date="2024-01-02T00:00:00Z"),
        response(
            "http://bees.example/hives",
            _page("Hives", f"Wooden hives. {_FILLER} <a href=/>home</a>"),
        ),
        response("http://bees.example/logo.gif", b"GIF89a", 200, {"Content-Type": "image/gif"}),
        response("http://bees.example/gone", _page("Gone", "No bees here."), 404),
    ]


def _tools() -> list[bytes]:
    smoker = _page(
        "Smoker",
        "<h2>Calm bees</h2><ul><li>A smoker calms <a href='http://bees.example/index.html'>the"
        " bees</a> of <a href='http://bees.example/hives'>every hive</a><li>nothing else</ul>",
    )
    return [
        response("http://tools.example/smoker", smoker),
        response("http://tools.example/old", b"", 301, {"Location": "/older"}),
        response("http://tools.example/older", b"", 302, {"Location": "/smoker"}),
        response("http://old.example/", b"", 301, {"Location": "http://tools.example/old"}),
        response(
            "http://bees.example/",
            _page("The apiary, last year", "Only last year's bees."),
            warc_date="2023-01-02T00:00:00Z",
        ),
    ]


def _languages() -> list[bytes]:
    german = "Die Bienen und der Honig: <a href='http://bees.example/'>die Imkerei</a> am Berg."
    chinese = "蜜蜂采蜜。<a href='http://bees.example/hives'>蜂箱</a>是木头做的。"
    russian = "Пчёлы делают мёд в <a href='http://bees.example/hives'>улье</a>."
    return [
        response("http://bienen.example/", _page("Bienen", german, "de")),
        response("http://mifeng.example/", _page("蜜蜂", chinese, "zh")),
        response("http://pchely.example/", _page("Пчёлы", russian, "ru")),
        warc_record("revisit", "http://bees.example/hives", b"HTTP/1.1 200 OK\r\n\r\n"),
    ]


def _links() -> list[bytes]:
    links = "".join(f"<li><a href='http://bees.example/{k}'>cell {k}</a>" for k in range(60))
    return [
        response("http://hub.example/", _page("A hub", f"<ul>{links}</ul>")),
        response(
            "http://hub.example/far", _page("Far", "<a href='http://tools.example/old'>tool</a>")
        ),
        response("http://hub.example/empty", b""),
    ]


def write_snapshot(folder: Path) -> Path:
    """Write the four files; gives the folder."""
    folder.mkdir()
    bees, tools = _bees(), _tools()
    broken = bytearray(gz(response("http://bees.example/broken", _page("Broken", "Broken."))))
    broken[60:64] = b"\xff\xff\xff\xff"
    (folder / "a.warc.gz").write_bytes(b"".join(map(gz, bees)) + bytes(broken))
    (folder / "b.warc").write_bytes(b"".join(tools))
    (folder / "c.warc.zst").write_bytes(b"".join(map(zst, _languages())))
    (folder / "d d.warc.gz").write_bytes(b"".join(map(gz, _links())))
    return folder


def warned(snapshot: Path, address: str = "") -> str:
    """What a build says of it on stderr, even with -q: one of its files ends too early. `address`:
    where it was read, if that was elsewhere.
    """
    at = (snapshot / "a.warc.gz").read_bytes().rindex(b"\x1f\x8b\x08")  # its last member
    file = f"{address or snapshot}/a.warc.gz"
    return (
        f"warning: {file}: damaged or cut at byte {at:,} (bad_compression); that was passed over\n"
        "warning: 1 damaged record was passed over\n"
    )
