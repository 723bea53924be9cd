"""`python -m pagekin` is the program `pagekin`."""

from __future__ import annotations

import sys

from pagekin.cli import main

if __name__ == "__main__":
    sys.exit(main())
