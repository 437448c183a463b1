"""How much a frame lost in the call: the peak signal-to-noise ratio of luma, with numpy or without."""
from __future__ import annotations

import math
from collections import OrderedDict
from typing import Any

from mediasdk import Frame

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

PENDING = 64  # sent frames that wait for the received one
# Without numpy only some pixels of some frames are compared.
FRAME_STEP = 1 if numpy is not None else 10
PIXEL_STEP = 1 if numpy is not None else 8


class Psnr:
    """Compares received frames with the sent ones of the same timestamp."""

    def __init__(self) -> None:
        self.compared = 0
        self._sent: OrderedDict[int, Any] = OrderedDict()
        self._count = 0
        self._error = 0.0  # mean square errors, summed

    def sent(self, frame: Frame, timestamp_ns: int) -> None:
        if self._count % FRAME_STEP == 0:
            self._sent[timestamp_ns] = _luma(frame)
            if len(self._sent) > PENDING:
                self._sent.popitem(last=False)
        self._count += 1

    def received(self, frame: Frame) -> None:
        before = self._sent.pop(frame.timestamp_ns, None)
        if before is not None:
            self._error += _mean_square_error(before, _luma(frame))
            self.compared += 1

    def __str__(self) -> str:
        if not self.compared:
            return "unknown"
        error = self._error / self.compared
        return f"{10 * math.log10(255 * 255 / error):.2f} dB" if error else "infinite"


def _luma(frame: Frame) -> Any:
    """A copy of plane 0, or of a part of it."""
    if numpy is not None:
        return frame.plane_array(0).astype(numpy.int16)
    plane = frame.planes[0]
    return [bytes(plane[row][::PIXEL_STEP]) for row in range(0, plane.rows, PIXEL_STEP)]


def _mean_square_error(one: Any, other: Any) -> float:
    if numpy is not None:
        difference = (one - other).ravel()
        return float(numpy.einsum("i,i->", difference, difference, dtype=numpy.int64) / difference.size)
    squares = sum((a - b) ** 2 for row, other_row in zip(one, other) for a, b in zip(row, other_row))
    return float(squares / sum(map(len, one)))
