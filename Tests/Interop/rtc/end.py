"""An end of WebRTC: publishes a film and a tone, looks at what comes, or both. By aiortc, or with MSDK_INTEROP_ENGINE=libwebrtc by the engine of
browsers, which has the same interface here."""
from __future__ import annotations

import asyncio
import fractions
import os
import time
from typing import Any, Callable

import numpy as np
from av import AudioFrame, VideoFrame

import material

ENGINE = os.environ.get("MSDK_INTEROP_ENGINE", "aiortc")
if ENGINE == "libwebrtc":
    os.environ["WRTC_ALLOW_LOOPBACK"] = "1"
    from webrtc.aiortc import MediaStreamTrack, RTCConfiguration, RTCPeerConnection, RTCSessionDescription
    from webrtc.aiortc.sdp import candidate_from_sdp
else:
    from aiortc import MediaStreamTrack, RTCConfiguration, RTCPeerConnection, RTCSessionDescription
    from aiortc.sdp import candidate_from_sdp


class Film(MediaStreamTrack):
    """Pictures by their numbers, in their own time."""
    kind = "video"

    def __init__(self, picture: Callable[[int], np.ndarray], rate: int = material.RATE) -> None:
        super().__init__()
        self._picture, self._rate = picture, rate
        self._number, self._start = 0, 0.0

    async def recv(self) -> VideoFrame:
        self._start = self._start or time.monotonic()
        await asyncio.sleep(max(0, self._start + self._number / self._rate - time.monotonic()))
        luma = self._picture(self._number)
        grey = np.full((luma.shape[0] // 2, luma.shape[1]), 128, np.uint8)
        frame = VideoFrame.from_ndarray(np.concatenate([luma, grey]), format="yuv420p")
        frame.pts, frame.time_base = self._number * 90_000 // self._rate, fractions.Fraction(1, 90_000)
        self._number += 1
        return frame


class Tone(MediaStreamTrack):
    """A sine, 20 ms at a time."""
    kind = "audio"

    def __init__(self) -> None:
        super().__init__()
        self._number, self._start = 0, 0.0

    @property
    def seconds(self) -> float:
        """How much has been sent: aiortc falls behind the clock where its event loop has much to do."""
        return self._number * 0.02

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
    LOUDEST = 32_768  # a sample

    def __init__(self) -> None:
        self.connection = RTCPeerConnection(RTCConfiguration([]))
        self.name = ENGINE
        self.pictures: list[np.ndarray] = []
        self.samples: list[np.ndarray] = []
        self.times: list[float] = []  # of the pictures
        self._tasks: list[asyncio.Task] = []
        self.connection.on("track", lambda track: self._tasks.append(asyncio.ensure_future(self._take(track))))

    async def _take(self, track: MediaStreamTrack) -> None:
        while True:
            frame = await track.recv()
            if track.kind == "video":
                self.pictures.append(frame.to_ndarray(format="yuv420p")[:frame.height])
                self.times.append(time.monotonic())
            else:
                self.samples.append(frame.to_ndarray().reshape(-1, len(frame.layout.channels))[:, 0])

    @property
    def state(self) -> str:
        return self.connection.connectionState

    def check(self) -> None:
        """Nothing that would not be seen in what comes."""

    async def answer(self, jsep: dict[str, str]) -> dict[str, str]:
        await self.connection.setRemoteDescription(RTCSessionDescription(jsep["sdp"], jsep["type"]))
        await self.connection.setLocalDescription(await self.connection.createAnswer())
        return {"type": "answer", "sdp": self.connection.localDescription.sdp}

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.connection.close()


class Caller(Viewer):
    """Sends pictures and a tone, and keeps what comes."""

    def __init__(self, picture: Callable[[int], np.ndarray], rate: int = material.RATE) -> None:
        super().__init__()
        self.tone = Tone()
        self.connection.addTrack(Film(picture, rate))
        self.connection.addTrack(self.tone)

    async def offer(self) -> dict[str, str]:
        """With all candidates, as aiortc sends none by themselves."""
        await self.connection.setLocalDescription(await self.connection.createOffer())
        return {"type": "offer", "sdp": self.connection.localDescription.sdp}

    async def take(self, jsep: dict[str, str]) -> None:
        await self.connection.setRemoteDescription(RTCSessionDescription(jsep["sdp"], jsep["type"]))

    async def add_candidate(self, text: str, mid: str) -> None:
        """An empty one says that none follows."""
        candidate = candidate_from_sdp(text.removeprefix("candidate:")) if text else None
        if candidate is not None:
            candidate.sdpMid = mid
        await self.connection.addIceCandidate(candidate)


class Publisher:
    def __init__(self, film: Any) -> None:
        self.connection = RTCPeerConnection(RTCConfiguration([]))
        pictures = material.read_luma(film)
        self.connection.addTrack(Film(lambda number: pictures[number % len(pictures)]))
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
