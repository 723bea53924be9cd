"""pagekin finds the kin of a web page.

`from pagekin import Index` opens an index to be asked; see `pagekin.query.api`. What can go wrong
is a PagekinError; see `pagekin.errors`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pagekin.errors import (
    InputError,
    NotFoundError,
    PagekinError,
    StageError,
    UsageError,
    WorkspaceError,
)

if TYPE_CHECKING:
    from pagekin.query.answer import Answer, Kin
    from pagekin.query.api import Index

__all__ = [
    "Answer",
    "Index",
    "InputError",
    "Kin",
    "NotFoundError",
    "PagekinError",
    "StageError",
    "UsageError",
    "WorkspaceError",
    "__version__",
]

__version__ = "0.1.0"

# Looked up late: most of what imports pagekin never asks an index, and numpy takes 0.1 s.
_LATE = {
    "Answer": "pagekin.query.answer",
    "Index": "pagekin.query.api",
    "Kin": "pagekin.query.answer",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
