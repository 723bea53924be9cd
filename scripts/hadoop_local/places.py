"""Where things lie: the jars, shared by all, and the home of one cluster."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

__all__ = ["POM", "PROJECT", "Home", "LocalError", "java", "library", "program", "version"]

POM = Path(__file__).with_name("pom.xml")
PROJECT = Path(__file__).parents[2]


class LocalError(Exception):
    """One plain sentence for the user; `code` is what the shell sees."""

    def __init__(self, sentence: str, code: int = 1) -> None:
        super().__init__(sentence)
        self.code = code


def version() -> str:
    """The version of Hadoop, as the pom says it."""
    found = re.search(r"<hadoop\.version>(.+?)</hadoop\.version>", POM.read_text(encoding="utf-8"))
    if not found:
        raise LocalError(f"{POM}: names no hadoop.version")
    return found[1]


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "pagekin"


def library() -> Path:
    """The folder of jars: there whole, or not there; another one when the pom says otherwise."""
    stamp = hashlib.sha256(POM.read_bytes()).hexdigest()[:8]
    return _cache() / f"hadoop-{version()}-{stamp}"


def java() -> str:
    """The program `java`, as Hadoop itself would choose it."""
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").exists():
        return str(Path(home) / "bin" / "java")
    return program("java", "a JDK or JRE 11 or 17 (Debian: openjdk-17-jre-headless)")


def program(name: str, package: str) -> str:
    found = shutil.which(name)
    if not found:
        raise LocalError(f"there is no program {name} on the PATH; install {package}", 3)
    return found


@dataclass(frozen=True)
class Home:
    """The folder of one cluster: settings, data, logs, and who runs."""

    path: Path

    @classmethod
    def of(cls, given: str | None) -> Home:
        chosen = given or os.environ.get("PAGEKIN_HADOOP_HOME") or _cache() / "hadoop-local"
        return cls(Path(chosen).absolute())

    @property
    def conf(self) -> Path:
        return self.path / "conf"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def data(self) -> Path:
        return self.path / "data"

    @property
    def pids(self) -> Path:
        return self.path / "run"

    @property
    def hadoop(self) -> Path:
        """The program `hadoop` of this cluster."""
        return self.path / "bin" / "hadoop"

    @property
    def mrjob_conf(self) -> Path:
        return self.path / "mrjob.conf"
