"""Objects of S3: listed, read as streams, and written, with the AWS credentials that boto3 finds.

All requests are signed: Common Crawl's bucket has taken no others since April 2022. boto3 is
imported in this module only, and this module only when an s3:// address is met: it takes 0.2 s, and
each client 0.07 s. Which objects of a listing are wanted is decided in `pagekin.web.sources`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import boto3  # type: ignore[import-untyped]
from boto3.exceptions import S3UploadFailedError  # type: ignore[import-untyped]
from botocore import exceptions as known  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from urllib3.exceptions import HTTPError

from pagekin.errors import InputError
from pagekin.web.remote import CHANGED, TIMEOUT, Part, Remote, first_byte, reason_of

__all__ = ["Bucket", "S3File", "S3Object", "missing_credentials", "open_bucket", "split_uri"]

_LIST_TRIES: Final = 6  # as many as streams have, but counted and paused by botocore

_DELETED_AT_ONCE: Final = 1_000  # objects; more are refused
_STANDS: Final = frozenset({"PreconditionFailed", "ConditionalRequestConflict"})

_REFUSALS: Final = {
    "NoSuchKey": "there is no such object",
    "NoSuchBucket": "there is no such bucket; check its name",
    "ExpiredToken": "the AWS credentials have ended; renew them, and give the same command again",
    "AccessDenied": "access denied; these AWS credentials may not list or not read it",
    "PreconditionFailed": CHANGED,
    "InvalidRange": CHANGED,
}
_SET_CREDENTIALS: Final = (
    "there are no AWS credentials; set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
)
_NO_CREDENTIALS: Final = (
    f"{_SET_CREDENTIALS} (Common Crawl can be read without any at https://data.commoncrawl.org/)"
)


class S3Object(NamedTuple):
    key: str
    size: int
    version: str


def missing_credentials() -> str:
    """Why there are no AWS credentials, and what to set; empty where boto3 finds some."""
    try:
        found = boto3.session.Session().get_credentials()
    except BotoCoreError as error:  # a profile that does not exist
        return str(error)
    return "" if found else _SET_CREDENTIALS


def split_uri(uri: str) -> tuple[str, str]:
    """Bucket and key. Keys may hold `?` and `#`, so this is no matter for a URL parser.

    >>> split_uri("s3://bucket/a/b?.warc")
    ('bucket', 'a/b?.warc')
    """
    bucket, _, key = uri.partition("://")[2].partition("/")
    if not bucket:
        raise InputError(f"{uri}: names no bucket; write s3://bucket/path")
    return bucket, key


class Bucket:
    """What can be listed, and written."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def find(self, key: str) -> S3Object | None:
        """The object of exactly this key."""
        # It sorts before all keys that it begins. HEAD would not say what is wrong.
        answer = self._client.list_objects_v2(Bucket=self._name, Prefix=key, MaxKeys=1)
        return next((o for o in _objects(answer) if o.key == key), None)

    def below(self, prefix: str) -> Iterator[S3Object]:
        """All objects whose keys begin so, in the order of their keys."""
        paginator = self._client.get_paginator("list_objects_v2")
        for answer in paginator.paginate(Bucket=self._name, Prefix=prefix):
            yield from _objects(answer)

    def stream(self, key: str, sleep: Callable[[float], None]) -> S3File:
        """An object as a stream, not open yet; many streams share one client."""
        return S3File(f"s3://{self._name}/{key}", sleep, self._client)

    def write(self, key: str, data: bytes) -> None:
        """Make an object, whole or not at all; one that stands there is replaced."""
        self._client.put_object(Bucket=self._name, Key=key, Body=data)

    def write_new(self, key: str, data: bytes) -> bool:
        """Make an object unless there is one, which S3 decides; was it made?"""
        try:
            self._client.put_object(Bucket=self._name, Key=key, Body=data, IfNoneMatch="*")
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") in _STANDS:
                return False
            raise
        return True

    def upload(self, path: Path, key: str) -> None:
        """Make an object of a file of any size."""
        self._client.upload_file(str(path), self._name, key)

    def end_uploads(self, prefix: str, names: re.Pattern[str]) -> None:
        """Remove the pieces of uploads that nobody will end, to keys that match behind a prefix."""
        paginator = self._client.get_paginator("list_multipart_uploads")
        for answer in paginator.paginate(Bucket=self._name, Prefix=prefix):
            for upload in answer.get("Uploads", ()):
                key, number = upload["Key"], upload["UploadId"]
                if names.match(key[len(prefix) :]):
                    self._client.abort_multipart_upload(Bucket=self._name, Key=key, UploadId=number)

    def delete(self, keys: Sequence[str]) -> None:
        """Remove objects; those that are not there are no error."""
        for first in range(0, len(keys), _DELETED_AT_ONCE):
            some = [{"Key": key} for key in keys[first : first + _DELETED_AT_ONCE]]
            answer = self._client.delete_objects(
                Bucket=self._name, Delete={"Objects": some, "Quiet": True}
            )
            for error in answer.get("Errors", ()):
                raise InputError(
                    f"s3://{self._name}/{error['Key']}: cannot be removed: {error['Message']}"
                )


