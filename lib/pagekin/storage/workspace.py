"""The workspace of a build: a folder for each finished stage, and nothing half done.

    WORK/workspace.json         says that this is a workspace, and of which format
    WORK/STAGE/part-*           the records of the stage
    WORK/STAGE/*.arrays         its tables
    WORK/STAGE/stage.json       configuration, fingerprint, counters, digest, times
    WORK/STAGE/_SUCCESS         the stage is complete
    WORK/STAGE/_SETTLING        and on its way to the disk: it counts until this machine starts anew
    WORK/.building/             what is being made; a stage moves out of it in one rename
    WORK/summary.json           the summary of the last build

A build holds a lock on the workspace. The lock is the kernel's, so a build that was killed, however
hard, leaves none behind; what lies in `.building` from then is swept away at the next start.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pagekin.errors import WorkspaceError, naming
from pagekin.storage.lock_file import boot
from pagekin.storage.part_files import Pair, part_files, read_merged

__all__ = [
    "BUILDING",
    "DONE",
    "MARK",
    "RECORD",
    "SETTLING",
    "Workspace",
    "check_format",
    "new_mark",
    "write_json",
]

_KIND, _FORMAT = "pagekin workspace", 1
MARK = "workspace.json"
BUILDING = ".building"
RECORD = "stage.json"
DONE = "_SUCCESS"
SETTLING = "_SETTLING"
_SUMMARY = "summary.json"
_FLUSHED_AT_ONCE = 8  # files: the disk takes several as fast as one


def write_json(path: Path, value: Any, *, soon: bool = False) -> None:
    """Write a file that is there whole or not at all. `soon`: others bring it to the disk."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with naming(path), beside.open("w", encoding="utf-8") as out:
        json.dump(value, out, indent=2, ensure_ascii=False)
        out.write("\n")
        out.flush()
        if not soon:
            os.fsync(out.fileno())
    beside.replace(path)


def new_mark() -> dict[str, int]:
    """What the mark of a workspace holds."""
    return {_KIND: _FORMAT}


def check_format(name: object, mark: Any) -> None:
    """WorkspaceError where the mark of a workspace is none, or of another format."""
    try:
        number = mark[_KIND]
    except (KeyError, TypeError) as error:
        raise WorkspaceError(f"{name} is no workspace: {MARK} cannot be read") from error
    if number != _FORMAT:
        raise WorkspaceError(
            f"{name} is a workspace of format {number}, and this pagekin makes format"
            f" {_FORMAT}; build into a new folder"
        )


