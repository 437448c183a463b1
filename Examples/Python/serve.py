"""A call over the network without another server: one process serves a room, others join it by the url that it prints.  Each sends a test
pattern and a tone, and prints what came from the others.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/serve.py --plugins DIR --token TOKEN [--address 127.0.0.1]
    ... python3 Examples/Python/serve.py --plugins DIR --token TOKEN --join 'livekit+ws://...'

Who does not know the token is not let in.
"""
from __future__ import annotations

import argparse
import hmac
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from mediasdk import (AccessExpiring, Codec, Engine, IncomingVideo, IncomingVideoAdded, MediaSDKError, MediaTimeout, ParticipantJoined, ParticipantLeft,
                      PixelFormat, Session, SessionState, SessionStateChanged, VideoFormat, access_requests, configure_room, serve_room)

ROOM = "loopback:lobby"
TIMEOUT = 60.0  # seconds for the first frame
LIFETIME = 600.0  # seconds of a member's access, which is renewed before it ends


def guard(engine: Engine, token: str) -> None:
    """Decides who comes in, and who stays, on a thread of its own, until the engine closes."""
    for request in access_requests(engine, ROOM):
        wish = "stay" if request.renewal else "come in"
        if hmac.compare_digest(request.access_token.encode(), token.encode()):
            print(f"{request.user_id} wants to {wish}, and may")
            request.admit(lifetime=LIFETIME)
        else:
            print(f"{request.user_id} wants to {wish}, and does not know the token")
            request.refuse("the token is another one")


def open_listener(engine: Engine, address: str, token: str) -> None:
    configure_room(engine, ROOM, verified=True)
    threading.Thread(target=guard, args=(engine, token), daemon=True).start()
    print(serve_room(engine, ROOM, address).url(), flush=True)


def join(engine: Engine, url: str, user_id: str, token: str) -> Session:
    session = engine.create_session(url, user_id, access_token=token)
    session.connect(timeout=20)
    return session


def send_pattern_and_tone(engine: Engine, session: Session) -> None:
    """VP8 and Opus, which are passed on as they are."""
    film = engine.create_outgoing_video(VideoFormat(PixelFormat.NV12, 640, 360, 30), codec=Codec.VP8)
    film.attach_producer(engine.create_instance("org.mediasdk.producer.testpattern"))
    session.start_video(film)
    voice = engine.create_outgoing_audio(codec=Codec.OPUS)
    voice.attach_producer(engine.create_instance("org.mediasdk.producer.tone"))
    session.start_audio(voice)


@dataclass
class Arrivals:
    """Frames of the first who sends any, and the audio of all, mixed."""

    video: IncomingVideo | None = None
    sender: str = ""
    size: tuple[int, int] = (0, 0)
    frames: int = 0
    loudest: int = 127  # 0 is the loudest there is, 127 silence

    def look(self, session: Session, token: str) -> bool:
        """Whether the call goes on."""
        try:
            event = session.next_event(0.01)
        except MediaTimeout:
            return True
        if isinstance(event, ParticipantJoined):
            print(f"{event.user_id} is here")
        elif isinstance(event, AccessExpiring):
            session.set_access_token(token)  # a program of its own would ask for a new one here
        elif isinstance(event, ParticipantLeft):
            print(f"{event.user_id} left")
        elif isinstance(event, IncomingVideoAdded) and self.video is None:
            self.video, self.sender = event.incoming_video, event.user_id
            self.video.start()
        elif isinstance(event, SessionStateChanged) and event.state == SessionState.DISCONNECTED:
            print(f"the call is over: {event.text}")
            return False
        return True

    def take(self, session: Session) -> None:
        """What waits."""
        if self.video is not None:
            for frame in self.video.frames(timeout=0):
                with frame:
                    self.size = frame.width, frame.height
                    self.frames += 1
        for buffer in session.mixed_audio.frames(timeout=0):
            with buffer:
                self.loudest = min(self.loudest, buffer.level)


def take_part(session: Session, token: str, seconds: float) -> Arrivals:
    """As many seconds from the first frame on."""
    came = Arrivals()
    session.mixed_audio.start()
    end, has_begun = time.monotonic() + TIMEOUT, False
    while time.monotonic() < end and came.look(session, token):
        came.take(session)
        if came.frames > 0 and not has_begun:
            end, has_begun = time.monotonic() + seconds, True
    return came


def main() -> int:
    parser = argparse.ArgumentParser(description="hosts a call, or joins one")
    parser.add_argument("--plugins", type=Path, required=True, help="directory of the plugins")
    parser.add_argument("--token", required=True, help="what a guest has to know")
    parser.add_argument("--address", default="127.0.0.1", help="of this machine, where the host is reached")
    parser.add_argument("--join", metavar="URL", help="that the host has printed; without it this one hosts")
    parser.add_argument("--seconds", type=float, default=5)
    arguments = parser.parse_args()
    try:
        with Engine() as engine:
            engine.add_plugin_dir(arguments.plugins)
            if arguments.join is None:
                open_listener(engine, arguments.address, arguments.token)
            # The host is a member of its own room, without a network between.
            session = join(engine, arguments.join or ROOM, "guest" if arguments.join else "host", arguments.token)
            send_pattern_and_tone(engine, session)
            came = take_part(session, arguments.token, arguments.seconds)
    except MediaSDKError as error:
        print(f"serve.py: {error}", file=sys.stderr)
        return 1
    if came.frames == 0:
        print("serve.py: no frame was received", file=sys.stderr)
        return 1
    width, height = came.size
    print(f"{came.sender} sent {came.frames} frames of {width}x{height}, and the loudest audio was {came.loudest} dB below full scale")
    return 0 if came.loudest < 127 else 1


if __name__ == "__main__":
    sys.exit(main())
