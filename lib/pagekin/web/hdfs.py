"""Files of HDFS through the `hadoop` command, which knows the cluster's settings.

They are listed and read here; what else the command can do, it does by `run`. A file that cannot be
read whole is an error even where the command had given part of it: its exit code is looked at when
its output ends. The command's own client asks other data nodes when one fails, so nothing is tried
again here. The command takes a second to start and knows no ranges of bytes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO, Final, cast

from pagekin.errors import InputError

__all__ = ["list_files", "open_file", "run"]

# `hadoop fs -ls`: permissions, replicas, owner, group, size, date, path with or without authority.
_FILE: Final = re.compile(r"-\S+ .*? (\d+) (\d{4}-\d\d-\d\d \d\d:\d\d) (?:[^:/]+://[^/]*)?(/.+)")


def run(uri: str, *words: str, program: Sequence[str] = (), data: bytes = b"") -> bytes:
    """What `hadoop fs WORDS` prints; InputError about `uri` when it fails. It reads `data`."""
    command = [*(program or [_hadoop(uri)]), "fs", *words]
    utc = {**os.environ, "TZ": "UTC"}  # dates are stamps: the same wherever they are looked at
    done = subprocess.run(command, input=data, capture_output=True, env=utc, check=False)
    if done.returncode:
        raise InputError(f"{uri}: `hadoop fs {words[0]}` failed: {_last_line(done.stderr)}")
    return done.stdout


def list_files(word: str, program: Sequence[str] = ()) -> Iterator[tuple[str, int, str]]:
    """Address, size and date of all files that a file, folder or pattern means.

    What is called exactly so is meant before what the pattern matches.
    """
    name = _escaped(word)
    try:
        listing = run(word, "-ls", "-R", name, program=program)
    except InputError as error:
        if name == word or "No such file" not in str(error):
            raise
        listing = run(word, "-ls", "-R", word, program=program)
    scheme, _, rest = word.partition("://")
    root = f"{scheme}://{rest.partition('/')[0]}"  # as in the word, whatever the listing says
    for match in map(_FILE.fullmatch, listing.decode("utf-8", "replace").split("\n")):
        if match:
            yield root + match[3], int(match[1]), match[2]


@contextmanager
def open_file(
    uri: str, *more: str, program: Sequence[str] = ()
) -> Iterator[Callable[[int], bytes]]:
    """A function that reads at most so many bytes, and none at the end only.

    With `more` it reads those files behind the first, as if they were one.
    """
    command = [*(program or [_hadoop(uri)]), "fs", "-cat", *map(_escaped, (uri, *more))]
    # stderr goes to a file: a pipe that nobody reads would fill up and stop the command
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, bufsize=0
        ) as process,
    ):
        try:
            yield partial(_read_pipe, uri, process, cast(BinaryIO, log))
        finally:
            process.terminate()  # it may have more to say; leaving closes the pipe and waits


def _escaped(name: str) -> str:
    """A name for commands that take patterns."""
    return re.sub(r"([][*?{}\\])", r"\\\1", name)


def _hadoop(uri: str) -> str:
    """The `hadoop` command; `uri` is what it is wanted for."""
    home = os.environ.get("HADOOP_HOME")
    found = shutil.which("hadoop") or (home and shutil.which("hadoop", path=f"{home}/bin"))
    if not found:
        raise InputError(
            f"{uri}: the `hadoop` command is not found; put it on the PATH, or set HADOOP_HOME"
        )
    return found


def _last_line(log: bytes) -> str:
    """What a `hadoop` command says in the end, without the path that it repeats.

    >>> _last_line(b"WARN slow\\ncat: `hdfs://x/a': No such file or directory\\n")
    'No such file or directory'
    """
    lines = log.decode("utf-8", "replace").strip().split("\n")
    return lines[-1].strip().rpartition("': ")[2] or "no reason given"


def _read_pipe(uri: str, process: subprocess.Popen[bytes], log: BinaryIO, size: int) -> bytes:
    data: bytes = process.stdout.read(size) if process.stdout else b""
    if not data and process.wait():
        log.seek(0)
        raise InputError(f"{uri}: `hadoop fs -cat` failed: {_last_line(log.read())}")
    return data
