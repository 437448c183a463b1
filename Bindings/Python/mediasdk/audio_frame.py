"""Buffers of audio: memory, references."""
from __future__ import annotations

from ctypes import byref, c_int64, c_uint32
from typing import Any

from . import _structs
from ._arguments import expected
from ._call import bounded, created, nanoseconds, number
from ._memory import Held, exposed
from ._names import member
from ._native import library
from ._unique import Unique
from .audio_format import AudioFormat, audio_format_of
from .constants import FrameFlag
from .errors import ClosedError, StateError

_unref = library.msdk_audio_frame_unref
_get_references = library.msdk_audio_frame_get_references
_MAKERS_FLAGS = FrameFlag.END | FrameFlag.DISCONTINUITY


class AudioFrame(Unique):
    """A buffer of audio, held by one reference of the SDK's.

    It comes from :meth:`IncomingAudio.read` or from :meth:`create`.  ``with frame:`` or :meth:`close` gives the reference back; so
    does Python when the object is gone.  Memoryviews and arrays made from it keep the audio alive by themselves, beyond close and
    beyond the engine.  What was received is read-only.  ``len(frame)`` is the samples per channel.
    """

    __slots__ = ("_held", "_struct_or_none", "_mine", "__weakref__")

    def __init__(self, pointer: int, mine: bool = False) -> None:
        """For the package itself: takes over one reference to the frame at `pointer`."""
        self._held: Held | None = Held(pointer, _unref)
        self._struct_or_none: _structs.AudioFrame | None = _structs.AudioFrame.from_address(pointer)
        self._mine = mine

    @classmethod
    def create(cls, format: AudioFormat, sample_count: int) -> AudioFrame:
        """A writable, silent buffer of `sample_count` samples per channel, 1..192,000.

        Raises:
            RangeError: a rate outside 8,000..192,000 Hz, other channels than 1 or 2, a sample count outside the range.
        """
        wanted = expected(format, AudioFormat, "format")._struct()
        pointer = created(library.msdk_audio_frame_create, wanted, bounded(sample_count, 32, "sample_count"))
        return cls(pointer, mine=True)

    # ------------------------------------------------------------------------------------------------------------ lifetime

    def close(self) -> None:
        """Gives the reference back.  May be called again."""
        self._struct_or_none = None
        self._held = None

    def __enter__(self) -> AudioFrame:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        return self._held is None

    @property
    def references(self) -> int:
        """How many references there are, one of them this object's; 0 when closed."""
        count = c_uint32()
        if self._held is None or _get_references(self._held.pointer, byref(count)) < 0:
            return 0
        return count.value

    # ------------------------------------------------------------------------------------------------------------- looking

    @property
    def _struct(self) -> _structs.AudioFrame:
        if self._struct_or_none is None:
            raise ClosedError("the audio frame is closed")
        return self._struct_or_none

    @property
    def _pointer(self) -> int:
        held = self._held
        if held is None:
            raise ClosedError("the audio frame is closed")
        return held.pointer

    @property
    def format(self) -> AudioFormat:
        return audio_format_of(self._struct.format.contents)

    @property
    def sample_rate(self) -> int:
        return int(self._struct.format.contents.sample_rate)

    @property
    def channels(self) -> int:
        return int(self._struct.format.contents.channels)

    @property
    def sample_count(self) -> int:
        """Samples per channel; not constant from buffer to buffer."""
        return int(self._struct.sample_count)

    def __len__(self) -> int:
        return self.sample_count

    @property
    def flags(self) -> FrameFlag:
        """DISCONTINUITY: audio before this buffer is missing.  CORRUPT: made up by loss concealment.  A buffer's maker may set END
        and DISCONTINUITY."""
        return FrameFlag(self._struct.flags)

    @flags.setter
    def flags(self, value: FrameFlag | str) -> None:
        struct = self._maker()
        struct.flags = (struct.flags & ~_MAKERS_FLAGS) | (member(FrameFlag, value, "flags") & _MAKERS_FLAGS)

    @property
    def writable(self) -> bool:
        """Whether samples taken now may be written."""
        return self._mine and bool(self._struct.flags & FrameFlag.WRITABLE)

    @property
    def timestamp_ns(self) -> int:
        """When the first sample was captured, nanoseconds on the engine's clock; 0 until known.  Its maker may set it."""
        return int(self._struct.timestamp_ns)

    @timestamp_ns.setter
    def timestamp_ns(self, value: int) -> None:
        self._maker().timestamp_ns = nanoseconds(value, "timestamp_ns")

    @property
    def duration_ns(self) -> int:
        return int(self._struct.duration_ns)

    @property
    def sequence(self) -> int:
        """Counted by the stream from 1."""
        return int(self._struct.sequence)

    @property
    def level(self) -> int:
        """Loudness as RFC 6464 has it: -dBov of the root mean square, 0 (loudest) to 127 (silence)."""
        return int(self._struct.level)

    def _maker(self) -> _structs.AudioFrame:
        struct = self._struct
        if not self._mine:
            raise StateError("the audio frame was received or rendered: it is read-only")
        return struct

    def position(self, timestamp_ns: int) -> int:
        """Which sample was captured at a time, that of a video frame say: below 0 for a time before the buffer, `sample_count` or
        more for a time after it."""
        return number(c_int64, library.msdk_audio_frame_get_position, self._pointer, nanoseconds(timestamp_ns, "timestamp_ns"))

    # ------------------------------------------------------------------------------------------------------------- samples

    @property
    def samples(self) -> Any:
        """The samples without a copy, interleaved: a memoryview of "h" (S16) or "f" (F32), sample_count * channels long."""
        struct, format = self._struct, self.format
        code: Any = format.type_code
        size = struct.sample_count * format.sample_bytes
        view = memoryview(exposed(struct.planes[0], size, self._held)).cast("B").cast(code)
        return view if self.writable else view.toreadonly()

    def to_numpy(self) -> Any:
        """The samples as a numpy array of the shape (samples, channels), without a copy: int16 or float32, writable when the frame
        is.  It keeps the audio alive."""
        import numpy
        return numpy.asarray(self.samples).reshape(-1, self.channels)

    def tobytes(self) -> bytes:
        """A copy of the samples, interleaved."""
        return bytes(self.samples)

    def __repr__(self) -> str:
        if self.closed:
            return "<AudioFrame closed>"
        format = self.format
        return (f"<AudioFrame {format.sample_format.name} {format.sample_rate} Hz {format.channels} channels {self.sample_count} samples "
                f"sequence={self.sequence} timestamp_ns={self.timestamp_ns} level={self.level}>")
