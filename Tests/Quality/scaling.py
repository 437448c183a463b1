"""Scaling and conversion of pixels, against arithmetic in floating point and against libswscale.

    scaling.py [--quick]

Reductions are compared with the exact mean over each result's area, enlargements with the picture that was reduced before; both must be
at least as good as what libswscale's filter (area, accurate_rnd; bilinear) makes of the same samples. What is uniform must stay so: every
level, every format.  Exit status 1 when a goal is missed.  Needs ffmpeg.
"""
from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, Iterator

import numpy
from table import Row

from mediasdk import Frame, PixelFormat, VideoFormat

FILM = Path(__file__).parent.parent / "Media" / "bunny-720p25.ivf"
RGB = (PixelFormat.BGRA, PixelFormat.RGBA, PixelFormat.ARGB, PixelFormat.ABGR, PixelFormat.BGR24, PixelFormat.RGB24)
YUV = (PixelFormat.I420, PixelFormat.NV12, PixelFormat.GRAY8)
REDUCTIONS = (((1280, 720), (640, 360)), ((1280, 720), (427, 240)), ((1278, 720), (426, 240)), ((1920, 1080), (1280, 720)),
              ((1920, 1080), (640, 360)), ((1920, 1080), (192, 108)), ((1280, 720), (960, 540)), ((1280, 720), (1001, 333)))
ENLARGEMENTS = (((640, 360), (1280, 720)), ((427, 240), (1280, 720)), ((1280, 720), (1920, 1080)), ((961, 540), (1280, 720)))
# From which size to which: less, more, odd, one side only, as little as a pixel.
SIZES = (((64, 36), (43, 25)), ((64, 36), (32, 18)), ((64, 36), (21, 12)), ((64, 36), (48, 27)), ((97, 65), (9, 6)), ((33, 34), (100, 80)),
         ((33, 34), (66, 68)), ((50, 20), (33, 41)), ((64, 36), (64, 20)), ((64, 36), (20, 36)), ((1, 1), (5, 3)), ((37, 23), (1, 1)))
# What two results of correct rounding may differ by.
TOLERANCE = 0.05


def ffmpeg(*arguments: str, data: bytes = b"") -> bytes:
    return subprocess.run(["ffmpeg", "-v", "error", *arguments], input=data, stdout=subprocess.PIPE, check=True).stdout


@cache
def film(width: int, height: int) -> Any:
    """A frame of the film as BGRA, with a made-up alpha."""
    data = ffmpeg("-ss", "2", "-i", str(FILM), "-frames:v", "1", "-vf", f"scale={width}:{height}:flags=lanczos", "-f", "rawvideo",
                  "-pix_fmt", "bgra", "-")
    picture = numpy.frombuffer(data, numpy.uint8).reshape(height, width, 4).copy()
    picture[..., 3] = picture[::-1, :, 1]
    return picture


@cache
def rings(width: int, height: int) -> Any:
    """Rings that become finer outwards, others in each channel."""
    y, x = numpy.mgrid[0:height, 0:width].astype(float)
    phases = (x * x + y * y)[..., None] / numpy.array([1400, 1800, 2300, 3100]) + numpy.arange(4)
    return numpy.rint(127.5 + 127.5 * numpy.sin(phases)).astype(numpy.uint8)


@cache
def shares(count: int, results: int) -> Any:
    """How much of each sample lies in each result's part of a side."""
    edges = numpy.arange(results + 1) * count / results
    samples = numpy.arange(count)
    covered = numpy.minimum(edges[1:, None], samples + 1) - numpy.maximum(edges[:-1, None], samples)
    return numpy.clip(covered, 0, 1) * results / count


def mean_by_area(plane: Any, width: int, height: int) -> Any:
    return shares(plane.shape[0], height) @ plane.astype(float) @ shares(plane.shape[1], width).T


def by_libswscale(planes: list[Any], width: int, height: int, flags: str) -> list[Any]:
    """Planes of one size, each by itself."""
    rows, columns = planes[0].shape
    data = ffmpeg("-f", "rawvideo", "-pix_fmt", "gray", "-s", f"{columns}x{rows}", "-i", "-", "-vf",
                  f"scale={width}:{height}:flags={flags}", "-f", "rawvideo", "-pix_fmt", "gray", "-",
                  data=b"".join(plane.tobytes() for plane in planes))
    return list(numpy.frombuffer(data, numpy.uint8).reshape(len(planes), height, width))


