"""The loopback room: who may join, and its scripted network.

A room ``"loopback:NAME"`` without settings admits 1,000 members, and has a perfect network.  :func:`configure_room` says who may join; a
script gives it a network: packets of each member are queued for bandwidth within a bound, delayed, jittered and lost.  VP8 and Opus are
sent in RTP packets as over a real network: lost packets are requested again, and the estimate is measured, starting at the bandwidth of the
step in force.  All random numbers come from the seed.
"""
from __future__ import annotations

from ctypes import POINTER, byref, c_int32, cast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Iterable, Iterator

from . import _structs
from ._arguments import duration, expected, expected_engine, listed_argument, switch
from ._call import bounded, check, decode, encode, failure, nanoseconds, number, pull, sized
from ._names import member
from ._native import library
from ._sized import array_of
from ._unique import Unique
from .constants import AccessFlag, Duplicate, Permission, Status
from .errors import ClosedError, HandleError, MediaTimeout, StateError
from .readiness import Readiness

if TYPE_CHECKING:
    from .engine import Engine


@dataclass(frozen=True)
class NetworkStep:
    """The state of the network from one moment on.

    Attributes:
        at_ns: nanoseconds after the script was set; steps come in ascending order.
        bandwidth_bps: bits per second from a member, at least 1,000; 0: unlimited.
        delay_ns: one way, 0..10 s.
        jitter_ns: each packet, or frame that is not split, is delayed by another 0..jitter_ns; order is kept; 0..10 s.
        loss_ppm: packets lost out of a million.
        queue_ns: the sending queue, in time; 0: 300 ms; what does not fit is lost.
        disconnected: nothing passes; members are reconnecting, after 30 s disconnected.
    """

    at_ns: int = 0
    bandwidth_bps: int = 0
    delay_ns: int = 0
    jitter_ns: int = 0
    loss_ppm: int = 0
    queue_ns: int = 0
    disconnected: bool = False


def script_network(engine: Engine, room_url: str, steps: Iterable[NetworkStep], *, seed: int = 0, user_id: str | None = None) -> None:
    """Sets the script of a room that the engine's clock drives, whether it has members yet or not.

    Args:
        room_url: "loopback:NAME".
        steps: up to 1,024; none: back to the perfect network.
        seed: of all random numbers.
        user_id: only what this member sends; None: every member.

    Raises:
        InvalidError, RangeError: a step outside what is accepted.
    """
    known = [expected(step, NetworkStep, "a step") for step in listed_argument(steps, "steps", "a list of NetworkStep")]
    structs = [sized(_structs.NetworkStep, flags=switch(step.disconnected, "disconnected"), at_ns=step.at_ns,
                     bandwidth_bps=step.bandwidth_bps, delay_ns=step.delay_ns, jitter_ns=step.jitter_ns, loss_ppm=step.loss_ppm,
                     queue_ns=step.queue_ns)
               for step in known]
    array = array_of(_structs.NetworkStep, structs)
    script = sized(_structs.NetworkScript, step_count=len(structs), steps=cast(array, POINTER(_structs.NetworkStep)), seed=seed)
    if user_id is not None:
        script.user_id = encode(user_id, "user_id")
    check(library.msdk_room_script_network(expected_engine(engine)._handle, encode(room_url, "room_url"), script))


def configure_room(engine: Engine, room_url: str, *, capacity: int = 0, duplicates: Duplicate | str = Duplicate.REFUSE,
                   permissions: Permission | str = Permission(0), verified: bool = False) -> None:
    """Sets who may join a room, and replaces earlier settings. Members stay, with the permissions they have.

    Args:
        capacity: members, 1..100,000; 0: 1,000.
        duplicates: what happens when a user id joins that is in the room already.
        permissions: of those who join; none: all but :attr:`Permission.MODERATE`.
        verified: those who join wait until an :class:`AccessRequest` is answered.  After the engine is closed, no member is admitted.

    Raises:
        InvalidError, RangeError: an argument; the text names it and what is accepted.
    """
    options = sized(_structs.RoomOptions, capacity=bounded(capacity, 32, "capacity"),
                    duplicates=member(Duplicate, duplicates, "duplicates"),
                    permissions=bounded(member(Permission, permissions, "permissions"), 32, "permissions"),
                    pulled=switch(verified, "verified"))
    check(library.msdk_room_configure(expected_engine(engine)._handle, encode(room_url, "room_url"), byref(options)))


def open_room(engine: Engine, room_url: str) -> None:
    """Removes the settings of a room: everybody may join again."""
    check(library.msdk_room_configure(expected_engine(engine)._handle, encode(room_url, "room_url"), None))


