"""Array files: a few named numpy arrays in one self-describing, checksummed file.

    line 1    "pagekin arrays 1"
    line 2    16 digits, the checksum of what follows in the line; a blank;
              JSON: kind, meta, arrays (name, dtype, length), checksum of all behind this line
    data      each array at an offset that is a multiple of 64, little-endian

They are opened memory-mapped, so that a task touches only what it looks up, and written beside
their name and moved into place, so that a file is there whole or not at all.

And what URLs are called in such files, where their text is too long to be kept.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import resource
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import xxhash
from numpy.typing import NDArray

from pagekin.errors import InputError, naming

__all__ = [
    "UNREADABLE",
    "ArrayFile",
    "ArrayWriter",
    "allow_open",
    "damaged",
    "json_digest",
    "open_regular",
    "url_digest",
    "url_number",
    "write_arrays",
]

# What reading a damaged file may raise: its header has a checksum, its arrays may hold anything.
UNREADABLE = (LookupError, ValueError, OverflowError, MemoryError)


_WORD = b"pagekin arrays "
_FORMAT = 1
_MAGIC = b"%b%d\n" % (_WORD, _FORMAT)
_MARK = len(_MAGIC) + 16  # bytes that tell one file from another: as far as the head's checksum
_ALIGN = 64
_HEADER_LIMIT = 1 << 20
_PIECE = 1 << 20  # bytes copied at once
_NAME = re.compile(r"[\w ]{1,40}", re.ASCII)  # of a kind
_DTYPE = re.compile(r"\|(?:[iu]1|S16)|<(?:[iu][248]|f[48])")
_AGAIN = "remove the folder that it lies in, and build again"


def write_arrays(
    path: Path, kind: str, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write the arrays under `kind`; whatever stood at `path` is replaced in one move."""
    packed = {
        name: np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        for name, array in arrays.items()
    }
    described = [_described(name, array.dtype, len(array)) for name, array in packed.items()]
    pieces = [[array.data.cast("B") if array.size else b""] for array in packed.values()]
    sizes = [array.nbytes for array in packed.values()]
    _write(path, partial(_header, kind, meta, described), _laid_out(sizes, pieces))


