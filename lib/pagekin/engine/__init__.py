"""Jobs, and what runs them: each of mrjob's runners has a room of its own.

mrjob imports distutils. Until Python 3.12 that is in the standard library, but setuptools, where it
is installed, puts its own in that place, and all of setuptools with it: 12 MB in every task, a
tenth of the largest one. Here setuptools is asked to leave the standard library's in place.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import suppress

__all__ = ["ON_THIS_MACHINE", "RUNNERS"]

# mrjob's runners that are known to give the same records.
RUNNERS = ("inline", "local", "hadoop", "spark", "emr")
ON_THIS_MACHINE = frozenset({"inline", "local"})

if sys.version_info < (3, 12):
    with suppress(ImportError, AttributeError):
        importlib.import_module("_distutils_hack").remove_shim()
