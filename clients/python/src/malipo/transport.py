"""Signs, sends and repeats requests.

An operation is a generator: it yields what is to be done, a request to send or a wait, and gets the
outcome. The synchronous and the asynchronous client differ only in how they do that.
"""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass
from typing import (
    Any,
    Callable,
    Dict,
    Generator,
    Iterable,
    Mapping,
    Optional,
    TypeVar,
    Union,
)
from urllib.parse import urlencode

from . import judgement
from .errors import OutcomeUnknown, Refused, Unavailable
from .judgement import Attempt, Chunks, Response, Success
from .models import UploadFile
from .sending import Request, target_of
from .signature import Parameters, hash_of, header_signature, sent
from .wire import Wire

_USER_AGENT = "malipo-client-python/0.1.0"
_FORM = "application/x-www-form-urlencoded"

T = TypeVar("T")


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
    """True: the service keeps something of the request."""
    signed: bool = True
    file: Optional[UploadFile] = None
    """The parameters then go into the query string."""
    retry_for: Optional[float] = None
    """Default: that of the transport."""
    method: Optional[str] = None
    """Of an operation below `/v1`: its parameters go into the query string."""
    json: Optional[Mapping[str, Any]] = None
    """The body of an operation below `/v1`."""
    is_download: bool = False


class Transport:
    def __init__(self, key: str, signature: str, timeout: float, retry_for: float) -> None:
        if signature not in ("header", "hash"):
            raise ValueError(f"signature is header or hash, not {signature}")
        self._key = key
        self._signature = signature
        self._timeout = timeout
        self._retry_for = retry_for

    def download(self, call: Call) -> Steps[Chunks]:
        """The chunks of a file, which raise Unavailable if it is cut off."""

        def read(_: Wire, answer: Response) -> Chunks:
            if answer.chunks is None:
                raise ValueError("No file")
            return answer.chunks

        return self._repeat(call, read)

    def call(self, call: Call, read: Callable[[Wire, bool], T]) -> Steps[T]:
        """read: reads the body of a success.

        Its second argument is true if the service had the same request before, and this is its
        first answer.
        """

        def read_body(body: Wire, answer: Response) -> T:
            return read(body, answer.headers.get("idempotency-replayed") == "true")

        return self._repeat(call, read_body)

    def _repeat(self, call: Call, read: Callable[[Wire, Response], T]) -> Steps[T]:
        deadline = time.monotonic() + (
            self._retry_for if call.retry_for is None else call.retry_for
        )
        maybe_accepted = False
        attempts = 0
        while True:
            attempts += 1
            attempt = yield self._request(call)
            assert attempt is not None
            failure = judgement.judge(attempt, call.writes, call.method is not None)
            if isinstance(failure, Success):
                try:
                    return read(failure.body, failure.answer)
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
        by_header = call.method is not None or self._signature == "header"
        parameters = sent(call.parameters)
        if call.signed and not by_header:
            parameters["hash"] = hash_of(parameters, self._key)
        form = urlencode(parameters)
        url = call.base.rstrip("/") + call.path
        body, content_type = form.encode(), _FORM
        if call.file is not None:
            body, content_type = call.file.content, call.file.content_type
        elif call.method is not None:
            body = b"" if call.json is None else json.dumps(call.json).encode()
            content_type = "application/json"
        if call.file is not None or call.method is not None:
            url = f"{url}?{form}"
        headers: Dict[str, str] = {"User-Agent": _USER_AGENT}
        if body:
            headers["Content-Type"] = content_type
        method = call.method or "POST"
        if call.signed and by_header:
            nonce = secrets.token_hex(16)
            headers["X-Signature"] = header_signature(
                method, target_of(url), body, int(time.time()), nonce, self._key
            )
        return Request(method, url, headers, body, self._timeout, call.is_download)


def file_of(rows: Iterable[Mapping[str, Any]]) -> UploadFile:
    """Rows as a JSON Lines file."""
    lines = [
        json.dumps({name: value for name, value in row.items() if value is not None}) + "\n"
        for row in rows
    ]
    return UploadFile("".join(lines).encode(), "application/x-ndjson")
