"""`pagekin mirrors`: the copies of a page, the largest groups, and what two files share."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from pagekin.commands.arguments import add_command, add_index, check_at_least, print_result
from pagekin.commands.locations import local_index
from pagekin.commands.show_page import page_of_file
from pagekin.config import BuildConfig, MirrorConfig
from pagekin.errors import UsageError
from pagekin.progress import counted

__all__ = ["add_mirrors"]

_DESCRIPTION = """\
Show the mirrors of a page: the group of pages that say the same, which of them stands for the group
in answers and why, and each edge: two pages that were compared, their resemblance (the share of all
their shingles that both have), and how much of each is on the other. A page that holds most of
another one and much else is no mirror of it, and told apart. Without URL the largest groups, and
those that were cut out of larger ones.

With two HTML files it compares these: the passages of both, and those of one alone. All of their
words count, while a build leaves out what a site repeats.
"""

_EXAMPLES = """\
examples:
  pagekin mirrors --index crawl.index https://en.wikipedia.org/wiki/Bowline
  pagekin mirrors --index crawl.index -n 5
  pagekin mirrors old.html new.html
"""

_SHOWN = 20
_ENDS = 12  # words at both ends of a long passage


def add_mirrors(commands: Any) -> None:
    """Declare the command."""
    usage = "%(prog)s [options] ([URL] | A.html B.html)"
    summary = "the copies of a page; what two pages share"
    parser = add_command(
        commands, "mirrors", _run, summary, _DESCRIPTION, examples=_EXAMPLES, usage=usage
    )
    add = parser.add_argument
    add("page", nargs="*", metavar="URL|FILE", help="a URL in any spelling, or two HTML files")
    add_index(parser)
    add(
        "-n",
        type=int,
        default=_SHOWN,
        metavar="N",
        help="show so many groups, or members and edges of one; 0: all (default: %(default)s)",
    )
    add(
        "--length",
        type=int,
        default=MirrorConfig().length,
        metavar="N",
        help="words of a shingle, where files are compared (default: %(default)s, as of"
        " mirrors.length)",
    )
    add("--json", action="store_true", help="print JSON")


def _run(options: argparse.Namespace) -> int:
    check_at_least(options, n=0, length=1)
    if len(options.page) > 2:
        raise UsageError("name a URL, or two HTML files")
    if len(options.page) == 2:
        return _compare(options)
    from pagekin.query.api import Index

    with Index(local_index(options.index, options)) as index:
        if options.page:
            mirrors = index.mirrors(options.page[0], options.n)
            said, lines = _as_dict(mirrors), _page_lines(mirrors)
        else:
            groups = index.mirror_groups(options.n)
            said, lines = _as_dict(groups), _group_lines(groups)
    print_result(said, lines, as_json=options.json, ensure_ascii=False)
    return 0


def _as_dict(value: Any) -> Any:
    """Named tuples within one another as objects."""
    if hasattr(value, "_asdict"):
        return {name: _as_dict(each) for name, each in value._asdict().items()}
    return [_as_dict(each) for each in value] if isinstance(value, list) else value


# --- an index ---


def _page_lines(mirrors: Any) -> Iterator[str]:
    group = mirrors.group
    if group is None:
        yield f"{mirrors.url} has no mirrors"
    else:
        yield f"{mirrors.url} is one of {group.size:,} mirrors"
        yield f"  {group.representative} stands for them: {mirrors.why}"
        yield f"  {_facts(group)}"
        yield ""
        yield from (f"  {url}" for url in mirrors.members)
        yield from _rest(group.size - len(mirrors.members), "mirror")
        yield ""
        yield "  resemblance; of the first page on the second; of the second on the first"
        yield from map(_edge_line, mirrors.edges)
    for edge in mirrors.held_by:
        yield f"  {edge.b} holds {edge.a_in_b:.4f} of it (resemblance {edge.resemblance:.4f})"
    for edge in mirrors.holds:
        yield f"  it holds {edge.a_in_b:.4f} of {edge.a} (resemblance {edge.resemblance:.4f})"


def _facts(group: Any) -> str:
    cut = f"; cut out of a larger group: {group.cut}" if group.cut else ""
    return (
        f"least edge {group.least_edge:.4f}, least pair {group.least_pair:.4f},"
        f" diameter {group.diameter:,}{cut}"
    )


def _edge_line(edge: Any) -> str:
    return f"  {edge.resemblance:.4f}  {edge.a_in_b:.4f}  {edge.b_in_a:.4f}  {edge.a}  {edge.b}"


def _rest(count: int, noun: str) -> Iterator[str]:
    if count > 0:
        yield f"  and {counted(count, f'other {noun}')} (-n 0 shows all)"


def _group_lines(groups: Any) -> Iterator[str]:
    yield f"{counted(groups.pages, 'page')} in {counted(groups.groups, 'group')} of mirrors"
    for group in groups.largest:
        yield f"{group.size:>9,}  {group.representative}"
        yield f"{'':11}{_facts(group)}"
    yield from _rest(groups.groups - len(groups.largest), "group")
    yield f"{counted(groups.cut_groups, 'group')} cut out of larger ones"
    for group in groups.cut:
        yield f"{group.size:>9,}  {group.representative}: {group.cut}"
    yield from _rest(groups.cut_groups - len(groups.cut), "group")


# --- two files ---


def _compare(options: argparse.Namespace) -> int:
    from pagekin.mirrors.passages import compare_texts
    from pagekin.stages.shingles.extractor import ShingleExtractor

    first, second = (
        page_of_file(name, BuildConfig(), ShingleExtractor.view)[0].flat.text
        for name in options.page
    )
    found = compare_texts(first, second, options.length)
    likeness = found.likeness
    result = {
        "length": options.length,
        "resemblance": likeness.resemblance,
        "a_in_b": likeness.containment,
        "b_in_a": likeness.other_containment,
        "shared": likeness.shared,
        "pages": [
            {
                "file": name,
                "shingles": shingles,
                "passages": [
                    {"shared": p.shared, "words": len(p.words), "text": " ".join(p.words)}
                    for p in passages
                ],
            }
            for name, shingles, passages in zip(
                options.page,
                (likeness.first, likeness.second),
                (found.first, found.second),
                strict=True,
            )
        ],
    }
    print_result(result, _compared_lines(result), as_json=options.json, ensure_ascii=False)
    return 0


def _compared_lines(result: dict[str, Any]) -> Iterator[str]:
    first, second = result["pages"]
    counts = (
        f"{result['shared']:,} on both, {first['shingles']:,} on A, {second['shingles']:,} on B"
    )
    yield f"resemblance {result['resemblance']:.4f}; shingles of {result['length']} words: {counts}"
    yield f"{result['a_in_b']:.4f} of A is on B, {result['b_in_a']:.4f} of B is on A"
    for name, page in (("A", first), ("B", second)):
        yield ""
        words = counted(sum(p["words"] for p in page["passages"]), "word")
        yield f"{name}  {page['file']}: {words}"
        for passage in page["passages"]:
            where = "both" if passage["shared"] else f"{name} only"
            yield f"  {where:7}{passage['words']:>7,}  {_cropped(passage['text'])}"


def _cropped(text: str) -> str:
    words = text.split(" ")
    if len(words) <= 2 * _ENDS:
        return text
    return f"{' '.join(words[:_ENDS])} ... {' '.join(words[-_ENDS:])}"
