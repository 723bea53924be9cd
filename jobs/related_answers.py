#!/usr/bin/env python3
"""An index -> the kin of every page in it: the answers, precomputed.

    input    manifests: lines `SHARD FIRST LAST`, pages FIRST to LAST - 1 of a shard
    map      ask the index for each page
    reduce   nothing but the order of the URLs
    output   URL TAB {"url": URL, "related": [kin, best first]}

On other machines the index travels with the job. Rests on [SIM] sections 6.2 and 7.
"""

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from pagekin.build.single_jobs import answer_lines, open_for_job, urls_asked
from pagekin.engine import ON_THIS_MACHINE
from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair


class RelatedAnswers(PagekinJob):
    LINES_ARE_WORK = True
    COPY = "asked.index"  # the index, where it travelled with the job

    def configure_args(self) -> None:
        super().configure_args()
        self.add_passthru_arg("--index", default="", help="the index that is asked")
        self.add_passthru_arg("--digest", default="", help="of the index; another one is refused")
        self.add_passthru_arg(
            "--question",
            default="{}",
            help="how, as JSON: k, by, exact, alpha, per_host, exclude_hosts, candidates, budget,"
            " read, mirrors, prefer, why (default: what Index.related takes for default; example:"
            ' {"k": 5})',
        )

    def make_runner(self) -> Any:
        if not self.options.index:
            self.arg_parser.error("--index is needed: pagekin build --index makes one")
        return super().make_runner()

    def dirs(self) -> list[str]:
        if self.options.runner in {None, *ON_THIS_MACHINE}:
            return super().dirs()
        return [f"{self.options.index}#{self.COPY}", *super().dirs()]

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        copy = Path(self.COPY)
        index = open_for_job(copy if copy.is_dir() else self.options.index, self.options.digest)
        question = json.loads(self.options.question)
        urls = lru_cache(1)(partial(urls_asked, index, question=question))
        for line, _ in pairs:
            shard, first, last = map(int, line.split())
            some = urls(shard)[first:last]
            for url, said in answer_lines(index, some, question, ascii_only=True):
                self.counters_.add("answers", "pages")
                yield url.encode(), said.encode("ascii")
                self.progress.add(records=1)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from pairs


if __name__ == "__main__":
    RelatedAnswers.run()
