"""What the pages of a site repeat, against a count over sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagekin.mirrors.shingles import WHOLE, Fingerprints, Sketch, make_sketch
from pagekin.mirrors.templates import WITNESSES, site_templates

Page = set[int]

_pages = st.lists(st.sets(st.integers(0, 30), min_size=1, max_size=20), max_size=12)


def some(numbers: Page) -> Fingerprints:
    return np.array(sorted(numbers), np.uint64)


def plainly(pages: list[Page]) -> list[int]:
    """By the definition: copies count once, then a third of the pages, and three, have it."""
    witnesses: list[Page] = []
    for page in pages[:WITNESSES]:
        if not any(10 * len(page & other) >= 9 * len(page | other) for other in witnesses):
            witnesses.append(page)
    times = {n: sum(n in page for page in witnesses) for n in set().union(*pages)}
    return sorted(n for n, k in times.items() if k >= 3 and 3 * k >= len(witnesses))


@given(_pages)
def test_templates_are_what_a_third_of_the_pages_have(pages: list[Page]) -> None:
    """And three of them at least, copies left out."""
    expected = plainly(pages) if len(pages) >= 3 else []
    assert site_templates([make_sketch(some(page)) for page in pages]).tolist() == expected


def test_many_copies_of_a_page_are_no_template() -> None:
    """A site that serves one page by a hundred addresses does not lose its text."""
    menu, text = set(range(10)), set(range(100, 160))
    copies = [make_sketch(some(menu | text | {1000 + k})) for k in range(20)]
    others = [make_sketch(some(menu | set(range(2000 + 60 * k, 2060 + 60 * k)))) for k in range(3)]
    assert site_templates(copies).tolist() == []
    assert site_templates([*copies, *others]).tolist() == sorted(menu)


def test_only_the_first_pages_by_lot_are_asked() -> None:
    """So that a large site costs no more memory than a small one."""
    pages = [make_sketch(some({k, 1000 + k})) for k in range(WITNESSES)]
    more = [make_sketch(some({5000, 2000 + k})) for k in range(WITNESSES)]
    assert site_templates([*pages, *more]).tolist() == []
    assert site_templates([*more, *pages]).tolist() == [5000]


def test_a_page_bears_witness_of_what_it_can_show() -> None:
    """A sampled page says nothing of shingles beyond its reach, neither for nor against."""
    whole = [Sketch(2, WHOLE, some({90, 100 + k})) for k in range(3)]
    sampled = [Sketch(900, 50, some(set(range(5 * k, 5 * k + 5)))) for k in range(7)]
    assert site_templates([*whole, *sampled]).tolist() == [90]
    reaching = [page._replace(reach=95) for page in sampled]
    assert site_templates([*whole, *reaching]).tolist() == []
