"""The demonstration: two participants of one call in one process, a clip sent as VP8, received, drawn in black and white.

    demo.py --input CLIP --plugins DIR --output DIR [--seconds N]

The clip (Y4M, or IVF with VP8) is played in a private room, from which this program takes the pictures and sends them as its own,
without a copy.  alice sends, bob receives; what bob receives goes through a filter to two files: one picture and a short video.
"""
from __future__ import annotations

import argparse
import select
import sys
import time
from pathlib import Path

from mediasdk import (Codec, Engine, EventType, FrameSender, IncomingVideo, Instance, Limits, MediaSDKError, MediaTimeout, Outcome,
                      PixelFormat, PluginEvent, Session, SessionState, VideoFormat)
from psnr import Psnr

SECOND = 1_000_000_000
CALL, STUDIO = "loopback:demo", "loopback:studio"
PICTURE_FRAME, VIDEO_FRAMES = 60, 50
PATIENCE = 10.0  # seconds for what takes milliseconds


def join(engine: Engine, room: str, user_id: str) -> Session:
    """A connected session."""
    session = engine.create_session(room, user_id)
    session.connect()
    while session.next_event(PATIENCE).state != SessionState.CONNECTED:
        pass
    return session


def offered(session: Session) -> IncomingVideo:
    """The first stream that another participant offers."""
    while True:
        event = session.next_event(PATIENCE)
        if event.incoming_video is not None:
            return event.incoming_video


class Studio:
    """The clip as frames of this program's own: a producer plays it into a private room, where it is read."""

    def __init__(self, engine: Engine, clip: Path, loop: bool) -> None:
        self._producer = engine.create_instance("org.mediasdk.producer.file", path=clip, loop=loop)
        self.format: VideoFormat = next(one for one in self._producer.formats() if one.pixel_format == PixelFormat.NV12)
        self._player, self._desk = join(engine, STUDIO, "player"), join(engine, STUDIO, "desk")
        self._stream = engine.create_outgoing_video(self.format, limits=Limits.EXTENDED)
        self._stream.attach_producer(self._producer)
        self.ended = False

    def start(self) -> IncomingVideo:
        """Begins to play; the frames come out of the stream returned."""
        self._player.start_video(self._stream)
        frames = offered(self._desk)
        frames.start(queue_capacity=16)
        return frames

    def look(self) -> None:
        """Hears whether the clip has come to its end."""
        for event in self._player.events(timeout=0):
            if event.error is not None:
                raise event.error
            if event.type == EventType.PLUGIN and event.value == PluginEvent.ENDED:
                self.ended = True


class Alice:
    """Sends what she is given."""

    def __init__(self, engine: Engine, format: VideoFormat, psnr: Psnr) -> None:
        self.session = join(engine, CALL, "alice")
        bitrate = 2_000_000 * format.width * format.height // (1280 * 720)
        self.stream = engine.create_outgoing_video(format, codec=Codec.VP8, limits=Limits.EXTENDED,
                                                   target_bitrate=min(max(bitrate, 100_000), 20_000_000), report_capacity=1024)
        self.session.start_video(self.stream)
        self._sender: FrameSender | None = None
        self._psnr = psnr
        self.sent = 0
        self.outcomes = {outcome: 0 for outcome in Outcome}

    def forward(self, frames: IncomingVideo) -> None:
        """Sends on all frames that wait, as they are."""
        for frame in frames.frames(timeout=0):
            with frame:
                if self._sender is not None:
                    self._psnr.sent(frame, frame.timestamp_ns)
                    self._sender.send(frame, frame.timestamp_ns)
                    self.sent += 1

    def look(self) -> None:
        """Hears what to make, and what became of the frames."""
        for event in self.session.events(timeout=0):
            if event.error is not None:
                raise event.error
            if event.sender is not None:
                self._sender = event.sender
        while True:
            try:
                self.outcomes[self.stream.read_report(timeout=0).outcome] += 1
            except MediaTimeout:
                return

    def done(self) -> bool:
        """Whether it is known of every frame what became of it."""
        return sum(self.outcomes.values()) == self.sent


