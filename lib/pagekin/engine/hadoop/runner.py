"""The Hadoop runner of mrjob with fewer calls of `hadoop`, and with a plain account of a failure.

Each call starts a Java machine: one to three seconds. mrjob makes one for every file that it
uploads or reads, and some to ask for what does not change; a stage of twenty files took thirty.
Here it is one for all uploads and one for all output.

A task that is killed, or whose program ends, is an exit code to Hadoop. What it said is in the logs
of its container: `pagekin.engine.hadoop.logs` finds it.
"""

from __future__ import annotations

import logging
import posixpath
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

from mrjob.fs.hadoop import HadoopFilesystem
from mrjob.hadoop import HadoopJobRunner

from pagekin.engine.hadoop.logs import failure_lines

__all__ = ["HadoopRunner"]

_log = logging.getLogger("mrjob.hadoop")  # where a build listens


class HadoopRunner(HadoopJobRunner):  # type: ignore[misc]
    """Behaves as mrjob's own."""

    def _find_binaries_and_jars(self) -> None:
        program = tuple(self.get_hadoop_bin())
        self.fs.hadoop._hadoop_version = _version(program)  # mrjob asks once for each job
        super()._find_binaries_and_jars()

    def _upload_local_files(self) -> None:
        base, _, name = self._hadoop_tmp_dir.rstrip("/").rpartition("/")
        tree = Path(self._get_local_tmp_dir()) / "upload" / name
        for uri, path in self._uploads().items():
            link = tree / posixpath.relpath(uri, self._hadoop_tmp_dir)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)
        _make_folder(tuple(self.get_hadoop_bin()), base)
        self._call("-put", str(tree), f"{base}/")

    def _uploads(self) -> dict[str, Path]:
        """Which local file goes to which address."""
        manager = self._working_dir_mgr
        files = [
            *manager.name_to_path("file").items(),
            *manager.name_to_path("archive_file").items(),
        ]
        places = [(self._dest_in_wd_mirror(path, name), path) for name, path in files]
        places += [(uri, path) for path, uri in self._upload_mgr.path_to_uri().items()]
        return {uri: Path(path).absolute() for uri, path in places if uri}

    def cat_output(self) -> Iterator[bytes]:
        """The bytes of all part files, one behind the other."""
        yield from self.fs.hadoop._cat_file(posixpath.join(self.get_output_dir(), "part-*"))

    def _call(self, *words: str) -> None:
        try:
            self.fs.hadoop.invoke_hadoop(["fs", *words])
        except CalledProcessError as error:
            raise OSError(f"`hadoop fs {words[0]}` failed") from error

    def _pick_error(self, interpretation: dict[str, Any], step_type: str) -> Any:
        step = interpretation.get("step") or {}
        application = step.get("application_id") or ""
        lines = failure_lines(
            application, step.get("errors") or [], self._local_logs(), self._yarn_program()
        )
        if not lines:
            return super()._pick_error(interpretation, step_type)
        _log.error("\n".join(lines))
        return None

    def _local_logs(self) -> list[Path]:
        """Folders of this machine where logs of containers may lie."""
        places = [str(place) for place in self._hadoop_log_dirs()]
        return [Path(place) for place in places if "://" not in place and Path(place).is_dir()]

    def _yarn_program(self) -> Sequence[str]:
        """`yarn`, as it lies beside `hadoop`; empty if it does not."""
        hadoop, *words = self.get_hadoop_bin()
        yarn = Path(hadoop).with_name("yarn")
        return [str(yarn), *words] if yarn.is_file() else []


@cache
def _version(program: tuple[str, ...]) -> str:
    return str(HadoopFilesystem(list(program)).get_hadoop_version())


@cache
def _make_folder(program: tuple[str, ...], uri: str) -> None:
    HadoopFilesystem(list(program)).mkdir(uri)
