"""What is wrong with an index is found by `verify_index`, and harms nobody who asks it."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pagekin import Index
from pagekin.bags.bag import Entry
from pagekin.cocitation.kin_table import Reason, RelatedPage
from pagekin.errors import InputError, PagekinError
from pagekin.index.folder import ALIASES, HEADER, NEIGHBOURS, TOPICS, read_header, write_header
from pagekin.index.merge import merge_indexes
from pagekin.index.shard_files import SHARD_FILES, shard_of
from pagekin.index.verify import verify_index
from pagekin.tables import ArrayFile, url_number, write_arrays
from pagekin.text.words import Terms
from tests.indexes import config_of, files_of, make_bag, make_index, random_bags

ALIAS = "http://d.example/"
ASKED = "http://a.example/"
BAGS = [
    make_bag(ASKED, {20: 1, 30: 2}, 3, title="Über a"),
    make_bag("http://b.example/x", {20: 1, 30: 2, 40: 1}, 1, crawled=False),
    make_bag("http://c.example/", {}),
]
ONLY = "http://only.example/"  # no document
KIN = {
    ASKED: [
        RelatedPage(ONLY, 4.5, 3, 2, (Reason("e.example", "a word", 2.0),)),
        RelatedPage(BAGS[1].url, 4.0, 1, 1, ()),
    ],
    ONLY: [RelatedPage(ASKED, 5.0, 1, 1, (Reason("f.example", "", 5.0),))],
}
LEARNED = {20: {30: 40_000, 40: 25_535}, 30: {20: 65_535}, 40: {}}
TAUGHT = [[20, 30], [30, 40]]  # terms of topics
NAMES = [
    ALIASES,
    NEIGHBOURS,
    TOPICS,
    *(f"shard-00000/{file.name}" for file in SHARD_FILES.values()),
]


def words(terms: Terms) -> list[Entry]:
    """Words without digits, which nobody can ask for."""
    return [Entry(f"stem{term}", f"word{chr(97 + term // 10)}") for term in terms.tolist()]


def build(folder: Path, shards: int = 1) -> Path:
    aliases = [(ALIAS.encode(), ASKED.encode())]
    config = config_of(shards, count=2)
    learned = {"neighbours": LEARNED, "topics": TAUGHT}
    return make_index(folder, BAGS, config, aliases=aliases, words=words, kin=KIN, **learned)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny index. For reading, or for changing one file and changing it back."""
    return build(tmp_path_factory.mktemp("damage") / "index")


@pytest.fixture
def index(built: Path, tmp_path: Path) -> Path:
    """A tiny index of one's own."""
    return shutil.copytree(built, tmp_path / "index")


def ask_everything(folder: Path) -> None:
    """Open and ask: all that an index is for."""
    index = Index.open(folder)
    index.info()
    for question in (
        lambda: index.related(ASKED, 3, why=True).notes(),
        lambda: index.related(ALIAS, 3, exact=False, alpha=0.1),
        lambda: index.related(
            [ASKED, "http://b.example/x"], unlike="http://c.example/", per_host=1
        ),
        lambda: [index.describe(bag) for bag in index.all()],
        lambda: index.get("http://nowhere.example/"),
        lambda: list(index.urls(0)),
        lambda: index.related(ALIAS, by="cocitation", why=True, per_host=1).notes(),
        lambda: index.related([ONLY, ASKED], by="cocitation", exclude_hosts="x.example"),
        lambda: index.related(ASKED, by="both", unlike=ONLY, why=True).notes(),
        lambda: list(index.urls(0, "both")),
        lambda: index.neighbours("wordc"),
        lambda: index.neighbours("nothing"),
        index.topics,
        lambda: index.topics(ASKED),
    ):
        with suppress(PagekinError):
            question()


# --- sound ---


@pytest.mark.parametrize("shards", [1, 3, 7])
@pytest.mark.parametrize("least", [0, 2])
def test_sound(tmp_path, shards, least):
    """Nothing is found in a sound index, be shards empty, documents without a term, or URLs few."""
    config = config_of(shards, min_inlinks=least)
    assert [] == verify_index(make_index(tmp_path / "some", random_bags(60), config))
    assert [] == verify_index(make_index(tmp_path / "one", random_bags(1), config))
    assert [] == verify_index(make_index(tmp_path / "none", [], config))


