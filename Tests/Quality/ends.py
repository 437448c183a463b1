"""Two ends of every transport: who sends, who receives, and what passes beside the pixels."""
from __future__ import annotations

import itertools
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Sequence, TypeVar, Union

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Python"))

from call import free_ports  # noqa: E402
from link import Local, bad_link, before_others, is_before_others, why_no_link  # noqa: E402, F401
from mediasdk import (Clock, Codec, Engine, Event, EventType, IncomingAudio, IncomingVideo, MediaTimeout, NetworkStep,  # noqa: E402
                      SdpType, Session, SessionState, script_network, serve_room)

T = TypeVar("T")

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
    network: Local = field(default_factory=Local)
    is_first: bool = field(default_factory=is_before_others)  # the processor is theirs when they need it
    late_ms: float = 0.0  # by which this process was woken late, at worst

    def within(self, milliseconds: float) -> float:
        """A bound on times that two ends agree on: what the machine itself is late looks to them like delay of the network.  It is measured
        where others may keep the processor, and of the link always."""
        return milliseconds + self.network.late_ms() + (0 if self.is_first else self.late_ms)

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
        with ends.network.at(0 if session is ends.alice else 1):
            session.connect(wait=False)
    for session in sessions:
        ends.event(session, EventType.SESSION_STATE, SessionState.CONNECTED)
    return ends


@contextmanager
def _engines(network: Local) -> Iterator[tuple[Engine, Engine]]:
    """One at each end; an engine's threads are where it was made."""
    with before_others(), ExitStack() as made:
        both = []
        for end in range(2):
            with network.at(end):
                both.append(made.enter_context(Engine(ignore_environment=True)))
        yield both[0], both[1]


@contextmanager
def loopback(*, steps: tuple[NetworkStep, ...] = (), virtual: bool = False, **carries: bool) -> Iterator[Ends]:
    with before_others(not virtual), Engine(clock=Clock.VIRTUAL if virtual else Clock.SYSTEM, ignore_environment=True) as engine:
        url = f"loopback:quality-{os.getpid()}-{next(_rooms)}"
        if steps:
            script_network(engine, url, steps, seed=1)
        alice, bob = (engine.create_session(url, name) for name in ("alice", "bob"))
        yield _join(Ends(engine, engine, alice, bob, virtual, **carries), alice, bob)


def scripted() -> Any:
    return loopback(steps=(NetworkStep(bandwidth_bps=100_000_000, delay_ns=30_000_000),), virtual=True)


@contextmanager
def isolating() -> Iterator[Ends]:
    """Within one process, but for codecs of plugins, which have processes of their own."""
    os.environ["MSDK_PLUGIN_ISOLATE"] = "*"
    try:
        with before_others(), Engine() as engine:
            url = f"loopback:quality-{os.getpid()}-{next(_rooms)}"
            alice, bob = (engine.create_session(url, name) for name in ("alice", "bob"))
            yield _join(Ends(engine, engine, alice, bob), alice, bob)
    finally:
        del os.environ["MSDK_PLUGIN_ISOLATE"]


@contextmanager
def by_url(more: str = "&orientation=4&color=6&capture=7", network: Local = Local(), **carries: bool) -> Iterator[Ends]:
    with _engines(network) as engines:
        with network.at(0):
            port = free_ports(4)
        urls = [f"rtp://{network.addresses[1 - end]}:{port + 2 - 2 * end}?local={network.addresses[end]}:{port + 2 * end}"
                f"&rtcp-mux=1&feedback=1{more}" for end in range(2)]
        sessions = []
        for end, name in enumerate(("alice", "bob")):
            with network.at(end):
                sessions.append(engines[end].create_session(urls[end], name))
        yield _join(Ends(*engines, *sessions, network=network, carries_delay=False, carries_duration=False, carries_raw=False, **carries),
                    sessions[1], sessions[0])


def by_plain_url() -> Any:
    """Without the extensions: what cannot be said is done to the pixels."""
    return by_url("", carries_color=False, carries_orientation=False)


