from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, List, Mapping, Optional

from .money import decimal_of
from .wire import Wire


@dataclass(frozen=True)
class Movement:
    """The result of `fund` and of a reported collection."""

    moved: bool
    """False if there was nothing to move."""
    amount_cents: int
    reference: str
    """Identifies the movement: book each one once. Empty if nothing was moved."""
    replayed: bool
    """True if an earlier request moved it; its answer may have told you about it already."""
    posted_time: datetime
    text: str

    @classmethod
    def of(cls, wire: Wire, replayed: bool) -> Movement:
        return cls(
            moved=wire.number("status") == 1,
            amount_cents=wire.cents("amount"),
            reference=wire.text("reference"),
            replayed=replayed,
            posted_time=wire.time("posted_time"),
            text=wire.text("text"),
        )


@dataclass(frozen=True)
class Biller:
    name: str
    code: str
    """What `biller_name` of a payment expects."""
    category: str
    minimum_cents: int
    maximum_cents: Optional[int]
    """None: no maximum."""
    fee_cents: int
    """Taken from the float in addition to the amount. If it depends on the amount: that of the minimum."""
    fee_formula: Optional[Mapping[str, Any]]
    """How a fee that depends on the amount is computed, as the service describes it."""
    needs_phone: bool
    """True: payments need `phone`."""
    account_format: str
    """`msisdn`, or a regular expression."""
    account_label: str
    can_validate: bool
    status: Optional[str]
    """`ONLINE` or `OFFLINE`; None in the list of billers."""

    @classmethod
    def of(cls, wire: Wire) -> Biller:
        return cls(
            name=wire.text("biller_name"),
            code=wire.text("biller_code"),
            category=wire.text("biller_category"),
            minimum_cents=wire.cents("minimum_balance"),
            maximum_cents=wire.cents_or_none("maximum_amount"),
            fee_cents=wire.cents("fee"),
            fee_formula=wire.fields.get("fee_formula"),
            needs_phone=wire.flag("secondary_account"),
            account_format=wire.text("account_format"),
            account_label=wire.text("account_label"),
            can_validate=wire.flag("can_validate"),
            status=wire.text_or_none("status"),
        )


@dataclass(frozen=True)
class Product:
    name: str
    minimum_cents: int
    maximum_cents: int
    value: Optional[str]
    validity: Optional[str]

    @classmethod
    def of(cls, wire: Wire) -> Product:
        return cls(
            name=wire.text("name"),
            minimum_cents=wire.cents("minimum_amount"),
            maximum_cents=wire.cents("maximum_amount"),
            value=wire.text_or_none("value"),
            validity=wire.text_or_none("validity"),
        )


@dataclass(frozen=True)
class BillerProducts:
    biller_code: str
    only_products: bool
    """True: only the amounts of these products are accepted."""
    products: List[Product]

    @classmethod
    def of(cls, wire: Wire) -> BillerProducts:
        return cls(
            biller_code=wire.text("biller_code"),
            only_products=wire.flag("only_products"),
            products=[Product.of(product) for product in wire.objects("products")],
        )


@dataclass(frozen=True)
class NewPayment:
    biller_name: str
    """The biller's code."""
    account: str
    amount_cents: int
    """10000 is KES 100.00."""
    merchant_reference: str
    """Your own unique reference of this payment, such as an order number: 1 to 64 printable ASCII
    characters. It makes repeating safe, so this client requires it."""
    phone: Optional[str] = None

    def __post_init__(self) -> None:
        # Without one, repeating a request that got no answer could pay twice.
        if not isinstance(self.merchant_reference, str) or not self.merchant_reference.strip():
            raise ValueError(
                "merchant_reference is empty: it identifies the payment, so it is required"
            )

    def parameters(self) -> Dict[str, Optional[str]]:
        return {
            "biller_name": self.biller_name,
            "account": self.account,
            "amount": decimal_of(self.amount_cents),
            "merchant_reference": self.merchant_reference,
            "phone": self.phone,
        }


@dataclass(frozen=True)
class CreatedPayment:
    """An accepted payment. It is queued, not paid yet."""

    reference: str
    """The service's reference (`ipay_reference`)."""
    posted_time: datetime
    fee_cents: int
    replayed: bool
    """True if this reference was accepted before; the payment is the same one."""
    text: str

    @classmethod
    def of(cls, wire: Wire, replayed: bool) -> CreatedPayment:
        return cls(
            reference=wire.text("ipay_reference"),
            posted_time=wire.time("posted_time"),
            fee_cents=wire.cents("fee"),
            replayed=replayed,
            text=wire.text("text"),
        )


