"""The answers for every page of an index, in this process or as a job [SIM 6.2: precomputed].

Either way a line is an object, `url` and `related`, and lines come in the order of the URLs.
"""

from __future__ import annotations

import heapq
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagekin.progress import StageProgress, TaskProgress
from pagekin.query.api import Index
from pagekin.storage.part_files import read_merged

if TYPE_CHECKING:
    from pagekin.engine.run import Engine

__all__ = ["answer_lines", "answers_here", "answers_of_job", "urls_asked"]

_PER_LINE = 1_000  # pages that a line of a manifest asks for
_PER_CORE = 4  # manifests for each core, so that no slow one is waited for


def answer_lines(
    index: Index, urls: Iterable[str], question: Mapping[str, Any], *, ascii_only: bool = False
) -> Iterator[tuple[str, str]]:
    """Each of these pages, and its answer as a line of JSON."""
    encode = json.JSONEncoder(ensure_ascii=ascii_only).encode
    for answer in index.related_each(urls, **question):
        url = answer.asked[0].url
        yield url, encode({"url": url, "related": [kin.as_dict() for kin in answer]})


def answers_here(index: Index, question: Mapping[str, Any]) -> Iterator[str]:
    """A line for every page, made in this process."""
    with tempfile.TemporaryDirectory(prefix="pagekin-answers-") as folder:
        urls = [urls_asked(index, shard, question) for shard in range(index.shards)]
        shown = _progress(Path(folder), sum(map(len, urls)))
        with shown, TaskProgress(folder) as progress:
            in_order = heapq.merge(*urls, key=str.encode)
            for _, line in answer_lines(index, in_order, question):
                yield line
                progress.add(records=1)


def urls_asked(index: Index, shard: int, question: Mapping[str, Any]) -> Sequence[str]:
    """The pages of a shard that are asked for, in their order."""
    by, crawled = question.get("by", "bags"), question.get("crawled", False)
    return index.urls(shard, by, crawled=crawled)


def answers_of_job(index: Index, question: Mapping[str, Any], engine: Engine) -> Iterator[str]:
    """A line for every page, made by a job on an mrjob runner."""
    with tempfile.TemporaryDirectory(prefix="pagekin-answers-") as folder:
        made = Path(folder)
        (made / "progress").mkdir()
        sizes = [len(urls_asked(index, shard, question)) for shard in range(index.shards)]
        inputs = _manifests(sizes, made / "manifests", engine.width * _PER_CORE)
        if not inputs:
            return  # a job without input would read from the keyboard
        options = ["--index", str(index.path.absolute()), "--question", json.dumps(dict(question))]
        options += ["--progress-dir", str(made / "progress")]
        with _progress(made / "progress", sum(sizes)):
            _run_job(engine, options, inputs, made)
        for _, value in read_merged(made / "output"):
            yield json.dumps(json.loads(value), ensure_ascii=False)


def _run_job(engine: Engine, options: list[str], inputs: list[Path], made: Path) -> None:
    # imported here: an answer in this process needs no mrjob, which takes 0.05 s
    from pagekin.engine.run import run_job  # noqa: PLC0415
    from pagekin.stages.chain import Stage  # noqa: PLC0415

    stage = Stage("related_answers", "kin of every page", "related_answers:RelatedAnswers")
    run_job(stage, engine, options, inputs, made)


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
