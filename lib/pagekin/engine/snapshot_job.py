"""What jobs that read a snapshot have in common: where redirects lead, and the pages in turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair

if TYPE_CHECKING:
    from pagekin.web.page import Page, View
    from pagekin.web.resolution import Resolution

__all__ = ["SnapshotJob"]


class SnapshotJob(PagekinJob):
    """A job whose input is manifests: a WARC address a line."""

    READS_FILES = True

    def configure_args(self) -> None:
        super().configure_args()
        self.add_file_arg("--resolution", help="the table that the inventory stage made")

    def resolution(self) -> Resolution | None:
        """The table, if there is one."""
        # imports are here, as in the jobs: reducers start faster without the parser
        from pagekin.web.resolution import Resolution  # noqa: PLC0415

        path = self.options.resolution
        return Resolution(Path(path)) if path else None

    def pages(
        self, pairs: Iterable[Pair], view: View, resolution: Resolution | None
    ) -> Iterator[Page]:
        """All pages of the files that the manifests name."""
        from pagekin.web.reader import SnapshotReader  # noqa: PLC0415

        reader = SnapshotReader(self.config.reading, self.counters_, resolution, view)
        for address, _ in pairs:
            yield from reader.pages(address.decode(), self.progress.reporter())
            self.progress.add(files=1)
