"""The dictionary: what is stored of terms is found again, however many are stored at once."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags.dictionary import BAR, Dictionary, Entry, write_dictionary

WORDS = st.text(st.characters(codec="utf-8", categories=("L",)), min_size=1, max_size=6)
ENTRIES = st.dictionaries(st.integers(0, 2**32 - 1), st.builds(Entry, WORDS, WORDS), max_size=30)


@given(ENTRIES, st.lists(st.integers(0, 30)), st.data())
def test_what_is_stored_is_found(entries, cuts, data):
    """Terms with their entries, in parts of any number, some with none; others are numbers."""
    terms = sorted(entries)
    edges = sorted([0, len(terms), *(min(cut, len(terms)) for cut in cuts)])
    parts = [terms[a:b] for a, b in pairwise(edges)]
    records = [
        (np.array(part, np.uint32), b"".join(entries[term].text() + BAR for term in part))
        for part in parts
    ]
    asked = data.draw(st.lists(st.sampled_from([*terms, 0, 7, 2**32 - 1]), unique=True))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dictionary.arrays"
        write_dictionary(path, records)
        dictionary = Dictionary(path)
        assert len(terms) == len(dictionary)
        nameless = {term: Entry(f"#{term:08x}", f"#{term:08x}") for term in asked}
        expected = {**nameless, **entries}
        wanted = np.array(asked, np.uint32)
        assert [expected[term] for term in asked] == dictionary.look_up(wanted)
        wanted.sort()
        assert [expected[t].text() for t in wanted.tolist()] == dictionary.texts(wanted)