@contextmanager
def by_description(network: Local = Local()) -> Iterator[Ends]:
    with _engines(network) as engines:
        descriptions: list[str] = []
        sessions = []
        for end, name in enumerate(("alice", "bob")):
            with network.at(end):
                session = engines[end].create_session(f"rtp:?host={network.addresses[end]}", name)
                if end == 1:
                    session.set_remote_sdp(SdpType.OFFER, descriptions[0])
                descriptions.append(session.local_sdp())
                sessions.append(session)
        with network.at(0):
            sessions[0].set_remote_sdp(SdpType.ANSWER, descriptions[1])
        yield _join(Ends(*engines, *sessions, network=network, carries_delay=False, carries_duration=False, carries_raw=False),
                    sessions[0], sessions[1])


@contextmanager
def served(*, from_guest: bool = False, network: Local = Local()) -> Iterator[Ends]:
    """From the process that serves the room to one that joins it, or back."""
    with _engines(network) as engines:
        url = f"loopback:quality-{os.getpid()}-{next(_rooms)}"
        # Who sends is at the first end.
        home, away = engines[::-1] if from_guest else engines
        with network.at(int(from_guest)):
            host = home.create_session(url, "host")
            host.connect(wait=False)
            server = serve_room(home, url, network.addresses[int(from_guest)])
        with network.at(int(not from_guest)):
            guest = away.create_session(server.url(), "guest")
        ends = Ends(away, home, guest, host, network=network) if from_guest else Ends(home, away, host, guest, network=network)
        ends.carries_duration = ends.carries_raw = False
        ends.event(host, EventType.SESSION_STATE, SessionState.CONNECTED)
        yield _join(ends, guest)


def bad_network() -> Any:
    """Of raw frames, which pass in one piece, hardly any would arrive."""
    step = NetworkStep(bandwidth_bps=20_000_000, delay_ns=100_000_000, jitter_ns=10_000_000, loss_ppm=50_000)
    return loopback(steps=(step,), virtual=True, carries_raw=False, loses=True)


PATHS: dict[str, Callable[[], Any]] = {
    "loopback": partial(loopback, virtual=True), "scripted loopback": scripted, "scripted loopback, 5 % lost": bad_network,
    "rtp by url": by_url, "rtp by url, plain": by_plain_url, "rtp by SDP": by_description, "served room": served,
    "served room, back": partial(served, from_guest=True)}



@contextmanager
def impaired(path: Callable[..., Any], loss: float, *words: str) -> Iterator[Ends]:
    """Over a link between two network namespaces, in real time; OSError where there can be none.  The ends have exchanged reports: what
    comes before that is late by the delay of the path (frame.h)."""
    with bad_link("delay=100", "jitter=10", f"loss={loss}", "queue=1000", *words) as network, path(network=network) as ends:
        ends.loses = loss > 0
        ends.wait(1_000_000_000)
        yield ends


# Those of the impairer.
LOSSES = (2, 5)
BAD_PATHS: dict[str, Callable[[], Any]] = {
    f"{name}, {loss} % lost": partial(impaired, path, loss)
    for name, path in (("rtp by url", by_url), ("rtp by SDP", by_description), ("served room", served),
                       ("served room, back", partial(served, from_guest=True)))
    for loss in LOSSES}


def codec_name(codec: Codec) -> str:
    return "raw" if codec == Codec.RAW else codec.name


# Calls in real time that run at once. They wait most of the time.
AT_ONCE = 4


def side_by_side(jobs: Sequence[Callable[[], list[T]]]) -> Iterator[T]:
    """What they return, in their order."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for found in pool.map(lambda job: job(), jobs):
            yield from found


def packet(incoming: Union[IncomingAudio, IncomingVideo]) -> Optional[bytes]:
    """The oldest encoded frame that waits."""
    try:
        with incoming.read_encoded(0) as frame:
            return bytes(frame)
    except MediaTimeout:
        return None
