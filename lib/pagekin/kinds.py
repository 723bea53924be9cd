"""All kinds of record: what each is called, and with what its keys begin.

A record is a pair of bytes, key and value. Kinds whose keys begin with `!` sort before every URL:
records of several kinds can lie in one file, and be told apart or cut out of it by their keys.
The bytes of each kind are described in docs/formats.md.
"""

from __future__ import annotations

__all__ = ["Pair"]

Pair = tuple[bytes, bytes]  # key, value
