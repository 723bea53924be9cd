"""A workspace of which files were damaged: the next build says so, or makes the stage anew.

Each damage is made by chance, from a seed, to a part, table, record or mark of a finished build
with bags and co-citation. Then a build that has to read it makes the same index again. With
PAGEKIN_DAMAGES=100 so many are tried; the suite tries fewer.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pagekin.index.folder import read_header
from tests.running import pagekin
from tests.small import warned

DAMAGES = int(os.environ.get("PAGEKIN_DAMAGES", "16"))
FLAGS = ("-q", "-r", "inline", "--cocitation-threshold", "0.1")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, small_snapshot: Path) -> Path:
    """A finished workspace with its index. For copying."""
    work = tmp_path_factory.mktemp("built") / "work"
    said = pagekin("build", *FLAGS, "--work", work, small_snapshot)
    assert (0, "", warned(small_snapshot)) == said
    return work


# --- damages ---


def cut_short(path: Path, chance: random.Random, other: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: chance.randrange(max(len(data), 1))])


def flip_a_byte(path: Path, chance: random.Random, other: Path) -> None:
    data = bytearray(path.read_bytes())
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def write_noise(path: Path, chance: random.Random, other: Path) -> None:
    data = path.read_bytes()
    at = chance.randrange(len(data) + 1)
    path.write_bytes(data[:at] + chance.randbytes(chance.randrange(1, 99)) + data[at:])


def take_away(path: Path, chance: random.Random, other: Path) -> None:
    path.unlink()


def make_empty(path: Path, chance: random.Random, other: Path) -> None:
    path.write_bytes(b"")


def swap(path: Path, chance: random.Random, other: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(data)


def copy_over(path: Path, chance: random.Random, other: Path) -> None:
    path.write_bytes(other.read_bytes())


def add_a_copy(path: Path, chance: random.Random, other: Path) -> None:
    (path.parent / "part-00099").write_bytes(other.read_bytes())


def make_a_folder(path: Path, chance: random.Random, other: Path) -> None:
    path.unlink()
    path.mkdir()


WAYS: list[Callable[[Path, random.Random, Path], None]] = [
    *(cut_short, flip_a_byte, write_noise, take_away, make_empty),
    *(swap, copy_over, add_a_copy, make_a_folder),
]


@pytest.mark.parametrize("seed", range(DAMAGES))
def test_damage(command, built, small_snapshot, tmp_path, seed):
    """One sentence and a code, or the same index; after a sentence a new folder is all it takes."""
    chance = random.Random(seed)
    work = shutil.copytree(built, tmp_path / "work")
    files = [p for p in sorted(work.rglob("*")) if p.is_file() and "index" not in p.parts]
    files = [path for path in files if path.name not in {".lock", "_SUCCESS"}]
    path, other = chance.sample(files, 2)
    WAYS[seed % len(WAYS)](path, chance, other)
    # what lies behind the damaged stage has to be made again, so that it is read
    for name in chance.sample(["document_frequency", "index_shards", "related", "index"], 2):
        shutil.rmtree(work / name)
    said = command("build", *FLAGS, "--work", work, small_snapshot)
    if said.code:  # the mark is damaged, or a folder stands where the summary is written
        assert said.code in {1, 5}
        assert said.err.startswith((f"pagekin: {work} is ", f"pagekin: {work}/"))
        assert 1 == said.err.count("\n")
        return
    digest = read_header(built / "index").digest
    assert digest == read_header(work / "index").digest
    warnings = said.err.removesuffix(warned(small_snapshot))
    assert all(line.endswith(" was made anew") for line in warnings.splitlines()), said.err
    # and nothing is left of it
    again = command("build", *FLAGS, "--work", work, small_snapshot)
    assert (0, "", warned(small_snapshot)) == again
    assert digest == read_header(work / "index").digest
