"""Named counts, in groups: what happened to every record, link and term; and a few notes.

Counters are data: jobs write them into their output, where they survive runners that cannot fetch
counters, and where a task that is tried twice counts once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

__all__ = ["Counters"]


_MAX_NOTES = 100  # a snapshot of unreadable files must not fill memory with complaints


class Counters:
    """group -> name -> count; zeros are not kept. `notes` are sentences for people."""

    def __init__(self) -> None:
        self._counts: defaultdict[tuple[str, str], int] = defaultdict(int)
        self.notes: list[str] = []

    def note(self, *sentences: str) -> None:
        """Say something that a count cannot, such as the name of a file."""
        self.notes = sorted({*self.notes, *sentences})[:_MAX_NOTES]

    def add(self, group: str, name: str, amount: int = 1) -> None:
        """Count `amount` more."""
        if amount:
            self._counts[group, name] += amount

    def merge(self, groups: Mapping[str, Mapping[str, int]]) -> None:
        """Add another task's counts."""
        for group, names in groups.items():
            for name, amount in names.items():
                self.add(group, name, amount)

    def get(self, group: str, name: str) -> int:
        """One count; 0 for one that was never added to."""
        return self._counts.get((group, name), 0)

    def as_dict(self) -> dict[str, dict[str, int]]:
        """All counts, groups and names in order."""
        groups: dict[str, dict[str, int]] = {}
        for (group, name), amount in sorted(self._counts.items()):
            groups.setdefault(group, {})[name] = amount
        return groups
