"""What became of what was sent: there is exactly one report for each frame or buffer that send accepted."""
from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass
from typing import Callable

from . import _structs
from ._call import failure, pull
from .constants import DropReason, Outcome


@dataclass(frozen=True)
class FrameReport:
    """What became of one frame, or buffer of audio, that send accepted.

    Attributes:
        reason: why it was dropped.
        key_frame: encoded as one.
        status: 0, or why it failed.
        sequence: of the frame, as the receiver sees it.
        timestamp_ns: of the frame.
        bytes: as sent.
    """

    outcome: Outcome
    reason: DropReason
    key_frame: bool
    status: int
    sequence: int
    timestamp_ns: int
    bytes: int


def next_report(read: Callable[..., int], handle: int, timeout: float | None) -> FrameReport:
    """What a function read(handle, milliseconds, out) of the C library reports within `timeout` seconds."""
    struct = _structs.FrameReport()
    result = pull(lambda milliseconds: read(handle, milliseconds, byref(struct)), timeout)
    if result < 0:
        raise failure(result)
    return FrameReport(Outcome(struct.outcome), DropReason(struct.reason), bool(struct.key_frame), struct.status, struct.sequence,
                       struct.timestamp_ns, struct.bytes)
