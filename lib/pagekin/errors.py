"""What can go wrong, as one tree.

    PagekinError            exit 1   anything we say in one sentence instead of a traceback
    |-- UsageError          exit 2   the words of the command, or of BUILD.toml, are wrong
    |-- InputError          exit 3   a snapshot, page or file cannot be read as what it claims to be
    |-- NotFoundError       exit 4   the thing asked for is not there (a URL without a bag)
    |-- WorkspaceError      exit 5   a workspace is locked, foreign or not what the command needs
    |   `-- DamageError     exit 5   files of a stage are not those that it made
    `-- StageError          exit 6   a stage of a build failed

Each carries one plain sentence: what was wrong, where, and what to do next; further arguments are
lines that stand below it, such as the last words of a task. Errors in the *data*
(a broken page) are never raised: they are counted under a named reason.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = [
    "NO_ROOM",
    "DamageError",
    "InputError",
    "NotFoundError",
    "PagekinError",
    "StageError",
    "UsageError",
    "WorkspaceError",
    "full_disk",
    "naming",
]

# What the system says where a disk, a quota or the limit of a file is full.
NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


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


class DamageError(WorkspaceError):
    def __init__(self, stage: str, sentence: str) -> None:
        super().__init__(sentence)
        self.stage = stage  # as it is called in the workspace


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


def full_disk(path: Path) -> str:
    """What to say where a disk takes no more: which one, and how much room it has."""
    disk = next(folder for folder in (path, *path.parents) if folder.is_mount())
    room = shutil.disk_usage(path)
    return (
        f"the disk at {disk} takes no more: {room.free:,} of {room.total:,} bytes are free (it was"
        f" to hold {path}); make room, and give the same command again"
    )
