"""`pagekin stages` and `pagekin records`: what a build is made of, and what it made."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from pagekin.commands.arguments import DEFAULT_WORK, add_command, print_result
from pagekin.errors import UsageError
from pagekin.printing import print_lines

__all__ = ["add_records", "add_stages"]

_STAGES = """\
Show the stages of a build in their order: what each reads, which outputs it makes of that, and the
settings that each output depends on. Nothing else decides what is built, in which order, and when
again.
"""

_RECORDS = """\
Show the records of a stage in readable form: captures, raw bags, words, blocks, final bags, pieces
of a shard, pairs. It answers questions such as "why is this word in this bag": compare the final
bag of a page with its raw bag, and that with the parcels that other pages send about it.

NAME is a stage, or one of its outputs (pagekin stages lists both). With --shuffled the mappers of
the stage are run again in this process, until enough records are found; what they send to the
reducers is shown (a parcel, a stripe), and nothing is written.
"""

_EXAMPLES = """\
examples:
  pagekin records --work work weighted_bags --key https://example.org/ -n 1
  pagekin records --work work fragments --key words/0a
  pagekin records --work work fragments --shuffled --key org.example -n 3
  pagekin records --work work pairs --shuffled --json
"""

_ENTRIES = 12  # of a list that are printed for people


def add_stages(commands: Any) -> None:
    """Declare `pagekin stages`."""
    add = add_command(
        commands, "stages", _show_stages, "the stages of a build, and what each makes", _STAGES
    ).add_argument
    add("--json", action="store_true", help="everything, as JSON")
    add("--markdown", action="store_true", help="the table of docs/formats.md")
    add("--drawing", action="store_true", help="the flow as a Mermaid chart, which GitHub draws")


def add_records(commands: Any) -> None:
    """Declare `pagekin records`."""
    usage = "%(prog)s [options] NAME"
    add = add_command(
        commands,
        "records",
        _show_records,
        "the records of a stage in readable form",
        _RECORDS,
        examples=_EXAMPLES,
        usage=usage,
    ).add_argument
    add("name", metavar="NAME", help="a stage, or one of its outputs")
    add(
        "--work",
        default=DEFAULT_WORK,
        type=Path,
        metavar="DIR",
        help="the workspace of a build (default: %(default)s)",
    )
    add("--key", default="", metavar="PREFIX", help="only records whose keys begin so")
    add("-n", type=int, default=10, metavar="N", help="so many; 0: all (default: %(default)s)")
    add("--shuffled", action="store_true", help="what the mappers send, and not what is kept")
    add("--json", action="store_true", help="print an object a line, with all entries of lists")


def _show_stages(options: argparse.Namespace) -> int:
    from pagekin.stages import described

    if options.json:
        print_result(described.stages_as_data(), (), as_json=True)
    elif options.markdown:
        print_lines(described.stages_table())
    elif options.drawing:
        print_lines(described.flow_chart())
    else:
        print_lines(described.stages_as_text())
    return 0


def _show_records(options: argparse.Namespace) -> int:
    from pagekin.build.shown_records import shown_records
    from pagekin.storage.workspace import Workspace

    if options.n < 0:
        raise UsageError("-n takes a number from 0; 0 shows all records")
    workspace = Workspace.open(options.work)
    shown = shown_records(
        workspace, options.name, options.key, options.n, shuffled=options.shuffled
    )
    for record in shown:
        if options.json:
            print_lines([json.dumps(record, ensure_ascii=False)])
        else:
            print_lines([f"{record.pop('kind')}  {record.pop('key')}"])
            print_lines(f"  {name}: {_short(value)}" for name, value in record.items())
    return 0


def _short(value: Any) -> str:
    """A value in a line, of long lists the beginning."""
    if not isinstance(value, list | dict):
        return str(value)
    entries = [*value.items()] if isinstance(value, dict) else value
    some = [_entry(each) for each in entries[:_ENTRIES]]
    rest = len(entries) - len(some)
    return "; ".join(some) + (f"; and {rest:,} more (--json shows all)" if rest else "")


def _entry(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_entry(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return " ".join(map(_entry, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
