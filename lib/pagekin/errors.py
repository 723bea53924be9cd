"""What can go wrong, as one tree.

    PagekinError            exit 1   anything we say in one sentence instead of a traceback
    |-- UsageError          exit 2   the words of the command, or of BUILD.toml, are wrong
    |-- InputError          exit 3   a snapshot, page or file cannot be read as what it claims to be
    |-- NotFoundError       exit 4   the thing asked for is not there (a URL without a bag)
    |-- WorkspaceError      exit 5   a workspace is locked, foreign or not what the command needs
    `-- StageError          exit 6   a stage of a build failed

Each carries one plain sentence: what was wrong, where, and what to do next; further arguments are
lines that stand below it, such as the last words of a task. Errors in the *data*
(a broken page) are never raised: they are counted under a named reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "InputError",
    "NotFoundError",
    "PagekinError",
    "StageError",
    "UsageError",
    "WorkspaceError",
    "naming",
]


class PagekinError(Exception):
    """The root of the tree; `exit_code` is what the shell sees."""

    exit_code = 1

    def __str__(self) -> str:
        return "\n  ".join(map(str, self.args))


class UsageError(PagekinError):
    exit_code = 2


class InputError(PagekinError):
    exit_code = 3


class NotFoundError(PagekinError):
    exit_code = 4


class WorkspaceError(PagekinError):
    exit_code = 5


class StageError(PagekinError):
    exit_code = 6


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Put the path into errors of writing to it: a full disk is reported without one."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise
