"""The demonstration: two participants of one call in one process, a clip sent as VP8 and its audio as Opus, received, drawn in black
and white, and recorded.

    demo.py --input CLIP --plugins DIR --output DIR [--sound WAV] [--codec-audio opus|raw] [--seconds N]

The clip (Y4M, or IVF with VP8) is played in a private room, from which this program takes the frames and sends them as its own,
without a copy.  The audio goes from a producer straight into alice's stream.  alice sends, bob receives; the frames go through a
filter to two files, one frame and a short video; what comes, frames and audio, is recorded as it is.
"""
from __future__ import annotations

import argparse
import select
import sys
import time
from pathlib import Path

from likeness import Likeness
from mediasdk import (Codec, Engine, FrameSender, FrameSenderChanged, IncomingAudio, IncomingAudioAdded, IncomingVideo,
                      IncomingVideoAdded, Instance, Limits, MediaSDKError, MediaTimeout, OpusApplication, Outcome, PixelFormat,
                      PluginEvent, PluginReported, Session, VideoFormat)
from psnr import Psnr

SECOND = 1_000_000_000
CALL, STUDIO = "loopback:demo", "loopback:studio"
IMAGE_FRAME, VIDEO_FRAMES = 60, 50
RATES = (16_000, 22_050, 24_000, 32_000, 44_100, 48_000)  # of streams of audio; other files are converted
TIMEOUT = 10.0  # seconds for what takes milliseconds
SOON_NS = 50_000_000  # in which both producers are attached


def join(engine: Engine, room: str, user_id: str) -> Session:
    """A connected session."""
    session = engine.create_session(room, user_id)
    session.connect(TIMEOUT)
    return session


def offered(session: Session) -> IncomingVideo:
    """The first stream that another participant offers."""
    while True:
        event = session.next_event(TIMEOUT)
        if isinstance(event, IncomingVideoAdded):
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

    def start(self, start_ns: int) -> IncomingVideo:
        """Plays the clip from this time on; the frames come out of the stream returned."""
        self._producer["start_ns"] = start_ns
        self._player.start_video(self._stream)
        frames = offered(self._desk)
        frames.start(queue_capacity=16)
        return frames

    def look(self) -> None:
        """Hears whether the clip has come to its end."""
        for event in self._player.events(timeout=0):
            if event.error is not None:
                raise event.error
            if isinstance(event, PluginReported) and event.report == PluginEvent.ENDED:
                self.ended = True


class Voice:
    """The audio of a file as a stream of alice's own."""

    def __init__(self, engine: Engine, path: Path, codec: Codec, loop: bool) -> None:
        self.producer = engine.create_instance("org.mediasdk.producer.wav", path=path, loop=loop)
        made = self.producer.audio_format()
        self.stream = engine.create_outgoing_audio(sample_rate=made.sample_rate if made.sample_rate in RATES else 48_000,
                                                   channels=made.channels, codec=codec, application=OpusApplication.AUDIO)
        self.ended = False

    def start(self, start_ns: int) -> None:
        """Plays the file from this time on."""
        self.producer["start_ns"] = start_ns
        self.stream.attach_producer(self.producer)


class Alice:
    """Sends the given frames."""

    def __init__(self, engine: Engine, format: VideoFormat, psnr: Psnr, voice: Voice | None) -> None:
        self.session = join(engine, CALL, "alice")
        bitrate = 2_000_000 * format.width * format.height // (1280 * 720)
        self.stream = engine.create_outgoing_video(format, codec=Codec.VP8, limits=Limits.EXTENDED,
                                                   target_bitrate=min(max(bitrate, 100_000), 20_000_000), report_capacity=1024,
                                                   queue_capacity=4)  # a busy machine's encoder is late now and then, which is no loss
        self.session.start_video(self.stream)
        self.voice = voice
        if voice is not None:
            self.session.start_audio(voice.stream)
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
            if isinstance(event, FrameSenderChanged):
                self._sender = event.sender
            if isinstance(event, PluginReported) and event.report == PluginEvent.ENDED and self.voice is not None:
                self.voice.ended |= event.instance is self.voice.producer
        while True:
            try:
                self.outcomes[self.stream.read_report(timeout=0).outcome] += 1
            except MediaTimeout:
                return

    def done(self) -> bool:
        """Whether it is known of every frame what became of it."""
        return sum(self.outcomes.values()) == self.sent


