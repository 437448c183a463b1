"""SRTP and SRTCP under AEAD_AES_128_GCM (RFC 3711, section 4.3; RFC 7714), written a second time with libcrypto alone: what attacks a
room with packets that are authentic must not be sealed by the code that is attacked."""
from __future__ import annotations

import ctypes
import ctypes.util
from ctypes import byref, c_char_p, c_int, c_void_p, create_string_buffer

KEY, SALT, TAG = 16, 12, 16
_SET_TAG, _GET_TAG = 0x11, 0x10  # EVP_CTRL_AEAD_*

_crypto = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")
for _name in ("EVP_CIPHER_CTX_new", "EVP_aes_128_gcm", "EVP_aes_128_ctr"):
    getattr(_crypto, _name).restype = c_void_p
_crypto.EVP_CipherInit_ex.argtypes = [c_void_p, c_void_p, c_void_p, c_char_p, c_char_p, c_int]
_crypto.EVP_CipherUpdate.argtypes = [c_void_p, c_void_p, c_void_p, c_char_p, c_int]
_crypto.EVP_CipherFinal_ex.argtypes = [c_void_p, c_void_p, c_void_p]
_crypto.EVP_CIPHER_CTX_ctrl.argtypes = [c_void_p, c_int, c_int, c_void_p]
_crypto.EVP_CIPHER_CTX_free.argtypes = [c_void_p]


class Forged(Exception):
    """A packet that is not authentic."""


def _derive(master: bytes, label: int, size: int) -> bytes:
    """The key stream of AES in counter mode from the salt on, the label mixed into it."""
    counter = bytearray(master[KEY:] + bytes(16 - SALT))
    counter[7] ^= label
    context, output, count = _crypto.EVP_CIPHER_CTX_new(), create_string_buffer(size), c_int()
    _crypto.EVP_CipherInit_ex(context, _crypto.EVP_aes_128_ctr(), None, master[:KEY], bytes(counter), 1)
    _crypto.EVP_CipherUpdate(context, output, byref(count), bytes(size), size)
    _crypto.EVP_CIPHER_CTX_free(context)
    return output.raw


class _Cipher:
    """Of packets of one kind."""

    def __init__(self, master: bytes, first_label: int) -> None:
        self._salt = _derive(master, first_label + 2, SALT)
        self._context = _crypto.EVP_CIPHER_CTX_new()
        _crypto.EVP_CipherInit_ex(self._context, _crypto.EVP_aes_128_gcm(), None, _derive(master, first_label, KEY), None, 1)
        self._output, self._tag, self._count = create_string_buffer(4096), create_string_buffer(TAG), c_int()

    def vector(self, ssrc: int, index: int) -> bytes:
        return (int.from_bytes(self._salt, "big") ^ ssrc << 48 ^ index).to_bytes(SALT, "big")

    def seal(self, vector: bytes, front: bytes, text: bytes) -> bytes:
        self._begin(vector, front, text, 1)
        _crypto.EVP_CipherFinal_ex(self._context, self._tag, byref(self._count))
        _crypto.EVP_CIPHER_CTX_ctrl(self._context, _GET_TAG, TAG, self._tag)
        return self._output.raw[:len(text)] + self._tag.raw

    def open(self, vector: bytes, front: bytes, sealed: bytes) -> bytes:
        text = sealed[:-TAG]
        self._begin(vector, front, text, 0)
        _crypto.EVP_CIPHER_CTX_ctrl(self._context, _SET_TAG, TAG, sealed[-TAG:])
        if _crypto.EVP_CipherFinal_ex(self._context, self._tag, byref(self._count)) != 1:
            raise Forged()
        return self._output.raw[:len(text)]

    def _begin(self, vector: bytes, front: bytes, text: bytes, is_encryption: int) -> None:
        if len(text) > len(self._output):
            raise ValueError("the packet is too long")
        _crypto.EVP_CipherInit_ex(self._context, None, None, None, vector, is_encryption)
        _crypto.EVP_CipherUpdate(self._context, None, byref(self._count), front, len(front))
        if text:
            _crypto.EVP_CipherUpdate(self._context, self._output, byref(self._count), text, len(text))


class Direction:
    """One direction of a connection, either end of it; `master` is key and salt in a row."""

    def __init__(self, master: bytes) -> None:
        self._media, self._control = _Cipher(master, 0), _Cipher(master, 3)
        self._indices: dict[int, int] = {}
        self._control_index = 0

    def protect(self, packet: bytes, front: int = 12) -> bytes:
        """Packets of a stream come in order."""
        ssrc = int.from_bytes(packet[8:12], "big")
        index = self._index(ssrc, int.from_bytes(packet[2:4], "big"))
        return packet[:front] + self._media.seal(self._media.vector(ssrc, index), packet[:front], packet[front:])

    def unprotect(self, packet: bytes, front: int) -> bytes:
        ssrc = int.from_bytes(packet[8:12], "big")
        index = self._index(ssrc, int.from_bytes(packet[2:4], "big"))
        return packet[:front] + self._media.open(self._media.vector(ssrc, index), packet[:front], packet[front:])

    def protect_control(self, packet: bytes) -> bytes:
        self._control_index += 1
        word, ssrc = (1 << 31 | self._control_index).to_bytes(4, "big"), int.from_bytes(packet[4:8], "big")
        vector = self._control.vector(ssrc, self._control_index)
        return packet[:8] + self._control.seal(vector, packet[:8] + word, packet[8:]) + word

    def _index(self, ssrc: int, sequence: int) -> int:
        """The 48 bits that these 16 are the last of, nearest to the latest."""
        latest = self._indices.get(ssrc, sequence)
        index = latest + ((sequence - latest + 0x8000 & 0xFFFF) - 0x8000)
        index += 0x10000 if index < 0 else 0
        self._indices[ssrc] = max(latest, index)
        return index
