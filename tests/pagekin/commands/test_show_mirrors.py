"""`pagekin mirrors`: the group of a page, the largest groups, and what two files share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagekin import Index, NotFoundError
from pagekin.index.assembling import Mirrors
from pagekin.index.mirror_table import Edge, Group
from tests.indexes import config_of, make_bag, make_index

A, B, C, D, E, F, G = (f"http://{name}.example/" for name in "abcdefg")
LONG = "http://a.example/long"


def edge(a: str, b: str, *shares: int) -> Edge:
    return Edge(a.encode(), b.encode(), *shares)


def group(members: list[str], edges: list[Edge], *facts: int, cut: str = "") -> Group:
    return Group([url.encode() for url in members], edges, *facts, cut)


MIRRORS = Mirrors(
    [
        group([D, E], [edge(D, E, 6000, 7000, 8000)], 6000, 6000, 1, cut="too many members"),
        group(
            [B, A, C, LONG],
            [
                edge(A, B, 8000, 9000, 8500),
                edge(B, C, 9500, 9800, 9700),
                edge(C, LONG, 5000, 7000, 6000),
            ],
            *(5000, 4000, 3),
        ),
    ],
    [edge(F, A, 3000, 10_000, 3000)],
)
LINKED = {A: 1, B: 3, C: 1, LONG: 0, D: 2, E: 2}
BAGS = [make_bag(url, {20: 1.0}, LINKED.get(url, 0)) for url in (A, B, C, D, E, F, G, LONG)]


@pytest.fixture(params=[1, 3])
def index(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return make_index(tmp_path / "index", BAGS, config_of(request.param), mirrors=MIRRORS)


def test_page(command, index):
    """The group, who stands for it and why, members and edges, the page's own first."""
    said = command("mirrors", "--index", index, "a.example")
    assert (0, "") == (said.code, said.err)
    assert [
        f"{A} is one of 4 mirrors",
        f"  {B} stands for them: most pages link to it: 3, and 1 to the next",
        "  least edge 0.5000, least pair 0.4000, diameter 3",
        "",
        *(f"  {url}" for url in (B, A, LONG, C)),
        "",
        "  resemblance; of the first page on the second; of the second on the first",
        f"  0.8000  0.9000  0.8500  {A}  {B}",
        f"  0.9500  0.9800  0.9700  {B}  {C}",
        f"  0.5000  0.7000  0.6000  {C}  {LONG}",
        f"  it holds 1.0000 of {F} (resemblance 0.3000)",
    ] == said.out.splitlines()


def test_few(command, index):
    """-n names so many members and edges, and says how many there are."""
    said = command("mirrors", "--index", index, A, "-n", 1).out.splitlines()
    assert [f"  {B}", "  and 3 other mirrors (-n 0 shows all)"] == said[4:6]
    assert f"  0.8000  0.9000  0.8500  {A}  {B}" == said[-2]


def test_cut_and_no_mirrors(command, index):
    """A group that was cut says why; a page without mirrors says so, and who holds it."""
    said = command("mirrors", "--index", index, D).out.splitlines()
    why = "its URL is the first of the 2 shortest that most pages link to (2)"
    assert f"  {D} stands for them: {why}" == said[1]
    assert said[2].endswith("diameter 1; cut out of a larger group: too many members")
    said = command("mirrors", "--index", index, F).out.splitlines()
    assert [f"{F} has no mirrors", f"  {A} holds 1.0000 of it (resemblance 0.3000)"] == said
    assert [f"{G} has no mirrors"] == command("mirrors", "--index", index, G).out.splitlines()


def test_groups(command, index):
    """Without URL the largest groups first, and those that were cut."""
    said = command("mirrors", "--index", index)
    assert (0, "") == (said.code, said.err)
    assert [
        "6 pages in 2 groups of mirrors",
        f"        4  {B}",
        "           least edge 0.5000, least pair 0.4000, diameter 3",
        f"        2  {D}",
        "           least edge 0.6000, least pair 0.6000, diameter 1; cut out of a larger group:"
        " too many members",
        "1 group cut out of larger ones",
        f"        2  {D}: too many members",
    ] == said.out.splitlines()
    few = command("mirrors", "--index", index, "-n", 1).out.splitlines()
    assert "  and 1 other group (-n 0 shows all)" == few[3]


