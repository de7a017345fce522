"""Signs, sends and repeats requests.

An operation is a generator: it yields what is to be done, a request to send or a wait, and gets the
outcome. The synchronous and the asynchronous client differ only in how they do that.
"""

from __future__ import annotations

import http.client
import json
import secrets
import socket
import ssl
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Generator, Iterable, Mapping, Optional, TypeVar, Union
from urllib.parse import urlencode, urlsplit

from . import judgement
from .errors import OutcomeUnknown, Refused, Unavailable
from .judgement import Attempt, NoAnswer, NotSent, Response, Success
from .models import UploadFile
from .signature import Parameters, hash_of, header_signature, sent
from .wire import Wire

_USER_AGENT = "malipo-client-python/0.1.0"
_FORM = "application/x-www-form-urlencoded"

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    """One attempt. It is always a POST."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    timeout: float


@dataclass(frozen=True)
class Wait:
    seconds: float


Steps = Generator[Union[Request, Wait], Optional[Attempt], T]


@dataclass(frozen=True)
class Call:
    """One request of an operation. Each attempt sends the same content, signed again."""

    base: str
    path: str
    parameters: Parameters
    writes: bool
    """Whether the service keeps something of the request."""
    signed: bool = True
    file: Optional[UploadFile] = None
    """The parameters then go into the query string."""
    retry_for: Optional[float] = None
    """Default: that of the transport."""


class Transport:
    def __init__(self, key: str, signature: str, timeout: float, retry_for: float) -> None:
        if signature not in ("header", "hash"):
            raise ValueError(f"signature is header or hash, not {signature}")
        self._key = key
        self._signature = signature
        self._timeout = timeout
        self._retry_for = retry_for

    def call(self, call: Call, read: Callable[[Wire, bool], T]) -> Steps[T]:
        """read: reads the body of a success.

        Its second argument is true if the service had the same request before, and this is its
        first answer.
        """
        deadline = time.monotonic() + (
            self._retry_for if call.retry_for is None else call.retry_for
        )
        maybe_accepted = False
        attempts = 0
        while True:
            attempts += 1
            attempt = yield self._request(call)
            assert attempt is not None
            failure = judgement.judge(attempt, call.writes)
            if isinstance(failure, Success):
                headers = attempt.headers if isinstance(attempt, Response) else {}
                try:
                    return read(failure.body, headers.get("idempotency-replayed") == "true")
                except ValueError:
                    failure = judgement.unreadable(call.writes)
            details = failure.details
            if failure.kind == "refused":
                refused = Refused(details, attempts)
                # An earlier attempt may have been accepted, or may still arrive. Only this refusal
                # says otherwise.
                if not maybe_accepted or details.code == "reference_reused":
                    raise refused
                raise OutcomeUnknown(details, attempts) from refused
            maybe_accepted = maybe_accepted or failure.kind == "unknown"
            wait = judgement.wait_seconds(details, attempts)
            if not failure.retry or time.monotonic() + wait > deadline:
                raise (OutcomeUnknown if maybe_accepted else Unavailable)(details, attempts)
            yield Wait(wait)

    def _request(self, call: Call) -> Request:
        parameters = sent(call.parameters)
        if call.signed and self._signature == "hash":
            parameters["hash"] = hash_of(parameters, self._key)
        form = urlencode(parameters)
        url = call.base.rstrip("/") + call.path
        headers: Dict[str, str] = {"Content-Type": _FORM, "User-Agent": _USER_AGENT}
        body = form.encode()
        if call.file is not None:
            url = f"{url}?{form}"
            headers["Content-Type"] = call.file.content_type
            body = call.file.content
        if call.signed and self._signature == "header":
            nonce = secrets.token_hex(16)
            headers["X-Signature"] = header_signature(
                _target(url), body, int(time.time()), nonce, self._key
            )
        return Request(url, headers, body, self._timeout)


def _target(url: str) -> str:
    """Path and query, as in the request line."""
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def send(request: Request) -> Attempt:
    """Sends one request, once, over a connection of its own. Redirects are not followed."""
    parts = urlsplit(request.url)
    if parts.scheme not in ("http", "https") or parts.hostname is None:
        raise ValueError(f"Not an address: {request.url}")
    connection: http.client.HTTPConnection = (
        http.client.HTTPSConnection(
            parts.hostname, parts.port, timeout=request.timeout, context=ssl.create_default_context()
        )
        if parts.scheme == "https"
        else http.client.HTTPConnection(parts.hostname, parts.port, timeout=request.timeout)
    )
    deadline = time.monotonic() + request.timeout
    try:
        try:
            connection.connect()
        except OSError as error:
            return NotSent(f"No response: {error}")
        return _exchange(connection, request, deadline)
    finally:
        connection.close()


def _exchange(
    connection: http.client.HTTPConnection, request: Request, deadline: float
) -> Attempt:
    try:
        connection.request("POST", _target(request.url), request.body, dict(request.headers))
        response = connection.getresponse()
        body = _read(response, connection.sock, deadline)
    except socket.timeout:
        return NoAnswer("No response in time")
    except (OSError, http.client.HTTPException) as error:
        return NoAnswer(f"No response: {error!r}")
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Response(response.status, headers, body.decode("utf-8", "replace"))


def _read(
    response: http.client.HTTPResponse, sock: Optional[socket.socket], deadline: float
) -> bytes:
    """Reads the body by the deadline; a socket’s own limit applies to each packet only."""
    chunks = []
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise socket.timeout()
        if sock is not None:
            sock.settimeout(left)
        chunk = response.read1(65536)
        if not chunk:
            break
        chunks.append(chunk)
    body = b"".join(chunks)
    # http.client does not notice a body that is cut short when it is read in parts.
    announced = response.getheader("content-length")
    if announced is not None and len(body) < int(announced):
        raise http.client.IncompleteRead(body)
    return body


def file_of(rows: Iterable[Mapping[str, Any]]) -> UploadFile:
    """Rows as a JSON Lines file."""
    lines = [
        json.dumps({name: value for name, value in row.items() if value is not None}) + "\n"
        for row in rows
    ]
    return UploadFile("".join(lines).encode(), "application/x-ndjson")
