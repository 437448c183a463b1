"""The frame sender: where a program's frames go in."""
from __future__ import annotations

import threading
import weakref
from ctypes import addressof, byref, c_ubyte, c_void_p, pointer
from typing import TYPE_CHECKING, Any, List, Tuple

from . import _structs
from ._arrays import check_frame, image_of
from ._arguments import expected
from ._call import deadline_of, failure, nanoseconds, pull
from ._memory import Buffer, give_up, take_back_lent, video_references
from ._names import member
from ._native import library
from ._unique import Unique
from .constants import Scale, Status
from .encoded import EncodedFrame
from .errors import HandleError, InvalidError
from .formats import VideoFormat, frame_layout
from .frame import Frame
from .view import View

if TYPE_CHECKING:
    from .outgoing import OutgoingVideo

_acquire = library.msdk_frame_sender_acquire
_convert_into = library.msdk_video_frame_convert_into
_send = library.msdk_frame_sender_send
_send_encoded = library.msdk_frame_sender_send_encoded
_unref = library.msdk_video_frame_unref
_wrap_frame = library.msdk_video_frame_wrap

_Template = Tuple[_structs.ExternalFrame, List[Tuple[Any, int]]]  # and the planes in it, with their offsets

# Buffers that were sent stay wrapped, so that a program that draws into the same few in turn pays for the wrapping once.
_WRAPPED_KEPT = 4


