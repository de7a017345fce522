"""All operations, as steps that a client carries out."""

from __future__ import annotations

import hashlib
import time
from datetime import datetime
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from . import judgement
from .errors import ErrorDetails, MalipoError, OutcomeUnknown, Refused
from .models import (
    AccountValidation,
    Biller,
    BillerProducts,
    Bulk,
    CreatedPayment,
    Movement,
    NewPayment,
    Payment,
    PhoneLookup,
    ScoreBatch,
    UploadFile,
    Watch,
)
from .money import decimal_of
from .self_service import SelfServiceOperations
from .transport import Call, Steps, Transport, Wait, file_of
from .wire import Wire

Rows = Union[Iterable[Mapping[str, Optional[str]]], UploadFile]


class VendorOperations(SelfServiceOperations):
    """Every operation raises Refused, Unavailable or OutcomeUnknown."""

    def fund(self) -> Steps[Movement]:
        """Moves all collected income into the float."""
        # The same time in every attempt, so that a repeated request gets the answer of the movement.
        parameters = {"currency": "KES", "time": str(int(time.time() * 1000))}
        return self._call(
            "/payments/v2/billing/fund",
            parameters,
            lambda body, replayed: Movement.of(body.object("msg"), replayed),
        )

    def balance(self) -> Steps[int]:
        """The float in cents."""
        return self._read("/billing/account/balance", {}, lambda body: body.cents("balance"))

    def list_billers(self) -> Steps[List[Biller]]:
        return self._read(
            "/billing/list", {}, lambda body: [Biller.of(wire) for wire in body.objects("data")]
        )

    def biller_status(self, biller_code: str) -> Steps[Biller]:
        return self._read(
            "/billing/biller/status",
            {"biller_code": biller_code},
            lambda body: Biller.of(body.object("data")),
        )

    def biller_products(self, biller_code: str) -> Steps[BillerProducts]:
        return self._read(
            "/billing/biller/products",
            {"biller_code": biller_code},
            lambda body: BillerProducts.of(body.object("data")),
        )

    def validate(
        self, account: str, account_type: str, phone: Optional[str] = None
    ) -> Steps[AccountValidation]:
        """Asks the operator whether an account exists. Some billers only.

        account_type: the biller's code or name.
        """
        parameters = {"account": account, "account_type": account_type, "phone": phone}
        return self._read("/billing/validate/account", parameters, AccountValidation.of)

    def lookup(self, prefix: str) -> Steps[PhoneLookup]:
        """The mobile operator of a prefix: three digits without the leading 0, such as `722`."""
        return self._read(
            "/billing/phone/lookup",
            {"prefix": prefix},
            lambda body: PhoneLookup.of(body.object("data")),
        )

    def create_payment(self, payment: NewPayment) -> Steps[CreatedPayment]:
        """Queues a payment. Accepted means queued, not paid: see `pay`, `wait_for` and webhooks."""
        return self._call(
            "/transaction/create",
            payment.parameters(),
            lambda body, replayed: CreatedPayment.of(body.object("msg"), replayed),
        )

    def status(
        self, reference: Optional[str] = None, merchant_reference: Optional[str] = None
    ) -> Steps[Payment]:
        """The state of a payment, named by the service's reference or by your own."""
        return self._query(reference, merchant_reference, None)

    def _query(
        self,
        reference: Optional[str],
        merchant_reference: Optional[str],
        retry_for: Optional[float],
    ) -> Steps[Payment]:
        return self._read(
            "/transaction/check/status",
            {"reference": reference, "merchant_reference": merchant_reference},
            lambda body: Payment.of(body.object("msg")),
            retry_for,
        )

    def pay(self, payment: NewPayment, wait_for: float = 60.0) -> Steps[Payment]:
        """Creates a payment, waits, and returns its final state: `SUCCESS` or `FAILED`.

        After an OutcomeUnknown or Unavailable, call it again with the same `merchant_reference`: it
        goes on with the same payment.
        """
        created = yield from self.create_payment(payment)
        return (yield from self.wait_for(created.reference, wait_for=wait_for))

    def wait_for(
        self,
        reference: Optional[str] = None,
        merchant_reference: Optional[str] = None,
        wait_for: float = 60.0,
    ) -> Steps[Payment]:
        """Waits until an accepted payment is final. Raises OutcomeUnknown if it is not in time."""
        deadline = time.monotonic() + wait_for
        payment: Optional[Payment] = None
        queries = 0
        while True:
            queries += 1
            cause: Optional[MalipoError] = None
            wait = judgement.poll_seconds(queries)
            try:
                payment = yield from self._query(reference, merchant_reference, 0.0)
                if payment.is_final:
                    return payment
            except Refused as refused:
                # The payment was accepted, so a refused query says nothing about it.
                raise OutcomeUnknown(refused.details, queries, payment) from refused
            except MalipoError as error:
                cause = error
                wait = max(wait, error.details.retry_after or 0.0)
            if time.monotonic() + wait > deadline:
                text = f"The payment is not final after {wait_for} s; it may still be paid"
                known = reference if payment is None else payment.reference
                details = ErrorDetails("not_final", text, reference=known)
                raise OutcomeUnknown(details, queries, payment) from cause
            yield Wait(wait)

    def bulk_create(
        self, batch_reference: str, payments: Union[Iterable[NewPayment], UploadFile]
    ) -> Steps[Bulk]:
        """Sends up to 5,000 payments as one file: rows, or a file as you have it.

        If you do not know whether it arrived, call it again with the same `batch_reference` and the
        same payments.
        """
        file = (
            payments
            if isinstance(payments, UploadFile)
            else file_of(payment.parameters() for payment in payments)
        )
        parameters = {"batch_reference": batch_reference, "sha256": _sha256(file)}
        return self._write("/transaction/bulk", parameters, Bulk.of, file)

    def bulk_status(self, batch_reference: str) -> Steps[Bulk]:
        return self._read(
            "/transaction/bulk/status", {"batch_reference": batch_reference}, Bulk.of
        )

    def bulk_result(self, batch_reference: str) -> Steps[Bulk]:
        parameters = {"batch_reference": batch_reference, "format": "json"}
        return self._read("/transaction/bulk/result", parameters, Bulk.of)

    # The credit operations. A repeated requestReference gets the first answer. Names and values of
    # parameters and results are those of the service's specification; amounts in results are decimal
    # text.

    def id_decision(self, enquiry: Mapping[str, Union[str, int, None]]) -> Steps[Dict[str, Any]]:
        """enquiry: requestReference, reportReason and the customer."""
        return self._enquire("/id-decision", enquiry)

    def generic_score(self, enquiry: Mapping[str, Union[str, int, None]]) -> Steps[Dict[str, Any]]:
        """enquiry: also reportSector and at least two names."""
        return self._enquire("/generic-score", enquiry)

    def mobile_loan_score(
        self, enquiry: Mapping[str, Union[str, int, None]]
    ) -> Steps[Dict[str, Any]]:
        """enquiry: also reportSector and at least two names."""
        return self._enquire("/mobile-loan-score", enquiry)

    def _enquire(
        self, path: str, enquiry: Mapping[str, Union[str, int, None]]
    ) -> Steps[Dict[str, Any]]:
        parameters = {
            name: None if value is None else str(value) for name, value in enquiry.items()
        }
        return self._write(
            path,
            parameters,
            lambda body: {
                name: value for name, value in body.fields.items() if name != "header_status"
            },
        )

    def batch_score(
        self,
        batch_reference: str,
        product: str,
        report_reason: int,
        report_sector: int,
        customers: Rows,
    ) -> Steps[ScoreBatch]:
        """Asks for the scores of up to 10,000 customers with one file: rows, or a file.

        product: `generic-score` or `mobile-loan-score`.
        """
        file = customers if isinstance(customers, UploadFile) else file_of(customers)
        parameters = {
            "batchReference": batch_reference,
            "product": product,
            "reportReason": str(report_reason),
            "reportSector": str(report_sector),
            "sha256": _sha256(file),
        }
        return self._write("/batch-score", parameters, ScoreBatch.of, file)

    def batch_score_status(self, batch_reference: str) -> Steps[ScoreBatch]:
        return self._read("/batch-score/status", {"batchReference": batch_reference}, ScoreBatch.of)

    def batch_score_result(self, batch_reference: str) -> Steps[ScoreBatch]:
        parameters = {"batchReference": batch_reference, "format": "json"}
        return self._read("/batch-score/result", parameters, ScoreBatch.of)

    def watch(self, request_reference: str, score_drop: int) -> Steps[Watch]:
        """Reports changes about the customer of one of your enquiries to your webhook."""
        parameters = {"requestReference": request_reference, "scoreDrop": str(score_drop)}
        return self._write("/watch", parameters, Watch.of)

    def unwatch(self, request_reference: str) -> Steps[Watch]:
        return self._write("/unwatch", {"requestReference": request_reference}, Watch.of)


class CollectorOperations:
    """For a collector: a program that reports the income that it has collected for vendors."""

    def __init__(self, url: str, collector: str, transport: Transport) -> None:
        self._url = url
        self._collector = collector
        self._transport = transport

    def collect(
        self, vid: str, reference: str, amount_cents: int, paid_at: datetime
    ) -> Steps[Movement]:
        """Reports income, once for each `reference`. paid_at: with a time zone."""
        if paid_at.tzinfo is None:
            raise ValueError("paid_at has no time zone")
        parameters = {
            "collector": self._collector,
            "vid": vid,
            "reference": reference,
            "amount": decimal_of(amount_cents),
            "currency": "KES",
            "paid_at": str(round(paid_at.timestamp() * 1000)),
        }
        call = Call(self._url, "/payments/v2/collections", parameters, True)
        return self._transport.call(call, lambda body, replayed: Movement.of(body.object("msg"), replayed))


def _sha256(file: UploadFile) -> str:
    return hashlib.sha256(file.content).hexdigest()
