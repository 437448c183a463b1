"""Texts and files of any length that the participants of a room send each other."""
from __future__ import annotations

from contextlib import suppress
from ctypes import Array, byref, c_char_p, c_uint8, c_uint64
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Iterable, Iterator, Mapping
from uuid import uuid4

from . import _structs
from ._arguments import octets
from ._call import bounded, check, decode, encode, listed, sized
from ._lists import set_attributes, set_recipients, texts
from ._memory import Buffer
from ._native import library
from .constants import DATA_STREAM_CHUNK_MAX, DataPart, DataStreamType, Status
from .errors import AgainError, MediaSDKError

if TYPE_CHECKING:
    from .session import Session

_read = library.msdk_session_data_stream_read

_FIRST_SIZE = 16384  # bytes of the buffer for a chunk of unknown size
_ABORTING = 5.0  # seconds to wait for room for the end of a stream whose block was left by an exception


@dataclass(frozen=True)
class DataStreamPart:
    """A part of a stream of another participant, from :meth:`DataStreams.read`.

    Attributes:
        part: BEGAN, CHUNK, ENDED or ABORTED.
        stream: the number of the stream, by which its parts belong together.
        type: TEXT or BYTES.
        user_id: who sends it.
        topic: "": none.
        data: of a chunk; else empty.
        id: its sender's id of it.  Two senders may have the same one.
        reply_to: of BEGAN, and of a text: the id of the text that it responds to; "": none.
        attachments: of BEGAN, and of a text: ids of files of the same sender that belong to it.  They come as streams of bytes.
        name: of a file; "": none.  It is the sender's text: check it before it becomes a path.
        mime_type: as the sender says.
        total_size: bytes of all chunks, as the sender says; None: not known.
        attributes: of BEGAN and ENDED, with which the sender may have changed them; else empty.
        began: when, by the sender's clock: seconds since 1970.
        text: of ABORTED: why, for people; else "".
        missed: streams that began since the part that was read before, and were dropped as there were too many.
    """

    part: DataPart
    stream: int
    type: DataStreamType
    user_id: str
    topic: str = ""
    data: bytes = b""
    name: str = ""
    mime_type: str = ""
    total_size: int | None = None
    attributes: dict[str, str] = field(default_factory=dict)
    began: float = 0.0
    text: str = ""
    missed: int = 0
    id: str = ""
    reply_to: str = ""
    attachments: tuple[str, ...] = ()


class DataStreamWriter:
    """A stream that this session sends, from :meth:`DataStreams.open_text` or :meth:`DataStreams.open_bytes`.  Used with ``with``, it is
    complete at the end of the block, and aborted by an exception, which goes on whether or not the receivers can be notified."""

    def __init__(self, session: Session, number: int, id: str) -> None:
        self._session = session
        self._number = number
        self._id = id

    @property
    def number(self) -> int:
        """The number of the stream in its session."""
        return self._number

    @property
    def id(self) -> str:
        """Its id in the room, by which texts refer to it: ``reply_to`` and ``attachments`` of :meth:`DataStreams.open_text`."""
        return self._id

    def write(self, data: str | bytes | bytearray | memoryview, timeout: float | None = None) -> None:
        """Sends a text, or bytes, in as many chunks as are needed, and waits for room between them.  Events that come meanwhile can be read
        afterwards, or by another thread.

        Args:
            timeout: seconds to wait for room for a chunk; 0: does not wait; None: no limit.

        Raises:
            MediaTimeout: there was none in time.  Chunks before it were sent.
            RangeError: the stream would be longer than its size.
            InvalidError: it is a text, and the bytes are not UTF-8.
            ValueTypeError: the data is neither a str nor bytes.
            NotFoundError: it is closed, the session has left the room, or all of its recipients have.
            RefusedError, StateError: as :meth:`Session.send_data`.
        """
        for chunk in _chunks(data):
            self._session._events.until(self._session._event, partial(self._try, chunk), timeout, "room for data")

    async def write_async(self, data: str | bytes | bytearray | memoryview, timeout: float | None = None) -> None:
        """:meth:`write` for asyncio."""
        for chunk in _chunks(data):
            await self._session._events.until_async(self._session._event, partial(self._try, chunk), timeout, "room for data")

    def close(self, reason: str = "", timeout: float | None = None) -> None:
        """Ends the stream: it is complete, or not, for a reason that its receivers get.  Waits for room as :meth:`write`.

        Raises:
            StateError: it is not complete: less than its size was written.
            MediaTimeout, NotFoundError, RefusedError: as :meth:`write`.
        """
        self._session._events.until(self._session._event, lambda: self._try(None, reason), timeout, "room for data")

    async def close_async(self, reason: str = "", timeout: float | None = None) -> None:
        """:meth:`close` for asyncio."""
        await self._session._events.until_async(self._session._event, lambda: self._try(None, reason), timeout, "room for data")

    def _try(self, chunk: bytes | None, reason: str = "") -> bool | None:
        """None: there is no room now.  Without a chunk it is closed."""
        try:
            if chunk is None:
                check(library.msdk_session_data_stream_close(self._session._handle, self._number, encode(reason, "reason")))
            else:
                buffer = Buffer(chunk)
                check(library.msdk_session_data_stream_write(self._session._handle, self._number, buffer.address, buffer.size))
        except AgainError:
            return None
        return True

    def __enter__(self) -> DataStreamWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            return self.close()
        # What has gone wrong in the block says more than that it cannot be reported.
        with suppress(MediaSDKError):
            self.close((str(error) or kind.__name__)[:60], _ABORTING)

    def __repr__(self) -> str:
        return f"<DataStreamWriter {self._id} of {self._session.user_id}>"


