"""The loopback room's network, scripted.

A room ``"loopback:NAME"`` is by itself perfect and immediate.  A script gives it a network: what each member sends waits for
bandwidth in a bounded queue, is delayed, jittered and lost packet by packet.  Everything random comes from the seed.
"""
from __future__ import annotations

from ctypes import POINTER, cast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Iterable

from . import _structs
from ._call import check, encode, sized
from ._native import library

if TYPE_CHECKING:
    from .engine import Engine


@dataclass(frozen=True)
class NetworkStep:
    """The network from one moment on.

    Attributes:
        at_ns: nanoseconds after the script was set; steps come in ascending order.
        bandwidth_bps: bits per second out of a member, at least 1,000; 0: unlimited.
        delay_ns: one way, 0..10 s.
        jitter_ns: each frame is later by 0..jitter_ns; order is kept; 0..10 s.
        loss_ppm: packets lost out of a million.
        queue_ms: the sending queue, in time; 0: 300; what does not fit is lost.
        disconnected: nothing passes; members are reconnecting, after 30 s disconnected.
    """

    at_ns: int = 0
    bandwidth_bps: int = 0
    delay_ns: int = 0
    jitter_ns: int = 0
    loss_ppm: int = 0
    queue_ms: int = 0
    disconnected: bool = False


def script_network(engine: Engine, room_url: str, steps: Iterable[NetworkStep], *, seed: int = 0, user_id: str | None = None) -> None:
    """Sets the script of a room that the engine's clock drives, whether it has members yet or not.

    Args:
        room_url: "loopback:NAME".
        steps: up to 1,024; none: back to the perfect network.
        seed: of everything random.
        user_id: only what this member sends; None: every member.

    Raises:
        InvalidError, RangeError: a step outside what is accepted.
    """
    structs = [sized(_structs.NetworkStep, flags=int(step.disconnected), at_ns=step.at_ns, bandwidth_bps=step.bandwidth_bps,
                     delay_ns=step.delay_ns, jitter_ns=step.jitter_ns, loss_ppm=step.loss_ppm, queue_ms=step.queue_ms)
               for step in steps]
    array = _structs.array_of(_structs.NetworkStep, structs)
    script = sized(_structs.NetworkScript, step_count=len(structs), steps=cast(array, POINTER(_structs.NetworkStep)), seed=seed)
    if user_id is not None:
        script.user_id = encode(user_id, "user_id")
    check(library.msdk_room_script_network(engine._handle, encode(room_url, "room_url"), script))
