"""Labelled pages as one file, for the tasks of a job; and the records that they give back.

A record has the number of a page for its key and base64 of 14 numbers of 64 bits for its value:
concordant, discordant and tied pairs of each statistic, then the pages of its class and those of
them that are orthogonal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.config import from_dict, to_dict
from pagekin.evaluate.gamma import STATISTICS, Tally, tally_sources
from pagekin.evaluate.labelled import LabelledPages, PackedBags
from pagekin.evaluate.similarities import Material, Representation
from pagekin.kinds import Pair
from pagekin.tables import ArrayFile, write_arrays

__all__ = ["read_material", "source_records", "tally_of_records", "write_material"]

_KIND = "labelled pages"
_PAIRS = len(STATISTICS) * 3


def write_material(path: Path, material: Material) -> None:
    """Store the pages, their classes and bags, and the configuration; no index."""
    pages = material.pages
    texts = {"urls": pages.urls, "classes": ["/".join(path) for path in pages.classes]}
    arrays: dict[str, NDArray[Any]] = {
        "bounds": pages.bounds,
        "members": pages.members,
        **{f"bag_{name}": array for name, array in pages.bags._asdict().items()},
    }
    for name, some in texts.items():
        packed = [text.encode() for text in some]
        arrays[f"{name}_bounds"] = np.cumsum([0, *map(len, packed)], dtype=np.int64)
        arrays[name] = np.frombuffer(b"".join(packed), np.uint8)
    meta = {"config": to_dict(material.config), "missing": pages.missing}
    write_arrays(path, _KIND, meta, arrays)


def read_material(path: Path) -> Material:
    """What `write_material` stored."""
    file = ArrayFile(path, _KIND)
    paths = [tuple(text.split("/")) if text else () for text in _texts(file, "classes")]
    bags = PackedBags(file["bag_terms"], file["bag_weights"], file["bag_bounds"])
    urls, missing = _texts(file, "urls"), int(file.meta["missing"])
    pages = LabelledPages(urls, paths, file["bounds"], file["members"], bags, missing)
    return Material(pages, from_dict(file.meta["config"]))


def _texts(file: ArrayFile, name: str) -> list[str]:
    text, bounds = file[name].tobytes(), file[f"{name}_bounds"].tolist()
    return [text[low:high].decode() for low, high in pairwise(bounds)]


def source_records(
    pages: LabelledPages, representation: Representation, sources: Sequence[int]
) -> Iterator[Pair]:
    """A record for each source."""
    counts, same, orthogonal = tally_sources(pages.family, representation, sources)
    rows = np.column_stack([counts.reshape(-1, _PAIRS), same, orthogonal]).astype("<i8")
    for source, row in zip(sources, rows, strict=True):
        yield b"%010d" % source, b64encode(row.tobytes())


def tally_of_records(records: Iterable[Pair]) -> Tally:
    """The counts of all sources, in the order of the records."""
    rows = [np.frombuffer(b64decode(value, validate=True), "<i8") for _, value in records]
    table = np.array(rows, np.int64).reshape(-1, _PAIRS + 2)
    counts = table[:, :_PAIRS].reshape(-1, len(STATISTICS), 3)
    return Tally(counts, table[:, -2], table[:, -1])
