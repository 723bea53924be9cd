"""The program: help, mistakes, exit codes, and its end as a process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pagekin as package
from pagekin import cli
from pagekin.commands import show_bag
from tests.pagekin.web import servers
from tests.running import DEMO, pagekin
from tests.warcs import gz, response

BOWLINE = "http://knots.sailing.example/bowline.html"
EITHER = "name either one URL, or --all, or --urls FILE"


def command_names() -> list[str]:
    """Of all commands, and of the subjects of `evaluate`."""
    names = []
    for name, parser in cli._parser().commands.items():
        names += [f"{name} {subject}" for subject in parser.commands] or [name]
    return names


@pytest.mark.parametrize("name", command_names())
def test_help_of_a_command(command, name):
    """Every command explains itself and each of its options."""
    said = command(*name.split(), "--help")
    assert (0, "") == (said.code, said.err)
    assert said.out.startswith(f"usage: pagekin {name} ")
    options = said.out.partition("options:")[2].splitlines()
    flags = [k for k, line in enumerate(options) if line.startswith("  -")]
    assert flags
    for k in flags:
        beside = options[k].strip().partition("  ")[2]
        assert beside or options[k + 1].startswith(" " * 20), f"{options[k]} is not explained"


def test_help(command):
    """Without a command's name all of them are listed."""
    said = command("--help")
    assert 0 == said.code
    listed = {line.split()[0] for line in said.out.splitlines() if line.startswith("    ")}
    assert set(cli._parser().commands) <= listed


def test_version(command):
    """The version is that of the package."""
    assert (0, f"pagekin {package.__version__}\n", "") == command("--version")


def test_words_are_told_before_they_are_used(command):
    """A help that speaks of signatures or gamma says what they are, before the options."""
    told = command("evaluate", "gamma", "--help").out.partition("\noptions:")[0]
    assert "\n  gamma        how well " in told
    assert "\n  signature    a number " in told
    assert "\nwords:" not in command("package", "--help").out
    assert "\nwords:" not in command("--help").out


def test_help_is_quick():
    """Help needs no parser, no numpy and no mrjob."""
    code = (
        "import sys; from pagekin.cli import main\n"
        "try: main(['build', '--help'])\n"
        "except SystemExit: print([m for m in ('mrjob', 'lxml', 'numpy') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]" == said.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "code"), [("plan-signatures --alpha .5 --recall .9", 0), ("-x", 2)]
)
@pytest.mark.parametrize("closed", ["1", "2"])
def test_nobody_listens(words, code, closed):
    """A stream that is closed, as those of daemons may be, changes no exit code."""
    command = ["sh", "-c", f"{sys.executable} -m pagekin {words} {closed}>&-"]
    assert code == subprocess.run(command, capture_output=True, check=False).returncode


def test_every_command_is_there():
    """Every function that declares a command is one of those that the program has."""
    declared = set()
    for path in (Path(cli.__file__).parent / "commands").glob("*.py"):
        declared |= set(
            re.findall(r"^def (add_\w+)\(commands: Any\)", path.read_text("utf-8"), re.M)
        )
    assert declared == {function.__name__ for function in cli._COMMANDS}


