"""A small folder of pages whose blocks people marked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["write_marked"]


def write_marked(folder: Path, pages: dict[str, tuple[str, list[list[int]]]]) -> Path:
    """Write pages, each HTML and the link numbers of its marked blocks."""
    for name in ("pages", "blocks"):
        (folder / name).mkdir(parents=True)
    index = []
    for name, (html, marked) in pages.items():
        hrefs = [piece.split(">")[0].strip("'\"") for piece in html.split("<a href=")[1:]]
        links = [{"i": k, "href": href, "text": ""} for k, href in enumerate(hrefs)]
        blocks: list[dict[str, Any]] = [{"links": [links[k] for k in block]} for block in marked]
        entry = {"id": name, "url": f"http://{name}.example/"}
        entry |= {"html": f"pages/{name}.html", "blocks": f"blocks/{name}.json"}
        (folder / entry["html"]).write_text(html, encoding="utf-8")
        (folder / entry["blocks"]).write_text(json.dumps({"links": links, "blocks": blocks}))
        index.append(entry)
    (folder / "index.json").write_text(json.dumps({"pages": index}))
    return folder
