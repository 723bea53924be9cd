"""One question in a process of its own, to be traced: `python question.py INDEX URL BY`."""

import sys

from pagekin import Index


def main(index: str, url: str, by: str) -> None:
    """Ask; an answer that is empty would be a short walk, and is an error."""
    if not list(Index.open(index).related(url, k=5, by=by)):
        sys.exit(f"there is no answer by {by} for {url}")


main(*sys.argv[1:])
