"""A virtual camera: draws a moving gradient, and makes the format that the call can carry.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/send.py [seconds]

A loopback room lives inside one process, so that a viewer joins from here too; the network gets narrow after two seconds, to show
how the camera is asked for a smaller frame.
"""
from __future__ import annotations

import sys
from collections import Counter

from mediasdk import (Codec, Engine, Frame, FramePacer, FrameSender, FrameSenderChanged, IncomingVideoAdded, MediaTimeout, NetworkStep,
                      PixelFormat, Session, StaleSenderError, VideoFormat, script_network)

ROOM = "loopback:lobby"
SECOND = 1_000_000_000
RAMP = bytes(range(16, 236)) + bytes(range(235, 15, -1))  # luma up and down again, in the limited range


def draw(frame: Frame, number: int) -> None:
    """Fills an NV12 frame: a gradient in Y that moves by four pixels a frame, no colour in UV."""
    luma, chroma = frame.planes
    shift = number * 4 % len(RAMP)
    line = (RAMP * (luma.row_bytes // len(RAMP) + 2))[shift:shift + luma.row_bytes]
    for row in luma:
        row[:] = line
    grey = b"\x80" * chroma.row_bytes
    for row in chroma:
        row[:] = grey


class Camera:
    """Alice's side: a session, a stream, and its current sender."""

    def __init__(self, engine: Engine) -> None:
        self.session = engine.create_session(ROOM, "alice")
        # 1. What this program can make.  The order has no say: the best that the bandwidth carries is chosen.
        self.stream = engine.create_outgoing_video([VideoFormat(PixelFormat.NV12, 1280, 720, 30),
                                                    VideoFormat(PixelFormat.NV12, 640, 360, 30)], codec=Codec.VP8)
        self.sender: FrameSender | None = None
        self.number = 0
        # 2. The stream is offered to the room as soon as the session is connected; who is refused gets the reason as an error.
        self.session.start_video(self.stream)
        self.session.connect(timeout=5)

    def hear(self) -> None:
        """3. What happened: from now on this format; the former sender refuses frames."""
        for event in self.session.events(timeout=0):
            if isinstance(event, FrameSenderChanged):
                self.sender = event.sender
                format = event.format
                print(f"making {format.pixel_format.name} {format.width}x{format.height} at {format.fps} a second")

    def shoot(self, due: int) -> None:
        """4. One frame of the sender's pool, filled and sent.  Its time is when it was due."""
        if self.sender is None:
            return
        with self.sender.acquire(timeout=1) as frame:
            draw(frame, self.number)
            try:
                self.sender.send(frame, due)
                self.number += 1
            except StaleSenderError:
                pass  # the event with the new sender is waiting

    def outcomes(self) -> Counter[str]:
        """5. What became of the frames since the last time; every frame has exactly one report."""
        known: Counter[str] = Counter()
        while True:
            try:
                known[self.stream.read_report(timeout=0).outcome.name.lower()] += 1
            except MediaTimeout:
                return known


def watch(viewer: Session) -> None:
    """Bob takes every stream that there is."""
    for event in viewer.events(timeout=0):
        if isinstance(event, IncomingVideoAdded):
            event.incoming_video.start()


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5
    with Engine() as engine:
        script_network(engine, ROOM, [NetworkStep(), NetworkStep(at_ns=2 * SECOND, bandwidth_bps=300_000)])
        viewer = engine.create_session(ROOM, "bob")
        viewer.connect(timeout=5)
        camera = Camera(engine)
        end = engine.now() + int(seconds * SECOND)
        known: Counter[str] = Counter()
        for due in FramePacer(engine, 30):  # at times that do not depend on how long drawing takes
            if due >= end:
                break
            camera.hear()
            camera.shoot(due)
            watch(viewer)
            known += camera.outcomes()
        stats = camera.stream.stats()
        camera.stream.close()
        print(f"sent {stats.frames_offered} frames: {dict(known)}, {stats.bytes_sent} bytes, {stats.format_changes} changes of format")


if __name__ == "__main__":
    main()
