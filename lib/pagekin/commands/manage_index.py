"""`pagekin info`, `pagekin verify` and `pagekin merge-index`: looking after an index."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pagekin.commands.arguments import add_command, add_index, print_result
from pagekin.commands.locations import local_index
from pagekin.errors import InputError
from pagekin.printing import refresh, tell
from pagekin.progress import counted

__all__ = ["add_info", "add_merge_index", "add_verify"]

_INFO = """\
Show what an index is: its pages, shards and parameters, the bytes of its files, its document
frequencies, and the snapshot that it came from. For some values of --index-min-inlinks it shows how
many URLs each would keep out of all answers.
"""

_VERIFY = """\
Check every checksum of an index, and everything that its files must agree about: URLs in their
order and in their shard, a bag and a row of H for each, words for all terms, and I as the inversion
of H. The exit code is 3 if something is wrong.
"""

_MERGE = """\
Merge indexes of different pages, made with equal parameters, to one that answers for all of them.
Parameters that differ are refused, and so are pages that were read for more than one of them. Of a
URL that some know only by links to it the best known bag is kept: that of the page that was read,
or else the one with the most links.

Related words stay where all have the same table of them, and else are left out. Mirrors stay in
their groups; pages of different indexes are not compared.

Weights are not computed anew: each bag keeps those that its own build gave it, and the stop words
that a build took from its own snapshot are left out of its own bags alone. Of a pair that is
related by co-citation in several indexes the highest total is kept; one that several domains vouch
for comes before that.
"""

_MERGE_EXAMPLE = """\
example:
  pagekin merge-index january.index february.index --index both.index
"""


# What the names of the files do not say by themselves.
_FILES = {
    "H.arrays": "the signatures of each document",
    "I.arrays": "for each signature the documents that have it",
    "kin.arrays": "by co-citation",
    "neighbours.arrays": "related words",
    "mirrors.arrays": "pages that are copies of one another",
}


def add_info(commands: Any) -> None:
    """Declare `info`."""
    parser = add_command(commands, "info", _info, "what an index is", _INFO)
    add_index(parser)
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def _info(options: argparse.Namespace) -> int:
    from pagekin.query.api import Index

    info = Index.open(local_index(options.index, options)).info()
    print_result(info, _info_lines(info), as_json=options.json)
    return 0


def _info_lines(info: dict[str, Any]) -> Iterator[str]:
    signatures, documents = info["signatures"], max(info["documents"], 1)
    yield f"{info['path']}: {info['documents']:,} documents in {counted(info['shards'], 'shard')}"
    yield f"  digest        {info['digest']}"
    yield f"  read          {info['crawled']:,}"
    yield f"  with a title  {info['with_title']:,}"
    yield f"  by anchors    {info['known_by_anchors']:,}"
    yield f"  empty bags    {info['without_terms']:,}"
    yield f"  can be found  {info['listed']:,}"
    taken = {source.get("cocitation_threshold") for source in info["sources"]} - {None}
    totals = f", of a total of {' or '.join(f'{t:g}' for t in sorted(taken))} and more"
    yield f"  by co-citation {info['with_cocited_kin']:,} pages have kin{totals if taken else ''}"
    yield f"  signatures    {', '.join(f'{k} {v}' for k, v in signatures.items())}"
    numbers = info["frequencies"]
    yield f"  terms         {numbers['terms']:,} in {numbers['bags']:,} bags,"
    yield f"                mu {numbers['mu']:.3f}, sigma {numbers['sigma']:.3f}"
    for source in info["sources"]:
        names = ", ".join(source["names"]) + (" ..." if source["files"] > 10 else "")
        yield f"  from          {source['files']:,} files, {source['bytes']:,} bytes: {names}"
    yield "  bytes"
    for name, size in info["bytes"].items():
        what = f"  {_FILES[name]}" if name in _FILES else ""
        yield f"    {name:16} {size:>16,} {size / documents:>10,.1f} a document{what}"
    yield "  documents that --index-min-inlinks N would leave out of the answers"
    for least, dropped in info["min_inlinks_would_drop"].items():
        yield f"    {least:>3} {dropped:>16,} {dropped / documents:>10.1%}"


def add_verify(commands: Any) -> None:
    """Declare `verify`."""
    parser = add_command(commands, "verify", _verify, "check an index", _VERIFY)
    add_index(parser)
    parser.add_argument("--json", action="store_true", help="print a list of what is wrong as JSON")


def _verify(options: argparse.Namespace) -> int:
    from pagekin.index.verify import verify_index

    def report(done: int, total: int) -> None:
        refresh(f"verify  shard {done + 1} of {total}")

    wrong = verify_index(local_index(options.index, options), report)
    if options.json or not wrong:
        sound = f"{options.index}: all checksums match, and all files agree"
        print_result(wrong, [sound], as_json=options.json)
    else:
        tell(*wrong)
    return InputError.exit_code if wrong else 0


def add_merge_index(commands: Any) -> None:
    """Declare `merge-index`."""
    usage = "%(prog)s A B [...] --index C [--shards N] [--json]"
    summary = "make one index of several"
    add = add_command(
        commands, "merge-index", _merge, summary, _MERGE, examples=_MERGE_EXAMPLE, usage=usage
    ).add_argument
    add("sources", nargs="+", type=Path, metavar="A", help="the indexes to merge")
    add("--index", required=True, type=Path, metavar="C", help="the index to make")
    add("--shards", type=int, default=0, metavar="N", help="its shards (default: as many as A has)")
    add("--json", action="store_true", help="print what was made as JSON")


def _merge(options: argparse.Namespace) -> int:
    from pagekin.cocitation.kin_table import merged_table_pieces
    from pagekin.index.folder import report_bus_errors
    from pagekin.index.merge import merge_indexes

    def report(done: int, total: int) -> None:
        refresh(f"merge  {done:,} of {total:,} documents")

    report_bus_errors()
    made = merge_indexes(
        options.sources, options.index, options.shards, report, merged_table_pieces
    )
    print_result(made, _merge_lines(options.index, made), as_json=options.json)
    return 0


def _merge_lines(index: Path, made: dict[str, Any]) -> Iterator[str]:
    yield f"{index}: {made['documents']:,} documents in {made['shards']} shards"
    if made["repeated"]:
        yield f"  {made['repeated']:,} URLs were in several; the best known bag was kept"