# --- mistakes ---


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "the following arguments are required: COMMAND; see pagekin --help"),
        (["bag", "--work"], "argument --work: expected one argument; see pagekin bag --help"),
        (["bag", "--work", "x"], EITHER),
        (["bag", "--work", "x", "http://a.example/", "--all"], EITHER),
        (["bag", "--work", "x", "http://a.example/", "--urls", "f"], EITHER),
        (["bag", "--work", "x", "--all", "--urls", "f"], EITHER),
        (["bag", "--work", "x", "u", "v"], "unrecognized argument v; see pagekin bag --help"),
        (
            ["bag", "--work", "x", "--all", "-k", "-1"],
            "-k takes a number from 0; 0 shows all terms",
        ),
        (
            ["bag", "--work", "x", "--all", "-k", "2.5"],
            "argument -k: invalid int value: '2.5'; see pagekin bag --help",
        ),
        (
            ["build", "--work", "x", "--tasks", "-1", "y"],
            "--tasks and --max-failed-files take numbers from 0",
        ),
        (["build", "--work", "x", "-c", "none.conf", "y"], "-c none.conf: there is no such file"),
        (
            ["build", "--work", "x", "--index", "i", "--until", "inventory", "y"],
            "--until inventory stops before the index; leave out --index",
        ),
        (
            ["build", "--work", "x", "--window-words", "-3", "--bag-links", "nan", "y"],
            "window.words is -3; it must be at least 0 and at most 8191;"
            " bag.links is nan; it must be at least 0 and at most 100.0",
        ),
        (
            ["page", "x.html", "--warc", "y", "--url", "z"],
            "--url and --charset go with an HTML file; a WARC record has both",
        ),
        (["page", "--warc", "y", "nonsense"], "nonsense: is no web address"),
        (
            ["page", "http://a.example/"],
            "http://a.example/: name the WARC file that holds it with --warc",
        ),
    ],
)
def test_usage(command, words, expected):
    """Wrong words end with 2 and one sentence, before anything is touched."""
    assert (2, "", f"pagekin: {expected}\n") == command(*words)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["build", "--work", "x", "--window-word", "4", "y"],
            "--window-word (did you mean --window-words?); see pagekin build --help",
        ),
        (
            ["build", "--widow-words=4", "y"],
            "--widow-words (did you mean --window-words?); see pagekin build --help",
        ),
        (["bag", "--wrok", "x"], "--wrok (did you mean --work?); see pagekin bag --help"),
        (["bag", "--work", "x", "--zzz"], "--zzz; see pagekin bag --help"),
        (["bag", "--work", "x", "-x", "y"], "-x; see pagekin bag --help"),
        (["--verson"], "--verson (did you mean --version?); see pagekin --help"),
        (["--work", "x", "bag"], "--work; see pagekin --help"),
    ],
)
def test_unknown_flag(command, words, expected):
    """A flag that is misspelt or shortened is refused, and the nearest of the command is named."""
    assert (2, "", f"pagekin: unrecognized argument {expected}\n") == command(*words)


@pytest.mark.parametrize("words", [["--", "--all"], ["--json", "-k1", "--", "-k"]])
def test_behind_two_dashes(command, demo_work, words):
    """What stands behind -- is no flag."""
    said = command("bag", "--work", demo_work, *words)
    assert (4, "") == (said.code, said.out)
    assert said.err.startswith(f"pagekin: http://{words[-1]}/ has no bag")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("biuld", "did you mean build?"),
        ("zzz", f"there are {', '.join(cli._parser().commands)}"),
    ],
)
def test_unknown_command(command, name, hint):
    """A command that does not exist is answered with the nearest one, or with all."""
    said = command(name, "--work", "x")
    expected = f"pagekin: there is no command {name!r} ({hint}); see pagekin --help\n"
    assert (2, "", expected) == said


def test_unnamed_file(command, demo_work, monkeypatch):
    """What the system refuses without saying where keeps its reason."""

    def refuse(_: object) -> int:
        raise OSError("sort ended with code 2")

    monkeypatch.setattr(show_bag, "_run", refuse)
    said = command("bag", "--work", demo_work, BOWLINE)
    assert (1, "", "pagekin: the system: sort ended with code 2\n") == said


def test_exit_code_1(command, tmp_path):
    """What the system refuses is one sentence, too."""
    (tmp_path / "file").write_text("")
    said = command("build", "--work", tmp_path / "file" / "work", DEMO)
    assert (1, "", f"pagekin: {tmp_path / 'file' / 'work'}: Not a directory\n") == said


def test_exit_code_3(command, tmp_path):
    """A snapshot that is not there."""
    said = command("build", "--work", tmp_path / "work", tmp_path / "none")
    assert (3, "") == (said.code, said.out)
    assert said.err.startswith(f"pagekin: {tmp_path / 'none'}: ")
    assert not (tmp_path / "work").exists()


def test_exit_code_4(command, demo_work):
    """A URL without a bag."""
    assert 4 == command("bag", "--work", demo_work, "http://nobody.example/").code


