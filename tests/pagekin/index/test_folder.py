"""Indexes that are forged, damaged, exchanged or overwritten: nobody is misled or waits."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import xxhash

from pagekin import Index
from pagekin.cocitation.kin_table import RelatedPage
from pagekin.errors import InputError, PagekinError
from pagekin.index import folder as folder_module
from pagekin.index.assembling import index_in_place
from pagekin.index.folder import ALIASES, HEADER, IndexHeader, read_header, write_header
from pagekin.index.shard_files import SHARD_FILES
from pagekin.index.verify import verify_index
from tests.indexes import config_of, files_of, make_bag, make_index, random_bags
from tests.running import Said, python

Command = Callable[..., Said]

EXCHANGES = int(os.environ.get("PAGEKIN_EXCHANGES", "20"))
THREADS, PROCESSES = (16, 8) if EXCHANGES >= 1000 else (4, 2)

ASKED = "http://a.example/"
BAGS = [
    make_bag(ASKED, {20: 1, 30: 2}, 3, title="A"),
    make_bag("http://b.example/", {20: 1, 30: 2, 40: 1}, 1),
    *random_bags(30),
]
KIN = {ASKED: [RelatedPage(BAGS[1].url, 4.0, 1, 2, ())]}
NAMES = [ALIASES, *(f"shard-00000/{file.name}" for file in SHARD_FILES.values())]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small index of two shards. For reading only."""
    folder = tmp_path_factory.mktemp("made") / "index"
    aliases = [(b"http://d.example/", ASKED.encode())]
    return make_index(folder, BAGS, config_of(2), aliases=aliases, kin=KIN)


