"""What the operations below `/v1` return. The fields have the names of the wire."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from datetime import datetime
from typing import (
    Any,
    Dict,
    Generic,
    List,
    Mapping,
    Optional,
    Type,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from .wire import Wire

T = TypeVar("T")


@dataclass(frozen=True)
class FeeTier:
    from_cents: int
    flat_cents: int
    percent: str
    """Per cent of the amount, such as `1.5`."""


@dataclass(frozen=True)
class BillerFee:
    tiers: List[FeeTier]
    minimum_cents: Optional[int]
    maximum_cents: Optional[int]
    vat_percent: str
    vat: str
    """`included` in the fee, or `added` to it."""
    excise_percent: str
    """Excise duty on the fee, included or added as VAT is."""


@dataclass(frozen=True)
class BillerRecord:
    """A biller with your own fee."""

    biller: str
    name: str
    category: str
    status: str
    """`ONLINE` or `OFFLINE`."""
    minimum_cents: int
    maximum_cents: Optional[int]
    account_label: str
    account_format: str
    phone_required: bool
    can_validate: bool
    fee: Optional[BillerFee]
    parameters: Mapping[str, Any]
    """JSON Schema of the parameters of create in the HTTP API."""


@dataclass(frozen=True)
class ListedPayment:
    """A payment in a list."""

    reference: str
    merchant_reference: Optional[str]
    status: str
    """`QUEUED`, `PENDING`, `SUCCESS` or `FAILED`."""
    biller: str
    account: str
    phone: Optional[str]
    amount_cents: int
    fee_cents: int
    created_at: datetime
    settled_at: Optional[datetime]


@dataclass(frozen=True)
class TimelineEntry:
    """One thing that happened to a payment. Fields of other kinds are None."""

    at: datetime
    kind: str
    """`created`, `attempt`, `settled`, `transfer` or `event`; more may be added."""
    status: Optional[str]
    outcome: Optional[str]
    attempt: Optional[int]
    movement: Optional[str]
    amount_cents: Optional[int]
    event_id: Optional[str]
    event_type: Optional[str]


@dataclass(frozen=True)
class PaymentRecord(ListedPayment):
    """A payment with its result and its timeline."""

    biller_reference: Optional[str]
    biller_response_time: Optional[datetime]
    message: Optional[str]
    failure_code: Optional[str]
    details: Optional[Mapping[str, Any]]
    archived: bool
    """True: the details are only in an archive; the amounts and references are still here."""
    timeline: List[TimelineEntry]


@dataclass(frozen=True)
class Balance:
    """Your money with the service."""

    at: datetime
    float_cents: int
    reserved_cents: int
    """Held for payments without a final result."""
    collected_cents: int
    """Collected income that has not been moved to the float."""
    held_cents: int
    """Collected income that waits for a transfer to your bank."""
    total_cents: int


@dataclass(frozen=True)
class StatementMovement:
    movement: str
    count: int
    change_cents: int


@dataclass(frozen=True)
class StatementHead:
    from_: datetime
    to: datetime
    opening_cents: int
    closing_cents: int
    opening_float_cents: int
    closing_float_cents: int
    count: int
    """Number of lines."""
    movements: List[StatementMovement]


@dataclass(frozen=True)
class StatementLine:
    at: datetime
    movement: str
    reference: Optional[str]
    merchant_reference: Optional[str]
    collector: Optional[str]
    collector_reference: Optional[str]
    operator: Optional[str]
    operator_reference: Optional[str]
    case_id: Optional[str]
    debit_account: str
    credit_account: str
    amount_cents: int
    change_cents: int
    """The change of your money with the service."""
    balance_cents: int
    float_cents: int


@dataclass(frozen=True)
class EventDelivery:
    state: str
    attempts: int
    next_attempt_at: Optional[datetime]
    ended_at: Optional[datetime]
    last_result: Optional[str]


@dataclass(frozen=True)
class ListedEvent:
    """An event with the state of its delivery."""

    event_id: str
    webhook_id: str
    """The `webhook-id` that it is sent with, every time."""
    type: str
    at: datetime
    reference: Optional[str]
    """The payment that it is about."""
    payload: Mapping[str, Any]
    """The body that is sent."""
    delivery: EventDelivery


@dataclass(frozen=True)
class Key:
    """A security key, or a secret of the webhook, without its value."""

    key_id: str
    created_at: datetime
    valid_until: Optional[datetime]
    """When it becomes invalid; None: not before it is replaced."""
    is_current: bool


@dataclass(frozen=True)
class NewKey:
    key_id: str
    secret: str
    """The secret. It is shown only once: store it now."""
    overlap_seconds: int


@dataclass(frozen=True)
class Webhook:
    url: str
    enabled: bool
    """True: events are sent. False: they wait until the webhook is enabled."""
    disabled_at: Optional[datetime]
    disabled_reason: Optional[str]
    failures: int
    """Number of consecutive failed attempts."""
    failing_since: Optional[datetime]
    types: List[str]
    """The types of events that are sent."""
    off_types: List[str]
    waiting_events: int
    secrets: List[Key]
    secret: Optional[str]
    """Of `set_webhook`: what events are signed with, shown once; None: there was one before."""


@dataclass(frozen=True)
class WebhookTest:
    delivered: bool
    webhook_id: str
    url: str
    result: str
    answer: Optional[str]
    """The beginning of what the receiver answered."""
    duration_ms: int


@dataclass(frozen=True)
class LoggedRequest:
    request_id: str
    at: datetime
    operation: Optional[str]
    method: str
    path: str
    status: int
    error_code: Optional[str]
    """None: the request was not refused."""
    duration_ms: float
    key_id: Optional[str]
    """The key that signed."""


@dataclass(frozen=True)
class Scorecard:
    """The scorecard of a score."""

    card: str
    example: bool
    """True: not made from what became of real loans, so its scores are examples."""
    horizon_months: int
    """The probability is that of a default within so many months."""
    default_days: int
    """A default is so many days late."""
    population: str
    """The people that the card was made from."""


@dataclass(frozen=True)
class ListedInvoice:
    """An invoice for your fees, or a credit note for those that you got back."""

    invoice: str
    number: str
    kind: str
    """`invoice` or `credit_note`."""
    issued_at: datetime
    from_: datetime
    to: datetime
    credits: Optional[str]
    """Number of the invoice that a credit note names."""
    payment: Optional[str]
    """Reference of the only payment; None: those of a period."""
    net_cents: int
    excise_cents: int
    vat_cents: int
    total_cents: int
    control_number: Optional[str]
    """From the control unit of the tax authority."""
    qr_code: Optional[str]


@dataclass(frozen=True)
class InvoiceParty:
    legal_name: str
    pin: Optional[str]
    address: str


@dataclass(frozen=True)
class InvoiceLine:
    biller: Optional[str]
    payments: int
    excise_percent: Optional[str]
    vat_percent: Optional[str]
    net_cents: int
    excise_cents: int
    vat_cents: int
    total_cents: int


@dataclass(frozen=True)
class Invoice(ListedInvoice):
    """An invoice with both parties and its lines."""

    currency: str
    seller: InvoiceParty
    buyer: InvoiceParty
    lines: List[InvoiceLine]
    """One for each biller and price."""


@dataclass(frozen=True)
class ListedEnquiry:
    """A credit enquiry, without personal data."""

    sequence: str
    """Its number among your enquiries."""
    at: datetime
    operation: str
    request_reference: str
    report_reason: int
    outcome: str
    customer: Optional[str]
    """The last three digits of the customer's reference."""
    name_differs: bool
    """True: a name on file is another than in the enquiry, as after a marriage; check the document."""
    grade: Optional[str]
    scorecard: Optional[Scorecard]
    """None: the registry gave no score."""
    erased: bool


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a list. It may have fewer items than asked for, even none, although there are more."""

    items: List[T]
    next_cursor: Optional[str]
    """None: there are no more."""
    searched_to: Optional[datetime]
    """Of payments: those accepted since then have been searched; None: the whole period."""
    head: Optional[StatementHead]
    """Of the first page of a statement."""


def page_of(item: Type[T], wire: Wire) -> Page[T]:
    fields = wire.fields
    return Page(
        items_of(item, wire),
        wire.text_or_none("next_cursor"),
        None if fields.get("searched_to") is None else wire.instant("searched_to"),
        None if fields.get("head") is None else record_of(StatementHead, wire.object("head")),
    )


def items_of(item: Type[T], wire: Wire) -> List[T]:
    return [record_of(item, each) for each in wire.objects("items")]


def record_of(kind: Type[T], wire: Wire) -> T:
    """Reads each field by its type. Raises ValueError."""
    of: Any = kind
    hints = _hints(of)
    return kind(**{name: _value(hint, wire, name.rstrip("_")) for name, hint in hints.items()})


@functools.lru_cache(maxsize=None)
def _hints(kind: Type[Any]) -> Dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _value(hint: Any, wire: Wire, name: str) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Union:
        return None if wire.fields.get(name) is None else _value(arguments[0], wire, name)
    if origin is list and arguments[0] is str:
        return wire.list_of_texts(name)
    if origin is list:
        return [record_of(arguments[0], each) for each in wire.objects(name)]
    if origin is not None:
        return wire.object(name).fields
    if hint is int:
        return wire.cents_as_text(name) if name.endswith("_cents") else wire.number(name)
    read = {str: wire.text, bool: wire.boolean, float: wire.decimal, datetime: wire.instant}
    return read[hint](name) if hint in read else record_of(hint, wire.object(name))
