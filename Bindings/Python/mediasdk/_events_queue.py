"""The events of a session in order: those that were read ahead, then those of the SDK's queue."""
from __future__ import annotations

import os
import select
import threading
from collections import deque
from ctypes import byref, c_int32
from dataclasses import replace
from typing import Callable

from . import _structs
from ._call import failure, number, pull
from ._native import library
from .constants import Status
from .events import Event
from .readiness import Readiness

_next_event = library.msdk_session_next_event

_KEPT = 1  # what a look at the SDK's queue gives instead, when an event was read ahead
_CAPACITY = 1024


_EventOf = Callable[[_structs.Event], Event]


class EventQueue:
    """Made by a session, whose method makes events of structs; it is not kept here, as the two would then refer to each other."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._readiness = Readiness(library.msdk_session_get_event_fd, handle)
        self._kept: deque[Event] = deque()
        self._lock = threading.Lock()
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
            result = pull(lambda milliseconds: _KEPT if self._kept else _next_event(self._handle, milliseconds, byref(struct)), timeout)
            if result < 0:
                raise failure(result)
            if result != _KEPT:
                return event_of(struct)

    async def take_async(self, event_of: _EventOf, timeout: float | None) -> Event:
        return await self._readiness.until(lambda seconds: self.take(event_of, seconds), timeout, "event")

    def read_ahead(self, event_of: _EventOf) -> None:
        """Reads all events that are queued, which lets the session learn of them, and keeps them for the next reader."""
        struct = _structs.Event()
        while _next_event(self._handle, 0, byref(struct)) == Status.OK:
            self.add(event_of(struct))

    def add(self, event: Event) -> None:
        """Puts an event before those that the SDK still has.  As in its own queue, the oldest is dropped when there are too many."""
        with self._lock:
            self._kept.append(event)
            if len(self._kept) > _CAPACITY:
                self._kept.popleft()
                self._kept[0] = replace(self._kept[0], lost=True)
            if self._pipe is not None and len(self._kept) == 1:
                os.write(self._pipe[1], b"!")
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
        with self._lock:
            self._kept.clear()
            poller, self._poller = self._poller, None
            pipe, self._pipe = self._pipe, None
        self._readiness.close()
        if poller is not None:
            poller.close()
        for descriptor in pipe or ():
            os.close(descriptor)

    def __del__(self) -> None:
        if getattr(self, "_pipe", None) is not None:
            self.close()
