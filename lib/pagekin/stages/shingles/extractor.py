"""Pages become sketches, and leave the templates of their sites out.

The map side sends the sketch of each page to its host, with a lot, which is a number that follows
from the URL. So the pages of a host arrive in the order of their lots: on the first of them the
reducer sees what the host repeats, and leaves that out of all, one after the other.

    sent      key !shingles/HOST; value `LOT PATH SKETCH`, LOT in 16 hexadecimal digits
    output    key !shingles/HOST; value `PATH SKETCH`, without templates, in the same order

HOST is all of a URL before its path and the path's first slash, PATH the rest with that slash, and
SKETCH what `pagekin.mirrors.shingles.pack` makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from operator import itemgetter

from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.kinds import SHINGLES, Pair
from pagekin.mirrors.shingles import WHOLE, Sketch, fingerprints, make_sketch, pack, unpack
from pagekin.mirrors.templates import WITNESSES, site_templates
from pagekin.stages.fragments.parcels import host_part
from pagekin.tables import url_number
from pagekin.web.page import Page, View
from pagekin.web.resolution import Resolution, own_url
from pagekin.web.tags import CUTS, HEADING_MARKS, MENU_MARKS

__all__ = ["ShingleExtractor", "leave_templates_out", "read_sketches"]


class ShingleExtractor:
    """Makes the sketch of each page."""

    view = View(without=CUTS | HEADING_MARKS | MENU_MARKS)

    def __init__(
        self, config: BuildConfig, counters: Counters, resolution: Resolution | None = None
    ) -> None:
        self._config = config
        self._counters = counters
        self._resolution = resolution

    def records(self, page: Page) -> Iterator[Pair]:
        """The record of a page; none of a page without words."""
        sketch = make_sketch(fingerprints(page.flat.text, self._config.mirrors.length))
        if not sketch.shingles:
            self._counters.add("shingles", "pages_without_words")
            return
        self._counters.add("shingles", "pages")
        self._counters.add("shingles", "pages_sampled", int(sketch.reach != WHOLE))
        url = own_url(page.url, self._config.reading, self._resolution).encode()
        host = host_part(url)
        value = b"%016x %b %b" % (url_number(url), url[len(host) - 1 :], pack(sketch))
        yield SHINGLES.prefix + host, value

    def finish(self) -> Iterator[Pair]:
        """Nothing: no record of a page waits for others."""
        return iter(())


def leave_templates_out(
    pairs: Iterable[Pair], config: BuildConfig, counters: Counters
) -> Iterator[Pair]:
    """The sketches of all pages, without what their hosts repeat."""
    for key, group in groupby(pairs, key=itemgetter(0)):
        values = _of_each_page((value for _, value in group), counters)
        first = list(islice(values, WITNESSES if config.mirrors.templates else 0))
        templates = site_templates([sketch for _, sketch in first])
        counters.add("shingles", "hosts")
        counters.add("shingles", "hosts_with_templates", int(len(templates) > 0))
        for path, sketch in chain(first, values):
            if len(templates):
                left = sketch.without(templates)
                number = len(sketch.fingerprints) - len(left.fingerprints)
                counters.add("shingles", "of_templates", number)
                sketch = left  # noqa: PLW2901
            yield key, b"%b %b" % (path, pack(sketch))


def _of_each_page(values: Iterable[bytes], counters: Counters) -> Iterator[tuple[bytes, Sketch]]:
    """Path and sketch of each page; of pages that name one URL as their own the first counts."""
    last = b""
    for value in values:
        _, path, word = value.split(b" ")
        if path == last:
            counters.add("shingles", "pages_of_one_url")
            continue
        last = path
        yield path, unpack(word)


def read_sketches(pairs: Iterable[Pair]) -> Iterator[tuple[bytes, bytes]]:
    """URL and sketch, as a word, of the records that this output makes."""
    for key, value in pairs:
        path, _, sketch = value.partition(b" ")
        yield key[len(SHINGLES.prefix) : -1] + path, sketch
