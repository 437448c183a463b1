"""_structs.py: the structs that functions take and give, as ctypes sees them."""
from __future__ import annotations

from typing import AbstractSet

from .headers import HeaderError, Headers, Record
from .text import HEAD, filled, imported
from .types import NUMBERS, OPAQUE, base_of, ctype, python_name

_DOC = '"""The structs of the headers, as ctypes sees them.  Members have the C names."""\n'


def made_by_sdk(headers: Headers) -> set[str]:
    """The structs of which functions give addresses: frames, which only the SDK makes."""
    bases = [base_of(parameter, headers) for function in headers.functions for parameter in function.parameters]
    return {base for base, stars, _ in bases if stars == 2 and base in headers.records}


def module(headers: Headers, made: AbstractSet[str]) -> str:
    body = "".join(f"\n\n{_class(record, headers, made)}" for record in _reached(headers))
    names = imported({"POINTER", "Structure", "Union", "c_void_p", "c_char_p", *NUMBERS.values()}, body)
    return (HEAD + _DOC + "from __future__ import annotations\n\n" + f"from ctypes import {', '.join(names)}\n"
            + "\nfrom ._sized import SizedStruct\n" + body)


def _reached(headers: Headers) -> list[Record]:
    """The structs that the functions' parameters need, each after those that it contains."""
    found: dict[str, Record] = {}

    def reach(type: str, above: tuple[str, ...]) -> None:
        base, stars, _ = base_of(type, headers)
        if base in found or base in OPAQUE or base not in headers.records:
            return
        if base in above:
            raise HeaderError(f"struct {base} leads back to itself, which is not bound")
        for field in headers.records[base].fields:
            reach(field.type, (*above, base))
        found[base] = headers.records[base]

    for function in headers.functions:
        for parameter in function.parameters:
            reach(parameter, ())
    return list(found.values())


def _class(record: Record, headers: Headers, made: AbstractSet[str]) -> str:
    parent = "Union" if record.is_union else "SizedStruct" if record.fields[0].name == "struct_size" else "Structure"
    fields = [f'("{field.name}", {ctype(field.type, headers, made)})' for field in record.fields]
    return f"class {python_name(record.name)}({parent}):\n" + filled("    _fields_ = [", fields, "]")
