"""Options that say which pages are judged, and how: those of `evaluate gamma` and of `sweep`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pagekin.errors import UsageError
from pagekin.options import words_of

__all__ = ["add_labels", "check_labels"]

_SEED = 1


def add_labels(add: Any) -> None:
    """Declare them."""
    add(
        "--directory",
        required=True,
        type=Path,
        action="append",
        metavar="FILE",
        help="a file of the directory, or a folder of them; may be given again",
    )
    add(
        "--format",
        choices=("auto", "pages", "curlie", "rdf"),
        default="auto",
        help="of all files (default: what each file says by its beginning)",
    )
    add(
        "--depth",
        type=int,
        default=3,
        metavar="N",
        help="classes below this depth join their ancestor there (default: %(default)s)",
    )
    add(
        "--shallow",
        choices=("keep", "drop"),
        default="keep",
        help="pages above the depth: a class of their own (default), or left out as in the paper",
    )
    add("--linked", action="store_true", help="only pages that some page links to, as in the paper")
    add(
        "--exclude-host",
        type=words_of,
        default=(),
        metavar="HOST,...",
        help="the directory's own hosts and mirrors of it, whose pages must not be in the bags",
    )
    add("--sample", type=int, metavar="N", help="N source pages drawn at random, against all pages")
    add("--seed", type=int, default=_SEED, metavar="N", help="of drawings (default: %(default)s)")
    add(
        "--resamples",
        type=int,
        default=1000,
        metavar="N",
        help="drawings from which the intervals are made (default: %(default)s)",
    )


def check_labels(options: argparse.Namespace) -> None:
    """Refuse numbers that mean nothing."""
    for name in ("depth", "resamples", "sample"):
        if (value := getattr(options, name)) is not None and value < 1:
            raise UsageError(f"--{name} takes a number from 1")
    if options.seed < 0:
        raise UsageError("--seed takes a number from 0")
