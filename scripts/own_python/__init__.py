"""Imported first by the scripts beside it: they go on under the Python that has pagekin installed.

So `scripts/bench map` works as it stands in the documents, whatever `python3` is on the PATH.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

_PYTHON = Path(__file__).resolve().parents[2] / ".venv" / "bin" / "python"

if importlib.util.find_spec("pagekin") is None:
    if not _PYTHON.exists():
        sys.exit("pagekin is not installed: run make setup first, which makes .venv")
    os.execv(_PYTHON, [str(_PYTHON), *sys.argv])