def frame_of(pixel_format: PixelFormat, width: int, height: int) -> Frame:
    return Frame.create(VideoFormat(pixel_format, width, height, 30))


def arrays(frame: Frame) -> list[Any]:
    return [plane.array() for plane in frame.planes]


def ours(planes: list[Any], pixel_format: PixelFormat, size: tuple[int, int], wanted: tuple[int, int]) -> list[Any]:
    with frame_of(pixel_format, *size) as source:
        for target, plane in zip(arrays(source), planes):
            target[...] = plane
        with source.convert(pixel_format, *wanted) as result:
            return [array.copy() for array in arrays(result)]


def psnr(a: Any, b: Any) -> float:
    error = float(((a.astype(float) - b) ** 2).mean())
    return 10 * float(numpy.log10(255 ** 2 / error)) if error else 99.0


def title(*parts: Any) -> str:
    return ", ".join(f"{part[0]}x{part[1]}" if isinstance(part, tuple) else str(part) for part in parts)


def uniform() -> Iterator[Row]:
    """Each level through each change of size; from format to format the same as without one."""
    levels = range(256)
    pairs = itertools.product
    for what, formats in (("YUV", list(pairs(YUV, YUV))), ("RGB, alpha too", list(pairs(RGB, RGB))),
                          ("from YUV to RGB and back", [*pairs(YUV, RGB), *pairs(RGB, YUV)])):
        wrong = 0
        for (source_format, target_format), (size, wanted) in itertools.product(formats, SIZES):
            with frame_of(source_format, *size) as source, frame_of(source_format, *wanted) as plain, \
                    frame_of(target_format, *wanted) as expected, frame_of(target_format, *wanted) as result:
                # All levels where the format stays, some where there are many pairs.
                for level in levels if source_format == target_format else levels[::51]:
                    for array in arrays(source) + arrays(plain):
                        array[...] = level
                    plain.convert_into(expected)
                    source.convert_into(result)
                    wrong += sum(int((a != b).sum()) for a, b in zip(arrays(expected), arrays(result)))
        yield Row(f"uniform, {what}: bytes that changed", wrong, at_most=0)
    picture = numpy.full((720, 1280, 4), 255, numpy.uint8)
    size = (1280, 720)
    for wanted in ((853, 480), (1280, 720)) * 5:
        [picture] = ours([picture], PixelFormat.BGRA, size, wanted)
        size = wanted
    yield Row("uniform, white BGRA after ten scalings", int(picture.min()), at_least=255)


def channels(picture: Any) -> list[Any]:
    return [numpy.ascontiguousarray(picture[..., channel]) for channel in range(picture.shape[2])]


def compared(name: str, figures: list[float], goals: list[float], note: str) -> Row:
    """The channel that comes off worst."""
    figure, goal = min(zip(figures, goals), key=lambda pair: pair[0] - pair[1])
    return Row(name, figure, "dB", at_least=round(goal - TOLERANCE, 2), note=note)


def reductions(quick: bool) -> Iterator[Row]:
    """Of one channel, of four at once, and of chroma, in planes and in pairs."""
    for (size, wanted), picture in itertools.product(REDUCTIONS, (film, rings)):
        source = picture(*size)
        luma, chroma = source[..., 1], source[::2, ::2, 1:3]
        made = {"GRAY8": ours([luma], PixelFormat.GRAY8, size, wanted)[0][..., None]}
        if not quick:
            made["BGRA"] = ours([source], PixelFormat.BGRA, size, wanted)[0]
            made["I420's chroma"] = numpy.stack(ours([luma, *channels(chroma)], PixelFormat.I420, size, wanted)[1:], -1)
            made["NV12's chroma"] = ours([luma, chroma], PixelFormat.NV12, size, wanted)[1]
        known: dict[tuple[int, int], tuple[list[Any], list[float]]] = {}
        for name, result in made.items():
            planes = channels(chroma if "chroma" in name else source)
            height, width = result.shape[:2]
            if (width, height) not in known:
                exact = [mean_by_area(plane, width, height) for plane in planes]
                theirs = by_libswscale(planes, width, height, "area+accurate_rnd")
                known[width, height] = exact, [psnr(a, b) for a, b in zip(theirs, exact)]
            exact, goals = known[width, height]
            if name == "GRAY8":
                exact, goals = exact[1:2], goals[1:2]
            yield compared(title(picture.__name__, size, wanted, name), [psnr(a, b) for a, b in zip(channels(result), exact)], goals,
                           "libswscale's area filter")


