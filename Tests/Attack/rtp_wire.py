"""Packets of RTP and RTCP, as far as the attacks and the probe need them."""
from __future__ import annotations

import struct

OPUS_20_MS = b"\x08"  # the byte in front of a packet of Opus: SILK, 20 ms, one frame of whatever bytes follow


def rtp(payload_type: int, sequence: int, stamp: int, ssrc: int, payload: bytes) -> bytes:
    return struct.pack(">BBHII", 0x80, payload_type, sequence & 0xFFFF, stamp & 0xFFFF_FFFF, ssrc) + payload


def is_rtcp(packet: bytes) -> bool:
    return 192 <= packet[1] <= 223


def header_size(packet: bytes) -> int:
    size = 12 + 4 * (packet[0] & 15)
    return size + 4 + 4 * int.from_bytes(packet[size + 2:size + 4], "big") if packet[0] & 0x10 else size


def transport_sequence(packet: bytes, identifier: int) -> int | None:
    """The transport-wide number in the one-byte header extensions (RFC 8285, section 4.2)."""
    if not packet[0] & 0x10 or packet[12:14] != b"\xBE\xDE":
        return None
    at, end = 16, header_size(packet)
    while at < end:
        kind, size = packet[at] >> 4, (packet[at] & 15) + 1
        if packet[at] == 0:
            at += 1
        elif kind == identifier:
            return int.from_bytes(packet[at + 1:at + 3], "big")
        else:
            at += 1 + size
    return None


def _rtcp(kind: int, count: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    return struct.pack(">BBH", 0x80 | count, kind, len(body) // 4) + body


def empty_report(ssrc: int) -> bytes:
    """Of a receiver who has received nothing, and who it is."""
    return _rtcp(201, 0, struct.pack(">I", ssrc)) + _rtcp(202, 1, struct.pack(">IBB", ssrc, 1, 6) + b"member\0")


def returned_challenge(ssrc: int, packet: bytes) -> bytes | None:
    """What a member returns to a hub that sends this to find out where they are (HubPathMessage.swift); None: it is something else."""
    if len(packet) != 20 or packet[:2] != b"\x80\xCC" or packet[8:12] != b"PATH":
        return None
    return b"\x81" + packet[1:4] + struct.pack(">I", ssrc) + packet[8:]


def transport_feedback(ssrc: int, media: int, number: int, arrivals: dict[int, float]) -> bytes:
    """Of what came by these transport-wide numbers, unwrapped, at these times in seconds."""
    base, count = min(arrivals), max(arrivals) - min(arrivals) + 1
    reference = int(arrivals[base] / 0.064)
    before, symbols, deltas = reference * 256, [], b""
    for sequence in range(base, base + count):
        if sequence not in arrivals:
            symbols.append(0)
            continue
        ticks = int(arrivals[sequence] * 4000)
        delta, before = max(-32768, min(32767, ticks - before)), ticks
        symbols.append(1 if 0 <= delta < 256 else 2)
        deltas += struct.pack(">B" if symbols[-1] == 1 else ">h", delta)
    chunks = b""
    for first in range(0, count, 7):
        word = 0xC000
        for place, symbol in enumerate(symbols[first:first + 7]):
            word |= symbol << (12 - 2 * place)
        chunks += struct.pack(">H", word)
    front = struct.pack(">IIHH", ssrc, media, base & 0xFFFF, count) + (reference & 0xFF_FFFF).to_bytes(3, "big") + bytes([number & 0xFF])
    return _rtcp(205, 15, front + chunks + deltas)


def endless_feedback(ssrc: int, number: int) -> bytes:
    """40 bytes that speak of 65,535 packets, none of which came."""
    chunks = struct.pack(">9H", *[8191] * 8, 7)
    return _rtcp(205, 15, struct.pack(">IIHH", ssrc, ssrc, 0, 65_535) + bytes(3) + bytes([number & 0xFF]) + chunks)
