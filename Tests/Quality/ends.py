"""Two ends of every transport: who sends, who receives, and what passes beside the pixels."""
from __future__ import annotations

import itertools
import os
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Union

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Python"))

from call import free_ports  # noqa: E402
from mediasdk import (Clock, Codec, Engine, Event, EventType, IncomingAudio, IncomingVideo, MediaTimeout, NetworkStep,  # noqa: E402
                      SdpType, Session, SessionState, open_hub, script_network)

PATIENCE = 30.0
TICK = 10_000_000
_rooms = itertools.count()


@dataclass
class Ends:
    """A call of two, connected.  On a virtual clock waiting is what makes time go on."""

    sending: Engine
    receiving: Engine
    alice: Session
    bob: Session
    virtual: bool = False
    carries_color: bool = True
    carries_primaries: bool = True
    carries_orientation: bool = True
    carries_delay: bool = True
    carries_duration: bool = True
    carries_raw: bool = True
    loses: bool = False
    late_ms: float = 0.0  # by which this process was woken late, at worst

    def within(self, milliseconds: float) -> float:
        """A bound on times that two ends agree on: what the machine itself is late looks to them like delay of the network."""
        return milliseconds + self.late_ms

    def now(self) -> int:
        return self.sending.now()

    def wait(self, nanoseconds: int) -> None:
        if self.virtual:
            self.sending.advance_clock(nanoseconds)
        else:
            end = time.monotonic_ns() + nanoseconds
            time.sleep(nanoseconds / 1e9)
            late = (time.monotonic_ns() - end) / 1e6
            if late > 2:  # an ordinary wake-up takes less
                self.late_ms = max(self.late_ms, late)

    def until(self, attempt: Callable[[], Any], what: str) -> Any:
        """What attempt() gives once that is not None."""
        for _ in range(round(PATIENCE * 1e9 / TICK)):
            found = attempt()
            if found is not None:
                return found
            self.wait(TICK)
        raise TimeoutError(f"{what} did not come")

    def event(self, session: Session, kind: EventType, state: Any = None) -> Any:
        def attempt() -> Optional[Event]:
            try:
                while True:
                    event = session.next_event(0)
                    if event.type == kind and (state is None or getattr(event, "state", None) == state):
                        return event
            except MediaTimeout:
                return None

        return self.until(attempt, f"{kind!r}")


def _join(ends: Ends, *sessions: Session) -> Ends:
    for session in sessions:
        session.connect(wait=False)
    for session in sessions:
        ends.event(session, EventType.SESSION_STATE, SessionState.CONNECTED)
    return ends


@contextmanager
def loopback(*, steps: tuple[NetworkStep, ...] = (), virtual: bool = False, **carries: bool) -> Iterator[Ends]:
    with Engine(clock=Clock.VIRTUAL if virtual else Clock.SYSTEM, ignore_environment=True) as engine:
        url = f"loopback:quality-{os.getpid()}-{next(_rooms)}"
        if steps:
            script_network(engine, url, steps, seed=1)
        alice, bob = (engine.create_session(url, name) for name in ("alice", "bob"))
        yield _join(Ends(engine, engine, alice, bob, virtual, **carries), alice, bob)


def scripted() -> Any:
    return loopback(steps=(NetworkStep(bandwidth_bps=100_000_000, delay_ns=30_000_000),), virtual=True)


@contextmanager
def by_url(more: str = "&orientation=4&color=6&capture=7", **carries: bool) -> Iterator[Ends]:
    with Engine(ignore_environment=True) as engine:
        port = free_ports(4)
        more = f"&rtcp-mux=1&feedback=1{more}"
        alice = engine.create_session(f"rtp://127.0.0.1:{port + 2}?local=127.0.0.1:{port}{more}", "alice")
        bob = engine.create_session(f"rtp://127.0.0.1:{port}?local=127.0.0.1:{port + 2}{more}", "bob")
        yield _join(Ends(engine, engine, alice, bob, carries_delay=False, carries_duration=False, carries_raw=False, **carries), bob, alice)


def by_plain_url() -> Any:
    """Without the extensions: what cannot be said is done to the pixels."""
    return by_url("", carries_color=False, carries_orientation=False)


@contextmanager
def by_description() -> Iterator[Ends]:
    with Engine(ignore_environment=True) as engine:
        alice, bob = (engine.create_session("rtp:?host=127.0.0.1", name) for name in ("alice", "bob"))
        bob.set_remote_sdp(SdpType.OFFER, alice.local_sdp())
        alice.set_remote_sdp(SdpType.ANSWER, bob.local_sdp())
        yield _join(Ends(engine, engine, alice, bob, carries_delay=False, carries_duration=False, carries_raw=False), bob, alice)


@contextmanager
def hub(*, from_guest: bool = False) -> Iterator[Ends]:
    """From the process that has the room to one that has not, or back."""
    with Engine(ignore_environment=True) as home, Engine(ignore_environment=True) as away:
        url = f"loopback:quality-{os.getpid()}-{next(_rooms)}"
        host = home.create_session(url, "host")
        host.connect(wait=False)
        opened = open_hub(home, url, "127.0.0.1")
        guest = away.create_session(opened.url("127.0.0.1"), "guest")
        ends = Ends(away, home, guest, host) if from_guest else Ends(home, away, host, guest)
        ends.carries_duration = ends.carries_raw = False
        ends.event(host, EventType.SESSION_STATE, SessionState.CONNECTED)
        yield _join(ends, guest)


def bad_network() -> Any:
    """Of raw frames, which pass in one piece, hardly any would arrive."""
    step = NetworkStep(bandwidth_bps=20_000_000, delay_ns=100_000_000, jitter_ns=10_000_000, loss_ppm=50_000)
    return loopback(steps=(step,), virtual=True, carries_raw=False, loses=True)


PATHS: dict[str, Callable[[], Any]] = {
    "loopback": loopback, "scripted loopback": scripted, "scripted loopback, 5 % lost": bad_network, "rtp by url": by_url,
    "rtp by url, plain": by_plain_url, "rtp by SDP": by_description, "hub": hub, "hub, back": lambda: hub(from_guest=True)}


def codec_name(codec: Codec) -> str:
    return "raw" if codec == Codec.RAW else codec.name


def packet(incoming: Union[IncomingAudio, IncomingVideo]) -> Optional[bytes]:
    """The oldest encoded frame that waits."""
    try:
        with incoming.read_encoded(0) as frame:
            return bytes(frame)
    except MediaTimeout:
        return None
