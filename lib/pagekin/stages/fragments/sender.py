"""What a mapper sends of the pages that it reads: parcels, and links to hot URLs summed."""

from __future__ import annotations

from collections.abc import Iterator

from pagekin.config import BuildConfig
from pagekin.kinds import Pair
from pagekin.stages.fragments.hot_targets import Folding
from pagekin.stages.fragments.link_records import Said
from pagekin.stages.fragments.packing import Packing
from pagekin.stages.fragments.parcels import keyed, pack

__all__ = ["Sender"]


class Sender:
    """Stands behind what reads pages."""

    def __init__(self, config: BuildConfig, packing: str | None) -> None:
        """Parcels are packed as a file says, or as they are without one."""
        self._folding = Folding(config.bag, config.window)
        self._packing = Packing.read(packing)

    def send(self, said: Said) -> Iterator[Pair]:
        """What a page says, and what has waited for too long."""
        yield from pack(self._folding.fold(said), self._packing)
        yield from keyed(self._folding.overdue(), self._packing)

    def finish(self) -> Iterator[Pair]:
        """All that waits."""
        return keyed(self._folding.finish(), self._packing)
