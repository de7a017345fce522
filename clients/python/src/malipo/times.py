from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

_NAIROBI = timezone(timedelta(hours=3))
"""Nairobi has no daylight-saving time."""

_WIRE_TIME = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}", re.ASCII)


def time_of(text: str) -> datetime:
    """A time on the wire: `YYYY-MM-DD HH:MM:SS` in Nairobi time. Raises ValueError."""
    if not _WIRE_TIME.fullmatch(text):
        raise ValueError(f"Not a time: {text}")
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=_NAIROBI)
