"""Video formats, and how their frames lie in memory."""
from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Union

from . import _structs
from ._arguments import whole
from ._call import bounded, filled, sized
from ._names import member
from ._native import library
from .constants import Content, Matrix, PixelFormat
from .errors import InvalidError, UnsupportedError

Rate = Union[int, float, str, Fraction]

_FPS_TERM_MAX = 0xFFFFFFFF


def rate(value: Rate, name: str = "fps") -> Fraction:
    """A frame rate as the fraction that crosses to C: 30, 29.97, "30000/1001", Fraction(25)."""
    try:
        exact = Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError, TypeError):
        raise InvalidError(f"{name} is {value!r}; a number or a fraction of frames a second is accepted") from None
    if isinstance(value, float):
        exact = exact.limit_denominator(1001)
    if exact < 0 or max(exact.numerator, exact.denominator) > _FPS_TERM_MAX:
        raise InvalidError(f"{name} is {value!r}; 0 or more is accepted, with terms up to {_FPS_TERM_MAX}")
    return exact


@dataclass(frozen=True, init=False)
class VideoFormat:
    """What the frames of a stream are: ``VideoFormat("NV12", 1280, 720, 30)``.

    Attributes:
        pixel_format: how pixels lie in memory.
        width, height: pixels, 1 to 16384; odd sizes are fine.
        fps: frames a second, exactly (``Fraction(30000, 1001)``); 0: variable or unknown.  Numbers and text are converted.
        color_matrix, color_primaries, color_transfer: code points of ITU-T H.273; unspecified counts as BT.601.
        color_full_range: luma 0..255 rather than 16..235.
        content_hint: what the frame shows.
        expected_delay_ns: the capture device's own delay, in nanoseconds; 0: unknown.
    """

    pixel_format: PixelFormat
    width: int
    height: int
    fps: Fraction
    color_matrix: int
    color_full_range: bool
    color_primaries: int
    color_transfer: int
    content_hint: Content
    expected_delay_ns: int

    def __init__(self, pixel_format: PixelFormat | str, width: int, height: int, fps: Rate = 0,
                 color_matrix: int | str = Matrix.UNSPECIFIED, color_full_range: bool = False, color_primaries: int = 2,
                 color_transfer: int = 2, content_hint: Content | str = Content.NONE,
                 expected_delay_ns: int = 0) -> None:
        values = {
            "pixel_format": member(PixelFormat, pixel_format, "pixel_format"), "width": whole(width, "width"),
            "height": whole(height, "height"), "fps": rate(fps),
            "color_matrix": member(Matrix, color_matrix, "color_matrix") if isinstance(color_matrix, str)
            else whole(color_matrix, "color_matrix"),
            "color_full_range": bool(color_full_range), "color_primaries": whole(color_primaries, "color_primaries"),
            "color_transfer": whole(color_transfer, "color_transfer"),
            "content_hint": member(Content, content_hint, "content_hint"),
            "expected_delay_ns": whole(expected_delay_ns, "expected_delay_ns")}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def frame_duration_ns(self) -> int:
        """Nanoseconds from one frame to the next, rounded; 0 for an unknown rate."""
        return round(1_000_000_000 / self.fps) if self.fps else 0

    @property
    def packed_size(self) -> int:
        """Bytes of one frame with no padding."""
        return sum(shape.rows * shape.row_bytes for shape in plane_shapes(self.pixel_format, self.width, self.height))

    def with_fps(self, fps: Rate) -> VideoFormat:
        return replace(self, fps=rate(fps))

    def _struct(self) -> _structs.VideoFormat:
        struct: _structs.VideoFormat = sized(
            _structs.VideoFormat, pixel_format=self.pixel_format, width=self.width, height=self.height,
            fps_num=self.fps.numerator, fps_den=self.fps.denominator,
            color_primaries=self.color_primaries, color_transfer=self.color_transfer, color_matrix=self.color_matrix,
            color_full_range=int(self.color_full_range), content_hint=self.content_hint,
            expected_delay_ns=self.expected_delay_ns)
        return struct


