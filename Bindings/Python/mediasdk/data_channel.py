"""Messages between the two ends of a session over ``webrtc:``."""
from __future__ import annotations

from ctypes import byref, c_uint8, c_uint32, c_uint64
from typing import TYPE_CHECKING, Iterator

from ._arguments import utf8_or_octets
from ._call import check, number
from ._native import library
from .constants import MessageType, Status

if TYPE_CHECKING:
    from .session import Session


class DataChannel:
    """A data channel (RFC 8831), from :meth:`Session.open_data_channel` or a :class:`DataChannelOpened`.  It ends with the session's
    connection.  Two of them are equal if they are the same channel."""

    def __init__(self, session: Session, id: int) -> None:
        self._session = session
        self._id = id

    @property
    def id(self) -> int:
        """By which the functions of C know it; it is not used again."""
        return self._id

    def send(self, message: str | bytes | bytearray | memoryview) -> None:
        """Sends a text or bytes, and never waits.

        Raises:
            AgainError: too much is not acknowledged yet; :class:`DataChannelLow` says when there is room.
            NotFoundError: it is closed.
            RangeError: it is longer than 262,144 bytes, or than the peer takes.
        """
        kind = MessageType.TEXT if isinstance(message, str) else MessageType.BINARY
        data = utf8_or_octets(message, "message")
        check(library.msdk_session_send_message(self._session._handle, self._id, kind, data, len(data)))

    def read(self) -> str | bytes | None:
        """The oldest message that has come, a text or bytes; None: there is none now, and :class:`MessageAvailable` follows when there is.
        What in a text is not UTF-8 is replaced.

        Raises:
            NotFoundError: it is closed, and all was read.
        """
        kind, needed, size = c_uint32(), c_uint64(), 4096
        while True:
            room = (c_uint8 * size)()
            result = library.msdk_session_read_message(self._session._handle, self._id, byref(kind), room, size, byref(needed))
            if result == Status.AGAIN:
                return None
            if result != Status.BUFFER_SMALL or needed.value <= size:
                check(result)
                data = bytes(memoryview(room)[:needed.value])
                return data.decode(errors="replace") if kind.value == MessageType.TEXT else data
            size = needed.value

    def messages(self) -> Iterator[str | bytes]:
        """All that have come, as :meth:`read` returns them."""
        while (message := self.read()) is not None:
            yield message

    @property
    def unacknowledged_bytes(self) -> int:
        """Bytes of messages that the peer has not acknowledged."""
        return number(c_uint64, library.msdk_session_get_unacknowledged_bytes, self._session._handle, self._id)

    def set_low_threshold(self, bytes: int) -> None:
        """:class:`DataChannelLow` comes when :attr:`unacknowledged_bytes` falls to so many; 0 by default."""
        check(library.msdk_session_set_low_threshold(self._session._handle, self._id, bytes))

    def close(self) -> None:
        """Closes it, when what was sent has arrived; what has come and was not read is dropped.  :class:`DataChannelClosed` follows.

        Raises:
            NotFoundError: it is closed.
        """
        check(library.msdk_session_close_data_channel(self._session._handle, self._id))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DataChannel) and other._id == self._id

    def __hash__(self) -> int:
        return hash(self._id)

    def __repr__(self) -> str:
        return f"<DataChannel {self._id}>"
