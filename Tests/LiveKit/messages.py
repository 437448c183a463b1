"""Random messages of LiveKit, by their definitions in PyPI's livekit-protocol."""
from __future__ import annotations

import random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

TEXTS = ["", "a", "TR_4kx", "grüße 🎥", "v=0\r\n" * 40]
NUMBERS = [0, 1, 127, 128, 2**31 - 1]
DEEP = 5  # of messages in messages


def value(field: FieldDescriptor, chance: random.Random) -> Any:
    if field.enum_type:
        return chance.choice(field.enum_type.values).number
    if field.type == FieldDescriptor.TYPE_STRING:
        return chance.choice(TEXTS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return chance.randbytes(chance.choice([0, 1, 300]))
    if field.type == FieldDescriptor.TYPE_BOOL:
        return chance.random() < 0.5
    if field.type == FieldDescriptor.TYPE_FLOAT:
        return chance.choice([0.0, 0.5, 1.0, -3.25])
    if field.type == FieldDescriptor.TYPE_INT32:
        return chance.choice([*NUMBERS, -1])
    if field.type == FieldDescriptor.TYPE_INT64:
        return chance.choice([*NUMBERS, -1, 2**63 - 1])
    return chance.choice(NUMBERS)


def fill(message: Any, chance: random.Random, depth: int = 0) -> None:
    """Some of its fields, those that the library does not know too."""
    for field in message.DESCRIPTOR.fields:
        if depth == DEEP or chance.random() < (0.3 if depth else 0.1) and not field.containing_oneof:
            continue
        if field.message_type and field.message_type.GetOptions().map_entry:
            if field.message_type.fields_by_name["value"].type == FieldDescriptor.TYPE_STRING:
                for _ in range(chance.randrange(3)):
                    getattr(message, field.name)[chance.choice(TEXTS)] = chance.choice(TEXTS)
        elif field.is_repeated:
            for _ in range(chance.randrange(3)):
                if field.message_type:
                    fill(getattr(message, field.name).add(), chance, depth + 1)
                else:
                    getattr(message, field.name).append(value(field, chance))
        elif field.message_type:
            one = getattr(message, field.name)
            one.SetInParent()
            fill(one, chance, depth + 1)
        else:
            setattr(message, field.name, value(field, chance))
