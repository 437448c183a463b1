"""Between Python's arguments and C's: results to errors, texts, numbers, timeouts."""
from __future__ import annotations

import math
import os
import time
from ctypes import byref, c_void_p
from typing import Any, Callable

from ._arguments import fitting, half_a_character, real
from ._native import library
from .constants import Status
from .errors import HandleError, InvalidError, MediaSDKError, closed_meanwhile, error_for

# Python sees a signal between two calls only, so that a long wait is a row of short ones; Ctrl-C takes at most this long.
SLICE_MS = 200

_last_error = library.msdk_last_error


def failure(result: int) -> MediaSDKError:
    """The error for a negative result of the call that this thread has just made."""
    return error_for(result, decode(_last_error()))


def check(result: int) -> int:
    """Raises for a negative result."""
    if result < 0:
        raise failure(result)
    return result


def created(function: Callable[..., int], *arguments: Any) -> int:
    """Calls a function whose last argument receives a handle or a frame, and gives that."""
    out = c_void_p()
    check(function(*arguments, byref(out)))
    return out.value or 0


def filled(kind: Any, function: Callable[..., int], *arguments: Any) -> Any:
    """Calls a function whose last argument is a sized struct to fill, and gives that."""
    out = kind()
    check(function(*arguments, byref(out)))
    return out


def number(kind: Any, function: Callable[..., int], *arguments: Any) -> int:
    """Calls a function whose last argument receives a number, and gives that."""
    out = kind()
    check(function(*arguments, byref(out)))
    return int(out.value)


def listed(kind: Any, function: Callable[..., int], *arguments: Any, never_empty: bool = False) -> list[Any]:
    """All that a function of an index gives until MSDK_E_NOT_FOUND, which as the first answer may be an error instead."""
    structs: list[Any] = []
    while True:
        out = kind()
        result = function(*arguments, len(structs), byref(out))
        if result == Status.NOT_FOUND and (structs or not never_empty):
            return structs
        check(result)
        structs.append(out)


def decode(text: bytes | None) -> str:
    return (text or b"").decode("utf-8", "replace")


def encode(text: str | os.PathLike[str], name: str) -> bytes:
    """Text for C, where a NUL inside it would end it unseen."""
    if isinstance(text, os.PathLike):
        text = os.fspath(text)
    if not isinstance(text, str):
        raise InvalidError(f"{name} is {type(text).__name__}; a str is accepted")
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise half_a_character(name, error) from None
    if b"\0" in data:
        raise InvalidError(f"{name} has a NUL character at byte {data.index(0)}; text without is accepted")
    return data


def bounded(value: int, bits: int, name: str) -> int:
    """A number that fits an unsigned C argument; ctypes would cut it unseen."""
    return fitting(value, 0, (1 << bits) - 1, name)


def nanoseconds(value: int, name: str) -> int:
    """A time that fits int64_t."""
    return fitting(value, -(1 << 63), (1 << 63) - 1, name)


def sized(kind: Any, /, **members: Any) -> Any:
    """A sized struct with the members given."""
    return kind(**members)


def deadline_of(timeout: float | None) -> float:
    """When `timeout` seconds from now are over, on the clock time.monotonic()."""
    if timeout is None:
        return math.inf
    seconds = real(timeout, "timeout", "a number of seconds from 0, or None for no limit,")
    if seconds >= 0:
        return time.monotonic() + seconds
    raise InvalidError(f"timeout is {timeout}; seconds from 0, or None for no limit, are accepted")


def wait(attempt: Callable[[int], int], timeout: float | None) -> int:
    """Calls attempt(milliseconds) until it gives something else than MSDK_E_TIMEOUT or `timeout` seconds are over (None: never).  Of
    an object that is closed between two calls the result is MSDK_E_CLOSED, as it is within one."""
    deadline = deadline_of(timeout)
    waited = False
    while True:
        left = (deadline - time.monotonic()) * 1000
        try:
            result = attempt(max(0, math.ceil(min(left, SLICE_MS))))
        except HandleError as error:
            raise (closed_meanwhile(error) if waited else error) from None
        if result == Status.HANDLE and waited:
            return Status.CLOSED
        if result != Status.TIMEOUT or left <= SLICE_MS:
            return result
        waited = True


def pull(attempt: Callable[[int], int], timeout: float | None) -> int:
    """The same of what is taken from a queue: that nothing is there is MSDK_E_TIMEOUT with a timeout of 0, too."""
    result = wait(attempt, timeout)
    return Status.TIMEOUT if result == Status.AGAIN else result


def taken(read: Callable[..., int], handle: int, timeout: float | None) -> int:
    """What a function read(handle, milliseconds, out) of the C library gives within `timeout` seconds."""
    out = c_void_p()
    if timeout != 0:
        deadline_of(timeout)
    result = read(handle, 0, byref(out))
    if result == Status.AGAIN:
        result = Status.TIMEOUT if timeout == 0 else pull(lambda milliseconds: read(handle, milliseconds, byref(out)), timeout)
    if result < 0:
        raise failure(result)
    return out.value or 0
