"""The feeder's side of a screen share: a process that sends frames into the session of another one, which has opened an ingest for it
with Session.set_ingest.  The wire is described in mediasdk/feeder.h.

This file needs only Python's standard library, and no other file of this package: it may be copied on its own.

    with Feeder(port, transmission_token=show, reception_token=expect) as feeder:
        feeder.send("BGRA", 1280, 720, pixels)    # False: dropped, the former one is still being sent

One frame is in flight at a time: a slow session gets fewer frames, never older ones.
"""
from __future__ import annotations

import fcntl
import hmac
import secrets
import selectors
import socket
import struct
import termios
import threading
import time
from types import TracebackType
from typing import Sequence, Union

Buffer = Union[bytes, bytearray, memoryview]

#: MSDK_PIXEL_* by name.
PIXEL_FORMATS = {"I420": 0x32315559, "NV12": 0x3231564E, "BGRA": 0x34325241, "RGBA": 0x34324241, "ARGB": 0x34324142, "ABGR": 0x34324152,
                 "BGR24": 0x34324752, "RGB24": 0x34324742, "GRAY8": 0x20203852}
_BYTES = {"BGRA": 4, "RGBA": 4, "ARGB": 4, "ABGR": 4, "BGR24": 3, "RGB24": 3, "GRAY8": 1}
_VP8 = 0x30385056
_LONGEST_SIDE = 16384
_VERSION = 2
_HELLO, _FRAME, _BYE, _PROOF, _WELCOME, _REFUSED, _KEY_FRAME, _CHALLENGE = 1, 2, 6, 7, 16, 17, 19, 20
_HEAD = struct.Struct("<IHH")
_FRAME_HEADER = struct.Struct("<IIIIqIIIIIIIIQ")
_SIOCOUTQ = termios.TIOCOUTQ

#: MSDK_FEED_*: why a session refused a connection, or ended it.
REASONS = ("none", "not admitted", "busy", "version", "malformed", "too large", "format", "slot", "stalled", "crowded", "closed")


class FeederError(OSError):
    """The connection could not be made, or has ended.

    Attributes:
        reason: one of :data:`REASONS`; "none" when the session did not say.
    """

    def __init__(self, text: str, reason: str = "none") -> None:
        super().__init__(text)
        self.reason = reason