def test_the_questions_reach_everything(built):
    """What is asked below has answers where nothing is damaged."""
    index = Index.open(built)
    kin = index.related(ALIAS, why=True)
    assert ["http://b.example/x"] == [one.url for one in kin]
    assert [30, 20] == [int(term.term.removeprefix("stem")) for term in kin[0].why.terms]
    assert 1 == len(index.related(ALIAS, exact=False, alpha=0.1))
    cited = index.related(ALIAS, by="cocitation", why=True, per_host=1)
    assert [ONLY, BAGS[1].url] == [one.url for one in cited]
    assert ["e.example"] == [one.domain for one in cited[0].why.citing]
    assert [BAGS[1].url] == [one.url for one in index.related([ONLY, ASKED], by="cocitation")]
    assert ONLY in index.urls(0, "both")
    assert ["wordd", "worde"] == [one.word for one in index.neighbours("wordc").neighbours]
    assert {"wordc", "wordd"} == {topic.words[0] for topic in index.topics()}
    assert "topic:0.0" == index.topics(ASKED)[0].name
    assert [] == verify_index(built)


# --- bytes ---


def flips(path: Path) -> Iterator[tuple[str, bytes]]:
    """A file with each of its bytes changed: those of arrays in several ways, others in one."""
    whole = path.read_bytes()
    start = (
        whole.index(b"\n", whole.index(b"\n") + 1) + 1 if path.suffix == ".arrays" else len(whole)
    )
    masks = (0x01, 0x80, 0x10, 0x2A)  # 0x2a makes a blank a line end
    for place, byte in enumerate(whole):
        for mask in (masks[place % 4], 0xFF) if place >= start else (masks[place % 4],):
            changed = whole[:place] + bytes([byte ^ mask]) + whole[place + 1 :]
            yield f"{path.name}[{place}] ^ {mask:#x}", changed


@pytest.mark.parametrize("name", [HEADER, *NAMES])
def test_every_byte(built, name):
    """Every wrong byte of every file is found; whoever asks gets an answer or a sentence."""
    path = built / name
    whole = path.read_bytes()
    try:
        for what, changed in flips(path):
            path.write_bytes(changed)
            assert verify_index(built), what
            if not what.endswith("0xff"):
                with suppress(PagekinError):
                    ask_everything(built)
    finally:
        path.write_bytes(whole)


@pytest.mark.parametrize("name", NAMES)
def test_weights_and_numbers_that_lead_nowhere(built, name):
    """Arrays full of ones, of zeros, of what is no number: a sentence, and no traceback."""
    path = built / name
    whole = path.read_bytes()
    start = whole.index(b"\n", whole.index(b"\n") + 1) + 1
    try:
        for filling in (b"\xff", b"\0", b"\x7f", b"\0\0\x80\x7f", b"\0\0\0\x80", b"\1\0\0\0"):
            size = len(whole) - start
            changed = whole[:start] + (filling * size)[:size]
            path.write_bytes(changed)
            assert bool(verify_index(built)) == (changed != whole)
            ask_everything(built)
    finally:
        path.write_bytes(whole)


# --- files ---


def complaint(folder: Path) -> str:
    """The one sentence with which an index is refused, when opened or when asked."""
    with pytest.raises(PagekinError) as caught:
        Index.open(folder).related(ALIAS, by="both", why=True)
    assert isinstance(caught.value, InputError)
    assert 1 == len(str(caught.value).splitlines())
    return str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_cut_short(index, name):
    """A file that ends too early is named, with the bytes that it should have."""
    path = index / name
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[:-3])
    said = f"{path} is cut short: it should hold {size} bytes and has {size - 3}"
    assert [said] == verify_index(index)
    assert said == complaint(index)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not an array file of this version of pagekin"),
        (b"PK\x03\x04" + bytes(300), "is not an array file of this version of pagekin"),
        (
            b"pagekin arrays 2\n",
            "is of format 2; this pagekin reads format 1: a newer one is needed",
        ),
    ],
)
def test_foreign_file(index, name, data, said):
    """An empty file, a foreign one and one of a newer version are told apart."""
    (index / name).write_bytes(data)
    assert [f"{index / name} {said}"] == verify_index(index)
    assert f"{index / name} {said}" == complaint(index)


