"""libssl and libcrypto, of which Python's own TLS shows a part: connections over memory, whose records and datagrams the caller carries."""
from __future__ import annotations

import ctypes
import ctypes.util
from ctypes import c_char_p, c_int, c_long, c_size_t, c_void_p

ssl = ctypes.CDLL(ctypes.util.find_library("ssl") or "libssl.so.3")
crypto = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")
for _function, _result, *_arguments in (
        (ssl.TLS_client_method, c_void_p), (ssl.DTLS_client_method, c_void_p), (ssl.SSL_CTX_new, c_void_p, c_void_p),
        (ssl.SSL_CTX_use_certificate_file, c_int, c_void_p, c_char_p, c_int),
        (ssl.SSL_CTX_use_PrivateKey_file, c_int, c_void_p, c_char_p, c_int),
        (ssl.SSL_CTX_set_tlsext_use_srtp, c_int, c_void_p, c_char_p), (ssl.SSL_new, c_void_p, c_void_p),
        (ssl.SSL_set_bio, None, c_void_p, c_void_p, c_void_p), (ssl.SSL_set_connect_state, None, c_void_p),
        (ssl.SSL_do_handshake, c_int, c_void_p), (ssl.SSL_key_update, c_int, c_void_p, c_int),
        (ssl.SSL_ctrl, c_long, c_void_p, c_int, c_long, c_void_p), (ssl.SSL_write, c_int, c_void_p, c_char_p, c_int),
        (ssl.SSL_read, c_int, c_void_p, c_void_p, c_int), (ssl.SSL_free, None, c_void_p),
        (ssl.SSL_export_keying_material, c_int, c_void_p, c_char_p, c_size_t, c_char_p, c_size_t, c_char_p, c_size_t, c_int),
        (crypto.BIO_new, c_void_p, c_void_p), (crypto.BIO_s_mem, c_void_p), (crypto.BIO_read, c_int, c_void_p, c_void_p, c_int),
        (crypto.BIO_write, c_int, c_void_p, c_char_p, c_int), (crypto.BIO_ctrl, c_long, c_void_p, c_int, c_long, c_void_p),
        (crypto.ERR_clear_error, None)):
    _function.restype, _function.argtypes = _result, _arguments

_PENDING = 10  # BIO_CTRL_PENDING


class Memory:
    """One connection, as a client."""

    def __init__(self, context: c_void_p) -> None:
        self.ssl = ssl.SSL_new(context)
        self._incoming, self._outgoing = (crypto.BIO_new(crypto.BIO_s_mem()) for _ in range(2))
        ssl.SSL_set_bio(self.ssl, self._incoming, self._outgoing)
        ssl.SSL_set_connect_state(self.ssl)

    def feed(self, data: bytes) -> None:
        crypto.BIO_write(self._incoming, data, len(data))

    def shake(self) -> bool:
        """Whether the handshake is done."""
        return bool(ssl.SSL_do_handshake(self.ssl) == 1)

    def read(self) -> bytes:
        """What the other end has said, some of it."""
        memory = ctypes.create_string_buffer(16_384)
        size = ssl.SSL_read(self.ssl, memory, len(memory))
        return memory.raw[:max(0, size)]

    def take(self) -> bytes:
        """What is to be sent."""
        size = crypto.BIO_ctrl(self._outgoing, _PENDING, 0, None)
        memory = ctypes.create_string_buffer(max(1, size))
        crypto.BIO_read(self._outgoing, memory, size)
        return memory.raw[:size]

    def close(self) -> None:
        ssl.SSL_free(self.ssl)
        crypto.ERR_clear_error()
