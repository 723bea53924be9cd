"""Imports mrjob without what it does not use: 0.25 s of CPU at the start of each command.

mrjob asks for two small helpers of the standard library's distutils. Where setuptools is installed,
that puts its own copy in their place, and with it all of setuptools. And of pyspark it asks where
it lies, for which it imports the whole of it, also to run a job on this machine.

Jobs and the runner of stages take mrjob from here; it is not loaded before they are.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType

__all__ = ["MRJob", "MRStep", "StepFailedException", "import_runners", "to_lines"]


@contextmanager
def _without_stand_ins() -> Iterator[None]:
    """Modules are those of the standard library, and not what setuptools puts in their place."""
    known, finders = set(sys.modules), sys.meta_path[:]
    if sys.version_info < (3, 12):  # later there is no other distutils
        sys.meta_path[:] = [finder for finder in finders if "_distutils_hack" not in repr(finder)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of distutils and of pipes
            yield
    finally:
        sys.meta_path[:] = finders
        for name in set(sys.modules) - known:
            if name.partition(".")[0] == "distutils":
                del sys.modules[name]  # setuptools warns of a distutils that is not its own


with _without_stand_ins():
    from mrjob.job import MRJob
    from mrjob.step import MRStep, StepFailedException
    from mrjob.util import to_lines


def import_runners() -> None:
    """What runners that start programs need of mrjob; pyspark is looked up, and not run."""
    spec = None if "pyspark" in sys.modules else find_spec("pyspark")
    if spec is None:
        return
    found = ModuleType("pyspark")
    found.__file__ = spec.origin
    sys.modules["pyspark"] = found
    try:
        importlib.import_module("mrjob.bin")
    finally:
        del sys.modules["pyspark"]