def enlargements(quick: bool) -> Iterator[Row]:
    for (size, wanted), picture in itertools.product(ENLARGEMENTS, (film, rings)):
        original = channels(picture(*wanted))
        small = [numpy.rint(mean_by_area(plane, *size)).astype(numpy.uint8) for plane in original]
        goals = [psnr(a, b) for a, b in zip(by_libswscale(small, *wanted, "bilinear+accurate_rnd"), original)]
        gray = ours([small[1]], PixelFormat.GRAY8, size, wanted)[0]
        yield compared(title(picture.__name__, size, wanted, "GRAY8"), [psnr(gray, original[1])], goals[1:2],
                       "libswscale's bilinear filter")
        if not quick:
            result = ours([numpy.stack(small, -1)], PixelFormat.BGRA, size, wanted)[0]
            yield compared(title(picture.__name__, size, wanted, "BGRA"), [psnr(a, b) for a, b in zip(channels(result), original)], goals,
                           "libswscale's bilinear filter")


def every_colour(step: int) -> Any:
    """A block of two by two of each colour, as BGRA."""
    values = numpy.arange(0, 256, step, dtype=numpy.uint8)
    grid = numpy.stack(numpy.meshgrid(values, values, values, indexing="ij"), -1).reshape(-1, 3)
    height = -(-len(grid) // 4096)
    padded = numpy.zeros((height * 4096, 4), numpy.uint8)
    padded[:len(grid), :3] = grid
    return padded.reshape(height, 4096, 4).repeat(2, 0).repeat(2, 1)


def exact_yuv(bgra: Any) -> Any:
    """BT.601, limited range, of each block; not rounded (H.273)."""
    blue, green, red = (bgra[::2, ::2, channel].astype(float) / 255 for channel in range(3))
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    return luma * 219 + 16, (blue - luma) / 1.772 * 224 + 128, (red - luma) / 1.402 * 224 + 128


def round_trips(quick: bool) -> Iterator[Row]:
    picture = every_colour(5 if quick else 3)
    height, width = picture.shape[:2]
    for pixel_format in (PixelFormat.I420, PixelFormat.NV12):
        with frame_of(PixelFormat.BGRA, width, height) as rgb, frame_of(pixel_format, width, height) as yuv:
            made = rgb.to_numpy()
            made[...] = picture
            rgb.convert_into(yuv)
            luma, *chroma = arrays(yuv)
            samples = (luma[::2, ::2], *(chroma if len(chroma) == 2 else channels(chroma[0])))
            errors = [plane.astype(float) - exact for plane, exact in zip(samples, exact_yuv(picture))]
            name = f"RGB to {pixel_format.name}"
            yield Row(f"{name}: mean error, the largest of Y, U, V", max(abs(float(error.mean())) for error in errors), "levels",
                      at_most=0.02)
            yield Row(f"{name}: largest error", max(float(abs(error).max()) for error in errors), "levels", at_most=0.52)
            yuv.convert_into(rgb)
            first = made[::2, ::2].astype(int)
            for _ in range(9):
                rgb.convert_into(yuv)
                yuv.convert_into(rgb)
            yield Row(f"{name} and back ten times: drift since the first", int(abs(made[::2, ::2] - first).max()), "levels", at_most=1)
            yield Row(f"{name} and back ten times: error", int(abs(made[::2, ::2].astype(int) - picture[::2, ::2])[..., :3].max()),
                      "levels", at_most=3)


def rows(quick: bool) -> Iterator[Row]:
    yield from uniform()
    yield from round_trips(quick)
    yield from reductions(quick)
    yield from enlargements(quick)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    missed = 0
    for row in rows(parser.parse_args().quick):
        print(row, flush=True)
        missed += not row.good
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