@pytest.fixture
def index(made: Path, tmp_path: Path) -> Path:
    """The same for oneself."""
    return shutil.copytree(made, tmp_path / "index")


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Whatever waits longer is interrupted, and fails."""

    def late(*_: object) -> None:
        raise TimeoutError(f"no end after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def complaint(ask: Callable[[], object]) -> str:
    """The one sentence that is said, if any."""
    try:
        with within(20):
            ask()
    except InputError as error:
        assert 1 == len(str(error).splitlines()), error
        assert len(str(error)) < 1000
        return str(error)
    except PagekinError:
        pass
    return ""


def ask(folder: Path) -> None:
    """What people do with an index."""
    index = Index(folder)
    index.info()
    index.related("http://d.example", why=True)
    index.related(ASKED, by="both", why=True)
    index.search("a page")
    list(index.pages())
    list(index.all())


# --- headers and heads that somebody forged: their checksums match ---

JUNK: list[Any] = [None, True, -1, 1.5, "1", [], {}, [1], {"a": 1}, {"a": {"b": 2}}, 10**40]
JUNK += [float("nan"), float("inf"), "\x1b[2J\n", "x" * 100_000, [[]] * 3]


def forged(folder: Path, field: str, value: Any) -> None:
    """A header with another value in a field, and with the right checksum."""
    header = read_header(folder)
    header = replace(header, **{field: value})
    write_header(folder, header)


@pytest.mark.parametrize("field", [each.name for each in fields(IndexHeader)])
def test_forged_headers(index, field, command: Command):
    """Whatever stands in a field, it is said what is wrong, or `verify` finds it; nothing hangs."""
    sound = (index / HEADER).read_bytes()
    assert ("", []) == (complaint(lambda: ask(index)), verify_index(index))
    for value in JUNK:
        if (field, value) == ("sources", []):
            continue  # an index of nothing
        forged(index, field, value)
        said = complaint(lambda: ask(index))
        wrong = verify_index(index)
        assert said or wrong, (field, value)
        assert not said or [said] == wrong, (field, value)
        for words in (("info",), ("verify",), ("related", ASKED), ("urls",), ("bag", ASKED)):
            told = command(words[0], "--index", index, *words[1:])
            assert told.code in {0, InputError.exit_code}, (field, value, told)
            assert "Traceback" not in told.err
        (index / HEADER).write_bytes(sound)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda said: said["config"]["signatures"].update(count=0), "signatures.count is"),
        (lambda said: said["config"]["signatures"].update(count=10**9), "signatures.count is"),
        (lambda said: said["config"]["signatures"].update(count=8.0), "signatures.count is"),
        (lambda said: said["config"]["signatures"].pop("count"), "signatures.count is"),
        (lambda said: said["config"].pop("signatures"), "signatures.count is"),
        (lambda said: said["config"]["index"].update(min_inlinks=None), "index.min_inlinks is"),
        (lambda said: said["config"]["index"].update(shards=3), "index.shards is the number"),
        (lambda said: said["config"].update(text=[1]), "config has sections of keys"),
        (lambda said: said["files"].update({"../../x": "0" * 32}), "files are those of its shards"),
        (
            lambda said: said["files"].update({"/etc/x": "0" * 32}),
            "files are those of its shards",
        ),
        (lambda said: said["files"].pop(ALIASES), "files are those of its shards"),
        (lambda said: said["files"].update({ALIASES: "no checksum"}), "with their checksums"),
        (lambda said: said["frequencies"].update(mu=float("nan")), "frequencies are"),
        (lambda said: said["frequencies"].pop("bags"), "frequencies are"),
        (lambda said: said["inlinks"].pop(), "inlinks are numbers"),
        (lambda said: said["inlinks"].append(-1), "inlinks are numbers"),
        (lambda said: said["sources"][0].pop("names"), "sources are snapshots"),
        (lambda said: said["sources"][0].update(names=[1]), "sources are snapshots"),
        (lambda said: said["sources"][0].update(files="many"), "sources are snapshots"),
        (lambda said: said["sources"][0].update(cocitation_threshold="x"), "sources are snapshots"),
        (lambda said: said.update(shards=10**9), "shards is a number"),
        (lambda said: said.update(crawled=10**9), "crawled is a number of documents"),
    ],
)
def test_forged_in_depth(index, change, rule):
    """What lies within a field is looked at, too, and the sentence names it."""
    said = asdict(read_header(index))
    change(said)
    write_header(index, IndexHeader(**said))
    told = complaint(lambda: Index(index))
    assert told.startswith(f"{index / HEADER} is no header that a build writes: ")
    assert rule in told
    assert [told] == verify_index(index)


def forge_head(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change what an array file says of itself, under the right checksum."""
    whole = path.read_bytes()
    magic, line, data = whole.split(b"\n", 2)
    said = json.loads(line[17:])
    change(said)
    text = json.dumps(said, sort_keys=True).encode()
    head = magic + b"\n" + xxhash.xxh3_64_hexdigest(text).encode() + b" " + text
    path.write_bytes(head.ljust(-(-(len(head) + 1) // 64) * 64 - 1) + b"\n" + data)


@pytest.mark.parametrize("name", NAMES)
def test_forged_heads(index, name):
    """An array file that says of itself what no writer says is refused, and by verify too."""
    path = index / name
    sound = path.read_bytes()
    for field, value in product(("kind", "meta", "checksum", "arrays"), JUNK):
        if field == "meta" and isinstance(value, dict):
            continue
        forge_head(path, lambda said, f=field, v=value: said.update({f: v}))
        assert complaint(lambda: ask(index)), (field, value)
        assert verify_index(index), (field, value)
        path.write_bytes(sound)
    for field, value in product(("name", "dtype", "length"), [*JUNK, "O", "V0", "<f2", "S9"]):
        forge_head(path, lambda said, f=field, v=value: said["arrays"][0].update({f: v}))
        assert complaint(lambda: ask(index)), (field, value)
        assert verify_index(index), (field, value)
        path.write_bytes(sound)
    forge_head(path, lambda said: said["arrays"][0].pop("dtype"))
    assert f"{path} is damaged: its header cannot be read" in complaint(lambda: Index(index))


@pytest.mark.parametrize("name", [HEADER, *NAMES])
def test_what_is_no_regular_file(index, name):
    """A pipe, a device, a folder: nobody waits for them, or reads them without end."""
    path = index / name
    for make in (os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")):
        path.unlink()
        make(path)
        said = f"{path} cannot be opened: it is no regular file"
        assert said == complaint(lambda: Index(index))
        with within(20):
            assert [said] == verify_index(index)
        if path.is_dir():
            path.rmdir()
            path.touch()


# --- damage ---


def damaged(chance: random.Random, folder: Path) -> str:
    """Do something to one file of an index."""
    names = sorted(files_of(folder))
    path = folder / chance.choice(names)
    whole = bytearray(path.read_bytes())
    at = chance.randrange(len(whole))
    kind = chance.choice(["flip", "cut", "zeros", "more", "inside", "another", "gone", "turned"])
    if kind == "flip":
        whole[at] ^= 1 << chance.randrange(8)
    elif kind == "cut":
        del whole[at:]
    elif kind == "zeros":
        whole[at : at + 64] = b"\xff" * len(whole[at : at + 64])
    elif kind == "more":
        whole += chance.randbytes(chance.randrange(1, 100))
    elif kind == "inside":
        whole[at:at] = chance.randbytes(1)
    elif kind == "another":
        whole = bytearray(
            (folder / chance.choice([n for n in names if n != path.name])).read_bytes()
        )
    elif kind == "turned":
        whole = whole[at:] + whole[:at]
    path.unlink()
    if kind != "gone":
        path.write_bytes(whole)
    return f"{path.name} {kind} {at}"


def test_300_damages(made, tmp_path):
    """`verify` says of each what is wrong, and who asks gets an answer or a sentence."""
    chance, sound = random.Random(300), files_of(made)
    for number in range(300):
        folder = shutil.copytree(made, tmp_path / str(number))
        what = damaged(chance, folder)
        if files_of(folder) != sound:
            with within(20):
                assert verify_index(folder), what
        complaint(lambda: ask(folder))  # noqa: B023 - it is called here
        shutil.rmtree(folder)


# --- exchanged ---


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, list[str]]]:
    """Two indexes of the same URLs, of other bags, seeds and shards: digest -> folder, answer."""
    base, found = tmp_path_factory.mktemp("two"), {}
    for number in (1, 2):
        bags = [bag._replace(terms=bag.terms + number) for bag in BAGS]
        config = config_of(number, seed=number)
        folder = make_index(base / str(number), bags[: -5 * number], config, kin=KIN)
        with Index(folder) as index:
            found[index.digest] = folder, answers(index)
    (_, one), (_, other) = found.values()
    assert one != other
    return found


def answers(index: Index) -> list[str]:
    """What an index says, with reasons, so that every file is read."""
    kin = [*index.related(ASKED, why=True), *index.related(ASKED, by="both", why=True)]
    return [json.dumps(each.as_dict()) for each in kin] + [bag.url for bag in index.all()]


def ask_until(path: Path, notes: Path, expected: dict[str, list[str]]) -> list[str]:
    """Open an index for each question until it is said to end; what went wrong."""
    asked, wrong = 0, []
    while not (notes / "end").exists():
        try:
            index = Index(path)
            if expected[index.digest] != answers(index):
                wrong.append(f"mixed: {index.digest}")
        except Exception as error:
            wrong.append(repr(error))
        asked += 1
        (notes / f"{os.getpid()}-{threading.get_ident()}").write_text(str(asked))
        time.sleep(0.01 * (THREADS + PROCESSES))  # or nobody finds the time to exchange the index
    return wrong


def exchange(path: Path, folders: list[Path], times: int) -> None:
    """Put one index and the other in the place of the last one, in turns."""
    for number in range(1, times + 1):
        with index_in_place(path) as made:
            shutil.copytree(folders[number % 2], made, dirs_exist_ok=True)


def test_exchanged_while_it_is_asked(two, tmp_path):
    """Each question is answered by one of the two indexes as a whole, whoever opens it when.

    PAGEKIN_EXCHANGES tells how often the index is exchanged; 1000 under 16 threads, 8 processes.
    """
    path, notes = tmp_path / "index", tmp_path / "notes"
    folders = [folder for folder, _ in two.values()]
    expected = {digest: said for digest, (_, said) in two.items()}
    shutil.copytree(folders[0], path)
    notes.mkdir()
    spawn = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(PROCESSES + 1, spawn) as processes,
        ThreadPoolExecutor(THREADS) as threads,
    ):
        pools = [*[processes] * PROCESSES, *[threads] * THREADS]
        readers = [pool.submit(ask_until, path, notes, expected) for pool in pools]
        try:
            with within(300):
                while len(list(notes.iterdir())) < len(readers):
                    time.sleep(0.05)
            processes.submit(exchange, path, folders, EXCHANGES).result()
        finally:
            (notes / "end").touch()
        assert [] == [error for reader in readers for error in reader.result()]
    assert ["index", "notes"] == sorted(other.name for other in tmp_path.iterdir())


def test_opened_between_two_moves(made, tmp_path):
    """Who comes while the old index is moved away and the new one not in its place waits for it."""
    path, old = tmp_path / "index", tmp_path / f".index.old.{os.getpid()}"
    shutil.copytree(made, old)
    move = threading.Timer(0.2, old.rename, [path])
    move.start()
    assert len(BAGS) == len(Index(path))
    move.join()


def test_no_index_is_waited_for_in_vain(tmp_path, monkeypatch):
    """A writer that was killed between its two moves is not waited for without end."""
    monkeypatch.setattr(folder_module, "_PATIENCE", 0.1)
    (tmp_path / ".index.old.1").mkdir()
    assert "there is no such folder" in complaint(lambda: Index(tmp_path / "index"))


# --- overwritten in place ---


QUESTIONS: list[Callable[[Index], object]] = [
    lambda index: index.related(ASKED),
    lambda index: index.get(ASKED),
    lambda index: index.search("a"),
    lambda index: list(index.all()),
    lambda index: list(index.pages()),
    lambda index: list(index.related_each([ASKED])),
]


@pytest.mark.parametrize("name", NAMES)
def test_overwritten_in_place(index, two, name):
    """The next question says so, whether the file became empty, or another one."""
    path, sound = index / name, (index / name).read_bytes()
    other, _ = list(two.values())[1]
    for data in (b"", (other / name).read_bytes(), sound[:-1] + b"!" * 10):
        opened = Index(index)
        path.write_bytes(data)  # into the same file, which is cut first
        for question in QUESTIONS:
            said = complaint(partial(question, opened))
            assert said.startswith(f"{path} was overwritten while it was open; ")
        path.write_bytes(sound)


CUT_WHILE_READ = """
import os, sys
from pagekin import Index
from pagekin.index.folder import report_bus_errors
report_bus_errors()
index = Index(sys.argv[1])
rows = index._folder.shards[0].H
os.truncate(f"{sys.argv[1]}/shard-00000/H.arrays", 0)
print(rows.sum())
"""


def test_cut_while_it_is_read(index):
    """No process of ours ends without a word where a file is cut short amid a question."""
    said = python("-c", CUT_WHILE_READ, index)
    assert (InputError.exit_code, "") == (said.code, said.out)
    assert said.err.startswith("pagekin: a file was cut short or overwritten while it was read; ")
    assert 1 == len(said.err.splitlines())


def test_commands_do_not_end_without_a_word(command: Command, index, monkeypatch):
    """Every command that asks an index is prepared for that."""
    prepared: list[str] = []
    monkeypatch.setattr("pagekin.index.folder.report_bus_errors", lambda: prepared.append(""))
    for number, name in enumerate(("related", "bag"), 1):
        assert 0 == command(name, "--index", index, ASKED).code
        assert number == len(prepared)