class FrameSender(Unique):
    """Takes the frames of one agreed format.  It comes with :class:`FrameSenderChanged` and is replaced by another
    when the format changes; from then on it raises :class:`StaleSenderError`.

    The send methods return at once (unless the stream's policy is WAIT); what became of a frame is reported by
    :meth:`OutgoingVideo.read_report`.  ``timestamp_ns`` is when the frame was captured, on the engine's clock
    or on one of the program's own, see :data:`mediasdk.TIME_ZERO`; 0: the frame's own if it was set, else now.

    They raise StaleSenderError; StateError when the stream is not started; FormatError for a frame of another pixel format or
    size; MediaTimeout with the policy WAIT when there was no room for 5 seconds; HandleError after close.
    """

    def __init__(self, handle: int, stream: OutgoingVideo, format: VideoFormat) -> None:
        """For the package itself."""
        self._handle = handle
        self._stream = weakref.ref(stream)
        self._now = stream.engine._quick_now
        # Between wrapping and sending, no other thread may find a frame to have been sent already and give it up.
        self._lock = threading.Lock()
        # By the id of the buffer, which the entry keeps alive: the frame in it, the buffer, and what holds its memory.
        self._wrapped: dict[int, tuple[int, Any, Any]] = {}
        self._format = format
        self._format_struct = format._struct()
        self._layout = frame_layout(format.pixel_format, format.width, format.height)
        self._memory_type = c_ubyte * self._layout.size
        self._templates: list[_Template] = []

    @property
    def format(self) -> VideoFormat:
        """What the frames must be."""
        return self._format

    @property
    def stream(self) -> OutgoingVideo | None:
        """The stream that this sender belongs to, while it exists."""
        return self._stream()

    def acquire(self, timeout: float | None = 0) -> Frame:
        """A writable frame of the format from the sender's pool of 8.

        Args:
            timeout: seconds to wait while all are in use; None: no limit.

        Raises:
            MediaTimeout: all were still in use.
        """
        if timeout != 0:
            deadline_of(timeout)
        out = c_void_p()
        result = _acquire(self._handle, 0, byref(out))
        if result == Status.AGAIN:
            result = Status.TIMEOUT if timeout == 0 else pull(lambda milliseconds: _acquire(self._handle, milliseconds, byref(out)), timeout)
        if result < 0:
            raise failure(result)
        return Frame(out.value or 0, None, True)

    def send(self, frame: Frame, timestamp_ns: int = 0) -> None:
        """Sends a frame, without a copy.  From now on it is read-only.  A received frame may be sent on.

        Raises:
            StaleSenderError: the sender was replaced; a :class:`FrameSenderChanged` has the new one.
        """
        if timestamp_ns != 0:
            timestamp_ns = nanoseconds(timestamp_ns, "timestamp_ns")
        pointer = expected(frame, Frame, "frame")._pointer
        if not pointer:
            raise HandleError("the frame is closed")
        result = _send(self._handle, pointer, timestamp_ns, None, None)
        if result < 0:
            raise failure(result)
        frame._mine = False

    def send_buffer(self, source: Any, timestamp_ns: int = 0) -> None:
        """Sends a frame in memory of Python's, without a copy: one buffer, plane after plane without padding, of exactly
        ``sender.format.packed_size`` bytes (bytes, bytearray, memoryview, a C-contiguous numpy array).

        The buffer must not be written until the SDK has done with it: fill several in turn, and ask :meth:`busy`.  Up to four
        of the last buffers stay held, and so does each that the SDK still reads.

        Raises:
            InvalidError: no buffer, or of another type, shape or size.
        """
        if timestamp_ns != 0:
            timestamp_ns = nanoseconds(timestamp_ns, "timestamp_ns")
        else:
            timestamp_ns = self._now()  # a frame that is sent again has the time of its first sending
        with self._lock:
            known = self._wrapped.get(id(source))
            if known is None:
                known = self._wrap(source)
            result = _send(self._handle, known[0], timestamp_ns, None, None)
        if result < 0:
            raise failure(result)

    def send_array(self, source: Any, timestamp_ns: int = 0, timeout: float | None = 0) -> None:
        """Copies a frame of the sender's own pixel format and size into a frame of the pool and sends it.  It may be written again
        at once.

        Args:
            source: a buffer of ``sender.format.packed_size`` bytes, plane after plane; or a uint8 array, contiguous or not, of the
                shape (height, width, channels) for the RGB formats, (height, width) for GRAY8, (height * 3 // 2, width) for NV12
                and I420.
            timeout: seconds to wait while all frames of the pool are in use; None: no limit.

        Raises:
            InvalidError: no buffer, or of another type, shape or size.
            MediaTimeout: all frames of the pool were in use for `timeout` seconds.
        """
        check_frame(source, self._format, self._layout.size)
        source_frame, memory = self._frame_of(_contiguous(source))
        try:
            with self.acquire(timeout) as frame:
                result = _convert_into(source_frame, frame._pointer)
                if result < 0:
                    raise failure(result)
                self.send(frame, timestamp_ns)
        finally:
            give_up(source_frame, memory)

    def send_image(self, image: Any, timestamp_ns: int = 0, timeout: float | None = 0, *, scale: Scale | str = Scale.FIT) -> None:
        """Converts an image in RGB to the sender's pixel format and size, and sends it.  It may be written again at once.

        Args:
            image: a uint8 array of the shape (height, width, 3) for RGB or (height, width, 4) for RGBA, contiguous or not, or an
                image of PIL's.  Its alpha is passed on where the sender's format has one, and not blended with anything.
            timeout: as in :meth:`send_array`.
            scale: how an image of another size is put into the frame: :attr:`Scale.FIT` is all of it, with black bars.

        Raises:
            InvalidError: no such image.
            MediaTimeout: all frames of the pool were in use for `timeout` seconds.
        """
        scale = member(Scale, scale, "scale")
        pixels, format = image_of(image)
        with Frame.wrap(pixels, format) as whole, self.acquire(timeout) as frame:
            if (format.width, format.height) == (self._format.width, self._format.height):
                whole.convert_into(frame)
            else:
                with whole.compose(View(self._format.width, self._format.height, scale)) as composed:
                    composed.convert_into(frame)
            self.send(frame, timestamp_ns)

    def send_encoded(self, frame: EncodedFrame, timestamp_ns: int = 0) -> None:
        """Sends an encoded frame; for streams made with ``encoded_input=True``.  The first, and the first after
        :class:`KeyFrameRequested`, should be a key frame."""
        pointer = expected(frame, EncodedFrame, "frame")._pointer
        result = _send_encoded(self._handle, pointer, nanoseconds(timestamp_ns, "timestamp_ns"), None, None)
        if result < 0:
            raise failure(result)

    def busy(self, source: Any) -> bool:
        """Whether the SDK still reads a buffer that was given to :meth:`send_buffer`."""
        known = self._wrapped.get(id(source))
        return known is not None and video_references(known[0]) > 1

    def release_buffers(self) -> None:
        """Lets go of all buffers that :meth:`send_buffer` was given, except those that the SDK still reads: they follow when a
        buffer is next wrapped, or the engine closed."""
        with self._lock:
            while self._wrapped:
                _, (frame, _, memory) = self._wrapped.popitem()
                give_up(frame, memory)
        take_back_lent()

    def __del__(self, give_up: Any = give_up) -> None:
        for frame, _, memory in getattr(self, "_wrapped", {}).values():
            give_up(frame, memory)

    # ------------------------------------------------------------------------------------------------------------- wrapping

    def _template(self) -> _Template:
        """An external frame of the format, in which the planes' addresses are still missing."""
        external = _structs.ExternalFrame(plane_count=len(self._layout.offsets))
        planes = list(external.plane)[:len(self._layout.offsets)]
        for plane, size, stride in zip(planes, self._layout.plane_sizes, self._layout.strides):
            plane.size, plane.stride = size, stride
        external.format = pointer(self._format_struct)
        return external, list(zip(planes, self._layout.offsets))

    def _wrap(self, source: Any) -> tuple[int, Any, Any]:
        """Wraps a buffer not seen lately, and gives up the oldest of those that the SDK has done with."""
        check_frame(source, self._format, self._layout.size)
        take_back_lent()
        wrapped = self._wrapped
        if len(wrapped) >= _WRAPPED_KEPT:
            for key, entry in list(wrapped.items()):
                if video_references(entry[0]) <= 1:
                    del wrapped[key]
                    _unref(entry[0])
                if len(wrapped) < _WRAPPED_KEPT:
                    break
        frame, memory = self._frame_of(source)
        entry = wrapped[id(source)] = (frame, source, memory)
        return entry

    def _frame_of(self, source: Any) -> tuple[int, Any]:
        """A frame in the memory of a buffer, whose size was checked, and what holds that memory."""
        try:
            memory: Any = self._memory_type.from_buffer(source)  # quicker, for writable memory
            address = addressof(memory)
        except (TypeError, ValueError):
            memory = Buffer(source)
            address = memory.address
            if memory.size != self._layout.size:  # resized since it was checked
                raise InvalidError(f"the buffer has {memory.size} bytes; {self._layout.size} are accepted") from None
        # Each wrapping takes a template for itself: another thread may be wrapping at the same time.
        try:
            template = self._templates.pop()
        except IndexError:
            template = self._template()
        external, places = template
        for plane, offset in places:
            plane.data = address + offset
        out = c_void_p()
        result = _wrap_frame(external, out)
        self._templates.append(template)
        if result < 0:
            raise failure(result)
        return out.value or 0, memory

    def __repr__(self) -> str:
        return f"<FrameSender {self._format.pixel_format.name} {self._format.width}x{self._format.height} {self._format.fps} fps>"


def _contiguous(source: Any) -> Any:
    """The source, or a copy of it if its bytes do not lie one after another."""
    try:
        view = memoryview(source)
    except TypeError:
        return source  # refused by Buffer, with its own error text
    return source if view.c_contiguous else view.tobytes()
