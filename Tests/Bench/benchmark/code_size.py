"""How many bytes of the library are of certain modules: the sizes of their symbols, code and constants, in a library that is not stripped."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection

from .programs import Failed

_MODULE = re.compile(r"(\d+)(Media[A-Z]\w*)")
_USRSCTP = re.compile(r"^(us)?r?sctp_|^(m_|mb_|soo|so[a-z]+$|sb[a-z]+$|uiomove)")


def _module(symbol: str) -> str:
    """The first module that a name of Swift names, which is the one that it is defined in; "usrsctp"; or nothing."""
    if symbol.startswith("$s"):
        found = _MODULE.search(symbol)
        return found.group(2)[: int(found.group(1))] if found else ""
    return "usrsctp" if _USRSCTP.match(symbol) else ""


def code_size(library: str, modules: Collection[str]) -> dict[str, int]:
    try:
        done = subprocess.run(["nm", "-S", library], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        raise Failed(f"{library} cannot be read") from None
    sizes = dict.fromkeys(modules, 0)
    for line in done.stdout.splitlines():
        words = line.split()
        # What is zero at the start takes no room in the file.
        if len(words) != 4 or words[2] in "bB":
            continue
        module = _module(words[3])
        if module in sizes:
            sizes[module] += int(words[1], 16)
    return sizes
