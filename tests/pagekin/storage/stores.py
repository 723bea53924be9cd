"""A store in a folder, which moves folders as HDFS does, or does not, as S3; and a `hadoop`."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from pagekin.storage.part_files import last_line
from pagekin.storage.store import Store, documents

__all__ = ["FolderStore", "make_writing_hadoop"]


class FolderStore(Store):
    """Keeps files below a folder."""

    moves = True

    def __init__(self, root: Path, *, moves: bool) -> None:
        super().__init__(f"test://{root.name}")
        self.root, self.moves = root, moves  # type: ignore[misc]

    def files(self, below: str = "") -> dict[str, int]:
        found = sorted((self.root / below).rglob("*"))
        return {p.relative_to(self.root).as_posix(): p.stat().st_size for p in found if p.is_file()}

    def read_json(self, names: Sequence[str]) -> list[Any]:
        texts = ((self.root / name).read_text() for name in names)
        return [value for text in texts for value in documents(text)]

    @contextmanager
    def opened(self, names: Sequence[str], scratch: Path) -> Iterator[list[BinaryIO]]:
        with ExitStack() as stack:
            yield [stack.enter_context((self.root / name).open("rb")) for name in names]

    def write(self, name: str, data: bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def write_new(self, name: str, data: bytes) -> bool:
        if (self.root / name).exists():
            return False
        self.write(name, data)
        return True

    def make_folder(self, name: str = "") -> None:
        (self.root / name).mkdir(parents=True, exist_ok=True)

    def upload(self, paths: Sequence[Path], folder: str) -> None:
        for path in paths:
            for file in [path, *path.rglob("*")]:
                if file.is_file():
                    inside = file.relative_to(path.parent).as_posix()
                    self.write(f"{folder}/{inside}", file.read_bytes())

    def download(self, names: Sequence[str], folder: Path) -> None:
        for name in names:
            shutil.copy(self.root / name, folder)

    def remove(self, *names: str) -> None:
        for name in names:
            path = self.root / name
            if path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)

    def move(self, old: str, new: str) -> None:
        assert self.moves
        assert not (self.root / new).exists()
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)

    def end_uploads(self, names: re.Pattern[str]) -> None:
        """A folder has none."""

    def statistics(self, parts: Mapping[str, int]) -> Iterator[bytes]:
        for name, size in parts.items():
            if size:
                yield last_line(self.root / name).partition(b"\t")[2]


_HADOOP = '''#!{python}
"""Stands in for `hadoop fs`: files of hdfs://HOST/ lie in a folder."""
import glob, os, pathlib, shutil, sys

root = {root!r}
fs, command, *words = sys.argv[1:]
flags = [w for w in words if w.startswith("-") and len(w) > 1]
words = [w for w in words if w not in flags]
here = lambda w: root + "/" + w.partition("://")[2].partition("/")[2].rstrip("/")

def end(word, reason):
    sys.exit(command[1:] + ": `" + word + "': " + reason)

if os.path.exists(root + "-safe-mode") and command in ("-mkdir", "-put", "-mv", "-rm"):
    sys.exit(command[1:] + ": Cannot write " + words[-1] + ". Name node is in safe mode.")

if command == "-mkdir":
    for w in words:
        os.makedirs(here(w), exist_ok=True)
elif command == "-rm":
    for w in words:
        shutil.rmtree(here(w), ignore_errors=True)
        pathlib.Path(here(w)).unlink(missing_ok=True)
elif command == "-mv":
    if os.path.exists(here(words[1])):
        end(words[1], "File exists")
    os.makedirs(os.path.dirname(here(words[1])), exist_ok=True)
    os.rename(here(words[0]), here(words[1]))
elif command == "-put":
    *sources, target = words
    if sources == ["-"]:
        if os.path.exists(here(target)) and "-f" not in flags:
            end(target, "File exists")
        open(here(target), "wb").write(sys.stdin.buffer.read())
    for s in sources if sources != ["-"] else []:
        to = here(target) + "/" + os.path.basename(s)
        shutil.copytree(s, to) if os.path.isdir(s) else shutil.copy(s, to)
elif command == "-get":
    *sources, target = words
    for w in sources:
        found = glob.glob(here(w))
        if not found:
            end(w, "No such file or directory")
        for s in found:
            to = target + "/" + os.path.basename(s)
            shutil.copytree(s, to) if os.path.isdir(s) else shutil.copy(s, to)
elif command == "-cat":
    for w in words:
        sys.stdout.buffer.write(open(here(w), "rb").read())
elif command == "-ls":
    if not os.path.exists(here(words[0])):
        end(words[0], "No such file or directory")
    for p in sorted(pathlib.Path(here(words[0])).rglob("*")):
        if p.is_file():
            name = "hdfs://x" + str(p)[len(root):]
            print(f"-rw-r--r--   1 a b {{p.stat().st_size:>10}} 2020-01-01 00:00 {{name}}")
'''


def make_writing_hadoop(folder: Path) -> list[str]:
    """A `hadoop` command for the files below folder/hdfs."""
    root, command = folder / "hdfs", folder / "hadoop"
    root.mkdir()
    command.write_text(_HADOOP.format(python=sys.executable, root=str(root)))
    command.chmod(0o755)
    return [str(command)]
