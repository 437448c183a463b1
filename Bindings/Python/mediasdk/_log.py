"""The logs of engines as records of the standard logging module, pulled by a thread of Python's."""
from __future__ import annotations

import logging
import os
import select
import threading
import traceback
from ctypes import byref, c_int32

from . import _structs
from ._call import check, decode, number
from ._native import library
from .constants import LogLevel, Status

LOGGER = logging.getLogger("mediasdk")
CATEGORIES = ("session", "room", "video", "audio", "network", "plugin")

_LEVELS = {LogLevel.DEBUG: logging.DEBUG, LogLevel.INFO: logging.INFO, LogLevel.WARN: logging.WARNING, LogLevel.ERROR: logging.ERROR}
_JOIN_SECONDS = 5.0


def configured_level() -> LogLevel:
    """The lowest level that a handler of the program gets; NONE where there is no handler."""
    loggers = [LOGGER, *(LOGGER.getChild(category) for category in CATEGORIES)]
    lowest = min((logger.getEffectiveLevel() for logger in loggers if logger.hasHandlers()), default=logging.CRITICAL + 1)
    return next((level for level, number in _LEVELS.items() if number >= lowest), LogLevel.NONE)


class LogReader:
    """One thread for all engines that log, which ends with the last of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Of the one that hands records over, so that they stay in order; a handler may close an engine, which drains its log.
        self._draining = threading.RLock()
        # By copies of their descriptors, as the SDK closes its own.
        self._engines: dict[int, int] = {}
        self._poller: select.epoll | None = None
        self._thread: threading.Thread | None = None

    def add(self, handle: int) -> None:
        """From now on the engine's records are handed to logging."""
        with self._lock:
            if handle in self._engines.values():
                return
            descriptor = os.dup(number(c_int32, library.msdk_engine_get_log_fd, handle))
            self._engines[descriptor] = handle
            if self._poller is None:
                self._poller = select.epoll()
                self._thread = threading.Thread(target=self._run, args=(self._poller,), name="mediasdk-log", daemon=True)
                self._thread.start()
            self._poller.register(descriptor, select.EPOLLIN)

    def _forget(self, descriptor: int, poller: select.epoll) -> None:
        with self._lock:
            del self._engines[descriptor]
        poller.unregister(descriptor)
        os.close(descriptor)

    def _run(self, poller: select.epoll) -> None:
        while True:
            for descriptor, _ in poller.poll():
                # The end of an engine makes its descriptor readable too.
                if not self.drain(self._engines[descriptor]):
                    self._forget(descriptor, poller)
            with self._lock:
                if not self._engines:
                    self._poller = self._thread = None
                    poller.close()
                    return

    def drain(self, handle: int) -> bool:
        """Hands over what is queued, after what another thread is handing over; False when the engine is destroyed."""
        # Not for ever: a handler may wait for the thread that closes the engine.
        is_alone = self._draining.acquire(timeout=_JOIN_SECONDS)
        try:
            return _drain(handle)
        finally:
            if is_alone:
                self._draining.release()

    def join(self) -> None:
        """Of the interpreter's end: all engines are closed."""
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(_JOIN_SECONDS)

    def forget_all(self) -> None:
        """In the child of a fork, which has neither the thread nor engines that work."""
        self._lock, self._draining = threading.Lock(), threading.RLock()
        self._engines.clear()
        self._poller = self._thread = None


def _drain(handle: int) -> bool:
    struct = _structs.LogRecord()
    while (result := library.msdk_engine_next_log_record(handle, 0, byref(struct))) == Status.OK:
        _emit(struct)
    return bool(result == Status.AGAIN)


def _emit(struct: _structs.LogRecord) -> None:
    if struct.dropped:
        _log(LOGGER, logging.WARNING, f"{struct.dropped} records were dropped, as they were not read in time", struct.timestamp_ns)
    _log(LOGGER.getChild(decode(struct.category)), _LEVELS.get(struct.level, logging.ERROR), decode(struct.text), struct.timestamp_ns)


def _log(logger: logging.Logger, level: int, text: str, timestamp_ns: int) -> None:
    if not logger.isEnabledFor(level):
        return
    try:
        logger.handle(logger.makeRecord(logger.name, level, "mediasdk", 0, text, (), None, extra={"timestamp_ns": timestamp_ns}))
    except Exception:  # of a program's filter or handler: it must not end the log
        if logging.raiseExceptions:
            traceback.print_exc()


def set_level(handle: int, level: LogLevel) -> None:
    """Of an engine; the first level above NONE makes the thread read its log."""
    check(library.msdk_engine_set_log_level(handle, level))
    if level != LogLevel.NONE:
        reader.add(handle)


reader = LogReader()
os.register_at_fork(after_in_child=reader.forget_all)
