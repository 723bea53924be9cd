"""A snapshot of made-up pages with a directory: enough of everything to tell strategies apart."""

from __future__ import annotations

import random
from pathlib import Path

from tests.warcs import gz, response

__all__ = ["write_directory", "write_pages"]

_PAGES = 40
_HOSTS = "abcdef"
_TOPICS = ("A/a/x", "A/a/y", "A/b/z", "B/c/v", "B")
_ENDINGS = ("", "s", "ing", "ed")


def url_of(k: int) -> str:
    """The address of a page."""
    return f"http://{_HOSTS[k % len(_HOSTS)]}.example/{k:02d}"


def write_pages(folder: Path, seed: int = 1) -> Path:
    """Two WARC files of pages that link to each other, to pages that are not there, and over
    redirects."""
    folder.mkdir(parents=True)
    chance = random.Random(seed)
    records = [response(url_of(k), _page(chance, k)) for k in range(_PAGES)]
    records += [
        response(f"http://old.example/{k}", b"", 301, {"Location": url_of(k)}) for k in range(5)
    ]
    (folder / "a.warc.gz").write_bytes(gz(*records[::2]))
    (folder / "b.warc.gz").write_bytes(gz(*records[1::2]))
    return folder


def write_directory(path: Path) -> Path:
    """Classes for most pages, for one by its old address, and for one that is nowhere."""
    lines = [f"{url_of(k)}\t/Top/{_TOPICS[k % 5]}" for k in range(1, _PAGES - 4)]
    lines += ["http://old.example/0\t/Top/B", "http://nowhere.example/\t/Top/A/a/x"]
    path.write_text("\n".join(lines))
    return path


def _page(chance: random.Random, number: int) -> bytes:
    parts = [f"<title>{_words(chance, number, 2)}</title>"]
    for _ in range(chance.randrange(1, 4)):
        parts.append(f"<h2>{_words(chance, number, 2)}</h2><p>{_words(chance, number, 12)}")
        parts.append(f"<ul>{''.join(_item(chance, number) for _ in range(5))}</ul>")
    return f'<html lang="en">{"".join(parts)}</html>'.encode()


def _item(chance: random.Random, number: int) -> str:
    near = number + 5 * chance.randrange(-2, 3) if chance.random() < 0.7 else chance.randrange(50)
    target = url_of(abs(near))
    if chance.random() < 0.1:
        target = f"http://old.example/{chance.randrange(5)}"
    around = _words(chance, near, 4), _words(chance, near, 2), _words(chance, near, 4)
    return f"<li>{around[0]} <a href='{target}'>{around[1]}</a> {around[2]}"


def _words(chance: random.Random, topic: int, count: int) -> str:
    """Words of which half belong to a topic."""
    some = []
    for _ in range(count):
        kind = f"t{'abcde'[topic % 5] * 2}" if chance.random() < 0.5 else "common"
        some.append(f"{kind}{'bcdfghklmn'[chance.randrange(10)]}o{chance.choice(_ENDINGS)}")
    return " ".join(some)
