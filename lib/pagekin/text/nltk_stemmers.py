"""The stemmers of nltk without the rest of nltk.

`import nltk.stem` runs the whole package: 0.3 s of CPU, and 1.1 s where scipy is installed, in each
task that meets one odd word. A stemmer needs four modules of it, 20 ms. So these are loaded with an
empty package around them, which is taken away again: who imports nltk later gets all of it.

Nothing else of nltk is used here, and stemmers that drop stop words (`ignore_stopwords`) would miss
its corpora.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

__all__ = ["load_module"]

_PACKAGES = ("nltk", "nltk.stem", "nltk.corpus")


def load_module(name: str) -> ModuleType:
    """A module of nltk.stem: porter, snowball."""
    if "nltk" in sys.modules:
        return importlib.import_module(f"nltk.stem.{name}")
    with _empty_packages():
        return importlib.import_module(f"nltk.stem.{name}")


@contextmanager
def _empty_packages() -> Iterator[None]:
    """Packages that know where their modules lie and run no code of their own."""
    spec = importlib.util.find_spec("nltk")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'nltk'", name="nltk")
    place = Path(spec.submodule_search_locations[0])
    for name in _PACKAGES:
        package = sys.modules[name] = ModuleType(name)
        package.__path__ = [str(place.joinpath(*name.split(".")[1:]))]
    vars(sys.modules["nltk.corpus"])["stopwords"] = None
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "nltk"]:
            del sys.modules[name]
