"""Jobs that run by themselves, outside of the chain of a build, and what they are for.

`gamma_counts` counts the pairs of many source pages, for large directories. `related_answers` gives
the answers for every page of an index [SIM 6.2: precomputed]; they are also made in this process.
Either way a line of answers is an object, and lines come in the order of the
URLs.
"""

from __future__ import annotations

import heapq
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagekin.errors import InputError
from pagekin.index.folder import report_bus_errors
from pagekin.kinds import Pair
from pagekin.progress import StageProgress, TaskProgress
from pagekin.query.api import Index
from pagekin.storage.part_files import read_merged

if TYPE_CHECKING:
    from pagekin.engine.run import Engine
    from pagekin.evaluate.gamma import Tally
    from pagekin.evaluate.similarities import Material

__all__ = [
    "answer_lines",
    "answers_here",
    "answers_of_job",
    "open_for_job",
    "tally_of_job",
    "urls_asked",
]

_SOURCES, _PAGES = 100, 1_000  # in a line of work, of which a task does one after the other
_PER_CORE = 4  # input files for each core, so that no slow one is waited for


def _run_job(
    name: str, engine: Engine, options: list[str], lines: Sequence[str], progress: tuple[str, int]
) -> Iterator[Pair]:
    """The records of a job, by their keys, whose input are lines of work, dealt to files in turns.

    `progress` has the word before the line that shows it, and the number of records in all.
    """
    # imported here: an answer in this process needs no mrjob, which takes 0.05 s
    from pagekin.engine.run import run_job  # noqa: PLC0415

    label, total = progress
    job = f"{name}:{name.title().replace('_', '')}"
    with tempfile.TemporaryDirectory(prefix=f"pagekin-{label}-") as folder:
        made = Path(folder)
        inputs = []
        for k in range(min(engine.width * _PER_CORE, len(lines))):
            inputs.append(made / f"manifest-{k:05d}")
            inputs[-1].write_text("".join(lines[k :: engine.width * _PER_CORE]), encoding="ascii")
        notes = made / "progress"
        notes.mkdir()
        with StageProgress(label, notes, total=total):
            run_job(job, engine, [*options, "--progress-dir", str(notes)], inputs, made)
        yield from read_merged(made / "output")


def tally_of_job(material: Material, by: str, sources: Sequence[int], engine: Engine) -> Tally:
    """The counts of source pages (ascending) under the representation `by`, in their order."""
    from pagekin.evaluate.gamma import tally_of_records  # noqa: PLC0415 - answers need none of it

    lines = [
        " ".join(map(str, sources[first : first + _SOURCES])) + "\n"
        for first in range(0, len(sources), _SOURCES)
    ]
    with tempfile.TemporaryDirectory(prefix="pagekin-gamma-") as folder:
        path = Path(folder, "labelled.pickle")
        material.write(path)
        options = ["--labelled", str(path), "--by", by]
        progress = "gamma", len(sources)
        return tally_of_records(_run_job("gamma_counts", engine, options, lines, progress))


def answers_of_job(index: Index, question: Mapping[str, Any], engine: Engine) -> Iterator[str]:
    """A line for every page, made by a job on an mrjob runner."""
    sizes = [len(urls_asked(index, shard, question)) for shard in range(index.shards)]
    lines = [
        f"{shard} {first} {min(first + _PAGES, size)}\n"
        for shard, size in enumerate(sizes)
        for first in range(0, size, _PAGES)
    ]
    if not lines:
        return  # a job without input would read from the keyboard
    options = ["--index", str(index.path.absolute()), "--digest", index.digest]
    options += ["--question", json.dumps(dict(question))]
    progress = "related", sum(sizes)
    for _, value in _run_job("related_answers", engine, options, lines, progress):
        yield json.dumps(json.loads(value), ensure_ascii=False)


def open_for_job(path: str | Path, digest: str) -> Index:
    """The index that a task is to ask; InputError where another one took its place."""
    report_bus_errors()
    index = Index(path)
    if digest not in {"", index.digest}:
        raise InputError(f"{path} was replaced while it was asked; ask again")
    return index


def answers_here(index: Index, question: Mapping[str, Any]) -> Iterator[str]:
    """A line for every page, made in this process."""
    with tempfile.TemporaryDirectory(prefix="pagekin-answers-") as folder:
        urls = [urls_asked(index, shard, question) for shard in range(index.shards)]
        shown = StageProgress("related", Path(folder), total=sum(map(len, urls)))
        with shown, TaskProgress(folder) as progress:
            in_order = heapq.merge(*urls, key=str.encode)
            for _, line in answer_lines(index, in_order, question):
                yield line
                progress.add(records=1)


def urls_asked(index: Index, shard: int, question: Mapping[str, Any]) -> Sequence[str]:
    """The pages of a shard that are asked for, in their order."""
    return index.urls(shard, question.get("by", "bags"), crawled=question.get("read") == "only")


def answer_lines(
    index: Index, urls: Iterable[str], question: Mapping[str, Any], *, ascii_only: bool = False
) -> Iterator[tuple[str, str]]:
    """Each of these pages, and its answer as a line of JSON."""
    encode = json.JSONEncoder(ensure_ascii=ascii_only).encode
    for answer in index.related_each(urls, **question):
        yield answer.asked[0].url, encode(answer.as_dict())
