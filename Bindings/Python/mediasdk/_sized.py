"""What the structs of _structs.py are made of."""
from __future__ import annotations

import ctypes
from ctypes import Structure, c_int32, c_int64, c_uint8, c_uint32, c_uint64, sizeof
from typing import Any

from ._arguments import fitting

_RANGES: dict[Any, tuple[int, int]] = {
    c_uint8: (0, 0xFF),
    c_int32: (-(1 << 31), (1 << 31) - 1),
    c_uint32: (0, (1 << 32) - 1),
    c_int64: (-(1 << 63), (1 << 63) - 1),
    c_uint64: (0, (1 << 64) - 1),
}


class SizedStruct(Structure):
    """A struct that begins with struct_size.  Making one sets it, and the members named; a number that does not fit its member
    is an error, because ctypes would cut it silently."""

    def __init__(self, **members: Any) -> None:
        super().__init__()
        self.struct_size = sizeof(self)
        types: dict[str, Any] = dict(self._fields_) if members else {}  # type: ignore[arg-type]
        for name, value in members.items():
            bounds = _RANGES.get(types[name])
            setattr(self, name, value if bounds is None else fitting(value, *bounds, name))


def array_of(kind: Any, elements: list[Any]) -> Any:
    """A C array of the given structs."""
    array = (kind * len(elements))()
    for index, element in enumerate(elements):
        ctypes.memmove(ctypes.byref(array, index * sizeof(kind)), ctypes.byref(element), sizeof(kind))
    return array
