"""A page that stands in very many blocks, merged in pieces: memory stays bounded.

Its stripes come by domain. A piece of them becomes domain sums, of a partner the heaviest and one
that stands for the others. A domain in which a piece begins or ends may go on in another: its pairs
are kept as they are, of each group the r best. Sums and pairs lie in 256 parts by the number of the
partner, on disk if there are many; at the end each part is merged by itself. All that is added up
is whole numbers, so no cut changes the outcome, and nothing is left out. A page of 1,000,000 blocks
with 79 ever new partners each takes 1.9 GB of disk.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pagekin.cocitation.similarity import S30, Indices
from pagekin.errors import naming
from pagekin.stages.pairs.stripe_codec import Hashes, split_stripes, unpack_partners, weigh_partners
from pagekin.stages.pairs.total_similarity import (
    DomainSums,
    Pairs,
    add_light_domains,
    best_of_groups,
    pairs_where,
    sort_pairs,
    starts_of,
    sum_domains,
)

__all__ = ["Groups", "SpilledPage"]

_PARTS: Final = 256
_PART_BITS: Final = 8
_ROWS_IN_MEMORY = 400_000  # 10 MB
_ROW = np.dtype([("partner", "<u8"), ("value", "<u8"), ("group", "<u4"), ("domains", "<u4")])

_Rows = NDArray[Any]  # of _ROW: domain sums, or pairs


class _RowsOnDisk:
    """Rows in parts by the first bits of the partner, a file for each.

    No file stays open, as a process may have fewer open than there are parts.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: list[_Rows] = []
        folder.mkdir()

    def write(self, rows: _Rows) -> None:
        self._waiting.append(rows)
        if sum(map(len, self._waiting)) > _ROWS_IN_MEMORY:
            self.flush()

    def flush(self) -> None:
        rows = np.concatenate([*self._waiting, np.empty(0, _ROW)])
        self._waiting = []
        part = (rows["partner"] >> np.uint64(64 - _PART_BITS)).astype(np.int64)
        rows = rows[np.argsort(part, kind="stable")]
        ends = np.cumsum(np.bincount(part, minlength=_PARTS)).tolist()
        for number, (low, high) in enumerate(zip([0, *ends], ends, strict=False)):
            path = self._folder / str(number)
            with naming(path), path.open("ab") as file:
                file.write(rows[low:high].tobytes())

    def take(self, part: int) -> _Rows:
        """The rows of a part in the order in which they were written; they leave the disk."""
        path = self._folder / str(part)
        rows = np.fromfile(path, _ROW)
        path.unlink()
        return rows


class _TextsOnDisk:
    """Texts by number; memory holds where each ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("w+b")
        self._ends = array("q", [0])

    def append(self, text: bytes) -> None:
        with naming(self._path):
            self._file.write(text)
        self._ends.append(self._ends[-1] + len(text))

    def __getitem__(self, number: int) -> bytes:
        low, high = self._ends[number : number + 2]
        self._file.seek(low)
        return self._file.read(high - low)

    def close(self) -> None:
        self._file.close()


class Groups:
    """Numbers for the groups of stripes that come in their order, and for their domains."""

    def __init__(self, texts: list[bytes] | _TextsOnDisk) -> None:
        self.texts = texts
        self._domains = array("i")  # of each group
        self._last = self._last_domain = b""

    def numbers_of(self, groups: Iterable[bytes]) -> Indices:
        """The number of each; equal ones stand together, and have one."""
        numbers = []
        for group in groups:
            if group != self._last or not self._domains:
                domain = group.partition(b" ")[0]
                before = self._domains[-1] if self._domains else -1
                self._domains.append(before + (domain != self._last_domain or before < 0))
                self._last, self._last_domain = group, domain
                self.texts.append(group)
            numbers.append(len(self._domains) - 1)
        return np.array(numbers, np.int64)

    def domains_of(self, numbers: Indices) -> Indices:
        """The domain of each group."""
        return np.frombuffer(self._domains, np.intc)[numbers].astype(np.int64)


class SpilledPage:
    """Takes the stripes of one page in their order; a context, because of its files."""

    def __init__(
        self, by_distance: S30, best: int, limit: int, reasons: int, *, weighs: bool
    ) -> None:
        self._by_distance, self._reasons, self._weighs = by_distance, reasons, weighs
        self._best, self._limit = best, limit

    def __enter__(self) -> SpilledPage:
        self._folder = TemporaryDirectory(prefix="pagekin-")
        folder = Path(self._folder.name)
        self._texts = _TextsOnDisk(folder / "groups")
        self._sums, self._pairs = _RowsOnDisk(folder / "sums"), _RowsOnDisk(folder / "pairs")
        self.groups = Groups(self._texts)
        return self

    def __exit__(self, *_: object) -> None:
        self._texts.close()
        self._folder.cleanup()

    def add(self, stripes: Sequence[bytes]) -> None:
        """Take a piece in."""
        groups, facts, hashes = split_stripes(stripes)
        numbers = self.groups.numbers_of(groups)
        partners = unpack_partners(facts, hashes, self._by_distance)
        partners = weigh_partners(partners, groups) if self._weighs else partners
        first, last = self.groups.domains_of(numbers[[0, -1]])
        numbers = np.repeat(numbers, partners.sizes)
        pairs = sort_pairs(np.zeros_like(numbers), partners.hashes, numbers, partners.values)
        domains = self.groups.domains_of(pairs.groups)
        may_go_on = (domains == first) | (domains == last)
        of_ends = best_of_groups(pairs_where(pairs, may_go_on), self._best)
        self._pairs.write(_rows(of_ends.partners, *of_ends[:3], domains=1))
        sums = self._summed(pairs_where(pairs, ~may_go_on))
        self._sums.write(_rows(pairs.partners, *add_light_domains(sums, self._reasons)))

    def _summed(self, pairs: Pairs) -> DomainSums:
        return sum_domains(pairs, self.groups.domains_of, self._best, self._limit)

    def parts(self) -> Iterator[tuple[Hashes, DomainSums]]:
        """All partners with what domains add, part by part; a run is a partner."""
        self._sums.flush()
        self._pairs.flush()
        for part in range(_PARTS):
            pairs = self._sorted_pairs(part)
            of_ends = _rows(pairs.partners, *self._summed(pairs))
            rows = np.concatenate((self._sums.take(part), of_ends))
            rows = rows[np.argsort(rows["partner"], kind="stable")]
            starts = starts_of(rows["partner"])
            runs = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows))))
            groups, domains = (rows[name].astype(np.int64) for name in ("group", "domains"))
            values = rows["value"].copy()
            yield rows["partner"][starts], DomainSums(runs, groups, values, domains)

    def _sorted_pairs(self, part: int) -> Pairs:
        rows = self._pairs.take(part)
        partners, values = rows["partner"].copy(), rows["value"].copy()
        groups = rows["group"].astype(np.int64)
        del rows  # a part may take 24 MB, and more where a page stands in millions of blocks
        return sort_pairs(np.zeros_like(groups), partners, groups, values)


def _rows(
    partners: Hashes,
    runs: Indices,
    groups: Indices,
    values: NDArray[np.uint64],
    domains: Indices | int,
) -> _Rows:
    """Rows of runs of partners."""
    rows = np.empty(len(runs), _ROW)
    rows["partner"], rows["group"] = partners[runs], groups
    rows["value"], rows["domains"] = values, domains
    return rows
