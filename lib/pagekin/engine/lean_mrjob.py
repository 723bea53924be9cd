"""Imports mrjob without what it does not use: 0.25 s of CPU at the start of each command.

mrjob asks for two small helpers of the standard library's distutils. Where setuptools is installed,
that puts its own copy in their place, and with it all of setuptools. And of pyspark it asks where
it lies, for which it imports the whole of it, also to run a job on this machine. YAML is loaded
when there is some to be read, and urllib.request, with HTTP and TLS, when an address is opened.

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
from typing import Any
from urllib.parse import quote

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


class _Late:
    """Stands for a module that is loaded when something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._name), name)


def _urlopen(*words: Any, **options: Any) -> Any:
    return importlib.import_module("urllib.request").urlopen(*words, **options)


@contextmanager
def _loading_late() -> Iterator[None]:
    """What takes long to load, and is seldom asked for, is loaded when it is."""
    requests = ModuleType("urllib.request")
    vars(requests).update(urlopen=_urlopen, pathname2url=quote)  # all that mrjob takes of it
    late: dict[str, Any] = {"urllib.request": requests, "yaml": None}
    late = {name: module for name, module in late.items() if name not in sys.modules}
    sys.modules.update(late)
    try:
        yield
    finally:
        for name in late:
            del sys.modules[name]
    if "yaml" in late:
        vars(sys.modules["mrjob.conf"])["yaml"] = _Late("yaml")


with _without_stand_ins(), _loading_late():
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
