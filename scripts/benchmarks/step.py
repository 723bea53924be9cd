"""One step of a benchmark in a process of its own: `python -m benchmarks.step MODULE:FUNCTION`.

Its words come as JSON on stdin, its value goes as JSON to stdout. Whatever else is printed goes to
stderr.
"""

from __future__ import annotations

import importlib
import json
import sys

from pagekin.errors import PagekinError

__all__ = ["EXPECTED"]

EXPECTED = 9  # the exit code where stderr holds one sentence at its end


def main(name: str) -> int:
    """Call the function."""
    out, sys.stdout = sys.stdout, sys.stderr
    module, _, function = name.partition(":")
    try:
        value = getattr(importlib.import_module(module), function)(**json.load(sys.stdin))
    except PagekinError as error:
        sys.stderr.write(f"{error}\n")
        return EXPECTED
    json.dump(value, out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