class Bob:
    """Receives, compares, has it drawn in black and white, and recorded."""

    def __init__(self, engine: Engine, psnr: Psnr, likeness: Likeness, output: Path) -> None:
        self.session = join(engine, CALL, "bob")
        self.image, self.video, self.recording = output / "bw.png", output / "bw.y4m", output / "call.webm"
        self._recorder = engine.create_instance("org.mediasdk.renderer.recorder", path=self.recording)
        self._filter = engine.create_instance("org.mediasdk.renderer.bw", mode="gray")
        self._writers: list[Instance] = [
            engine.create_instance("org.mediasdk.renderer.file", path=self.image, frame=IMAGE_FRAME),
            engine.create_instance("org.mediasdk.renderer.file", path=self.video, max_frames=VIDEO_FRAMES)]
        for writer in self._writers:
            self._filter.attach_renderer(writer)
        self._psnr, self._likeness = psnr, likeness
        self.received = 0
        self.first_ns = self.last_ns = 0
        self.stream: IncomingVideo | None = None
        self.audio: IncomingAudio | None = None

    def start(self, with_audio: bool) -> None:
        """Takes alice's streams."""
        while self.stream is None or (with_audio and self.audio is None):
            event = self.session.next_event(TIMEOUT)
            if isinstance(event, IncomingVideoAdded):
                self.stream = event.incoming_video
            elif isinstance(event, IncomingAudioAdded):
                self.audio = event.incoming_audio
        self.stream.attach_renderer(self._filter)
        self.stream.attach_renderer(self._recorder)
        self.stream.start(queue_capacity=16)
        if self.audio is not None:
            self.audio.attach_renderer(self._recorder)
            self.audio.start(queue_ms=2000)

    def look(self) -> None:
        """Compares all frames that wait, and keeps all audio."""
        for event in self.session.events(timeout=0):
            if isinstance(event, PluginReported) and event.error is not None:
                raise event.error
        if self.stream is None:
            return
        for frame in self.stream.frames(timeout=0):
            with frame:
                self.last_ns = time.monotonic_ns()
                self.first_ns = self.first_ns or self.last_ns
                self.received += 1
                self._psnr.received(frame)
        if self.audio is not None:
            for buffer in self.audio.frames(timeout=0):
                with buffer:
                    self._likeness.received(buffer)

    def finish(self) -> None:
        """Completes the files."""
        self._recorder.release()
        self._filter.release()
        for writer in self._writers:
            writer.release()


class Progress:
    """A line a second; on a terminal, always the same one."""

    def __init__(self) -> None:
        self._next = time.monotonic() + 1
        self._open = False

    def show(self, alice: Alice, bob: Bob) -> None:
        if time.monotonic() >= self._next:
            self._next += 1
            self._open = sys.stdout.isatty()
            print(f"sent {alice.sent}, received {bob.received}", end="\r" if self._open else "\n", flush=True)

    def close(self) -> None:
        if self._open:
            print()


