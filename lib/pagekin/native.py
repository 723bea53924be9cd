"""The parts that are written twice: in Python, to be read, and in C, to be fast.

Both say the same of every input, which tests compare. C is built where pagekin is installed beside
a C compiler; where there was none, or with PAGEKIN_PURE set to 1, Python does the work, in about
three times the time. `python -m pagekin.native` says which of the two it is.
"""

from __future__ import annotations

import importlib
import os
from typing import Any, Final

__all__ = ["NAMES", "PURE", "load", "missing"]

PURE: Final = "PAGEKIN_PURE"
NAMES: Final = (
    *("pagekin.bags._stream", "pagekin.bags._words"),
    *("pagekin.query._exact", "pagekin.stages.fragments._columns"),
    *("pagekin.stages.fragments._fragments", "pagekin.stages.fragments._parcels"),
    *("pagekin.text._pieces", "pagekin.web._flat", "pagekin.web._outline"),
)


def load(name: str) -> Any:
    """A module in C by its full name; None where it was not built, or is not wanted."""
    if os.environ.get(PURE, "0") not in ("", "0"):
        return None
    try:
        return importlib.import_module(name)
    except ImportError:  # also one that was built for another kind of machine
        return None


def missing() -> list[str]:
    """The names of those that are not there, or not wanted."""
    return [name for name in NAMES if load(name) is None]


def main() -> None:
    """Say what does the work."""
    if missing():
        print(  # noqa: T201
            "parts in C are missing (no C compiler, or PAGEKIN_PURE is set):"
            " Python does their work, in about three times the time"
        )
    else:
        print("parts in C: built")  # noqa: T201


if __name__ == "__main__":
    main()
