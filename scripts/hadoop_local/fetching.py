"""Fetches Hadoop's jars with Maven, once for all clusters of a user.

They are copied beside their place and move into it in one rename, so that a fetch that was
interrupted leaves nothing that looks finished.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hadoop_local.places import POM, LocalError, library, program, version

__all__ = ["fetch", "locked"]

_SHOWN = 5  # lines of what Maven said


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One at a time; the lock is the kernel's and goes with the process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fetch() -> Path:
    """The folder of jars, fetched if it is not there."""
    place = library()
    if place.is_dir():
        return place
    mvn = program("mvn", "Maven (Debian: maven); it is needed once, to fetch Hadoop")
    with locked(place.with_name(f".{place.name}.lock")):
        if not place.is_dir():
            _fetch(mvn, place)
    return place


def _fetch(mvn: str, place: Path) -> None:
    for left in place.parent.glob(f".{place.name}.new-*"):
        shutil.rmtree(left)  # of a fetch that was killed: the lock is ours
    print(f"fetching Hadoop {version()} to {place} (95 MB, once)", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}.new-", dir=place.parent) as folder:
        made = Path(folder) / "jars"
        words = [mvn, "--batch-mode", "--quiet", "--file", str(POM)]
        words += ["dependency:copy-dependencies", f"-DoutputDirectory={made}"]
        done = subprocess.run(
            [*words, "-DincludeScope=runtime"], capture_output=True, text=True, check=False
        )
        if done.returncode or not list(made.glob("hadoop-streaming-*.jar")):
            last = "\n  ".join((done.stdout + done.stderr).strip().splitlines()[-_SHOWN:])
            raise LocalError(f"Maven could not fetch Hadoop {version()}:\n  {last}")
        made.rename(place)
