"""Finds and loads libmediasdk.so, and declares functions of it.

The library is looked for in this order:

1. the environment variable MEDIASDK_LIBRARY, a file or a directory with libmediasdk.so in it; if it is set, nothing else is tried;
2. in this package, where `pip install` puts it;
3. where the system's dynamic linker looks.

Functions that can wait are called through CDLL, which lets other Python threads run meanwhile.
"""
from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

_NAMES = ("libmediasdk.so.1", "libmediasdk.so")


def load(declarations: dict[str, tuple[Any, ...]]) -> ctypes.CDLL:
    """The library, with the result and the arguments of each function declared."""
    loaded = _loaded()
    for name, (result, *arguments) in declarations.items():
        try:
            function = getattr(loaded, name)
        except AttributeError:
            raise ImportError(f"{loaded._name} has no function {name}: it is older than this package") from None
        function.restype = result
        function.argtypes = arguments
    return loaded


def _candidates() -> list[str]:
    chosen = os.environ.get("MEDIASDK_LIBRARY")
    if chosen:
        path = Path(chosen)
        return [str(path / "libmediasdk.so" if path.is_dir() else path.absolute())]
    own = Path(__file__).resolve().parent / "lib" / "libmediasdk.so"
    return ([str(own)] if own.exists() else []) + list(_NAMES)


def _loaded() -> ctypes.CDLL:
    reasons = []
    for name in _candidates():
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            reasons.append(f"  {name}: {error}")
    text = "libmediasdk.so cannot be loaded; MEDIASDK_LIBRARY may name the file.  Tried:\n" + "\n".join(reasons)
    if any("libssl.so.3" in reason or "libcrypto.so.3" in reason for reason in reasons):
        text += "\nIt needs OpenSSL 3 of the system, for example: apt install libssl3"
    raise ImportError(text)
