"""Client for Malipo: pay bills and airtime, verify webhooks, query credit information."""

from .clients import AsyncCollector, AsyncMalipo, Collector, Malipo
from .errors import ErrorDetails, MalipoError, OutcomeUnknown, Refused, Unavailable, WebhookInvalid
from .models import (
    AccountValidation,
    Biller,
    BillerProducts,
    Bulk,
    BulkRow,
    CreatedPayment,
    Movement,
    NewPayment,
    Payment,
    PhoneLookup,
    Product,
    ScoreBatch,
    UploadFile,
    Watch,
)
from .money import cents_of, decimal_of
from .signature import hash_of, header_signature, signed_text
from .times import time_of
from .webhooks import WebhookEvent, WebhookVerifier, sign_test_event

__all__ = [
    "AccountValidation",
    "AsyncCollector",
    "AsyncMalipo",
    "Biller",
    "BillerProducts",
    "Bulk",
    "BulkRow",
    "Collector",
    "CreatedPayment",
    "ErrorDetails",
    "Malipo",
    "MalipoError",
    "Movement",
    "NewPayment",
    "OutcomeUnknown",
    "Payment",
    "PhoneLookup",
    "Product",
    "Refused",
    "ScoreBatch",
    "Unavailable",
    "UploadFile",
    "Watch",
    "WebhookEvent",
    "WebhookInvalid",
    "WebhookVerifier",
    "cents_of",
    "decimal_of",
    "hash_of",
    "header_signature",
    "sign_test_event",
    "signed_text",
    "time_of",
]
