"""A folder of HDFS as a store, through the `hadoop` command that mrjob would call.

Each command starts a Java machine, so few are given many files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from pagekin.errors import InputError
from pagekin.kinds import STATISTICS
from pagekin.storage.store import OTHER_FILES, Store, check_all_said, documents
from pagekin.tables import allow_open
from pagekin.web import hdfs
from pagekin.web.streams import reading

__all__ = ["HdfsStore"]

_AT_ONCE: Final = 500  # files that one command is given: their names fit on a command line


class HdfsStore(Store):
    """A folder of HDFS, through the `hadoop` command."""

    moves = True

    def __init__(self, uri: str, program: Sequence[str] = ()) -> None:
        super().__init__(uri)
        self._program = program

    def _run(self, name: str, *words: str, data: bytes = b"") -> bytes:
        uri = self.address(name) if name else self.uri
        return hdfs.run(uri, *words, program=self._program, data=data)

    def files(self, below: str = "") -> dict[str, int]:
        root = self.address(below) if below else self.uri
        try:
            found = list(hdfs.list_files(root, self._program))
        except InputError as error:
            if "No such file or directory" in str(error):
                return {}
            raise
        # an address without a host or of a link is written otherwise by the listing
        start = len(root) + 1
        return {self._below(below, uri[start:]): size for uri, size, _ in found}

    @staticmethod
    def _below(folder: str, name: str) -> str:
        return f"{folder}/{name}" if folder else name

    def read_json(self, names: Sequence[str]) -> list[Any]:
        values: list[Any] = []
        for some in _groups(names):
            with self._cat(some) as stream:
                values += documents(stream.read().decode("utf-8", "replace"))
        return values

    @contextmanager
    def _cat(self, names: Sequence[str]) -> Iterator[BinaryIO]:
        uris = [self.address(name) for name in names]
        with hdfs.open_file(*uris, program=self._program) as read, reading(read) as stream:
            yield stream

    @contextmanager
    def opened(self, names: Sequence[str], scratch: Path) -> Iterator[list[BinaryIO]]:
        # copied, because a process of Java for each would be too much
        self.download(names, scratch)
        with ExitStack() as stack:
            allow_open(len(names) + OTHER_FILES)
            yield [stack.enter_context(p.open("rb")) for p in sorted(scratch.iterdir())]

    def write(self, name: str, data: bytes) -> None:
        self._run(name, "-put", "-f", "-", self.address(name), data=data)

    def write_new(self, name: str, data: bytes) -> bool:
        try:
            self._run(name, "-put", "-", self.address(name), data=data)
        except InputError as error:
            if "File exists" in str(error):
                return False
            raise
        return True

    def make_folder(self, name: str = "") -> None:
        self._run(name, "-mkdir", "-p", self.address(name) if name else self.uri)

    def upload(self, paths: Sequence[Path], folder: str) -> None:
        target = self.address(folder) if folder else self.uri
        for some in _groups([str(path) for path in paths]):
            self._run(folder, "-put", "-f", *some, f"{target}/")

    def download(self, names: Sequence[str], folder: Path) -> None:
        for some in _groups(names):
            uris = [self.address(name) for name in some]
            self._run("", "-get", *uris, f"{folder}/")

    def remove(self, *names: str) -> None:
        uris = [self.address(name) for name in names]
        self._run(names[0], "-rm", "-r", "-f", "-skipTrash", *uris)

    def move(self, old: str, new: str) -> None:
        self._run(old, "-mv", self.address(old), self.address(new))

    def end_uploads(self, names: re.Pattern[str]) -> None:
        """There are none: a file that is being written stands in its folder."""

    def statistics(self, parts: Mapping[str, int]) -> Iterator[bytes]:
        # All is read: the command's own -tail gives 1 KiB, which the statistics exceed.
        for some in _groups([name for name, size in parts.items() if size]):
            said = 0
            with self._cat(some) as stream:
                for line in stream:
                    if line.startswith(STATISTICS + b"\t"):
                        said += 1
                        yield line[len(STATISTICS) + 1 :].strip()
            check_all_said(len(some), said)


def _groups(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for first in range(0, len(names), _AT_ONCE):
        yield names[first : first + _AT_ONCE]
