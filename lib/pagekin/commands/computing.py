"""Options that say what is computed, and of which pages: those of `build` and of `plan`."""

from __future__ import annotations

import argparse
from typing import Any

from pagekin.config import sections
from pagekin.names import PARTS
from pagekin.options import add_flags, words_of

__all__ = ["add_configuration", "add_pages_and_parts"]


def add_pages_and_parts(add: Any) -> None:
    """Declare those that have a short name."""
    add("--base-url", default="", metavar="URL", help="put before the relative paths of a list")
    add(
        "--exclude-host",
        dest="reading_exclude_host",
        type=words_of,
        metavar="HOST,...",
        help="the same as --reading-exclude-host",
    )
    add("--without", choices=PARTS, metavar="PART", help=f"leave out one of {' and '.join(PARTS)}")


def add_configuration(parser: argparse.ArgumentParser) -> None:
    """Declare the keys of the configuration, which come last in the help."""
    group = parser.add_argument_group(
        "configuration", "what is computed; in BUILD.toml --window-words is `words` in [window]"
    )
    add_flags(group.add_argument, sections())
