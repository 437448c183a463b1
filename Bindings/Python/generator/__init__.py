"""Makes mediasdk/constants.py, _structs.py and _native.py from the C headers."""
from __future__ import annotations

from pathlib import Path

from . import constants, functions, structs
from .headers import read

PACKAGE = Path(__file__).resolve().parents[1] / "mediasdk"
INCLUDE = Path(__file__).resolve().parents[3] / "Include"


def generated() -> dict[Path, str]:
    """What each of the files has to contain."""
    headers = read(INCLUDE)
    made = structs.made_by_sdk(headers)
    return {
        PACKAGE / "constants.py": constants.module(headers),
        PACKAGE / "_structs.py": structs.module(headers, made),
        PACKAGE / "_native.py": functions.module(headers, made),
    }