def format_of(struct: _structs.VideoFormat) -> VideoFormat:
    """The format that a C struct holds."""
    return _parsed(bytes(struct))


@lru_cache(maxsize=64)
def _parsed(data: bytes) -> VideoFormat:
    struct = _structs.VideoFormat.from_buffer_copy(data)
    return VideoFormat(
        pixel_format=PixelFormat(struct.pixel_format), width=struct.width, height=struct.height,
        fps=Fraction(struct.fps_num, struct.fps_den) if struct.fps_den else Fraction(0), color_matrix=struct.color_matrix,
        color_full_range=bool(struct.color_full_range), color_primaries=struct.color_primaries,
        color_transfer=struct.color_transfer, content_hint=Content(struct.content_hint),
        expected_delay_ns=struct.expected_delay_ns)


@dataclass(frozen=True)
class PlaneShape:
    """The shape of one plane: rows of row_bytes, each of `columns` samples of `channels` bytes."""

    rows: int
    row_bytes: int
    columns: int
    channels: int


_PACKED_CHANNELS: dict[int, int] = {
    PixelFormat.RGBA: 4, PixelFormat.BGRA: 4, PixelFormat.ARGB: 4, PixelFormat.ABGR: 4, PixelFormat.RGB24: 3, PixelFormat.BGR24: 3,
    PixelFormat.GRAY8: 1}


@lru_cache(maxsize=256)
def plane_shapes(pixel_format: int | str, width: int, height: int) -> tuple[PlaneShape, ...]:
    """The planes of a frame.  The chroma of an odd size is rounded up.

    Raises:
        UnsupportedError: an unknown pixel format.
    """
    if isinstance(pixel_format, str):
        pixel_format = member(PixelFormat, pixel_format, "pixel_format")
    luma = PlaneShape(height, width, width, 1)
    columns, rows = (width + 1) // 2, (height + 1) // 2
    if pixel_format == PixelFormat.I420:
        chroma = PlaneShape(rows, columns, columns, 1)
        return (luma, chroma, chroma)
    if pixel_format == PixelFormat.NV12:
        return (luma, PlaneShape(rows, 2 * columns, columns, 2))
    channels = _PACKED_CHANNELS.get(pixel_format)
    if channels is None:
        raise UnsupportedError(f"pixel format 0x{pixel_format:08X} is not known to this package")
    return (PlaneShape(height, channels * width, width, channels),)


@dataclass(frozen=True)
class FrameLayout:
    """How a frame lies in one piece of memory; every tuple has an element for each plane.

    Attributes:
        size: bytes of all planes together.
        offsets: of each plane from the first byte.
        strides: bytes from one row to the next.
        row_bytes: of these, bytes that carry pixels.
        rows: in each plane.
        plane_sizes: strides times rows.
    """

    size: int
    offsets: tuple[int, ...]
    strides: tuple[int, ...]
    row_bytes: tuple[int, ...]
    rows: tuple[int, ...]
    plane_sizes: tuple[int, ...]


def frame_layout(pixel_format: PixelFormat | str, width: int, height: int, alignment: int = 1) -> FrameLayout:
    """The layout of a pixel format and size, rows aligned to `alignment` bytes: a power of two up to 4096, 1 for no padding.

    Raises:
        RangeError: a size or an alignment outside what is accepted.
        UnsupportedError: an unknown pixel format.
    """
    pixel_format = member(PixelFormat, pixel_format, "pixel_format")
    struct = filled(_structs.FrameLayout, library.msdk_frame_get_layout, bounded(pixel_format, 32, "pixel_format"),
                    bounded(width, 32, "width"), bounded(height, 32, "height"), bounded(alignment, 32, "alignment"))
    planes = range(struct.plane_count)
    return FrameLayout(struct.size, *(tuple(column[plane] for plane in planes) for column in (
        struct.offset, struct.stride, struct.row_bytes, struct.rows, struct.plane_size)))
