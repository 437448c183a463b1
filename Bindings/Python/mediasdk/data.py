"""Data that the participants of a room send each other beside streams."""
from __future__ import annotations

from ctypes import byref, c_uint8
from dataclasses import dataclass
from typing import Iterable

from . import _structs
from ._call import check, decode, encode
from ._lists import set_recipients
from ._memory import Buffer
from ._native import library
from .constants import DataFlag, Status

_send = library.msdk_session_send_data
_read = library.msdk_session_read_data

_FIRST_SIZE = 4096  # bytes of the buffer for a message of unknown size


@dataclass(frozen=True)
class Data:
    """Data that has come, from :meth:`Session.read_data`.

    Attributes:
        data: the bytes, up to 65,536.
        user_id: who sent it; "": the room's server.
        topic: "": none.  One of another program that is longer than DATA_TOPIC_MAX bytes is cut.
        is_lossy: its sender accepted that it may be lost, or overtake other data.
        missed: messages that have come since the one that was read before, and were dropped as the program did not read in time.
    """

    data: bytes
    user_id: str
    topic: str = ""
    is_lossy: bool = False
    missed: int = 0


def send(handle: int, data: bytes | bytearray | memoryview, topic: str, to: str | Iterable[str] | None, lossy: bool) -> None:
    """:meth:`Session.send_data` of the session with that handle."""
    buffer = Buffer(data)
    options = _structs.DataOptions(flags=DataFlag.LOSSY if lossy else 0, topic=encode(topic, "topic"))
    set_recipients(options, to)
    check(_send(handle, byref(options), buffer.address, buffer.size))


def read(handle: int) -> Data | None:
    """:meth:`Session.read_data` of the session with that handle."""
    size = _FIRST_SIZE
    while True:
        message, buffer = _structs.DataMessage(), (c_uint8 * size)()
        result = _read(handle, byref(message), buffer, size)
        if result == Status.AGAIN:
            return None
        if result != Status.BUFFER_SMALL or message.size <= size:
            check(result)
            return Data(bytes(memoryview(buffer)[:message.size]), decode(message.user_id), decode(message.topic),
                        bool(message.flags & DataFlag.LOSSY), message.missed)
        size = message.size
