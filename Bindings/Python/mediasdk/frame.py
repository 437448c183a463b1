"""Raw video frames: memory, references, conversion."""
from __future__ import annotations

import threading
from ctypes import byref, pointer
from typing import Any, Sequence

from . import _structs
from ._arguments import expected
from ._call import bounded, check, created, nanoseconds, sized
from ._memory import Buffer, Held, HeldBuffers, exposed, take_back_lent, video_references
from ._names import member
from ._native import library
from ._unique import Unique
from .constants import FrameFlag, Orientation, PixelFormat
from .errors import ClosedError, InvalidError, RangeError, StateError, UnsupportedError
from .formats import VideoFormat, format_of, frame_layout, plane_shapes
from .frame_metadata import FrameMetadata, metadata_of, set_metadata
from .plane import Plane
from .view import View

_unref = library.msdk_video_frame_unref
_wrap = library.msdk_video_frame_wrap

# Of who makes the holder of a frame's one reference, or gives that back.
_holding = threading.RLock()
_MAKERS_FLAGS = FrameFlag.DISCONTINUITY | FrameFlag.CORRUPT | FrameFlag.END


class Frame(Unique):
    """A frame, held by one reference of the SDK's.

    Frames come from :meth:`FrameSender.acquire`, :meth:`IncomingVideo.read`, :meth:`create`, :meth:`wrap` and :meth:`convert`.
    ``with frame:`` or :meth:`close` gives the reference back; so does Python when the object is gone.  Planes, memoryviews
    and arrays made from the frame keep its memory alive by themselves, beyond close and beyond the engine.

    A frame that was received or sent is read-only.  Before sending, its maker may write the planes and set
    timestamp_ns, duration_ns, orientation and flags; a view made before sending must not be written afterwards.
    """

    __slots__ = ("_pointer", "_held", "_planes", "_mine", "__weakref__")

    def __init__(self, pointer: int, held: Any = None, mine: bool = False) -> None:
        """For the package itself: takes over one reference to the frame at `pointer`."""
        self._pointer = pointer
        self._held = held
        self._planes: list[Plane] | None = None
        self._mine = mine

    # ------------------------------------------------------------------------------------------------------------- making

    @classmethod
    def create(cls, format: VideoFormat) -> Frame:
        """A writable frame of memory of its own, rows aligned to 64 bytes, contents unspecified.  For sending,
        :meth:`FrameSender.acquire` is better: it has a pool.

        Raises:
            RangeError: a width or height outside 1..16384.
            NoMemoryError: no memory.
        """
        return cls(created(library.msdk_video_frame_create, expected(format, VideoFormat, "format")._struct()), mine=True)

    @classmethod
    def wrap(cls, source: Any, format: VideoFormat, *, alignment: int = 1, timestamp_ns: int = 0,
             orientation: Orientation | str = Orientation.ROTATE_0) -> Frame:
        """A frame in memory of Python's, without a copy.

        Args:
            source: one buffer of exactly the frame's bytes, plane after plane, rows aligned to `alignment` bytes; or a list
                of one buffer for each plane, of any distance between its rows: of two dimensions (rows, bytes), or three.
            format: what is in it.
            alignment: a power of two up to 4096, for one buffer; 1 means no padding.
            timestamp_ns: when it was captured, on the engine's clock; 0: stamped when sent.
            orientation: the rotation that makes it upright.

        The buffer is held until the SDK has released the frame, also after close.  From sending on it must not be written
        until :attr:`references` is 1 again.

        Raises:
            InvalidError: no buffer, or not of the size that the format needs.
        """
        expected(format, VideoFormat, "format")
        take_back_lent()
        external = sized(_structs.ExternalFrame, timestamp_ns=nanoseconds(timestamp_ns, "timestamp_ns"),
                         orientation=bounded(member(Orientation, orientation, "orientation"), 32, "orientation"))
        if isinstance(source, (list, tuple)):
            buffers = _place_planes(external, source, format)
        else:
            buffers = _place_whole(external, source, format, alignment)
        external.format = pointer(format._struct())
        return cls._wrapped(external, buffers)

    @classmethod
    def _wrapped(cls, external: _structs.ExternalFrame, buffers: tuple[Buffer, ...]) -> Frame:
        frame = created(_wrap, external)
        return cls(frame, HeldBuffers(frame, buffers), mine=True)

    # ------------------------------------------------------------------------------------------------------------ lifetime

    def close(self) -> None:
        """Gives the reference back.  May be called again."""
        with _holding:
            held, self._held = self._held, None
            old, self._pointer = self._pointer, 0
            self._planes = None
        if held is None and old:
            _unref(old)

    def __enter__(self) -> Frame:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self, unref: Any = _unref) -> None:
        if getattr(self, "_pointer", 0) and self._held is None:
            unref(self._pointer)

    @property
    def closed(self) -> bool:
        return not self._pointer

    @property
    def references(self) -> int:
        """How many references there are, one of them this object's; 0 when closed."""
        return video_references(self._pointer) if self._pointer else 0

    # ------------------------------------------------------------------------------------------------------------- looking

    def _open(self) -> int:
        if not self._pointer:
            raise ClosedError("the frame is closed")
        return self._pointer

    @property
    def _struct(self) -> _structs.VideoFrame:
        return _structs.VideoFrame.from_address(self._open())

    @property
    def format(self) -> VideoFormat:
        return format_of(self._struct.format.contents)

    @property
    def pixel_format(self) -> PixelFormat:
        return self.format.pixel_format

    @property
    def width(self) -> int:
        return int(self._struct.format.contents.width)

    @property
    def height(self) -> int:
        return int(self._struct.format.contents.height)

    @property
    def flags(self) -> FrameFlag:
        """Before sending, its maker may set DISCONTINUITY, CORRUPT and END."""
        return FrameFlag(self._struct.flags)

    @flags.setter
    def flags(self, value: FrameFlag | str) -> None:
        struct = self._maker()
        struct.flags = (struct.flags & ~_MAKERS_FLAGS) | (member(FrameFlag, value, "flags") & _MAKERS_FLAGS)

    @property
    def writable(self) -> bool:
        """Whether planes taken now may be written."""
        return self._mine and bool(self._struct.flags & FrameFlag.WRITABLE)

    @property
    def sequence(self) -> int:
        """Counted by the sending stream from 1; a gap is a frame that did not arrive."""
        return int(self._struct.sequence)

    @property
    def duration_ns(self) -> int:
        """Nanoseconds; 0: unknown.  Its maker may set it before sending."""
        return int(self._struct.duration_ns)

    @duration_ns.setter
    def duration_ns(self, value: int) -> None:
        self._maker().duration_ns = nanoseconds(value, "duration_ns")

    @property
    def timestamp_ns(self) -> int:
        """When it was captured, nanoseconds on the engine's clock; 0 until known.  Its maker may set it before sending."""
        return int(self._struct.timestamp_ns)

    @timestamp_ns.setter
    def timestamp_ns(self, value: int) -> None:
        self._maker().timestamp_ns = nanoseconds(value, "timestamp_ns")

    @property
    def orientation(self) -> Orientation:
        """The rotation that makes it upright.  Its maker may set it before sending."""
        return Orientation(self._struct.orientation)

    @orientation.setter
    def orientation(self, value: Orientation | str) -> None:
        value = member(Orientation, value, "orientation")
        if not 0 <= value <= 7:
            raise RangeError(f"orientation is {int(value)}; 0 to 7 is accepted")
        self._maker().orientation = value

    @property
    def metadata(self) -> FrameMetadata:
        """What its sender sends with it, in a stream with `carries_metadata`.  Its maker may set it before sending; None removes it."""
        return metadata_of(library.msdk_video_frame_get_metadata, self._open())

    @metadata.setter
    def metadata(self, value: FrameMetadata | None) -> None:
        self._maker()
        set_metadata(library.msdk_video_frame_set_metadata, self._open(), value)

    def _maker(self) -> _structs.VideoFrame:
        struct = self._struct
        if not self._mine:
            raise StateError("the frame was sent or received: it is read-only")
        return struct

    @property
    def planes(self) -> list[Plane]:
        """The planes, without a copy: Y, U, V of I420; Y, UV of NV12; the one of the others."""
        struct = self._struct
        readonly = not (self._mine and struct.flags & FrameFlag.WRITABLE)
        planes = self._planes
        if planes is None or planes[0].readonly != readonly:
            with _holding:
                if self._held is None:
                    self._held = Held(self._open())
                planes = self._planes = _planes_of(struct, self._held, readonly)
        return planes

    def plane_array(self, index: int) -> Any:
        """A plane as a numpy array, without a copy: uint8, shape (rows, columns) or (rows, columns, channels), writable when
        the frame is.  It keeps the frame alive."""
        return self.planes[index].array()

    def to_numpy(self) -> Any:
        """The frame in numpy, without a copy: (height, width, channels) for the RGB formats, (height, width) for GRAY8, and a
        tuple of the planes' arrays for I420 (Y, U, V) and NV12 (Y, UV)."""
        arrays = tuple(plane.array() for plane in self.planes)
        return arrays if self.pixel_format in (PixelFormat.I420, PixelFormat.NV12) else arrays[0]

    def tobytes(self) -> bytes:
        """A copy of the frame, plane after plane, without padding."""
        return b"".join(plane.tobytes() for plane in self.planes)

    # ---------------------------------------------------------------------------------------------------------- converting

    def convert(self, pixel_format: PixelFormat | str | None = None, width: int = 0, height: int = 0) -> Frame:
        """A new frame of another pixel format or size; what is not given stays.  Scaling is by area where a side becomes
        smaller, bilinear where it becomes larger.  From YUV to RGB the frame's matrix and range are used; RGB becomes BT.601
        limited-range YUV, or full-range GRAY8.

        Raises:
            UnsupportedError: an unknown pixel format.
            RangeError: a size outside 1..16384.
        """
        chosen = 0 if pixel_format is None else member(PixelFormat, pixel_format, "pixel_format")
        wanted = sized(_structs.VideoFormat, pixel_format=chosen, width=width, height=height)
        return Frame(created(library.msdk_video_frame_convert, self._open(), wanted), mine=True)

    def convert_into(self, destination: Frame) -> None:
        """Converts into a writable frame, whose format is the target.

        Raises:
            StateError, InvalidError: the destination is not writable.
        """
        expected(destination, Frame, "destination")._maker()
        check(library.msdk_video_frame_convert_into(self._open(), destination._open()))

    def compose(self, view: View) -> Frame:
        """A new, upright frame of the view's size that shows this one: I420 for YUV and grey formats, BGRA for RGB formats."""
        return Frame(created(library.msdk_video_frame_compose, self._open(), byref(expected(view, View, "view")._struct())), mine=True)

    def __repr__(self) -> str:
        if not self._pointer:
            return "<Frame closed>"
        struct = self._struct
        wide, high = struct.format.contents.width, struct.format.contents.height
        return f"<Frame {self.pixel_format.name} {wide}x{high} sequence={struct.sequence} timestamp_ns={struct.timestamp_ns}>"


