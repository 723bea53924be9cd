"""The parts in C, for the tests that hold them beside the same in Python."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest

__all__ = ["native"]


def native(name: str) -> Any:
    """A module in C. Skips what asks for it where it was not built; in CI that is a failure."""
    try:
        return importlib.import_module(name)
    except ImportError:
        reason = f"{name} was not built: pagekin was installed without a C compiler"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
