"""The messages between a hub and its members, as far as the attacks and the probe need them, written a second time from HubWire.swift and
its neighbours."""
from __future__ import annotations

import struct
from dataclasses import dataclass

from srtp import KEY, SALT

VERSION, GCM = 4, 2
OPUS, VP8, I420 = 0x5355504F, 0x30385056, 0x32315559
FIRST_AUDIO_SLOT = 30  # below it is video
HELLO, RECEIVED, PUBLISH, MUTE, SUBSCRIBE, RENEW, SET_ATTRIBUTE, PREFER = 1, 2, 16, 19, 21, 26, 27, 28  # requests
WELCOME, ENDED, FIRST_COUNTED, STREAM_ADDED, WANTED = 1, 3, 16, 18, 30  # notices


class Refused(Exception):
    """The hub said no, or nothing."""


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack(">H", len(data)) + data


def frame(body: bytes) -> bytes:
    return struct.pack(">H", len(body)) + body


def hello(room: str, user: str, token: str = "") -> bytes:
    """Without a list of codecs, attributes and a ticket."""
    return frame(bytes([HELLO, VERSION]) + text(room) + text(user) + text(user) + bytes([0, 0, 0]) + text(token) + bytes([GCM, 0]))


def received(count: int) -> bytes:
    return frame(struct.pack(">BQ", RECEIVED, count))


def publish_opus(stream: int, slot: int) -> bytes:
    """A microphone of 48 kHz, one channel, 16 bits, 20 ms."""
    return frame(struct.pack(">BIBI", PUBLISH, stream, slot, OPUS) + struct.pack(">BIIIIIQ", 2, 1, 1, 48_000, 1, 960, 0))


def publish_vp8(stream: int, slot: int) -> bytes:
    """640x360, 30 frames a second, colour unspecified."""
    return frame(struct.pack(">BIBI", PUBLISH, stream, slot, VP8) + struct.pack(">BIIIIIIIIIBIQ", 1, 1, I420, 640, 360, 30, 1, 2, 2, 2, 0, 0, 0))


def mute(stream: int, is_muted: bool) -> bytes:
    return frame(struct.pack(">BIB", MUTE, stream, is_muted))


def renew(token: str) -> bytes:
    return frame(bytes([RENEW]) + text(token))


def set_attribute(key: str, value: str | None) -> bytes:
    return frame(bytes([SET_ATTRIBUTE]) + text(key) + (b"\0" if value is None else b"\1" + text(value)))


def subscribe(stream: int, slot: int) -> bytes:
    return frame(struct.pack(">BIB", SUBSCRIBE, stream, slot))


def prefer(stream: int, width: int, height: int) -> bytes:
    """In which size a stream of video is shown, at any rate."""
    return frame(struct.pack(">BIIIII", PREFER, stream, width, height, 0, 0))


@dataclass
class Welcome:
    port: int
    base: int
    up: bytes
    down: bytes
    opus: int
    transport_sequence: int

    @classmethod
    def parse(cls, message: bytes) -> Welcome:
        port, base, profile = struct.unpack(">HIB", message[21:28])
        if profile != GCM:
            raise Refused(f"another profile: {profile}")
        at, size = 28, KEY + SALT
        up, down = message[at:at + size], message[at + size:at + 2 * size]
        return cls(port, base, up, down, *message[at + 2 * size + 2:at + 2 * size + 4])


@dataclass
class Stream:
    number: int
    user: str

    @classmethod
    def parse(cls, message: bytes) -> Stream:
        number, size = struct.unpack(">IH", message[1:7])
        return cls(number, message[7:7 + size].decode())
