"""YUV and RGB as H.273 has them (table 4, equations 20 to 40), in floating point, not rounded."""
from __future__ import annotations

from typing import Any

import numpy

# Of each matrix: red and blue in luma.  Unspecified counts as BT.601.
WEIGHTS = {1: (0.2126, 0.0722), 2: (0.299, 0.114), 5: (0.299, 0.114), 6: (0.299, 0.114), 9: (0.2627, 0.0593)}


def rgb_of(yuv: Any, matrix: int, full: bool) -> Any:
    """Levels of YUV as levels of RGB."""
    kr, kb = WEIGHTS[matrix]
    offset, luma, chroma = (0, 255, 255) if full else (16, 219, 224)
    y, u, v = ((yuv[..., 0] - offset) / luma, (yuv[..., 1] - 128) / chroma, (yuv[..., 2] - 128) / chroma)
    red, blue = y + 2 * (1 - kr) * v, y + 2 * (1 - kb) * u
    return numpy.clip(numpy.stack([red, (y - kr * red - kb * blue) / (1 - kr - kb), blue], -1) * 255, 0, 255)


def yuv_of(rgb: Any, matrix: int, full: bool) -> Any:
    """The other way."""
    kr, kb = WEIGHTS[matrix]
    offset, luma, chroma = (0, 255, 255) if full else (16, 219, 224)
    red, green, blue = (rgb[..., channel] / 255 for channel in range(3))
    y = kr * red + (1 - kr - kb) * green + kb * blue
    return numpy.stack([y * luma + offset, (blue - y) / (2 * (1 - kb)) * chroma + 128, (red - y) / (2 * (1 - kr)) * chroma + 128], -1)
