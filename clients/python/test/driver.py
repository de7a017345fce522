"""The test program of this client: test/clients/README.md describes its lines.

With --async it uses the asynchronous client.
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
import pathlib
import re
import sys
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "src"))

import malipo  # noqa: E402
from malipo import judgement  # noqa: E402

ASYNC = "--async" in sys.argv


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", lambda found: "_" + found[1].lower(), name)


def camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def named(given: dict[str, Any]) -> dict[str, Any]:
    return {snake(name): value for name, value in given.items()}


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def options(given: dict[str, Any]) -> dict[str, Any]:
    known = named(given)
    for name, milliseconds in (("timeout", "timeout_ms"), ("retry_for", "retry_for_ms")):
        if milliseconds in known:
            known[name] = known.pop(milliseconds) / 1000
    return known


def attempt(given: dict[str, Any]) -> judgement.Attempt:
    if given["kind"] == "notSent":
        return judgement.NotSent(given["reason"])
    if given["kind"] == "noAnswer":
        return judgement.NoAnswer(given["reason"])
    headers = {} if given["retryAfter"] is None else {"retry-after": given["retryAfter"]}
    return judgement.Response(given["status"], headers, given["text"])


def rows(given: Any, row: Any) -> Any:
    if isinstance(given, dict):
        return malipo.UploadFile(given["text"].encode(), given["contentType"])
    return [row(each) for each in given]


class Driver:
    malipo: Any = None
    collector: Any = None

    def pure(self, call: str, given: dict[str, Any]) -> Any:
        if call == "open":
            self.malipo = (malipo.AsyncMalipo if ASYNC else malipo.Malipo)(**options(given))
        elif call == "openCollector":
            kind = malipo.AsyncCollector if ASYNC else malipo.Collector
            self.collector = kind(**options(given))
        elif call == "signedText":
            return malipo.signed_text(given["parameters"])
        elif call == "hash":
            return malipo.hash_of(given["parameters"], given["key"])
        elif call == "headerSignature":
            return malipo.header_signature(**{**given, "body": given["body"].encode()})
        elif call == "centsOf":
            return malipo.cents_of(given["amount"])
        elif call == "decimalOf":
            return malipo.decimal_of(given["cents"])
        elif call == "timeOf":
            return malipo.time_of(given["text"])
        elif call in ("judge", "isRetried"):
            is_resource = given.get("form") == "resource"
            found = judgement.judge(attempt(given["attempt"]), given["effect"] == "write", is_resource)
            if isinstance(found, judgement.Success):
                return "success" if call == "judge" else False
            return found.kind if call == "judge" else found.retry
        elif call == "verifyWebhook":
            now = instant(given["now"]).timestamp()
            verifier = malipo.WebhookVerifier(given["secrets"], now=lambda: now)
            return verifier.verify(given["body"], given["headers"])
        elif call == "signTestEvent":
            event = malipo.sign_test_event(**{**given, "timestamp": instant(given["timestamp"])})
            return event._asdict()
        return None

    def operation(self, call: str, given: dict[str, Any]) -> Any:
        if call == "collect":
            return self.collector.collect(**named({**given, "paidAt": instant(given["paidAt"])}))
        method = getattr(self.malipo, snake(call))
        if call in ("idDecision", "genericScore", "mobileLoanScore"):
            return method(given)
        known = named(given)
        paging = known.pop("page", None)
        for bound in ("from", "to"):
            if bound in known:
                text = known.pop(bound)
                known[bound.replace("from", "from_")] = instant(text) if "T" in text else text
        if paging is not None:
            return method(**known).page(**paging)
        if "wait_for_ms" in known:
            known["wait_for"] = known.pop("wait_for_ms") / 1000
        waiting = {"wait_for": known.pop("wait_for")} if "wait_for" in known else {}
        if call in ("createPayment", "pay"):
            return method(malipo.NewPayment(**known), **waiting)
        if call == "bulkCreate":
            known["payments"] = rows(
                known["payments"], lambda each: malipo.NewPayment(**named(each))
            )
        if call == "batchScore":
            known["customers"] = rows(known["customers"], lambda each: each)
        return method(**known, **waiting)


PURE = {
    "open",
    "openCollector",
    "signedText",
    "hash",
    "headerSignature",
    "centsOf",
    "decimalOf",
    "timeOf",
    "judge",
    "isRetried",
    "verifyWebhook",
    "signTestEvent",
}


async def read(found: Any) -> Any:
    """Reads all of a list or of a file."""
    if inspect.iscoroutine(found):
        return await found
    if isinstance(found, malipo.Pages):
        return list(found)
    if isinstance(found, malipo.AsyncPages):
        return [item async for item in found]
    if inspect.isgenerator(found):
        return b"".join(found).decode()
    if inspect.isasyncgen(found):
        return b"".join([chunk async for chunk in found]).decode()
    return found


def shown(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {
            camel(field.name): shown(getattr(value, field.name))
            for field in dataclasses.fields(value)
        }
    if isinstance(value, datetime):
        at = value.astimezone(timezone.utc)
        return f"{at.strftime('%Y-%m-%dT%H:%M:%S')}.{at.microsecond // 1000:03d}Z"
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {name: shown(each) for name, each in value.items()}
    return [shown(each) for each in value] if isinstance(value, (list, tuple)) else value


def described(error: BaseException) -> Any:
    kind = type(error).__name__
    if not isinstance(error, malipo.MalipoError):
        return {"type": kind, "text": str(error)}
    details = error.details
    return {
        "type": kind,
        "code": details.code,
        "text": details.text,
        "status": details.status,
        "requestId": details.request_id,
        "field": details.field,
        "reference": details.reference,
        "attempts": error.attempts,
        "payment": shown(getattr(error, "payment", None)),
        "cause": None if error.__cause__ is None else described(error.__cause__),
    }


async def main() -> None:
    driver = Driver()
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        asked = json.loads(line)
        call, given = asked["call"], asked["with"]
        try:
            found = driver.pure(call, given) if call in PURE else driver.operation(call, given)
            answer = {"value": shown(await read(found))}
        except Exception as error:
            answer = {"error": described(error)}
        print(json.dumps({"id": asked["id"], **answer}), flush=True)


asyncio.run(main())