class DataStreams:
    """Texts and files to and from others in the room: :attr:`Session.data_streams`.  Rooms of ``loopback:`` and ``livekit+wss:`` have them;
    senders need :attr:`Permission.SEND_DATA`.  Every method raises UnsupportedError in other rooms.  They are the text streams and byte
    streams of LiveKit's SDKs."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def open_text(
        self, topic: str = "", *, to: str | Iterable[str] | None = None, attributes: Mapping[str, str] | None = None,
        total_size: int | None = None, mime_type: str = "", id: str | None = None, reply_to: str = "", attachments: Iterable[str] = ()
    ) -> DataStreamWriter:
        """Begins a text.

        Args:
            topic: up to DATA_TOPIC_MAX bytes.
            to: the user id of a participant, or several; None: everybody else.
            attributes: texts by key for the program that receives it, up to ATTRIBUTES_MAX.
            total_size: bytes of the whole text in UTF-8; None or 0: not known.
            mime_type: "": text/plain.
            id: 1 to DATA_STREAM_ID_MAX bytes, unique among the session's streams; None: a random one.
            reply_to: the id of the text that it responds to; "": none.
            attachments: ids of files that belong to it, up to DATA_STREAM_ATTACHMENTS_MAX: of :meth:`open_bytes`, before or after it.

        Raises:
            AgainError, NotFoundError, RefusedError, StateError, RangeError, InvalidError: as :meth:`Session.send_data`.
            FullError: the session has 256 open streams.
            ExistsError: one of them has that id.
        """
        return self._open(DataStreamType.TEXT, topic, to, attributes, total_size, mime_type, id, reply_to=encode(reply_to, "reply_to"),
                          attachments=texts([attachments] if isinstance(attachments, str) else attachments, "attachments"))

    def open_bytes(
        self, topic: str = "", *, name: str = "", to: str | Iterable[str] | None = None, attributes: Mapping[str, str] | None = None,
        total_size: int | None = None, mime_type: str = "", id: str | None = None
    ) -> DataStreamWriter:
        """Begins bytes, such as a file.

        Args:
            name: of the file.
            total_size: bytes of all chunks; None or 0: not known.
            mime_type: "": application/octet-stream.
            topic, to, attributes, id: as :meth:`open_text`.

        Raises:
            AgainError, NotFoundError, RefusedError, StateError, RangeError, InvalidError, FullError, ExistsError: as :meth:`open_text`.
        """
        return self._open(DataStreamType.BYTES, topic, to, attributes, total_size, mime_type, id, name=encode(name, "name"))

    def _open(
        self, type: DataStreamType, topic: str, to: str | Iterable[str] | None, attributes: Mapping[str, str] | None, total_size: int | None,
        mime_type: str, id: str | None, attachments: Array[c_char_p] | None = None, **more: bytes
    ) -> DataStreamWriter:
        id = str(uuid4()) if id is None else id
        options = sized(_structs.DataStreamOptions, type=type, topic=encode(topic, "topic"), mime_type=encode(mime_type, "mime_type"),
                        total_size=bounded(total_size or 0, 64, "total_size"), id=encode(id, "id"), **more)
        set_recipients(options, to)
        set_attributes(options, attributes)
        if attachments is not None:
            options.attachments, options.attachment_count = attachments, len(attachments)
        number = c_uint64()
        check(library.msdk_session_data_stream_open(self._session._handle, byref(options), byref(number)))
        return DataStreamWriter(self._session, number.value, id)

    def accept(self, topic: str | None = None) -> None:
        """Streams of that topic that begin from now on are received, in every room that the session joins; None: of every topic.  Others are
        dropped.

        Raises:
            ExistsError: they are received already.
            LimitError: 256 topics are.
            InvalidError: the topic is longer than DATA_TOPIC_MAX bytes.
        """
        check(library.msdk_session_data_stream_accept(self._session._handle, None if topic is None else encode(topic, "topic")))

    def read(self) -> DataStreamPart | None:
        """The oldest part that has come; None: there is none now, and :class:`DataStreamAvailable` follows when there is."""
        size = _FIRST_SIZE
        while True:
            part, buffer = _structs.DataStreamPart(), (c_uint8 * size)()
            result = _read(self._session._handle, byref(part), buffer, size)
            if result == Status.AGAIN:
                return None
            if result != Status.BUFFER_SMALL or part.size <= size:
                check(result)
                return self._part(part, bytes(memoryview(buffer)[:part.size]))
            size = part.size

    def _part(self, part: _structs.DataStreamPart, data: bytes) -> DataStreamPart:
        kind, attributes = DataPart(part.part), {}
        attachments: tuple[str, ...] = ()
        if kind in (DataPart.BEGAN, DataPart.ENDED) and part.attribute_count:
            attributes = {decode(one.key): decode(one.value) for one in listed(
                _structs.Attribute, library.msdk_session_data_stream_attribute_at, self._session._handle, part.stream)}
        if kind == DataPart.BEGAN and part.attachment_count:
            attachments = tuple(decode(one.id) for one in listed(
                _structs.DataStreamAttachment, library.msdk_session_data_stream_attachment_at, self._session._handle, part.stream))
        return DataStreamPart(kind, part.stream, DataStreamType(part.type), decode(part.user_id), decode(part.topic), data, decode(part.name),
                              decode(part.mime_type), part.total_size or None, attributes, part.began_ms / 1000, decode(part.text), part.missed,
                              decode(part.id), decode(part.reply_to) if kind == DataPart.BEGAN else "", attachments)

    def __repr__(self) -> str:
        return f"<DataStreams of {self._session.user_id}>"

    def next(self, timeout: float | None = None) -> DataStreamPart:
        """Takes the oldest part that has come.  Events that come meanwhile can be read afterwards, or by another thread.

        Args:
            timeout: seconds to wait; 0: does not wait; None: no limit.

        Raises:
            MediaTimeout: none came.
            ClosedError: the session was closed meanwhile.
            HandleError: it was closed before.
        """
        return self._session._events.until(self._session._event, self.read, timeout, "part of a stream of data")

    async def next_async(self, timeout: float | None = None) -> DataStreamPart:
        """:meth:`next` for asyncio."""
        return await self._session._events.until_async(self._session._event, self.read, timeout, "part of a stream of data")


def _chunks(data: str | bytes | bytearray | memoryview) -> Iterator[bytes]:
    """Of a text with whole characters."""
    encoded = encode(data, "data") if isinstance(data, str) else octets(data, "data", "a str, bytes, or another buffer of bytes")
    place = 0
    while place < len(encoded):
        end = place + DATA_STREAM_CHUNK_MAX
        if isinstance(data, str):
            while end < len(encoded) and encoded[end] & 0xC0 == 0x80:
                end -= 1
        yield encoded[place:end]
        place = end
