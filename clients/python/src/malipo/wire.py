from __future__ import annotations

import re
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, Dict, List, Mapping, Optional

from .money import cents_of
from .times import time_of


_CENTS = re.compile(r"-?\d{1,18}", re.ASCII)


class Wire:
    """Reads the fields of a JSON object of the service. Other fields are ignored.

    Raises ValueError if a field is missing.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = fields

    def text(self, name: str) -> str:
        value = self.fields.get(name)
        if not isinstance(value, str):
            raise ValueError(f"The response lacks {name}")
        return value

    def text_or_none(self, name: str) -> Optional[str]:
        value = self.fields.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> int:
        value = self.fields.get(name)
        if not isinstance(value, int):
            raise ValueError(f"The response lacks {name}")
        return value

    def flag(self, name: str) -> bool:
        """`"true"` or `"false"`."""
        return self.text(name) == "true"

    def cents(self, name: str) -> int:
        return cents_of(self.fields.get(name))

    def cents_or_none(self, name: str) -> Optional[int]:
        return None if self.fields.get(name) is None else self.cents(name)

    def cents_as_text(self, name: str) -> int:
        """Cents as integer text."""
        text = self.text(name)
        if not _CENTS.fullmatch(text):
            raise ValueError(f"Not an amount in cents: {text}")
        return int(text)

    def decimal(self, name: str) -> float:
        value = self.fields.get(name)
        if not isinstance(value, (int, Decimal)):
            raise ValueError(f"The response lacks {name}")
        return float(value)

    def boolean(self, name: str) -> bool:
        value = self.fields.get(name)
        if not isinstance(value, bool):
            raise ValueError(f"The response lacks {name}")
        return value

    def instant(self, name: str) -> datetime:
        """A time in ISO 8601, in UTC."""
        found = datetime.strptime(self.text(name), "%Y-%m-%dT%H:%M:%S.%fZ")
        return found.replace(tzinfo=timezone.utc)

    def time(self, name: str) -> datetime:
        return time_of(self.text(name))

    def time_or_none(self, name: str) -> Optional[datetime]:
        return None if self.fields.get(name) is None else self.time(name)

    def object(self, name: str) -> Wire:
        value = self.fields.get(name)
        if not isinstance(value, dict):
            raise ValueError(f"The response lacks {name}")
        return Wire(value)

    def objects(self, name: str) -> List[Wire]:
        value = self.fields.get(name)
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise ValueError(f"The response lacks {name}")
        return [Wire(each) for each in value]

    def list_of_texts(self, name: str) -> List[str]:
        value = self.fields.get(name)
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise ValueError(f"The response lacks {name}")
        return value

    def texts(self, name: str) -> Dict[str, str]:
        value = self.fields.get(name) or {}
        return {key: text for key, text in value.items() if isinstance(text, str)}
