"""Errors: every failed call raises one, with the code, its name and the library's error text.

A class with the meaning of a built-in one derives from it, too: ``except TimeoutError`` catches a :class:`MediaTimeout`.
"""
from __future__ import annotations

from .constants import Status


class MediaSDKError(Exception):
    """A call failed.

    Attributes:
        code: the result, a negative number; :class:`Status` has those that are known.
        name: its name, ``"MSDK_E_RANGE"``.
        text: which argument, what it was, what is accepted.
    """

    code: int = Status.FAIL

    def __init__(self, text: str, code: int | None = None) -> None:
        super().__init__(text)
        self.text = text
        if code is not None:
            self.code = code

    @property
    def name(self) -> str:
        try:
            return f"MSDK_E_{Status(self.code).name}"
        except ValueError:
            return "MSDK_E_UNKNOWN"

    def __str__(self) -> str:
        return f"{self.name}: {self.text}" if self.text else self.name

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.text, self.code))


class NoMemoryError(MediaSDKError, MemoryError):
    """Memory, or a pool, is exhausted."""
    code = Status.NOMEM


class InvalidError(MediaSDKError, ValueError):
    """An argument is wrong."""
    code = Status.INVALID


class UnsupportedError(MediaSDKError):
    """Valid, but not supported by this build or this object."""
    code = Status.UNSUPPORTED


class StateError(MediaSDKError):
    """Not in a state in which the call is accepted."""
    code = Status.STATE


class ThreadError(MediaSDKError):
    """Not permitted on this thread."""
    code = Status.THREAD


class AgainError(MediaSDKError, BlockingIOError):
    """Nothing is available, or there is no space, at the moment."""
    code = Status.AGAIN


class MediaTimeout(MediaSDKError, TimeoutError):
    """The timeout elapsed."""
    code = Status.TIMEOUT


class MediaIOError(MediaSDKError, OSError):
    """A file or device failed."""
    code = Status.IO


class RefusedError(MediaSDKError, PermissionError):
    """Refused by the system or by the room."""
    code = Status.PERMISSION


class NotFoundError(MediaSDKError, LookupError):
    """No such name, file or index."""
    code = Status.NOT_FOUND


class ValueTypeError(MediaSDKError, TypeError):
    """A value of another type than declared."""
    code = Status.TYPE


class RangeError(MediaSDKError, ValueError):
    """A number or a format outside what is accepted."""
    code = Status.RANGE


class ClosedError(MediaSDKError):
    """Ended, stopped, or being closed."""
    code = Status.CLOSED


class PluginDiedError(MediaSDKError):
    """The process of an isolated plugin ended."""
    code = Status.PLUGIN_DIED


class DeviceLostError(MediaSDKError):
    """A device went away."""
    code = Status.DEVICE_LOST


class BufferSmallError(MediaSDKError):
    """A buffer is too small."""
    code = Status.BUFFER_SMALL


class HandleError(MediaSDKError):
    """An object that was closed, or ended with its parent."""
    code = Status.HANDLE


class StaleSenderError(MediaSDKError):
    """A frame sender that was replaced: use the new one of the stream."""
    code = Status.STALE


class FormatError(MediaSDKError, ValueError):
    """A frame that is not of the format agreed on."""
    code = Status.FORMAT


class LimitError(MediaSDKError, ValueError):
    """A declared format outside the limits that hold for the stream."""
    code = Status.LIMIT


class ExistsError(MediaSDKError):
    """The name or user id is taken."""
    code = Status.EXISTS


class ForkedError(MediaSDKError):
    """Called in the child of a fork: the child must exec or exit."""
    code = Status.FORKED


class CorruptError(MediaSDKError, ValueError):
    """Data that cannot be parsed or decoded."""
    code = Status.CORRUPT


class PluginABIError(MediaSDKError):
    """A plugin that does not fit this library."""
    code = Status.ABI


class FullError(MediaSDKError):
    """A bound on the number of things is reached: members of a room, filters or renderers of a stream, engines."""
    code = Status.FULL


class RemovedError(MediaSDKError):
    """Removed from the room: by a moderator, or replaced by the same user id."""
    code = Status.REMOVED


class UntrustedError(MediaSDKError):
    """The peer is not the expected one: its certificate, key or token differs."""
    code = Status.UNTRUSTED


_CLASSES: dict[int, type[MediaSDKError]] = {kind.code: kind for kind in MediaSDKError.__subclasses__()}


def error_for(code: int, text: str) -> MediaSDKError:
    """The error of a result, not raised."""
    return _CLASSES.get(code, MediaSDKError)(text, code)


def closed_meanwhile(error: HandleError) -> ClosedError:
    """The error for a caller that is waiting on an object when it is closed."""
    return ClosedError(f"closed while it was waited for: {error.text}")
