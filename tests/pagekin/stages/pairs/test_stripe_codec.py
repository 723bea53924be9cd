"""Hashes as bytes that end no line, and partners there and back."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagekin.cocitation.similarity import proximities
from pagekin.stages.pairs.stripe_codec import Partners, mask_hashes

# bytes that together rule out many masks are likelier than by chance
HASHES = st.lists(st.binary(min_size=8, max_size=8).map(lambda b: int.from_bytes(b, "little")))
NIBBLES = st.permutations([16 * k for k in range(16)]).map(lambda b: bytes(b[:8]))
WORST = st.lists(NIBBLES.map(lambda b: int.from_bytes(b, "little")))


@given(st.one_of(HASHES, WORST))
def test_no_control_bytes(hashes):
    """No byte is below 16, so none is a tab, a line end or a delimiter."""
    text = mask_hashes(np.array(hashes, np.uint64))
    assert 9 * len(hashes) == len(text)
    assert [] == [byte for byte in text if byte < 16]


@given(st.one_of(HASHES, WORST))
def test_there_and_back(hashes):
    """Hashes are read back as they were, whatever their bytes."""
    own = b"AAAAAAAA"  # place 0, and no other fact
    text = mask_hashes(np.array(hashes, np.uint64))
    assert hashes == Partners([own], [text], proximities(8)).hashes.tolist()


def test_first_mask():
    """The mask is the first that serves, so a hash has one form."""
    assert b"\x10" + b"\x10" * 8 == mask_hashes(np.array([0], np.uint64))
    assert b"\x20" + b"\x30" * 8 == mask_hashes(np.array([0x1010101010101010], np.uint64))
