"""A camera and a microphone that go wherever the url says: into a room of this process, of another program, of Janus, of LiveKit, to a server of WHIP.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/publish.py URL [--seconds N]

    loopback:lobby                                    a room in this process
    livekit+wss://192.0.2.7:8443#room=lobby&...       a room that another program serves
    whip+https://media.example.org/whip/lobby         a server of WHIP
    janus+https://media.example.org/janus?room=1234   a room of Janus
    livekit+wss://media.example.org                   a room by LiveKit's protocol; USER_ID is the identity of the token

What the server wants to see (a token, a PIN) is in the environment variable TOKEN, since urls are logged.
"""
from __future__ import annotations

import argparse
import asyncio
import math
import os
import sys
from array import array

from mediasdk import AudioFormat, AudioProducer, Engine, Frame, MediaSDKError, PixelFormat, VideoFormat, VideoProducer

WIDTH, HEIGHT, FPS, RATE = 640, 360, 25, 48_000
RAMP = bytes(16 + x % 220 for x in range(WIDTH + 220))


class Camera(VideoProducer):
    """A grey ramp that moves to the left, in NV12."""

    def __init__(self) -> None:
        self._number = 0

    def produce(self, frame: Frame) -> None:
        start = 4 * self._number % 220
        frame.planes[0].write(RAMP[start:start + WIDTH] * HEIGHT)
        frame.planes[1].write(bytes([128]) * (WIDTH * HEIGHT // 2))
        self._number += 1


class Microphone(AudioProducer):
    """440 Hz."""

    def __init__(self) -> None:
        self._count = 0

    def produce(self, format: AudioFormat) -> array[int]:
        numbers = range(self._count, self._count + format.frames_per_buffer)
        self._count += format.frames_per_buffer
        return array("h", (round(8000 * math.sin(2 * math.pi * 440 * number / RATE)) for number in numbers))


async def publish(engine: Engine, url: str, seconds: float) -> None:
    with engine.create_session(url, os.environ.get("USER_ID", "publisher"), access_token=os.environ.get("TOKEN")) as session:
        video = engine.create_outgoing_video(VideoFormat(PixelFormat.NV12, WIDTH, HEIGHT, FPS))
        audio = engine.create_outgoing_audio(sample_rate=RATE, channels=1)
        # Before connecting: WHIP agrees on what is sent once, with its first request.
        session.start_video(video)
        session.start_audio(audio)
        session.connect(wait=False)
        devices = [asyncio.ensure_future(video.run_async(Camera())), asyncio.ensure_future(audio.run_async(Microphone()))]
        try:
            await session.connected()
            print(f"connected to {url}", flush=True)
            await asyncio.wait([*devices], timeout=seconds)
        finally:
            for device in devices:
                device.cancel()
            await asyncio.gather(*devices, return_exceptions=True)
        print(f"{video.stats().frames_offered} frames and {audio.stats().buffers_offered} buffers of audio sent")


def main() -> int:
    parser = argparse.ArgumentParser(description="sends video and a tone to whatever the url names")
    parser.add_argument("url")
    parser.add_argument("--seconds", type=float, default=10)
    arguments = parser.parse_args()
    with Engine() as engine:
        try:
            asyncio.run(publish(engine, arguments.url, arguments.seconds))
        except MediaSDKError as error:
            print(f"publish.py: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