@pytest.mark.parametrize("name", NAMES)
def test_missing_file(index, name):
    """A file that is not there is named."""
    (index / name).unlink()
    said = f"{index / name} cannot be opened: No such file or directory"
    assert [said] == verify_index(index)
    assert said == complaint(index)


@pytest.mark.parametrize("name", NAMES)
def test_appended(index, name):
    """What is appended to a file does not go unseen."""
    with (index / name).open("ab") as file:
        file.write(b"more")
    (said,) = verify_index(index)
    assert said.startswith(f"{index / name} goes on behind its end: it should hold ")


@pytest.mark.parametrize("name", ["H", "I", "bags", "urls"])
def test_file_of_another_kind(index, name):
    """Files that were mixed up are not believed."""
    path = index / "shard-00000" / SHARD_FILES[name].name
    shutil.copy(index / ALIASES, path)
    assert f"{path} holds resolution, not {SHARD_FILES[name].kind}" == complaint(index)


def test_file_of_another_index(index, tmp_path):
    """A sound file of another index is found, though its own checksum matches."""
    other = make_index(tmp_path / "other", random_bags(3), config_of(count=2))
    for name in SHARD_FILES.values():
        shutil.copy(other / "shard-00000" / name.name, index / "shard-00000" / name.name)
    differing = [name for name in NAMES if "plain" not in name]  # both have none
    said = [f"{index / n} is not the file that this index was written with" for n in differing]
    assert said[3:] == verify_index(index)  # those of the shard, which were copied
    assert said[3] == complaint(index)


def test_lists_of_another_seed(index, tmp_path):
    """They would be searched for signatures that they do not hold, and answer that nothing is
    related."""
    other = make_index(tmp_path / "other", BAGS, config_of(count=2, seed=7))
    shutil.copy(other / "shard-00000" / "I.arrays", index / "shard-00000" / "I.arrays")
    said = f"{index / 'shard-00000' / 'I.arrays'} is not the file that this index was written with"
    assert said == complaint(index)


def test_missing_shard(tmp_path):
    """A shard that is not there is named at the opening."""
    folder = build(tmp_path / "index", shards=3)
    shutil.rmtree(folder / "shard-00001")
    said = f"{folder}: shard 1 (shard-00001) is missing"
    assert said == complaint(folder)
    assert [said] == verify_index(folder)


def test_several_things(tmp_path):
    """Everything that is wrong is told, and not the first alone."""
    folder = build(tmp_path / "index", shards=3)
    shutil.rmtree(folder / "shard-00001")
    (folder / ALIASES).unlink()
    (folder / "shard-00002" / "H.arrays").write_bytes(b"")
    assert 3 == len(verify_index(folder))


# --- index.json ---


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is damaged: it cannot be read; build the index again"),
        (b"{}", "is damaged: it cannot be read; build the index again"),
        (b"[1, 2]", "is damaged: it cannot be read; build the index again"),
        (b'"text"', "is damaged: it cannot be read; build the index again"),
        (b"[" * 100_000, "is damaged: it cannot be read; build the index again"),
        (b"\xff\xfe\x00", "is damaged: it cannot be read; build the index again"),
        (b'{"pagekin index": 4}', "is damaged: it cannot be read; build the index again"),
        (
            b'{"pagekin index": 4, "checksum": ""}',
            "is damaged: its checksum does not match; build the index again",
        ),
    ],
)
def test_header(index, data, said):
    """A header that cannot be read says so."""
    (index / HEADER).write_bytes(data)
    assert f"{index / HEADER} {said}" == complaint(index)
    assert [f"{index / HEADER} {said}"] == verify_index(index)


@pytest.mark.parametrize("number", [1, 2, 3, 5])
def test_header_of_another_format(index, number):
    """An index of an older or newer version says so, whatever else its header holds."""
    (index / HEADER).write_text(f'{{"pagekin index": {number}, "something": "new"}}')
    said = f"{index} is an index of format {number}; this pagekin reads format 4: build it again"
    assert said == complaint(index)
    assert [said] == verify_index(index)


def test_appended_to_the_header(index):
    """The header is compared byte for byte: also what means nothing is found."""
    with (index / HEADER).open("ab") as file:
        file.write(b"\n")
    assert f"{index / HEADER} is damaged: its checksum does not match" in complaint(index)


