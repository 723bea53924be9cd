"""Settings for all tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

from pagekin.cli import main
from tests.running import BAGS, DEMO, NOT_ENRICHED_FLAGS, Said, pagekin
from tests.small import write_snapshot

# Reproducible in CI and short of minutes when something fails: the first failing example will do.
settings.register_profile(
    "pagekin",
    derandomize=True,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
settings.load_profile("pagekin")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With several workers a file stays together, and so do all engines: one cluster at a time."""
    from xdist.scheduler import LoadFileScheduling  # noqa: PLC0415 - there when it asks

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            folder = "tests/engines/"
            return folder if nodeid.startswith(folder) else super()._split_scope(nodeid)

    return Scheduling(config, log)


@pytest.fixture(scope="session")
def demo_work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the bags of the demo, built by the local runner. For reading only."""
    work = tmp_path_factory.mktemp("demo") / "work"
    said = pagekin("build", "--quiet", "--tasks", "2", *BAGS, "--work", work, DEMO)
    assert (0, "", "") == said
    return work


@pytest.fixture(scope="session")
def demo_index(demo_work: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the demo snapshot, of three shards. For reading only."""
    base = tmp_path_factory.mktemp("demo-index")
    work, index = shutil.copytree(demo_work, base / "work"), base / "index"
    flags = ("--tasks", "2", "--work", work, "--index", index, "--shards", "3", *NOT_ENRICHED_FLAGS)
    assert (0, "", "") == pagekin("build", "--quiet", *flags, DEMO)
    return index


@pytest.fixture(scope="session")
def small_snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small snapshot. For reading only."""
    return write_snapshot(tmp_path_factory.mktemp("small") / "snapshot")


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """The one command in this process: quick, and open to monkeypatching."""

    def run(*words: object) -> Said:
        capsys.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:  # --help and --version
            code = int(end.code or 0)
        return Said(code, *capsys.readouterr())

    return run
