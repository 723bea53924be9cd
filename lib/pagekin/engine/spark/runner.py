"""The Spark runner of mrjob, put right for Spark on this machine, which is what it runs by default.

- Driver and tasks run in the interpreter that runs the build, so what is installed here is there.
  mrjob calls `python3`, which is another one where pagekin lies in a virtual environment.
- Nothing is left in the folder for temporary files, also where a job fails. mrjob forgets the one
  for the job's output, and keeps its own after a failure.
- mrjob finds modules that newer Pythons dropped (`pagekin.engine.stand_ins`) in the driver, too.
- What a failed job says begins with its error, and not with a warning of every start of Hadoop.

On a cluster (spark_master) the nodes have an interpreter of their own: `python_bin` in mrjob's
configuration names it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from mrjob.parse import is_uri
from mrjob.spark.runner import SparkMRJobRunner

__all__ = ["SparkRunner"]

_OF_EVERY_START = "Unable to load native-hadoop library"


class SparkRunner(SparkMRJobRunner):  # type: ignore[misc]
    """Behaves as mrjob's own, but for what the module's docstring says."""

    @classmethod
    def _default_opts(cls) -> dict[str, Any]:
        return {**super()._default_opts(), "cleanup_on_failure": ["TMP"]}

    def _default_python_bin(self, local: bool = False) -> list[str]:
        on_this_machine = (self._spark_master() or "local").startswith("local")
        return list(super()._default_python_bin(local=local or on_this_machine))

    def _spark_harness_path(self) -> str:
        return str(Path(__file__).with_name("harness.py"))

    def _cleanup_local_tmp(self) -> None:
        super()._cleanup_local_tmp()
        if not is_uri(self._spark_tmp_dir):
            shutil.rmtree(self._spark_tmp_dir, ignore_errors=True)  # it may not be there yet

    def _run_spark_submit(self, *arguments: Any, **named: Any) -> tuple[int, dict[str, Any]]:
        code, told = super()._run_spark_submit(*arguments, **named)
        for error in told.get("errors") or ():
            first, _, rest = error["spark_error"]["message"].partition("\n")
            if first.startswith(_OF_EVERY_START) and rest:
                error["spark_error"]["message"] = rest
        return code, told
