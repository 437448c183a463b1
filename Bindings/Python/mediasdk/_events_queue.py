"""The events of a session in order: those that were read ahead, then those of the SDK's queue."""
from __future__ import annotations

import math
import os
import select
import threading
import time
from collections import deque
from ctypes import byref, c_int32
from dataclasses import replace
from typing import Callable, TypeVar

from . import _structs
from ._call import SLICE_MS, deadline_of, failure, number, pull
from ._native import library
from .constants import Status
from .errors import HandleError, MediaSDKError, MediaTimeout, closed_meanwhile, error_for
from .events import Event
from .readiness import Readiness

_next_event = library.msdk_session_next_event

_KEPT = 1  # what a look at the SDK's queue gives instead, when an event was read ahead
_CAPACITY = 1024


T = TypeVar("T")
_EventOf = Callable[[_structs.Event], Event]


class EventQueue:
    """Made by a session, whose method makes events of structs; it is not kept here, as the two would then refer to each other."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._readiness = Readiness(library.msdk_session_get_event_fd, handle)
        self._kept: deque[Event] = deque()
        self._closed = False
        self._lock = threading.Lock()
        # How many threads wait in the SDK for an event of their own; and whether one waits there for what an event announces.  That one
        # keeps the events for the others, who wait here meanwhile: so the events stay in order.
        self._changed = threading.Condition(self._lock)
        self._readers = 0
        self._is_collecting = False
        self._announcements = 0
        # Made when somebody first asks for a descriptor: readable when the SDK's is, or while something is kept.
        self._poller: select.epoll | None = None
        self._pipe: tuple[int, int] | None = None

    def take(self, event_of: _EventOf, timeout: float | None) -> Event:
        """The oldest event."""
        struct = _structs.Event()
        while True:
            kept = self._take_kept()
            if kept is not None:
                return kept
            result = pull(lambda milliseconds: self._next(milliseconds, struct), timeout)
            if result == Status.TIMEOUT:
                raise MediaTimeout(f"no event came in {timeout} s")
            if result < 0:
                raise self._failure(result)
            if result != _KEPT:
                return event_of(struct)

    async def take_async(self, event_of: _EventOf, timeout: float | None) -> Event:
        return await self._readiness.until(lambda seconds: self.take(event_of, seconds), timeout, "event")

    def _failure(self, result: int) -> MediaSDKError:
        return error_for(result, "the session is closed") if self._closed else failure(result)

    def _next(self, milliseconds: int, struct: _structs.Event) -> int:
        """The SDK's result for the next event; _KEPT: one is kept."""
        end, is_reading = time.monotonic() + milliseconds / 1000, False
        try:
            with self._changed:
                while self._is_collecting and not self._kept:
                    left = end - time.monotonic()
                    if left <= 0:
                        return Status.TIMEOUT
                    self._changed.wait(left)
                if self._kept:
                    return _KEPT
                is_reading = True
                self._readers += 1
            return int(_next_event(self._handle, max(0, math.ceil((end - time.monotonic()) * 1000)), byref(struct)))
        finally:
            if is_reading:
                with self._changed:
                    self._readers -= 1
                    self._changed.notify_all()

    # ------------------------------------------------------------------------------------------- what events announce

    def until(self, event_of: _EventOf, take: Callable[[], T | None], timeout: float | None, what: str) -> T:
        """What `take` gives as soon as it is not None.  It is called again when events have come, which are kept for their reader.

        Raises:
            MediaTimeout: `timeout` seconds went by.
            ClosedError: the session was closed meanwhile.
            HandleError: it was closed before.
        """
        deadline, struct, waited = deadline_of(timeout), _structs.Event(), False
        try:
            while True:
                announcements = self._announcements  # what comes after this is not missed
                found = take()
                if found is not None:
                    return found
                left = deadline - time.monotonic()
                if left <= 0:
                    raise MediaTimeout(f"no {what} came in {timeout} s")
                waited = True
                self._collect(event_of, struct, min(left, SLICE_MS / 1000), announcements)
        except HandleError as error:
            raise (closed_meanwhile(error) if waited else error) from None

    async def until_async(self, event_of: _EventOf, take: Callable[[], T | None], timeout: float | None, what: str) -> T:
        """:meth:`until` for asyncio."""

        def look(_: float) -> T:
            while True:
                found = take()
                if found is not None:
                    return found
                # Events make the descriptor readable; where another thread takes them, it wakes this task.
                if self._readers or not self.read_ahead(event_of):
                    raise MediaTimeout(f"no {what}")

        return await self._readiness.until(look, timeout, what)

    def announce(self) -> None:
        """An event was taken that announces something: lets all who wait for that look once more."""
        with self._changed:
            self._announcements += 1
            self._changed.notify_all()
        self._readiness.wake()

    def _collect(self, event_of: _EventOf, struct: _structs.Event, seconds: float, announcements: int) -> None:
        """Waits for an event, and keeps it; where another thread waits for one, waits for what that announces."""
        is_collecting = False
        try:
            with self._changed:
                if self._announcements != announcements:
                    return
                if self._is_collecting or self._readers:
                    self._changed.wait(seconds)
                    return
                is_collecting = self._is_collecting = True
            result = _next_event(self._handle, math.ceil(seconds * 1000), byref(struct))
            if result >= 0:
                self.add(event_of(struct))
            elif result not in (Status.AGAIN, Status.TIMEOUT):
                raise self._failure(result)
        finally:
            if is_collecting:
                with self._changed:
                    self._is_collecting = False
                    self._changed.notify_all()

    # -------------------------------------------------------------------------------------------------- what is kept

    def read_ahead(self, event_of: _EventOf) -> bool:
        """Reads all events that are queued, which lets the session learn of them, and keeps them for the next reader.  Gives whether there
        were any."""
        struct, found = _structs.Event(), False
        while not self._is_collecting and _next_event(self._handle, 0, byref(struct)) == Status.OK:
            self.add(event_of(struct))
            found = True
        return found

    def add(self, event: Event) -> None:
        """Puts an event before those that the SDK still has.  As in its own queue, the oldest is dropped when there are too many."""
        with self._changed:
            self._kept.append(event)
            if len(self._kept) > _CAPACITY:
                self._kept.popleft()
                self._kept[0] = replace(self._kept[0], lost=True)
            if self._pipe is not None and len(self._kept) == 1:
                os.write(self._pipe[1], b"!")
            self._changed.notify_all()
        self._readiness.wake()

    def _take_kept(self) -> Event | None:
        with self._lock:
            if not self._kept:
                return None
            event = self._kept.popleft()
            if self._pipe is not None and not self._kept:
                os.read(self._pipe[0], 1)
            return event

    def fileno(self) -> int:
        if self._closed:
            raise HandleError("the session is closed")
        descriptor = number(c_int32, library.msdk_session_get_event_fd, self._handle)
        with self._lock:
            if self._poller is None:
                self._poller, self._pipe = select.epoll(), os.pipe2(os.O_CLOEXEC)
                for one in (descriptor, self._pipe[0]):
                    self._poller.register(one, select.EPOLLIN)
                if self._kept:
                    os.write(self._pipe[1], b"!")
            return self._poller.fileno()

    def close(self) -> None:
        """Of a session that is closed: lets all who wait find that out, and drops what was read ahead."""
        with self._changed:
            self._closed = True
            self._kept.clear()
            poller, self._poller = self._poller, None
            pipe, self._pipe = self._pipe, None
            self._changed.notify_all()
        self._readiness.close()
        if poller is not None:
            poller.close()
        for descriptor in pipe or ():
            os.close(descriptor)

    def __del__(self) -> None:
        if getattr(self, "_pipe", None) is not None:
            self.close()
