"""Sends one request, once, over a connection of its own. Redirects are not followed."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from dataclasses import dataclass
from typing import Callable, Mapping, Optional
from urllib.parse import urlsplit

from .errors import ErrorDetails, Unavailable
from .judgement import Attempt, Chunks, NoAnswer, NotSent, Response


@dataclass(frozen=True)
class Request:
    """One attempt."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    timeout: float
    is_download: bool = False
    """A file is wanted, chunk by chunk; the timeout then is that of each one."""


def target_of(url: str) -> str:
    """Path and query, as in the request line."""
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def send(request: Request) -> Attempt:
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
        connection.connect()
    except OSError as error:
        connection.close()
        return NotSent(f"No response: {error}")
    try:
        return _exchange(connection, request, deadline)
    except socket.timeout:
        connection.close()
        return NoAnswer("No response in time")
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return NoAnswer(f"No response: {error!r}")


def _exchange(
    connection: http.client.HTTPConnection, request: Request, deadline: float
) -> Response:
    body = None if request.method == "GET" else request.body
    connection.request(request.method, target_of(request.url), body, dict(request.headers))
    # If the response closes the connection, the connection forgets its socket.
    sock = connection.sock
    response = connection.getresponse()
    headers = {name.lower(): value for name, value in response.getheaders()}
    is_file = response.status == 200 and headers.get("content-type", "").startswith(
        ("text/csv", "application/pdf")
    )
    if request.is_download and is_file:
        chunks = _chunks(connection, response, sock, lambda: request.timeout)
        return Response(response.status, headers, "", _file(chunks))
    chunks = _chunks(connection, response, sock, lambda: deadline - time.monotonic())
    return Response(response.status, headers, b"".join(chunks).decode("utf-8", "replace"))


def _file(chunks: Chunks) -> Chunks:
    try:
        yield from chunks
    except (OSError, http.client.HTTPException) as error:
        details = ErrorDetails("no_answer", f"The file is cut off: {error!r}")
        raise Unavailable(details, 1) from error


def _chunks(
    connection: http.client.HTTPConnection,
    response: http.client.HTTPResponse,
    sock: Optional[socket.socket],
    seconds_left: Callable[[], float],
) -> Chunks:
    """seconds_left: for the next chunk; a socket's own limit applies to each packet only."""
    length = 0
    try:
        while True:
            left = seconds_left()
            if left <= 0:
                raise socket.timeout()
            if sock is not None:
                sock.settimeout(left)
            chunk = response.read1(65536)
            if not chunk:
                break
            length += len(chunk)
            yield chunk
    finally:
        connection.close()
    # http.client does not notice a body that is cut short when it is read in parts.
    announced = response.getheader("content-length")
    if announced is not None and length < int(announced):
        raise http.client.IncompleteRead(b"", int(announced) - length)
