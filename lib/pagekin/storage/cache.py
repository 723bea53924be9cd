"""Where this machine keeps copies of what lies elsewhere: they can be removed at any time.

    CACHE/workspaces/HASH/    of a remote workspace: its tables, its lock on this machine, scratch
    CACHE/indexes/DIGEST/     a remote index that was asked
    CACHE/packages/           archives of dependencies, which `--package auto` made

CACHE is PAGEKIN_CACHE, or else `pagekin` in XDG_CACHE_HOME, which is ~/.cache by default.
"""

from __future__ import annotations

import os
from pathlib import Path

import xxhash

__all__ = ["indexes_folder", "packages_folder", "workspace_folder"]


def indexes_folder() -> Path:
    """Where copies of indexes lie."""
    return _root() / "indexes"


def packages_folder() -> Path:
    """Where archives of dependencies lie."""
    return _root() / "packages"


def workspace_folder(uri: str) -> Path:
    """The folder for a remote workspace."""
    return _root() / "workspaces" / xxhash.xxh3_64_hexdigest(uri.encode())


def _root() -> Path:
    if named := os.environ.get("PAGEKIN_CACHE"):
        return Path(named).absolute()
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser().absolute() / "pagekin"
