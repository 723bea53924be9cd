"""What is fuzzed with its coverage as the guide: functions that take any bytes, and must hold.

Each hands the bytes to one part of pagekin that reads what strangers wrote, and checks what must be
true of any answer. An exception is a fault. Those of the parts in C hold them beside their Python.
`tests.guided` looks for inputs that reach new places; the small corpus that is kept of them
(tests/corpus) is replayed by the tests, under the sanitizers too.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from pagekin import Index
from pagekin.bags import vocabulary
from pagekin.bags.vocabulary import merged
from pagekin.blocks.display import block_lines, blocks_as_json, colour_blocks
from pagekin.blocks.page_blocks import described_blocks, page_links
from pagekin.config import BlockConfig, BuildConfig, TextConfig
from pagekin.counters import Counters
from pagekin.errors import InputError, NotFoundError, UsageError
from pagekin.evaluate.directory import DirectoryConfig, read_directory
from pagekin.index.assembling import Mirrors
from pagekin.index.folder import HEADER, IndexFolder, _rendered
from pagekin.index.mirror_table import Group
from pagekin.printing import printable
from pagekin.stages.document_frequency.counting import Best, plain_best_forms
from pagekin.stages.fragments.extractor import FragmentExtractor
from pagekin.stages.shingles.extractor import ShingleExtractor
from pagekin.tables import UNREADABLE, ArrayFile
from pagekin.text.tokens import CODES, Pieces, with_sentences
from pagekin.text.words import Forms, term_hash
from pagekin.web.html import to_html
from pagekin.web.http import decode_body, parse_http
from pagekin.web.markup import reader_in_c, reader_in_python, sanitise
from pagekin.web.page import Page, View, make_page
from pagekin.web.show import describe_page, page_lines
from pagekin.web.streams import ByteRange
from pagekin.web.urls import Resolver, canonical, plain_spelling, refusal, spelling_of, spelt
from pagekin.web.warc import Damage, Record, read_records
from tests.indexes import make_index, random_bags
from tests.natives import native
from tests.pagekin.text.test_tokens import Reader, in_c
from tests.warcs import gz, pipe

__all__ = ["CORPUS", "IN_C", "TARGETS", "cases", "main", "mutated", "write_cases"]

CORPUS = Path(__file__).with_name("corpus")
_CONFIG = BuildConfig()
_LIMIT = 1 << 16  # bytes of a body, or of a block
_FEW_LINKS = 20
_WHOLE_VIEW = View(text=True, outline=True, tree=True)
_HTML_OF_MARKED = re.compile(r"<(?:script|iframe|object|embed|img|link|meta|svg|form)\b|\son\w+=")

Target = Callable[[bytes], None]
TARGETS: dict[str, Target] = {}
IN_C: list[str] = []  # those that hold C beside Python


def _target(function: Target) -> Target:
    TARGETS[function.__name__] = function
    return function


def _in_c(function: Target) -> Target:
    IN_C.append(function.__name__)
    return _target(function)


def cases(name: str) -> list[bytes]:
    """The kept inputs of a target: a line of base64 each."""
    path = CORPUS / f"{name}.txt"
    return [base64.b64decode(line) for line in path.read_bytes().split()] if path.exists() else []


def write_cases(name: str, inputs: set[bytes]) -> None:
    """Keep these inputs, short ones first."""
    ordered = sorted(inputs, key=lambda data: (len(data), data))
    text = b"".join(base64.b64encode(data) + b"\n" for data in ordered)
    (CORPUS / f"{name}.txt").write_bytes(text)


def mutated(name: str, count: int, seed: int) -> Iterator[bytes]:
    """So many inputs made of the kept ones: cut, joined, repeated, and with other bytes in them."""
    kept, chance = cases(name), random.Random(f"{name} {seed}")
    for _ in range(count):
        data = bytearray(chance.choice(kept))
        for _ in range(chance.randint(1, 6)):
            at, other = chance.randrange(len(data) + 1), chance.choice(kept)
            start = chance.randrange(len(other) + 1)
            piece = (
                chance.randbytes(chance.randrange(4)),
                other[start : start + chance.randrange(40)],
                bytes(data[at : at + chance.randrange(20)]) * chance.randrange(5),
                b"",
            )[chance.randrange(4)]
            data[at : at + chance.choice((0, 0, len(piece), chance.randrange(30)))] = piece
        yield bytes(data)


def main(arguments: Sequence[str] | None = None) -> int:
    """Hold C beside Python on mutated cases; an exception ends it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--mutated", type=int, default=1000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    options = parser.parse_args(arguments)
    for name in IN_C:
        for data in mutated(name, options.mutated // len(IN_C), options.seed):
            TARGETS[name](data)
    sys.stdout.write(f"{options.mutated} mutated cases: C and Python agree\n")
    return 0


# --- the parts in C -------------------------------------------------------------------------------


@_in_c
def tags(data: bytes) -> None:
    """HTML to text, links and outline."""
    in_c, in_python = _html_readers()
    body, _ = sanitise(data.decode("utf-8", "replace").encode())
    for with_outline in (False, True):
        assert in_python(body, with_outline) == in_c(body, with_outline)


@cache
def _html_readers() -> tuple[Callable[..., object], Callable[..., object]]:
    part, nothing = native("pagekin.web._html"), frozenset[str]()
    return reader_in_c(part, nothing, _FEW_LINKS), reader_in_python(nothing, _FEW_LINKS)


@_in_c
def words(data: bytes) -> None:
    """Text to words, at first sight and remembered."""
    text = data.decode("utf-8", "replace").translate(dict.fromkeys(map(ord, CODES)))
    fast, plain = in_c(), Reader(Pieces)
    for _ in range(2):
        assert plain.read(text) == fast.read(text)


@_in_c
def forms(data: bytes) -> None:
    """Records of words: made, merged, and searched for the best form."""
    part, lines = native("pagekin.bags._words"), data.split(b"\n")
    used = np.array(sorted({term_hash(chr(n)) for n in data[:20]}), np.uint32)
    for fast, plain in (
        (lambda: part.merge_words([*lines, b"1 a"]), lambda: merged([*lines, b"1 a"])),
        (lambda: part.merge_words(lines[:1] * 2), lambda: merged(lines[:1] * 2)),
        (lambda: Best(*part.best_forms(lines[0], used)), lambda: plain_best_forms(lines[0], used)),
    ):
        found, expected = _unless_refused(fast), _unless_refused(plain)
        assert found == expected or found is None or expected is None
    made = Forms(
        np.array([xxhash.xxh32_intdigest(line) for line in lines], np.uint32),
        [line[:5].decode("utf-8", "ignore") for line in lines],
        [line[3:].decode("utf-8", "ignore") for line in lines],
        np.array([len(line) for line in lines], np.int64),
    )
    assert list(vocabulary.plain_forms_records([made, made])) == part.forms_records([made, made])


def _unless_refused(make: Callable[[], object]) -> object:
    """None for a broken record: C refuses more of them, and Python some that C hands on."""
    try:
        return make()
    except (ValueError, TypeError):
        return None


# --- snapshots and pages --------------------------------------------------------------------------


@_target
def records(data: bytes) -> None:
    """A WARC file: the same however it arrives, and in parts what there is in one piece."""
    for stream in (data, gz(data[: len(data) // 2]) + gz(data[len(data) // 2 :]) + data):
        found = list(read_records(pipe(stream), _LIMIT))
        assert found == list(read_records(pipe(stream, at_once=1000), _LIMIT))
        assert all(item.skipped >= 0 for item in found if isinstance(item, Damage))
        assert all(len(item.block) <= _LIMIT for item in found if isinstance(item, Record))
        cuts = [item.offset for item in found if isinstance(item, Record) and item.can_begin]
        if cuts:
            cut = cuts[len(cuts) // 2]
            first = read_records(io.BytesIO(stream), _LIMIT, part=ByteRange(0, cut))
            rest = read_records(io.BytesIO(stream[cut:]), _LIMIT, part=ByteRange(cut, None))
            in_parts = [item for item in (*first, *rest) if isinstance(item, Record)]
            whole = [item for item in found if isinstance(item, Record)]
            assert [_place(item) for item in whole] == [_place(item) for item in in_parts]


def _place(record: Record) -> tuple[int, bytes]:
    return record.offset, record.block


@_target
def responses(data: bytes) -> None:
    """The block of a record: never more than the limit of a body comes out."""
    response = parse_http(data)
    if not isinstance(response, str):
        body, notes = decode_body(response, _LIMIT)
        assert len(body) <= _LIMIT
        assert all(map(str.isidentifier, notes))


@_target
def pages(data: bytes) -> None:
    """A page on all its ways: words, fragments, blocks by all rules, and marked for people."""
    charset, _, body = data.partition(b"\n")
    page = make_page(
        "http://own.example/a/", body, charset.decode("latin-1"), Counters(), view=_WHOLE_VIEW
    )
    if not isinstance(page, Page):
        return
    extractor = FragmentExtractor(_CONFIG, Counters())
    made = extractor.cut(page, extractor.read(page, with_sentences(page.flat.text)))
    for key, value in (*made, *ShingleExtractor(_CONFIG, Counters()).records(page)):
        assert not set(key) & set(b"\t\r\n")
        assert not set(value) & set(b"\r\n")
    for line in page_lines(
        describe_page(page, TextConfig(), Counters(), [False] * len(page.flat.hrefs))
    ):
        assert printable(line) == printable(printable(line))
    for rules in ("structural", "page", "paper"):
        config, counters = BlockConfig(rules=rules), Counters()
        blocks, links = described_blocks(page, config, counters), page_links(page, config)
        json.dumps(blocks_as_json(page, links, blocks, config, counters))
        assert list(block_lines(page, blocks, counters))
    sheet = colour_blocks(page.tree.tops, links, blocks, page.resolver)
    assert not _HTML_OF_MARKED.search(_written(to_html(page.tree, sheet)))


def _written(marked: bytes) -> str:
    """The tags of a marked page, behind its head, without values of attributes; lxml's <meta>
    names the charset."""
    text = marked.decode().partition("</style>")[2]
    tags = "".join(re.findall(r"<[a-zA-Z/](?:[^\"'>]|\"[^\"]*\"|'[^']*')*>", text))
    return re.sub(r"\"[^\"]*\"|<meta http-equiv=\"Content-Type\" [^>]*>", "", tags)


@_target
def urls(data: bytes) -> None:
    """A base and an href: what comes out is canonical, and its spellings lead back to it."""
    base, _, href = data.decode("utf-8", "replace").partition("\n")
    alone = canonical(href)
    assert (alone is None) == (refusal(href) is not None)
    for url in (alone, Resolver(base)(href)):
        if url is not None:
            assert url == canonical(url)
            plain = plain_spelling(url)
            assert plain == plain_spelling(spelt(plain, spelling_of(url)))


# --- what else comes from others ------------------------------------------------------------------


@_target
def directories(data: bytes) -> None:
    """A directory of classes, in each format: read, or refused in a sentence."""
    with _file(data) as path:
        for form in ("auto", "pages", "curlie", "rdf"):
            try:
                found = read_directory([path], DirectoryConfig(form=form))
            except InputError:
                continue
            assert len(found) == len(found.bounds) - 1


@_target
def index_files(data: bytes) -> None:
    """A file of an index, and its header, with checksums that are right: read or refused."""
    header, _, rest = data.partition(b"\n")
    with _file(_sealed(header) + rest) as path:
        try:
            file = ArrayFile(path)
            for name in file.dtypes:
                assert len(file[name]) * file[name].itemsize <= len(rest)
        except (InputError, *UNREADABLE):
            pass
    with tempfile.TemporaryDirectory() as folder:
        said = _as_object(data)
        (Path(folder) / HEADER).write_bytes(data if said is None else _rendered(said))
        with suppress(InputError):
            IndexFolder(Path(folder))


def _sealed(header: bytes) -> bytes:
    return b"pagekin arrays 1\n%b %b\n" % (xxhash.xxh3_64_hexdigest(header).encode(), header)


def _as_object(data: bytes) -> dict[str, Any] | None:
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


@_target
def questions(data: bytes) -> None:
    """Words and options of a question: an answer, or a sentence."""
    text = data[1:].decode("utf-8", "replace")
    url, _, host = text.partition("\n")
    index, number = _small_index(), data[0] if data else 0
    index.search(text)
    by, read = ("bags", "cocitation", "both")[number % 3], ("first", "only", "any")[number // 3 % 3]
    mirrors = ("fold", "show", "only")[number // 36 % 3]
    how = {"read": read, "per_host": number // 9 % 4, "exclude_hosts": host, "mirrors": mirrors}
    try:
        answer = index.related(url, by=by, why=True, **how)
        if by == "bags":
            assert index.mirrors(url).url == answer.asked[0].url
    except (NotFoundError, UsageError) as error:
        assert str(error)
    else:
        json.dumps(answer.as_dict())


@cache
def _small_index() -> Index:
    folder, bags = Path(tempfile.mkdtemp(prefix="pagekin-questions-")), random_bags(40)
    urls = [bag.url.encode() for bag in bags if bag.crawled]
    groups = [Group(urls[k : k + 4], [], 9000, 9000, 1) for k in range(0, 16, 4)]
    return Index.open(make_index(folder / "index", bags, mirrors=Mirrors(groups, [])))


@contextmanager
def _file(data: bytes) -> Iterator[Path]:
    """A file of these bytes, for a while."""
    with tempfile.NamedTemporaryFile(prefix="pagekin-target-") as file:
        file.write(data)
        file.flush()
        yield Path(file.name)


if __name__ == "__main__":
    raise SystemExit(main())