@pytest.mark.parametrize("words", [("bag", "--all"), ("bag", "http://a.example/")])
def test_exit_code_5(command, tmp_path, words):
    """A workspace that is none; and one in which the stage is not built yet."""
    name, *rest = words
    expected = f"pagekin: {tmp_path} is not a workspace; `pagekin build --work` makes one\n"
    assert (5, "", expected) == command(name, "--work", tmp_path, *rest)
    (tmp_path / "a.warc.gz").write_bytes(gz(response("http://a.example/")))
    work = tmp_path / "work"
    command(
        "build",
        "-q",
        "-r",
        "inline",
        "--until",
        "inventory",
        "--work",
        work,
        tmp_path / "a.warc.gz",
    )
    expected = f"pagekin: {work}: stage weighted_bags is not built; run pagekin build\n"
    assert (5, "", expected) == command(name, "--work", work, *rest)


def test_exit_code_6(command, tmp_path, monkeypatch):
    """A stage that fails: here one of the two files cannot be had."""
    servers.without_proxies(monkeypatch)
    (tmp_path / "a.warc.gz").write_bytes(gz(response("http://a.example/")))
    with servers.running() as server:
        (tmp_path / "b.paths").write_text(f"{server.url}/none.warc.gz\n")
        words = ("--work", tmp_path / "work", tmp_path / "a.warc.gz", tmp_path / "b.paths")
        said = command("build", "-q", "-r", "inline", *words)
    assert (6, "") == (said.code, said.out)
    assert said.err.startswith("pagekin: 1 of 2 files could not be read;")
    assert "none.warc.gz: there is no such file" in said.err.splitlines()[1]


def test_stopped(command, demo_work, monkeypatch):
    """Ctrl-C ends with 130 and one sentence."""

    def stop(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(show_bag, "_run", stop)
    said = command("bag", "--work", demo_work, BOWLINE)
    assert (130, "", "pagekin: stopped; the same command goes on from here\n") == said


# --- processes ---


def test_in_a_process_of_its_own(demo_work):
    """The installed command, and the module, do what `main` does."""
    script = Path(sys.executable).with_name("pagekin")
    words = ["bag", "--work", str(demo_work), "-k", "1", BOWLINE]
    said = subprocess.run([script, *words], capture_output=True, text=True, check=True)
    assert said.stdout == pagekin(*words).out
    assert 3 == len(said.stdout.splitlines())


def test_error_in_a_process_of_its_own(tmp_path):
    """Exit codes reach the shell."""
    said = pagekin("bag", "--work", tmp_path, "--all")
    assert 5 == said.code
    assert 1 == len(said.err.splitlines())


@pytest.mark.parametrize("words", [["--all", "--json"], [BOWLINE]])
def test_reader_that_had_enough(demo_work, words):
    """`| head` is no error, with much output and with little."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "pagekin", "bag", "--work", str(demo_work), *words]
    buffered = {**os.environ, "PYTHONUNBUFFERED": ""}
    done = subprocess.run(
        command, stdout=writing, stderr=subprocess.PIPE, env=buffered, check=False
    )
    os.close(writing)
    assert (0, b"") == (done.returncode, done.stderr)


def test_terminal_without_the_letters(demo_work):
    """Where a terminal cannot show a letter, its number is shown."""
    url = "http://tianwen.example/wangyuanjing.html"
    narrow = pagekin(
        "bag", "--work", demo_work, url, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    wide = pagekin("bag", "--work", demo_work, url, env={**os.environ, "PYTHONIOENCODING": "utf-8"})
    assert (0, "") == (narrow.code, narrow.err)
    assert narrow.out.encode().decode("unicode_escape") == wide.out
    assert not wide.out.isascii()


class _Signals:
    """An object that is sent a signal while it is cleared away."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGTERM)


def test_stopped_where_python_drops_it():
    """A signal that comes while an object is cleared away stops the command all the same."""
    with pytest.raises(KeyboardInterrupt), cli._stoppable():
        one = _Signals()
        del one
        time.sleep(30)
