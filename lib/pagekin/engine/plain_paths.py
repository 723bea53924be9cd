"""Paths as mrjob, Hadoop and Spark take them for nothing but paths.

mrjob and Hadoop match `*`, `?`, `[` and `{`, mrjob ends a path at `#` and puts variables in for
`$`, Hadoop and Spark end it at `,`. There is no way to escape all of that for all of them. So what
has such a character in its path is reached through a link, whose path has none.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pagekin.errors import UsageError

__all__ = ["plain_paths"]

_PLAIN: Final = re.compile(r"[\w./+=@-]+", re.ASCII)


@contextmanager
def plain_paths() -> Iterator[Callable[[Path | str], str]]:
    """A function that gives a path without odd characters for what is there on this machine; other
    words it gives back. The links are removed at the end.
    """
    with tempfile.TemporaryDirectory(prefix="pagekin-paths-") as folder:
        links: dict[Path, Path] = {}

        def plain(word: Path | str) -> str:
            path, text = Path(word), str(word)
            if _PLAIN.fullmatch(text) or not text.startswith("/") or not path.exists():
                return text
            if not _PLAIN.fullmatch(folder):
                raise UsageError(
                    f"{text}: has characters that jobs cannot take in a path, and so has the"
                    " folder for temporary files; name another one with TMPDIR"
                )
            linked = path.parent if _PLAIN.fullmatch(path.name) else path
            if linked not in links:
                links[linked] = Path(folder, str(len(links)))
                links[linked].symlink_to(linked)
            return str(links[linked] / path.relative_to(linked))

        yield plain
