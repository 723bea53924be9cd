"""The definitions of [SIM] section 2 written down once more, pair by pair, and slowly; pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from pagekin.bags.bag import Bag, Bags
from pagekin.evaluate.directory import DirectoryConfig, read_directory
from pagekin.evaluate.labelled_pages import LabelledPages, label_bags
from tests.indexes import make_bag

ClassPath = tuple[str, ...]
Counts = dict[str, list[int]]

NAMES = ("gamma", "sibling", "cousin", "unrelated")


def plain_class_distance(source: ClassPath, other: ClassPath) -> int:
    """Steps up from the source's class to the first class above (or at) the other one."""
    if source == other:
        return 0
    steps, ancestor = 0, source
    while ancestor != other[: len(ancestor)]:
        ancestor, steps = ancestor[:-1], steps + 1
    if not ancestor:
        return 3
    return {0: 1, 1: 1}.get(steps, 2)


def plain_distance(source: Sequence[ClassPath], other: Sequence[ClassPath]) -> int:
    return min(plain_class_distance(a, b) for a in source for b in other)


def plain_jaccard(a: Bag, b: Bag) -> float:
    left = dict(zip(a.terms.tolist(), map(float, a.weights), strict=True))
    right = dict(zip(b.terms.tolist(), map(float, b.weights), strict=True))
    both = left.keys() | right.keys()
    least = sum(min(left.get(t, 0.0), right.get(t, 0.0)) for t in both)
    most = sum(max(left.get(t, 0.0), right.get(t, 0.0)) for t in both)
    return least / most if most else 0.0


def plain_cosine(a: Bag, b: Bag) -> float:
    left = dict(zip(a.terms.tolist(), map(float, a.weights), strict=True))
    right = dict(zip(b.terms.tolist(), map(float, b.weights), strict=True))
    shared = sum(left[t] * right[t] for t in left.keys() & right.keys())
    norms = math.hypot(*left.values()) * math.hypot(*right.values())
    return shared / norms if norms else 0.0


def plain_counts(source: int, similarities: Sequence[float], distances: Sequence[int]) -> Counts:
    """Concordant, discordant and tied pairs of other pages than the source."""
    counts = {name: [0, 0, 0] for name in NAMES}
    others = [page for page in range(len(similarities)) if page != source]
    for pair in combinations(others, 2):
        near, far = sorted(pair, key=lambda page: distances[page])
        if distances[near] == distances[far]:
            continue
        a, b = round(similarities[near], 12), round(similarities[far], 12)
        outcome = 0 if a > b else 1 if a < b else 2
        counts["gamma"][outcome] += 1
        if distances[near] == 0:
            counts[NAMES[distances[far]]][outcome] += 1
    return counts


# --- strategies ---

names = st.sampled_from("AB")
paths = st.lists(names, min_size=1, max_size=5).map(tuple)


@st.composite
def labelled(draw: st.DrawFn) -> tuple[list[Bag], dict[str, list[ClassPath]]]:
    """Bags with few terms and weights, so that many are equal, and classes of mixed depths."""
    bags, classes = [], {}
    for k in range(draw(st.integers(1, 12))):
        url = f"http://{k:02d}.example/"
        weights = draw(
            st.dictionaries(st.integers(16, 20), st.sampled_from([1.0, 2.0]), max_size=4)
        )
        bags.append(make_bag(url, weights, anchors=draw(st.integers(0, 1))))
        classes[url] = draw(st.lists(paths, min_size=1, max_size=3))
    return bags, classes


def lines_of(classes: Mapping[str, Sequence[ClassPath]]) -> str:
    """A directory as two columns."""
    return "".join(
        f"{url}\t/Top/{'/'.join(path)}\n" for url, some in classes.items() for path in some
    )


# --- pages ---

URLS = [f"http://{name}.example/" for name in ("jazz", "rock", "folk", "cell", "oak", "lost")]
CLASSES = {
    URLS[0]: [("Arts", "Music", "Jazz")],
    URLS[1]: [("Arts", "Music", "Jazz"), ("Arts", "Radio", "Rock")],
    URLS[2]: [("Arts", "Music", "Folk")],
    URLS[3]: [("Science", "Biology", "Cells")],
    URLS[4]: [("Science", "Biology", "Trees")],
    URLS[5]: [("Science", "Biology", "Trees")],
}
BAGS = [
    make_bag(URLS[0], {16: 1.0, 17: 1.0}, 1),
    make_bag(URLS[1], {16: 1.0, 18: 1.0}, 0),
    make_bag(URLS[2], {16: 1.0, 17: 2.0}, 2),
    make_bag(URLS[3], {17: 1.0, 20: 1.0}, 1),
    make_bag(URLS[4], {21: 1.0}, 1),
    make_bag("http://unlabelled.example/", {16: 1.0}, 1),
]


def pages_in_classes(pages: Sequence[Sequence[ClassPath]]) -> LabelledPages:
    """Pages without bags, each in some classes."""
    classes = sorted({path for paths in pages for path in paths})
    members = np.array([classes.index(path) for paths in pages for path in paths], np.int32)
    bounds = np.cumsum([0, *map(len, pages)])
    urls = [f"http://{k}.example/" for k in range(len(pages))]
    return LabelledPages(urls, classes, bounds, members, Bags.of([]).columns())


def pages_of(tmp_path, bags, classes, *, linked=False, **config):
    file = tmp_path / "directory.tsv"
    file.write_text(lines_of(classes))
    return label_bags(bags, read_directory([file], DirectoryConfig(**config)), linked=linked)
