"""The archive of dependencies for nodes that have none: pagekin itself and all that it imports.

pip fetches wheels for the Python and processor of the nodes, in exactly the versions that are
installed here, because results depend on them. The same versions give the same archive.
Tasks get it unpacked, as `deps`, through mrjob's `--archives`, and find it by PYTHONPATH.

What a task never reads stays out: byte code, tests, headers, and what botocore knows of services
other than S3, which is most of it. Nothing is compiled: all dependencies have wheels, and our own
parts in C go as they were built here, to nodes with the same kind of processor. Others read pages
by Python alone.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib
import importlib.metadata
import os
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pagekin.errors import PagekinError, UsageError
from pagekin.storage.cache import packages_folder

__all__ = [
    "ARCHES",
    "PYTHON",
    "auto_package",
    "chosen_package",
    "make_package",
    "package_words",
]

PYTHON = "3.11"
ARCHES = ("x86_64", "aarch64")

_UNPACKED = "deps"  # what the archive is called where a task runs
_GLIBC = 34  # Amazon Linux 2023; wheels for older ones run there too
_LEVEL = 6  # of gzip: 9 takes three times as long for 1 %

# Of botocore: what S3 needs, and what finds credentials. The other 400 services are 9 MB.
_SERVICES = frozenset({"s3", "sts", "sso", "sso-oidc", "signin"})
_UNREAD = re.compile(
    r"(^|/)(__pycache__|tests?|testing/tests|bin|include)/"
    r"|\.(pyc|pyi|h|hpp|pxd|pyx|c|cpp|lib|a|rst)$|(^|/)(RECORD|direct_url\.json|REQUESTED|INSTALLER)$"
)


def package_words(path: Path) -> list[str]:
    """mrjob's arguments that give the tasks of a job the archive."""
    setup = f"export PYTHONPATH=$PWD/{_UNPACKED}:$PYTHONPATH"
    # what the archive holds need not be made ready a second time
    return ["--archives", f"{path}#{_UNPACKED}", "--setup", setup, "--no-bootstrap-mrjob"]


def chosen_package(wanted: str | None, runner: str, *, make: bool = True) -> Path | None:
    """The archive that goes with the tasks: a file, `auto`, `none`; by default what nodes need."""
    wanted = wanted or ("auto" if runner == "emr" else "none")
    if wanted == "none":
        return None
    if wanted == "auto":
        return auto_package(make=make)
    if not Path(wanted).is_file():
        raise UsageError(f"--package {wanted}: there is no such file; pagekin package makes one")
    return Path(wanted)


def auto_package(python: str = PYTHON, arch: str = ARCHES[0], *, make: bool = True) -> Path:
    """The archive for what is installed here, made once and kept in the user's cache."""
    pins = "\n".join([*_pins(), python, arch, _sources_digest(arch)])
    key = hashlib.sha256(pins.encode()).hexdigest()[:16]
    path = packages_folder() / f"deps-py{python}-{arch}-{key}.tar.gz"
    if make and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        make_package(path, python, arch)
    return path


def make_package(path: Path, python: str = PYTHON, arch: str = ARCHES[0]) -> int:
    """Write the archive; gives its size in bytes. It is there whole or not at all."""
    if arch not in ARCHES or not re.fullmatch(r"3\.\d+", python):
        raise UsageError(
            f"no package for Python {python} on {arch}; write --python 3.11 --arch x86_64"
        )
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with tempfile.TemporaryDirectory(prefix="pagekin-package-") as folder:
        _install(Path(folder), python, arch)
        try:
            _write(beside, dict(_members(Path(folder), arch)))
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    return path.stat().st_size


# --- what goes in ---


def _direct() -> list[str]:
    """What pagekin itself needs, without extras."""
    found = importlib.metadata.requires("pagekin") or []
    return [line for line in found if "extra ==" not in line]


def _pins() -> list[str]:
    """Everything that is installed here, by version; pip takes of it what it needs."""
    installed = {
        str(d.metadata["Name"]): d.version
        for d in importlib.metadata.distributions()
        if d.metadata["Name"] not in {None, "pagekin", "pip", "setuptools"}
    }
    return sorted(f"{name}=={version}" for name, version in installed.items())


def _install(folder: Path, python: str, arch: str) -> None:
    pins = folder / "pins.txt"
    pins.write_text("\n".join(_pins()), encoding="utf-8")
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    words += ["--target", str(folder / _UNPACKED), "--no-compile", "--only-binary=:all:"]
    words += ["--implementation", "cp", "--python-version", python, "--constraint", str(pins)]
    for glibc in range(_GLIBC, 16, -1):
        words += ["--platform", f"manylinux_2_{glibc}_{arch}"]
    words += ["--platform", f"manylinux2014_{arch}"]
    done = subprocess.run([*words, *_direct()], capture_output=True, text=True, check=False)
    if done.returncode:
        raise PagekinError(
            f"pip cannot fetch the dependencies for Python {python}, {arch}:",
            *done.stderr.strip().splitlines()[-10:],
        )


def _members(folder: Path, arch: str) -> Iterator[tuple[str, Path]]:
    """Names in the archive, and the files that go there."""
    root = folder / _UNPACKED
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not _UNREAD.search(name) and not _is_of_other_service(name):
            yield name, path
    yield from _own(arch)


def _own(arch: str) -> Iterator[tuple[str, Path]]:
    """pagekin from where it is imported: installed, or from its sources."""
    unread = (".c", ".h") if arch == platform.machine() else (".c", ".h", ".so")
    for name in ("pagekin", "pagekin.jobs"):
        place = Path(str(importlib.import_module(name).__file__)).parent
        for path in place.rglob("*"):
            is_read = "__pycache__" not in path.parts and path.suffix not in unread
            if path.is_file() and is_read:
                yield f"{name.replace('.', '/')}/{path.relative_to(place).as_posix()}", path


def _is_of_other_service(name: str) -> bool:
    folder, _, rest = name.removeprefix("botocore/data/").partition("/")
    of_botocore = name.startswith("botocore/data/") and bool(rest)
    return name.startswith("boto3/data/") or (of_botocore and folder not in _SERVICES)


def _sources_digest(arch: str) -> str:
    digest = hashlib.sha256()
    for name, path in sorted(_own(arch)):
        digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


# --- how it is written ---


def _write(path: Path, members: dict[str, Path]) -> None:
    """In the order of the names, without times, owners and other accidents."""
    with (
        path.open("wb") as raw,
        gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name in sorted(members):
            with members[name].open("rb") as file:
                tar.addfile(_plain(tar.gettarinfo(name=members[name], arcname=name)), file)


def _plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.mtime = info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mode = 0o755 if info.mode & 0o100 else 0o644
    info.pax_headers = {}
    return info
