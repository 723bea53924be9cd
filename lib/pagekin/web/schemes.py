"""What an address begins with: the one question about it that every command asks.

It stands apart from `pagekin.web.streams`, whose imports take a tenth of the start of a command.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["SCHEMES", "scheme_of"]

SCHEMES: Final = ("hdfs", "s3", "https", "http")  # beside local files


def scheme_of(uri: str) -> str:
    """The scheme of an address, empty for a local path.

    >>> scheme_of("S3://bucket/key"), scheme_of("crawl/a.warc"), scheme_of("file:///a.warc")
    ('s3', '', '')
    """
    match = re.match(r"([a-z][a-z\d+.-]*)://", uri, re.I)
    scheme = match[1].lower() if match else ""
    return "" if scheme == "file" else scheme
