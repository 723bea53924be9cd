"""The parts that are written twice: in Python, to be read, and in C, to be fast.

Both give the same for every input, which tests compare. A part in C is a file `_name.c` beside the
Python of the same meaning. It is built where pagekin is installed and there is a C compiler; where
there was none, or where PAGEKIN_PURE is set to 1, Python does the work, in about three times the
time. `python -m pagekin.native` tells which of the two it is.

A part that was not built is no error. One that was built and cannot be loaded, or was built from
another version of its source, is: Python would do the work, and nobody would know why it is slow.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any, Final

from pagekin.errors import PagekinError
from pagekin.printing import print_lines, tell

__all__ = ["PURE", "VERSION", "describe", "load", "missing", "parts"]

PURE: Final = "PAGEKIN_PURE"
# Raised here and in part.h (PAGEKIN_PART_VERSION) when arguments or results of a part change.
VERSION: Final = 1

_PACKAGE = Path(__file__).parent
_WHAT_TO_DO = (
    "build the parts in C anew (make setup in a clone, else pip install --force-reinstall .),"
    f" or set {PURE}=1, and Python does their work"
)


def load(name: str) -> Any:
    """A module in C by its full name; None where it was not built, or is not wanted."""
    if _is_pure():
        return None
    try:
        part = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None
    except ImportError as error:  # built for another machine, or half written
        raise PagekinError(f"{name} cannot be loaded: {error}; {_WHAT_TO_DO}") from error
    if (built := getattr(part, "VERSION", 0)) != VERSION:
        raise PagekinError(
            f"{name} was built as version {built}, and this pagekin needs version {VERSION};"
            f" {_WHAT_TO_DO}"
        )
    return part


def parts() -> list[str]:
    """The names of all parts in C that have a source here, or were built."""
    found = [path for kind in ("c", "so", "pyd") for path in _PACKAGE.rglob(f"_*.{kind}")]
    folders = {path: path.parent.relative_to(_PACKAGE.parent).parts for path in found}
    return sorted({".".join((*folders[path], path.name.partition(".")[0])) for path in found})


def missing() -> list[str]:
    """The names of those that were not built, or are not wanted."""
    return [name for name in parts() if load(name) is None]


def describe() -> str:
    """What does the work, in a few words; PagekinError where a part cannot be used."""
    if _is_pure():
        return f"Python ({PURE} is set)"
    known, absent = parts(), missing()
    if known == absent:
        return "Python (the parts in C were not built)"
    if absent:
        return f"C, but Python for {', '.join(absent)} (not built)"
    return "C"


def _is_pure() -> bool:
    return os.environ.get(PURE, "0") not in ("", "0")


def main() -> int:
    """Tell what does the work."""
    try:
        print_lines([f"the work is done by {describe()}"])
    except PagekinError as error:
        tell(f"pagekin: {error}")
        return error.exit_code
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
