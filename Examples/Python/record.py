"""A recorder: joins a call and writes a .webm of one participant's video and of what all participants say, mixed.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/record.py --plugins DIR [--output call.webm] [--seconds N]

A loopback room lives inside one process, so that the others join from here too: alice, with a test pattern and a tone, and carol, with
a higher tone.  All of it is made by plugins.
"""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mediasdk import (Codec, Engine, IncomingVideo, IncomingVideoAdded, Instance, MediaSDKError, MediaTimeout, PixelFormat,
                      PluginReported, Session, VideoFormat)

ROOM = "loopback:lobby"
TIMEOUT = 5.0


def join(engine: Engine, user_id: str) -> Session:
    """A connected session."""
    session = engine.create_session(ROOM, user_id)
    session.connect(TIMEOUT)
    return session


def sing(engine: Engine, session: Session, frequency: float) -> None:
    """A tone, made by a producer, which the SDK asks at the right moments."""
    voice = engine.create_outgoing_audio(codec=Codec.OPUS)
    voice.attach_producer(engine.create_instance("org.mediasdk.producer.tone", frequency=frequency))
    session.start_audio(voice)


def show(engine: Engine, session: Session) -> None:
    stream = engine.create_outgoing_video(VideoFormat(PixelFormat.NV12, 640, 360, 30), codec=Codec.VP8)
    stream.attach_producer(engine.create_instance("org.mediasdk.producer.testpattern", pattern="counter"))
    session.start_video(stream)


def first_video(session: Session) -> IncomingVideo:
    for event in session.events(timeout=TIMEOUT):
        if isinstance(event, IncomingVideoAdded):
            print(f"recording {event.user_id}")
            return event.incoming_video
    raise SystemExit(f"no video was offered for {TIMEOUT:g} seconds")


def record(bob: Session, recorder: Instance, seconds: float) -> None:
    """Hands the first video there is, and the mixed audio, to the recorder, which stores VP8 as it comes."""
    video, room = first_video(bob), bob.mixed_audio
    # Attached to both before either starts: the file has the tracks that it begins with.
    video.attach_renderer(recorder)
    room.attach_renderer(recorder)
    video.start()
    room.start()
    end = bob.engine.now() + int(seconds * 1e9)
    while (left := (end - bob.engine.now()) / 1e9) > 0:
        try:
            event = bob.next_event(timeout=left)
        except MediaTimeout:
            break
        if isinstance(event, PluginReported) and event.error is not None:
            raise event.error
    recorder.release()  # detaches it, and completes the file


def main() -> int:
    parser = argparse.ArgumentParser(description="records a call")
    parser.add_argument("--plugins", type=Path, required=True, help="directory of the plugins")
    parser.add_argument("--output", type=Path, default=Path("call.webm"), help="the file to write")
    parser.add_argument("--seconds", type=float, default=5, help="how long to record")
    arguments = parser.parse_args()
    try:
        with Engine() as engine:
            engine.add_plugin_dir(arguments.plugins)
            recorder = engine.create_instance("org.mediasdk.renderer.recorder", path=arguments.output)
            alice, carol, bob = (join(engine, user_id) for user_id in ("alice", "carol", "bob"))
            show(engine, alice)
            sing(engine, alice, 440)
            sing(engine, carol, 660)
            record(bob, recorder, arguments.seconds)
    except MediaSDKError as error:
        print(f"record.py: {error}", file=sys.stderr)
        return 1
    print(f"{arguments.output}: {arguments.output.stat().st_size} bytes, {arguments.seconds:g} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
