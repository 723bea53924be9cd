"""The inline runner of mrjob: one process, in which a job's options are read once.

mrjob makes a job for every task, and reads its 200 options each time: 4 ms. A job of ours can be
executed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from mrjob.inline import InlineMRJobRunner

from pagekin.engine.job import PagekinJob
from pagekin.engine.local.cutting import CutsInput

__all__ = ["InlineRunner"]


class InlineRunner(CutsInput, InlineMRJobRunner):  # type: ignore[misc]
    """Behaves as mrjob's own."""

    def __init__(self, mrjob_cls: type[PagekinJob], **kwargs: Any) -> None:
        super().__init__(mrjob_cls=mrjob_cls, **kwargs)
        self.deal_for(mrjob_cls)
        made: dict[tuple[str, ...], PagekinJob] = {}

        def job(words: list[str]) -> PagekinJob:
            key = tuple(words)
            if key not in made:
                made[key] = mrjob_cls(words)
            return made[key]

        self._mrjob_cls = job  # mrjob calls it for each task

    def _sort_input_func(self) -> Callable[[Iterable[str], str], None]:
        return _sort_lines


def _sort_lines(input_paths: Iterable[str], output_path: str) -> None:
    """In memory, as whole lines."""
    lines: list[bytes] = []
    for path in input_paths:
        with open(path, "rb") as file:  # noqa: PTH123 - mrjob's paths are words
            lines.extend(file)
    lines.sort()
    with open(output_path, "wb") as file:  # noqa: PTH123
        file.writelines(lines)
