"""`pagekin package`: the archive of dependencies for nodes of a cluster that have none."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from pagekin.commands.arguments import add_command
from pagekin.errors import UsageError
from pagekin.printing import print_lines, tell

__all__ = ["add_package"]

_DESCRIPTION = """\
Write an archive with pagekin and all that it needs, for nodes of a cluster that have Python and
nothing else. pip fetches the versions that are installed here, for the Python and the processor
of the nodes. The same versions give the same archive, byte for byte.
"""

_EXAMPLES = """\
examples:
  pagekin package --output deps.tar.gz
  pagekin package --python 3.11 --arch aarch64 --output deps-arm.tar.gz
  pagekin build -r hadoop --package deps.tar.gz --work work hdfs:///crawl/
"""


def add_package(commands: Any) -> None:
    """Declare the command."""
    summary = "make the archive of dependencies for nodes that have none"
    add = add_command(
        commands, "package", _run, summary, _DESCRIPTION, examples=_EXAMPLES
    ).add_argument
    add("--python", default="3.11", metavar="3.N", help="of the nodes (default: %(default)s)")
    add(
        "--arch",
        default="x86_64",
        metavar="CPU",
        help="of the nodes, x86_64 or aarch64 (default: %(default)s)",
    )
    add(
        "--output",
        type=Path,
        metavar="FILE",
        help="where to write it (default: pagekin-py3.N-CPU.tar.gz)",
    )


def _run(options: argparse.Namespace) -> int:
    """Make the archive, and print its path."""
    from pagekin.engine.package import make_package
    from pagekin.progress import duration

    output = options.output or Path(f"pagekin-py{options.python}-{options.arch}.tar.gz")
    if not output.name.endswith((".tar.gz", ".tgz")):
        raise UsageError(f"--output {output}: nodes unpack a .tar.gz; name it so")
    began = time.monotonic()
    size = make_package(output, options.python, options.arch)
    took = duration(time.monotonic() - began)
    tell(f"{size / 1e6:.1f} MB in {took}, for Python {options.python} on {options.arch}")
    print_lines([str(output)])
    return 0
