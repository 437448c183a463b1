"""An end of WebRTC that is a session of this library: sends numbered pictures and a tone, keeps what comes, and tells what is to be carried."""
from __future__ import annotations

import asyncio
from typing import Any, Awaitable, Callable, Optional, Sequence

import numpy as np

import mediasdk
import material
import numbered

Handler = Callable[[mediasdk.Event], Awaitable[None]]


class Pictures(mediasdk.VideoProducer):
    """Numbered ones of a stream; each with its number in its metadata, if they have any."""

    def __init__(self, stream: int, has_metadata: bool = False) -> None:
        self.stream, self.number, self.has_metadata = stream, 0, has_metadata

    def produce(self, frame: mediasdk.Frame) -> None:
        luma, *chroma = (frame.plane_array(index) for index in range(3))
        luma[:] = numbered.luma(self.stream, self.number, False, frame.width, frame.height)
        for plane in chroma:
            plane[:] = 128
        if self.has_metadata:
            frame.metadata = mediasdk.FrameMetadata(*numbered.metadata(self.number))
        self.number += 1


class Sine(mediasdk.AudioProducer):
    def __init__(self, frequency: float) -> None:
        self.frequency, self.count = frequency, 0

    def produce(self, format: mediasdk.AudioFormat) -> np.ndarray:
        times = (np.arange(format.frames_per_buffer) + self.count) / format.sample_rate
        self.count += format.frames_per_buffer
        return (12_000 * np.sin(2 * np.pi * self.frequency * times)).astype(np.int16)


class OurEnd:
    """Connects at once. Each event goes to the handler, one after another, also those before `handle` says who that is."""

    def __init__(self, url: str, stream: int, frequency: float, servers: Sequence[tuple[str, str, str]] = (), *, sends: bool = True) -> None:
        self.engine = mediasdk.Engine()
        self.session = self.engine.create_session(url, "ours")
        self.pictures: list[np.ndarray] = []
        self.samples: list[np.ndarray] = []
        self.participants: list[str] = []
        self.error: Optional[mediasdk.MediaSDKError] = None
        self.sent = Pictures(stream)
        self._tasks: list[asyncio.Task] = []
        for server in servers:
            self.session.add_ice_server(*server)
        asyncio.get_running_loop().slow_callback_duration = 10  # seconds: pictures are made on the loop
        self.session.connect(wait=False)
        if not sends:
            return
        format = mediasdk.VideoFormat("I420", material.WIDTH, material.HEIGHT, material.RATE)
        video = self.engine.create_outgoing_video(format, limits="EXTENDED")
        audio = self.engine.create_outgoing_audio(application="AUDIO")
        self.session.start_video(video)
        self.session.start_audio(audio)
        self._begin(video.run_async(self.sent))
        self._begin(audio.run_async(Sine(frequency)))

    def handle(self, handler: Handler) -> None:
        self._begin(self._events(handler))

    def _begin(self, work: Any) -> None:
        self._tasks.append(asyncio.ensure_future(work))

    async def _events(self, handler: Handler) -> None:
        async for event in self.session:
            if isinstance(event, (mediasdk.IncomingVideoAdded, mediasdk.IncomingAudioAdded)):
                self.participants.append(event.user_id)
            if isinstance(event, mediasdk.IncomingVideoAdded):
                event.incoming_video.start(pixel_format="I420")
                self._begin(self._keep_pictures(event.incoming_video))
            elif isinstance(event, mediasdk.IncomingAudioAdded):
                event.incoming_audio.start(sample_rate=48_000, channels=1, sample_format="F32")
                self._begin(self._keep_samples(event.incoming_audio))
            elif isinstance(event, mediasdk.SessionStateChanged) and event.state == mediasdk.SessionState.DISCONNECTED:
                self.error = event.error
            await handler(event)

    async def _keep_pictures(self, stream: mediasdk.IncomingVideo) -> None:
        async for frame in stream:
            with frame:
                self.pictures.append(frame.plane_array(0).copy())

    async def _keep_samples(self, stream: mediasdk.IncomingAudio) -> None:
        async for frame in stream:
            with frame:
                self.samples.append(frame.to_numpy()[:, 0].copy())

    def check(self) -> None:
        """Raises what made a task end."""
        for task in self._tasks:
            if task.done():
                task.result()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.session.close()
        self.engine.close()