def test_json(command, index):
    """JSON is what Python has."""
    with Index(index) as opened:
        mirrors, groups = opened.mirrors(A), opened.mirror_groups()
    said = json.loads(command("mirrors", "--index", index, A, "--json").out)
    assert list(mirrors._fields) == list(said)
    assert mirrors.group is not None
    assert (mirrors.group._asdict(), mirrors.members) == (said["group"], said["members"])
    for name in ("edges", "held_by", "holds"):
        assert [one._asdict() for one in getattr(mirrors, name)] == said[name]
    said = json.loads(command("mirrors", "--index", index, "--json").out)
    assert (2, 6, 1) == (said["groups"], said["pages"], said["cut_groups"])
    assert [one._asdict() for one in groups.largest] == said["largest"]
    assert said["largest"][1:] == said["cut"]
    said = json.loads(command("mirrors", "--index", index, G, "--json").out)
    assert (None, [], []) == (said["group"], said["members"], said["edges"])


@pytest.mark.parametrize(
    ("linked", "members", "why"),
    [
        ({A: 1}, [B, A], "most pages linked to it when the groups were made"),
        ({}, [A, LONG], "its URL is the shortest of the 2 that most pages link to (0)"),
        ({C: 2, D: 2}, [C, D, E], "its URL is the first of the 2 shortest that most pages link to"),
    ],
)
def test_why_it_stands_for_them(tmp_path, linked, members, why):
    """Most pages that link there, then the shortest URL, then the first."""
    bags = [make_bag(url, {20: 1.0}, linked.get(url, 0)) for url in members]
    edges = [edge(members[0], other, 9000, 9000, 9000) for other in members[1:]]
    mirrors = Mirrors([group(members, edges, 9000, 9000, 1)], [])
    index = Index(make_index(tmp_path / "index", bags, mirrors=mirrors))
    assert index.mirrors(members[-1]).why.startswith(why)


def test_not_there(command, index, tmp_path):
    """An unknown page is told with those near it, and an index without groups says what makes
    them."""
    said = command("mirrors", "--index", index, "http://aa.example/")
    assert (NotFoundError.exit_code, True) == (said.code, f"near it are {A}" in said.err)
    bare = make_index(tmp_path / "bare", BAGS)
    for words in ([], [A]):
        said = command("mirrors", "--index", bare, *words)
        assert NotFoundError.exit_code == said.code
        assert "has no groups of mirrors; `pagekin build` makes them" in said.err


# --- two files ---

KNOT = "the bowline is an ancient and simple knot used to form a fixed loop at the end of a rope"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "a.html", tmp_path / "b.html"]
    paths[0].write_text(f"<title>Knots</title><ul><li>menu<li>here</ul><p>{KNOT}</p>")
    paths[1].write_text(f"<p>{KNOT.title()}.</p><p>nothing else at all</p>")
    return paths


def test_files(command, files):
    """Both texts in passages: what is on both, and what is on one alone; markup and case do not
    count."""
    said = command("mirrors", "--length", 5, *files)
    assert (0, "") == (said.code, said.err)
    assert [
        "resemblance 0.6957; shingles of 5 words: 16 on both, 19 on A, 20 on B",
        "0.8421 of A is on B, 0.8000 of B is on A",
        "",
        f"A  {files[0]}: 23 words",
        "  A only       3  knots menu here",
        f"  both        20  {KNOT}",
        "",
        f"B  {files[1]}: 24 words",
        f"  both        20  {KNOT}",
        "  B only       4  nothing else at all",
    ] == said.out.splitlines()


def test_long_passages(command, tmp_path):
    """The middle of a long passage is left out for people, and kept in JSON."""
    words = [f"{a}{b}" for a in "abcdefg" for b in "hijklmn"]
    path = tmp_path / "long.html"
    path.write_text(" ".join(words))
    line = command("mirrors", path, path).out.splitlines()[-1]
    middle = f"{' '.join(words[:12])} ... {' '.join(words[-12:])}"
    assert f"  both        49  {middle}" == line
    said = json.loads(command("mirrors", path, path, "--json").out)
    assert (1.0, 1.0, 1.0, 43, 7) == tuple(
        said[name] for name in ("resemblance", "a_in_b", "b_in_a", "shared", "length")
    )
    passage = {"shared": True, "words": 49, "text": " ".join(words)}
    expected = {"file": str(path), "shingles": 43, "passages": [passage]}
    assert [expected, expected] == said["pages"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["a", "b", "c"], "name a URL, or two HTML files"),
        (["-n", "-1"], "-n takes a number from 0"),
        (["--length", "0", "a", "b"], "--length takes a number from 1"),
        (["none.html", "none.html"], "none.html: cannot be read: No such file or directory"),
    ],
)
def test_refused(command, words, why):
    """One sentence."""
    said = command("mirrors", *words)
    assert (said.code != 0, f"pagekin: {why}") == (True, said.err.strip().partition(";")[0])
