"""A call over WebRTC without a server: alice sends video to bob, and the program carries what the two have to say to each other.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/webrtc.py [--frames N]

What is carried is text: here it goes through two queues, elsewhere over a WebSocket, by a chat, or by hand. A browser's
RTCPeerConnection at the other end takes the same descriptions and candidates.
"""
from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys

from mediasdk import (CandidatesComplete, DescriptionOutcome, Engine, Event, Frame, IncomingVideo, IncomingVideoAdded, LocalCandidate,
                      MediaSDKError, NegotiationNeeded, PixelFormat, SdpType, Session, SessionStateChanged, StateError, VideoFormat,
                      VideoProducer)

TIMEOUT = 30.0  # seconds for what takes one


class Blue(VideoProducer):
    """Frames of NV12 in one colour."""

    def produce(self, frame: Frame) -> None:
        for plane, parts in zip(frame.planes, (bytes([41]), bytes([240, 110]))):
            for row in plane:
                row[:] = parts * (len(row) // len(parts))


class Signalling:
    """Carries what one end says to the other end, and what that one says to it. Both ends do the same, but for one of the two, which is
    polite: it gives its own offer up when both offer at once."""

    def __init__(self, session: Session, outbox: asyncio.Queue[str], inbox: asyncio.Queue[str]) -> None:
        self._session, self._outbox, self._inbox = session, outbox, inbox

    def say(self, event: Event) -> None:
        """What an event of the session means for the other end; most mean nothing."""
        if isinstance(event, NegotiationNeeded):
            with contextlib.suppress(StateError):  # an offer waits for its answer already
                self._describe()
        elif isinstance(event, LocalCandidate):
            self._send(candidate=event.candidate, mid=event.mid)
        elif isinstance(event, CandidatesComplete):
            self._send(candidate="")

    async def listen(self) -> None:
        while True:
            message = json.loads(await self._inbox.get())
            if "candidate" in message:
                self._session.add_remote_candidate(message["candidate"], message.get("mid"))
                continue
            kind = SdpType[message["type"].upper()]
            outcome = self._session.set_remote_description(kind, message["sdp"])
            if kind == SdpType.OFFER and outcome == DescriptionOutcome.APPLIED:
                self._describe()

    def _describe(self) -> None:
        kind = self._session.describe()  # an answer if an offer waits for one, else an offer
        self._send(type=kind.name.lower(), sdp=self._session.local_description())

    def _send(self, **message: str) -> None:
        self._outbox.put_nowait(json.dumps(message))


async def follow(session: Session, signalling: Signalling, video: asyncio.Future[IncomingVideo]) -> None:
    """Reads the events of one end."""
    async for event in session:
        signalling.say(event)
        if isinstance(event, SessionStateChanged):
            print(f"{session.user_id} is {event.state.name}")
        elif isinstance(event, IncomingVideoAdded) and not video.done():
            video.set_result(event.incoming_video)


async def watch(video: asyncio.Future[IncomingVideo], count: int) -> list[int]:
    """Receives frames, and gives the mean colour of the last: red, green, blue."""
    incoming = await video
    incoming.start(pixel_format=PixelFormat.RGB24)
    async for frame in incoming:
        with frame:
            count -= 1
            if count == 0:
                pixels = frame.planes[0].tobytes()
                return [sum(pixels[part::3]) * 3 // len(pixels) for part in range(3)]
    raise SystemExit("alice left too early")


async def call(engine: Engine, count: int) -> list[int]:
    loop = asyncio.get_running_loop()
    to_alice: asyncio.Queue[str] = asyncio.Queue()
    to_bob: asyncio.Queue[str] = asyncio.Queue()
    # Both are on this machine. Elsewhere "stun=HOST" helps through routers, and Session.add_ice_server has relays.
    with engine.create_session("webrtc:?polite=0&loopback=1", "alice") as alice, engine.create_session("webrtc:?loopback=1", "bob") as bob:
        videos: dict[Session, asyncio.Future[IncomingVideo]] = {alice: loop.create_future(), bob: loop.create_future()}
        tasks: list[asyncio.Task[object]] = []
        for session, outbox, inbox in ((alice, to_bob, to_alice), (bob, to_alice, to_bob)):
            session.connect(wait=False)
            signalling = Signalling(session, outbox, inbox)
            tasks.append(loop.create_task(follow(session, signalling, videos[session])))
            tasks.append(loop.create_task(signalling.listen()))
        stream = engine.create_outgoing_video(VideoFormat(PixelFormat.NV12, 640, 360, 30))
        alice.start_video(stream)  # now there is something to negotiate
        tasks.append(loop.create_task(stream.run_async(Blue())))
        watching = loop.create_task(watch(videos[bob], count))
        # What fails is noticed, and nothing is waited for without an end.
        await asyncio.wait([watching, *tasks], timeout=TIMEOUT, return_when=asyncio.FIRST_COMPLETED)
        ended = [task for task in (watching, *tasks) if task.done()]
        for task in (watching, *tasks):
            task.cancel()
        await asyncio.gather(watching, *tasks, return_exceptions=True)
        for task in ended:
            task.result()
        if watching not in ended:
            raise SystemExit(f"no frames for {TIMEOUT:g} seconds")
        return watching.result()


def main() -> int:
    parser = argparse.ArgumentParser(description="a call over WebRTC between two sessions of one program")
    parser.add_argument("--frames", type=int, default=30, help="how many frames bob receives, at least 1")
    arguments = parser.parse_args()
    try:
        with Engine() as engine:
            colour = asyncio.run(call(engine, arguments.frames))
    except MediaSDKError as error:
        print(f"webrtc.py: {error}", file=sys.stderr)
        return 1
    print(f"bob received {arguments.frames} frames; mean colour of the last {' '.join(map(str, colour))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