@contextmanager
def open_bucket(uri: str) -> Iterator[Bucket]:
    """The bucket of an address; whatever AWS refuses in the meantime becomes an InputError."""
    name, _ = split_uri(uri)
    try:
        client = _client(_LIST_TRIES)
        try:
            yield Bucket(client, name)
        finally:
            client.close()
    except (BotoCoreError, ClientError, S3UploadFailedError) as error:
        reason = _refusal(error) or f"S3 does not answer as it should: {reason_of(error)}"
        raise InputError(f"{uri}: {reason}") from error


class S3File(Remote):
    """An object as a stream."""

    # botocore lets some errors of urllib3 through while a body is read
    errors = (*Remote.errors, BotoCoreError, ClientError, HTTPError)

    def __init__(self, uri: str, sleep: Callable[[float], None], client: Any = None) -> None:
        super().__init__(uri, sleep)
        self._bucket, self._key = split_uri(uri)
        self._client, self._owns_client = client, client is None

    def ask(self, at: int) -> Part:
        self._client = self._client or _client(tries=1)
        wanted = {"Range": f"bytes={at}-"} if at else {}
        if at and self.version:
            wanted["IfMatch"] = self.version
        answer = self._client.get_object(Bucket=self._bucket, Key=self._key, **wanted)
        start = max(first_byte(answer.get("ContentRange", "")), 0)
        return Part(answer["Body"], start, start + answer["ContentLength"], answer.get("ETag", ""))

    def refusal(self, error: Exception) -> str:
        return _refusal(error)

    def close(self) -> None:
        super().close()
        if self._client and self._owns_client:
            self._client.close()
            self._client = None


def _client(tries: int) -> Any:
    config = Config(
        connect_timeout=TIMEOUT,
        read_timeout=TIMEOUT,
        retries={"mode": "standard", "total_max_attempts": tries},
    )
    # a session of its own: the shared one keeps the credentials that it met first
    return boto3.session.Session().client("s3", config=config)


def _objects(answer: Any) -> Iterator[S3Object]:
    for entry in answer.get("Contents", ()):
        yield S3Object(entry["Key"], entry["Size"], entry["ETag"])


def _refusal(error: Exception) -> str:
    """Why no other try can help; empty when one may."""
    if isinstance(error, known.ClientError):
        return _answered(error.response)
    if isinstance(error, known.NoCredentialsError | known.PartialCredentialsError):
        return _NO_CREDENTIALS
    if isinstance(error, known.ParamValidationError):  # its text has lines of regular expressions
        return "is no S3 address; write s3://bucket/path"
    passing = (known.HTTPClientError, known.ConnectionError, known.IncompleteReadError)
    own = isinstance(error, known.BotoCoreError) and not isinstance(error, passing)
    return str(error) if own or isinstance(error, known.SSLError) else ""


def _answered(answer: Any) -> str:
    error = answer.get("Error", {})
    code, status = error.get("Code", ""), answer["ResponseMetadata"]["HTTPStatusCode"]
    if status >= 500 or status in {408, 429} or code == "RequestTimeout":
        return ""
    return _REFUSALS.get(code) or f"AWS answers {code}: {error.get('Message', '')}"
