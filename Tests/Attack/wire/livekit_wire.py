"""The messages between a served room and its clients, as far as the attacks and the probe need them: Protocol Buffers by hand, with the numbers
of livekit_rtc.proto and livekit_models.proto, and of what sessions of MediaSDK say beside them."""
from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any, Iterator
from urllib.parse import urlencode

AUDIO, VIDEO = "audio", "video"
OFFER, ADD_TRACK, MUTE, SUBSCRIPTION, TRACK_SETTINGS, METADATA, MEDIASDK = 1, 4, 5, 6, 7, 15, 1001  # requests
JOIN, ANSWER, TRICKLE, UPDATE, PUBLISHED, LEAVE, SUBSCRIBED_QUALITIES = 1, 2, 4, 5, 6, 8, 14  # responses

_CAMERA, _MICROPHONE = 1, 2  # sources of tracks
_RENEW = 1


class Refused(Exception):
    """The room said no, or nothing."""


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def field(number: int, value: int | str | bytes) -> bytes:
    """Numbers and flags as they are, texts and messages with their length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Numbers as they are, everything else as bytes."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(key & 7) or varint()
        yield key >> 3, message[at:at + size]
        at += size


def value(message: bytes, number: int) -> Any:
    """The last field of that number; what is empty or 0 is not there."""
    return next((value for found, value in reversed(list(fields(message))) if found == number), b"")


# -------------------------------------------------------------------------------------------------------------------- requests


def path(room: str, user: str) -> str:
    """Of the signalling in version 0, as a session of MediaSDK joins."""
    return "/rtc?" + urlencode({"auto_subscribe": "0", "mediasdk": "1", "room": room, "identity": user, "name": user})


def path_of_one(room: str, user: str, tracks: list[bytes], sdp: str) -> str:
    """Of version 1, in which one connection of WebRTC has both directions: what is published and the first offer come with the request."""
    wish = field(2, b"") + b"".join(field(5, track) for track in tracks) + field(6, description(sdp, 1))
    request = base64.urlsafe_b64encode(field(2, wish)).decode()
    return "/rtc/v1?" + urlencode({"join_request": request, "room": room, "identity": user, "name": user})


def description(sdp: str, number: int) -> bytes:
    return field(1, "offer") + field(2, sdp) + field(3, number)


def track(kind: str) -> bytes:
    """That a client is going to publish, under the name of its kind."""
    is_video = kind == VIDEO
    return field(1, kind) + field(2, kind) + field(3, int(is_video)) + field(8, _CAMERA if is_video else _MICROPHONE)


def offer(sdp: str, number: int) -> bytes:
    return field(OFFER, description(sdp, number))


def add_track(kind: str) -> bytes:
    return field(ADD_TRACK, track(kind))


def mute(sid: str, is_muted: bool) -> bytes:
    return field(MUTE, field(1, sid) + field(2, int(is_muted)))


def subscribe(sid: str) -> bytes:
    return field(SUBSCRIPTION, field(1, sid) + field(2, 1))


def prefer(sid: str, width: int, height: int) -> bytes:
    """In which size a track of video is shown."""
    return field(TRACK_SETTINGS, field(1, sid) + field(5, width) + field(6, height))


def set_attribute(key: str, text: str) -> bytes:
    return field(METADATA, field(3, field(1, key) + field(2, text)))


def renew(token: str) -> bytes:
    return field(MEDIASDK, field(_RENEW, field(1, token)))


# ------------------------------------------------------------------------------------------------------------------- responses


@dataclass
class Participant:
    """Somebody else, and the sids of what they publish."""

    identity: str
    tracks: list[str]

    @classmethod
    def parse(cls, message: bytes) -> Participant:
        tracks = [value(info, 1).decode() for number, info in fields(message) if number == 4]
        return cls(value(message, 2).decode(), tracks)


def participants(kind: int, body: bytes) -> list[Participant]:
    """Others of whom JOIN or UPDATE tells."""
    place = 3 if kind == JOIN else 1
    return [Participant.parse(one) for number, one in fields(body) if number == place]
