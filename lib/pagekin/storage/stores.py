"""Which store lies at an address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pagekin.errors import UsageError
from pagekin.storage.hdfs_store import HdfsStore
from pagekin.storage.s3_store import S3Store, UnaskedS3Store
from pagekin.storage.store import Store
from pagekin.web.streams import scheme_of

__all__ = ["is_remote", "open_store"]

_REMOTE: Final = ("hdfs", "s3")  # schemes
_ODD: Final = frozenset("*?[]{}\\#,")  # characters that make patterns, or end addresses in jobs


def is_remote(uri: str) -> bool:
    """Is this the address of a store, and no path of this machine?"""
    return bool(scheme_of(uri))


def open_store(uri: str, program: Sequence[str] = (), *, ask: bool = True) -> Store:
    """The store at an address; `program` is the `hadoop` command, where it is not on the PATH.

    One in S3 that is not to be asked looks empty.
    """
    if _ODD & set(uri):
        raise UsageError(f"{uri}: name a folder without any of * ? [ ] {{ }} \\ # , for jobs")
    scheme = scheme_of(uri)
    if scheme not in _REMOTE:
        raise UsageError(f"{uri}: is read-only; name a folder, or an hdfs:// or s3:// address")
    if scheme == "hdfs":
        return HdfsStore(uri, program)
    return S3Store(uri) if ask else UnaskedS3Store(uri)
