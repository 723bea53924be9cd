"""Modules that mrjob 0.7.4 imports and Python has no more, in the little that mrjob uses of them.

Python 3.12 dropped `distutils`, and 3.13 `pipes`. `pagekin.engine` calls `put_stand_ins` before
anything there imports mrjob, on this machine and in tasks on others. The same on every Python:
where the modules are still there they warn, and setuptools, where it is installed, puts all of
itself in the place of `distutils`: 12 MB in every task, a tenth of the largest one. A program that
needs the rest of these modules imports them before `pagekin.engine`.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from types import ModuleType

__all__ = ["put_stand_ins"]

_PARTS_OF_VERSION = re.compile(r"(\d+|[a-z]+|\.)")


def put_stand_ins() -> None:
    """Let `import pipes` and the like succeed; a module that is loaded already stays."""
    for name, members in _STAND_INS.items():
        module = ModuleType(name, __doc__)
        vars(module).update(members)
        sys.modules.setdefault(name, module)


def find_executable(executable: str, path: str | None = None) -> str | None:
    """Where a program is, or None."""
    return shutil.which(executable, path=path)


def loose_version(text: str) -> list[int | str]:
    """A version as what it is compared by.

    >>> loose_version("2.10.1") > loose_version("2.9")
    True
    """
    parts = (part for part in _PARTS_OF_VERSION.split(text) if part not in {"", "."})
    return [int(part) if part.isdecimal() else part for part in parts]


_STAND_INS: dict[str, dict[str, object]] = {
    "pipes": {"quote": shlex.quote},
    "distutils": {"__path__": []},  # a package
    "distutils.spawn": {"find_executable": find_executable},
    "distutils.version": {"LooseVersion": loose_version},
}
