"""Remote procedure calls between the participants of a room."""
from __future__ import annotations

from ctypes import byref, c_uint64, create_string_buffer
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _structs
from ._arguments import duration, real
from ._call import bounded, check, decode, encode
from ._native import library
from .constants import RpcKind, Status
from .errors import InvalidError

if TYPE_CHECKING:
    from .session import Session

_read = library.msdk_session_rpc_read

_FIRST_SIZE = 4096  # bytes of the buffer for a payload of unknown size


@dataclass(frozen=True)
class RpcMessage:
    """A request of another participant, or the result of a call, from :meth:`Rpc.read`.

    Attributes:
        kind: REQUEST, RESPONSE or FAILURE.
        call: the number of the call: what :meth:`Rpc.call` returned, or of a request what :meth:`Rpc.respond` takes.
        user_id: the other participant.
        payload: a text, such as JSON.
        method: of a request; else "".
        timeout: of a request: seconds for the response, from when it came; else 0.
        code: of a failure: an :class:`RpcErrorCode`, or a number of the other program's; else 0.
        text: of a failure, for people; else "".
    """

    kind: RpcKind
    call: int
    user_id: str
    payload: str = ""
    method: str = ""
    timeout: float = 0.0
    code: int = 0
    text: str = ""


class Rpc:
    """Methods of a session that others call, and calls of theirs: :attr:`Session.rpc`.  Rooms of ``loopback:`` and ``livekit+wss:`` have
    them; both sides need :attr:`Permission.SEND_DATA`.  Every method raises UnsupportedError in other rooms."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def register(self, method: str) -> None:
        """Others may call that method from now on, in every room that the session joins.

        Raises:
            ExistsError: it is registered.
            LimitError: 256 methods are.
            InvalidError: the name is empty or longer than RPC_METHOD_MAX bytes.
        """
        check(library.msdk_session_rpc_register(self._session._handle, encode(method, "method")))

    def unregister(self, method: str) -> None:
        """Ends that.  Requests that have come can still be responded to.

        Raises:
            NotFoundError: it is not registered.
        """
        check(library.msdk_session_rpc_unregister(self._session._handle, encode(method, "method")))

    def call(self, user_id: str, method: str, payload: str = "", *, timeout: float = 15.0) -> int:
        """Calls a method of another participant, and returns its number at once; :meth:`read` has the result.  A receiver keeps 64
        requests of one caller that it has not responded to, and 256 in all; more of them fail with
        :attr:`RpcErrorCode.NOT_ACCEPTED`.

        Args:
            payload: up to RPC_PAYLOAD_MAX bytes in UTF-8.
            timeout: seconds for the response, up to an hour.

        Raises:
            AgainError: as :meth:`Session.send_data`, or 256 calls wait for their results or have results that were not read.
            NotFoundError: no other participant of the room has that user id.
            RefusedError: the room does not permit it (:attr:`Permission.SEND_DATA`).
            StateError: not connected.
            RangeError, InvalidError: an argument.
        """
        number = c_uint64()
        if not real(timeout, "timeout", "a number of seconds above 0") > 0:
            raise InvalidError(f"timeout is {timeout}; seconds above 0 are accepted")
        milliseconds = bounded(max(1, duration(timeout, "timeout", 1000)), 32, "timeout")
        check(library.msdk_session_rpc_call(self._session._handle, encode(user_id, "user_id"), encode(method, "method"),
                                            encode(payload, "payload"), milliseconds, byref(number)))
        return number.value

    def read(self) -> RpcMessage | None:
        """The oldest request or result that has come; None: there is none now, and :class:`RpcAvailable` follows when there is."""
        size = _FIRST_SIZE
        while True:
            message, buffer = _structs.RpcMessage(), create_string_buffer(size)
            result = _read(self._session._handle, byref(message), buffer, size)
            if result == Status.AGAIN:
                return None
            if result != Status.BUFFER_SMALL or message.size < size:
                check(result)
                return RpcMessage(RpcKind(message.kind), message.call, decode(message.user_id), buffer.raw[:message.size].decode(errors="replace"),
                                  decode(message.method), message.timeout_ms / 1000, message.code, decode(message.text))
            size = message.size + 1

    def next(self, timeout: float | None = None) -> RpcMessage:
        """Takes the oldest request or result that has come.  Events that come meanwhile can be read afterwards, or by another thread.

        Args:
            timeout: seconds to wait; 0: does not wait; None: no limit.

        Raises:
            MediaTimeout: none came.
            ClosedError: the session was closed meanwhile.
            HandleError: it was closed before.
        """
        return self._session._events.until(self._session._event, self.read, timeout, "call")

    async def next_async(self, timeout: float | None = None) -> RpcMessage:
        """:meth:`next` for asyncio."""
        return await self._session._events.until_async(self._session._event, self.read, timeout, "call")

    def respond(self, request: RpcMessage | int, payload: str = "") -> None:
        """Ends a request: its caller gets the payload as the response.

        Raises:
            NotFoundError: its time is over, or its caller has left.
            AgainError: as :meth:`Session.send_data`; the request still waits.
            InvalidError: the payload is longer than RPC_PAYLOAD_MAX bytes.
        """
        check(library.msdk_session_rpc_respond(self._session._handle, _number(request), encode(payload, "payload")))

    def fail(self, request: RpcMessage | int, code: int, text: str = "", payload: str = "") -> None:
        """Ends a request: its caller gets a failure with that code and text, and the payload as more about it.

        Args:
            text: up to 255 bytes.

        Raises:
            NotFoundError, AgainError, InvalidError: as :meth:`respond`.
        """
        check(library.msdk_session_rpc_fail(self._session._handle, _number(request), bounded(code, 32, "code"), encode(text, "text"),
                                            encode(payload, "payload")))

    def __repr__(self) -> str:
        return f"<Rpc of {self._session.user_id}>"


def _number(request: RpcMessage | int) -> int:
    return bounded(request.call if isinstance(request, RpcMessage) else request, 64, "request")
