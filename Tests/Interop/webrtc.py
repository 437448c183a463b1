"""An end of WebRTC, by aiortc: publishes a film and a tone, or looks at what comes."""
from __future__ import annotations

import asyncio
import fractions
import time
from typing import Any

import numpy as np
from aiortc import MediaStreamTrack, RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from av import AudioFrame, VideoFrame

import material


class Film(MediaStreamTrack):
    """The pictures of a file, over and over, in their own time."""
    kind = "video"

    def __init__(self, path: Any) -> None:
        super().__init__()
        self.pictures = material.read_luma(path)
        self._number, self._start = 0, 0.0

    async def recv(self) -> VideoFrame:
        self._start = self._start or time.monotonic()
        await asyncio.sleep(max(0, self._start + self._number / material.RATE - time.monotonic()))
        luma = self.pictures[self._number % len(self.pictures)]
        grey = np.full((material.HEIGHT // 2, material.WIDTH), 128, np.uint8)
        frame = VideoFrame.from_ndarray(np.concatenate([luma, grey]), format="yuv420p")
        frame.pts, frame.time_base = self._number * 90_000 // material.RATE, fractions.Fraction(1, 90_000)
        self._number += 1
        return frame


class Tone(MediaStreamTrack):
    """A sine, 20 ms at a time."""
    kind = "audio"

    def __init__(self) -> None:
        super().__init__()
        self._number, self._start = 0, 0.0

    async def recv(self) -> AudioFrame:
        self._start = self._start or time.monotonic()
        await asyncio.sleep(max(0, self._start + self._number * 0.02 - time.monotonic()))
        times = (np.arange(960) + self._number * 960) / 48_000
        samples = (12_000 * np.sin(2 * np.pi * material.TONE * times)).astype(np.int16)
        frame = AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = 48_000, self._number * 960, fractions.Fraction(1, 48_000)
        self._number += 1
        return frame


class Viewer:
    """Keeps the brightness of the pictures, and the samples of the sound, of what it is offered."""

    def __init__(self) -> None:
        self.connection = RTCPeerConnection(RTCConfiguration([]))
        self.pictures: list[np.ndarray] = []
        self.samples: list[np.ndarray] = []
        self._tasks: list[asyncio.Task] = []
        self.connection.on("track", lambda track: self._tasks.append(asyncio.ensure_future(self._take(track))))

    async def _take(self, track: MediaStreamTrack) -> None:
        while True:
            frame = await track.recv()
            if track.kind == "video":
                self.pictures.append(frame.to_ndarray(format="yuv420p")[:frame.height])
            else:
                self.samples.append(frame.to_ndarray().reshape(-1, len(frame.layout.channels))[:, 0])

    async def answer(self, jsep: dict[str, str]) -> dict[str, str]:
        await self.connection.setRemoteDescription(RTCSessionDescription(jsep["sdp"], jsep["type"]))
        await self.connection.setLocalDescription(await self.connection.createAnswer())
        return {"type": "answer", "sdp": self.connection.localDescription.sdp}

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.connection.close()


class Publisher:
    def __init__(self, film: Any) -> None:
        self.connection = RTCPeerConnection(RTCConfiguration([]))
        self.film = Film(film)
        self.connection.addTrack(self.film)
        self.connection.addTrack(Tone())

    async def offer(self) -> dict[str, str]:
        await self.connection.setLocalDescription(await self.connection.createOffer())
        return {"type": "offer", "sdp": self.connection.localDescription.sdp}

    async def take(self, jsep: dict[str, str]) -> None:
        await self.connection.setRemoteDescription(RTCSessionDescription(jsep["sdp"], jsep["type"]))

    async def await_connected(self) -> None:
        for _ in range(600):
            if self.connection.connectionState == "connected":
                return
            await asyncio.sleep(0.1)
        raise AssertionError(f"the connection is {self.connection.connectionState}")

    async def close(self) -> None:
        await self.connection.close()