@dataclass(frozen=True)
class AccessRequest(Unique):
    """A request to join, or to renew the access of a member; :meth:`admit` or :meth:`refuse` it.

    Attributes:
        room: NAME of its URL.
        renewal: from a member, who called :meth:`Session.set_access_token` and keeps what they have until the answer.
        access_token: "" for none.  It is not part of the repr.
        permissions: what the room gives unless :meth:`admit` says otherwise.
    """

    room: str
    user_id: str
    display_name: str
    permissions: Permission
    access_token: str = field(repr=False)
    renewal: bool
    _id: int = field(repr=False)
    _engine: Engine = field(repr=False)

    def admit(self, permissions: Permission | str | None = None, lifetime: float | None = None) -> bool:
        """Admits the member, or renews their access. False if they no longer wait: they left, were answered, showed another token, or the
        room was configured again.

        Args:
            permissions: None: those of the room.
            lifetime: seconds, 1..31,536,000 (365 days), after which their session becomes disconnected, with :class:`RefusedError`, unless
                they renewed their access; None: no limit.

        Raises:
            UnsupportedError, RangeError: an argument.
        """
        granted = self.permissions if permissions is None else member(Permission, permissions, "permissions")
        # 0 is the room's in C alone: a mask that nothing is left of must not become all of them.
        granted = granted or Permission.NOTHING
        grant = sized(_structs.AccessGrant, permissions=bounded(granted, 32, "permissions"))
        if lifetime is not None:
            # 0 is no limit in C alone: a time that has run out must not become one without end.
            grant.lifetime_ns = nanoseconds(duration(lifetime, "lifetime", 1_000_000_000) or -1, "lifetime")
        return self._answer(Status.OK, grant)

    def refuse(self, reason: str = "") -> bool:
        """Their session becomes disconnected, with :class:`RefusedError`; a member keeps their access until it expires.  False as above.

        Args:
            reason: added to the error's text; up to 255 bytes.
        """
        return self._answer(Status.PERMISSION, sized(_structs.AccessGrant, reason=encode(reason, "reason")))

    def _answer(self, result: Status, grant: _structs.AccessGrant) -> bool:
        answered = library.msdk_room_answer(self._engine._handle, b"loopback:" + encode(self.room, "room"), self._id, result, byref(grant))
        return answered != Status.NOT_FOUND and check(answered) >= 0


def next_access_request(engine: Engine, room_url: str, timeout: float | None = None) -> AccessRequest:
    """Takes the oldest request of a room that was configured as verified.

    Args:
        timeout: seconds to wait; 0: does not wait; None: no limit.

    Raises:
        MediaTimeout: none came.
        ClosedError: the room was configured again meanwhile, or the engine was closed.
        StateError: it is not verified by this engine, or no longer.
    """
    url, struct = encode(room_url, "room_url"), _structs.AccessRequest()
    expected_engine(engine)
    result = pull(lambda milliseconds: library.msdk_room_next_request(engine._handle, url, milliseconds, byref(struct)), timeout)
    if result < 0:
        raise failure(result)
    return AccessRequest(decode(struct.room), decode(struct.user_id), decode(struct.display_name), Permission(struct.permissions),
                         decode(struct.access_token), bool(struct.flags & AccessFlag.RENEWAL), struct.id, engine)


def access_request_fileno(engine: Engine, room_url: str) -> int:
    """A descriptor that poll() finds readable while requests are queued, until the room is configured again or the engine is closed. Do not
    read, write or close it.

    Raises:
        StateError: the room is not verified by this engine.
    """
    return number(c_int32, library.msdk_room_get_request_fd, expected_engine(engine)._handle, encode(room_url, "room_url"))


async def next_access_request_async(engine: Engine, room_url: str, timeout: float | None = None) -> AccessRequest:
    """:func:`next_access_request` for asyncio."""
    readiness = Readiness(lambda handle, out: int(library.msdk_room_get_request_fd(handle, encode(room_url, "room_url"), out)),
                          expected_engine(engine)._handle)
    return await readiness.until(lambda seconds: next_access_request(engine, room_url, seconds), timeout, "request")


def access_requests(engine: Engine, room_url: str, timeout: float | None = None) -> Iterator[AccessRequest]:
    """Requests until the room is configured again or the engine is closed, or until none came for `timeout` seconds.

    Raises:
        StateError: the room is not verified by this engine.
    """
    try:
        yield next_access_request(engine, room_url, 0)
    except MediaTimeout:
        pass
    while True:
        try:
            request = next_access_request(engine, room_url, timeout)
        except (ClosedError, HandleError, MediaTimeout, StateError):
            return
        yield request
