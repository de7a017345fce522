"""The two signatures of a request: the parameter `hash` and the header `X-Signature`."""

from __future__ import annotations

import hashlib
import hmac
from typing import Dict, Mapping, Optional

Parameters = Mapping[str, Optional[str]]


def sent(parameters: Parameters) -> Dict[str, str]:
    """The parameters that are sent, in ASCII order of their names, without `hash`.

    None is left out; an empty text is sent and signed.
    """
    named = sorted(parameters.items())
    return {name: value for name, value in named if value is not None and name != "hash"}


def signed_text(parameters: Parameters) -> str:
    """The text that `hash` signs: `name=value` joined by `&`, not URL-encoded."""
    return "&".join(f"{name}={value}" for name, value in sent(parameters).items())


def hash_of(parameters: Parameters, key: str) -> str:
    """The parameter `hash`."""
    return _hmac(signed_text(parameters), key)


def header_signature(
    method: str, target: str, body: bytes, seconds: int, nonce: str, key: str
) -> str:
    """The value of `X-Signature`. Every attempt needs its own.

    target: path and query as in the request line.
    """
    digest = hashlib.sha256(body).hexdigest()
    text = "\n".join(["v2", method, target, digest, str(seconds), nonce])
    return f"v2,t={seconds},nonce={nonce},sig={_hmac(text, key)}"


def _hmac(text: str, key: str) -> str:
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()
