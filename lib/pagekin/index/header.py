"""What an index says of itself in index.json: parameters and where it came from, under a checksum.

It holds no time, no address and no name of a machine: the same snapshot and configuration give the
same bytes wherever they are built.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import xxhash

from pagekin.errors import InputError
from pagekin.index.layout import FORMAT, HEADER

__all__ = ["IndexHeader", "is_header", "read_header", "write_header"]

_KIND = "pagekin index"
_OPENING = 16  # bytes before and around it, however the JSON is laid out


@dataclass(frozen=True)
class IndexHeader:
    """What an index says of itself."""

    config: dict[str, dict[str, Any]]  # the whole configuration of the build
    shards: int
    documents: int
    listed: int  # documents that stand in I
    crawled: int
    empty: int  # documents without a term
    inlinks: list[int]  # documents with 0, 1, 2 ... inlinks; the last counts all above
    frequencies: dict[str, float]  # bags, terms, mu, sigma
    files: dict[str, str]  # file -> checksum of its data
    sources: list[dict[str, Any]] = field(default_factory=list)  # snapshots: pagekin, files, bytes
    kin: int = 0  # pages with related pages by co-citation

    @property
    def digest(self) -> str:
        """One number for all that is stored."""
        text = json.dumps([self.config, self.files], sort_keys=True)
        value: str = xxhash.xxh3_128_hexdigest(text.encode())
        return value


def write_header(folder: Path, header: IndexHeader) -> None:
    """Write index.json."""
    (folder / HEADER).write_bytes(_rendered(asdict(header)))


def read_header(folder: Path) -> IndexHeader:
    """The header of an index; InputError says why a folder is none."""
    path = folder / HEADER
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder; `pagekin build --index` makes one")
    if not path.is_file():
        raise InputError(f"{folder} is no index (it has no {HEADER})")
    try:
        text = path.read_bytes()
        said = json.loads(text)
        number = said.pop(_KIND)
        checksum = said.pop("checksum") if number == FORMAT else ""
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is damaged: it cannot be read; build the index again") from error
    if number != FORMAT:
        raise InputError(
            f"{folder} is an index of format {number}; this pagekin reads format {FORMAT}"
        )
    if checksum != _checksum(said) or text != _rendered(said):
        raise InputError(f"{path} is damaged: its checksum does not match; build the index again")
    if set(said) != {f.name for f in fields(IndexHeader)}:
        raise InputError(f"{path} says other things than this pagekin reads; build the index again")
    return IndexHeader(**said)


def is_header(path: Path) -> bool:
    """Is this file the header of an index, if perhaps a damaged one or of another format?"""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _KIND.encode() in file.read(len(_KIND) + _OPENING)


def _rendered(said: dict[str, Any]) -> bytes:
    return json.dumps({_KIND: FORMAT, "checksum": _checksum(said), **said}, indent=1).encode()


def _checksum(said: dict[str, Any]) -> str:
    value: str = xxhash.xxh3_128_hexdigest(json.dumps(said, sort_keys=True).encode())
    return value
