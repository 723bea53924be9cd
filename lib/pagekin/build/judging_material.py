"""What is judged: the labelled pages of a workspace or of an index."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pagekin.bags.bag import Bag
from pagekin.build.bag_store import BagStore
from pagekin.config import known_config
from pagekin.counters import Counters
from pagekin.evaluate.directory import DirectoryConfig, read_directory
from pagekin.evaluate.labelled_pages import LabelledPages, label_bags
from pagekin.evaluate.similarities import Material
from pagekin.index.folder import IndexFolder

__all__ = ["Labels"]


@dataclass(frozen=True)
class Labels:
    """A directory, and which of its pages are wanted. What is wrong in it is counted."""

    files: Sequence[Path]
    config: DirectoryConfig
    linked: bool = False  # only pages that some page links to
    counters: Counters = field(default_factory=Counters)

    def of_index(self, path: Path) -> Material:
        """The pages of an index."""
        folder = IndexFolder(path)
        pages = self._label(folder.bags(), folder.aliases.end_of)
        return Material(pages, known_config(folder.header.config), folder)

    def of_workspace(
        self, path: Path, signatures: Mapping[str, Any], *, plain: bool = False
    ) -> Material:
        """The pages of a workspace; `signatures` changes how they would be signed, `plain` takes
        bags before they were enriched.
        """
        store = BagStore(path, plain=plain)
        pages = self._label(store.all(), store.end_of)
        config = known_config(store.config())
        config = dataclasses.replace(
            config, signatures=dataclasses.replace(config.signatures, **signatures)
        )
        frequencies, documents = store.frequencies()
        return Material(pages, config, frequencies=frequencies, documents=documents)

    def _label(self, bags: Iterable[Bag], resolve: Callable[[str], str]) -> LabelledPages:
        directory = read_directory(self.files, self.config, resolve)
        self.counters.merge(directory.counters.as_dict())
        return label_bags(bags, directory, linked=self.linked)
