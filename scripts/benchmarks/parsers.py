"""`parsers`: our own readers of HTML beside Lexbor, for CPU, pages lost, differences and lines."""

from __future__ import annotations

import argparse
import importlib
import os
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.corpora import add_warc, corpora
from benchmarks.floors import bodies
from benchmarks.harness import (
    ROOT,
    Add,
    Benchmark,
    MissingPeer,
    in_process,
    in_turns,
    ratio,
    run_words,
    say,
    timed,
)
from benchmarks.lexbor import LIBRARIES, Library, read_tree
from benchmarks.results import Column, Result, Table, Target
from pagekin import native

__all__ = ["BENCHMARK"]

_ABOUT = """\
All pages are decoded first, to the UTF-8 that pagekin's readers are given. Then each way makes, in
a process of its own and in turns, what a build wants of a page: the flat text with its links,
markers and head (for bags), or this and the outline of elements that hold links (for blocks).
Ours reads the tags of a page once for both. Lexbor, as Resiliparse and selectolax bring it to
Python, makes a tree of the page; benchmarks/lexbor.py walks over it. `tree alone` only parses: less
than that no walk can take, in whatever language. lxml stands there for comparison.

Agreement is about the pages one by one. Words are those between spaces, without markers. A page is
lost where one reader gives no word and the other some, and cut short where it gives less than half
of the other's words. Elements are those of the outline (name, first and last link), but for those
that a tree has though nobody wrote them (<html>, <body>, <tbody>)."""

_OURS = "ours, in C"
_TIMES = 1.10  # what a library may take, times ours, to be worth a change
_WANTED = {"flat text": False, "both": True}  # is an outline made, too?
_UNWRITTEN = {"page", "html", "body", "tbody"}
_NAME = 20  # letters of a name that our outline keeps
_DOOR = "pagekin.web.markup"


def add_options(add: Add) -> None:
    """Which pages, and how often."""
    add_warc(add, 1000)
    add("--rounds", type=int, default=3, metavar="N", help="(default: %(default)s)")


def run(options: argparse.Namespace) -> Result:
    """Tables of CPU and of agreement for each corpus, and of lines."""
    if native.missing():
        raise MissingPeer("the parts in C were not built: run make setup")
    libraries = [name for name in LIBRARIES if _is_there(name)]
    result = Result([], notes=[f"{name} is not installed" for name in {*LIBRARIES} - {*libraries}])
    for name, files in corpora(options.data, options.warc, options.pages).items():
        found = in_turns(_ways(files, libraries), options.rounds)
        result.tables.append(_cpu_table(name, found))
        for library in libraries:
            way = f"{library}, both"
            share = ratio(_seconds(found[way]), _seconds(found[f"{_OURS}, both"]))
            what = f"{name}: Lexbor by {library}, times ours (both)"
            result.targets.append(Target(what, share.median, _TIMES))
        say(f"  {name}: agreement")
        rows = [[lib, *in_process(agreement, files=files, library=lib)] for lib in libraries]
        result.tables.append(_agreement_table(name, rows))
    result.tables.append(_lines_table())
    return result


def _is_there(library: str) -> bool:
    try:
        LIBRARIES[library]()
    except MissingPeer as missing:
        say(f"  {library}: {missing}")
        return False
    return True


def _ways(files: list[str], libraries: Iterable[str]) -> dict[str, Callable[[], Any]]:
    ways: dict[str, Callable[[], Any]] = {}
    for wanted in _WANTED:
        for name, pure in ((_OURS, "0"), ("ours, in Python", "1")):
            ways[f"{name}, {wanted}"] = partial(_in_our_process, files, wanted, pure)
    for name in libraries:
        ways[f"{name}, tree alone"] = partial(in_process, tree_alone, files=files, library=name)
        for wanted in _WANTED:
            task = partial(in_process, theirs, files=files, library=name, wanted=wanted)
            ways[f"{name}, {wanted}"] = task
    ways["lxml, tree alone"] = partial(in_process, tree_alone, files=files, library="lxml")
    return ways


# --- steps, each in a process of its own ---


def _in_our_process(files: list[str], wanted: str, pure: str) -> Any:
    """A process that loads our door with its part in C, or without."""
    before = os.environ.get(native.PURE, "")
    os.environ[native.PURE] = pure
    try:
        return in_process(ours, files=files, wanted=wanted)
    finally:
        os.environ[native.PURE] = before


def ours(files: list[str], wanted: str) -> dict[str, Any]:
    """CPU seconds of our door."""
    read = importlib.import_module(_DOOR).read_markup
    return _over(_pages(files), partial(read, with_outline=_WANTED[wanted]))


def theirs(files: list[str], library: str, wanted: str) -> dict[str, Any]:
    """CPU seconds of a library and of the walk over its trees."""
    read = partial(read_tree, LIBRARIES[library](), with_outline=_WANTED[wanted])
    return _over(_pages(files), read)


def tree_alone(files: list[str], library: str) -> dict[str, Any]:
    """CPU seconds of parsing."""
    return _over(_pages(files), _parse_lxml if library == "lxml" else LIBRARIES[library]().parse)


def _parse_lxml(body: bytes) -> Any:
    from lxml import etree  # noqa: PLC0415

    options = {"remove_comments": True, "remove_pis": True, "collect_ids": False}
    try:
        return etree.fromstring(body, etree.HTMLParser(encoding="utf-8", **options))
    except etree.XMLSyntaxError:
        return None  # a page without any markup


