r"""What is written to a terminal. Nothing else writes there.

Much of it comes from strangers: hrefs of a page, classes of a directory, names of files, titles in
an index from elsewhere. A terminal obeys control characters (ESC sequences rename its window, or
change its colours), a line feed begins a line that looks like ours, and marks of direction turn a
line around. So each line goes through `printable`, and what it replaces stands there as JSON
escapes it: answers stay valid JSON. Reports and pools that are written to files use it too.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

__all__ = ["PrintableLog", "print_lines", "printable", "refresh", "tell", "tell_traceback"]

# Controls, marks and overrides of direction, ends of lines and paragraphs, invisible signs, half
# surrogates (as in names of files that are no UTF-8), annotations. Soft hyphens and joiners of
# letters stay: words of many languages have them.
_OBEYED = re.compile(
    "[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufff9-\ufffb\ufffe\uffff]"
)
_CLEAR = "\r\033[K"  # the line of a terminal


def printable(text: str) -> str:
    r"""The text with escapes for all that a terminal would obey.

    >>> print(printable("a\x1b]0;b\x07\nc\u202ed"))
    a\u001b]0;b\u0007\u000ac\u202ed
    """
    if text.isprintable():
        return text
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to stdout, the first one over the line of progress."""
    refresh("")
    for line in lines:
        print(printable(line))  # noqa: T201 - here, and nowhere else


def tell(*lines: str, out: TextIO | None = None) -> None:
    """Write lines to stderr, the first one over the line of progress."""
    refresh("", out)
    if out := out or sys.stderr:  # None where it was closed before this process began
        out.writelines(f"{printable(line)}\n" for line in lines)
        out.flush()


def tell_traceback(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """What Python says of an error that nobody foresaw, as `sys.excepthook` is called."""
    import traceback  # noqa: PLC0415 - most commands end without one

    tell(*"".join(traceback.format_exception(kind, error, trace)).splitlines())


def refresh(line: str, out: TextIO | None = None) -> None:
    """Write a line of progress over the one before it, where somebody looks at a terminal."""
    if (out := out or sys.stderr) and out.isatty():
        out.write(f"{_CLEAR}{printable(line)[: _room(out)]}")
        out.flush()


def _room(out: TextIO) -> int | None:
    """Characters of a terminal's line: a longer one could not be overwritten. None: any number."""
    try:
        return max(1, os.get_terminal_size(out.fileno()).columns - 1)
    except (OSError, ValueError):  # it has no size
        return None


class PrintableLog(logging.Formatter):
    """Formats messages of a log that is shown while it is written."""

    def format(self, record: logging.LogRecord) -> str:
        """The message, line by line."""
        return "\n".join(map(printable, super().format(record).splitlines()))
