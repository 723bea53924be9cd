"""`pagekin plan` from end to end, on a small web that is made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from pagekin.cli import main
from pagekin.errors import InputError, UsageError, WorkspaceError
from pagekin.stages.fragments.parcels import host_part
from pagekin.synthetic.make_web import write_web
from pagekin.synthetic.population import WebConfig
from tests.running import ROOT, default_stages

WEB = WebConfig(90, mean_words=400, mean_links=60, hot_inlinks=300)


class Made(NamedTuple):
    """A web, a build of it, and the plan of a third."""

    web: str
    work: Path
    plan: Path


@pytest.fixture(scope="module", autouse=True)
def _small_samples():
    """A sample may be smaller here than any that is of use."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pagekin.planning.snapshot_sample.LEAST_PAGES", 1)
        yield


@pytest.fixture(name="made", scope="module")
def _made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planned")
    write_web(WEB, folder / "web", 2)
    web, work, plan = str(folder / "web"), folder / "work", folder / "plan.json"
    index = ["--index", str(folder / "index")]
    assert main(["build", "-q", "-r", "inline", "--work", str(work), *index, web]) == 0
    conf = ["-c", str(ROOT / "emr" / "large.conf")]
    assert main(["plan", "-q", "--sample", "35%", *conf, "--save", str(plan), web]) == 0
    return Made(web, work, plan)


def run(capsys, *words):
    code = main(["plan", *map(str, words)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_plan(made):
    """The plan knows every stage, the cluster, its price, and what it assumes."""
    plan = json.loads(made.plan.read_text())
    stages = [stage.name for stage in default_stages()]
    assert stages == [stage["name"] for stage in plan["stages"]]
    assert plan["pages"]["low"] <= WEB.pages <= plan["pages"]["high"]
    assert plan["pages"]["value"] == pytest.approx(WEB.pages, rel=2 * plan["sample"]["error"])
    assert 0 < plan["sample"]["error"] < 0.06  # pages of a made-up web are alike
    assert plan["place"]["slots"] == 288
    roles = [node["role"] for node in plan["place"]["nodes"]]
    assert ["master", "core", "task"] == roles
    cost = sum(node["cost"]["value"] for node in plan["place"]["nodes"])
    assert plan["place"]["cost"]["value"] == pytest.approx(cost, abs=0.01)
    assert any("prices are of" in each for each in plan["assumptions"])
    assert any("the sample has" in each for each in plan["warnings"])
    assert not any("no plan is needed" in each for each in plan["warnings"])


def test_hottest(made):
    """The host of the URL with the most links is a hottest key of the shuffle of bags."""
    hot = json.loads((Path(made.web) / "web.json").read_text())["hot_url"]
    plan = json.loads(made.plan.read_text())
    first = [stage["hottest"][0]["key"] for stage in plan["stages"] if stage["hottest"]]
    assert host_part(hot.encode()).decode() in first


def test_the_whole_is_no_guess(made, capsys):
    """A sample of all has the records and bytes of the build itself."""
    code, out, _ = run(capsys, "-q", "--sample", "100%", "--compare", made.work, "--json", made.web)
    rows = {row["what"]: row for row in json.loads(out)}
    assert code == 0
    off = {
        what: row["error"]
        for what, row in rows.items()
        if row["error"]
        and row["unit"] != "seconds"
        and "task" not in what
        and "size" not in what
        and not what.startswith("inventory")  # names of files stand in it
    }
    assert {} == off
    assert rows["index: documents"]["fact"] > WEB.pages


def test_a_build_that_costs_no_more(made, capsys):
    """Where the build itself takes no longer, that is said: before the work, and at its end."""
    code, out, err = run(capsys, "--sample", "60%", "--json", made.web)
    assert code == 0
    assert "all pages are read: to build them takes no longer than to plan it" in err
    plan = json.loads(out)
    assert plan["place"]["hours"]["value"] * 3600 < plan["seconds"]
    assert plan["warnings"][-1].startswith("the build takes no longer than this plan took (")


def test_small_samples(made, capsys, monkeypatch):
    """No sample is smaller than 1,000 pages, whatever is asked for: of few pages all are read."""
    monkeypatch.setattr("pagekin.planning.snapshot_sample.LEAST_PAGES", 1_000)
    for words in ([], ["--sample", "1%"], ["--sample", "10"]):
        sample = json.loads(run(capsys, "-q", *words, "--json", made.web)[1])
        assert ("all", WEB.pages) == (sample["sample"]["method"], sample["sample"]["pages"])


def test_compare(made, capsys):
    """A saved plan beside the build: predicted, bounds, fact, error."""
    code, out, _ = run(capsys, "--compare", made.work, "--load", made.plan)
    lines = out.splitlines()
    assert code == 0
    assert lines[0].split() == ["what", "predicted", "bounds", "fact", "error"]
    assert lines[1].split()[0] == "pages"
    assert "90" == lines[1].split()[-2]


def test_text(made, capsys):
    """People see stages, totals, money, hot keys and assumptions."""
    code, out, _ = run(capsys, "--load", made.plan)
    assert code == 0
    for word in ("snapshot", "sample", "reading", "index", "cost", "hottest keys", "assumed"):
        assert word in out


@pytest.mark.parametrize(
    ("words", "error", "complaint"),
    [
        ([], UsageError, "name a SNAPSHOT"),
        (["--load", "nowhere.json"], InputError, "nowhere.json: cannot be read"),
        (["--load", str(ROOT / "setup.cfg")], InputError, "is no plan"),
        (["--sample", "0%", str(ROOT / "demo")], UsageError, "--sample 0%: takes a share"),
        (["--speed", "0", str(ROOT / "demo")], UsageError, "--speed 0: takes a number above 0"),
        (
            ["-c", "nowhere.conf", str(ROOT / "demo")],
            UsageError,
            "nowhere.conf: there is no such file",
        ),
        (
            ["--compare", "nowhere", str(ROOT / "demo")],
            WorkspaceError,
            "nowhere is not a workspace",
        ),
    ],
)
def test_mistakes(words, error, complaint, capsys):
    """Each mistake is one sentence, and nothing else is printed."""
    code, out, err = run(capsys, *words)
    assert (error.exit_code, "") == (code, out)
    assert complaint in err
    assert 1 == len(err.splitlines())


def test_pages_that_were_read_alone(made, tmp_path, capsys):
    """With `--bag-urls crawled` no bag is foreseen for a URL that is only linked to; a sample of
    all has the documents of the build."""
    flags = ["--without", "cocitation", "--without", "mirrors", "--bag-urls", "crawled"]
    work, index = tmp_path / "work", tmp_path / "index"
    build = ["build", "-q", "-r", "inline", *flags, "--work", work, "--index", index, made.web]
    assert main(list(map(str, build))) == 0
    words = ("-q", *flags, "--compare", work, "--json", made.web)
    rows = {row["what"]: row for row in json.loads(run(capsys, "--sample", "100%", *words)[1])}
    documents = rows["index: documents"]
    assert (WEB.pages, 0) == (documents["fact"], documents["error"])
    assert 0 == rows["reading: records"]["error"]
    _, out, _ = run(capsys, "-q", *flags, "--sample", "35%", "--json", made.web)
    plan = json.loads(out)
    stages = {stage["name"]: stage for stage in plan["stages"]}
    assert {"read", "read and linked", "words", "links"} >= set(stages["reading"]["kinds"])
    assert plan["index"]["documents"]["value"] == pytest.approx(plan["pages"]["value"], rel=0.01)
