"""Messages of LiveKit against those of PyPI's livekit-protocol: random ones, through the program livekit-echo and back.

usage: check_messages.py ECHO [COUNT [SEED]]

What comes back is what was sent, without the fields that the library does not know. What is flipped or cut is taken or refused."""
from __future__ import annotations

import random
import sys
from typing import Any

from google.protobuf.message import DecodeError
from livekit.protocol import rtc

from echo import Echo
from messages import fill, value

KINDS = [rtc.SignalRequest, rtc.SignalResponse, rtc.JoinRequest, rtc.WrappedJoinRequest]


def random_message(kind: int, chance: random.Random) -> Any:
    message = KINDS[kind]()
    parts = message.DESCRIPTOR.oneofs
    if parts:
        field = chance.choice(parts[0].fields)
        if field.message_type:
            part = getattr(message, field.name)
            part.SetInParent()
            fill(part, chance, 1)
        else:
            setattr(message, field.name, value(field, chance))
    else:
        fill(message, chance)
    return message


def is_part(part: Any, whole: Any, path: str) -> list[str]:
    """The fields of `whole`, at any depth, that are missing in `part`. What is there and another ends the test."""
    missing = []
    for field in whole.DESCRIPTOR.fields:
        name = f"{path}.{field.name}"
        mine, theirs = getattr(part, field.name), getattr(whole, field.name)
        if field.message_type and not field.message_type.GetOptions().map_entry:
            if field.is_repeated:
                if not len(mine) and len(theirs):
                    missing.append(name)
                elif len(mine) != len(theirs):
                    raise SystemExit(f"failed: {name} had {len(theirs)} messages and has {len(mine)}")
                else:
                    for one, other in zip(mine, theirs):
                        missing += is_part(one, other, name)
            elif whole.HasField(field.name):
                if part.HasField(field.name):
                    missing += is_part(mine, theirs, name)
                else:
                    missing.append(name)
            elif part.HasField(field.name):
                raise SystemExit(f"failed: {name} came from nowhere")
        elif mine != theirs:
            if mine:
                # Values of a list that are not known are left out, or read as none.
                if not (field.enum_type and field.is_repeated and set(mine) < set(theirs)):
                    raise SystemExit(f"failed: {name} was {theirs!r} and is {mine!r}")
            missing.append(name)
    return missing


def main() -> None:
    echo = Echo(sys.argv[1])
    count, seed = (int(word) for word in (sys.argv[2:] + ["4000", "1"][len(sys.argv[2:]):]))
    chance = random.Random(seed)
    unknown: dict[str, int] = {}
    refused, refused_by_others = 0, 0
    for turn in range(count):
        kind = turn % len(KINDS)
        message = random_message(kind, chance)
        bytes_sent = message.SerializeToString()
        taken, back = echo.again(kind, bytes_sent)
        if not taken:
            raise SystemExit(f"failed: {KINDS[kind].__name__} of {len(bytes_sent)} bytes was refused: {back.decode()}\n{message}")
        again = KINDS[kind].FromString(back)
        for name in is_part(again, message, KINDS[kind].__name__):
            unknown[name] = unknown.get(name, 0) + 1
        # Written again it is the same.
        if echo.again(kind, back) != (True, back):
            raise SystemExit(f"failed: {KINDS[kind].__name__} is another when it is read again\n{message}")
        # Spoilt, it is taken or refused.
        spoilt = bytearray(bytes_sent)
        if spoilt and chance.random() < 0.5:
            spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
        elif spoilt:
            del spoilt[chance.randrange(len(spoilt)):]
        taken, _ = echo.again(kind, bytes(spoilt))
        refused += not taken
        try:
            KINDS[kind].FromString(bytes(spoilt))
        except DecodeError:
            refused_by_others += 1
    print(f"livekit-protocol: {count} messages there and back, of {count} spoilt ones {refused} refused"
          f" ({refused_by_others} by the other library)")
    print("fields that the library does not know: " + ", ".join(sorted({".".join(name.split(".")[-2:]) for name in unknown})))


main()
