"""An index in HDFS or S3: left there whole by a build, and copied here to be asked.

It has the files of an index on this machine. In HDFS it is written beside its name and renamed. S3
has no rename: index.json is written last, and taken away first where an index is replaced; who
copies meanwhile finds checksums that do not match.

Copies lie in the cache under the digest of the index. One that is there is complete and is used
again; nothing but index.json is read from the store then. What is copied are the files that follow
from index.json, and nothing else that lies below the address, whatever its name.
"""

from __future__ import annotations

import re
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

from pagekin.errors import InputError, UsageError
from pagekin.index.assembling import index_in_place
from pagekin.index.folder import ALIASES, HEADER, OPTIONAL, IndexHeader, is_header, read_header
from pagekin.printing import tell
from pagekin.storage.cache import indexes_folder
from pagekin.storage.store import Store
from pagekin.tables import ArrayFile

__all__ = ["RemoteIndex"]


class RemoteIndex:
    """An index, or the place for one, below a store."""

    def __init__(self, store: Store, name: str) -> None:
        self.uri = store.address(name)
        self._store, self._name = store, name

    def sizes(self) -> dict[str, int]:
        """The files that are there, by their names in the index."""
        files = self._store.files(self._name)
        return {name.removeprefix(f"{self._name}/"): size for name, size in files.items()}

    def check_target(self) -> None:
        """UsageError where an index cannot be written here."""
        there = self.sizes()
        with tempfile.TemporaryDirectory(prefix="pagekin-index-") as folder:
            if there and not (HEADER in there and is_header(self._fetch_header(Path(folder)))):
                raise UsageError(
                    f"--index {self.uri}: holds other files and is no index; name a new folder"
                )
        for name in sorted(there):
            if name not in {HEADER, ALIASES, *OPTIONAL} and not Path(name).match(
                "shard-?????/*.arrays"
            ):
                raise UsageError(
                    f"--index {self.uri}: holds {name} beside an index, which would be lost; move"
                    " it away, or name a new folder"
                )

    def standing(self, scratch: Path) -> IndexHeader | None:
        """What the index that stands there says of itself; None where there is none, or not all."""
        there = self.sizes()
        if HEADER not in there:
            return None
        self._fetch_header(scratch)
        try:
            header = read_header(scratch)
        except InputError:
            return None
        return header if header.files.keys() <= there.keys() else None

    def put(self, folder: Path) -> None:
        """Copy an index of this machine to its place; one that stands there is replaced."""
        if self._store.moves:
            self._exchange(folder)
            return
        self._store.end_uploads(re.compile(f"{re.escape(self._name)}/"))
        self._store.remove(f"{self._name}/{HEADER}")
        self._store.remove(self._name)
        self._store.upload([p for p in sorted(folder.iterdir()) if p.name != HEADER], self._name)
        self._store.upload([folder / HEADER], self._name)

    def _exchange(self, folder: Path) -> None:
        made = f".{self._name}.new-{uuid.uuid4().hex[:12]}"
        self._store.make_folder(made)
        try:
            self._store.upload(sorted(folder.iterdir()), made)
            self._store.remove(self._name)
            self._store.move(made, self._name)
        except BaseException:
            self._store.remove(made)
            raise

    def copy_here(self) -> Path:
        """The folder of a copy in the cache, made if there is none."""
        with self._header() as (header, text):
            folder = indexes_folder() / header.digest
            if _holds(folder, text):
                return folder
        there = self.sizes()
        if missing := sorted(header.files.keys() - there.keys()):
            raise InputError(f"{self.uri}: {missing[0]} is missing")
        size = sum(there[name] for name in header.files)
        tell(f"copying {self.uri} ({size:,} bytes) to {folder}")
        with index_in_place(folder) as made:
            (made / HEADER).write_bytes(text)
            for shard, names in groupby(header.files, key=lambda name: name.rpartition("/")[0]):
                (made / shard).mkdir(exist_ok=True)
                self._store.download([f"{self._name}/{name}" for name in names], made / shard)
            _check(self.uri, made, header)
        return folder

    @contextmanager
    def _header(self) -> Iterator[tuple[IndexHeader, bytes]]:
        with tempfile.TemporaryDirectory(prefix="pagekin-index-") as name:
            folder = Path(name)
            try:
                self._fetch_header(folder)
            except InputError as error:
                raise InputError(f"{self.uri}: no index can be read there: {error}") from error
            yield read_header(folder), (folder / HEADER).read_bytes()

    def _fetch_header(self, folder: Path) -> Path:
        self._store.download([f"{self._name}/{HEADER}"], folder)
        return folder / HEADER


def _holds(folder: Path, header: bytes) -> bool:
    path = folder / HEADER
    return path.is_file() and path.read_bytes() == header


def _check(uri: str, folder: Path, header: IndexHeader) -> None:
    """InputError where a copy is not what its header says."""
    for name, checksum in header.files.items():
        file = ArrayFile(folder / name)
        file.verify()
        if file.checksum != checksum:
            raise InputError(f"{uri}: {name} is of another index; was it replaced? Try again")
