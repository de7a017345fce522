"""Sends the requests of one vendor to the right address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, TypeVar

from .judgement import Chunks
from .models import UploadFile
from .transport import Call, Steps, Transport
from .wire import Wire

T = TypeVar("T")

_UNSIGNED = frozenset({"/billing/list", "/billing/biller/status", "/billing/biller/products"})


@dataclass(frozen=True)
class Addresses:
    """The base addresses of the operations."""

    billing: str
    fund: str
    scoring: str

    def of(self, path: str) -> str:
        if path.startswith("/payments/"):
            return self.fund
        return self.billing if path.startswith(("/billing/", "/transaction/", "/v1/")) else self.scoring


class Vendor:
    def __init__(self, addresses: Addresses, vid: str, transport: Transport) -> None:
        self._addresses = addresses
        self._vid = vid
        self._transport = transport

    def _read(
        self,
        path: str,
        parameters: Mapping[str, Optional[str]],
        read: Callable[[Wire], T],
        retry_for: Optional[float] = None,
    ) -> Steps[T]:
        named = self._named(parameters)
        signed = path not in _UNSIGNED
        call = Call(self._addresses.of(path), path, named, False, signed, None, retry_for)
        return self._transport.call(call, lambda body, _: read(body))

    def _write(
        self,
        path: str,
        parameters: Mapping[str, Optional[str]],
        read: Callable[[Wire], T],
        file: Optional[UploadFile] = None,
    ) -> Steps[T]:
        return self._call(path, parameters, lambda body, _: read(body), file)

    def _call(
        self,
        path: str,
        parameters: Mapping[str, Optional[str]],
        read: Callable[[Wire, bool], T],
        file: Optional[UploadFile] = None,
    ) -> Steps[T]:
        named = self._named(parameters)
        return self._transport.call(
            Call(self._addresses.of(path), path, named, True, True, file), read
        )

    # Below /v1.

    def _fetch(
        self, path: str, query: Mapping[str, Optional[str]], read: Callable[[Wire], T]
    ) -> Steps[T]:
        call = Call(self._addresses.billing, path, self._named(query), False, method="GET")
        return self._transport.call(call, lambda body, _: read(body))

    def _send(
        self,
        method: str,
        path: str,
        read: Callable[[Wire], T],
        json: Optional[Mapping[str, Any]] = None,
    ) -> Steps[T]:
        call = Call(
            self._addresses.billing, path, self._named({}), True, method=method, json=json
        )
        return self._transport.call(call, lambda body, _: read(body))

    def _download(self, path: str, query: Mapping[str, Optional[str]]) -> Steps[Chunks]:
        call = Call(
            self._addresses.billing, path, self._named(query), False, method="GET", is_download=True
        )
        return self._transport.download(call)

    def _named(self, parameters: Mapping[str, Optional[str]]) -> Dict[str, Optional[str]]:
        return {"vid": self._vid, **parameters}
