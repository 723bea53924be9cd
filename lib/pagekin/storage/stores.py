"""Which store lies at an address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pagekin.errors import UsageError
from pagekin.storage.hdfs_store import HdfsStore
from pagekin.storage.s3_store import S3Store
from pagekin.storage.store import Store
from pagekin.web.streams import scheme_of

__all__ = ["is_remote", "open_store"]

_REMOTE: Final = ("hdfs", "s3")  # schemes
_PATTERN: Final = frozenset("*?[]{}\\")  # characters that make a pattern of an address


def is_remote(uri: str) -> bool:
    """Is this the address of a store, and no path of this machine?"""
    return bool(scheme_of(uri))


def open_store(uri: str, program: Sequence[str] = ()) -> Store:
    """The store at an address; `program` is the `hadoop` command, where it is not on the PATH."""
    if _PATTERN & set(uri):
        raise UsageError(f"{uri}: is a pattern; name a folder without any of * ? [ ] {{ }} \\")
    scheme = scheme_of(uri)
    if scheme not in _REMOTE:
        raise UsageError(f"{uri}: is read-only; name a folder, or an hdfs:// or s3:// address")
    return HdfsStore(uri, program) if scheme == "hdfs" else S3Store(uri)
