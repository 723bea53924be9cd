"""Servers on this machine that fail on command: HTTP, S3 and a `hadoop` command."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import struct
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest


class Fault(NamedTuple):
    """What goes wrong with one request."""

    kind: str  # status, close, reset, chunks, span, or a code of S3
    number: int = 0  # the status, or how many bytes of the body come


class Request(NamedTuple):
    path: str
    headers: Mapping[str, str]


class Server(ThreadingHTTPServer):
    """Files by path; the first faults in the queue befall the next requests."""

    daemon_threads = False  # closing waits for them: no socket stays open

    def __init__(self, handler: type[Handler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.files: dict[str, bytes] = {}
        self.faults: deque[Fault] = deque()
        self.requests: list[Request] = []
        self.ranges = True
        self.etags: dict[str, str] = {}  # instead of those made from the contents
        self.lengths = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def ranges_asked(self) -> list[str]:
        return [request.headers.get("Range", "") for request in self.requests]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def home(self) -> Server:
        return cast(Server, self.server)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Tests are silent."""

    def do_GET(self) -> None:
        self.close_connection = True
        self.home.requests.append(Request(self.path, dict(self.headers.items())))
        fault = self.home.faults.popleft() if self.home.faults else Fault("")
        with contextlib.suppress(ConnectionError):  # readers may leave early
            self.answer(fault)

    def answer(self, fault: Fault) -> None:
        body = self.home.files.get(unquote(urlsplit(self.path).path))
        if fault.kind == "status" or body is None:
            self.refuse(fault.number or 404)
        else:
            self.send_file(body, self.etag(body), fault)

    def etag(self, body: bytes) -> str:
        return self.home.etags.get(self.path, f'"{md5(body).hexdigest()}"')

    def refuse(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")  # or a client's pool may reuse what we close
        self.end_headers()
        self.wfile.write(body)

    def send_file(self, whole: bytes, etag: str, fault: Fault) -> None:
        start = self.start(etag)
        body = whole[start:]
        self.send_response(206 if start or fault.kind == "span" else 200)
        if start and fault.kind != "span":
            self.send_header("Content-Range", f"bytes {start}-{len(whole) - 1}/{len(whole)}")
        if etag:
            self.send_header("ETag", etag)
        if fault.kind == "chunks":
            self.send_header("Transfer-Encoding", "chunked")
            body = b"%x\r\n%b\r\n" % (len(body), body) + b"0\r\n\r\n"
        elif self.home.lengths:
            self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(
            body[: fault.number] if fault.kind in {"close", "reset", "chunks"} else body
        )
        if fault.kind == "reset":
            self.wfile.flush()
            linger = struct.pack("ii", 1, 0)  # closing then sends RST and no FIN
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()

    def start(self, etag: str) -> int:
        asked = self.headers.get("Range", "")
        fits = self.headers.get("If-Range", etag) == etag
        if not asked or not self.home.ranges or not fits:
            return 0
        return int(asked.removeprefix("bytes=").rstrip("-"))


class S3Handler(Handler):
    """ListObjectsV2 and GetObject; `files` has the keys with the name of the bucket in front."""

    PAGE = 2  # objects in one answer

    def answer(self, fault: Fault) -> None:
        bucket, _, key = unquote(urlsplit(self.path).path).removeprefix("/").partition("/")
        files = {k: v for k, v in self.home.files.items() if k.startswith(f"{bucket}/")}
        code = {403: "AccessDenied", 400: "ExpiredToken"}.get(fault.number, "SlowDown")
        body = files.get(f"{bucket}/{key}")
        if fault.kind in {"status", "RequestTimeout"}:
            self.refuse_s3(fault.number, code if fault.kind == "status" else fault.kind)
        elif not files:
            self.refuse_s3(404, "NoSuchBucket")
        elif not key:
            self.send_listing([k.removeprefix(f"{bucket}/") for k in sorted(files)], bucket)
        elif body is None:
            self.refuse_s3(404, "NoSuchKey")
        elif self.headers.get("If-Match", self.etag(body)) != self.etag(body):
            self.refuse_s3(412, "PreconditionFailed")
        else:
            self.send_file(body, self.etag(body), fault)

    def refuse_s3(self, status: int, code: str) -> None:
        text = f"<Error><Code>{code}</Code><Message>The token is old.</Message></Error>"
        self.refuse(status, text.encode())

    def send_listing(self, keys: list[str], bucket: str) -> None:
        query = parse_qs(urlsplit(self.path).query)
        prefix, after = query.get("prefix", [""])[0], query.get("continuation-token", [""])[0]
        limit = min(int(query.get("max-keys", ["1000"])[0]), self.PAGE)
        wanted = [key for key in keys if key.startswith(prefix) and key > after]
        page, more = wanted[:limit], wanted[limit:]
        entries = "".join(self.entry(key, self.home.files[f"{bucket}/{key}"]) for key in page)
        token = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if more else ""
        truncated = f"<IsTruncated>{str(bool(more)).lower()}</IsTruncated>"
        text = f"<ListBucketResult>{truncated}{token}{entries}</ListBucketResult>"
        self.refuse(200, text.encode())

    def entry(self, key: str, body: bytes) -> str:
        parts = {"Key": key, "Size": str(len(body)), "ETag": self.etag(body)}
        return (
            f"<Contents>{''.join(f'<{n}>{escape(v)}</{n}>' for n, v in parts.items())}</Contents>"
        )


@contextlib.contextmanager
def running(handler: type[Handler] = Handler) -> Iterator[Server]:
    """A server, until the block ends."""
    with Server(handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def without_proxies(patch: pytest.MonkeyPatch) -> None:
    patch.setenv("no_proxy", "*")
    patch.setenv("NO_PROXY", "*")


def use_s3(patch: pytest.MonkeyPatch, server: Server) -> None:
    """Leads boto3 to the server, with credentials of no worth and nothing from the home."""
    without_proxies(patch)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        patch.delenv(name)
    patch.setenv("AWS_ENDPOINT_URL_S3", server.url)
    patch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    patch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    patch.setenv("AWS_CONFIG_FILE", os.devnull)
    patch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)


_HADOOP = '''#!{python}
"""Stands in for `hadoop fs -cat URI` and `hadoop fs -ls -R URI`; the root is a local folder."""
import glob, os, pathlib, re, sys, time

*_, command, uri = [argument for argument in sys.argv if argument != "-R"]
with open({log!r}, "a") as log:
    print(*sys.argv[1:], file=log)
authority, _, path = uri.partition("://")[2].partition("/")
root = {root!r}
sys.stderr.write("WARN util.NativeCodeLoader: no native library\\\\n" * {warnings})
named = [root + "/" + re.sub(r"\\\\(.)", r"\\1", path)]
pattern = re.sub(r"\\\\(.)", r"[\\1]", path)
paths = named if command == "-cat" else glob.glob(root + "/" + pattern)
paths = [p for p in paths if os.path.exists(p)]
if not paths:
    sys.exit(f"{{command[1:]}}: `{{uri}}': No such file or directory")
if command == "-cat":
    sys.stdout.buffer.write(open(paths[0], "rb").read())
    if "broken" in path:
        sys.stdout.flush()
        sys.exit("cat: Could not obtain block: BP-1")
for start in paths if command == "-ls" else []:
    for p in [pathlib.Path(start), *pathlib.Path(start).rglob("*")]:
        if p == pathlib.Path(start) and p.is_dir():
            continue
        kind, s = "d" if p.is_dir() else "-", p.stat()
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(s.st_mtime))
        name = {shown!r}.format(authority) + str(p)[len(root):]
        print(f"{{kind}}rw-r--r--   3 ann b domain users {{s.st_size:>10}} {{day}} {{name}}")
'''


def make_hadoop(folder: Path, shown: str = "hdfs://{}", warnings: int = 1) -> Path:
    """A `hadoop` in folder/bin for the files below folder/hdfs; its calls are in folder/log."""
    root, command = folder / "hdfs", folder / "bin" / "hadoop"
    root.mkdir(exist_ok=True)
    command.parent.mkdir(exist_ok=True)
    words = {"root": str(root), "log": str(folder / "log"), "shown": shown, "warnings": warnings}
    command.write_text(_HADOOP.format(python=sys.executable, **words))
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return root
