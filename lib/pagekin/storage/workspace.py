"""The workspace of a build: a folder for each finished pass, and nothing half done.

A pass is one run of a stage. Most stages have one output, and their pass is called as they are.
Where a stage can make several outputs, its passes are called after those that they made.

    WORK/workspace.json         says that this is a workspace, and of which format
    WORK/PASS/part-*            the records of the pass
    WORK/PASS/*.arrays          its tables
    WORK/PASS/stage.json        configuration, what it depends on, counters, digests, times, files
    WORK/PASS/_SUCCESS          the pass is complete
    WORK/.building/             what is being made; a pass moves out of it in one rename
    WORK/summary.json           the summary of the last build

What a pass says of itself has a checksum, and the length and digest of each of its files. So what a
disk, a network or a person did to them later is seen before it is read.

A build holds a lock on the workspace. The lock is the kernel's, so a build that was killed, however
hard, leaves none behind; what lies in `.building` from then is swept away at the next start.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import xxhash

from pagekin.errors import WorkspaceError, naming
from pagekin.storage.part_files import Pair, part_files, read_merged
from pagekin.tables import json_digest

__all__ = [
    "BUILDING",
    "DONE",
    "MARK",
    "RECORD",
    "Workspace",
    "check_format",
    "new_mark",
    "sealed",
    "unsealed",
    "write_json",
    "written_files",
    "wrong_file",
]

_KIND, _FORMAT = "pagekin workspace", 3
MARK = "workspace.json"
BUILDING = ".building"
RECORD = "stage.json"
DONE = "_SUCCESS"
_SUMMARY = "summary.json"
_AT_ONCE = 8  # files that are brought to the disk, or read: it takes several as fast as one
_PIECE = 1 << 20  # bytes read at once
_SEAL = "checksum"


def write_json(path: Path, value: Any) -> None:
    """Write a file that is there whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with naming(path), beside.open("w", encoding="utf-8") as out:
        json.dump(value, out, indent=2, ensure_ascii=False)
        out.write("\n")
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)


def sealed(record: Mapping[str, Any]) -> dict[str, Any]:
    """What a pass says of itself, with a checksum of that."""
    plain = json.loads(json.dumps(record))
    return {**plain, _SEAL: json_digest(plain)}


def unsealed(record: Any) -> dict[str, Any] | None:
    """The same without it; None where it does not match."""
    if not isinstance(record, dict) or _SEAL not in record:
        return None
    plain = {key: value for key, value in record.items() if key != _SEAL}
    return plain if record[_SEAL] == json_digest(plain) else None


Files = dict[str, dict[str, Any]]  # name -> bytes, digest


def written_files(folder: Path) -> Files:
    """Length and digest of each file that a stage wrote into a folder: parts and tables."""
    paths = [path for path in folder.iterdir() if _is_of_stage(path.name)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = zip(paths, pool.map(_digest, paths), strict=True)
        return {p.name: {"bytes": p.stat().st_size, "digest": it} for p, it in sorted(found)}


def wrong_file(written: Files, found: Mapping[str, int]) -> str:
    """How files that are found, by name and length, differ from those that a stage wrote."""
    lengths = {name: file["bytes"] for name, file in written.items()}
    of_stage = {name: size for name, size in found.items() if _is_of_stage(name)}
    for name in sorted(lengths.keys() | of_stage.keys()):
        if name not in of_stage:
            return f"{name} is gone"
        if name not in lengths:
            return f"{name} was not made by it"
        if of_stage[name] != lengths[name]:
            return f"{name} has {of_stage[name]:,} bytes and had {lengths[name]:,}"
    return ""


def _is_of_stage(name: str) -> bool:
    return name.startswith("part-") or name.endswith(".arrays")


def _digest(path: Path) -> str:
    digest = xxhash.xxh3_128()
    with path.open("rb", buffering=0) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


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
        # What passes say of themselves, read once: a large snapshot makes megabytes of it.
        self._records: dict[str, tuple[tuple[int, int, int], dict[str, Any]]] = {}

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
            try:
                yield
            finally:
                self._sweep()

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
        if not (folder / DONE).exists():
            return None
        path = folder / RECORD
        try:
            stat = path.stat()
            version = stat.st_ino, stat.st_size, stat.st_mtime_ns
            if self._records.get(name, (None, None))[0] != version:
                record = unsealed(json.loads(path.read_text(encoding="utf-8")))
                if record is None:
                    return None
                self._records[name] = version, record
        except (OSError, ValueError):
            return None
        return self._records[name][1]

    def stage_path(self, name: str) -> Path:
        """The folder of a stage."""
        return self.path / name

    def parts(self, name: str) -> list[Path]:
        """The part files of a complete stage; WorkspaceError where it is not complete."""
        self.require(name)
        return part_files(self.stage_path(name))

    def passes(self) -> dict[str, dict[str, Any]]:
        """What each complete pass says of itself, by its name."""
        names = sorted(path.parent.name for path in self.path.glob(f"*/{DONE}"))
        records = {name: self.stage_record(name) for name in names}
        return {name: record for name, record in records.items() if record}

    def inputs(self, name: str) -> list[str]:
        """What a job names to read a complete pass."""
        return list(map(str, self.parts(name)))

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

    def damage(self, name: str, *, thorough: bool = False) -> str:
        """How the files of a complete pass differ from those that it wrote: in their lengths or,
        if `thorough`, in any byte; empty: they do not.
        """
        folder = self.require(name)
        files = self._records[name][1]["files"]
        try:
            wrong = wrong_file(files, {path.name: path.stat().st_size for path in folder.iterdir()})
            now = written_files(folder) if thorough and not wrong else files
        except OSError as error:
            return f"{Path(str(error.filename)).name} cannot be read: {error.strerror}"
        changed = (f"{file} is not what was written" for file in files if now[file] != files[file])
        return wrong or next(changed, "")

    def complete(self, name: str, made: Path, record: dict[str, Any]) -> None:
        """Put a finished pass in its place: it is there whole from one moment to the next."""
        write_json(made / RECORD, sealed({**record, "files": written_files(made)}))
        (made / DONE).touch()
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(_flush, made.iterdir()))
        old = self._set_aside(name)
        made.rename(self.stage_path(name))
        _flush(self.path)
        shutil.rmtree(old, ignore_errors=True)

    def write_summary(self, summary: dict[str, Any]) -> str:
        """Keep the summary of a build; gives its path."""
        write_json(self.path / _SUMMARY, summary)
        return str(self.path / _SUMMARY)

    def summary(self) -> dict[str, Any]:
        """The summary of the last build that ended; empty where none did."""
        path = self.path / _SUMMARY
        if not path.exists():
            return {}
        try:
            summary: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise WorkspaceError(f"{path} is damaged; pagekin build writes it anew") from error
        return summary

    def remove(self, name: str) -> None:
        """Take a stage away; it vanishes in one move."""
        shutil.rmtree(self._set_aside(name), ignore_errors=True)

    def _set_aside(self, name: str) -> Path:
        """Move a stage, if it is there, into a folder for what is to be removed."""
        grave = self.new_folder("old")
        if self.stage_path(name).exists():
            self.stage_path(name).rename(grave / name)
        return grave


def _is_foreign(path: Path) -> bool:
    return not path.match(f".{MARK}.*")  # else a build was killed as it made the mark


def _flush(path: Path) -> None:
    """Make sure that it is on the disk before something points to it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        with naming(path):
            os.fsync(handle)
    finally:
        os.close(handle)
