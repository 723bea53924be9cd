"""The answers for every page of an index, in this process or as a job [SIM 6.2: precomputed].

Either way a line is an object, `url` and `related`, and lines come in the order of the URLs.
"""

from __future__ import annotations

import heapq
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pagekin.pipeline.progress import StageProgress, TaskProgress
from pagekin.pipeline.records import read_merged
from pagekin.pipeline.runner import Engine, run_job
from pagekin.pipeline.stages import Stage
from pagekin.query.api import Index

__all__ = ["answer_line", "answers_here", "answers_of_job"]

_STAGE = Stage("related_answers", "kin of every page", "related_answers:RelatedAnswers")
_PER_LINE = 1_000  # pages that a line of a manifest asks for
_PER_CORE = 4  # manifests for each core, so that no slow one is waited for


def answer_line(
    index: Index, url: str, question: Mapping[str, Any], *, ascii_only: bool = False
) -> str:
    """The answer for one page as a line of JSON."""
    kin = [one.as_dict() for one in index.related(url, **question)]
    return json.dumps({"url": url, "related": kin}, ensure_ascii=ascii_only)


def answers_here(index: Index, question: Mapping[str, Any]) -> Iterator[str]:
    """A line for every page, made in this process."""
    with tempfile.TemporaryDirectory(prefix="pagekin-answers-") as folder:
        by = _way(question)
        shown = _progress(Path(folder), sum(_sizes(index, by)))
        with shown, TaskProgress(folder) as progress:
            for url in _in_order(index, by):
                yield answer_line(index, url, question)
                progress.add(records=1)


def _way(question: Mapping[str, Any]) -> str:
    return str(question.get("by", "bags"))


def _sizes(index: Index, by: str) -> list[int]:
    """How many pages each shard has that are asked for."""
    return [len(index.urls(shard, by)) for shard in range(index.shards)]


def _in_order(index: Index, by: str) -> Iterator[str]:
    return heapq.merge(*(index.urls(shard, by) for shard in range(index.shards)), key=str.encode)


def answers_of_job(index: Index, question: Mapping[str, Any], engine: Engine) -> Iterator[str]:
    """A line for every page, made by a job on an mrjob runner."""
    with tempfile.TemporaryDirectory(prefix="pagekin-answers-") as folder:
        made = Path(folder)
        (made / "progress").mkdir()
        sizes = _sizes(index, _way(question))
        inputs = _manifests(sizes, made / "manifests", engine.width * _PER_CORE)
        if not inputs:
            return  # a job without input would read from the keyboard
        options = ["--index", str(index.path.absolute()), "--question", json.dumps(dict(question))]
        options += ["--progress-dir", str(made / "progress")]
        with _progress(made / "progress", sum(sizes)):
            run_job(_STAGE, engine, options, inputs, made)
        for _, value in read_merged(made / "output"):
            yield json.dumps(json.loads(value), ensure_ascii=False)


def _progress(folder: Path, total: int) -> StageProgress:
    return StageProgress("related", folder, total=total)


def _manifests(sizes: Sequence[int], folder: Path, count: int) -> list[Path]:
    """Files with a line `SHARD FIRST LAST` for each thousand pages, dealt in turns."""
    folder.mkdir()
    lines = [
        f"{shard} {first} {min(first + _PER_LINE, size)}\n"
        for shard, size in enumerate(sizes)
        for first in range(0, size, _PER_LINE)
    ]
    paths = []
    for k in range(min(count, len(lines))):
        paths.append(folder / f"manifest-{k:05d}")
        paths[-1].write_text("".join(lines[k::count]), encoding="ascii")
    return paths
