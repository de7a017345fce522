"""The clients: the operations, carried out with or without asyncio."""

from __future__ import annotations

import asyncio
import functools
import time
from typing import (
    TYPE_CHECKING,
    AsyncIterator,
    Awaitable,
    Callable,
    Generic,
    Iterator,
    Optional,
    TypeVar,
)

from .judgement import Chunks
from .operations import CollectorOperations, VendorOperations
from .records import Page
from .self_service import PageReader
from .sending import Request, send
from .transport import Steps, Transport
from .vendor import Addresses

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

Operations = TypeVar("Operations")
T = TypeVar("T")


class _Client(Generic[Operations]):
    def __init__(self, operations: Operations) -> None:
        self._operations = operations


def _carry_out(steps: Steps[T]) -> T:
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


async def _carry_out_async(steps: Steps[T]) -> T:
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


def _sync(
    operation: Callable[Concatenate[Operations, P], Steps[T]],
) -> Callable[Concatenate[_Client[Operations], P], T]:
    @functools.wraps(operation)
    def carry_out(self: _Client[Operations], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return _carry_out(operation(self._operations, *args, **kwargs))

    return carry_out


def _async(
    operation: Callable[Concatenate[Operations, P], Steps[T]],
) -> Callable[Concatenate[_Client[Operations], P], Awaitable[T]]:
    @functools.wraps(operation)
    async def carry_out(self: _Client[Operations], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await _carry_out_async(operation(self._operations, *args, **kwargs))

    return carry_out


def _async_chunks(
    operation: Callable[Concatenate[Operations, P], Steps[Chunks]],
) -> Callable[Concatenate[_Client[Operations], P], AsyncIterator[bytes]]:
    @functools.wraps(operation)
    async def carry_out(
        self: _Client[Operations], /, *args: P.args, **kwargs: P.kwargs
    ) -> AsyncIterator[bytes]:
        chunks = await _carry_out_async(operation(self._operations, *args, **kwargs))
        loop = asyncio.get_running_loop()
        try:
            while chunk := await loop.run_in_executor(None, lambda: next(chunks, b"")):
                yield chunk
        finally:
            chunks.close()

    return carry_out


_LARGEST_PAGE = 200
"""The most that the service sends at once, so that reading everything takes the fewest requests."""

_EMPTY_PAUSE = 0.5
"""After an empty page: a list of events that is followed has no end, and is asked for again and again."""


class Pages(Generic[T]):
    """A list. Iterate over it for all items, which reads page after page, or read single pages."""

    def __init__(self, read: PageReader[T]) -> None:
        self._read = read

    def page(self, cursor: Optional[str] = None, limit: Optional[int] = None) -> Page[T]:
        """The first page or, with a cursor, the one that continues a page with this `next_cursor`.

        limit: how many items it has at most: 1 to 200.
        """
        return _carry_out(self._read(cursor, limit))

    def __iter__(self) -> Iterator[T]:
        page = self.page(limit=_LARGEST_PAGE)
        yield from page.items
        while page.next_cursor is not None:
            if not page.items:
                time.sleep(_EMPTY_PAUSE)
            page = self.page(page.next_cursor, _LARGEST_PAGE)
            yield from page.items


class AsyncPages(Generic[T]):
    """A list. Iterate over it for all items, which reads page after page, or read single pages."""

    def __init__(self, read: PageReader[T]) -> None:
        self._read = read

    async def page(self, cursor: Optional[str] = None, limit: Optional[int] = None) -> Page[T]:
        """The first page or, with a cursor, the one that continues a page with this `next_cursor`.

        limit: how many items it has at most: 1 to 200.
        """
        return await _carry_out_async(self._read(cursor, limit))

    async def __aiter__(self) -> AsyncIterator[T]:
        page = await self.page(limit=_LARGEST_PAGE)
        while True:
            for item in page.items:
                yield item
            if page.next_cursor is None:
                return
            if not page.items:
                await asyncio.sleep(_EMPTY_PAUSE)
            page = await self.page(page.next_cursor, _LARGEST_PAGE)


def _pages(
    operation: Callable[Concatenate[Operations, P], PageReader[T]],
) -> Callable[Concatenate[_Client[Operations], P], Pages[T]]:
    @functools.wraps(operation)
    def carry_out(self: _Client[Operations], /, *args: P.args, **kwargs: P.kwargs) -> Pages[T]:
        return Pages(operation(self._operations, *args, **kwargs))

    return carry_out


def _async_pages(
    operation: Callable[Concatenate[Operations, P], PageReader[T]],
) -> Callable[Concatenate[_Client[Operations], P], AsyncPages[T]]:
    @functools.wraps(operation)
    def carry_out(self: _Client[Operations], /, *args: P.args, **kwargs: P.kwargs) -> AsyncPages[T]:
        return AsyncPages(operation(self._operations, *args, **kwargs))

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
            only; it is for servers behind proxies that rewrite paths. Operations below `/v1` are
            always signed with the header.
        timeout: how many seconds one attempt may take; of a file, how long nothing may come.
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
    list_payments = _pages(VendorOperations.list_payments)
    get_statement = _pages(VendorOperations.get_statement)
    list_invoices = _pages(VendorOperations.list_invoices)
    list_events = _pages(VendorOperations.list_events)
    list_requests = _pages(VendorOperations.list_requests)
    list_enquiries = _pages(VendorOperations.list_enquiries)
    export_payments = _sync(VendorOperations.export_payments)
    export_statement = _sync(VendorOperations.export_statement)
    export_invoice_pdf = _sync(VendorOperations.export_invoice_pdf)
    export_invoice_csv = _sync(VendorOperations.export_invoice_csv)
    get_invoice = _sync(VendorOperations.get_invoice)
    get_payment = _sync(VendorOperations.get_payment)
    get_balance = _sync(VendorOperations.get_balance)
    get_event = _sync(VendorOperations.get_event)
    replay_event = _sync(VendorOperations.replay_event)
    replay_events = _sync(VendorOperations.replay_events)
    get_webhook = _sync(VendorOperations.get_webhook)
    set_webhook = _sync(VendorOperations.set_webhook)
    remove_webhook = _sync(VendorOperations.remove_webhook)
    enable_webhook = _sync(VendorOperations.enable_webhook)
    disable_webhook = _sync(VendorOperations.disable_webhook)
    test_webhook = _sync(VendorOperations.test_webhook)
    rotate_webhook_secret = _sync(VendorOperations.rotate_webhook_secret)
    retire_webhook_secret = _sync(VendorOperations.retire_webhook_secret)
    list_keys = _sync(VendorOperations.list_keys)
    rotate_key = _sync(VendorOperations.rotate_key)
    retire_key = _sync(VendorOperations.retire_key)
    describe_billers = _sync(VendorOperations.describe_billers)
    describe_biller = _sync(VendorOperations.describe_biller)


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
    list_payments = _async_pages(VendorOperations.list_payments)
    get_statement = _async_pages(VendorOperations.get_statement)
    list_invoices = _async_pages(VendorOperations.list_invoices)
    list_events = _async_pages(VendorOperations.list_events)
    list_requests = _async_pages(VendorOperations.list_requests)
    list_enquiries = _async_pages(VendorOperations.list_enquiries)
    export_payments = _async_chunks(VendorOperations.export_payments)
    export_statement = _async_chunks(VendorOperations.export_statement)
    export_invoice_pdf = _async_chunks(VendorOperations.export_invoice_pdf)
    export_invoice_csv = _async_chunks(VendorOperations.export_invoice_csv)
    get_invoice = _async(VendorOperations.get_invoice)
    get_payment = _async(VendorOperations.get_payment)
    get_balance = _async(VendorOperations.get_balance)
    get_event = _async(VendorOperations.get_event)
    replay_event = _async(VendorOperations.replay_event)
    replay_events = _async(VendorOperations.replay_events)
    get_webhook = _async(VendorOperations.get_webhook)
    set_webhook = _async(VendorOperations.set_webhook)
    remove_webhook = _async(VendorOperations.remove_webhook)
    enable_webhook = _async(VendorOperations.enable_webhook)
    disable_webhook = _async(VendorOperations.disable_webhook)
    test_webhook = _async(VendorOperations.test_webhook)
    rotate_webhook_secret = _async(VendorOperations.rotate_webhook_secret)
    retire_webhook_secret = _async(VendorOperations.retire_webhook_secret)
    list_keys = _async(VendorOperations.list_keys)
    rotate_key = _async(VendorOperations.rotate_key)
    retire_key = _async(VendorOperations.retire_key)
    describe_billers = _async(VendorOperations.describe_billers)
    describe_biller = _async(VendorOperations.describe_biller)


class Collector(_Collector):
    """For a collector, which reports the income that it has collected."""

    collect = _sync(CollectorOperations.collect)


class AsyncCollector(_Collector):
    """For a collector, with asyncio."""

    collect = _async(CollectorOperations.collect)
