"""Verifies events (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, Callable, Dict, Iterable, Mapping, NamedTuple, Optional, Union

from .errors import WebhookInvalid
from .models import Payment
from .wire import Wire

_SECONDS = re.compile(r"\d{1,12}", re.ASCII)


@dataclass(frozen=True)
class WebhookEvent:
    """An event of the service. Process each `id` once: the same event may be sent again."""

    id: str
    type: str
    """Such as `transaction.succeeded`. Ignore types that you do not know."""
    timestamp: datetime
    data: Mapping[str, Any]
    payment: Optional[Payment]
    """The payment, if the event is about one."""


class SignedEvent(NamedTuple):
    body: str
    headers: Dict[str, str]


class WebhookVerifier:
    def __init__(
        self,
        secrets: Union[str, Iterable[str]],
        tolerance_seconds: int = 300,
        now: Callable[[], float] = time.time,
    ) -> None:
        """
        secrets: the secret `whsec_…`, or several while you change it.
        tolerance_seconds: how far the event's time may be from the clock.
        now: for tests.
        """
        self._keys = [_key_of(each) for each in ([secrets] if isinstance(secrets, str) else secrets)]
        self._tolerance_seconds = tolerance_seconds
        self._now = now

    def verify(self, body: Union[bytes, str], headers: Mapping[str, str]) -> WebhookEvent:
        """Raises WebhookInvalid.

        body: exactly as received, before it is parsed.
        """
        raw = body.encode() if isinstance(body, str) else body
        found = {name.lower(): value for name, value in headers.items()}
        event_id = found.get("webhook-id", "")
        seconds = found.get("webhook-timestamp", "")
        if (
            not _SECONDS.fullmatch(seconds)
            or abs(self._now() - int(seconds)) > self._tolerance_seconds
        ):
            raise WebhookInvalid("The event is too old, or its time is in the future")
        message = f"{event_id}.{seconds}.".encode() + raw
        given = found.get("webhook-signature", "").split(" ")
        expected = [_signature(message, key) for key in self._keys]
        matches = [
            hmac.compare_digest(each.encode(), signature.encode())
            for each in expected
            for signature in given
        ]
        if not any(matches):
            raise WebhookInvalid("The signature is not valid")
        return _event_of(event_id, raw)


def sign_test_event(
    secret: str,
    type: str,
    data: Mapping[str, Any],
    id: str = "evt_test",
    timestamp: Optional[datetime] = None,
) -> SignedEvent:
    """For your own tests: an event with the headers that the service would send."""
    at = (timestamp or datetime.now(timezone.utc)).astimezone(timezone.utc)
    text = f"{at.strftime('%Y-%m-%dT%H:%M:%S')}.{at.microsecond // 1000:03d}Z"
    body = json.dumps(
        {"type": type, "timestamp": text, "data": data}, ensure_ascii=False, separators=(",", ":")
    )
    seconds = int(at.timestamp())
    signature = _signature(f"{id}.{seconds}.{body}".encode(), _key_of(secret))
    headers = {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": signature,
    }
    return SignedEvent(body, headers)


def _signature(message: bytes, key: bytes) -> str:
    return "v1," + base64.b64encode(hmac.new(key, message, hashlib.sha256).digest()).decode()


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[len("whsec_") :], validate=True)
    except binascii.Error:
        key = b""
    if not secret.startswith("whsec_") or not key:
        raise ValueError("A webhook secret is whsec_ followed by base64")
    return key


def _event_of(event_id: str, raw: bytes) -> WebhookEvent:
    try:
        event = json.loads(raw, parse_float=Decimal)
        wire = Wire(event if isinstance(event, dict) else {})
        data = wire.object("data")
        about_payment = "transaction_status" in data.fields
        return WebhookEvent(
            id=event_id,
            type=wire.text("type"),
            timestamp=_instant(wire.text("timestamp")),
            data=data.fields,
            payment=Payment.of(data) if about_payment else None,
        )
    except ValueError as error:
        raise WebhookInvalid("The body is not an event") from error


def _instant(text: str) -> datetime:
    # Before Python 3.11, fromisoformat does not know Z.
    return datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)