class ArrayWriter:
    """Writes an array file piece by piece: arrays may grow in turns and exceed the memory.

    They grow in files beside the path, which `finish` joins and removes; so does leaving the
    context without it.
    """

    def __init__(self, path: Path, dtypes: Mapping[str, str]) -> None:
        self._path, self._dtypes = path, {name: np.dtype(d) for name, d in dtypes.items()}
        self._files: dict[str, BinaryIO] = {}

    def __enter__(self) -> ArrayWriter:
        for name in self._dtypes:
            self._files[name] = self._beside(name).open("w+b")
        return self

    def __exit__(self, *_: object) -> None:
        for name, file in self._files.items():
            file.close()
            self._beside(name).unlink(missing_ok=True)

    def append(self, name: str, data: bytes) -> None:
        """More of one array, as little-endian bytes."""
        with naming(self._path):
            self._files[name].write(data)

    def finish(self, kind: str, meta: Mapping[str, Any]) -> None:
        """Join the arrays to the file."""
        with naming(self._path):
            sizes = [file.tell() for file in self._files.values()]
        described = [
            _described(name, dtype, size // dtype.itemsize)
            for (name, dtype), size in zip(self._dtypes.items(), sizes, strict=True)
        ]
        data = _laid_out(sizes, map(_pieces, self._files.values()))
        _write(self._path, partial(_header, kind, meta, described), data)

    def _beside(self, name: str) -> Path:
        return self._path.with_name(f".{self._path.name}.{name}.{os.getpid()}")


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    while piece := file.read(_PIECE):
        yield piece


def _laid_out(sizes: list[int], arrays: Any) -> Iterator[bytes]:
    """All behind the header: each array's pieces, filled up to where the next one starts."""
    last = len(sizes) - 1
    for k, (size, pieces) in enumerate(zip(sizes, arrays, strict=True)):
        yield from pieces
        if k < last:
            yield b"\0" * (-size % _ALIGN)


def _write(path: Path, header: Callable[[str], bytes], data: Iterator[bytes]) -> None:
    """The header has the checksum of the data, and is as long with any other."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    checksum = xxhash.xxh3_128()
    with naming(path), beside.open("wb") as out:
        out.write(header(checksum.hexdigest()))
        for piece in data:
            checksum.update(piece)
            out.write(piece)
        out.seek(0)
        out.write(header(checksum.hexdigest()))
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)


def _described(name: str, dtype: np.dtype[Any], length: int) -> dict[str, Any]:
    return {"name": name, "dtype": dtype.str, "length": length}


def _header(
    kind: str, meta: Mapping[str, Any], arrays: list[dict[str, Any]], checksum: str
) -> bytes:
    described = {"kind": kind, "meta": dict(meta), "checksum": checksum, "arrays": arrays}
    text = json.dumps(described, sort_keys=True).encode()
    header = b"%b%b %b" % (_MAGIC, _checksum_of(text), text)
    return header + b" " * (-(len(header) + 1) % _ALIGN) + b"\n"


def _checksum_of(header: bytes) -> bytes:
    return xxhash.xxh3_64_hexdigest(header).encode()


def json_digest(value: Any) -> str:
    """A checksum of what JSON holds, in whatever order its objects have their keys."""
    return xxhash.xxh3_128_hexdigest(json.dumps(value, sort_keys=True).encode())


def damaged(path: Path) -> InputError:
    """The error that says that a file of an index contradicts itself."""
    return InputError(f"{path} is damaged: it contradicts itself; `pagekin verify` says more")


def allow_open(files: int) -> None:
    """Let so many files be opened besides those that are open now, as far as the system lets us.

    That is the soft limit, often 1,024; the hard one stays as it is.
    """
    with suppress(OSError):  # a system without /proc
        files += len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names alone
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < files:
        most = files if hard == resource.RLIM_INFINITY else min(files, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def open_regular(path: Path) -> BinaryIO:
    """A file, open for reading. InputError where it is none: a pipe would be waited for."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise InputError(f"{path} cannot be opened: it is no regular file")


class ArrayFile:
    """An open array file: `file["name"]` is a read-only memory-mapped array.

    A file of another kind is refused; kind "" takes any. It stays the file that was opened, also
    where another one takes its name.
    """

    def __init__(self, path: Path, kind: str = "") -> None:
        self.path = path
        try:
            with open_regular(path) as file:
                header = _read_header(path, file, kind)
                self._start = file.tell()  # where the data begin
                self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:  # it was cut to nothing meanwhile
            reason = getattr(error, "strerror", error)
            raise InputError(f"{path} cannot be opened: {reason}") from error
        self.size = len(self._mapped)  # of the file, in bytes
        self._mark = self._mapped[:_MARK]
        self.meta: dict[str, Any] = header["meta"]
        self.checksum: str = header["checksum"]
        self._arrays = self._laid_out(header["arrays"])

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name]

    @property
    def dtypes(self) -> dict[str, str]:
        """The type of each array, by name."""
        return {name: array.dtype.str for name, array in self._arrays.items()}

    def let_go(self) -> None:
        """The system may have back the memory of what was read; the file is read again for more."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)

    def verify(self) -> None:
        """Read everything and compare the checksum; InputError where it differs."""
        checksum = xxhash.xxh3_128()
        for place in range(self._start, self.size, _PIECE):
            checksum.update(self._mapped[place : place + _PIECE])
        if checksum.hexdigest() != self.checksum:
            raise InputError(f"{self.path} is damaged: its checksum does not match; {_AGAIN}")

    def check_size(self) -> None:
        """InputError where the file was cut short or grew since it was opened.

        To look at it before reading spares a SIGBUS to whoever comes later.
        """
        if self._mapped.size() != self.size:
            raise self._overwritten()

    def check_head(self) -> None:
        """InputError where another file was written in the place of this one: what was read is
        perhaps of both. The head has a checksum of its own, and that has one of the data.
        """
        if self._mapped[:_MARK] != self._mark:
            raise self._overwritten()

    def _overwritten(self) -> InputError:
        return InputError(
            f"{self.path} was overwritten while it was open; open it again, and replace an index"
            " by a rename, as pagekin build does"
        )

    def _laid_out(self, arrays: list[dict[str, Any]]) -> dict[str, NDArray[Any]]:
        offset, found = self._start, {}
        for described in arrays:
            dtype, length = np.dtype(described["dtype"]), described["length"]
            offset += -offset % _ALIGN
            if length and offset + dtype.itemsize * length <= self.size:
                array = np.frombuffer(self._mapped, dtype, length, offset)
            else:
                array = np.empty(0, dtype)
            found[described["name"]] = array
            offset += dtype.itemsize * length
        if self.size != offset:
            wrong = "is cut short" if self.size < offset else "goes on behind its end"
            raise InputError(
                f"{self.path} {wrong}: it should hold {offset} bytes and has {self.size}"
            )
        return found


def _read_header(path: Path, file: BinaryIO, kind: str) -> dict[str, Any]:
    _check_magic(path, file.readline(len(_MAGIC) + 8))
    line = file.readline(_HEADER_LIMIT)
    checksum, _, text = line.removesuffix(b"\n").rstrip(b" ").partition(b" ")
    header: Any = None
    if checksum == _checksum_of(text) and line.endswith(b"\n"):
        with suppress(ValueError, RecursionError):
            header = json.loads(text)
    if not _is_header(header):
        raise InputError(f"{path} is damaged: its header cannot be read; {_AGAIN}")
    if kind and header["kind"] != kind:
        raise InputError(f"{path} holds {header['kind']}, not {kind}")
    described: dict[str, Any] = header
    return described


def _is_header(said: Any) -> bool:
    """Has it every field, as `_header` writes them? Its checksum tells of damage, not of intent."""
    try:
        names = [array["name"] for array in said["arrays"]]
        return (
            {str} == {type(said["checksum"]), *map(type, names)}
            and _NAME.fullmatch(said["kind"]) is not None
            and type(said["meta"]) is dict
            and len(names) == len(set(names))
            and all(
                _DTYPE.fullmatch(array["dtype"])
                and type(array["length"]) is int
                and array["length"] >= 0
                for array in said["arrays"]
            )
        )
    except (KeyError, TypeError):
        return False


def _check_magic(path: Path, magic: bytes) -> None:
    if magic == _MAGIC:
        return
    number = magic.removeprefix(_WORD).strip()
    if magic.startswith(_WORD) and number.isdigit() and int(number) > _FORMAT:
        raise InputError(
            f"{path} is of format {int(number)}; this pagekin reads format {_FORMAT}: a newer one"
            " is needed"
        )
    raise InputError(f"{path} is not an array file of this version of pagekin")


# --- what stands for a URL ------------------------------------------------------------------------


def url_digest(url: bytes) -> bytes:
    """16 bytes that stand for a URL where its text is too long to be kept.

    Whoever publishes pages chooses their URLs, so it is a hash (BLAKE2b) of which nobody can find
    two URLs that share one. docs/decisions/identity.md says what rests on it.
    """
    return blake2b(url, digest_size=16).digest()


def url_number(url: bytes) -> int:
    """The first half of it, for orders and shards. Two URLs may share a number: whoever looks for
    a URL by it compares the text.

    >>> f"{url_number(b'http://a.example/'):016x}"
    'a0354127cc7455ad'
    """
    return int.from_bytes(url_digest(url)[:8])
