"""What arrays of other libraries hold: whether they are a frame of a format, or an image in RGB."""
from __future__ import annotations

from typing import Any, Tuple

from ._arguments import wrong_type
from .constants import PixelFormat
from .errors import InvalidError
from .formats import PlaneShape, VideoFormat, plane_shapes

Image = Tuple[Any, VideoFormat]  # pixels one after another, and what they are

_CHANNELS = {3: PixelFormat.RGB24, 4: PixelFormat.RGBA}
_IMAGES = "a uint8 array of the shape (height, width, 3) or (height, width, 4), or an image of PIL's, is accepted"


def check_frame(source: Any, format: VideoFormat, size: int) -> None:
    """Refuses a buffer that is not a frame of `format`, which takes `size` bytes."""
    try:
        view = memoryview(source)
    except TypeError:
        return  # refused as a buffer, with that error
    name = f"{format.pixel_format.name} {format.width}x{format.height}"
    if not _is_uint8(view):
        raise InvalidError(f"the array is of {_type_of(source, view)}; {name} takes uint8")
    if view.nbytes != size:
        raise InvalidError(f"the buffer has {view.nbytes} bytes, {_shape(view.shape)}; {name} takes {size}, {_accepted(format, size)}")
    if view.ndim > 1 and view.shape not in _shapes(format):
        raise InvalidError(f"the array has {_shape(view.shape)}; {name} takes {_accepted(format, size)}")


def plane_rows(source: Any, shape: PlaneShape) -> memoryview:
    """The rows of a plane in a buffer, one after another; a copy if they do not lie so."""
    try:
        view = memoryview(source)
    except (TypeError, ValueError, BufferError):
        raise wrong_type("data", source, "a buffer of bytes or a uint8 array") from None
    if not _is_uint8(view):
        raise InvalidError(f"data is of {_type_of(source, view)}; uint8 is accepted")
    size, two = shape.rows * shape.row_bytes, (shape.rows, shape.row_bytes)
    # As a part of a frame that OpenCV has: two rows of chroma beside one another.
    shapes = [two, (shape.rows, shape.columns, shape.channels), (shape.rows // 2, 2 * shape.row_bytes)]
    if view.nbytes != size or (view.ndim > 1 and view.shape not in shapes):
        raise InvalidError(f"data has {view.nbytes} bytes, {_shape(view.shape)}; {size} bytes, or {_shape(two)}, are accepted for a plane of "
                           f"{shape.rows} rows of {shape.row_bytes} bytes")
    return view.cast("B") if view.c_contiguous else memoryview(view.tobytes())


def image_of(source: Any) -> Image:
    """An image in RGB or RGBA: an array, or an image of PIL's."""
    if isinstance(getattr(source, "mode", None), str) and callable(getattr(source, "convert", None)):
        image = source if source.mode in ("RGB", "RGBA") else source.convert("RGB")
        width, height = image.size
        return image.tobytes(), VideoFormat(_CHANNELS[len(image.mode)], width, height)
    try:
        view = memoryview(source)
    except TypeError:
        raise InvalidError(f"the image is a {type(source).__name__}; {_IMAGES}") from None
    shape = view.shape or ()
    if not _is_uint8(view) or len(shape) != 3 or shape[2] not in _CHANNELS or 0 in shape:
        raise InvalidError(f"the image is of {_type_of(source, view)} and has {_shape(shape)}; {_IMAGES}")
    height, width, channels = shape
    return (source if view.c_contiguous else view.tobytes()), VideoFormat(_CHANNELS[channels], width, height)


def _is_uint8(view: memoryview) -> bool:
    return view.format.lstrip("@=<>!") in ("B", "c")


def _type_of(source: Any, view: memoryview) -> str:
    """As numpy calls it, or as the buffer does."""
    return str(getattr(source, "dtype", f"the type {view.format!r}"))


def _shapes(format: VideoFormat) -> list[tuple[int, ...]]:
    """Shapes of more than one dimension in which a frame of the format may come."""
    planes = plane_shapes(format.pixel_format, format.width, format.height)
    first = planes[0]
    if len(planes) == 1:
        by_channel = (first.rows, first.columns, first.channels)
        return [by_channel, (first.rows, first.row_bytes)] if first.channels > 1 else [(first.rows, first.columns), by_channel]
    chroma = sum(plane.rows * plane.row_bytes for plane in planes[1:])
    # As OpenCV has it: the rows of chroma below those of luma.
    return [(first.rows + chroma // first.row_bytes, first.row_bytes)] if chroma % first.row_bytes == 0 else []


def _accepted(format: VideoFormat, size: int) -> str:
    return " or ".join(_shape(shape) for shape in [*_shapes(format), (size,)])


def _shape(shape: Any) -> str:
    return f"the shape ({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
