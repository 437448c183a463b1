"""Reading a QR code that the tool has printed, as a camera would."""
from __future__ import annotations

import re

import numpy as np
import zxingcpp

QUIET = 4  # modules around a code (ISO/IEC 18004)
# Black for what a character draws, white behind it, in colours that no theme changes.
COLOURS, PLAIN = "\x1b[38;5;16;48;5;231m", "\x1b[0m"
_HALVES = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}
_LINE = re.compile(re.escape(COLOURS) + "([ ▀▄█]+)" + re.escape(PLAIN))


def matrix(printed: str) -> "np.ndarray[tuple[int, int], np.dtype[np.uint8]]":
    """The modules, 1 where they are dark, with what surrounds them. Every line draws both colours."""
    rows: list[list[int]] = []
    for line in printed.splitlines():
        if match := _LINE.fullmatch(line):
            halves = [_HALVES[character] for character in match[1]]
            rows += [[upper for upper, _ in halves], [lower for _, lower in halves]]
    return np.array(rows, np.uint8)


def text(printed: str) -> str:
    """What it says; "" if there is none that can be read."""
    modules = matrix(printed)
    if not modules.size:
        return ""
    picture = np.kron(255 * (1 - modules), np.ones((4, 4), np.uint8)).astype(np.uint8)
    found = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)
    return str(found[0].text) if found else ""


def margins(printed: str) -> tuple[int, int, int, int]:
    """White modules above, below, left and right of what is dark."""
    rows, columns = np.nonzero(matrix(printed))
    height, width = matrix(printed).shape
    return int(rows.min()), int(height - 1 - rows.max()), int(columns.min()), int(width - 1 - columns.max())
