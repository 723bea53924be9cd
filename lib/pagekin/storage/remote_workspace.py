"""A workspace in HDFS or S3: records of stages stay there, and jobs read them where they lie.

    WORK/workspace.json         says that this is a workspace, and of which format
    WORK/STAGE/...              a stage as on this machine, in HDFS
    WORK/STAGE/PLACE/...        the same in S3; stage.json stands above it and names PLACE
    WORK/.building/STAGE-PLACE/ in HDFS: what is being made; it becomes WORK/STAGE in one rename
    WORK/.lock                  which process builds
    WORK/summary.json           the summary of the last build

What comes here is what the tasks say at the end of their part files, and of stages from which
tables are made (aliases, document frequencies) all records. Tables are made here, kept in a
workspace of this machine that is a cache, and stored beside the parts.

S3 has no rename: a stage is whole from the moment at which stage.json is written, the last of its
files. Hadoop's own _SUCCESS makes no stage.

The lock is a file that only one build can make; it holds a number that is made up for it, which is
also kept in the cache. After a build that was killed the next one with the same cache knows the
number in the lock, and takes it over: no other build with this cache lives, because the cache has a
lock of the system. Nobody else can tell whether a build lives (machines may share a name), and
refuses. A person may remove the file while its build lives, and a store that knows no conditional
writes makes it for two: then two builds can take stages away from each other, but none can mix:
places are unique.
"""

from __future__ import annotations

import json
import os
import platform
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pagekin.errors import DamageError, PagekinError, WorkspaceError
from pagekin.kinds import STATISTICS
from pagekin.storage.cache import workspace_folder
from pagekin.storage.part_files import Pair, merged
from pagekin.storage.store import Store
from pagekin.storage.workspace import (
    BUILDING,
    DONE,
    MARK,
    RECORD,
    Workspace,
    check_format,
    new_mark,
    sealed,
    unsealed,
    written_files,
    wrong_file,
)

__all__ = ["AnyWorkspace", "RemoteWorkspace"]

_LOCK = ".lock"
_TAKEN = ".taken"  # in the cache: the numbers of locks that builds here took
_SUMMARY = "summary.json"
_PLACE = re.compile(r"([^/]+)/\1-[0-9a-f]{12}(?=/)")  # what a build made in S3


