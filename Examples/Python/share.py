"""Shares an X11 display or window, and looks at it from the other side.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/share.py --plugins DIR [--window NUMBER|TITLE] [--seconds N]

Without a window the whole $DISPLAY is shared.  A loopback room lives inside one process, so the viewer is here too: bob, who comes
later.
"""
from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from mediasdk import (Codec, Engine, FrameSenderChanged, IncomingVideo, Limits, MediaSDKError, MediaTimeout, OutgoingVideo, PluginEvent,
                      PluginReported, ScreenShareState, ScreenShareStateChanged, Session, VideoKind)

ROOM = "loopback:lobby"
TIMEOUT = 5.0


def join(engine: Engine, user_id: str) -> Session:
    """A connected session."""
    session = engine.create_session(ROOM, user_id)
    session.connect(TIMEOUT)
    return session


def share(engine: Engine, session: Session, window: str) -> OutgoingVideo:
    """No formats: size and rate are those of what is captured, and follow it.  Screens are often larger than 1920x1080."""
    stream = engine.create_outgoing_video(kind=VideoKind.SCREEN_SHARE, limits=Limits.EXTENDED, codec=Codec.VP8)
    capturer = engine.create_instance("org.mediasdk.producer.x11")
    if window:
        capturer["source"], capturer["window"] = "window", window
    stream.attach_producer(capturer)
    session.start_video(stream)
    return stream


def still_shared(session: Session) -> bool:
    """What has happened to the sharing side: False when it is over."""
    for event in session.events(timeout=0):
        if isinstance(event, FrameSenderChanged):
            print(f"sharing {event.format.width}x{event.format.height}")
        if isinstance(event, ScreenShareStateChanged) and event.state == ScreenShareState.DISABLED:
            return False
        if isinstance(event, PluginReported) and event.report == PluginEvent.ENDED:
            return False
        if event.error is not None:
            raise event.error
    return True


def find_share(session: Session) -> IncomingVideo:
    """The stream of the participant who shares a screen; participants who join later get the event, too."""
    for event in session.events(timeout=TIMEOUT):
        if isinstance(event, ScreenShareStateChanged) and event.incoming_video is not None:
            print(f"{event.user_id} shares a screen")
            return event.incoming_video
    raise SystemExit(f"no screen was shared for {TIMEOUT:g} seconds")


def watch(alice: Session, stream: OutgoingVideo, video: IncomingVideo, seconds: float) -> int:
    seen, printed = 0, 0.0
    end = time.monotonic() + seconds
    while still_shared(alice) and time.monotonic() < end:
        try:
            video.read(timeout=0.2).close()
            seen += 1
        except MediaTimeout:
            pass  # nothing changed
        if time.monotonic() > printed + 1:
            printed = time.monotonic()
            stats = stream.stats()
            print(f"{seen} frames seen; {stats.frames_encoded} made, {stats.frames_repeated} repeated, {stats.bytes_sent} bytes")
    return seen


def main() -> int:
    parser = argparse.ArgumentParser(description="shares a display or a window")
    parser.add_argument("--plugins", type=Path, required=True, help="directory of the plugins")
    parser.add_argument("--window", default="", help="a window's number, or its title; without it the whole display")
    parser.add_argument("--seconds", type=float, default=10, help="how long to share")
    arguments = parser.parse_args()
    try:
        with Engine() as engine:
            engine.add_plugin_dir(arguments.plugins)
            alice = join(engine, "alice")
            stream = share(engine, alice, arguments.window)
            bob = join(engine, "bob")
            video = find_share(bob)
            video.start()
            seen = watch(alice, stream, video, arguments.seconds)
    except MediaSDKError as error:
        print(f"share.py: {error}", file=sys.stderr)
        return 1
    return 0 if seen else 1


if __name__ == "__main__":
    sys.exit(main())