def _planes_of(struct: _structs.VideoFrame, held: object, readonly: bool) -> list[Plane]:
    native = struct.format.contents
    shapes = plane_shapes(native.pixel_format, native.width, native.height)
    planes = []
    for plane, shape in zip(struct.plane, shapes):
        if not plane.data:
            raise UnsupportedError("the frame's memory is not the CPU's")
        size = plane.stride * (shape.rows - 1) + shape.row_bytes
        planes.append(Plane(exposed(plane.data, size, held), plane.data, shape, plane.stride, readonly))
    return planes


def _place_whole(external: _structs.ExternalFrame, source: Any, format: VideoFormat, alignment: int) -> tuple[Buffer, ...]:
    """Finds the planes in one buffer."""
    layout = frame_layout(format.pixel_format, format.width, format.height, alignment)
    buffer = Buffer(source)
    if buffer.size != layout.size:
        raise InvalidError(f"the buffer has {buffer.size} bytes; {format.pixel_format.name} {format.width}x{format.height} with rows "
                           f"aligned to {alignment} takes {layout.size}")
    external.plane_count = len(layout.offsets)
    for plane, offset, size, stride in zip(external.plane, layout.offsets, layout.plane_sizes, layout.strides):
        plane.data, plane.size, plane.stride = buffer.address + offset, size, stride
    return (buffer,)


