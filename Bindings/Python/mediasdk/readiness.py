"""Waiting in asyncio for a descriptor of the SDK's, without a thread."""
from __future__ import annotations

import asyncio
import math
import os
import threading
import time
from ctypes import c_int32
from typing import Callable, TypeVar

from ._call import deadline_of, number
from .errors import HandleError, MediaTimeout, closed_meanwhile

T = TypeVar("T")

# The descriptor of an incoming stream is readable for frames of either kind.  Who waits for the other kind naps meanwhile.
_NAP = 0.005


class Readiness:
    """Notifies tasks of any event loop when a descriptor is readable, or that its owner was closed."""

    def __init__(self, descriptor: Callable[..., int], handle: int) -> None:
        """`descriptor` is the C function that gives the descriptor of `handle`."""
        self._descriptor = descriptor
        self._handle = handle
        self._lock = threading.Lock()
        self._closed = False
        self._wakes = 0
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = set()

    async def until(self, take: Callable[[float], T], timeout: float | None, what: str) -> T:
        """Calls `take(0)` until it raises no MediaTimeout.

        Raises:
            MediaTimeout: `timeout` seconds went by.
            ClosedError: the owner was closed meanwhile.
            HandleError: it was closed before.
        """
        deadline = deadline_of(timeout)
        waited = False
        while True:
            wakes = self._wakes  # what comes after this is not missed
            try:
                return take(0)
            except MediaTimeout:
                pass
            except HandleError as error:
                raise (closed_meanwhile(error) if waited else error) from None
            left = deadline - time.monotonic()
            if left <= 0:
                raise MediaTimeout(f"no {what} came in {timeout} s")
            if waited:
                await asyncio.sleep(_NAP)
            waited = True
            await self._wait(left, wakes)

    async def _wait(self, timeout: float, wakes: int) -> None:
        """Waits until the descriptor is readable, or a moment that is worth another look."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        entry = (loop, future)
        with self._lock:
            if self._closed or self._wakes != wakes:
                return
            # A copy of the descriptor for every waiter: a loop knows one reader a descriptor, and the SDK may close its own.
            descriptor = os.dup(number(c_int32, self._descriptor, self._handle))
            self._waiting.add(entry)
        try:
            loop.add_reader(descriptor, _finish, future)
            timer = None if math.isinf(timeout) else loop.call_later(timeout, _finish, future)
            try:
                await future
            finally:
                loop.remove_reader(descriptor)
                if timer is not None:
                    timer.cancel()
        finally:
            os.close(descriptor)
            with self._lock:
                self._waiting.discard(entry)

    def close(self) -> None:
        """Lets all who wait look once more, and find it closed."""
        with self._lock:
            self._closed = True
        self.wake()

    def wake(self) -> None:
        """Lets all who wait look once more."""
        with self._lock:
            self._wakes += 1
            waiting = list(self._waiting)
        for loop, future in waiting:
            try:
                loop.call_soon_threadsafe(_finish, future)
            except RuntimeError:  # the loop is closed: nobody waits in it any more
                pass


def _finish(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
