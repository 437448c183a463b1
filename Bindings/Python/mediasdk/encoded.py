"""Encoded frames without any container: for VP8 one frame as RFC 6386 describes it, for Opus one packet as RFC 6716 does."""
from __future__ import annotations

from ctypes import byref
from typing import Any

from . import _structs
from ._call import created, nanoseconds, sized
from ._memory import Buffer, Held, exposed
from ._names import member
from ._native import library
from ._unique import Unique
from .constants import Codec, EncodedFlag, Orientation
from .errors import ClosedError
from .frame_metadata import FrameMetadata, metadata_of, set_metadata

_unref = library.msdk_encoded_frame_unref


class EncodedFrame(Unique):
    """One encoded frame, or one packet of encoded audio, read-only.  It comes from :meth:`IncomingVideo.read_encoded`, from
    :meth:`IncomingAudio.read_encoded` or from :meth:`create`.

    ``with frame:`` or :meth:`close` gives the reference back; memoryviews of its data keep the bytes alive by themselves.
    """

    __slots__ = ("_held", "_struct_or_none", "__weakref__")

    def __init__(self, pointer: int) -> None:
        """For the package itself: takes over one reference."""
        self._held: Held | None = Held(pointer, _unref)
        self._struct_or_none: _structs.EncodedFrame | None = _structs.EncodedFrame.from_address(pointer)

    @classmethod
    def create(cls, data: Any, *, codec: Codec | str = Codec.VP8, timestamp_ns: int = 0, duration_ns: int = 0,
               flags: EncodedFlag | str = EncodedFlag(0), orientation: Orientation | str = Orientation.ROTATE_0) -> EncodedFrame:
        """A frame made of a copy of `data`, any buffer: VP8 of at most 16 MiB, Opus of at most 61,440 bytes.  The data is parsed: of
        VP8, width, height and the key flag are taken from it, of Opus channels and duration.

        Raises:
            CorruptError: the data is not a frame of the codec.
        """
        buffer = Buffer(data)
        source = sized(_structs.EncodedFrame, codec=member(Codec, codec, "codec"), flags=member(EncodedFlag, flags, "flags"),
                       orientation=member(Orientation, orientation, "orientation"), data=buffer.address, size=buffer.size,
                       timestamp_ns=nanoseconds(timestamp_ns, "timestamp_ns"), duration_ns=duration_ns)
        return cls(created(library.msdk_encoded_frame_create, byref(source)))

    def close(self) -> None:
        """Gives the reference back.  May be called again."""
        self._struct_or_none = None
        self._held = None

    def __enter__(self) -> EncodedFrame:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _struct(self) -> _structs.EncodedFrame:
        if self._struct_or_none is None:
            raise ClosedError("the encoded frame is closed")
        return self._struct_or_none

    @property
    def _pointer(self) -> int:
        held = self._held
        if held is None:
            raise ClosedError("the encoded frame is closed")
        return held.pointer

    @property
    def closed(self) -> bool:
        return self._held is None

    @property
    def data(self) -> memoryview:
        """The bytes, without a copy, read-only."""
        struct = self._struct
        if not struct.size:
            return memoryview(b"")
        return memoryview(exposed(struct.data, struct.size, self._held)).cast("B").toreadonly()

    def __bytes__(self) -> bytes:
        return bytes(self.data)

    @property
    def size(self) -> int:
        """Bytes."""
        return int(self._struct.size)

    @property
    def codec(self) -> Codec:
        return Codec(self._struct.codec)

    @property
    def flags(self) -> EncodedFlag:
        return EncodedFlag(self._struct.flags)

    @property
    def key_frame(self) -> bool:
        return bool(self._struct.flags & EncodedFlag.KEY)

    @property
    def width(self) -> int:
        return int(self._struct.width)

    @property
    def height(self) -> int:
        return int(self._struct.height)

    @property
    def orientation(self) -> Orientation:
        return Orientation(self._struct.orientation)

    @property
    def sample_rate(self) -> int:
        """Of audio: 48,000 for Opus; 0 for a frame."""
        return int(self._struct.sample_rate)

    @property
    def channels(self) -> int:
        """Of audio, what the packet says; 0 for a frame."""
        return int(self._struct.channels)

    @property
    def level(self) -> int:
        """Of audio, as :attr:`AudioFrame.level` has it; 127 when it is not known."""
        return int(self._struct.level)

    @property
    def timestamp_ns(self) -> int:
        """When the frame, or the packet's first sample, was captured."""
        return int(self._struct.timestamp_ns)

    @property
    def duration_ns(self) -> int:
        """Nanoseconds; 0: unknown."""
        return int(self._struct.duration_ns)

    @property
    def metadata(self) -> FrameMetadata:
        """What its sender sends with it, in a stream of video with `carries_metadata`.  It may be set before sending; None removes it."""
        return metadata_of(library.msdk_encoded_frame_get_metadata, self._pointer)

    @metadata.setter
    def metadata(self, value: FrameMetadata | None) -> None:
        set_metadata(library.msdk_encoded_frame_set_metadata, self._pointer, value)

    @property
    def sequence(self) -> int:
        """Counted by the sending stream from 1."""
        return int(self._struct.sequence)

    def __repr__(self) -> str:
        if self.closed:
            return "<EncodedFrame closed>"
        if self.codec == Codec.OPUS:
            return f"<EncodedFrame OPUS {self.channels} channels {self.duration_ns / 1e6:g} ms {self.size} bytes sequence={self.sequence}>"
        kind = "key frame" if self.key_frame else "frame"
        return f"<EncodedFrame {self.codec.name} {kind} {self.width}x{self.height} {self.size} bytes sequence={self.sequence}>"
