"""Coverage-guided fuzzing: libFuzzer, by way of atheris, over the targets of `tests.targets`.

The parts in C are built by clang with its sanitizers and with counters that libFuzzer reads, in a
copy of the project; atheris counts the branches of the Python. Each target has its time, from the
corpus that is kept on. Of the inputs that reach something that none did before libFuzzer holds the
shortest; of these as many are kept as make a small file.
`scripts/fuzz --target` is the door.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests import sanitized
from tests.targets import TARGETS, cases, write_cases

__all__ = ["run_targets"]

ROOT = Path(__file__).parents[1]
_FLAGS = (
    *("-g", "-O1", "-fno-omit-frame-pointer", "-shared", "-fPIC"),
    *("-fsanitize=address,undefined,fuzzer-no-link", "-fno-sanitize-recover=undefined"),
)
_LIMITS = ("-timeout=10", "-rss_limit_mb=3000", "-max_len=4096", "-print_final_stats=1")
_MOST = 40_000  # bytes of the cases of a target, written as text
_RUNS = re.compile(rb"stat::number_of_executed_units:\s*(\d+)")
# What runs in the copy: pagekin must not be imported before its branches are counted.
_PROGRAM = """
import sys
import atheris
with atheris.instrument_imports(include=["pagekin"]):
    from tests.targets import TARGETS
atheris.Setup([sys.argv[0], *sys.argv[2:]], TARGETS[sys.argv[1]])
atheris.Fuzz()
"""


def run_targets(target: str, seconds: int, *, keep: bool) -> int:
    """Fuzz one target, or all of them by turns; 1 if one failed."""
    if target not in {"all", *TARGETS}:
        sys.exit(f"fuzz: --target takes all, or one of {', '.join(TARGETS)}")
    atheris = importlib.util.find_spec("atheris")
    if shutil.which("clang") is None or atheris is None or atheris.origin is None:
        sys.exit("fuzz: --target needs clang on the PATH, and pip install '.[fuzz]'")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="pagekin-guided-") as name:
        folder = Path(name)
        sanitized.copy_project(folder)
        sanitized.build_parts(folder, "clang", _FLAGS)
        runtime = Path(atheris.origin).parents[1] / "asan_with_fuzzer.so"
        for each in TARGETS if target == "all" else (target,):
            failed |= _fuzz(folder, runtime, each, seconds, keep=keep)
    return failed


def _fuzz(folder: Path, runtime: Path, target: str, seconds: int, *, keep: bool) -> int:
    corpus, program = folder / f"{target}-corpus", folder / "program.py"
    _write(corpus, cases(target))
    program.write_text(_PROGRAM)
    words = [f"-max_total_time={seconds}", f"-artifact_prefix={ROOT}/failed-{target}-", *_LIMITS]
    environment = sanitized.environment(folder, str(runtime))
    command = [sys.executable, str(program), target, *words, str(corpus)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    said = done.stderr + done.stdout
    runs = _RUNS.search(said)
    outcome = "found nothing"
    if done.returncode:
        sys.stdout.write(said.decode(errors="replace")[-6000:])
        outcome = f"FAILED; the input is kept as failed-{target}-*"
    elif keep:
        write_cases(target, _small(path.read_bytes() for path in corpus.iterdir()))
    count = int(runs[1]) if runs else 0
    sys.stdout.write(f"{target:12} {count:>12,} inputs in {seconds} s: {outcome}\n")
    sys.stdout.flush()
    return int(done.returncode != 0)


def _write(folder: Path, inputs: list[bytes]) -> None:
    folder.mkdir()
    for number, data in enumerate(inputs):
        (folder / f"{number:05d}").write_bytes(data)


def _small(inputs: Iterable[bytes]) -> set[bytes]:
    """The shortest of them, as many as fit."""
    kept: set[bytes] = set()
    size = 0
    for data in sorted(inputs, key=len):
        size += -(-len(data) // 3) * 4 + 1
        if size > _MOST:
            break
        kept.add(data)
    return kept