def _over(pages: list[bytes], work: Callable[[bytes], Any]) -> dict[str, Any]:
    for body in pages[:20]:
        work(body)  # what is loaded and remembered at first use

    def all_pages() -> None:
        for body in pages:
            work(body)

    return {"cpu": timed(all_pages).cpu, "pages": len(pages)}


def _pages(files: list[str]) -> list[bytes]:
    from pagekin.web.charset import to_utf8  # noqa: PLC0415

    return [to_utf8(body, "")[0] for body in bodies(files) if body.strip()]


def agreement(files: list[str], library: str) -> list[int]:
    """Counts of pages, in the order of the table's columns."""
    read = importlib.import_module(_DOOR).read_markup
    theirs_of: Library = LIBRARIES[library]()
    counts: Counter[str] = Counter()
    for body in _pages(files):
        try:
            flat, elements = read_tree(theirs_of, body)
        except Exception as error:
            say(f"  {library}: {type(error).__name__}: {error}")
            counts["errors"] += 1
            continue
        own, outline = read(body, with_outline=True)
        words, others = _words(own.text if own else b""), _words(flat.text)
        counts["pages"] += 1
        counts["same words"] += words == others
        counts["same set"] += Counter(words) == Counter(others)
        counts["words"] += len(words)
        counts["words of both"] += (Counter(words) & Counter(others)).total()
        for name, some, more in (("theirs", others, words), ("ours", words, others)):
            counts[f"lost: {name}"] += bool(more) and not some
            counts[f"cut: {name}"] += 0 < len(some) < len(more) / 2
        counts["same links"] += (own.hrefs if own else []) == flat.hrefs
        counts["same elements"] += _elements(outline) == _elements(elements)
    return [counts[name] for name in _COUNTS]


_COUNTS = {
    "pages": "pages",
    "errors": "errors",
    "lost: theirs": "lost by it",
    "lost: ours": "lost by ours",
    "cut: theirs": "cut short by it",
    "cut: ours": "cut short by ours",
    "same words": "same words in order",
    "same set": "same words",
    "same links": "same links in order",
    "same elements": "same elements",
    "words": "words, ours",
    "words of both": "in both",
}


def _words(text: bytes) -> list[str]:
    from pagekin.text.tokens import CODES  # noqa: PLC0415

    return text.decode("utf-8", "replace").translate(dict.fromkeys(map(ord, CODES), " ")).split()


def _elements(outline: Any) -> list[tuple[str, int, int]]:
    """Those that hold links, and which links; not those that no page needs to write."""
    columns = zip(outline.tags, outline.first, outline.last, strict=True)
    return [(tag[:_NAME], a, b) for tag, a, b in columns if tag not in _UNWRITTEN]


# --- tables ---


def _seconds(rounds: list[dict[str, Any]]) -> list[float]:
    return [said["cpu"] for said in rounds]


def _cpu_table(name: str, found: dict[str, list[dict[str, Any]]]) -> Table:
    columns = [Column("way"), Column("what is made"), Column("pages", ",d")]
    columns += [Column("CPU ms a page", ".3f"), Column("x ours in C", ".2f"), Column("rounds")]
    rows = []
    for way, rounds in found.items():
        who, _, wanted = way.rpartition(", ")
        base = found[f"{_OURS}, {wanted if wanted in _WANTED else 'both'}"]
        share = ratio(_seconds(rounds), _seconds(base))
        pages = rounds[0]["pages"]
        each = 1000 * statistics.median(_seconds(rounds)) / max(pages, 1)
        rows.append([who, wanted, pages, each, share.median, share.spread()])
    about = "A tree alone stands beside ours that makes both."
    return Table(f"Reading HTML, {name}", columns, rows, about)


def _agreement_table(name: str, rows: list[list[Any]]) -> Table:
    columns = [Column("Lexbor by"), *(Column(title, ",d") for title in _COUNTS.values())]
    return Table(f"Agreement with ours, {name}", columns, rows)


def _lines_table() -> Table:
    """Of what reads HTML here, and of what would remain."""
    web = ROOT / "lib" / "pagekin" / "web"
    c = sum(_lines(path) for path in (*web.glob("*.c"), *web.glob("*.h")))
    python = sum(_lines(path) for path in _modules())
    walk = _lines(Path(__file__).with_name("lexbor.py"))
    rows: list[list[Any]] = [["ours", c, python, c + python], ["Lexbor", 0, walk, walk]]
    columns = [Column("reader"), *(Column(n, ",d") for n in ("C", "Python", "both"))]
    about = "Ours: lib/pagekin/web/*.[ch], and the modules of pagekin.web that our door imports."
    return Table("Lines", columns, rows, f"{about} Lexbor: the walk of this benchmark.")


def _modules() -> list[Path]:
    """The files of pagekin.web that our door imports in a fresh Python."""
    code = f"import sys, {_DOOR}; print(*sys.modules)"
    names = run_words([sys.executable, "-c", code]).value.split()
    files = [ROOT / "lib" / Path(*n.split(".")) for n in names if n.startswith("pagekin.web.")]
    return [file.with_suffix(".py") for file in files if file.with_suffix(".py").exists()]


def _lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


BENCHMARK = Benchmark(
    "parsers",
    "our readers of HTML beside Lexbor: CPU, pages lost, differences, lines",
    _ABOUT,
    add_options,
    run,
    ("--rounds", "1"),
)
