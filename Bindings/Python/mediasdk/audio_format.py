"""Formats of audio, and Python's buffers as samples of a format."""
from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from . import _structs
from ._arguments import whole
from ._call import sized
from ._names import member
from .constants import SampleFormat
from .errors import InvalidError, UnsupportedError

# What struct, array, memoryview and numpy call a sample, and its bytes.
_CODES: dict[int, tuple[str, int, str]] = {SampleFormat.S16: ("h", 2, "int16"), SampleFormat.F32: ("f", 4, "float32")}
_BYTES = ("B", "b", "c")  # plain bytes, which are taken for samples of the right kind


@dataclass(frozen=True, init=False)
class AudioFormat:
    """What the buffers of a stream of audio are.  Samples are interleaved: left, right, left ...

    Attributes:
        sample_rate: Hz: samples per second and channel.
        channels: 1 or 2.
        sample_format: :class:`SampleFormat`.
        frames_per_buffer: samples per channel in one buffer; 0: any.
        expected_delay_ns: of a device: what is heard or captured is so much later or older; 0: unknown.
    """

    sample_rate: int
    channels: int
    sample_format: SampleFormat
    frames_per_buffer: int
    expected_delay_ns: int

    def __init__(self, sample_rate: int = 48_000, channels: int = 1, sample_format: SampleFormat | str = SampleFormat.S16,
                 frames_per_buffer: int = 0, expected_delay_ns: int = 0) -> None:
        values = {"sample_rate": whole(sample_rate, "sample_rate"), "channels": whole(channels, "channels"),
                  "sample_format": member(SampleFormat, sample_format, "sample_format"),
                  "frames_per_buffer": whole(frames_per_buffer, "frames_per_buffer"),
                  "expected_delay_ns": whole(expected_delay_ns, "expected_delay_ns")}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def type_code(self) -> str:
        """Of a sample, as struct, array and memoryview have it: "h" for S16, "f" for F32.

        Raises:
            UnsupportedError: an unknown sample format.
        """
        return _code(self.sample_format)[0]

    @property
    def sample_bytes(self) -> int:
        """Bytes of one sample of all channels together."""
        return _code(self.sample_format)[1] * self.channels

    def duration_ns(self, samples: int) -> int:
        """How long so many samples per channel last, rounded to nearest."""
        return (2 * samples * 1_000_000_000 + self.sample_rate) // (2 * self.sample_rate) if self.sample_rate else 0

    def _struct(self) -> _structs.AudioFormat:
        struct: _structs.AudioFormat = sized(
            _structs.AudioFormat, sample_format=self.sample_format, sample_rate=self.sample_rate, channels=self.channels,
            frames_per_buffer=self.frames_per_buffer, expected_delay_ns=self.expected_delay_ns)
        return struct


def audio_format_of(struct: _structs.AudioFormat) -> AudioFormat:
    """The format that a C struct holds."""
    return _parsed(struct.sample_rate, struct.channels, struct.sample_format, struct.frames_per_buffer, struct.expected_delay_ns)


@lru_cache(maxsize=64)
def _parsed(rate: int, channels: int, sample_format: int, frames_per_buffer: int, delay: int) -> AudioFormat:
    return AudioFormat(rate, channels, SampleFormat(sample_format), frames_per_buffer, delay)


def _code(sample_format: int) -> tuple[str, int, str]:
    try:
        return _CODES[sample_format]
    except KeyError:
        raise UnsupportedError(f"sample format {int(sample_format)} is not known to this package") from None


def sample_bytes_of(source: Any, format: AudioFormat) -> memoryview:
    """The samples in a buffer of any kind, as contiguous bytes; a copy only if they do not lie one after another.

    Raises:
        InvalidError: no buffer, or samples that cannot be of the format.
    """
    try:
        view = memoryview(source)
    except TypeError:
        raise InvalidError(f"a {type(source).__name__} is not a buffer; bytes, bytearray, memoryview, array.array, a numpy array and all "
                           "others with the buffer protocol are accepted") from None
    except (BufferError, ValueError) as error:
        raise InvalidError(f"the {type(source).__name__}'s memory cannot be used as it is: {error}") from None
    code, _, name = _code(format.sample_format)
    if view.format.lstrip("@=") not in (code, *_BYTES):
        raise InvalidError(f"the samples have the type code {view.format!r}; {format.sample_format.name} takes {code!r} ({name}), or bytes")
    if view.ndim > 2 or (view.ndim == 2 and view.format not in _BYTES and view.shape is not None and view.shape[1] != format.channels):
        raise InvalidError(f"the samples have the shape {view.shape}; (samples, {format.channels}) or one dimension is accepted")
    if not view.nbytes:
        return memoryview(b"")
    return view.cast("B") if view.c_contiguous else memoryview(view.tobytes())
