"""DTLS of a client, for the keys of SRTP alone (RFC 5764): libssl over memory. At the other end's certificate nobody looks."""
from __future__ import annotations

import ctypes
import functools
import hashlib
import ssl
import tempfile
from ctypes import c_void_p
from pathlib import Path

from wire import openssl
from wire.certificate import make_certificate
from wire.srtp import KEY, SALT, Direction

_PROFILE, _LABEL = b"SRTP_AEAD_AES_128_GCM", b"EXTRACTOR-dtls_srtp"
_PEM, _HANDLE_TIMEOUT, _HEADER = 1, 74, 13  # SSL_FILETYPE_PEM, DTLS_CTRL_HANDLE_TIMEOUT, bytes in front of a record


@functools.cache
def _identity() -> tuple[c_void_p, str]:
    """The context of all connections of this process, and their fingerprint."""
    context = openssl.ssl.SSL_CTX_new(openssl.ssl.DTLS_client_method())
    with tempfile.TemporaryDirectory() as directory:
        certificate, key = make_certificate(directory)
        if (openssl.ssl.SSL_CTX_use_certificate_file(context, certificate.encode(), _PEM) != 1
                or openssl.ssl.SSL_CTX_use_PrivateKey_file(context, key.encode(), _PEM) != 1
                or openssl.ssl.SSL_CTX_set_tlsext_use_srtp(context, _PROFILE) != 0):
            raise RuntimeError("libssl takes no certificate")
        encoded = ssl.PEM_cert_to_DER_cert(Path(certificate).read_text())
    return context, hashlib.sha256(encoded).digest().hex(":").upper()


def fingerprint() -> str:
    return _identity()[1]


class Handshake:
    def __init__(self) -> None:
        self._memory = openssl.Memory(_identity()[0])
        self.up: Direction | None = None  # when it is done
        self.down: Direction | None = None

    def step(self, datagram: bytes = b"") -> list[bytes]:
        """What is to be sent, a record to a datagram; without one that came: if nothing comes for long, the last flight again."""
        if datagram:
            self._memory.feed(datagram)
        else:
            openssl.ssl.SSL_ctrl(self._memory.ssl, _HANDLE_TIMEOUT, 0, None)
        if self._memory.shake() and not self.up:
            self._take_keys()
        data, records = self._memory.take(), []
        while data:
            size = _HEADER + int.from_bytes(data[_HEADER - 2:_HEADER], "big")
            records.append(data[:size])
            data = data[size:]
        return records

    def _take_keys(self) -> None:
        """Both keys, this end's first, then both salts (RFC 5764, section 4.2)."""
        memory = ctypes.create_string_buffer(2 * (KEY + SALT))
        if openssl.ssl.SSL_export_keying_material(self._memory.ssl, memory, len(memory), _LABEL, len(_LABEL), None, 0, 0) != 1:
            raise RuntimeError("libssl gives no keys")
        keys, salts = memory.raw[:2 * KEY], memory.raw[2 * KEY:]
        self.up, self.down = Direction(keys[:KEY] + salts[:SALT]), Direction(keys[KEY:] + salts[SALT:])

    def close(self) -> None:
        self._memory.close()
