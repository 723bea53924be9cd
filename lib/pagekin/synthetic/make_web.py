"""The command `scripts/make-web`: a made-up web as files.

They are crawl-00000.warc.gz and so on, directory.tsv and web.json. A file is there whole or not at
all, so a run that was stopped goes on where it was when it is called again with the same settings.
File f of F holds the pages from f / F to (f + 1) / F of all by number. Numbers say nothing about
hosts and classes, so all files are alike.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO

from pagekin.errors import PagekinError, UsageError
from pagekin.printing import print_lines, tell
from pagekin.progress import StageProgress, TaskProgress
from pagekin.synthetic.crawl_records import expected_records, info_record, page_records
from pagekin.synthetic.made_pages import PageMaker
from pagekin.synthetic.population import BIG_DOMAIN, WebConfig

__all__ = ["DIRECTORY", "SETTINGS", "file_name", "main", "write_web"]

_FORMAT = 1  # of the generator: another makes other pages of the same settings
DIRECTORY, SETTINGS = "directory.tsv", "web.json"


def file_name(number: int) -> str:
    return f"crawl-{number:05}.warc.gz"


def write_web(
    config: WebConfig,
    folder: Path,
    files: int = 1,
    processes: int = 1,
    progress: str = "",
) -> dict[str, Any]:
    """Write what is missing; gives the contents of web.json. `progress`: a folder for notes."""
    maker = _maker(config)
    settings = _describe(maker, files)
    _begin(folder, settings)
    _write_whole(folder / DIRECTORY, partial(_write_directory, maker))
    missing = [k for k in range(files) if not (folder / file_name(k)).exists()]
    work = partial(_write_file, config, folder, files, progress)
    if processes > 1 and len(missing) > 1:
        context = multiprocessing.get_context("spawn")
        with context.Pool(min(processes, len(missing))) as pool:
            for _ in pool.imap_unordered(work, missing):
                pass
    else:
        for number in missing:
            work(number)
    return settings


@cache
def _maker(config: WebConfig) -> PageMaker:
    """One in a process: its arrays take a while."""
    return PageMaker(config)


_task = cache(TaskProgress)  # one in a process


def _describe(maker: PageMaker, files: int) -> dict[str, Any]:
    config, addresses = maker.config, maker.addresses
    return {
        "format": _FORMAT,
        "settings": asdict(config),
        "files": files,
        "records": expected_records(config) | {"warcinfo": files},
        "listed": len(maker.web.listed),
        "topics": config.topic_count,
        "hosts": len(maker.web.hosts),
        "hot_url": addresses.url(maker.hot),
        "wide_url": addresses.url(maker.wide),
        "big_domain": BIG_DOMAIN if config.big_domain else "",
    }


def _begin(folder: Path, settings: dict[str, Any]) -> None:
    """Refuse a folder in which something else lies."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / SETTINGS
    if path.exists():
        try:
            same = json.loads(path.read_text(encoding="utf-8")) == settings
        except ValueError:
            same = False
        if not same:
            raise UsageError(f"{folder}: holds another web; name a new folder, or remove it")
    elif any(folder.iterdir()):
        raise UsageError(f"{folder}: is not empty and holds no made-up web; name a new folder")
    text = json.dumps(settings, indent=1) + "\n"
    _write_whole(path, lambda out: out.write(text.encode()))


def _write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write under another name and move it to its place."""
    unfinished = path.with_name(f"{path.name}.new")
    with unfinished.open("wb") as out:
        write(out)
    unfinished.replace(path)


def _write_directory(maker: PageMaker, out: BinaryIO) -> None:
    web, url = maker.web, maker.addresses.url
    for page in web.listed.tolist():
        out.write(f"{url(page)}\t{web.topics.path(web.leaf[page])}\n".encode())


def _write_file(config: WebConfig, folder: Path, files: int, progress: str, number: int) -> None:
    maker, task = _maker(config), _task(progress)
    pages = range(config.pages * number // files, config.pages * (number + 1) // files)
    name = file_name(number)

    def write(out: BinaryIO) -> None:
        out.write(info_record(name, config.seed))
        for page in pages:
            out.writelines(page_records(maker, page))
            task.add(pages=1)

    _write_whole(folder / name, write)


# --- the command ---

_DESCRIPTION = """\
Make up a web and write it as WARC files, for trying pagekin and for tests of scale.

