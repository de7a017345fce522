"""The operations below `/v1`. They are always signed with the header."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Callable, Dict, List, Mapping, Optional, Type, TypeVar, Union
from urllib.parse import quote

from .judgement import Chunks
from .records import (
    Balance,
    BillerRecord,
    Key,
    Invoice,
    ListedEnquiry,
    ListedEvent,
    ListedInvoice,
    ListedPayment,
    LoggedRequest,
    NewKey,
    Page,
    PaymentRecord,
    StatementLine,
    Webhook,
    WebhookTest,
    items_of,
    page_of,
    record_of,
)
from .transport import Steps
from .vendor import Vendor
from .wire import Wire

T = TypeVar("T")

Time = Union[datetime, str, None]
"""An instant, or a day such as `2026-11-21` of the service's time zone."""

PageReader = Callable[[Optional[str], Optional[int]], Steps[Page[T]]]
"""Reads a page: after a cursor, with at most so many items."""


class SelfServiceOperations(Vendor):
    """`from_` is included and `to` is not; a day as `to` means the end of that day."""

    def list_payments(
        self,
        *,
        from_: Time = None,
        to: Time = None,
        status: Optional[str] = None,
        biller: Optional[str] = None,
        account: Optional[str] = None,
        reference: Optional[str] = None,
        merchant_reference: Optional[str] = None,
    ) -> PageReader[ListedPayment]:
        """Your payments, newest first.

        One of `account`, `reference` and `merchant_reference` at a time.
        """
        query = _texts(
            from_=from_,
            to=to,
            status=status,
            biller=biller,
            account=account,
            reference=reference,
            merchant_reference=merchant_reference,
        )
        return self._pages(ListedPayment, "/v1/payments", query)

    def get_payment(self, reference: str) -> Steps[PaymentRecord]:
        """A payment with its result and its timeline."""
        return self._get(PaymentRecord, f"/v1/payments/{_quoted(reference)}")

    def export_payments(
        self,
        *,
        from_: Time = None,
        to: Time = None,
        status: Optional[str] = None,
        biller: Optional[str] = None,
        account: Optional[str] = None,
        reference: Optional[str] = None,
        merchant_reference: Optional[str] = None,
    ) -> Steps[Chunks]:
        """The payments as a CSV file, chunk by chunk. Raises Unavailable if it is cut off."""
        query = _texts(
            from_=from_,
            to=to,
            status=status,
            biller=biller,
            account=account,
            reference=reference,
            merchant_reference=merchant_reference,
        )
        return self._download("/v1/payments.csv", query)

    def get_balance(self, at: Time = None) -> Steps[Balance]:
        """Your money now or at a past instant. `balance` has the float alone."""
        return self._get(Balance, "/v1/balance", _texts(at=at))

    def get_statement(self, *, from_: Time = None, to: Time = None) -> PageReader[StatementLine]:
        """Every movement of a period, oldest first.

        The first page has the `head`. Default: this month.
        """
        return self._pages(StatementLine, "/v1/statement", _texts(from_=from_, to=to))

    def export_statement(
        self, *, from_: Time = None, to: Time = None
    ) -> Steps[Chunks]:
        """The statement as a CSV file, chunk by chunk. Raises Unavailable if it is cut off."""
        return self._download("/v1/statement.csv", _texts(from_=from_, to=to))

    def list_invoices(self) -> PageReader[ListedInvoice]:
        """Invoices for your fees, and credit notes, newest first."""
        return self._pages(ListedInvoice, "/v1/invoices", {})

    def get_invoice(self, invoice: str) -> Steps[Invoice]:
        return self._get(Invoice, f"/v1/invoices/{_quoted(invoice)}")

    def export_invoice_pdf(self, invoice: str) -> Steps[Chunks]:
        """The invoice as a PDF file, chunk by chunk. Raises Unavailable if it is cut off."""
        return self._download(f"/v1/invoices/{_quoted(invoice)}/pdf", {})

    def export_invoice_csv(self, invoice: str) -> Steps[Chunks]:
        """The invoice as a CSV file, chunk by chunk. Raises Unavailable if it is cut off."""
        return self._download(f"/v1/invoices/{_quoted(invoice)}/csv", {})

    def list_events(
        self,
        *,
        type: Optional[str] = None,
        state: Optional[str] = None,
        since: Time = None,
        wait: Optional[int] = None,
    ) -> PageReader[ListedEvent]:
        """The events of the last 30 days.

        state: `waiting`, `delivered`, `given_up` or `off`.
        since: events since then, oldest first. The list then has no end: it goes on with what
        happens later.
        wait: with since, how many seconds a page may wait for an event, less than the time-out
        of a call.
        """
        seconds = None if wait is None else str(wait)
        query = _texts(type=type, state=state, since=since, wait=seconds)
        return self._pages(ListedEvent, "/v1/events", query)

    def get_event(self, event_id: str) -> Steps[ListedEvent]:
        """event_id: also a `webhook-id`."""
        return self._get(ListedEvent, f"/v1/events/{_quoted(event_id)}")

    def replay_event(self, event_id: str) -> Steps[int]:
        """Sends one event again. Returns how many are sent: 1."""
        return self._send(
            "POST", f"/v1/events/{_quoted(event_id)}/replay", lambda body: body.number("count")
        )

    def replay_events(
        self, *, state: Optional[str] = None, from_: Time = None, to: Time = None
    ) -> Steps[int]:
        """Sends the events of a state, of a period, or both, again. Returns how many."""
        selection = _texts(state=state, from_=from_, to=to)
        return self._send(
            "POST", "/v1/events/replay", lambda body: body.number("count"), selection
        )

    def get_webhook(self) -> Steps[Webhook]:
        return self._get(Webhook, "/v1/webhook")

    def set_webhook(self, url: str, types: Optional[List[str]] = None) -> Steps[Webhook]:
        """Sets where events are sent, and enables the webhook.

        types: the types of events that are sent; None: they stay as they are.
        """
        webhook: Dict[str, Any] = {"url": url} if types is None else {"url": url, "types": types}
        return self._send("PUT", "/v1/webhook", _reading(Webhook), webhook)

    def remove_webhook(self) -> Steps[int]:
        """Returns how many waiting events were given up."""
        return self._send("DELETE", "/v1/webhook", lambda body: body.number("given_up_events"))

    def enable_webhook(self) -> Steps[Webhook]:
        return self._send("POST", "/v1/webhook/enable", _reading(Webhook))

    def disable_webhook(self) -> Steps[Webhook]:
        """Events wait until the webhook is enabled."""
        return self._send("POST", "/v1/webhook/disable", _reading(Webhook))

    def test_webhook(self) -> Steps[WebhookTest]:
        """Sends a test event now, and returns what your receiver answered."""
        return self._send("POST", "/v1/webhook/test", _reading(WebhookTest))

    def rotate_webhook_secret(self, overlap_seconds: int, idempotency_key: str) -> Steps[NewKey]:
        """Makes a new secret; the former one stays valid for `overlap_seconds`.

        idempotency_key: a random UUID for this rotation, such as str(uuid.uuid4()). A repeat with
            it gets the same secret, for ten minutes.
        """
        rotation = {"overlap_seconds": overlap_seconds, "idempotency_key": idempotency_key}
        return self._send("POST", "/v1/webhook/secrets", _reading(NewKey), rotation)

    def retire_webhook_secret(self, key_id: str) -> Steps[List[Key]]:
        """Ends a former secret before its overlap is over. Returns those that are left."""
        path = f"/v1/webhook/secrets/{_quoted(key_id)}"
        return self._send("DELETE", path, lambda body: items_of(Key, body))

    def list_keys(self) -> Steps[List[Key]]:
        return self._fetch("/v1/keys", {}, lambda body: items_of(Key, body))

    def rotate_key(self, overlap_seconds: int, idempotency_key: str) -> Steps[NewKey]:
        """Makes a new security key; the former key stays valid for `overlap_seconds`.

        This client keeps using the former key. Create a new client with the new key.

        idempotency_key: a random UUID for this rotation, such as str(uuid.uuid4()). A repeat with
            it gets the same secret, for ten minutes.
        """
        rotation = {"overlap_seconds": overlap_seconds, "idempotency_key": idempotency_key}
        return self._send("POST", "/v1/keys", _reading(NewKey), rotation)

    def retire_key(self, key_id: str) -> Steps[List[Key]]:
        """Ends a former key before its overlap is over. Returns those that are left."""
        path = f"/v1/keys/{_quoted(key_id)}"
        return self._send("DELETE", path, lambda body: items_of(Key, body))

    def list_requests(self, *, only: Optional[str] = None) -> PageReader[LoggedRequest]:
        """The requests of the last seven days, newest first.

        only: `refused`.
        """
        return self._pages(LoggedRequest, "/v1/requests", _texts(only=only))

    def describe_billers(self) -> Steps[List[BillerRecord]]:
        """Every biller with your own fee and a JSON Schema of what create takes."""
        return self._fetch("/v1/billers", {}, lambda body: items_of(BillerRecord, body))

    def describe_biller(self, biller_code: str) -> Steps[BillerRecord]:
        return self._get(BillerRecord, f"/v1/billers/{_quoted(biller_code)}")

    def list_enquiries(
        self,
        *,
        from_: Time = None,
        to: Time = None,
        outcome: Optional[str] = None,
        request_reference: Optional[str] = None,
    ) -> PageReader[ListedEnquiry]:
        """Your credit enquiries, newest first, without personal data."""
        query = _texts(from_=from_, to=to, outcome=outcome, request_reference=request_reference)
        return self._pages(ListedEnquiry, "/v1/enquiries", query)

    def _get(self, kind: Type[T], path: str, query: Mapping[str, str] = {}) -> Steps[T]:
        return self._fetch(path, query, _reading(kind))

    def _pages(self, item: Type[T], path: str, query: Mapping[str, str]) -> PageReader[T]:
        def read(cursor: Optional[str], limit: Optional[int]) -> Steps[Page[T]]:
            paging = {"cursor": cursor, "limit": None if limit is None else str(limit)}
            return self._fetch(path, {**query, **paging}, lambda body: page_of(item, body))

        return read


def _reading(kind: Type[T]) -> Callable[[Wire], T]:
    return lambda body: record_of(kind, body)


def _texts(**values: Time) -> Dict[str, str]:
    """As they are sent; None is left out. Raises ValueError for a time without a time zone."""
    return {name.rstrip("_"): _text(value) for name, value in values.items() if value is not None}


def _text(value: Union[datetime, str]) -> str:
    if isinstance(value, str):
        return value
    if value.tzinfo is None:
        raise ValueError(f"{value} has no time zone")
    return value.isoformat(timespec="milliseconds")


def _quoted(text: str) -> str:
    return quote(text, safe="")
