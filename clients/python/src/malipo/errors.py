from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .models import Payment


@dataclass(frozen=True)
class ErrorDetails:
    """Details of a call that did not succeed."""

    code: str
    """The service's error code, or not_connected, no_answer, unexpected_answer, not_final."""
    text: str
    """The service's text for people."""
    status: Optional[int] = None
    """header_status or the HTTP status; None without a response."""
    request_id: Optional[str] = None
    """Quote it when you contact the company that runs the service."""
    field: Optional[str] = None
    """The parameter at fault, if there is one."""
    reference: Optional[str] = None
    """The reference of the payment that the error is about, if it names one."""
    retry_after: Optional[float] = None
    """How many seconds the service asks to wait."""
    signed_text: Optional[str] = None
    """In the sandbox only, for signature_invalid: the text that should have been signed."""


class MalipoError(Exception):
    """The base of Refused, Unavailable and OutcomeUnknown."""

    def __init__(self, details: ErrorDetails, attempts: int) -> None:
        about = "" if details.request_id is None else f", request {details.request_id}"
        super().__init__(f"{details.text} ({details.code}{about})")
        self.details = details
        self.attempts = attempts
        """Number of times that the request was sent."""

    @property
    def code(self) -> str:
        return self.details.code

    @property
    def request_id(self) -> Optional[str]:
        return self.details.request_id


class Refused(MalipoError):
    """The service refused the request.

    Nothing was accepted, and the same request will be refused again.
    """


class Unavailable(MalipoError):
    """The request could not be processed.

    Nothing was accepted. Repeat it later, with the same reference.
    """


class OutcomeUnknown(MalipoError):
    """It is not known whether the request was accepted, or a payment has no final state yet.

    Repeat the call with the **same** reference, or query the status by it. Never pay again with a
    new reference.
    """

    def __init__(
        self, details: ErrorDetails, attempts: int, payment: Optional[Payment] = None
    ) -> None:
        super().__init__(details, attempts)
        self.payment = payment
        """From pay and wait_for: the last known state of the payment, which was accepted."""


class WebhookInvalid(Exception):
    """The request is not a genuine event of the service. Respond with 401."""
