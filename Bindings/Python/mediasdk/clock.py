"""One clock, and its other units.  Every timestamp is nanoseconds of CLOCK_MONOTONIC, or of an engine's virtual clock.

The conversions round to nearest, halves away from zero, and saturate at the ends of 64 bits.
"""
from __future__ import annotations

from ._call import bounded, nanoseconds
from ._native import library
from .constants import TICK_RATE

#: The time 0 of a program's own clock, as the timestamp of a frame to send: there 0 means none.  A clock of the program's own, a count
#: from 0 for example, is legal: a time before the previous frame's, or more than ten seconds before or a minute after the time of the
#: call, is that of the call, and the frames that follow keep their distance to it, in all streams of the session.
TIME_ZERO = -(1 << 63)


def monotonic() -> int:
    """CLOCK_MONOTONIC now; :meth:`Engine.now` is the one to use for timestamps."""
    return int(library.msdk_time_monotonic())


def to_ticks(time_ns: int) -> int:
    """Nanoseconds in ticks of 100 ns."""
    return int(library.msdk_time_to_units(nanoseconds(time_ns, "time_ns"), TICK_RATE))


def from_ticks(ticks: int) -> int:
    """Ticks of 100 ns in nanoseconds."""
    return int(library.msdk_time_from_units(nanoseconds(ticks, "ticks"), TICK_RATE))


def to_units(time_ns: int, rate: int) -> int:
    """Nanoseconds in units of a clock rate: 90000 for RTP video, the sample rate for audio.  A rate of 0 gives 0."""
    return int(library.msdk_time_to_units(nanoseconds(time_ns, "time_ns"), bounded(rate, 32, "rate")))


def from_units(units: int, rate: int) -> int:
    """Units of a clock rate in nanoseconds."""
    return int(library.msdk_time_from_units(nanoseconds(units, "units"), bounded(rate, 32, "rate")))