def test_header_with_other_fields(index, monkeypatch):
    """A header whose fields are others is refused, though its checksum matches."""
    said = json.loads((index / HEADER).read_bytes())
    del said["checksum"], said["pagekin index"]
    monkeypatch.setattr("pagekin.index.folder.asdict", lambda header: {**said, "more": 1})
    write_header(index, read_header(index))
    monkeypatch.undo()
    assert "says other things than this pagekin reads" in complaint(index)


def test_no_index(tmp_path):
    """A folder of other things, and none at all."""
    assert f"{tmp_path} is no index (it has no index.json)" == complaint(tmp_path)
    said = "there is no such folder; `pagekin build --index` makes one"
    assert f"{tmp_path / 'none'}: {said}" == complaint(tmp_path / "none")
    assert [f"{tmp_path / 'none'}: {said}"] == verify_index(tmp_path / "none")


# --- written wrongly ---

Change = Callable[[dict[str, np.ndarray]], object]


def rewrite(folder: Path, name: str, change: Change) -> None:
    """Change the arrays of a file, and make all checksums match again."""
    path = folder / name
    file = ArrayFile(path)
    arrays = {array: file[array].copy() for array in file.dtypes}
    change(arrays)
    kinds = {file.name: file.kind for file in SHARD_FILES.values()}
    kinds |= {ALIASES: "resolution", NEIGHBOURS: "neighbours of terms", TOPICS: "topics"}
    write_arrays(path, kinds[path.name], file.meta, arrays)
    header = read_header(folder)
    files = {**header.files, name: ArrayFile(path).checksum}
    write_header(folder, replace(header, files=files))


LARGER = sorted(random_bags(30, seed=3, terms=12), key=lambda bag: bag.url.encode())
UNREAD = np.array([not bag.crawled for bag in LARGER])


@pytest.fixture
def larger(tmp_path: Path) -> Path:
    """An index with long lists, of one shard."""
    return make_index(tmp_path / "larger", LARGER)


def swap(name: str, a: int = 0, b: int = -1) -> Change:
    def change(arrays: dict[str, np.ndarray]) -> None:
        array = arrays[name]
        assert array[a] != array[b]
        array[[a, b]] = array[[b, a]]

    return change


def put(name: str, value: float, at: int = 0) -> Change:
    def change(arrays: dict[str, np.ndarray]) -> None:
        assert arrays[name][at] != value
        arrays[name][at] = value

    return change


def cut(*names: str, at: slice = slice(None, -1)) -> Change:
    def change(arrays: dict[str, np.ndarray]) -> None:
        for name in names:
            arrays[name] = arrays[name][at]

    return change


def lose_an_entry(arrays: dict[str, np.ndarray]) -> None:
    """Take the last document out of the last list."""
    arrays["ids"] = arrays["ids"][:-1]
    arrays["starts"][-1] -= 1


def drop_a_title(arrays: dict[str, np.ndarray]) -> None:
    arrays["bounds"] = np.delete(arrays["bounds"], 1)


def title_of_another(arrays: dict[str, np.ndarray]) -> None:
    """The first page that was not read takes the title of the one behind it."""
    empty = np.flatnonzero((np.diff(arrays["bounds"])[:-1] == 0) & UNREAD[:-1])
    titled = empty[np.diff(arrays["bounds"])[empty + 1] > 0][0]
    arrays["bounds"][titled + 1] = arrays["bounds"][titled + 2]


def long_title(arrays: dict[str, np.ndarray]) -> None:
    arrays["text"] = np.concatenate([np.full(200, ord("x"), np.uint8), arrays["text"]])
    arrays["bounds"][1 + np.flatnonzero(np.diff(arrays["bounds"]))[0] :] += np.uint64(200)


def swap_bytes_of_urls(arrays: dict[str, np.ndarray]) -> None:
    text, bounds = arrays["text"].tobytes(), arrays["bounds"].tolist()
    urls = [text[a:b] for a, b in pairwise(bounds)]
    urls[3], urls[4] = urls[4], urls[3]
    assert len(urls[3]) == len(urls[4])
    arrays["text"] = np.frombuffer(b"".join(urls), dtype=np.uint8)


