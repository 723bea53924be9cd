"""Packages of extras: a test without them is skipped, and fails in CI, which installs them.

There are not all of them for Python 3.14.
"""

from __future__ import annotations

import importlib.util
import os
import sys

import pytest

__all__ = ["need"]


def need(*packages: str) -> None:
    """Skip the test where one is missing."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if not missing:
        return
    said = f"for want of {', '.join(missing)}; pip install '.[rivals]' brings all packages"
    if os.environ.get("CI") and sys.version_info < (3, 14):
        pytest.fail(said)
    pytest.skip(said)
