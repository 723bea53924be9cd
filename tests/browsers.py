"""A browser, for tests of what pages do that we write.

Chromium opens the page in a frame, from a server that notes what is asked of it. Everything on the
page is clicked, and some styles are read as the browser made them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

__all__ = ["Visit", "visit"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PATIENCE = 120  # seconds; a visit takes two
_STAY = 6000  # milliseconds of the page's own time
_AROUND = """<!doctype html><iframe src="/page" id="frame"></iframe><pre id="told"></pre><script>
frame.onload = () => {
  frame.onload = null;
  const page = frame.contentDocument, wanted = WANTED;
  told.textContent = JSON.stringify(wanted.map(([what, style]) =>
    frame.contentWindow.getComputedStyle(page.querySelector(what)).getPropertyValue(style)));
  for (const each of page.querySelectorAll("a:not([href^=http]), button, input, text, summary"))
    each.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}));
};
</script>"""


class Visit(NamedTuple):
    """What came of opening a page."""

    hits: list[str]  # what it asked for below /hit/
    styles: list[str]  # those that were wanted, as computed


def visit(path: Path, *wanted: str) -> Visit:
    """Open a page; `wanted` are selectors and names of styles by turns."""
    pairs = json.dumps(list(zip(wanted[::2], wanted[1::2], strict=True)))
    pages = {"/": _AROUND.replace("WANTED", pairs).encode(), "/page": path.read_bytes()}
    with _serving(pages) as (address, asked), tempfile.TemporaryDirectory() as profile:
        command = [_browser(), "--headless", "--no-sandbox", "--disable-dev-shm-usage"]
        command += [
            f"--user-data-dir={profile}",
            "--dump-dom",
            f"--virtual-time-budget={_STAY}",
            address,
        ]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=_PATIENCE
        )
    found = re.search('<pre id="told">(.+?)</pre>', done.stdout)
    assert found, f"the page was not shown: {done.stderr}"
    hits = sorted({name.removeprefix("/hit/") for name in asked if name.startswith("/hit/")})
    return Visit(hits, json.loads(unescape(found[1])))


def _browser() -> str:
    """The program. Without one a test is skipped, and fails in CI, which installs it."""
    for name in (os.environ.get("PAGEKIN_BROWSER", ""), *_NAMES):
        if found := shutil.which(name):
            return found
    reason = f"there is no browser: none of {', '.join(_NAMES)} is on the PATH"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def _serving(pages: dict[str, bytes]) -> Iterator[tuple[str, list[str]]]:
    """A server of these pages: its address, and a list that takes what is asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200 if self.path in pages else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(pages.get(self.path, b""))

        do_POST = do_GET  # noqa: N815 - as the library names them

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", asked
        server.shutdown()