@pytest.mark.parametrize(
    ("name", "change", "rule"),
    [
        ("urls", cut("bounds"), "urls: bounds"),
        ("urls", put("bounds", 1), "urls: bounds"),
        ("urls", cut("bounds", at=slice(0)), "urls: bounds"),
        ("urls", swap("bounds", 3, 4), "urls: bounds"),
        ("urls", cut("text"), "urls: bounds"),
        ("urls", cut("anchors"), "urls: anchors of every document"),
        ("urls", cut("hosts"), "urls: hosts of every document"),
        ("urls", put("crawled", 2), "urls: crawled is 0 or 1"),
        ("urls", swap_bytes_of_urls, "URLs in their order, and of this shard"),
        ("titles", cut("text"), "titles: bounds"),
        ("titles", swap("bounds", 1, 2), "titles: bounds"),
        ("titles", cut("bounds", at=slice(0)), "titles: bounds"),
        ("titles", drop_a_title, "a title, which may be empty, for every document"),
        ("titles", title_of_another, "titles of pages that were read"),
        ("titles", put("text", 0xFF), "titles that are one line of text"),
        ("titles", put("text", ord("\n")), "titles that are one line of text"),
        ("titles", put("text", ord(" ")), "titles that are one line of text"),
        ("titles", long_title, "titles that are one line of text"),
        ("bags", cut("terms"), "bags: bounds"),
        ("bags", cut("weights"), "a weight for every term"),
        ("bags", cut("bounds", at=slice(1, None)), "bags: bounds"),
        ("bags", swap("terms", 0, 1), "terms ascending, weights above 0"),
        ("bags", put("weights", -0.5), "terms ascending, weights above 0"),
        ("bags", put("weights", 0.0), "terms ascending, weights above 0"),
        ("bags", put("weights", np.nan), "terms ascending, weights above 0"),
        ("bags", put("weights", np.inf), "terms ascending, weights above 0"),
        ("words", put("hashes", 1), "words of the terms, ascending"),
        ("words", cut("hashes"), "a word for every hash"),
        ("words", swap("bounds", 2, 3), "words: bounds"),
        ("H", cut("signatures"), "a row of H for every document"),
        ("H", put("signatures", 12345), "I is the inversion of H"),
        ("I", swap("ids"), "I is the inversion of H"),
        ("I", lose_an_entry, "I is the inversion of H"),
        ("I", put("keys", 9), "I is the inversion of H"),
        ("I", put("starts", 1), "I is the inversion of H"),
        ("I", put("directory", 1), "I is the inversion of H"),
        ("I", cut("directory"), "I is the inversion of H"),
        ("I", cut("starts"), "I is the inversion of H"),
        (
            "I",
            lambda arrays: arrays.update(keys=np.append(arrays["keys"], arrays["keys"][:1])),
            "I is the inversion of H",
        ),
        (
            "I",
            lambda arrays: arrays.update(
                directory=np.append(arrays["directory"], arrays["directory"][:1])
            ),
            "I is the inversion of H",
        ),
    ],
)
def test_written_wrongly(larger, name, change, rule):
    """Checksums match, and the files do not agree: verify names what does not hold."""
    urls = list(Index.open(larger).urls(0))
    rewrite(larger, f"shard-00000/{SHARD_FILES[name].name}", change)
    assert [f"{larger / 'shard-00000'}: {rule}"] == verify_index(larger)
    ask_everyone(larger, urls)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (swap("terms"), "terms ascending"),
        (cut("neighbours"), "bounds of neighbours"),
        (cut("words"), "bounds of words"),
        (cut("terms"), "neighbours, words and df of every term"),
        (cut("df"), "neighbours, words and df of every term"),
        (cut("shares"), "a share of every neighbour"),
        (put("neighbours", 3), "neighbours that are terms"),
        (put("shares", 0), "shares of the sum 1 at most"),
        (put("shares", 40_001), "shares of the sum 1 at most"),
        (put("words", 0xFF), "words that are text"),
        (put("words", ord(" ")), "words that are text"),
    ],
)
def test_neighbours_written_wrongly(index, change, rule):
    """The same of neighbours of words."""
    rewrite(index, NEIGHBOURS, change)
    assert [f"{index / NEIGHBOURS}: {rule}"] == verify_index(index)
    ask_everything(index)


