"""The clients: the operations, carried out with or without asyncio."""

from __future__ import annotations

import asyncio
import functools
import time
from typing import TYPE_CHECKING, Awaitable, Callable, Generic, Optional, TypeVar

from .operations import Addresses, CollectorOperations, VendorOperations
from .transport import Request, Steps, Transport, send

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

Operations = TypeVar("Operations")
T = TypeVar("T")


class _Client(Generic[Operations]):
    def __init__(self, operations: Operations) -> None:
        self._operations = operations


def _sync(
    operation: Callable[Concatenate[Operations, P], Steps[T]],
) -> Callable[Concatenate[_Client[Operations], P], T]:
    @functools.wraps(operation)
    def carry_out(self: _Client[Operations], /, *args: P.args, **kwargs: P.kwargs) -> T:
        steps = operation(self._operations, *args, **kwargs)
        outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            outcome = None
            if isinstance(step, Request):
                outcome = send(step)
            else:
                time.sleep(step.seconds)

    return carry_out


def _async(
    operation: Callable[Concatenate[Operations, P], Steps[T]],
) -> Callable[Concatenate[_Client[Operations], P], Awaitable[T]]:
    @functools.wraps(operation)
    async def carry_out(self: _Client[Operations], /, *args: P.args, **kwargs: P.kwargs) -> T:
        steps = operation(self._operations, *args, **kwargs)
        outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            outcome = None
            if isinstance(step, Request):
                # A thread of the loop, only while a request is under way.
                outcome = await asyncio.get_running_loop().run_in_executor(None, send, step)
            else:
                await asyncio.sleep(step.seconds)

    return carry_out


class _Vendor(_Client[VendorOperations]):
    def __init__(
        self,
        url: str,
        vid: str,
        key: str,
        *,
        fund_url: Optional[str] = None,
        scoring_url: Optional[str] = None,
        signature: str = "header",
        timeout: float = 15.0,
        retry_for: float = 45.0,
    ) -> None:
        """
        url: the base address, such as `https://bills.example/ipay-billing`.
        vid: your vendor ID.
        key: your security key.
        fund_url, scoring_url: the base addresses of the fund and of the credit operations, if they
            are others.
        signature: `header` signs the whole request and prevents replay. `hash` signs the parameters
            only; it is for servers behind proxies that rewrite paths.
        timeout: how many seconds one attempt may take.
        retry_for: for how many seconds a request is repeated if the service is unavailable or
            silent; 0: never.
        """
        addresses = Addresses(url, fund_url or url, scoring_url or url)
        transport = Transport(key, signature, timeout, retry_for)
        super().__init__(VendorOperations(addresses, vid, transport))


class _Collector(_Client[CollectorOperations]):
    def __init__(
        self,
        url: str,
        collector: str,
        key: str,
        *,
        signature: str = "header",
        timeout: float = 15.0,
        retry_for: float = 45.0,
    ) -> None:
        """url: the base address of the fund operation."""
        transport = Transport(key, signature, timeout, retry_for)
        super().__init__(CollectorOperations(url, collector, transport))


class Malipo(_Vendor):
    """All operations of a vendor. Safe to use from several threads."""

    fund = _sync(VendorOperations.fund)
    balance = _sync(VendorOperations.balance)
    list_billers = _sync(VendorOperations.list_billers)
    biller_status = _sync(VendorOperations.biller_status)
    biller_products = _sync(VendorOperations.biller_products)
    validate = _sync(VendorOperations.validate)
    lookup = _sync(VendorOperations.lookup)
    create_payment = _sync(VendorOperations.create_payment)
    status = _sync(VendorOperations.status)
    pay = _sync(VendorOperations.pay)
    wait_for = _sync(VendorOperations.wait_for)
    bulk_create = _sync(VendorOperations.bulk_create)
    bulk_status = _sync(VendorOperations.bulk_status)
    bulk_result = _sync(VendorOperations.bulk_result)
    id_decision = _sync(VendorOperations.id_decision)
    generic_score = _sync(VendorOperations.generic_score)
    mobile_loan_score = _sync(VendorOperations.mobile_loan_score)
    batch_score = _sync(VendorOperations.batch_score)
    batch_score_status = _sync(VendorOperations.batch_score_status)
    batch_score_result = _sync(VendorOperations.batch_score_result)
    watch = _sync(VendorOperations.watch)
    unwatch = _sync(VendorOperations.unwatch)


class AsyncMalipo(_Vendor):
    """All operations of a vendor, with asyncio."""

    fund = _async(VendorOperations.fund)
    balance = _async(VendorOperations.balance)
    list_billers = _async(VendorOperations.list_billers)
    biller_status = _async(VendorOperations.biller_status)
    biller_products = _async(VendorOperations.biller_products)
    validate = _async(VendorOperations.validate)
    lookup = _async(VendorOperations.lookup)
    create_payment = _async(VendorOperations.create_payment)
    status = _async(VendorOperations.status)
    pay = _async(VendorOperations.pay)
    wait_for = _async(VendorOperations.wait_for)
    bulk_create = _async(VendorOperations.bulk_create)
    bulk_status = _async(VendorOperations.bulk_status)
    bulk_result = _async(VendorOperations.bulk_result)
    id_decision = _async(VendorOperations.id_decision)
    generic_score = _async(VendorOperations.generic_score)
    mobile_loan_score = _async(VendorOperations.mobile_loan_score)
    batch_score = _async(VendorOperations.batch_score)
    batch_score_status = _async(VendorOperations.batch_score_status)
    batch_score_result = _async(VendorOperations.batch_score_result)
    watch = _async(VendorOperations.watch)
    unwatch = _async(VendorOperations.unwatch)


class Collector(_Collector):
    """For a collector, which reports the income that it has collected."""

    collect = _sync(CollectorOperations.collect)


class AsyncCollector(_Collector):
    """For a collector, with asyncio."""

    collect = _async(CollectorOperations.collect)
