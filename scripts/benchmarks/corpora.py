"""What is measured on: made-up webs and builds of them, kept in a folder for the next time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from benchmarks.harness import Add, pagekin, say
from pagekin.errors import InputError
from pagekin.synthetic.make_web import write_web
from pagekin.synthetic.population import WebConfig

__all__ = ["add_warc", "add_work", "corpora", "made_web", "made_work", "warc_files", "web_files"]

_SEED = 1
_PAGES_OF_A_FILE = 500  # files enough for tasks to be equal


def made_web(data: Path, pages: int, **shape: Any) -> Path:
    """A made-up web, written unless it is there."""
    config = WebConfig(pages=pages, seed=_SEED, **shape)
    name = "-".join(["web", str(pages), *(f"{k}={v}" for k, v in sorted(shape.items()))])
    folder, files = data / name, max(4, -(-pages // _PAGES_OF_A_FILE))
    say(f"  web of {pages:,} pages")
    write_web(config, folder, min(files, pages), os.cpu_count() or 1)
    return folder


def web_files(web: Path) -> list[str]:
    """Its WARC files."""
    return [str(path) for path in sorted(web.glob("*.warc.gz"))]


def made_work(data: Path, pages: int) -> Path:
    """The finished workspace of a made-up web, brought up to date."""
    web = made_web(data, pages)
    work = data / f"work-{pages}"
    say("  a build of it")
    pagekin("build", "-q", "--only", "bags", "--no-index", "--work", work, web)
    return work


def add_work(add: Add) -> None:
    """The option that takes bags from a finished build."""
    add(
        "--work",
        type=Path,
        metavar="WORK",
        help="the workspace of a build (default: a made-up web)",
    )


def add_warc(add: Add, pages: int = 3000) -> None:
    """Options that choose the pages."""
    add("--warc", nargs="+", type=Path, default=[], metavar="FILE", help="these pages, too")
    add(
        "--pages", type=int, default=pages, metavar="N", help="made-up pages (default: %(default)s)"
    )


def corpora(data: Path, warc: list[Path], pages: int) -> dict[str, list[str]]:
    """Name -> WARC files."""
    found = {f"{pages:,} made-up pages": web_files(made_web(data, pages))} if pages else {}
    if warc:
        found = {warc_name(warc): warc_files(warc), **found}
    if not found:
        raise InputError("nothing to measure: name --warc FILES, or --pages")
    return found


def warc_files(warc: list[Path]) -> list[str]:
    """The files as they are named, all there."""
    missing = [path.name for path in warc if not path.is_file()]
    if missing:
        raise InputError(f"there is no file {missing[0]}")
    return [str(path.resolve()) for path in warc]


def warc_name(warc: list[Path]) -> str:
    """That of the folder in which the files lie."""
    return warc[0].resolve().parent.name