@pytest.mark.parametrize(
    "change",
    [
        swap("terms", 0, 1),
        cut("terms"),
        cut("values"),
        put("values", 0),
        cut("bounds"),
        cut("word_bounds"),
        cut("text"),
        put("text", 0xFF),
        lambda arrays: arrays.update(bounds=arrays["bounds"][:0]),
    ],
)
def test_topics_written_wrongly(index, change):
    """The same of topics."""
    rewrite(index, TOPICS, change)
    rule = "centroids of all sets with ascending terms, values and words"
    assert [f"{index / TOPICS}: {rule}"] == verify_index(index)
    ask_everything(index)


@pytest.mark.parametrize(
    "meta", [{}, {"sets": 0}, {"sets": 17}, {"sets": 3}, {"sets": 1, "nearest": 65}, {"sets": "x"}]
)
def test_topics_of_a_wrong_number(index, meta):
    """Topics that say of themselves what cannot be are an error, and no traceback."""
    file = ArrayFile(index / TOPICS)
    arrays = {name: file[name].copy() for name in file.dtypes}
    write_arrays(index / TOPICS, "topics", {"nearest": 1, **meta}, arrays)
    header = read_header(index)
    files = {**header.files, TOPICS: ArrayFile(index / TOPICS).checksum}
    write_header(index, replace(header, files=files))
    assert 1 == len(verify_index(index))
    for url in (None, ASKED):
        with pytest.raises(InputError, match=r"topics.arrays is damaged"):
            Index(index).topics(url)


def test_other_arrays_of_neighbours(index):
    """A table without an array is refused at the opening."""
    rewrite(index, NEIGHBOURS, lambda arrays: arrays.pop("df"))
    said = f"{index / NEIGHBOURS} holds other arrays than those of neighbours of terms"
    assert said == complaint(index)


@pytest.mark.parametrize("name", SHARD_FILES)
def test_other_arrays(index, name):
    """A file in which an array is missing, or of another type, is refused at the opening."""
    path = index / "shard-00000" / SHARD_FILES[name].name
    first = next(iter(SHARD_FILES[name].dtypes))
    said = f"{path} holds other arrays than those of {SHARD_FILES[name].kind}"
    for change in (
        lambda arrays: arrays.update({first: arrays[first].astype("<f8")}),
        lambda arrays: arrays.pop(first),
    ):
        rewrite(index, f"shard-00000/{path.name}", change)
        assert [said] == verify_index(index)
        assert said == complaint(index)


def ask_everyone(folder: Path, urls: list[str]) -> None:
    """Whoever asks what is damaged gets an answer or a sentence, and no traceback."""
    index = Index.open(folder)
    questions: list[Callable[[], object]] = [lambda: list(index.all()), lambda: list(index.urls(0))]
    for url in urls:
        questions += [
            partial(index.related, url, why=True),
            partial(index.related, url, exact=False, per_host=1),
            partial(index.related, url, by="both", why=True, read="any"),
            partial(index.get, url),
        ]
    questions.append(lambda: list(index.related_each(urls)))
    for question in questions:
        with suppress(PagekinError):
            question()


def forged_at_random(chance: random.Random) -> Change:
    """Change one array of a file: its length, a number of it, or all of them."""

    def change(arrays: dict[str, np.ndarray]) -> None:
        name = chance.choice(sorted(arrays))
        array = arrays[name]
        kind = chance.choice(["number", "shuffled", "shorter", "longer", "same", "bytes"])
        if kind == "number" and len(array):
            value = chance.choice([0, 1, 127, 1 << 31, (1 << 64) - 1])
            array[chance.randrange(len(array))] = np.uint64(value).astype(array.dtype)
        elif kind == "shuffled":
            np.random.default_rng(chance.randrange(99)).shuffle(array)
        elif kind == "shorter":
            arrays[name] = array[: chance.randrange(len(array) + 1)]
        elif kind == "longer":
            arrays[name] = np.concatenate([array, array[: chance.randrange(9)]])
        elif kind == "same":
            array[:] = array[:1]
        else:
            data = chance.randbytes(array.nbytes)
            arrays[name] = np.frombuffer(data, array.dtype)

    return change


