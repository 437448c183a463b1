"""Messages of LiveKit's API as JSON, against google.protobuf.json_format and the messages of PyPI's livekit-protocol: random ones, through the
program livekit-echo.

usage: check_service.py ECHO [COUNT [SEED]]

JSON says what the bytes say: answers that the library writes are read by the other, strictly, and have its names and its values of empty fields;
messages that the other writes, in each of its forms, are read by the library. What is flipped or cut is taken or refused."""
from __future__ import annotations

import base64
import json
import random
import sys
from typing import Any

from google.protobuf import json_format
from livekit.protocol import models, room

from echo import Echo
from messages import fill

# As the program has them, requests and answers. Those that begin alike, or are empty, are one message there.
KINDS = [
    [room.ListRoomsRequest], [room.MuteRoomTrackRequest, room.RoomParticipantIdentity, room.ListParticipantsRequest], [room.UpdateRoomMetadataRequest],
    [room.UpdateParticipantRequest], [room.SendDataRequest], [room.ListRoomsResponse], [models.Room], [room.ListParticipantsResponse],
    [models.ParticipantInfo], [room.MuteRoomTrackResponse], [room.RemoveParticipantResponse, room.SendDataResponse]]
ANSWERS = 5
BYTES, TO_JSON, FROM_JSON = 16, 32, 48


def check(is_so: bool, what: str) -> None:
    if not is_so:
        raise SystemExit(f"failed: {what}")


def is_within(ours: Any, theirs: Any) -> bool:
    """The members of ours are there, and are the same; null is a message that is not there."""
    if isinstance(ours, dict):
        return isinstance(theirs, dict) and all(theirs.get(name) == value or is_within(value, theirs.get(name)) for name, value in ours.items())
    if isinstance(ours, list):
        return isinstance(theirs, list) and len(ours) == len(theirs) and all(map(is_within, ours, theirs))
    return ours == theirs


def in_other_forms(message: Any, chance: random.Random) -> str:
    """JSON in one of the forms that a reader takes."""
    said = json_format.MessageToDict(
        message, preserving_proto_field_name=chance.random() < 0.5, always_print_fields_with_no_presence=chance.random() < 0.5,
        use_integers_for_enums=chance.random() < 0.5)
    if "data" in said and isinstance(message, room.SendDataRequest) and chance.random() < 0.5:
        said["data"] = base64.urlsafe_b64encode(message.data).decode().rstrip("=")
    said["unknown"] = {"of": [1, None]}
    return json.dumps(said, ensure_ascii=chance.random() < 0.5, indent=chance.choice([None, 2]))


def main() -> None:
    echo = Echo(sys.argv[1])
    count, seed = (int(word) for word in (sys.argv[2:] + ["4000", "1"][len(sys.argv[2:]):]))
    chance = random.Random(seed)
    refused = 0
    for turn in range(count):
        kind = turn % len(KINDS)
        message_type = chance.choice(KINDS[kind])
        message = message_type()
        if chance.random() > 0.05:
            fill(message, chance)
        taken, known = echo.again(BYTES + kind, message.SerializeToString())
        check(taken, f"{message_type.__name__} was refused: {known!r}")
        if kind >= ANSWERS:
            taken, said = echo.again(TO_JSON + kind, message.SerializeToString())
            check(taken, f"{message_type.__name__} was refused: {said!r}")
            again = json_format.Parse(said, message_type())
            check(again == message_type.FromString(known), f"{message_type.__name__} is another as JSON: {said.decode()}")
            theirs = json_format.MessageToDict(again, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
            check(is_within(json.loads(said), theirs), f"{said.decode()} is not within {theirs}")
        form = in_other_forms(message, chance).encode()
        check(echo.again(FROM_JSON + kind, form) == (True, known), f"{message_type.__name__} is another from JSON: {form.decode()}")
        spoilt = bytearray(form)
        if chance.random() < 0.5:
            spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
        else:
            del spoilt[chance.randrange(len(spoilt)):]
        refused += not echo.again(FROM_JSON + kind, bytes(spoilt))[0]
    print(f"json_format: {count} messages as JSON there and back, of {count} spoilt ones {refused} refused")


main()
