"""Pixel format conversions against the equations of H.273 in floating point (numpy).

Colours lie in the picture as uniform blocks, of which the middle is compared: chroma at half the size has no say there, so that what
remains is arithmetic.  Rounding alone costs half a level.  What YUV can say and RGB cannot counts in the mean error only.  A picture of
the clip is compared as a whole, chroma then being the mean of four pixels one way, and one value for four pixels the other way.
"""
from __future__ import annotations

from typing import Any, Iterator

import numpy

from h273 import rgb_of, yuv_of
from reference import clip, ffmpeg, psnr
from table import Row

from mediasdk import Frame, Matrix, PixelFormat, VideoFormat

NAMES = {Matrix.SMPTE170M: "BT.601", Matrix.BT709: "BT.709", Matrix.BT2020_NCL: "BT.2020"}
PLANAR = (PixelFormat.I420, PixelFormat.NV12)
# Where red, green and blue lie in a pixel.
PACKED = {PixelFormat.RGBA: (0, 1, 2), PixelFormat.BGRA: (2, 1, 0), PixelFormat.RGB24: (0, 1, 2)}
BLOCK = 16
WIDTH, HEIGHT = 640, 360


def grid(step: int) -> Any:
    """All combinations of so distant levels, the highest among them."""
    levels = numpy.append(numpy.arange(0, 255, step), 255)
    return numpy.stack(numpy.meshgrid(levels, levels, levels, indexing="ij"), -1).reshape(-1, 3)


# ------------------------------------------------------------------------------------------------------ colours in and out of frames

def columns(count: int) -> int:
    return round(count ** 0.5 + 0.5)


