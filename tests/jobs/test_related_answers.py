"""Related answers: the kin of every page of an index, as a job."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagekin import Index, InputError
from pagekin.jobs.related_answers import RelatedAnswers
from tests.indexes import config_of, make_index, random_bags
from tests.jobs.running import run_job, run_script, split_output

BAGS = random_bags(40)
SHARDS = 3


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("answers") / "index", BAGS, config_of(SHARDS, 16))


def manifests(index: Path, size: int) -> list[bytes]:
    """Lines that ask for all documents, so many at a time."""
    opened = Index.open(index)
    return [
        b"%d %d %d" % (shard, first, min(first + size, len(opened.urls(shard))))
        for shard in range(SHARDS)
        for first in range(0, len(opened.urls(shard)), size)
    ]


def expected(index: Path, **question: object) -> list[tuple[bytes, bytes]]:
    opened = Index.open(index)
    answers = {bag.url: opened.related(bag.url, **question) for bag in BAGS}
    return sorted(
        (
            url.encode(),
            json.dumps(answer.as_dict()).encode(),
        )
        for url, answer in answers.items()
    )


def test_empty(index):
    """Nobody is asked for."""
    assert ([], {}) == run_job(RelatedAnswers, ["--index", index])


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("question", [{}, {"k": 3, "why": True}, {"exact": False, "alpha": 0.2}])
def test_answers(index, size, question):
    """Every page has the answer that the index gives, however the work is cut."""
    args = ["--index", index, "--question", json.dumps(question)]
    records, counters = run_job(RelatedAnswers, args, manifests(index, size))
    assert expected(index, **question) == records
    assert {"answers": {"pages": 40}} == counters


def test_read_pages_alone(index):
    """With `read` only the lines of a manifest count pages that were read."""
    question = {"read": "only", "k": 4}
    opened = Index.open(index)
    lines = [b"%d 1 3" % shard for shard in range(SHARDS)]
    records, _ = run_job(
        RelatedAnswers, ["--index", index, "--question", json.dumps(question)], lines
    )
    read = {bag.url for bag in BAGS if bag.crawled}
    asked = [url for n in range(SHARDS) for url in opened.urls(n) if url in read]
    assert {url.decode() for url, _ in records} < set(asked)
    everyone = dict(expected(index, **question))
    assert [(url, everyone[url]) for url, _ in records] == records
    assert 2 * SHARDS == len(records)


def test_order_of_lines_is_irrelevant(index):
    """The records are those of the documents, in whatever order they are asked for."""
    one = run_job(RelatedAnswers, ["--index", index], manifests(index, 5))
    assert one == run_job(RelatedAnswers, ["--index", index], reversed(manifests(index, 9)))


def test_replaced_while_it_is_asked(index):
    """Tasks open the index by themselves, and all ask the one that the job was started on."""
    digest, lines = Index.open(index).digest, manifests(index, 7)
    args = ["--index", index, "--digest"]
    assert expected(index) == run_job(RelatedAnswers, [*args, digest], lines)[0]
    with pytest.raises(InputError, match="was replaced while it was asked; ask again"):
        run_job(RelatedAnswers, [*args, "0" * 32], lines)


def test_a_part(index):
    """A line of a manifest asks for these documents and no others."""
    records, counters = run_job(RelatedAnswers, ["--index", index], [b"1 2 4"])
    urls = list(Index.open(index).urls(1)[2:4])
    assert urls == [key.decode() for key, _ in records]
    assert {"answers": {"pages": 2}} == counters


def test_as_a_script(index, tmp_path):
    """`python jobs/related_answers.py -r local` gives the records of the inline runner."""
    lines = manifests(index, 4)
    (tmp_path / "one").write_bytes(b"".join(line + b"\n" for line in lines[:5]))
    (tmp_path / "two").write_bytes(b"".join(line + b"\n" for line in lines[5:]))
    args = ["--index", index, "--question", '{"k": 2, "exclude_hosts": ["a.example"]}']
    said = run_script(
        "related_answers", "-r", "local", "--no-conf", *args, tmp_path / "one", tmp_path / "two"
    )
    assert 0 == said.code, said.err
    assert run_job(RelatedAnswers, args, lines) == split_output(said.out.encode())


def test_without_an_index(tmp_path):
    """The index is needed, and the job says so."""
    (tmp_path / "one").write_bytes(b"")
    said = run_script("related_answers", tmp_path / "one")
    assert 2 == said.code
    assert "--index is needed: pagekin build --index makes one" in said.err


def test_help():
    """--help explains the job and the question."""
    said = run_script("related_answers", "--help")
    text = " ".join(said.out.split())
    assert 0 == said.code
    assert "the kin of every page in it" in text
    assert "the index that is asked" in text
    assert 'example: {"k": 5}' in text
    assert "--signatures-count" not in text