class RemoteWorkspace:
    """A workspace in a store; the same methods as those of a Workspace that a build uses."""

    def __init__(self, store: Store) -> None:
        self.name = store.uri
        self._store = store
        self._here = Workspace(workspace_folder(store.uri))
        self._files: dict[str, int] | None = None
        self._records: dict[str, dict[str, Any]] = {}
        self._places: dict[str, str] = {}  # stage -> where its job writes
        self._parts_of: dict[str, dict[str, int]] = {}  # stage -> the parts that its job wrote
        self._made_now: set[str] = set()  # stages that were not yet there when files were listed

    @classmethod
    def create(cls, store: Store) -> RemoteWorkspace:
        """A workspace to build in; a folder of other things is refused."""
        workspace = cls(store)
        files = store.files()
        if MARK not in files:
            if any(not name.startswith((".", MARK)) for name in files):
                raise WorkspaceError(
                    f"{store.uri} holds other files and is no workspace; name a new folder"
                )
            store.make_folder()
            store.write(MARK, json.dumps(new_mark()).encode())
        marks = store.read_json([MARK])
        check_format(store.uri, marks[0] if marks else None)
        workspace._here = Workspace.create(workspace_folder(store.uri))
        return workspace

    # --- the lock ---

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other builds out, and sweep up after one that was killed."""
        with self._here.locked():
            self._take_lock()
            try:
                self._read_anew()
                self._sweep()
                yield
            finally:
                with suppress(PagekinError):  # what led here says more
                    self._store.remove(*map(self._made, self._places), _LOCK)

    def _take_lock(self) -> None:
        number = uuid.uuid4().hex
        mine = {"machine": platform.node(), "process": os.getpid(), "taken": number}
        kept = self._here.path / _TAKEN
        known = kept.read_text(encoding="ascii").split() if kept.exists() else []
        kept.write_text(" ".join([*known, number]), encoding="ascii")
        data = json.dumps(mine).encode()
        if not self._store.write_new(_LOCK, data):
            said = self._store.read_json([_LOCK])
            holder = said[0] if said and isinstance(said[0], dict) else {}
            if holder.get("taken") in known:
                self._store.remove(_LOCK)
            # else it may be ours: made by a request of which the answer was lost
            if holder.get("taken") != number and not self._store.write_new(_LOCK, data):
                raise WorkspaceError(
                    f"{self.name} is in use by another build: process {holder.get('process', '?')}"
                    f" on {holder.get('machine', '?')}; if that build was killed, remove"
                    f" {self._store.address(_LOCK)}"
                )
        kept.write_text(number, encoding="ascii")

    def _sweep(self) -> None:
        """Remove what a killed build was making, and what a finished stage took the place of."""
        self._store.end_uploads(_PLACE)
        if self._store.moves:
            self._store.remove(BUILDING)  # also where it holds empty folders, which no list shows
            return
        kept = {self._home(name) for name in self._records}
        places = {m[0] for m in map(_PLACE.match, self._files or ()) if m}
        if places - kept:
            self._store.remove(*sorted(places - kept))

    # --- stages ---

    def _read_anew(self) -> None:
        self._files = self._store.files()
        self._made_now.clear()
        names = [n for n in self._files if n.count("/") == 1 and n.endswith(f"/{RECORD}")]
        said = self._store.read_json(sorted(n for n in names if not n.startswith(".")))
        self._records = {r["stage"]: r for r in filter(None, map(unsealed, said))}
        whole = {name for name in self._records if f"{self._home(name)}/{DONE}" in self._files}
        self._records = {name: self._records[name] for name in whole}

    def _home(self, name: str) -> str:
        """Where the parts of a finished stage lie."""
        return name if self._store.moves else f"{name}/{self._records[name].get('place')}"

    def stage_record(self, name: str) -> dict[str, Any] | None:
        """What a complete stage says of itself; None for one that is not there."""
        if self._files is None:
            self._read_anew()
        return self._records.get(name)

    def damage(self, name: str, *, thorough: bool = False) -> str:
        """How the files of a complete pass differ in their lengths from those that it wrote: those
        listed at the start or, if `thorough`, those of now. The store guards the bytes itself.
        """
        self._check_built(name)
        home = self._home(name)
        if not thorough and name in self._made_now:
            return ""
        found = self._store.files(home) if thorough else self._files or {}
        found = {n: size for n, size in found.items() if n.startswith(f"{home}/")}
        lengths = {n.removeprefix(f"{home}/"): size for n, size in found.items()}
        return wrong_file(self._records[name]["files"], lengths)

    def new_folder(self, name: str) -> Path:
        """A fresh folder on this machine."""
        return self._here.new_folder(name)

    def passes(self) -> dict[str, dict[str, Any]]:
        """What each complete pass says of itself, by its name."""
        if self._files is None:
            self._read_anew()
        return dict(sorted(self._records.items()))

    def inputs(self, name: str) -> list[str]:
        """What a job names to read a complete pass."""
        self._check_built(name)
        return [f"{self._store.address(self._home(name))}/part-*"]

    def records(self, name: str) -> Iterator[Pair]:
        """The records of a complete stage, in the order of their keys."""
        self._check_built(name)
        parts = sorted(self._parts(self._home(name)))
        with self._store.opened(parts, self._here.new_folder(name)) as files:
            yield from merged(files)

    def _parts(self, folder: str) -> dict[str, int]:
        files = self._store.files(folder)
        return {n: size for n, size in files.items() if n.startswith(f"{folder}/part-")}

    def _check_built(self, name: str) -> None:
        if self.stage_record(name) is None:
            raise WorkspaceError(f"{self.name}: stage {name} is not built; run pagekin build")

    # --- tables ---

    def table(self, name: str, file: str) -> Path | None:
        """A table of a stage, in the cache; None where there is none."""
        record = self.stage_record(name)
        if record is None:
            return None
        here = self._here.stage_record(name) or {}
        if here.get("place") != record["place"] or self._here.damage(name, thorough=True):
            self._fetch_tables(name, record)
        return self._here.table(name, file)

    def _fetch_tables(self, name: str, record: dict[str, Any]) -> None:
        files, start = self._files or {}, f"{self._home(name)}/"
        beside = {f"{start}{RECORD}", f"{start}{DONE}"}
        tables = [n for n in files if n.startswith(start) and "/part-" not in n]
        folder = self._here.new_folder(name)
        self._store.download([n for n in tables if n not in beside], folder)
        for file, written in written_files(folder).items():
            if written != record["files"].get(file):
                raise DamageError(name, f"{self.name}/{name}: {file} is not what was written")
        self._here.complete(name, folder, record)

    # --- building ---

    def output(self, name: str) -> str:
        """A fresh address where the job of a stage writes."""
        unique = f"{name}-{uuid.uuid4().hex[:12]}"
        self._places[name] = unique
        return self._store.address(self._made(name))

    def _made(self, name: str) -> str:
        return f"{BUILDING if self._store.moves else name}/{self._places[name]}"

    def bring(self, name: str, folder: Path, *, whole: bool) -> None:
        """Put the output of a job here: part files, or only what the tasks say at their ends."""
        parts = self._parts(self._made(name))
        if not parts:
            raise WorkspaceError(f"{self._store.address(self._made(name))}: the job wrote no parts")
        self._parts_of[name] = parts
        folder.mkdir()
        if whole:
            self._store.download(sorted(parts), folder)
            return
        for k, said in enumerate(self._store.statistics(parts)):
            (folder / f"part-{k:05d}").write_bytes(b"%b\t%b\n" % (STATISTICS, said))

    def complete(self, name: str, made: Path, record: dict[str, Any]) -> None:
        """Put a finished stage in its place: it is there whole from one moment to the next."""
        for part in made.glob("part-*"):
            part.unlink()
        start = f"{self._made(name)}/"
        parts = {n.removeprefix(start): {"bytes": size} for n, size in self._parts_of[name].items()}
        files = {**parts, **written_files(made)}
        record = {**record, "place": self._places[name], "files": files}
        text = json.dumps(sealed(record), indent=2, ensure_ascii=False).encode()
        if self._store.moves:
            (made / RECORD).write_bytes(text)
        (made / DONE).touch()
        self._store.upload(sorted(made.iterdir()), self._made(name))
        self._publish(name, text)
        self._places.pop(name)
        self._here.complete(name, made, record)
        self._records[name] = record
        self._made_now.add(name)

    def _publish(self, name: str, text: bytes) -> None:
        old = self._home(name) if self.stage_record(name) else ""
        if not self._store.moves:
            self._store.write(f"{name}/{RECORD}", text)
            if old:
                self._store.remove(old)
            return
        grave = f"{BUILDING}/old-{uuid.uuid4().hex[:12]}"
        if old:
            self._store.move(old, grave)
        else:
            self._store.remove(name)  # what is no stage; else the new one would be moved into it
        self._store.move(self._made(name), name)
        if old:
            self._store.remove(grave)

    def remove(self, name: str) -> None:
        """Take a pass away."""
        if name in self._records:
            names = (
                [self._home(name)] if self._store.moves else [f"{name}/{RECORD}", self._home(name)]
            )
            self._store.remove(*names)
            self._records.pop(name)
        self._here.remove(name)

    def write_summary(self, summary: dict[str, Any]) -> str:
        """Keep the summary of a build; gives its address."""
        text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
        self._store.write(_SUMMARY, text.encode())
        return self._store.address(_SUMMARY)


AnyWorkspace = Workspace | RemoteWorkspace
