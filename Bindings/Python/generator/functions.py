"""_native.py: the functions with their types, and the library with these declared."""
from __future__ import annotations

from typing import AbstractSet

from .headers import Function, Headers
from .text import HEAD, filled, imported
from .types import NUMBERS, ctype

_DOC = '''"""The functions of libmediasdk.so.  Handles are tokens, plain integers in Python; callbacks are always None."""
'''
_BEFORE = '''
from . import _structs as s
from ._library import load

# name: (result, arguments...)
DECLARATIONS: dict[str, tuple[Any, ...]] = {
'''
_AFTER = '''}

library = load(DECLARATIONS)
'''


def module(headers: Headers, made: AbstractSet[str]) -> str:
    body, header = "", ""
    for function in headers.functions:
        if function.header != header:
            header = function.header
            body += f"    # {header}\n"
        body += _line(function, headers, made)
    names = imported({"POINTER", "c_char_p", "c_void_p", *NUMBERS.values()}, body)
    return (HEAD + _DOC + "from __future__ import annotations\n\n" + f"from ctypes import {', '.join(names)}\n"
            + "from typing import Any\n" + _BEFORE + body + _AFTER)


def _line(function: Function, headers: Headers, made: AbstractSet[str]) -> str:
    result = "None" if function.result == "void" else ctype(function.result, headers, made, "s.")
    types = [result] + [ctype(parameter, headers, made, "s.") for parameter in function.parameters]
    return filled(f'    "{function.name}": (', types, ",)," if len(types) == 1 else "),")
