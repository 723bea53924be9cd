"""Columns of a table that comes by rows, in memory and on disk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.index import columns as module
from pagekin.index.columns import Columns


@given(st.lists(st.integers(0, 9), max_size=8), st.integers(1, 5), st.integers(0, 200))
def test_columns(sizes: list[int], count: int, held: int) -> None:
    """However the rows come, and however many may wait in memory, the columns are theirs."""
    blocks = np.arange(sum(sizes) * count, dtype=np.uint32).reshape(-1, count)
    with pytest.MonkeyPatch.context() as patch, Columns(count) as columns:
        patch.setattr(module, "_HELD", held)
        for rows in np.split(blocks, np.cumsum(sizes)[:-1]) if sizes else []:
            columns.add(rows)
        found = [column.tolist() for column in columns]
        assert bool(columns._spilled) == (blocks.nbytes > held and max(sizes, default=0) > 0)
    assert blocks.T.tolist() == found


def test_file_is_gone() -> None:
    """Nothing is left of what lay on disk."""
    with Columns(2) as columns:
        file = columns._file
    assert file.closed