OUT gets crawl-00000.warc.gz and so on, directory.tsv (URL, tab, /Top/A/B/C: classes of half of the
pages), and web.json (the settings, how many records of each kind there are, the hot URL and the
wide page). The same settings make the same pages; --files and --processes change none of them.
A run that was stopped goes on where it was when it is called again.

The web has topics in ten languages and their charsets, hosts with templates, links with a power
law, a few pages that very many link to, mirrors, link farms, redirects, errors and broken pages.
"""

_EXAMPLES = """\
examples:
  scripts/make-web --pages 2000 web/
  pagekin build --work work --index web.index web/
  pagekin evaluate gamma --directory web/directory.tsv --work work

  scripts/make-web --pages 1000000 --seed 7 --files 64 --processes 8 large/
  scripts/make-web --pages 16000 --hot-inlinks 1000000 --wide-page 20000 --big-domain 0.5 hot/
"""

_PAGES_OF_A_FILE = 4000


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the web, and say what was written."""
    options = _parser().parse_args(arguments)
    try:
        _write(options)
    except PagekinError as error:
        tell(f"make-web: {error}")
        return error.exit_code
    except OSError as error:
        tell(f"make-web: {error.filename or options.out}: {error.strerror}")
        return PagekinError.exit_code
    return 0


def _write(options: argparse.Namespace) -> None:
    names = ("pages", "seed", "hosts", "topics", "mean_words", "mean_links")
    hot = ("hot_inlinks", "wide_page", "big_domain")
    config = WebConfig(**{name: getattr(options, name) for name in (*names, *hot)})
    files = options.files or -(-config.pages // _PAGES_OF_A_FILE)
    if not (1 <= files <= config.pages and options.processes >= 1):
        raise UsageError("--files takes 1 to as many as there are pages; --processes from 1")
    began, out = time.monotonic(), options.out
    with tempfile.TemporaryDirectory(prefix="pagekin-make-web-") as notes:
        progress = StageProgress("make-web", Path(notes), total=config.pages, unit="pages")
        with progress:
            written = write_web(config, out, files, options.processes, notes)
    size = sum(path.stat().st_size for path in out.glob("*.warc.gz"))
    sentence = (
        f"{out}: {config.pages:,} pages on {written['hosts']:,} hosts in {files} files of"
        f" {size / 1e6:,.1f} MB, {written['listed']:,} of them in {written['topics']:,} classes;"
        f" {time.monotonic() - began:.1f} s"
    )
    print_lines([sentence])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="make-web",
        usage="%(prog)s --pages N [--seed S] [options] OUT",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("out", type=Path, metavar="OUT", help="a new folder, or one that this run left unfinished")
    add("--pages", type=int, required=True, metavar="N", help="HTML pages; records are 8 %% more")
    add("--seed", type=int, default=1, metavar="S", help="another makes another web (default: 1)")
    add("--files", type=int, metavar="N", help="WARC files (default: one for 4,000 pages)")
    add("--processes", type=int, default=1, metavar="N", help="at work at once (default: 1)")
    add = partial(parser.add_argument_group("shape").add_argument, type=int, metavar="N")
    add("--hosts", default=0, help="default: one for 10 pages, at most 20,000")
    add("--topics", default=0, help="classes (default: one for 25 pages)")
    add("--mean-words", default=1400, help="of a page (default: 1,400)")
    add("--mean-links", default=100, help="of a page (default: 100)")
    hard = parser.add_argument_group("what is hard for a cluster").add_argument
    hard("--hot-inlinks", type=int, default=0, metavar="N", help="links to one URL, on all pages")
    hard("--wide-page", type=int, default=0, metavar="N", help="links on one page")
    hard("--big-domain", type=float, default=0.0, metavar="X", help="share of pages of one domain")
    return parser
