"""Giving audio to a stream as fast as it takes it: the same steps for threads, which sleep between them, and for asyncio.

The steps are generators that yield how many seconds to wait before they go on, and return when they are done.
"""
from __future__ import annotations

import asyncio
import threading
import time
from ctypes import c_int64, c_uint32
from typing import TYPE_CHECKING, Callable, Generator, Tuple, TypeVar

from ._call import check, deadline_of, number
from ._memory import Buffer
from ._native import library
from .constants import OutgoingState, Status
from .errors import HandleError, StateError, closed_meanwhile

if TYPE_CHECKING:
    from .outgoing_audio import OutgoingAudio

_send = library.msdk_outgoing_audio_send
_flush = library.msdk_outgoing_audio_flush
_queued = library.msdk_outgoing_audio_get_queued
_state = library.msdk_outgoing_audio_get_state

T = TypeVar("T")
# Yields seconds to wait and what would be returned if the time were over.
Steps = Generator[Tuple[float, T], None, T]

_SHORTEST, _LONGEST = 0.001, 0.1  # a look at the queue at least so often: it may have been flushed, or the clock be a virtual one
_DEFAULT_QUEUE_MS = 500


class Writing:
    """What a stream has been given and has not taken yet: less than one buffer."""

    def __init__(self, stream: OutgoingAudio, queue_ms: int) -> None:
        # The handle and not the stream, which would refer to itself.
        self._handle = stream._handle
        self._size = stream.buffer_size
        self._buffer_ns = stream.format.duration_ns(stream.format.frames_per_buffer)
        self._queue_ns = max((queue_ms or _DEFAULT_QUEUE_MS) * 1_000_000, self._buffer_ns)
        self._rest = bytearray()
        self._flushes = 0
        self._lock = threading.Lock()  # no buffer of a former write is sent after a flush

    def write(self, data: memoryview) -> Steps[int]:
        """Sends all whole buffers in what was kept and `data`, and keeps the rest; gives how many bytes of `data` were taken."""
        done, flushes = 0, self._flushes
        while True:
            with self._lock:
                if flushes != self._flushes:
                    return done
                needed = self._size - len(self._rest)
                if len(data) - done < needed:
                    self._check_started()  # nothing else calls the library with it before the buffer is whole
                    self._rest += data[done:]
                    return len(data)
                piece = data[done:done + needed]
                if self._sent(bytes(self._rest) + piece.tobytes() if self._rest else piece):
                    done += needed
                    continue
            yield self._until_room(), done

    def finish(self) -> Steps[bool]:
        """Sends what was kept, padded."""
        flushes = self._flushes
        while True:
            with self._lock:
                if not self._rest or flushes != self._flushes or self._sent(bytes(self._rest).ljust(self._size, b"\0")):
                    return True
            yield self._until_room(), False

    def attempts(self, attempt: Callable[[], int]) -> Steps[bool]:
        """Calls `attempt` until it finds room."""
        while True:
            result = attempt()
            if result != Status.AGAIN:
                check(result)
                return True
            yield self._until_room(), False

    def played(self, attempt: Callable[[], int]) -> Steps[bool]:
        """Calls `attempt` until its time has come."""
        while True:
            result = attempt()
            if result != Status.AGAIN:
                check(result)
                return True
            yield self._seconds(self._queued_now()), False

    def flush(self) -> None:
        with self._lock:
            self._flushes += 1
            self._rest.clear()
            check(_flush(self._handle))

    def _sent(self, piece: bytes | memoryview) -> bool:
        """Sends a buffer that begins with what was kept; gives whether there was room."""
        buffer = Buffer(piece)
        result = _send(self._handle, buffer.address, buffer.size, 0, 0, None, None)
        if result == Status.AGAIN:
            return False
        if result >= 0 or result == Status.INVALID:  # kept, a bad sample would make every write from now on fail
            self._rest.clear()
        check(result)
        return True

    def _check_started(self) -> None:
        state = OutgoingState(number(c_uint32, _state, self._handle))
        if state != OutgoingState.STARTED:
            self._rest.clear()
            raise StateError(f"the stream is {state.name}; samples are accepted while it is STARTED")

    def _queued_now(self) -> int:
        return number(c_int64, _queued, self._handle)

    def _until_room(self) -> float:
        return self._seconds(self._queued_now() + self._buffer_ns - self._queue_ns)

    @staticmethod
    def _seconds(nanoseconds: int) -> float:
        return min(max(nanoseconds / 1e9, _SHORTEST), _LONGEST)


def _pauses(steps: Steps[T], timeout: float | None) -> Generator[float, None, T]:
    """The pauses until the steps are done or `timeout` seconds are over."""
    deadline = deadline_of(timeout)
    waited = False
    while True:
        try:
            pause, so_far = next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        except HandleError as error:
            raise (closed_meanwhile(error) if waited else error) from None
        left = deadline - time.monotonic()
        if left <= 0:
            return so_far
        pause = min(pause, left)
        waited = True
        yield pause


def paced(steps: Steps[T], timeout: float | None) -> T:
    """Does the steps on this thread."""
    pauses = _pauses(steps, timeout)
    while True:
        try:
            time.sleep(next(pauses))
        except StopIteration as end:
            result: T = end.value
            return result


async def asleep(steps: Steps[T], timeout: float | None) -> T:
    """Does the steps in an asyncio task, which may be cancelled between them."""
    pauses = _pauses(steps, timeout)
    while True:
        try:
            pause = next(pauses)
        except StopIteration as end:
            result: T = end.value
            return result
        await asyncio.sleep(pause)
