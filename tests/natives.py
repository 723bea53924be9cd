"""The parts in C, for the tests that hold them beside the same in Python.

`make sanitize` runs every test that imports this module, with parts that were built with gcc's
sanitizers.
"""

from __future__ import annotations

import importlib
import os
import shlex
import shutil
import sysconfig
from pathlib import Path
from typing import Any

import pytest

__all__ = ["native"]


def native(name: str) -> Any:
    """A module in C. Skips what asks for it where it was not built; in CI that is a failure, unless
    there is nothing to build it with: no compiler is asked of anybody.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        reason = f"{name} was not built: pagekin was installed without a C compiler"
        if os.environ.get("CI") and _can_be_built():
            pytest.fail(reason)
        pytest.skip(reason)


def _can_be_built() -> bool:
    """Are there the compiler that Python names, and its headers?"""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    headers = Path(sysconfig.get_path("include")) / "Python.h"
    return shutil.which(compiler) is not None and headers.exists()
