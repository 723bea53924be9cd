"""Where a workspace or an index may lie away from this machine: in HDFS, or in a bucket of S3.

A store knows files below an address by their names in it (`STAGE/part-00000`). It says what is
there and how long, reads and writes, and takes away; how a workspace is laid out, and what makes a
stage complete, is decided in `pagekin.storage.remote_workspace`.

What the stores do not share: HDFS moves a folder in one step, but its command takes a second to
start and reads files from their beginning only. S3 moves nothing, and reads from any byte.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Final

from pagekin.errors import StageError

__all__ = ["OTHER_FILES", "Store", "check_all_said", "documents"]

OTHER_FILES: Final = 64  # that a process has open besides part files: tables, logs, libraries


class Store(ABC):
    """Files below an address."""

    moves: ClassVar[bool]  # does it move a folder in one step?

    def __init__(self, uri: str) -> None:
        self.uri = uri.rstrip("/")

    def address(self, name: str) -> str:
        """The whole address of a file or folder."""
        return f"{self.uri}/{name}"

    @abstractmethod
    def files(self, below: str = "") -> dict[str, int]:
        """The names of all files in a folder and in those below it, with their sizes."""

    @abstractmethod
    def read_json(self, names: Sequence[str]) -> list[Any]:
        """What these files hold, which are there and small."""

    @abstractmethod
    def opened(self, names: Sequence[str], scratch: Path) -> AbstractContextManager[list[BinaryIO]]:
        """All these files, open for reading; `scratch` is an empty folder."""

    @abstractmethod
    def write(self, name: str, data: bytes) -> None:
        """Make a file that is there whole or not at all, in place of one that stood there."""

    @abstractmethod
    def write_new(self, name: str, data: bytes) -> bool:
        """Make a file unless there is one; was it made?"""

    @abstractmethod
    def make_folder(self, name: str = "") -> None:
        """Make a folder, and those above it; one that is there stays."""

    @abstractmethod
    def upload(self, paths: Sequence[Path], folder: str) -> None:
        """Copy files and folders into a folder that is there, under their own names."""

    @abstractmethod
    def download(self, names: Sequence[str], folder: Path) -> None:
        """Copy files into one folder of this machine, under the last part of their names."""

    @abstractmethod
    def remove(self, *names: str) -> None:
        """Take away files, and folders with all that is in them; what is not there is no error."""

    @abstractmethod
    def move(self, old: str, new: str) -> None:
        """Give a folder another name, under which nothing stands."""

    @abstractmethod
    def end_uploads(self, names: re.Pattern[str]) -> None:
        """Take away the pieces of uploads that were never ended, to files whose names match."""

    @abstractmethod
    def statistics(self, parts: Mapping[str, int]) -> Iterator[bytes]:
        """What the tasks say at the end of these part files, of so many bytes each."""


def documents(text: str) -> Iterator[Any]:
    """The JSON values that stand in a text one behind the other; of a broken one what is whole."""
    decoder, at, text = json.JSONDecoder(), 0, text.strip()
    while 0 <= at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            at = text.find("{", at + 1)
            continue
        yield value
        while text[at : at + 1].isspace():
            at += 1


def check_all_said(parts: int, said: int) -> None:
    """StageError where some part files end without what their tasks say."""
    if said != parts:
        raise StageError(
            f"of {parts} part files {parts - said} end without their task's statistics:"
            " they are not whole"
        )
