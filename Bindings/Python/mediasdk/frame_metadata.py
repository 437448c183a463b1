"""What a program sends with a video frame, beside the frame itself."""
from __future__ import annotations

import ctypes
from ctypes import byref
from dataclasses import dataclass
from typing import Any

from . import _structs
from ._arguments import expected, octets
from ._call import bounded, check, sized
from .constants import FRAME_USER_DATA_MAX
from .errors import RangeError


@dataclass(frozen=True)
class FrameMetadata:
    """What is sent with a frame in a stream that was made with `carries_metadata`, in LiveKit's format of packet trailers.  What is 0
    or empty is not sent.

    Attributes:
        user_data: up to 248 bytes; 6 less beside a frame id, 10 less beside a timestamp.
        user_timestamp_us: microseconds of a clock of the program's choice.
        frame_id: of the program's choice, 32 bits.
    """

    user_data: bytes = b""
    user_timestamp_us: int = 0
    frame_id: int = 0


def metadata_of(function: Any, frame: int) -> FrameMetadata:
    struct = sized(_structs.FrameMetadata)
    check(function(frame, byref(struct)))
    return FrameMetadata(bytes(struct.user_data[:struct.user_data_size]), int(struct.user_timestamp_us), int(struct.frame_id))


def set_metadata(function: Any, frame: int, metadata: FrameMetadata | None) -> None:
    if metadata is None:
        check(function(frame, None))
        return
    user_data = octets(expected(metadata, FrameMetadata, "metadata").user_data, "user_data")
    size = len(user_data)
    if size > FRAME_USER_DATA_MAX:
        raise RangeError(f"user_data has {size} bytes; accepted: 0..{FRAME_USER_DATA_MAX}")
    struct = sized(_structs.FrameMetadata, frame_id=bounded(metadata.frame_id, 32, "frame_id"), user_data_size=size,
                   user_timestamp_us=bounded(metadata.user_timestamp_us, 64, "user_timestamp_us"))
    ctypes.memmove(struct.user_data, user_data, size)
    check(function(frame, byref(struct)))