@pytest.mark.filterwarnings("ignore:(invalid|overflow)")
def test_forged_at_random(tmp_path):
    """Whatever the arrays hold, under right checksums: nobody who verifies, asks or merges gets a
    traceback, and what cannot be is found.
    """
    chance = random.Random(7)
    kin = {bag.url: [RelatedPage(ASKED, 4.5, 3, 2, ())] for bag in LARGER[:9]}
    aliases = [(ALIAS.encode(), LARGER[0].url.encode())]
    made = make_index(tmp_path / "made", LARGER, aliases=aliases, kin=kin)
    other = make_index(tmp_path / "other", [make_bag("http://other.example/", {20: 1})])
    sound = files_of(made)
    for number in range(200):
        name = chance.choice([ALIASES, *(f"shard-00000/{f.name}" for f in SHARD_FILES.values())])
        rewrite(made, name, forged_at_random(chance))
        found = verify_index(made)
        ask_everyone(made, [bag.url for bag in LARGER[:6]])
        if found:
            with pytest.raises(InputError, match=re.escape(found[0])):
                merge_indexes([made, other], tmp_path / f"merged-{number}")
        else:
            merge_indexes([made, other], tmp_path / f"merged-{number}")
            assert [] == verify_index(tmp_path / f"merged-{number}")
        for path, data in sound.items():
            (made / path).write_bytes(data)


@pytest.fixture
def cited(tmp_path: Path) -> Path:
    """An index with kin of many pages, of three shards."""
    lists = {f"http://h{k:02}.example/": [RelatedPage(ASKED, 4.5, 3, 2, ())] for k in range(40)}
    return make_index(tmp_path / "cited", random_bags(9), config_of(3), kin=lists)


def another_page(arrays: dict[str, np.ndarray]) -> None:
    """The URL of the first page becomes another, and its number stays."""
    arrays["text"][8] ^= 1


def another_shard(arrays: dict[str, np.ndarray]) -> None:
    """The first page becomes one of another shard, with its right number; both stay in order."""
    size = len("http://h00.example/")
    url = next(
        url
        for k in range(999)
        if url_number(url := b"http://%03d.example/" % k) < int(arrays["numbers"][0])
    )
    assert len(url) == size
    arrays["text"][:size] = np.frombuffer(url, dtype=np.uint8)
    arrays["numbers"][0] = url_number(url)


def put_behind_the_url(text: bytes) -> Change:
    """Some bytes of the first value become others; its URL stays."""

    def change(arrays: dict[str, np.ndarray]) -> None:
        at = len("http://h00.example/")
        arrays["text"][at : at + len(text)] = np.frombuffer(text, dtype=np.uint8)

    return change


def swap_pages(arrays: dict[str, np.ndarray]) -> None:
    """The first two pages change places, with their numbers and their equally long values."""
    first, second, third = arrays["bounds"][:3].tolist()
    assert third - second == second - first
    arrays["text"][:third] = np.roll(arrays["text"][:third], second)
    arrays["numbers"][[0, 1]] = arrays["numbers"][[1, 0]]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (swap("numbers"), "kin: ascending, of this shard, and of their URLs"),
        (put("numbers", 5), "kin: ascending, of this shard, and of their URLs"),
        (swap_pages, "kin: ascending, of this shard, and of their URLs"),
        (another_page, "kin: ascending, of this shard, and of their URLs"),
        (another_shard, "kin: ascending, of this shard, and of their URLs"),
        (put_behind_the_url(b"\x02x"), "kin: values that can be read"),
        (put_behind_the_url(b"\x02-1 "), "kin: values that can be read"),
        (put_behind_the_url(b"\x0212345678901"), "kin: values that can be read"),
        (put_behind_the_url(b"\x02\x02"), "kin: values that can be read"),
        (cut("numbers"), "kin: a value for every number"),
        (cut("bounds"), "kin: bounds"),
        (cut("text"), "kin: bounds"),
        (swap("bounds", 1, 2), "kin: bounds"),
        (put("bounds", 1), "kin: bounds"),
    ],
)
def test_kin_written_wrongly(cited, change, rule):
    """So it is with related pages: no list lies where nobody, or somebody else, looks for it."""
    assert [] == verify_index(cited)
    rewrite(cited, "shard-00001/kin.arrays", change)
    assert [f"{cited / 'shard-00001'}: {rule}"] == verify_index(cited)
    index = Index.open(cited)
    for k in range(40):
        for by in ("cocitation", "both"):
            with suppress(PagekinError):
                index.related(f"http://h{k:02}.example/", by=by, why=True)


