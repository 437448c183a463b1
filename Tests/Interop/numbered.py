"""Pictures that carry whose they are and their number, in blocks that survive any encoder, on a ground that is another for each stream."""
from __future__ import annotations

import functools
from typing import Any, Optional

import numpy

COLUMNS, ROWS = 16, 12  # blocks that the picture is divided into; the lower two rows are written to
DARK, BRIGHT = 40, 210
PERIOD = 256  # columns after which the ground repeats itself
ALIKE = 30.0  # dB


@functools.lru_cache(maxsize=64)
def _ground(stream: int, is_page: bool, width: int, height: int) -> Any:
    rows, columns = numpy.mgrid[0:height, 0:width + PERIOD]
    if is_page:
        # Lines of words: boxes on white, as wide as their number and the stream have it.
        dark = (rows // 12 % 2 == 0) & ((columns // 8 * 7 + rows // 24 * 13 + stream * 5) % 11 > 3)
        return numpy.where(dark, 60, 230).astype(numpy.uint8)
    wave = numpy.sin(2 * numpy.pi * columns * (1 + stream % 3) / PERIOD) * 45
    return (125 + wave + numpy.cos(2 * numpy.pi * rows * (1 + stream // 3 + stream % 2) / height) * 35).astype(numpy.uint8)


def luma(stream: int, number: int, is_page: bool, width: int, height: int) -> Any:
    """The picture: what moves does so by two columns each time, and a page stands."""
    shift = 0 if is_page else number * 2 % PERIOD
    picture = _ground(stream, is_page, width, height)[:, shift:shift + width].copy()
    word = number & 0xFFFF | (stream & 0xFF) << 16
    word |= _check(word) << 24
    bits = numpy.array([word >> bit & 1 for bit in range(2 * COLUMNS)], bool).reshape(2, COLUMNS)
    blocks = numpy.where(bits, BRIGHT, DARK).astype(numpy.uint8)
    tall, wide = height // ROWS, width // COLUMNS
    picture[height - 2 * tall:, :wide * COLUMNS] = numpy.kron(blocks, numpy.ones((tall, wide), numpy.uint8))[:2 * tall]
    return picture


def _check(word: int) -> int:
    return (word * 0x9E3779B1 >> 7) & 0xFF


def metadata(number: int) -> tuple[bytes, int, int]:
    """What is sent with that picture: user data, as much as there is room for with every other one, a time and a frame id."""
    text = b"picture %d " % number
    return text.ljust(232 if number % 2 else 0, b"\xff"), 1_744_249_600_000_000 + number, number + 1


def read(picture: Any) -> Optional[tuple[int, int]]:
    """Stream and number of a picture; None where it does not add up."""
    height, width = picture.shape
    tall, wide = height // ROWS, width // COLUMNS
    written = picture[height - 2 * tall:, :wide * COLUMNS].reshape(2, tall, COLUMNS, wide)
    middle = written[:, tall // 4:tall - tall // 4, :, wide // 4:wide - wide // 4]
    bits = middle.mean(axis=(1, 3)).reshape(-1) > (DARK + BRIGHT) / 2
    word = int(sum(1 << number for number, bit in enumerate(bits) if bit))
    if word >> 24 != _check(word & 0xFFFFFF):
        return None
    return word >> 16 & 0xFF, word & 0xFFFF


def psnr(one: Any, other: Any) -> float:
    difference = one.astype(numpy.int16) - other
    error = float(numpy.square(difference, dtype=numpy.int32).mean())
    return 99.0 if error == 0 else 10 * numpy.log10(255 * 255 / error)


def likeness(picture: Any, stream: int, number: int, is_page: bool) -> float:
    """To what was made of that number, in this size or in two or four times it: a smaller layer is scaled down from there. In a size in which it is
    alike, others are not looked at: that takes long."""
    height, width = picture.shape
    best = 0.0
    for scale in (1, 2, 4):
        made = luma(stream, number, is_page, width * scale, height * scale)
        if scale > 1:
            made = made.reshape(height, scale, width, scale).mean(axis=(1, 3)).round().astype(numpy.uint8)
        best = max(best, float(psnr(picture, made)))
        if best > ALIKE:
            break
    return best