def plane_shapes(pixel_format: str, width: int, height: int) -> list[tuple[int, int]]:
    """Bytes of a row, and rows, of each plane."""
    half = ((width + 1) // 2, (height + 1) // 2)
    if pixel_format == "I420":
        return [(width, height), half, half]
    if pixel_format == "NV12":
        return [(width, height), (2 * half[0], half[1])]
    if pixel_format not in _BYTES:
        raise ValueError(f"pixel_format is {pixel_format!r}; {', '.join(PIXEL_FORMATS)} are accepted")
    return [(width * _BYTES[pixel_format], height)]


def _check_size(width: int, height: int) -> None:
    for name, value in (("width", width), ("height", height)):
        if not 1 <= value <= _LONGEST_SIDE:
            raise ValueError(f"{name} is {value!r}; 1 to {_LONGEST_SIDE} is accepted")


class Feeder:
    """A connection to a session's ingest.

    Args:
        port: of 127.0.0.1; or
        socket_path: of the Unix socket.
        transmission_token: what is proved to the session, 16 to 255 bytes; it is not sent.
        reception_token: what the session must prove first; neither is it.
        timeout: seconds for connecting and both proofs.

    Raises:
        FeederError: nothing listens there, the listener did not prove its token, ours was not accepted, or another feeder is connected.
    """

    def __init__(self, port: int | None = None, *, socket_path: str | None = None, transmission_token: bytes, reception_token: bytes,
                 timeout: float = 5.0) -> None:
        if (port is None) == (socket_path is None):
            raise ValueError("one of port and socket_path is needed")
        for name, token in (("transmission_token", transmission_token), ("reception_token", reception_token)):
            if not 16 <= len(token) <= 255:
                raise ValueError(f"{name} has {len(token)} bytes; 16 to 255 are accepted")
        self._lock = threading.Condition()
        self._waiting = memoryview(b"")
        self._error: FeederError | None = None
        self._wants_key_frame = False
        self._closing = False
        self._heard = b""
        self._socket = socket.socket(socket.AF_UNIX if socket_path is not None else socket.AF_INET, socket.SOCK_STREAM)
        try:
            address: str | tuple[str, int | None] = socket_path if socket_path is not None else ("127.0.0.1", port)
            self._greet(address, transmission_token, reception_token, timeout)
        except FeederError:
            self._socket.close()
            raise
        except OSError as error:
            self._socket.close()
            raise FeederError(f"no session at {socket_path if socket_path is not None else port}: {error}") from error
        self._socket.setblocking(False)
        self._wake, self._woken = socket.socketpair()
        self._woken.setblocking(False)
        self._thread = threading.Thread(target=self._run, name="mediasdk-feeder", daemon=True)
        self._thread.start()

    def _greet(self, address: str | tuple[str, int | None], transmission_token: bytes, reception_token: bytes, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        self._socket.settimeout(timeout)
        self._socket.connect(address)
        if self._socket.family == socket.AF_INET:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        route = struct.pack("<I12x", 2)
        if self._socket.family == socket.AF_INET:
            ends = [(int.from_bytes(socket.inet_aton(host), "big"), port) for host, port in (self._socket.getpeername(),
                                                                                            self._socket.getsockname())]
            route = struct.pack("<IIIHH", 1, ends[0][0], ends[1][0], ends[0][1], ends[1][1])
        nonce = secrets.token_bytes(32)
        hello = struct.pack("<8sHHI", b"MSDKFEED", _VERSION, 0, 0) + nonce
        self._socket.sendall(_HEAD.pack(len(hello), _HELLO, 0) + hello)
        # What listens must prove that it knows the reception token before it is sent anything that depends on a secret.
        challenge = self._expect(_CHALLENGE, 72, deadline)
        version = struct.unpack_from("<H", challenge)[0]
        if version != _VERSION:
            raise FeederError(f"the session uses protocol version {version}; this feeder uses {_VERSION}", "version")

        def proof(role: bytes, token: bytes) -> bytes:
            transcript = struct.pack("<16sHH", role, _VERSION, len(token)) + route + bytes(4) + nonce + challenge[8:40]
            return hmac.new(token, transcript, "sha256").digest()

        if not hmac.compare_digest(challenge[40:], proof(b"MSDKFEED session", reception_token)):
            raise FeederError("what listens there did not prove the reception token: it is not the session, or has another reception token, "
                              "or something in between forwards the connection; nothing was sent to it")
        self._socket.sendall(_HEAD.pack(32, _PROOF, 0) + proof(b"MSDKFEED feeder", transmission_token))
        self.largest_payload: int = struct.unpack_from("<HHIQ", self._expect(_WELCOME, 16, deadline))[3]

    def _expect(self, kind: int, size: int, deadline: float) -> bytes:
        length, got, _ = _HEAD.unpack(self._exactly(_HEAD.size, deadline))
        is_refusal = got == _REFUSED and 8 <= length <= 1024
        if not is_refusal and (got, length) != (kind, size):
            raise FeederError(f"the peer is not a session: message {got} of {length} bytes")
        body = self._exactly(length, deadline)
        if is_refusal:
            raise self._refusal(body)
        return body

    def _exactly(self, size: int, deadline: float) -> bytes:
        got = b""
        while len(got) < size:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError("timed out")
            self._socket.settimeout(left)
            some = self._socket.recv(size - len(got))
            if not some:
                raise FeederError("the session closed the connection during the handshake")
            got += some
        return got

    @staticmethod
    def _refusal(body: bytes) -> FeederError:
        reason, size = struct.unpack_from("<II", body)
        text = "".join(c if c.isprintable() else " " for c in body[8:8 + size].decode("utf-8", "replace"))  # anybody may have written it
        return FeederError(f"the session ended the connection: {text}", REASONS[reason] if reason < len(REASONS) else str(reason))

    # -------------------------------------------------------------------------------------------------------------- sending

    def send(self, pixel_format: str, width: int, height: int, planes: Buffer | Sequence[Buffer], *, strides: Sequence[int] = (),
             timestamp_ns: int = 0, orientation: int = 0, color_matrix: int = 0, full_range: bool = False) -> bool:
        """Sends a frame: it is copied before this returns.

        Args:
            pixel_format: one of :data:`PIXEL_FORMATS`.
            planes: the planes' memory; one buffer holds all planes, one after the other.
            strides: bytes from row to row of each plane; without them rows have no padding.
            timestamp_ns: CLOCK_MONOTONIC, when it was captured; 0: now.

        Returns:
            False when the previous frame is still being sent: this one is dropped.

        Raises:
            FeederError: the connection has ended.
            ValueError: the planes are not those of such a frame.
        """
        _check_size(width, height)
        shapes = plane_shapes(pixel_format, width, height)
        rows_of = list(strides) or [row for row, _ in shapes]
        views = self._views(planes, shapes, rows_of)
        payload: list[Buffer] = []
        for index, (view, (row, rows), stride) in enumerate(zip(views, shapes, rows_of)):
            if not row <= stride <= row + 4096 or len(view) < stride * (rows - 1) + row:
                raise ValueError(f"plane {index} has {len(view)} bytes, stride {stride}; {rows} rows of {row} bytes are needed")
            payload.append(view[:stride * rows])
            payload.append(b"\0" * (stride * rows - len(view)))  # the last row may end with its pixels
        header = (PIXEL_FORMATS[pixel_format], width, height, 0, timestamp_ns, orientation, len(shapes), *rows_of,
                  *([0] * (4 - len(shapes))), color_matrix, int(full_range))
        return self._begin(header, payload)

    def send_encoded(self, data: Buffer, width: int, height: int, *, is_key_frame: bool, timestamp_ns: int = 0,
                     orientation: int = 0, color_matrix: int = 0, full_range: bool = False) -> bool:
        """Sends a VP8 frame.  After one that was dropped the next should be a key frame."""
        _check_size(width, height)
        header = (_VP8, width, height, int(is_key_frame), timestamp_ns, orientation, 0, 0, 0, 0, 0, color_matrix, int(full_range))
        return self._begin(header, [memoryview(data)])

    @staticmethod
    def _views(planes: Buffer | Sequence[Buffer], shapes: list[tuple[int, int]], strides: list[int]) -> list[memoryview]:
        if isinstance(planes, (bytes, bytearray, memoryview)):
            whole, views, at = memoryview(planes).cast("B"), [], 0
            for (_, rows), stride in zip(shapes, strides):
                views.append(whole[at:at + stride * rows])
                at += stride * rows
        elif hasattr(planes, "shape") and len(planes) != len(shapes):  # the rows of an array are not planes
            raise ValueError(f"planes is a {type(planes).__name__} of the shape {planes.shape}; bytes, a bytearray or a memoryview of all "
                             "planes, such as memoryview(array), or a list of one for each plane, is accepted")
        else:
            views = [memoryview(plane).cast("B") for plane in planes]
        if len(views) != len(shapes) or len(strides) != len(shapes):
            raise ValueError(f"there are {len(views)} planes and {len(strides)} strides; {len(shapes)} are needed")
        return views

    def _begin(self, header: tuple[int, ...], payload: list[Buffer]) -> bool:
        size = sum(len(part) for part in payload)
        if size > self.largest_payload:
            raise ValueError(f"the frame has {size} bytes; the session accepts {self.largest_payload}")
        fields = list(header)
        fields[4] = fields[4] or time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        with self._lock:
            if self._error is not None:
                raise self._error
            if self._is_sending():
                return False
            self._waiting = memoryview(b"".join([_HEAD.pack(_FRAME_HEADER.size + size, _FRAME, 0), _FRAME_HEADER.pack(*fields, size),
                                                 *payload]))
            self._flush()
            if self._waiting:
                self._wake.send(b"!")
            return True

    def _is_sending(self) -> bool:
        """What the session's socket has not taken is on its way too."""
        if self._waiting:
            return True
        waiting: int = struct.unpack("i", fcntl.ioctl(self._socket, _SIOCOUTQ, b"\0\0\0\0"))[0]
        return waiting > 0

    def flush(self, timeout: float = 5.0) -> bool:
        """Waits until everything that was sent has left."""
        with self._lock:
            return self._lock.wait_for(lambda: not self._waiting or self._error is not None, timeout) and self._error is None

    @property
    def wants_key_frame(self) -> bool:
        """True once each time the session asked for a key frame of VP8."""
        with self._lock:
            wants, self._wants_key_frame = self._wants_key_frame, False
            return wants

    @property
    def error(self) -> FeederError | None:
        """Why the connection has ended; None while it is alive."""
        with self._lock:
            return self._error

    # ----------------------------------------------------------------------------------------------------------- the thread

    def _run(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._woken, selectors.EVENT_READ)
            selector.register(self._socket, selectors.EVENT_READ)
            while True:
                with self._lock:
                    if self._closing or self._error is not None:
                        return
                    selector.modify(self._socket, selectors.EVENT_READ | (selectors.EVENT_WRITE if self._waiting else 0))
                selector.select()
                with self._lock:
                    try:
                        self._woken.recv(4096)
                    except BlockingIOError:
                        pass
                    self._read()
                    self._flush()

    def _flush(self) -> None:
        try:
            while self._waiting and self._error is None:
                self._waiting = self._waiting[self._socket.send(self._waiting, socket.MSG_NOSIGNAL):]
        except BlockingIOError:
            return
        except OSError as error:
            self._read()  # why it ended may wait to be read
            self._end(FeederError(f"the session closed the connection: {error}"))
        self._lock.notify_all()

    def _read(self) -> None:
        try:
            while self._error is None:
                some = self._socket.recv(4096)
                self._heard += some
                while len(self._heard) >= _HEAD.size and self._error is None:
                    size, kind, _ = _HEAD.unpack_from(self._heard)
                    if size > 1024:
                        self._end(FeederError(f"the session sent an invalid message: {kind} of {size} bytes"))
                        break
                    if len(self._heard) < _HEAD.size + size:
                        break
                    body, self._heard = self._heard[_HEAD.size:_HEAD.size + size], self._heard[_HEAD.size + size:]
                    if kind == _REFUSED and size >= 8:
                        self._end(self._refusal(body))
                    elif kind == _KEY_FRAME:
                        self._wants_key_frame = True
                if not some:
                    self._end(FeederError("the session closed the connection"))
        except BlockingIOError:
            pass
        except OSError as error:
            self._end(FeederError(f"the session closed the connection: {error}"))

    def _leave(self, deadline: float) -> None:
        """The session closes the connection when it has the last message.  A socket that is closed before, with bytes unread, takes back
        what has not been received."""
        with selectors.DefaultSelector() as selector:
            def is_ready() -> bool:
                left = deadline - time.monotonic()
                return left > 0 and bool(selector.select(left))

            selector.register(self._socket, selectors.EVENT_READ | selectors.EVENT_WRITE)
            for message in (self._waiting, memoryview(_HEAD.pack(0, _BYE, 0))):
                self._waiting = message
                while True:
                    self._read()
                    self._flush()
                    if self._error is not None:
                        return
                    if not self._waiting:
                        break
                    if not is_ready():
                        return
            try:
                self._socket.shutdown(socket.SHUT_WR)
            except OSError:
                return
            selector.modify(self._socket, selectors.EVENT_READ)
            while self._error is None and is_ready():
                self._read()

    def _end(self, error: FeederError) -> None:
        if self._error is None:
            self._error = error
            self._waiting = memoryview(b"")
            self._lock.notify_all()

    def close(self) -> None:
        """Sends the rest of a frame that is being sent, and ends the connection.  Waits until the session has received everything,
        for at most 2 s.  May be called again."""
        with self._lock:
            if self._closing:
                return
            self._closing = True
            self._wake.send(b"!")
        self._thread.join()
        with self._lock:
            self._leave(time.monotonic() + 2)
        for one in (self._socket, self._wake, self._woken):
            one.close()

    def __enter__(self) -> Feeder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
