"""C's types as those of ctypes."""
from __future__ import annotations

import re
from typing import AbstractSet

from .headers import HeaderError, Headers

NUMBERS = {"int32_t": "c_int32", "uint32_t": "c_uint32", "int64_t": "c_int64", "uint64_t": "c_uint64", "uint8_t": "c_uint8",
           "double": "c_double", "char": "c_char"}

# What only plugins look into; a pointer to it is an address to Python.
OPAQUE = {"msdk_module"}


def python_name(name: str) -> str:
    """msdk_video_frame -> VideoFrame"""
    return "".join(word.capitalize() for word in name.split("_")[1:])


def base_of(type: str, headers: Headers) -> tuple[str, int, int | None]:
    """The type without pointers and typedefs, the number of pointers, and the length if it is an array; "(*)" is a pointer to a function."""
    stars, length = 0, None
    while True:
        if "(*)" in type:
            return "(*)", stars, length
        array = re.fullmatch(r"(.*)\[(\d+)\]", type)
        if array:
            if length is not None or stars:
                raise HeaderError(f"the type {type} is not bound")
            type, length = array[1], int(array[2])
        stars += type.count("*")
        type = re.sub(r"\b(const|struct|union)\b|\*", " ", type).strip()
        if type in NUMBERS or type not in headers.typedefs or type in headers.records or headers.typedefs[type] == f"struct {type}":
            return type, stars, length
        type = headers.typedefs[type]


def ctype(type: str, headers: Headers, made: AbstractSet[str], scope: str = "") -> str:
    """The Python expression for a type.  Structs that the SDK makes, and what is opaque, cross as addresses."""
    base, stars, length = base_of(type, headers)
    if base == "(*)":
        # No thread of the SDK's enters the interpreter: always None.
        found = "c_void_p"
    elif stars == 0:
        found = NUMBERS.get(base, scope + python_name(base) if base in headers.records else "")
    elif stars == 1 and base in headers.records and base not in made and base not in OPAQUE:
        found = f"POINTER({scope}{python_name(base)})"
    elif stars == 1:
        found = {"char": "c_char_p"}.get(base) or (f"POINTER({NUMBERS[base]})" if base in NUMBERS and base != "uint8_t" else "c_void_p")
    elif stars == 2:
        found = "POINTER(c_char_p)" if base == "char" else "POINTER(c_void_p)"
    else:
        found = ""
    if not found:
        raise HeaderError(f"the type {type} is not bound; generator/types.py says which are")
    return f"{found} * {length}" if length is not None else found
