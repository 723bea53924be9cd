"""Tasks that stop in the middle until a test lets them go on: an interpreter for `python_bin`.

A task that is held has given a part of its output to the engine and goes no further. Only as many
are held as the test asks for, so that a second try of the same task runs through.
"""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["Holder"]

_GIVEN = 2000  # bytes of output that a task has given when it stops

# mkdir makes a folder once, whoever tries: so one task takes each of the places
_SCRIPT = """\
#!/usr/bin/env bash
set -o pipefail
kind=
for word in "$@"; do case $word in --mapper|--reducer) kind=${{word#--}} ;; esac; done
place=
for free in {folder}/$kind.hold-*; do
  held=${{free%.hold-*}}.held-${{free##*-}}
  [ -e "$free" ] && mkdir "$held" 2>/dev/null && place=$free && break
done
[ "$place" ] || exec {python} "$@"
pwd > "$held/where.new" && mv "$held/where.new" "$held/where"
{python} "$@" | {{ head -c {given}; while [ -e "$place" ]; do sleep 0.1; done; cat; }}
"""


class Holder:
    """Holds tasks; `python` is to be the interpreter of the nodes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._count = 0
        self.python = folder / "python"
        script = _SCRIPT.format(folder=folder, python=sys.executable, given=_GIVEN)
        self.python.write_text(script, encoding="utf-8")
        self.python.chmod(0o755)

    def hold(self, kind: str) -> Path:
        """Hold the next mapper or reducer; gives what `container` and `release` take."""
        self._count += 1
        place = self._folder / f"{kind}.hold-{self._count}"
        place.touch()
        return place

    @staticmethod
    def container(place: Path) -> str:
        """The name of the container that is held; empty if none is yet."""
        where = place.with_name(place.name.replace("hold", "held")) / "where"
        return Path(where.read_text().strip()).name if where.exists() else ""

    @staticmethod
    def release(place: Path) -> None:
        """Let it go on, and hold nothing more at this place."""
        place.unlink()