def test_row_of_an_empty_bag(larger):
    """Who has no term has no signature; and who has one has the other."""

    def change(arrays: dict[str, np.ndarray]) -> None:
        rows = arrays["signatures"].reshape(-1, 8)
        rows[(rows == 0xFFFFFFFF).all(axis=1)] = 5

    rewrite(larger, "shard-00000/H.arrays", change)
    rule = "no signatures where there is no bag"
    assert [f"{larger / 'shard-00000'}: {rule}"] == verify_index(larger)


def test_url_of_another_shard(tmp_path):
    """A document that lies where nobody would look for it."""
    folder = make_index(tmp_path / "index", random_bags(30), config_of(shards=4))
    stranger = next(
        url for k in range(99) if shard_of(url := b"http://a.example/0%02d" % k, 4) != 2
    )

    def change(arrays: dict[str, np.ndarray]) -> None:
        size = int(arrays["bounds"][1])
        assert size == len(stranger)
        arrays["text"][:size] = np.frombuffer(stranger, dtype=np.uint8)

    rewrite(folder, "shard-00002/urls.arrays", change)
    rule = "URLs in their order, and of this shard"
    assert [f"{folder / 'shard-00002'}: {rule}"] == verify_index(folder)


@pytest.mark.parametrize(
    "change",
    [
        swap("aliases"),
        cut("starts"),
        put("ends", 1 << 40),
        put("starts", 1 << 40),
        lambda arrays: arrays.pop("targets"),
    ],
)
def test_aliases(tmp_path, change):
    """Aliases are looked up by bisection, and lead somewhere."""
    aliases = [(b"http://x.example/%d" % k, b"http://a.example/%03d" % k) for k in range(9)]
    folder = make_index(tmp_path / "index", random_bags(3), aliases=aliases)
    assert [] == verify_index(folder)
    rewrite(folder, ALIASES, change)
    assert [f"{folder / ALIASES}: aliases ascending, each with a target"] == verify_index(folder)


@pytest.mark.parametrize("field", ["documents", "listed", "crawled", "empty", "kin", "titled"])
def test_header_that_counts_wrongly(larger, field):
    """What the header counts is counted again."""
    header = read_header(larger)
    write_header(larger, replace(header, **{field: getattr(header, field) + 1}))
    (said,) = verify_index(larger)
    assert said.startswith(f"{larger / HEADER} counts (")


def test_inlinks_that_are_counted_wrongly(larger):
    """So is how many documents have how many inlinks."""
    header = read_header(larger)
    write_header(larger, replace(header, inlinks=header.inlinks[::-1]))
    (said,) = verify_index(larger)
    assert said.startswith(f"{larger / HEADER} counts (")


def test_another_number_of_inlinks(larger):
    """I leaves out whom the header says that it leaves out."""
    header = read_header(larger)
    config = {**header.config, "index": {**header.config["index"], "min_inlinks": 3}}
    write_header(larger, replace(header, config=config))
    assert [f"{larger / 'shard-00000'}: I is the inversion of H"] == verify_index(larger)


@pytest.mark.parametrize(
    "change",
    [
        put("weights", np.nan),
        put("weights", np.inf),
        put("weights", -0.5),
        put("bounds", 1 << 40, 1),
        swap("bounds", 1, 2),
    ],
)
def test_bags_that_cannot_be(tmp_path, change):
    """Weights that are none, and bags that lie nowhere, are told by whoever meets them."""
    folder = make_index(tmp_path / "index", BAGS[:2], config_of(count=80))
    rewrite(folder, "shard-00000/bags.arrays", change)
    index = Index.open(folder)
    for question in (
        lambda: index.related(ASKED),
        lambda: index.related("http://b.example/x"),
        lambda: index.related("http://b.example/x", exact=False, why=True),
        lambda: list(index.all()),
    ):
        with pytest.raises(InputError, match=r"bags\.arrays is damaged: it contradicts itself"):
            question()


def test_words_that_are_no_text(tmp_path):
    """A word that cannot be read is told in a sentence."""
    folder = make_index(
        tmp_path / "index", BAGS, words=lambda terms: [Entry("a", "b")] * len(terms)
    )
    rewrite(folder, "shard-00000/words.arrays", put("text", 0xFF))
    with pytest.raises(InputError, match=r"words\.arrays is damaged: it contradicts itself"):
        Index.open(folder).related(ASKED, why=True)


def test_the_tiny_index_is_as_it_was(built, tmp_path):
    """The tests above have put back what they changed."""
    assert files_of(build(tmp_path / "again")) == files_of(built)
