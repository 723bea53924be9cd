"""Who holds a remote workspace: what a lock file says, and whether its process has ended.

A file outlives a process that is killed. Whether that process is no more can be told on its own
machine only; of another one the lock is believed.
"""

from __future__ import annotations

import os
import platform
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["boot", "has_ended", "this_process"]

_BOOT = Path("/proc/sys/kernel/random/boot_id")


def this_process() -> dict[str, Any]:
    """What a lock says of the process that takes it."""
    return {
        "machine": platform.node(),
        "boot": boot(),
        "processes": _namespace(),
        "process": os.getpid(),
        "started": _started(os.getpid()),
        "taken": uuid.uuid4().hex,
    }


def has_ended(holder: Any) -> bool:
    """Is it certain that the process that took a lock is no more?"""
    mine = this_process()
    try:
        if holder["machine"] != mine["machine"]:
            return False
        if holder["boot"] != mine["boot"]:
            return True  # the machine was started anew
        if holder["processes"] != mine["processes"]:
            return False  # another container: its numbers mean nothing here
        return bool(_started(int(holder["process"])) != holder["started"])
    except (KeyError, TypeError, ValueError):
        return False


def boot() -> str:
    """Names the time since this machine was started; empty where it has no name."""
    with suppress(OSError):
        return _BOOT.read_text(encoding="ascii").strip()
    return ""


def _namespace() -> str:
    with suppress(OSError):
        return str(Path("/proc/self/ns/pid").readlink())
    return ""


def _started(process: int) -> str:
    """When a process began, in clock ticks since the boot; empty if there is none."""
    with suppress(OSError, IndexError):
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        return text.rpartition(") ")[2].split()[19]
    return ""
