"""A publisher by the engine of browsers (libwebrtc), which sends numbered pictures as VP8 in three sizes at once (simulcast)."""
from __future__ import annotations

import asyncio
import time

import numpy as np
import webrtc

import numbered

# The engine makes three sizes of no smaller pictures.
WIDTH, HEIGHT, RATE = 960, 540, 10
SIZES = [(WIDTH >> 2, HEIGHT >> 2), (WIDTH >> 1, HEIGHT >> 1), (WIDTH, HEIGHT)]
RATES = {"h": 600_000, "m": 250_000, "l": 100_000}  # bits a second at most, from the largest size to the smallest


class Simulcast:
    """Publishes once it is offered and answered."""

    def __init__(self, stream: int) -> None:
        self.stream = stream
        self.sent: dict[str, tuple[int, int, int]] = {}  # of each size: width, height, and how many pictures
        self.connection = webrtc.RTCPeerConnection(webrtc.RTCConfiguration())
        self._generator = webrtc.MediaStreamTrackGenerator(webrtc.MediaType.video)
        encodings = [webrtc.RTCRtpEncodingParameters(rid=rid, max_bitrate=rate, scale_resolution_down_by=1 << place)
                     for place, (rid, rate) in enumerate(RATES.items())]
        init = webrtc.RTCRtpTransceiverInit(webrtc.RTCRtpTransceiverDirection.sendonly, send_encodings=encodings)
        self._sender = self.connection.add_transceiver(self._generator, init).sender
        self._work = asyncio.ensure_future(self._produce())

    async def _produce(self) -> None:
        writer = self._generator.writable.get_writer()
        grey = np.full(WIDTH * HEIGHT // 2, 128, np.uint8)
        start, number = time.monotonic(), 0
        while True:
            await asyncio.sleep(max(0, start + number / RATE - time.monotonic()))
            luma = numbered.luma(self.stream, number, False, WIDTH, HEIGHT)
            init = webrtc.VideoFrameBufferInit(format=webrtc.VideoPixelFormat.I420, coded_width=WIDTH, coded_height=HEIGHT,
                                               timestamp=number * 1_000_000 // RATE)
            await writer.write(webrtc.VideoFrame(np.concatenate([luma.reshape(-1), grey]), init))
            number += 1
            if number % RATE == 0:
                await self._count()

    async def _count(self) -> None:
        report = await self.connection.get_stats()
        self.sent = {one.rid or "": (one.frame_width or 0, one.frame_height or 0, one.frames_sent or 0) for one in report.values()
                     if isinstance(one, webrtc.RTCOutboundRtpStreamStats)}

    async def offer(self) -> dict[str, str]:
        """With all candidates."""
        # On a busy machine it would make all sizes smaller, or send less often.
        parameters = self._sender.get_parameters()
        parameters.degradation_preference = webrtc.RTCDegradationPreference.maintain_framerate_and_resolution
        await self._sender.set_parameters(parameters)
        gathered = asyncio.Event()
        self.connection.on("icegatheringstatechange", lambda _: gathered.set() if self.connection.ice_gathering_state == "complete" else None)
        await self.connection.set_local_description()
        await asyncio.wait_for(gathered.wait(), 30)
        description = self.connection.local_description
        assert description is not None
        # Janus would wait for more of them.
        return {"type": "offer", "sdp": description.sdp.replace("a=ice-options:trickle\r\n", "")}

    async def take(self, jsep: dict[str, str]) -> None:
        await self.connection.set_remote_description(webrtc.RTCSessionDescriptionInit(webrtc.RTCSdpType(jsep["type"]), jsep["sdp"]))

    async def close(self) -> None:
        self._work.cancel()
        await asyncio.gather(self._work, return_exceptions=True)
        self.connection.close()
