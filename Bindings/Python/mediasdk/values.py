"""Parameters: their values, and what a class says about them."""
from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any, Union

from . import _structs
from ._call import decode, encode
from .constants import ParamFlag, ValueType
from .errors import RangeError, ValueTypeError

Scalar = Union[None, bool, int, float, str, bytes]


@dataclass(frozen=True)
class Param:
    """What a class says about one of its parameters.

    Attributes:
        type: of its values.
        default: what it is until it is set; of a secret one always empty.
        minimum, maximum: of numbers, both included; None: no bounds.
        choices: all texts that are accepted; None: any, or with :attr:`ParamFlag.DYNAMIC_CHOICES` what :meth:`Instance.choices` lists.
        flags: :class:`ParamFlag`.
    """

    name: str
    summary: str
    type: ValueType
    default: Scalar
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...] | None
    flags: ParamFlag


@dataclass(frozen=True)
class Choice:
    """One of the texts that a parameter accepts, and what people call it."""

    value: str
    label: str


def param_of(struct: _structs.Param) -> Param:
    default = getattr(struct, "def")
    choices = tuple(decode(struct.choices[index]) for index in range(struct.choice_count)) if struct.choices else None
    return Param(decode(struct.name), decode(struct.summary), ValueType(default.type), python_value(default),
                 bound_of(struct.min), bound_of(struct.max), choices, ParamFlag(struct.flags))


def bound_of(value: _structs.Value) -> float | None:
    """A bound of a number: an int for whole numbers; None for none."""
    number = python_value(value)
    return number if isinstance(number, (int, float)) else None


_MEMBERS = {ValueType.I32: "i32", ValueType.I64: "i64", ValueType.U32: "u32", ValueType.U64: "u64", ValueType.F64: "f64"}


def python_value(value: _structs.Value) -> Scalar:
    """The value as Python's; text and bytes are copied."""
    kind = value.type
    if kind == ValueType.BOOL:
        return bool(value.u.b)
    if kind == ValueType.STRING:
        return decode(value.u.str) if value.u.str else ""
    if kind == ValueType.BYTES:
        return ctypes.string_at(value.u.bytes.data, value.u.bytes.size) if value.u.bytes.data else b""
    member = _MEMBERS.get(kind)
    return getattr(value.u, member) if member else None


def native_value(value: Any, name: str, wanted: ValueType | None) -> tuple[_structs.Value, Any]:
    """The value as C's, and what must be kept alive for it.  An int is given as a float where one is wanted."""
    native = _structs.Value()
    kept: Any = None
    if isinstance(value, bool):
        native.type, native.u.b = ValueType.BOOL, value
    elif isinstance(value, int) and wanted == ValueType.F64:
        native.type, native.u.f64 = ValueType.F64, value
    elif isinstance(value, int):
        if -(1 << 63) <= value < 1 << 63:
            native.type, native.u.i64 = ValueType.I64, value
        elif 0 <= value < 1 << 64:
            native.type, native.u.u64 = ValueType.U64, value
        else:
            raise RangeError(f"{name} is {value}; numbers of 64 bits are accepted")
    elif isinstance(value, float):
        native.type, native.u.f64 = ValueType.F64, value
    elif isinstance(value, (str, os.PathLike)):
        kept = ctypes.create_string_buffer(encode(value, name))
        native.type, native.u.str = ValueType.STRING, ctypes.addressof(kept)
    elif isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(value)
        kept = ctypes.create_string_buffer(data, max(1, len(data)))
        native.type, native.u.bytes.data, native.u.bytes.size = ValueType.BYTES, ctypes.addressof(kept), len(data)
    else:
        raise ValueTypeError(f"{name} is {type(value).__name__}; bool, int, float, str, a path and bytes are accepted")
    return native, kept
