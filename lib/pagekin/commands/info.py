"""`pagekin info`: what an index is: pages, parameters, sizes, statistics, where it came from."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from pagekin.commands.places import add_index, index_here

__all__ = ["add_parser"]

_DESCRIPTION = """\
Show what an index is: its pages, shards and parameters, the bytes of its files, its document
frequencies, and the snapshot that it came from; and how many URLs would be nobody's kin with each
value of --index-min-inlinks.
"""


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "info",
        help="what an index is",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add_index(parser)
    parser.add_argument("--json", action="store_true", help="everything, as JSON")


def run(options: argparse.Namespace) -> int:
    """Print what an index is."""
    from pagekin.query.api import Index

    info = Index.open(index_here(options.index, options)).info()
    if options.json:
        print(json.dumps(info, indent=2))
    else:
        print("\n".join(_lines(info)))
    return 0


def _lines(info: dict[str, Any]) -> Iterator[str]:
    signatures, documents = info["signatures"], max(info["documents"], 1)
    yield f"{info['path']}: {info['documents']:,} documents in {info['shards']} shards"
    yield f"  digest        {info['digest']}"
    yield f"  read          {info['crawled']:,}"
    yield f"  by anchors    {info['known_by_anchors']:,}"
    yield f"  empty bags    {info['without_terms']:,}"
    yield f"  can be found  {info['listed']:,}"
    yield f"  by co-citation {info['with_cocited_kin']:,} pages have kin"
    yield f"  signatures    {', '.join(f'{k} {v}' for k, v in signatures.items())}"
    numbers = info["frequencies"]
    yield f"  terms         {numbers['terms']:,} in {numbers['bags']:,} bags,"
    yield f"                mu {numbers['mu']:.3f}, sigma {numbers['sigma']:.3f}"
    for source in info["sources"]:
        names = ", ".join(source["names"]) + (" ..." if source["files"] > 10 else "")
        yield f"  from          {source['files']:,} files, {source['bytes']:,} bytes: {names}"
    yield "  bytes"
    for name, size in info["bytes"].items():
        yield f"    {name:16} {size:>16,} {size / documents:>10,.1f} a document"
    yield "  documents that --index-min-inlinks N would leave out of the answers"
    for least, dropped in info["min_inlinks_would_drop"].items():
        yield f"    {least:>3} {dropped:>16,} {dropped / documents:>10.1%}"