def spread(values: Any, block: int) -> Any:
    """Blocks of the values, row after row, the rest of the last row 0."""
    across = columns(len(values))
    whole = numpy.zeros((-(-len(values) // across) * across,) + values.shape[1:], numpy.uint8)
    whole[:len(values)] = values
    return whole.reshape((-1, across) + values.shape[1:]).repeat(block, 0).repeat(block, 1)


def middles(plane: Any, block: int, count: int) -> Any:
    """The values in the middle of each block: four of each, by which a conversion that is not uniform shows."""
    low, high = block // 2 - 1, block // 2
    found = [plane[top::block, left::block].reshape((-1,) + plane.shape[2:])[:count] for top in (low, high) for left in (low, high)]
    return numpy.stack(found).astype(float)


def frame_of(planes: list[Any], pixel_format: PixelFormat, matrix: Matrix = Matrix.UNSPECIFIED, full: bool = False) -> Frame:
    height, width = planes[0].shape[:2]
    data = bytearray(b"".join(numpy.ascontiguousarray(plane).tobytes() for plane in planes))
    return Frame.wrap(data, VideoFormat(pixel_format, width, height, color_matrix=matrix, color_full_range=full))


def packed_frame(rgb: Any, pixel_format: PixelFormat, alpha: Any = 255) -> Frame:
    """Of levels of shape (rows, columns, 3)."""
    pixels = numpy.empty(rgb.shape[:2] + (3 if pixel_format == PixelFormat.RGB24 else 4,), numpy.uint8)
    if pixels.shape[-1] == 4:
        pixels[..., 3] = alpha
    for channel, place in enumerate(PACKED[pixel_format]):
        pixels[..., place] = rgb[..., channel]
    return frame_of([pixels], pixel_format)


def planar_frame(y: Any, u: Any, v: Any, pixel_format: PixelFormat, matrix: Matrix, full: bool) -> Frame:
    return frame_of([y, u, v] if pixel_format == PixelFormat.I420 else [y, numpy.stack([u, v], -1)], pixel_format, matrix, full)


def colours_frame(values: Any, pixel_format: PixelFormat, matrix: Matrix = Matrix.UNSPECIFIED, full: bool = False) -> Frame:
    """Blocks of levels of RGB, or of YUV."""
    if pixel_format in PACKED:
        return packed_frame(spread(values, BLOCK), pixel_format)
    return planar_frame(spread(values[:, 0], BLOCK), *(spread(values[:, channel], BLOCK // 2) for channel in (1, 2)), pixel_format, matrix,
                        full)


def planes_of(frame: Frame) -> list[Any]:
    """Y, U, V; or Y of grey."""
    found = frame.to_numpy()
    if frame.pixel_format == PixelFormat.NV12:
        return [found[0], found[1][..., 0], found[1][..., 1]]
    return list(found) if frame.pixel_format == PixelFormat.I420 else [found]


def pixels_of(frame: Frame) -> Any:
    return frame.to_numpy()[..., list(PACKED[frame.pixel_format])]


def colours_of(frame: Frame, count: int) -> Any:
    """The levels of each block, of shape (4, count, 3), or (4, count) of grey."""
    if frame.pixel_format in PACKED:
        return middles(pixels_of(frame), BLOCK, count)
    planes = planes_of(frame)
    y = middles(planes[0], BLOCK, count)
    return y if len(planes) == 1 else numpy.stack([y] + [middles(plane, BLOCK // 2, count) for plane in planes[1:]], -1)


# -------------------------------------------------------------------------------------------------------------------------- figures

def to_rgb(quick: bool) -> Iterator[Row]:
    values = grid(36 if quick else 15)
    for matrix, name in NAMES.items():
        for full in (False, True):
            wanted = rgb_of(values, matrix, full)
            in_rgb = numpy.abs(yuv_of(wanted, matrix, full) - values).max(-1) < 0.5
            errors = [numpy.abs(colours_of(colours_frame(values, source, matrix, full).convert(target), len(values)) - wanted)
                      for source in PLANAR for target in PACKED]
            what = f"YUV -> RGB, {name} {'full' if full else 'limited'}"
            yield Row(f"{what}: largest error", max(float(error[:, in_rgb].max()) for error in errors), "levels", at_most=2)
            yield Row(f"{what}: mean error", max(float(error.mean()) for error in errors), "levels", at_most=0.5)


def to_yuv(quick: bool) -> Iterator[Row]:
    values = grid(36 if quick else 15)
    wanted = yuv_of(values, Matrix.SMPTE170M, False)
    errors = [colours_of(colours_frame(values, source).convert(target), len(values)) - wanted for source in PACKED for target in PLANAR]
    for name, channels in (("Y", [0]), ("U, V", [1, 2])):
        chosen = [error[..., channels] for error in errors]
        yield Row(f"RGB -> YUV, BT.601 limited, {name}: largest error", max(float(numpy.abs(one).max()) for one in chosen), "levels",
                  at_most=1)
        biases = [float(one[..., channel].mean()) for one in chosen for channel in range(one.shape[-1])]
        yield Row(f"RGB -> YUV, BT.601 limited, {name}: bias", max(biases, key=abs), "levels", at_most=0.1, at_least=-0.1)


def grey(_: bool) -> Iterator[Row]:
    values = grid(36)
    wanted = yuv_of(values, Matrix.SMPTE170M, True)[:, 0]
    found = [colours_of(colours_frame(values, source).convert(PixelFormat.GRAY8), len(values)) for source in PACKED]
    yield Row("RGB -> GRAY8: largest error", max(float(numpy.abs(one - wanted).max()) for one in found), "levels", at_most=1)
    levels = numpy.arange(256)
    for full in (False, True):
        frame = frame_of([spread(levels, BLOCK)], PixelFormat.GRAY8, full=full)
        wanted = rgb_of(numpy.stack([levels, numpy.full(256, 128), numpy.full(256, 128)], -1), Matrix.SMPTE170M, full)
        worst = max(float(numpy.abs(colours_of(frame.convert(target), 256) - wanted).max()) for target in PACKED)
        yield Row(f"GRAY8 {'full' if full else 'limited'} -> RGB: largest error", worst, "levels", at_most=2)


def exact(_: bool) -> Iterator[Row]:
    """What only moves bytes."""
    random = numpy.random.default_rng(14)
    y = random.integers(0, 256, (HEIGHT, WIDTH), numpy.uint8)
    u, v = random.integers(0, 256, (2, HEIGHT // 2, WIDTH // 2), numpy.uint8)
    wrong = 0
    for source in PLANAR:
        frame = planar_frame(y, u, v, source, Matrix.BT709, True)
        for target in (*PLANAR, PixelFormat.GRAY8):
            for found, wanted in zip(planes_of(frame.convert(target)), (y, u, v)):
                wrong += int((found != wanted).sum())
    neutral = numpy.full((HEIGHT // 2, WIDTH // 2), 128, numpy.uint8)
    for target in PLANAR:
        for found, wanted in zip(planes_of(frame_of([y], PixelFormat.GRAY8).convert(target)), (y, neutral, neutral)):
            wrong += int((found != wanted).sum())
    yield Row("among I420, NV12, GRAY8: values changed", wrong, at_most=0)
    rgb, alpha, wrong = random.integers(0, 256, (HEIGHT, WIDTH, 3), numpy.uint8), random.integers(0, 256, (HEIGHT, WIDTH), numpy.uint8), 0
    for source in PACKED:
        for target in PACKED:
            found = packed_frame(rgb, source, alpha).convert(target)
            wrong += int((pixels_of(found) != rgb).sum())
            if target != PixelFormat.RGB24:
                wrong += int((found.to_numpy()[..., 3] != (255 if source == PixelFormat.RGB24 else alpha)).sum())
    yield Row("among RGBA, BGRA, RGB24: values changed, alpha too", wrong, at_most=0)


def round_trips(quick: bool) -> Iterator[Row]:
    """Ten times to YUV and back.  The goal is what rounding to 8 bits makes of it, and one level."""
    values = grid(51 if quick else 17)
    ideal = values.astype(float)
    for _ in range(10):
        ideal = numpy.rint(rgb_of(numpy.rint(yuv_of(ideal, Matrix.SMPTE170M, False)), Matrix.SMPTE170M, False))
    best = float(numpy.abs(ideal - values).max())
    for target in PLANAR:
        frame = colours_frame(values, PixelFormat.RGBA)
        for _ in range(10):
            frame = frame.convert(target).convert(PixelFormat.RGBA)
        yield Row(f"RGBA -> {target.name} -> RGBA, ten times: largest error",
                  float(numpy.abs(colours_of(frame, len(values)) - values).max()), "levels", at_most=best + 1,
                  note=f"rounding alone: {best:g}")


def picture(_: bool) -> Iterator[Row]:
    rgb = clip(WIDTH, HEIGHT, "rgb24", 1)[0].reshape(HEIGHT, WIDTH, 3)
    wanted = yuv_of(rgb.astype(float), Matrix.SMPTE170M, False)
    chroma = wanted[..., 1:].reshape(HEIGHT // 2, 2, WIDTH // 2, 2, 2).mean((1, 3))
    y, u, v = planes_of(packed_frame(rgb, PixelFormat.RGBA).convert(PixelFormat.I420))
    theirs = numpy.frombuffer(ffmpeg("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}", "-i", "-", "-vf",
                                     "scale=flags=area+accurate_rnd+full_chroma_inp+bitexact", "-pix_fmt", "yuv420p", "-f", "rawvideo",
                                     "-", given=rgb.tobytes()), numpy.uint8)
    pixels = WIDTH * HEIGHT
    yield Row("clip, RGBA -> I420: PSNR of Y", psnr(y, wanted[..., 0]), "dB", at_least=55,
              note=f"swscale {psnr(theirs[:pixels].reshape(HEIGHT, WIDTH), wanted[..., 0]):.1f}")
    yield Row("clip, RGBA -> I420: PSNR of U, V", psnr(numpy.stack([u, v], -1), chroma), "dB", at_least=55,
              note=f"swscale {psnr(theirs[pixels:].reshape(2, -1), numpy.moveaxis(chroma, -1, 0).reshape(2, -1)):.1f}")
    for matrix, name in NAMES.items():
        yuv = numpy.rint(yuv_of(rgb.astype(float), matrix, True)).clip(0, 255).astype(numpy.uint8)
        halves = yuv[::2, ::2, 1], yuv[::2, ::2, 2]
        for source in PLANAR:
            found = pixels_of(planar_frame(yuv[..., 0], *halves, source, matrix, True).convert(PixelFormat.BGRA))
            whole = numpy.stack([yuv[..., 0], *(half.repeat(2, 0).repeat(2, 1) for half in halves)], -1)
            yield Row(f"clip, {source.name} {name} full -> BGRA: PSNR", psnr(found, rgb_of(whole.astype(float), matrix, True)), "dB",
                      at_least=55)


def rows(quick: bool) -> Iterator[Row]:
    for part in (to_rgb, to_yuv, grey, exact, round_trips, picture):
        yield from part(quick)
