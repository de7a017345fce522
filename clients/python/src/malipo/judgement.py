"""What one attempt means on its own."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from decimal import Decimal
from typing import Generator, Mapping, Optional, Union

from .errors import ErrorDetails
from .wire import Wire


Chunks = Generator[bytes, None, None]
"""Of a file. It is closed if it is not read to its end."""


@dataclass(frozen=True)
class Response:
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: str
    chunks: Optional[Chunks] = None
    """Instead of the body, if a file was asked for and is coming."""


@dataclass(frozen=True)
class NotSent:
    """No connection, so nothing can have arrived."""

    reason: str


@dataclass(frozen=True)
class NoAnswer:
    """The request may have arrived, but no complete response came."""

    reason: str


Attempt = Union[Response, NotSent, NoAnswer]


@dataclass(frozen=True)
class Success:
    body: Wire
    answer: Response


@dataclass(frozen=True)
class Failure:
    kind: str
    """`refused`, `unavailable` or `unknown`."""
    details: ErrorDetails
    retry: bool
    """True: the same request may be sent again after a wait."""


_NOTHING_ACCEPTED = frozenset(
    {
        "overloaded",
        "unavailable",
        "too_many_requests",
        "biller_offline",
        "operator_unavailable",
        "scoring_unavailable",
        "bureau_unavailable",
    }
)
"""Codes that say that nothing was accepted, and that it may be later."""

_NOT_RETRIED = frozenset({"biller_offline", "scoring_unavailable", "quarantine"})
"""Waiting some seconds does not help."""

_FIRST_WAIT = 0.25
_LONGEST_WAIT = 8.0


def judge(attempt: Attempt, writes: bool, is_resource: bool = False) -> Union[Success, Failure]:
    """What an attempt means.

    writes: whether the service keeps something of the request.
    is_resource: whether it is an operation below `/v1`.
    """
    if isinstance(attempt, NotSent):
        return _failure("unavailable", ErrorDetails("not_connected", attempt.reason), writes)
    if isinstance(attempt, NoAnswer):
        return _failure("unknown", ErrorDetails("no_answer", attempt.reason), writes)
    if attempt.chunks is not None:
        return Success(Wire({}), attempt)
    body = _parse(attempt.body)
    # The body's status counts: something on the way may have changed the other.
    body_status = attempt.status if is_resource else body.fields.get("header_status")
    status = body_status if isinstance(body_status, int) else attempt.status
    if body_status == 200 and body.fields and "error" not in body.fields:
        return Success(body, attempt)
    retry_after = _seconds(attempt.headers.get("retry-after"))
    errors = body.fields.get("error")
    first = errors[0] if isinstance(errors, list) and errors else errors
    error = Wire(first if isinstance(first, dict) else {})
    code = error.text_or_none("code")
    if code is None:
        text = f"HTTP {attempt.status} with a body that is not a response of the service"
        details = ErrorDetails("unexpected_answer", text, status, retry_after=retry_after)
        return _failure(_kind_of_status(status), details, writes)
    details = ErrorDetails(
        code,
        error.text_or_none("text") or code,
        status,
        body.text_or_none("request_id") or error.text_or_none("request_id"),
        error.text_or_none("field"),
        error.text_or_none("reference"),
        retry_after,
        error.text_or_none("signed_text"),
    )
    return _failure(_kind_of_refusal(code, status), details, writes)


def unreadable(writes: bool) -> Failure:
    """A successful answer without what this client needs of it."""
    text = "The response lacks fields that it should have"
    details = ErrorDetails("unexpected_answer", text, 200)
    return Failure(_failure("unknown", details, writes).kind, details, retry=False)


def wait_seconds(details: ErrorDetails, attempts: int) -> float:
    """Return the wait before the next attempt.

    As long as the service asks, otherwise twice as long each time, with a random part so that
    clients do not return all at once.
    """
    if details.retry_after is not None:
        return details.retry_after
    full: float = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (attempts - 1))
    return full / 2 + full / 2 * random.random()


def poll_seconds(queries: int) -> float:
    """Return the wait before the next status query of a payment that is not final."""
    wait: float = min(5.0, 0.4 * 1.5 ** (queries - 1))
    return wait


def _kind_of_refusal(code: str, status: int) -> str:
    if code in _NOTHING_ACCEPTED:
        return "unavailable"
    # An identical request arrived before: something on the way repeated it, and the first may be
    # accepted.
    if code == "signature_replayed":
        return "unknown"
    # A code that is not known here may mean anything.
    return "refused" if 400 <= status < 500 else "unknown"


def _kind_of_status(status: int) -> str:
    """Without the service's own body: the answer of a proxy."""
    if status == 429:
        return "unavailable"
    return "refused" if 300 <= status < 500 and status != 408 else "unknown"


def _failure(found: str, details: ErrorDetails, writes: bool) -> Failure:
    # Nothing is accepted by a read. A restored service, however, may have accepted the payment
    # before.
    nothing_accepted = not writes and found == "unknown" and details.code != "quarantine"
    kind = "unavailable" if nothing_accepted else found
    return Failure(kind, details, kind != "refused" and details.code not in _NOT_RETRIED)


def _parse(text: str) -> Wire:
    try:
        value = json.loads(text, parse_float=Decimal)
    except ValueError:
        value = None
    return Wire(value if isinstance(value, dict) else {})


def _seconds(text: Optional[str]) -> Optional[float]:
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