def _place_planes(external: _structs.ExternalFrame, sources: Sequence[Any], format: VideoFormat) -> tuple[Buffer, ...]:
    """Finds each plane in a buffer of its own."""
    shapes = plane_shapes(format.pixel_format, format.width, format.height)
    if len(sources) != len(shapes):
        raise InvalidError(f"{len(sources)} planes; {format.pixel_format.name} has {len(shapes)}")
    external.plane_count = len(shapes)
    buffers = tuple(Buffer(source, strided=True) for source in sources)
    for index, (plane, buffer, shape) in enumerate(zip(external.plane, buffers, shapes)):
        rows, row_bytes, stride = buffer.rows()
        if rows == 1 and row_bytes == shape.rows * shape.row_bytes:
            rows, row_bytes, stride = shape.rows, shape.row_bytes, shape.row_bytes
        if (rows, row_bytes) != (shape.rows, shape.row_bytes):
            raise InvalidError(f"plane {index} has {rows} rows of {row_bytes} bytes; {format.pixel_format.name} "
                               f"{format.width}x{format.height} takes {shape.rows} rows of {shape.row_bytes}")
        if rows > 1 and not row_bytes <= stride < 1 << 31:
            raise InvalidError(f"plane {index} has rows {stride} bytes apart; {row_bytes} or more is accepted")
        plane.data, plane.stride = buffer.address, max(stride, row_bytes)
        plane.size = plane.stride * (rows - 1) + row_bytes
    return buffers
