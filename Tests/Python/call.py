"""Two participants of a loopback room, for the tests: "alice" sends, "bob" receives."""
from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import socket
import time
from pathlib import Path
from typing import Any, Callable, Optional, TypeVar

import mediasdk
from mediasdk import (Clock, Codec, Engine, Event, EventType, FrameReport, FrameSender, IncomingVideo, Limits, MediaTimeout,
                      NetworkQualityChanged, Outcome, PixelFormat, QueuePolicy, Session, SessionState, VideoFormat)

T = TypeVar("T")
R = TypeVar("R", bound="Room")

PATIENCE = 60.0  # seconds for what takes milliseconds, on a machine that stands still at times
TICK_NS = 10_000_000

_rooms = itertools.count()


def room() -> str:
    """A room that no other test uses."""
    return f"loopback:python-{os.getpid()}-{next(_rooms)}"


def plugin_dir() -> Path:
    """The plugins beside the library under test, or where MEDIASDK_PLUGINS says."""
    chosen = os.environ.get("MEDIASDK_PLUGINS")
    library = Path(os.environ.get("MEDIASDK_LIBRARY", "."))
    return Path(chosen) if chosen else (library if library.is_dir() else library.parent) / "plugins"


def free_ports(count: int) -> int:
    """The first of so many ports of UDP in a row that nobody has, below those that the kernel gives to whoever asks for any port."""
    for _ in range(200):
        first = 10_240 + 16 * secrets.randbelow(1280)
        with contextlib.ExitStack() as held:
            try:
                for port in range(first, first + count):
                    held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)).bind(("", port))
                return first
            except OSError:
                continue
    raise AssertionError("no free ports")


def nv12(width: int = 320, height: int = 240, fps: int = 15) -> VideoFormat:
    return VideoFormat(PixelFormat.NV12, width, height, fps)


def picture(format: VideoFormat, seed: int = 0) -> bytes:
    """A picture whose every byte depends on its place and on the seed."""
    row = bytes((seed * 37 + index) & 0xFF for index in range(256))
    size = format.packed_size
    return (row * (size // 256 + 1))[:size]


class Room:
    """An engine and members of one room."""

    def __init__(self, clock: Clock = Clock.SYSTEM, url: Optional[str] = None) -> None:
        self.virtual = clock == Clock.VIRTUAL
        self.engine = Engine(clock=clock, ignore_environment=True)
        self.url = url or room()
        self.events: list[tuple[str, Event]] = []

    def __enter__(self: R) -> R:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.engine.close()

    def join(self, user_id: str) -> Session:
        session = self.engine.create_session(self.url, user_id)
        session.connect(wait=False)
        self.event(session, EventType.SESSION_STATE, SessionState.CONNECTED)
        return session

    def patiently(self, take: Callable[[float], T]) -> T:
        """take(timeout), or on a virtual clock take(0) with time going on between."""
        if not self.virtual:
            return take(PATIENCE)
        for _ in range(3000):
            try:
                return take(0)
            except MediaTimeout:
                self.engine.advance_clock(TICK_NS)
        return take(0)

    def event(self, session: Session, kind: EventType, state: Any = None) -> Any:
        """The next event of a type, and of a state if given; those before it are kept in `events`."""
        while True:
            event = self.patiently(session.next_event)
            self.events.append((session.user_id, event))
            if event.type == kind and (state is None or state_of(event) == state):
                return event


class Call(Room):
    """Both are connected and alice's stream is started; bob has its IncomingVideo, which is started unless told otherwise."""

    def __init__(self, formats: Any = None, *, codec: Codec = Codec.RAW, clock: Clock = Clock.SYSTEM, url: Optional[str] = None,
                 start: Optional[dict[str, Any]] = {}, producer: Any = None, **stream_options: Any) -> None:
        stream_options.setdefault("limits", Limits.EXTENDED)
        if codec == Codec.RAW and not stream_options.get("encoded_input") and "kind" not in stream_options:
            stream_options.setdefault("queue_policy", QueuePolicy.WAIT)  # not paced
        super().__init__(clock, url)
        self.alice = self.join("alice")
        self.bob = self.join("bob")
        self.stream = self.engine.create_outgoing_video(formats or nv12(), codec=codec, **stream_options)
        if producer is not None:
            self.stream.attach_producer(producer(self.engine))
        self.alice.start_video(self.stream)
        self.sender: FrameSender = self.event(self.alice, EventType.FRAME_SENDER_CHANGED).sender
        self.incoming: IncomingVideo = self.event(self.bob, EventType.INCOMING_VIDEO_ADDED).incoming_video
        if start is not None:
            self.incoming.start(**start)

    def read(self) -> mediasdk.Frame:
        return self.patiently(self.incoming.read)

    def report(self) -> FrameReport:
        return self.patiently(self.stream.read_report)

    def until_received(self) -> mediasdk.Frame:
        """Sends pictures until bob has one: the first ones find no receiver yet."""
        format = self.sender.format
        deadline = time.monotonic() + PATIENCE
        number = 0
        while True:
            self.sender.send_array(picture(format, number), timeout=0 if self.virtual else PATIENCE)
            if self.virtual:
                self.engine.advance_clock(format.frame_duration_ns)
            try:
                return self.incoming.read(0 if self.virtual else 0.05)
            except MediaTimeout:
                number += 1
                if time.monotonic() > deadline:
                    raise

    def settle(self) -> None:
        """Sends until bob receives, and takes all frames that are on their way."""
        self.until_received().close()
        deadline = time.monotonic() + PATIENCE
        while self.incoming.stats().frames_received < self.stream.stats().frames_sent:
            assert time.monotonic() < deadline, "not all frames that were sent came"
            time.sleep(0.005)
        for frame in self.incoming.frames(timeout=0):
            frame.close()


def state_of(event: Event) -> Any:
    """Of the session or stream, or how good the network is; None for an event of another kind."""
    return event.quality if isinstance(event, NetworkQualityChanged) else getattr(event, "state", None)


def outcomes(reports: list[FrameReport]) -> dict[str, int]:
    """How often each outcome came."""
    return {outcome.name: count for outcome in Outcome if (count := sum(report.outcome == outcome for report in reports))}