def run(arguments: argparse.Namespace) -> bool:
    """The whole of it; gives whether everything came that was to come."""
    start_ns = time.monotonic_ns()
    psnr, likeness, progress = Psnr(), Likeness(), Progress()
    arguments.output.mkdir(parents=True, exist_ok=True)
    with Engine() as engine:
        engine.add_plugin_dir(arguments.plugins)
        loop = arguments.seconds > 0
        studio = Studio(engine, arguments.input, loop)
        codec = Codec.OPUS if arguments.codec_audio == "opus" else Codec.RAW
        voice = Voice(engine, arguments.audio, codec, loop) if arguments.audio is not None else None
        bob = Bob(engine, psnr, likeness, arguments.output)
        alice = Alice(engine, studio.format, psnr, voice)
        bob.start(with_audio=voice is not None)
        # Only now does the clip begin: what nobody receives is not sent.
        # The two producers are given the same time, so that the audio keeps its place.
        soon_ns = engine.now() + SOON_NS
        made = studio.start(soon_ns)
        if voice is not None:
            voice.start(soon_ns)
        poller = select.poll()
        for source in (bob.stream, bob.audio, made, alice.session):
            if source is not None:
                poller.register(source.fileno(), select.POLLIN)
        deadline = time.monotonic() + (arguments.seconds or float("inf"))
        while time.monotonic() < deadline and not (studio.ended and (voice is None or voice.ended)):
            poller.poll(100)
            alice.look()
            alice.forward(made)
            bob.look()
            studio.look()
            progress.show(alice, bob)
        made.stop()
        if voice is not None:
            if not voice.ended:
                voice.stream.detach_producer()
            voice.stream.wait_played(TIMEOUT)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline and not (alice.done() and bob.received >= alice.outcomes[Outcome.ENCODED]):
            time.sleep(0.01)
            alice.look()
            bob.look()
        time.sleep(0.1)  # for the last audio to be decoded
        bob.look()
        progress.close()
        bob.finish()
        print_result(arguments, studio.format, alice, bob, psnr, start_ns)
        if voice is not None and bob.audio is not None:
            print_audio(arguments.audio, voice, bob.audio, likeness)
        print(f"recording: {bob.recording}")
        whole = all(path.is_file() and path.stat().st_size > 0 for path in (bob.image, bob.video, bob.recording))
        return whole and bob.received > 0 and (bob.audio is None or bob.audio.stats().buffers_delivered > 0)


def print_result(arguments: argparse.Namespace, format: VideoFormat, alice: Alice, bob: Bob, psnr: Psnr, start_ns: int) -> None:
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
        "image": bob.image,
        "video": bob.video,
    }
    for key, value in lines.items():
        print(f"{key}: {value}")


def print_audio(path: Path, voice: Voice, incoming: IncomingAudio, likeness: Likeness) -> None:
    """The lines of the audio."""
    format, stats, heard = voice.stream.format, voice.stream.stats(), incoming.stats()
    level, likeness_to_file = likeness.compare(path)
    seconds = heard.total_samples_received / likeness.rate if likeness.rate else 0
    lines = {
        "audio": path,
        "audio format": f"{format.sample_format.name} {format.sample_rate} Hz {format.channels} channels",
        "audio codec": voice.stream.codec.name,
        "buffers sent": stats.buffers_offered,
        "buffers encoded": stats.buffers_encoded,
        "buffers received": heard.buffers_delivered,
        "audio bitrate": f"{stats.bytes_sent * 8 / seconds / 1000:.0f} kbit/s" if seconds else "unknown",
        "level": f"{likeness.level} (file {level})",
        "correlation": likeness_to_file,
    }
    for key, value in lines.items():
        print(f"{key}: {value}")


def main() -> int:
    parser = argparse.ArgumentParser(description="two participants of one call in one process")
    parser.add_argument("--input", type=Path, required=True, help="the clip: Y4M, or IVF with VP8")
    parser.add_argument("--plugins", type=Path, required=True, help="directory of the plugins")
    parser.add_argument("--output", type=Path, required=True, help="directory for bw.png, bw.y4m and call.webm")
    parser.add_argument("--sound", dest="audio", type=Path, help="the clip's audio: WAV")
    parser.add_argument("--codec-audio", choices=["opus", "raw"], default="opus", help="how the audio is sent")
    parser.add_argument("--seconds", type=float, default=0, help="play the clip for so long, again and again; otherwise once")
    arguments = parser.parse_args()
    if not arguments.seconds >= 0:
        parser.error(f"--seconds is {arguments.seconds}; 0 or more is accepted")
    try:
        return 0 if run(arguments) else 1
    except MediaSDKError as error:
        print(f"demo.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
