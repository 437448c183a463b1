"""One video in several sizes at once: alice sends 1280x720, bob shows all of it, and carol a thumbnail. Each gets what they show.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/layers.py --plugins DIR [--seconds 3]

A loopback room lives inside one process. The same happens with livekit+wss://HOST and janus+https://HOST?room=NUMBER, where a receiver
with a narrow network path gets a smaller size, too.
"""
from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from mediasdk import Codec, Engine, IncomingVideo, IncomingVideoAdded, MediaSDKError, PixelFormat, Session, VideoFormat

ROOM = "loopback:lobby"
TIMEOUT = 5.0


def join(engine: Engine, user_id: str) -> Session:
    """A connected session."""
    session = engine.create_session(ROOM, user_id)
    session.connect(TIMEOUT)
    return session


def watch(session: Session, width: int = 0, height: int = 0) -> IncomingVideo:
    """The stream that is added next, in that size; 0: any."""
    while not isinstance(event := session.next_event(timeout=TIMEOUT), IncomingVideoAdded):
        pass
    stream = event.incoming_video
    stream.set_preference(width=width, height=height)
    stream.start()
    return stream


def main() -> int:
    parser = argparse.ArgumentParser(description="sends one video in several sizes")
    parser.add_argument("--plugins", type=Path, required=True, help="directory of the plugins")
    parser.add_argument("--seconds", type=float, default=3, help="how long")
    arguments = parser.parse_args()
    try:
        with Engine() as engine:
            engine.add_plugin_dir(arguments.plugins)
            alice, bob, carol = (join(engine, name) for name in ("alice", "bob", "carol"))
            video = engine.create_outgoing_video(VideoFormat(PixelFormat.NV12, 1280, 720, 30), codec=Codec.VP8)
            video.attach_producer(engine.create_instance("org.mediasdk.producer.testpattern"))
            alice.start_video(video)
            seen = {"bob": watch(bob), "carol": watch(carol, 320, 180)}
            time.sleep(arguments.seconds)
            sent = video.stats()
            print(f"alice sends {sent.active_layers} of {sent.layers} layers")
            for name, stream in seen.items():
                stats = stream.stats()
                print(f"{name} sees {stats.width}x{stats.height}, {stats.frames_per_second:.0f} frames a second")
    except MediaSDKError as error:
        print(f"layers.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
