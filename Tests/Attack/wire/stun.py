"""STUN as far as ICE needs it (RFC 8489, RFC 8445): the checks of one who controls, and the answers to those of the other end."""
from __future__ import annotations

import hashlib
import hmac
import secrets
import socket
import struct
import zlib

_COOKIE, _REQUEST, _SUCCESS = 0x2112A442, 0x0001, 0x0101
_USERNAME, _INTEGRITY, _XOR_MAPPED_ADDRESS, _PRIORITY, _USE_CANDIDATE, _FINGERPRINT, _CONTROLLING = 6, 8, 0x20, 0x24, 0x25, 0x8028, 0x802A


def is_message(packet: bytes) -> bool:
    return len(packet) >= 20 and packet[0] < 4 and packet[4:8] == struct.pack(">I", _COOKIE)


def is_request(packet: bytes) -> bool:
    return packet[:2] == struct.pack(">H", _REQUEST)


def is_success(packet: bytes) -> bool:
    return packet[:2] == struct.pack(">H", _SUCCESS)


def _attribute(kind: int, value: bytes) -> bytes:
    return struct.pack(">HH", kind, len(value)) + value + bytes(-len(value) % 4)


def _message(kind: int, transaction: bytes, attributes: bytes, password: str) -> bytes:
    def head(size: int) -> bytes:
        return struct.pack(">HHI", kind, size, _COOKIE) + transaction

    # Both are computed over a length that they are in already.
    code = hmac.new(password.encode(), head(len(attributes) + 24) + attributes, hashlib.sha1).digest()
    attributes += _attribute(_INTEGRITY, code)
    check = zlib.crc32(head(len(attributes) + 8) + attributes) ^ 0x5354554E
    attributes += _attribute(_FINGERPRINT, struct.pack(">I", check))
    return head(len(attributes)) + attributes


def check(local: str, remote: str, password: str) -> bytes:
    """A request that nominates the pair; the password is the other end's."""
    attributes = (_attribute(_USERNAME, f"{remote}:{local}".encode()) + _attribute(_PRIORITY, struct.pack(">I", 0x6E7F_FFFF))
                  + _attribute(_CONTROLLING, bytes(7) + b"\1") + _attribute(_USE_CANDIDATE, b""))
    return _message(_REQUEST, secrets.token_bytes(12), attributes, password)


def answer(request: bytes, address: tuple[str, int], password: str) -> bytes:
    """To a check; the password is this end's."""
    place = int.from_bytes(socket.inet_aton(address[0]), "big")
    mapped = struct.pack(">HHI", 1, address[1] ^ _COOKIE >> 16, place ^ _COOKIE)
    return _message(_SUCCESS, request[8:20], _attribute(_XOR_MAPPED_ADDRESS, mapped), password)
