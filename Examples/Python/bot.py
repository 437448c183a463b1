"""A bot that receives the video of two participants as RGB, and prints the mean colour of each.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/bot.py [--seconds N]

A loopback room lives inside one process, so the two are here too: alice, who is red, and carol, who is blue.  All run as tasks of
asyncio.
"""
from __future__ import annotations

import argparse
import asyncio
import sys

from mediasdk import Engine, Frame, IncomingVideoAdded, MediaSDKError, PixelFormat, Renderer, Session, VideoFormat, VideoProducer

ROOM = "loopback:lobby"
SIZE = 320, 240


class Plain(VideoProducer):
    """Frames of one colour."""

    def __init__(self, colour: tuple[int, int, int]) -> None:
        self.colour = colour

    def produce(self, frame: Frame) -> None:
        frame.planes[0].write(bytes(self.colour) * (frame.width * frame.height))


class Watched(Renderer[Frame]):
    """What the bot knows of a participant."""

    def __init__(self) -> None:
        self.frames = 0
        self.colour: list[float] = []

    def render(self, frame: Frame) -> None:
        pixels = frame.tobytes()
        self.colour = [sum(pixels[channel::3]) / (len(pixels) // 3) for channel in range(3)]
        self.frames += 1


async def take_part(engine: Engine, user_id: str, colour: tuple[int, int, int]) -> None:
    """A participant, until the task is cancelled."""
    with engine.create_session(ROOM, user_id) as session:
        stream = engine.create_outgoing_video(VideoFormat(PixelFormat.RGB24, *SIZE, 15))
        session.start_video(stream)  # offered as soon as the session is connected
        session.connect(wait=False)
        await stream.run_async(Plain(colour))


async def receive(session: Session, seen: dict[str, Watched]) -> None:
    """Watches everybody who sends video, until the task is cancelled."""
    await session.connected()
    watching = []
    async for event in session:
        if isinstance(event, IncomingVideoAdded):
            # What is announced is not received before it is started.
            event.incoming_video.start(pixel_format=PixelFormat.RGB24)
            watched = seen[event.user_id] = Watched()
            watching.append(asyncio.ensure_future(event.incoming_video.run_async(watched)))


async def watch(engine: Engine, seconds: float) -> dict[str, Watched]:
    participants = [asyncio.ensure_future(take_part(engine, "alice", (200, 30, 30))),
                    asyncio.ensure_future(take_part(engine, "carol", (30, 30, 200)))]
    seen: dict[str, Watched] = {}
    with engine.create_session(ROOM, "bot") as session:
        bot = asyncio.ensure_future(receive(session, seen))
        await asyncio.wait([bot, *participants], timeout=seconds)
        for task in (bot, *participants):
            task.cancel()
        await asyncio.gather(bot, *participants, return_exceptions=True)
    return seen


def main() -> int:
    parser = argparse.ArgumentParser(description="receives two participants as RGB")
    parser.add_argument("--seconds", type=float, default=3)
    with Engine() as engine:
        seen = asyncio.run(watch(engine, parser.parse_args().seconds))
    for user_id, watched in sorted(seen.items()):
        print(f"{user_id}: {watched.frames} frames, mean colour {' '.join(f'{part:.0f}' for part in watched.colour)}")
    return 0 if len(seen) == 2 and all(watched.frames for watched in seen.values()) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MediaSDKError as error:
        sys.exit(f"bot.py: {error}")
