"""A prefix of a bucket as a store, with the requests, credentials and new tries of `web/s3.py`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from pagekin.errors import InputError, naming
from pagekin.kinds import STATISTICS
from pagekin.printing import tell
from pagekin.storage.part_files import last_line_of
from pagekin.storage.store import OTHER_FILES, Store, check_all_said, documents
from pagekin.tables import allow_open
from pagekin.web.streams import reading

if TYPE_CHECKING:
    from pagekin.web.s3 import Bucket

__all__ = ["S3Store", "UnaskedS3Store"]

_PIECE: Final = 1 << 20  # bytes copied at once
_MARKERS: Final = ("/", "_$folder$")  # objects that stand for folders, as Hadoop's clients make


class S3Store(Store):
    """A prefix of a bucket."""

    moves = False

    def __init__(self, uri: str) -> None:
        from pagekin.web.s3 import split_uri  # noqa: PLC0415 - 0.2 s that others need not pay

        super().__init__(uri)
        _, prefix = split_uri(self.uri)
        self._prefix = f"{prefix}/" if prefix else ""

    @contextmanager
    def _bucket(self) -> Iterator[Bucket]:
        from pagekin.web.s3 import open_bucket  # noqa: PLC0415

        with open_bucket(self.uri) as bucket:
            yield bucket

    def files(self, below: str = "") -> dict[str, int]:
        start = f"{self._prefix}{below}/" if below else self._prefix
        with self._bucket() as bucket:
            found = {o.key[len(self._prefix) :]: o.size for o in bucket.below(start)}
        return {n: size for n, size in found.items() if n and not n.endswith(_MARKERS)}

    def read_json(self, names: Sequence[str]) -> list[Any]:
        with self._bucket() as bucket:
            texts = [_from(bucket, self._prefix + name, 0) for name in names]
        return [value for text in texts for value in documents(text.decode("utf-8", "replace"))]

    @contextmanager
    def opened(self, names: Sequence[str], scratch: Path) -> Iterator[list[BinaryIO]]:
        with self._bucket() as bucket, ExitStack() as stack:
            allow_open(len(names) + OTHER_FILES)
            yield [
                stack.enter_context(reading(_opened(stack, bucket, self._prefix + name)))
                for name in names
            ]

    def write(self, name: str, data: bytes) -> None:
        with self._bucket() as bucket:
            bucket.write(self._prefix + name, data)

    def write_new(self, name: str, data: bytes) -> bool:
        with self._bucket() as bucket:
            return bucket.write_new(self._prefix + name, data)

    def make_folder(self, name: str = "") -> None:
        """There are no folders."""

    def upload(self, paths: Sequence[Path], folder: str) -> None:
        start = f"{self._prefix}{folder}/" if folder else self._prefix
        with self._bucket() as bucket:
            for path in paths:
                for file in [path, *path.rglob("*")]:
                    if file.is_file():
                        bucket.upload(file, start + file.relative_to(path.parent).as_posix())

    def download(self, names: Sequence[str], folder: Path) -> None:
        with self._bucket() as bucket:
            for name in names:
                _copy(bucket, self._prefix + name, folder / name.rpartition("/")[2])

    def remove(self, *names: str) -> None:
        with self._bucket() as bucket:
            keys = [o.key for name in names for o in bucket.below(f"{self._prefix}{name}/")]
            named = (f"{self._prefix}{name}{end}" for name in names for end in ("", _MARKERS[1]))
            bucket.delete([*keys, *named])

    def move(self, old: str, new: str) -> None:
        raise NotImplementedError("S3 moves nothing")

    def end_uploads(self, names: re.Pattern[str]) -> None:
        try:
            with self._bucket() as bucket:
                bucket.end_uploads(self._prefix, names)
        except InputError as error:  # a build needs no right to see them
            tell(
                f"note: {error}; should a build have been killed, pieces of its uploads stay there:"
                " let a rule of the bucket end them (AbortIncompleteMultipartUpload)"
            )

    def statistics(self, parts: Mapping[str, int]) -> Iterator[bytes]:
        with self._bucket() as bucket:
            for name, size in parts.items():
                if not size:
                    continue
                line = last_line_of(size, partial(_from, bucket, self._prefix + name))
                word, _, said = line.partition(b"\t")
                check_all_said(1, int(word == STATISTICS))
                yield said


class UnaskedS3Store(S3Store):
    """For a dry run without credentials: nothing is asked, and it looks empty."""

    def files(self, below: str = "") -> dict[str, int]:
        return {}

    def read_json(self, names: Sequence[str]) -> list[Any]:
        return []


def _opened(stack: ExitStack, bucket: Bucket, key: str) -> Callable[[int], bytes]:
    file = stack.enter_context(closing(bucket.stream(key, time.sleep)))
    file.open()
    return file.read


def _copy(bucket: Bucket, key: str, path: Path) -> None:
    with naming(path), path.open("wb") as out:
        out.writelines(_pieces(bucket, key))


def _from(bucket: Bucket, key: str, at: int) -> bytes:
    return b"".join(_pieces(bucket, key, at))


def _pieces(bucket: Bucket, key: str, at: int = 0) -> Iterator[bytes]:
    with closing(bucket.stream(key, time.sleep)) as file:
        file.open(at)
        while piece := file.read(_PIECE):
            yield piece
