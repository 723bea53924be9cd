"""pagekin finds the kin of a web page.

`from pagekin import Index` opens an index to be asked; see `pagekin.query.api`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pagekin.query.api import Index

__all__ = ["Index", "__version__"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # looked up late: most of what imports pagekin never asks an index, and numpy takes 0.1 s
    if name == "Index":
        from pagekin.query.api import Index  # noqa: PLC0415

        return Index
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
