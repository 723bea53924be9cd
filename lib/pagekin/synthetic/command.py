"""The command `scripts/make-web`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

from pagekin.errors import PagekinError, UsageError
from pagekin.progress import StageProgress, TaskProgress
from pagekin.synthetic.config import WebConfig
from pagekin.synthetic.writing import Report, write_web

__all__ = ["main"]

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
        sys.stderr.write(f"make-web: {error}\n")
        return error.exit_code
    except OSError as error:
        sys.stderr.write(f"make-web: {error.filename or options.out}: {error.strerror}\n")
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
            said = write_web(config, out, files, options.processes, partial(_reporter, notes))
    size = sum(path.stat().st_size for path in out.glob("*.warc.gz"))
    sys.stdout.write(
        f"{out}: {config.pages:,} pages on {said['hosts']:,} hosts in {files} files of"
        f" {size / 1e6:,.1f} MB, {said['listed']:,} of them in {said['topics']:,} classes;"
        f" {time.monotonic() - began:.1f} s\n"
    )


@cache
def _reporter(folder: str) -> Report:
    """One in a process."""
    task = TaskProgress(folder)
    return lambda pages: task.add(pages=pages)


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
    _add_shape(parser.add_argument_group("shape").add_argument)
    _add_hot(parser.add_argument_group("what is hard for a cluster").add_argument)
    return parser


def _add_shape(add: object) -> None:
    assert callable(add)
    add(
        "--hosts",
        type=int,
        default=0,
        metavar="N",
        help="default: one for 10 pages, at most 20,000",
    )
    add("--topics", type=int, default=0, metavar="N", help="classes (default: one for 25 pages)")
    add("--mean-words", type=int, default=1400, metavar="N", help="of a page (default: 1,400)")
    add("--mean-links", type=int, default=100, metavar="N", help="of a page (default: 100)")


def _add_hot(add: object) -> None:
    assert callable(add)
    add("--hot-inlinks", type=int, default=0, metavar="N", help="links to one URL, on all pages")
    add("--wide-page", type=int, default=0, metavar="N", help="links on one page")
    add("--big-domain", type=float, default=0.0, metavar="X", help="share of pages of one domain")
