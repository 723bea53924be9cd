"""Array files: a few named numpy arrays in one self-describing, checksummed file.

    line 1    "pagekin arrays 1"
    line 2    16 digits, the checksum of what follows in the line; a blank;
              JSON: kind, meta, arrays (name, dtype, length), checksum of the data
    data      each array at an offset that is a multiple of 64, little-endian

They are opened memory-mapped, so that a task touches only what it looks up, and written beside
their name and moved into place, so that a file is there whole or not at all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from pagekin.errors import InputError

__all__ = ["ArrayFile", "write_arrays"]

_MAGIC = b"pagekin arrays 1\n"
_ALIGN = 64
_HEADER_LIMIT = 1 << 20
_AGAIN = "remove the folder that it lies in, and build again"


def write_arrays(
    path: Path, kind: str, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write the arrays under `kind`; whatever stood at `path` is replaced in one move."""
    packed = {
        name: np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        for name, array in arrays.items()
    }
    header = _header(kind, meta, packed)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open("wb") as out:
        out.write(header)
        for array in packed.values():
            out.write(b"\0" * (-out.tell() % _ALIGN))
            out.write(array.data.cast("B") if array.size else b"")
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)


def _header(kind: str, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    checksum = xxhash.xxh3_128()
    for array in arrays.values():
        checksum.update(array.data.cast("B") if array.size else b"")
    described = {
        "kind": kind,
        "meta": dict(meta),
        "checksum": checksum.hexdigest(),
        "arrays": [
            {"name": name, "dtype": array.dtype.str, "length": len(array)}
            for name, array in arrays.items()
        ],
    }
    text = json.dumps(described, sort_keys=True).encode()
    return b"%b%b %b\n" % (_MAGIC, _checksum_of(text), text)


def _checksum_of(header: bytes) -> bytes:
    return xxhash.xxh3_64_hexdigest(header).encode()


class ArrayFile:
    """An open array file: `file["name"]` is a read-only memory-mapped array.

    A file of another kind is refused; kind "" takes any.
    """

    def __init__(self, path: Path, kind: str = "") -> None:
        self._header = _read_header(path, kind)
        self.path = path
        self.meta: dict[str, Any] = self._header["meta"]
        self._arrays = self._map(path)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name]

    def verify(self) -> None:
        """Read everything and compare the checksum; InputError where it differs."""
        checksum = xxhash.xxh3_128()
        for array in self._arrays.values():
            checksum.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
        if checksum.hexdigest() != self._header["checksum"]:
            raise InputError(f"{self.path} is damaged: its checksum does not match; {_AGAIN}")

    def _map(self, path: Path) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {}
        size, offset = path.stat().st_size, self._header["size"]
        for described in self._header["arrays"]:
            dtype, length = np.dtype(described["dtype"]), described["length"]
            offset += -offset % _ALIGN
            end = offset + dtype.itemsize * length
            if end > size:
                raise InputError(f"{path} is cut short: it should hold {end} bytes and has {size}")
            arrays[described["name"]] = (
                np.memmap(path, dtype, "r", offset, (length,)) if length else np.empty(0, dtype)
            )
            offset = end
        return arrays


def _read_header(path: Path, kind: str) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            magic, line = file.readline(len(_MAGIC)), file.readline(_HEADER_LIMIT)
            size = file.tell()
    except OSError as error:
        raise InputError(f"{path} cannot be opened: {error.strerror}") from error
    if magic != _MAGIC:
        raise InputError(f"{path} is not an array file of this version of pagekin")
    checksum, _, text = line.rstrip(b"\n").partition(b" ")
    if checksum != _checksum_of(text):
        raise InputError(f"{path} is damaged: its header cannot be read; {_AGAIN}")
    header: dict[str, Any] = json.loads(text)
    if kind and header["kind"] != kind:
        raise InputError(f"{path} holds {header['kind']}, not {kind}")
    return {**header, "size": size}
