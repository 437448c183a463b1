"""A call of four, seen as a grid: one image of everybody, with names, who speaks and who is muted; recorded with what they say.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/grid.py --plugins DIR [--output call.webm] [--image call.png]

A loopback room lives inside one process, so that all four join from here: alice, who speaks (a tone), bob, who is muted, carol, who
sends no video, and dave, who records everybody, dave included.
"""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mediasdk import (ActiveSpeakerChanged, Codec, Engine, MediaSDKError, MediaTimeout, PixelFormat, PluginReported, Session,
                      VideoFormat)

ROOM = "loopback:lobby"
TIMEOUT = 5.0


def join(engine: Engine, user_id: str, name: str) -> Session:
    """A connected session."""
    session = engine.create_session(ROOM, user_id, name)
    session.connect(TIMEOUT)
    return session


def sing(session: Session, frequency: float, muted: bool = False) -> None:
    voice = session.engine.create_outgoing_audio(codec=Codec.OPUS)
    voice.attach_producer(session.engine.create_instance("org.mediasdk.producer.tone", frequency=frequency))
    voice.set_muted(muted)
    session.start_audio(voice)


def show(session: Session, pattern: str) -> None:
    stream = session.engine.create_outgoing_video(VideoFormat(PixelFormat.NV12, 640, 360, 30), codec=Codec.VP8)
    stream.attach_producer(session.engine.create_instance("org.mediasdk.producer.testpattern", pattern=pattern))
    session.start_video(stream)


def wait(session: Session, seconds: float) -> None:
    """Whatever happens in the call is followed by the renderer; only what fails is looked at here."""
    end = session.engine.now() + int(seconds * 1e9)
    while (left := (end - session.engine.now()) / 1e9) > 0:
        try:
            event = session.next_event(timeout=left)
        except MediaTimeout:
            break
        if isinstance(event, ActiveSpeakerChanged):
            print(event.user_id, "speaks" if event.speaking else "is silent")
        elif isinstance(event, PluginReported) and event.error is not None:
            raise event.error


def main() -> int:
    parser = argparse.ArgumentParser(description="shows and records a call of four as one video")
    parser.add_argument("--plugins", type=Path, required=True, help="directory of the plugins")
    parser.add_argument("--output", type=Path, default=Path("grid.webm"), help="the recording")
    parser.add_argument("--image", type=Path, default=Path("grid.png"), help="an image of the last moment")
    parser.add_argument("--seconds", type=float, default=5, help="how long to record")
    arguments = parser.parse_args()
    try:
        with Engine() as engine:
            engine.add_plugin_dir(arguments.plugins)
            alice, bob = join(engine, "alice", "Alice"), join(engine, "bob", "Bob Martin")
            carol, dave = join(engine, "carol", "Carol Díaz"), join(engine, "dave", "Dave")
            show(alice, "bars")
            show(bob, "counter")
            show(dave, "lines")
            sing(alice, 440)
            sing(bob, 660, muted=True)

            # The call goes into the grid; what the grid makes, into a recorder and an image of the last moment.
            grid = engine.create_instance("org.mediasdk.renderer.grid")
            recorder = engine.create_instance("org.mediasdk.renderer.recorder", path=arguments.output)
            file = engine.create_instance("org.mediasdk.renderer.file", path=arguments.image, frame=1_000_000)
            grid.attach_renderer(recorder)
            grid.attach_renderer(file)
            dave.mixed_audio.attach_renderer(recorder)
            dave.mixed_audio.start()
            dave.attach_renderer(grid, include_local=True)
            wait(dave, arguments.seconds)
            recorder.release()  # completes the file
            file.release()
            dave.detach_renderer(grid)
            carol.close()
    except MediaSDKError as error:
        print(f"grid.py: {error}", file=sys.stderr)
        return 1
    for path in (arguments.output, arguments.image):
        print(f"{path}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
