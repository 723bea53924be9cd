"""What is written to a terminal: nothing that it would obey."""

from __future__ import annotations

import ast
import io
import json
import logging
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.printing import PrintableLog, print_lines, printable, refresh, tell
from tests.running import ROOT, python
from tests.test_house import MODULES, tree_of

TURNING = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}  # bidirectional classes


def is_obeyed(character: str) -> bool:
    """Would a terminal, or whoever splits lines, do something else than show it?"""
    control = unicodedata.category(character) in {"Cc", "Zl", "Zp", "Cs"}
    return control or unicodedata.bidirectional(character) in TURNING or character in "\u200e\u200f"


def test_every_character():
    """Of all characters those that a terminal obeys are escaped, and words stay as they are."""
    for code in range(0x110000):
        shown = printable(chr(code))
        assert not any(map(is_obeyed, shown))
        if unicodedata.category(chr(code))[0] in "LMNPSZ" and code not in {0x2028, 0x2029}:
            assert chr(code) == shown
    assert "soft\u00adhyphen, join\u200der" == printable("soft\u00adhyphen, join\u200der")


@given(st.text(st.characters()))
def test_json_stays_json(text):
    """What is replaced in JSON stands for the same."""
    assert text == json.loads(printable(json.dumps(text, ensure_ascii=False)))


def test_lines(capsys):
    """A line stays one, on stdout and on stderr."""
    print_lines(["a\nb", "c\x1b[2Jd"])
    tell("e\x9bf", "g\u202eh")
    assert ("a\\u000ab\nc\\u001b[2Jd\n", "e\\u009bf\ng\\u202eh\n") == capsys.readouterr()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress():
    """The line of progress is written over, by the next and by what is told."""
    out = Terminal()
    refresh("1\x07 of 2", out)
    refresh("2 of 2", out)
    tell("done", out=out)
    assert "\r\033[K1\\u0007 of 2\r\033[K2 of 2\r\033[Kdone\n" == out.getvalue()
    refresh("3", plain := io.StringIO())
    assert "" == plain.getvalue()


def test_log():
    """A message of several lines keeps them; what stands in a line is escaped."""
    record = logging.LogRecord("mrjob", logging.ERROR, "", 0, "a\x1bb\nc", None, None)
    assert "a\\u001bb\nc" == PrintableLog().format(record)


def test_error_that_nobody_foresaw():
    """A traceback shows nothing else."""
    code = "def fail(): raise ValueError('\\x1b[2J \\u202e')"
    said = python("-c", f"from pagekin import cli\n{code}\ncli._parser = fail\ncli.main()")
    assert 1 == said.code
    assert said.err.endswith("ValueError: \\u001b[2J \\u202e\n")


def writes(tree: ast.Module) -> bool:
    """Does a module print, or write to the standard streams, by itself?"""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called == "print" or called.startswith(("sys.stdout.write", "sys.stderr.write")):
                return True
    return False


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_else_writes(path):
    """One module writes to the terminal; others write the help of a job and the table of limits,
    which are ours."""
    ours = {f"lib/pagekin/{name}.py" for name in ("printing", "engine/job", "limits")}
    assert writes(tree_of(path)) == (str(path.relative_to(ROOT)) in ours)