class Bob:
    """Receives, compares, and has it drawn in black and white."""

    def __init__(self, engine: Engine, psnr: Psnr, output: Path) -> None:
        self.session = join(engine, CALL, "bob")
        self.picture, self.video = output / "bw.png", output / "bw.y4m"
        self._filter = engine.create_instance("org.mediasdk.renderer.bw", mode="gray")
        self._writers: list[Instance] = [
            engine.create_instance("org.mediasdk.renderer.file", path=self.picture, frame=PICTURE_FRAME),
            engine.create_instance("org.mediasdk.renderer.file", path=self.video, max_frames=VIDEO_FRAMES)]
        for writer in self._writers:
            self._filter.attach_renderer(writer)
        self._psnr = psnr
        self.received = 0
        self.first_ns = self.last_ns = 0
        self.stream: IncomingVideo | None = None

    def start(self) -> IncomingVideo:
        """Takes alice's stream."""
        self.stream = offered(self.session)
        self.stream.attach_renderer(self._filter)
        self.stream.start(queue_capacity=16)
        return self.stream

    def look(self) -> None:
        """Compares all frames that wait."""
        for event in self.session.events(timeout=0):
            if event.type == EventType.PLUGIN and event.error is not None:
                raise event.error
        if self.stream is None:
            return
        for frame in self.stream.frames(timeout=0):
            with frame:
                self.last_ns = time.monotonic_ns()
                self.first_ns = self.first_ns or self.last_ns
                self.received += 1
                self._psnr.received(frame)

    def finish(self) -> None:
        """Completes the files."""
        self._filter.release()
        for writer in self._writers:
            writer.release()


class Progress:
    """A line a second; on a terminal, always the same one."""

    def __init__(self) -> None:
        self._next = time.monotonic() + 1
        self._open = False

    def tell(self, alice: Alice, bob: Bob) -> None:
        if time.monotonic() >= self._next:
            self._next += 1
            self._open = sys.stdout.isatty()
            print(f"sent {alice.sent}, received {bob.received}", end="\r" if self._open else "\n", flush=True)

    def close(self) -> None:
        if self._open:
            print()


def run(arguments: argparse.Namespace) -> None:
    start_ns = time.monotonic_ns()
    psnr, progress = Psnr(), Progress()
    arguments.output.mkdir(parents=True, exist_ok=True)
    with Engine() as engine:
        engine.add_plugin_dir(arguments.plugins)
        studio = Studio(engine, arguments.input, loop=arguments.seconds > 0)
        bob = Bob(engine, psnr, arguments.output)
        alice = Alice(engine, studio.format, psnr)
        received = bob.start()
        made = studio.start()
        poller = select.poll()
        for source in (received, made, alice.session):
            poller.register(source.fileno(), select.POLLIN)
        deadline = time.monotonic() + (arguments.seconds or float("inf"))
        while time.monotonic() < deadline and not studio.ended:
            poller.poll(100)
            alice.look()
            alice.forward(made)
            bob.look()
            studio.look()
            progress.tell(alice, bob)
        made.stop()
        patience = time.monotonic() + 5
        while time.monotonic() < patience and not (alice.done() and bob.received >= alice.outcomes[Outcome.ENCODED]):
            time.sleep(0.01)
            alice.look()
            bob.look()
        progress.close()
        tell(arguments, studio.format, alice, bob, psnr, start_ns)
        bob.finish()


def tell(arguments: argparse.Namespace, format: VideoFormat, alice: Alice, bob: Bob, psnr: Psnr, start_ns: int) -> None:
    """The table, one "key: value" a line."""
    assert bob.stream is not None
    # From the first frame to the last, and as long as one frame lasts.
    seconds = (bob.last_ns - bob.first_ns) / SECOND * bob.received / (bob.received - 1) if bob.received > 1 else 0
    stats = alice.stream.stats()
    lines = {
        "input": arguments.input,
        "format": f"{format.pixel_format.name} {format.width}x{format.height} {float(format.fps):g} fps",
        "codec": "VP8",
        "frames sent": alice.sent,
        "frames encoded": stats.frames_encoded,
        "frames received": bob.stream.stats().frames_received,
        "frames rendered": bob.stream.stats().frames_rendered,
        "fps": f"{bob.received / seconds:.2f}" if seconds else "unknown",
        "bitrate": f"{stats.bytes_sent * 8 / seconds / 1000:.0f} kbit/s" if seconds else "unknown",
        "psnr": f"{psnr} (luma, {psnr.compared} frames)",
        "first frame": f"{(bob.first_ns - start_ns) / 1e6:.1f} ms" if bob.received else "never",
        "picture": bob.picture,
        "video": bob.video,
    }
    for key, value in lines.items():
        print(f"{key}: {value}")


def main() -> int:
    parser = argparse.ArgumentParser(description="two participants of one call in one process")
    parser.add_argument("--input", type=Path, required=True, help="the clip: Y4M, or IVF with VP8")
    parser.add_argument("--plugins", type=Path, required=True, help="directory of the plugins")
    parser.add_argument("--output", type=Path, required=True, help="directory for bw.png and bw.y4m")
    parser.add_argument("--seconds", type=float, default=0, help="play the clip for so long, again and again; otherwise once")
    arguments = parser.parse_args()
    if not arguments.seconds >= 0:
        parser.error(f"--seconds is {arguments.seconds}; 0 or more is accepted")
    try:
        run(arguments)
    except MediaSDKError as error:
        print(f"demo.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
