"""Engines for tests: what is expensive to start, or has to be ended."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagekin.engine.package import make_package
from tests.engines.clusters import NOT_TESTED, LocalHadoop, local_hadoop
from tests.engines.mock_emr import MockEmr, mock_emr


@pytest.fixture
def emr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MockEmr]:
    """A mock of EMR and S3, to which all that is started here talks."""
    folder = tmp_path / "emr"
    folder.mkdir()
    with mock_emr(folder) as mock:
        for name, value in mock.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("AWS_PROFILE", raising=False)
        yield mock


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter with nothing installed, as on a new node."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return str(folder / "bin" / "python")


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of dependencies for this machine and this Python."""
    path = tmp_path_factory.mktemp("package") / "deps.tar.gz"
    make_package(path, f"{sys.version_info.major}.{sys.version_info.minor}")
    return path


@pytest.fixture(scope="session")
def hadoop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalHadoop]:
    """A real Hadoop with two NodeManagers."""
    with local_hadoop(tmp_path_factory.mktemp("hadoop") / "home") as cluster:
        yield cluster


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for all that could not be tested here."""
    if NOT_TESTED:
        terminalreporter.write_line("; ".join(NOT_TESTED.values()))
