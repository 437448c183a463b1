"""A picture of four plain quarters, computed: what is drawn, what it should look like, and how far from it something else is."""
from __future__ import annotations

from typing import Any

import numpy

from h273 import rgb_of, yuv_of

WIDTH, HEIGHT = 320, 240
# Of the upright picture, above left and right; below are two greys, the digits of its tag.
ABOVE = ((200, 40, 40), (40, 180, 60))
TAGS = 100


def _colours(tag: int) -> list[tuple[int, ...]]:
    return [*ABOVE, *((40 + 18 * digit,) * 3 for digit in divmod(tag % TAGS, 10))]


def upright(tag: int) -> Any:
    picture = numpy.empty((HEIGHT, WIDTH, 3))
    for index, colour in enumerate(_colours(tag)):
        top, left = index // 2 * HEIGHT // 2, index % 2 * WIDTH // 2
        picture[top:top + HEIGHT // 2, left:left + WIDTH // 2] = colour
    return picture


def stored(picture: Any, orientation: int) -> Any:
    """As it lies in memory, to be mirrored (4) and then turned clockwise by quarters (0..3) until it is upright."""
    turned = numpy.rot90(picture, orientation & 3)
    return turned[:, ::-1] if orientation & 4 else turned


def raised(picture: Any, orientation: int) -> Any:
    """The other way round."""
    return numpy.rot90(picture[:, ::-1] if orientation & 4 else picture, -(orientation & 3))


def nv12(tag: int, orientation: int, matrix: int, full_range: bool) -> tuple[bytes, int, int]:
    """The bytes, width and height."""
    levels = numpy.rint(yuv_of(stored(upright(tag), orientation), matrix, full_range)).astype(numpy.uint8)
    height, width = levels.shape[:2]
    return levels[..., 0].tobytes() + levels[::2, ::2, 1:].tobytes(), width, height


def quarters(picture: Any) -> Any:
    """The mean colour in the middle of each quarter of an upright picture."""
    height, width = picture.shape[:2]
    return numpy.array([picture[height * (1 + 4 * row) // 8:height * (3 + 4 * row) // 8,
                                width * (1 + 4 * column) // 8:width * (3 + 4 * column) // 8].mean((0, 1))
                        for row in (0, 1) for column in (0, 1)])


def tag_of(shades: Any) -> int:
    tens, ones = (min(9, max(0, round((float(shades[index].mean()) - 40) / 18))) for index in (2, 3))
    return 10 * tens + ones


def error(shades: Any, tag: int) -> float:
    """The worst of all channels, in levels of 255."""
    return float(abs(shades - numpy.array(_colours(tag), float)).max())


def seen(planes: Any, orientation: int, matrix: int, full_range: bool) -> Any:
    """The quarters of a picture given as the arrays of I420 or NV12."""
    luma, *chroma = planes
    if len(chroma) == 1:
        chroma = [chroma[0][..., 0], chroma[0][..., 1]]
    whole = [numpy.repeat(numpy.repeat(plane, 2, 0), 2, 1)[:luma.shape[0], :luma.shape[1]] for plane in chroma]
    return quarters(raised(rgb_of(numpy.stack([luma, *whole], -1).astype(float), matrix, full_range), orientation))
