"""R-scores and pools: what people said of the first answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.errors import InputError
from pagekin.evaluate.human_marks import (
    Answer,
    average_r_scores,
    key_path,
    make_pool,
    read_judgements,
)

ANSWERS = {
    "ours": {"p": ["a", "b", "c"], "q": ["d"]},
    "theirs": {"p": ["c", "x"], "q": []},
}
MARKS = {("p", "a"): 2.0, ("p", "b"): 0.0, ("p", "c"): 1.0, ("p", "x"): 0.0, ("q", "d"): 2.0}


def answers_of(systems):
    return [
        Answer(page, answer, system, rank)
        for system, pages in systems.items()
        for page, found in pages.items()
        for rank, answer in enumerate(found, 1)
    ]


def values(scores, system):
    return [row["value"] for row in scores[system]]


def test_by_hand():
    """The mean over pages of the mean mark of the first R answers; a page without counts 0."""
    scores = average_r_scores(answers_of(ANSWERS), MARKS)
    assert ["ours", "theirs"] == list(scores)
    assert list(range(1, 16)) == [row["r"] for row in scores["ours"]]
    assert [2.0, 1.5, 1.5, 1.5] == values(scores, "ours")[:4]
    assert [0.5, 0.25, 0.25] == values(scores, "theirs")[:3]
    assert (2.0, 2.0) == (scores["ours"][0]["low"], scores["ours"][0]["high"])
    assert (0.0, 1.0) == (scores["theirs"][0]["low"], scores["theirs"][0]["high"])


@given(
    st.dictionaries(
        st.sampled_from("pqr"),
        st.dictionaries(st.sampled_from("abcdefghijklmnopqrst"), st.integers(0, 2), min_size=1),
        min_size=1,
    )
)
def test_twin(pages):
    """Plain sums agree, for more answers than 15 too."""
    marks = {(page, answer): mark for page, some in pages.items() for answer, mark in some.items()}
    found = average_r_scores(answers_of({"s": {p: list(some) for p, some in pages.items()}}), marks)
    for r in range(1, 16):
        means = [sum(list(some.values())[:r]) / min(r, len(some)) for some in pages.values()]
        assert values(found, "s")[r - 1] == pytest.approx(sum(means) / len(means))


def test_pool():
    """Each answer is shown once for a page, without its system; the key knows all."""
    pool, key = make_pool(ANSWERS, 1)
    lines = pool.splitlines()
    assert "page\tanswer\tmark" == lines[0]
    assert {f"p\t{x}\t" for x in "abcx"} | {"q\td\t"} == set(lines[1:])
    assert 6 == len(lines)
    assert "page\tanswer\tsystem\trank" == key.splitlines()[0]
    assert {f"{a.page}\t{a.answer}\t{a.system}\t{a.rank}" for a in answers_of(ANSWERS)} == set(
        key.splitlines()[1:]
    )


def test_pool_is_shuffled():
    """The seed settles the order, which tells nothing of the ranks."""
    systems = {"s": {"p": [f"{k:03d}" for k in range(100)]}}
    shown = [line.split("\t")[1] for line in make_pool(systems, 1).pool.splitlines()[1:]]
    assert shown == [row.split("\t")[1] for row in make_pool(systems, 1).pool.splitlines()[1:]]
    assert shown != [row.split("\t")[1] for row in make_pool(systems, 2).pool.splitlines()[1:]]
    assert 30 < sum(int(answer) < 50 for answer in shown[:50]) + 5 < 45
    assert sorted(shown) != shown


@pytest.fixture
def marked(tmp_path):
    """A pool that somebody marked, with its key beside it."""
    pool, key = make_pool(ANSWERS, 1)
    rows = [line.split("\t") for line in pool.splitlines()[1:]]
    lines = [f"{page}\t{answer}\t{MARKS[page, answer]:.0f}" for page, answer, _ in rows]
    file = tmp_path / "pool.tsv"
    file.write_text("\n".join(["page\tanswer\tmark", *lines]))
    key_path(file).write_text(key)
    return file


def test_read(marked):
    """A marked pool and its key give the answers with their marks."""
    answers, marks = read_judgements([marked])
    assert (sorted(answers_of(ANSWERS)), MARKS) == (sorted(answers), marks)
    assert (answers, marks) == read_judgements([marked], key_path(marked))


def test_several_people(marked, tmp_path):
    """Marks of one answer by several people are averaged, whoever judged more."""
    other = tmp_path / "other.tsv"
    other.write_text("page\tanswer\tmark\np\tb\t1\n")
    assert {**MARKS, ("p", "b"): 0.5} == read_judgements([marked, other])[1]


def test_file_with_systems(tmp_path):
    """A file that tells systems and ranks itself needs no key; columns may stand in any order."""
    rows = ["mark\trank\tsystem\tpage\tanswer\tremark"]
    rows += [
        f"{MARKS[a.page, a.answer]:.0f}\t{a.rank}\t{a.system}\t{a.page}\t{a.answer}\tfine"
        for a in answers_of(ANSWERS)
    ]
    file = tmp_path / "judgements.tsv"
    file.write_text("\ufeff" + "\r\n".join(rows), encoding="utf-8")
    answers, marks = read_judgements([file])
    assert (sorted(answers_of(ANSWERS)), MARKS) == (sorted(answers), marks)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no column page, answer, mark"),
        ("page\tanswer\np\ta\n", "names no column mark"),
        ("page\tanswer\tmark\np\ta\t\np\tb\t3\np\tc\n", "3 answers have no mark"),
        ("page\tanswer\tmark\tsystem\trank\np\ta\t1\ts\tfirst\n", "lacks its system or its rank"),
    ],
)
def test_bad_judgements(tmp_path, text, message):
    """What is missing is said in one sentence."""
    file = tmp_path / "j.tsv"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_judgements([file])


def test_missing_files(marked, tmp_path):
    """A file that is not there is named; so is a key that is not there."""
    with pytest.raises(InputError, match=r"absent\.tsv: cannot be read"):
        read_judgements([tmp_path / "absent.tsv"])
    key_path(marked).unlink()
    with pytest.raises(InputError, match=r"pool\.key\.tsv: cannot be read"):
        read_judgements([marked])


def test_answer_that_nobody_marked():
    """A key with more answers than were judged is refused."""
    with pytest.raises(InputError, match="1 answers of the key have no mark"):
        average_r_scores([*answers_of(ANSWERS), Answer("p", "y", "ours", 4)], MARKS)


def test_pool_of_a_hostile_index():
    """A URL with a tab or an end of line stays one answer, in the pool and in its key."""
    pool, key = make_pool({"ours": {"p": ["a\t2\nq\tx", "b"]}}, seed=1)
    assert {"p\ta\\u00092\\u000aq\\u0009x\t", "p\tb\t"} == set(pool.splitlines()[1:])
    assert 3 == len(key.splitlines())
