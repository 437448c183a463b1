"""End-to-end encryption: alice's video and a text go through a room in which bob has the key, and eve has not.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/encrypted.py --plugins DIR [--seconds 2]

A loopback room lives inside one process. The same happens with livekit+wss://HOST, where the server is one that has no key.
"""
from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from mediasdk import (Engine, IncomingVideo, IncomingVideoAdded, MediaSDKError, PixelFormat, Session, StreamEncryptionChanged,
                      VideoFormat)

ROOM = "loopback:lobby"
PASSPHRASE = "correct horse battery staple"  # exchanged by the program, over a channel of its own
TIMEOUT = 5.0


def join(engine: Engine, user_id: str, *, has_key: bool = True) -> Session:
    """A connected session."""
    session = engine.create_session(ROOM, user_id, encrypt_frames=True, encrypt_data=True)
    if has_key:
        session.set_frame_key(PASSPHRASE)
    session.connect(TIMEOUT)
    return session


def watch(session: Session) -> IncomingVideo:
    """The stream that is added next."""
    while not isinstance(event := session.next_event(timeout=TIMEOUT), IncomingVideoAdded):
        pass
    event.incoming_video.start()
    return event.incoming_video


def main() -> int:
    parser = argparse.ArgumentParser(description="sends a video that only some can see")
    parser.add_argument("--plugins", type=Path, required=True, help="directory of the plugins")
    parser.add_argument("--seconds", type=float, default=2, help="how long")
    arguments = parser.parse_args()
    try:
        with Engine() as engine:
            engine.add_plugin_dir(arguments.plugins)
            alice, bob, eve = join(engine, "alice"), join(engine, "bob"), join(engine, "eve", has_key=False)
            video = engine.create_outgoing_video(VideoFormat(PixelFormat.NV12, 320, 240, 15))
            video.attach_producer(engine.create_instance("org.mediasdk.producer.testpattern"))
            alice.start_video(video)
            seen = {bob: watch(bob), eve: watch(eve)}
            alice.send_data(b"only bob reads this")
            time.sleep(arguments.seconds)
            for session, stream in seen.items():
                while not isinstance(event := session.next_event(timeout=TIMEOUT), StreamEncryptionChanged):
                    pass
                stats = stream.stats()
                data = session.read_data()
                print(f"{session.user_id}: {event.state.name}, {stats.frames_received} frames received, {stats.frames_decoded} decoded, "
                      f"reads {data.data.decode() if data else 'nothing'}")
    except MediaSDKError as error:
        print(f"encrypted.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