class Workspace:
    """A folder that is, or becomes, a workspace."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._settling: list[Future[None]] = []  # stages that are on their way to the disk
        self._process = os.getpid()

    @property
    def name(self) -> str:
        """What people call it."""
        return str(self.path)

    @classmethod
    def open(cls, path: Path) -> Workspace:
        """An existing workspace, for reading."""
        if not (path / MARK).is_file():
            raise WorkspaceError(f"{path} is not a workspace; `pagekin build --work` makes one")
        workspace = cls(path)
        workspace._check_format()
        return workspace

    @classmethod
    def create(cls, path: Path) -> Workspace:
        """A workspace to build in; a folder of other things is refused."""
        if path.exists() and not path.is_dir():
            raise WorkspaceError(f"{path} is a file; a workspace is a folder")
        if path.is_dir() and not (path / MARK).exists() and any(map(_is_foreign, path.iterdir())):
            raise WorkspaceError(f"{path} holds other files and is no workspace; name a new folder")
        path.mkdir(parents=True, exist_ok=True)
        workspace = cls(path.resolve())
        if not (path / MARK).exists():
            write_json(path / MARK, new_mark())
        workspace._check_format()
        return workspace

    def _check_format(self) -> None:
        try:
            mark = json.loads((self.path / MARK).read_text(encoding="utf-8"))
        except ValueError:
            mark = None
        check_format(self.path, mark)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other builds out, and sweep up after one that was killed."""
        with (self.path / ".lock").open("w") as lock:
            try:
                # a record lock: not inherited by task processes, which may outlive a killed build
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise WorkspaceError(f"{self.path} is in use by another build") from error
            self._sweep()
            self._settle_after_others()
            try:
                yield
                self.settle()
            finally:
                wait(self._settling)
                self._sweep()

    def _settle_after_others(self) -> None:
        """What a build that was killed had begun; what the disk refuses now is made again."""
        for note in sorted(self.path.glob(f"*/{SETTLING}")):
            if self.stage_record(note.parent.name):
                with suppress(OSError):
                    _settle(note.parent)

    def _sweep(self) -> None:
        shutil.rmtree(self.path / BUILDING, ignore_errors=True)
        for unfinished in self.path.glob(".summary.json.*"):
            unfinished.unlink()

    def new_folder(self, name: str) -> Path:
        """A fresh folder for what is being made."""
        building = self.path / BUILDING
        building.mkdir(exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=building))

    def stage_record(self, name: str) -> dict[str, Any] | None:
        """What a complete stage says of itself; None for one that is not there."""
        folder = self.stage_path(name)
        if not (folder / DONE).exists() or _is_lost(folder):
            return None
        try:
            record: dict[str, Any] = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return record

    def stage_path(self, name: str) -> Path:
        """The folder of a stage."""
        return self.path / name

    def parts(self, name: str) -> list[Path]:
        """The part files of a complete stage; WorkspaceError where it is not complete."""
        self.require(name)
        return part_files(self.stage_path(name))

    def inputs(self, name: str, start: bytes = b"") -> list[str]:
        """What a job names to read a complete stage; parts without keys that so begin may go.

        Keys that begin with a mark sort before all others, so a part that has some begins with one.
        """
        parts = self.parts(name)
        some = [part for part in parts if _begins(part, start)]
        return list(map(str, some or parts[:1]))

    def records(self, name: str) -> Iterator[Pair]:
        """The records of a complete stage, in the order of their keys."""
        return read_merged(self.require(name))

    def table(self, name: str, file: str) -> Path | None:
        """A table of a stage; None where there is none."""
        path = self.stage_path(name) / file
        return path if path.exists() else None

    def output(self, name: str) -> str:
        """Where the job of a stage writes; empty: beside its scratch files."""
        return ""

    def bring(self, name: str, folder: Path, *, whole: bool) -> None:
        """Make sure that the output of a job is in a folder here; it is."""

    def require(self, name: str) -> Path:
        """The folder of a complete stage; WorkspaceError where it is not complete."""
        if self.stage_record(name) is None:
            raise WorkspaceError(f"{self.path}: stage {name} is not built; run pagekin build")
        return self.stage_path(name)

    def complete(
        self, name: str, made: Path, record: dict[str, Any], *, soon: bool = False
    ) -> None:
        """Put a finished stage in its place: it is there whole from one moment to the next.

        `soon`: its files are brought to the disk while other work goes on. Should this machine lose
        its memory before that, the stage is not there: it holds a note of where it was made.
        """
        soon = soon and bool(boot())
        write_json(made / RECORD, record, soon=soon)
        (made / DONE).touch()
        if soon:
            write_json(made / SETTLING, boot())
            _flush(made)
        else:
            _flush_all(made)
        self.settle()
        self.remove(name)
        made.rename(self.stage_path(name))
        if not soon:
            _flush(self.path)
        else:
            pool = ThreadPoolExecutor(1)
            self._settling.append(pool.submit(_settle, self.stage_path(name)))
            pool.shutdown(wait=False)

    def settle(self) -> None:
        """Wait until all that was completed is on the disk."""
        if self._process != os.getpid():  # forked: what was begun before is the other's to end
            self._settling, self._process = [], os.getpid()
        while self._settling:
            self._settling.pop().result()

    def write_summary(self, summary: dict[str, Any]) -> str:
        """Keep the summary of a build; gives its path."""
        write_json(self.path / _SUMMARY, summary)
        return str(self.path / _SUMMARY)

    def remove(self, name: str) -> None:
        """Take a stage away; it vanishes in one move."""
        folder = self.stage_path(name)
        if folder.exists():
            grave = self.new_folder("old")
            folder.rename(grave / name)
            shutil.rmtree(grave, ignore_errors=True)


def _begins(part: Path, start: bytes) -> bool:
    with part.open("rb") as lines:
        return lines.read(len(start)) == start


def _is_foreign(path: Path) -> bool:
    return not path.match(f".{MARK}.*")  # else a build was killed as it made the mark


def _is_lost(stage: Path) -> bool:
    """Was the machine started anew while the stage was on its way to the disk?"""
    note = stage / SETTLING
    try:
        return bool(json.loads(note.read_text(encoding="utf-8")) != boot())
    except FileNotFoundError:
        return False
    except ValueError:
        return True


def _settle(stage: Path) -> None:
    """Bring a stage to the disk; one that the disk refuses is none: it tells its errors once."""
    try:
        _flush_all(stage)
        _flush(stage.parent)
    except BaseException:
        (stage / DONE).unlink(missing_ok=True)
        raise
    (stage / SETTLING).unlink()
    _flush(stage)


def _flush_all(folder: Path) -> None:
    with ThreadPoolExecutor(_FLUSHED_AT_ONCE) as pool:
        list(pool.map(_flush, folder.iterdir()))


def _flush(path: Path) -> None:
    """Make sure that it is on the disk before something points to it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        with naming(path):
            os.fsync(handle)
    finally:
        os.close(handle)
