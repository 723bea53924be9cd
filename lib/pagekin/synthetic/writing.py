"""A made-up web as files: crawl-00000.warc.gz and so on, directory.tsv and web.json.

A file is there whole or not at all, so a run that was stopped goes on where it was when it is
called again with the same settings. File f of F holds the pages from f / F to (f + 1) / F of all by
number. Numbers say nothing about hosts and classes, so all files are alike.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO

from pagekin.errors import UsageError
from pagekin.synthetic.answers import answers
from pagekin.synthetic.config import WebConfig
from pagekin.synthetic.hosts import BIG_DOMAIN
from pagekin.synthetic.odd import expected
from pagekin.synthetic.pages import PageMaker
from pagekin.synthetic.records import info, record

__all__ = ["DIRECTORY", "FORMAT", "SETTINGS", "file_name", "write_web"]

FORMAT = 1  # of the generator: another makes other pages of the same settings
DIRECTORY, SETTINGS = "directory.tsv", "web.json"

Report = Callable[[int], None]  # of so many pages more


def file_name(number: int) -> str:
    return f"crawl-{number:05}.warc.gz"


def write_web(
    config: WebConfig,
    folder: Path,
    files: int = 1,
    processes: int = 1,
    reporter: Callable[[], Report] | None = None,
) -> dict[str, Any]:
    """Write what is missing, and give back what web.json says.

    `reporter` is called once in each process; it must be picklable if there is more than one.
    """
    maker = _maker(config)
    said = _describe(maker, files)
    _begin(folder, said)
    _write_whole(folder / DIRECTORY, partial(_write_directory, maker))
    missing = [k for k in range(files) if not (folder / file_name(k)).exists()]
    work = partial(_write_file, config, folder, files, reporter)
    if processes > 1 and len(missing) > 1:
        context = multiprocessing.get_context("spawn")
        with context.Pool(min(processes, len(missing))) as pool:
            for _ in pool.imap_unordered(work, missing):
                pass
    else:
        for number in missing:
            work(number)
    return said


def _unheard(pages: int) -> None:
    """Nobody wants to know."""


@cache
def _maker(config: WebConfig) -> PageMaker:
    """One in a process: its plan takes a while."""
    return PageMaker(config)


def _describe(maker: PageMaker, files: int) -> dict[str, Any]:
    config, addresses = maker.config, maker.addresses
    return {
        "format": FORMAT,
        "settings": config.as_dict(),
        "files": files,
        "records": expected(config) | {"warcinfo": files},
        "listed": len(maker.plan.listed),
        "topics": config.topic_count,
        "hosts": len(maker.plan.hosts),
        "hot_url": addresses.url(maker.hot),
        "wide_url": addresses.url(maker.wide),
        "big_domain": BIG_DOMAIN if config.big_domain else "",
    }


def _begin(folder: Path, said: dict[str, Any]) -> None:
    """Refuse a folder in which something else lies."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / SETTINGS
    if path.exists():
        try:
            same = json.loads(path.read_text(encoding="utf-8")) == said
        except ValueError:
            same = False
        if not same:
            raise UsageError(f"{folder}: holds another web; name a new folder, or remove it")
    elif any(folder.iterdir()):
        raise UsageError(f"{folder}: is not empty and holds no made-up web; name a new folder")
    text = json.dumps(said, indent=1) + "\n"
    _write_whole(path, lambda out: out.write(text.encode()))


def _write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write beside the place and move it there."""
    beside = path.with_name(f"{path.name}.new")
    with beside.open("wb") as out:
        write(out)
    os.replace(beside, path)  # noqa: PTH105


def _write_directory(maker: PageMaker, out: BinaryIO) -> None:
    plan, url = maker.plan, maker.addresses.url
    for page in plan.listed.tolist():
        out.write(f"{url(page)}\t{plan.topics.path(plan.leaf[page])}\n".encode())


def _write_file(
    config: WebConfig,
    folder: Path,
    files: int,
    reporter: Callable[[], Report] | None,
    number: int,
) -> None:
    maker, report = _maker(config), reporter() if reporter else _unheard
    pages = range(config.pages * number // files, config.pages * (number + 1) // files)
    name = file_name(number)

    def write(out: BinaryIO) -> None:
        out.write(info(name, config.seed))
        for page in pages:
            for answer in answers(maker, page):
                out.write(record(answer, config.seed))
            report(1)

    _write_whole(folder / name, write)