@dataclass(frozen=True)
class Payment:
    reference: str
    """The service's reference (`ipay_reference`)."""
    merchant_reference: Optional[str]
    """None for a payment that another program created without one."""
    status: str
    """`QUEUED`, `PENDING`, `SUCCESS` or `FAILED`. The last two are final; other values are not."""
    message: Optional[str]
    """The operator's text for people."""
    failure_code: Optional[str]
    """Why it failed; None unless `FAILED`. Treat an unknown value as `other`."""
    biller_reference: Optional[str]
    """The operator's reference; None unless `SUCCESS`."""
    biller_response_time: Optional[datetime]
    """When the instruction that counted was sent to the operator."""
    posted_time: datetime
    account: str
    amount_cents: int
    biller_name: str
    details: Dict[str, str]
    """What the payment produced, such as `token` and `units`."""
    details_pending: bool
    """Paid, and more details follow, such as the token; `transaction.details_received` announces them."""

    @property
    def is_paid(self) -> bool:
        """True only if the bill is paid."""
        return self.status == "SUCCESS"

    @property
    def is_final(self) -> bool:
        return self.status in ("SUCCESS", "FAILED")

    @classmethod
    def of(cls, wire: Wire) -> Payment:
        """From `msg` of a status response, or `data` of an event about a payment."""
        return cls(
            reference=wire.text("ipay_reference"),
            merchant_reference=wire.text_or_none("merchant_reference"),
            status=wire.text("transaction_status"),
            message=wire.text_or_none("transaction_message"),
            failure_code=wire.text_or_none("failure_code"),
            biller_reference=wire.text_or_none("biller_reference"),
            biller_response_time=wire.time_or_none("biller_response_time"),
            posted_time=wire.time("posted_time"),
            account=wire.text("account"),
            amount_cents=wire.cents("amount"),
            biller_name=wire.text("biller_name"),
            details=wire.texts("details"),
            details_pending=wire.fields.get("details_pending") is True,
        )


@dataclass(frozen=True)
class AccountValidation:
    valid: bool
    text: str
    """`SUCCESS`, or why the account is not valid."""
    account: str
    name: Optional[str]
    amount_due_cents: Optional[int]
    due_date: Optional[str]
    """`YYYY-MM-DD`"""
    prefix: Optional[str]

    @classmethod
    def of(cls, wire: Wire) -> AccountValidation:
        account = wire.object("account_data")
        return cls(
            valid=wire.text("text") == "SUCCESS",
            text=wire.text("text"),
            account=account.text("account"),
            name=account.text_or_none("name"),
            amount_due_cents=account.cents_or_none("amountdue"),
            due_date=account.text_or_none("due_date"),
            prefix=wire.text_or_none("prefix"),
        )


@dataclass(frozen=True)
class PhoneLookup:
    prefix: str
    operator: str
    """The biller code of the operator's airtime."""

    @classmethod
    def of(cls, wire: Wire) -> PhoneLookup:
        return cls(prefix=wire.text("prefix"), operator=wire.text("operator"))


@dataclass(frozen=True)
class BulkRow:
    row: int
    merchant_reference: Optional[str]
    result: str
    """`ACCEPTED`, `REFUSED` or `WAITING`."""
    replayed: bool
    """True if the row is accepted, but as a payment that existed before: it is not paid again."""
    reference: Optional[str]
    posted_time: Optional[datetime]
    code: Optional[str]
    """The error code of a refused row."""
    text: Optional[str]
    field: Optional[str]

    @classmethod
    def of(cls, wire: Wire) -> BulkRow:
        return cls(
            row=wire.number("row"),
            merchant_reference=wire.text_or_none("merchant_reference"),
            result=wire.text("result"),
            replayed=wire.fields.get("replayed") is True,
            reference=wire.text_or_none("ipay_reference"),
            posted_time=wire.time_or_none("posted_time"),
            code=wire.text_or_none("code"),
            text=wire.text_or_none("text"),
            field=wire.text_or_none("field"),
        )


@dataclass(frozen=True)
class Bulk:
    batch_reference: str
    batch_id: str
    status: str
    """`PROCESSING` or `DONE`."""
    sha256: str
    rows: int
    accepted: int
    refused: int
    posted_time: datetime
    text: str
    results: List[BulkRow]
    """Of `bulk_result`; otherwise empty."""

    @classmethod
    def of(cls, body: Wire) -> Bulk:
        wire = body.object("msg")
        rows = body.objects("data") if "data" in body.fields else []
        return cls(
            batch_reference=wire.text("batch_reference"),
            batch_id=wire.text("batch_id"),
            status=wire.text("batch_status"),
            sha256=wire.text("sha256"),
            rows=wire.number("rows"),
            accepted=wire.number("accepted"),
            refused=wire.number("refused"),
            posted_time=wire.time("posted_time"),
            text=wire.text("text"),
            results=[BulkRow.of(row) for row in rows],
        )


@dataclass(frozen=True)
class ScoreBatch:
    batch_reference: str
    batch_id: str
    status: str
    """`PROCESSING` or `DONE`."""
    product: str
    sha256: str
    rows: int
    answered: int
    refused: int
    posted_time: datetime
    text: str
    notice: Optional[str]
    """Of `batch_score_result`; otherwise None."""
    results: List[Mapping[str, Any]]
    """Of `batch_score_result`, as specified; otherwise empty."""

    @classmethod
    def of(cls, body: Wire) -> ScoreBatch:
        wire = body.object("msg")
        rows = body.objects("data") if "data" in body.fields else []
        return cls(
            batch_reference=wire.text("batchReference"),
            batch_id=wire.text("batchId"),
            status=wire.text("batchStatus"),
            product=wire.text("product"),
            sha256=wire.text("sha256"),
            rows=wire.number("rows"),
            answered=wire.number("answered"),
            refused=wire.number("refused"),
            posted_time=wire.time("postedTime"),
            text=wire.text("text"),
            notice=body.text_or_none("notice"),
            results=[row.fields for row in rows],
        )


@dataclass(frozen=True)
class Watch:
    request_reference: str
    text: str

    @classmethod
    def of(cls, body: Wire) -> Watch:
        wire = body.object("msg")
        return cls(request_reference=wire.text("requestReference"), text=wire.text("text"))


@dataclass(frozen=True)
class UploadFile:
    """A file as you have it, instead of rows."""

    content: bytes
    content_type: str
    """`text/csv` or `application/x-ndjson`."""
