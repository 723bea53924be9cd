"""What the twins of the bags do not show: limits of a URL with very many links."""

from __future__ import annotations

import numpy as np
import pytest

from pagekin.bags.bag import parse_bag
from pagekin.bags.fragments import KIND_SHIFT, LINK, encode
from pagekin.config import BagConfig, WindowConfig
from pagekin.counters import Counters
from pagekin.stages.fragments import merge
from pagekin.stages.fragments.merge import BagMerger
from pagekin.stages.fragments.values import link_value

KEY = b"http://a.example/"


def anchors(*terms: int) -> bytes:
    """The fragment of a link with such an anchor."""
    return encode(np.array([LINK << KIND_SHIFT, *terms], np.uint64))


@pytest.mark.parametrize("piece", [1 << 20, 20, 0])
def test_too_many_terms(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    """The heaviest terms of all links stay, of equal ones the smaller hashes; what looks light in
    each piece of the links may be heavy in the end."""
    monkeypatch.setattr(merge, "_FOLD_TEXT", piece)
    texts = [anchors(50, 60, 50, 60, 99), anchors(20, 30, 20, 30, 99), anchors(40, 99), anchors(99)]
    counters = Counters()
    merger = BagMerger(BagConfig(max_terms=3), WindowConfig(), counters)
    values = [link_value(b"host%04d" % k, text, first=True) for k, text in enumerate(texts)]
    [(key, value)] = merger.merge((KEY, value) for value in values)
    bag = parse_bag(key, value)
    assert ([20, 30, 99], [10.0, 10.0, 20.0]) == (bag.terms.tolist(), bag.weights.tolist())
    assert {
        "urls": 1,
        "anchors": 4,
        "terms": 3,
        "terms_over_limit": 3,
    } == counters.as_dict()["bags"]
