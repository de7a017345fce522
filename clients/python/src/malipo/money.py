"""Amounts are integer cents in the program, and decimal text or numbers in shillings on the wire."""

from __future__ import annotations

import re
from decimal import Decimal

_MAX_CENTS = 99_999_999_999_999
"""The largest amount that the service accepts: twelve digits before the point."""

_AMOUNT = re.compile(r"-?\d{1,12}(\.\d{1,2})?", re.ASCII)


def cents_of(amount: object) -> int:
    """`"353.60"`, `Decimal("353.6")` and `353.6` are 35360. Raises ValueError."""
    # repr of a float is its shortest text, which is what was sent.
    is_number = isinstance(amount, (int, float, Decimal)) and not isinstance(amount, bool)
    text = str(amount) if is_number or isinstance(amount, str) else ""
    if is_number:
        text = format(Decimal(text), "f")
        text = text[:-2] if text.endswith(".0") else text
    if not _AMOUNT.fullmatch(text):
        raise ValueError(f"Not an amount of money: {amount!r}")
    return int(Decimal(text) * 100)


def decimal_of(cents: int) -> str:
    """35360 is `"353.60"`. Raises ValueError, or TypeError if it is not an integer."""
    if not isinstance(cents, int) or isinstance(cents, bool):
        raise TypeError(f"An amount must be an int of cents, such as 10000 for KES 100.00, not {cents!r}")
    if not 0 <= cents <= _MAX_CENTS:
        raise ValueError(f"Not an amount in cents: {cents}")
    return f"{cents // 100}.{cents % 100:02d}"
