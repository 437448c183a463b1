"""The tool to Janus, whose Streaming plugin shows it to a browser's like, and Janus's rtp_forward of somebody who publishes to the tool."""
from __future__ import annotations

import asyncio
import time
import unittest
from typing import Any, Optional

import numpy as np

import material
from janus import Janus
from peers import COUNTER, PLUGINS, TOOL, InteropTest, Keys, free_ports, need

try:
    from rtc.end import Publisher, Viewer
except ImportError as error:
    MISSING: Optional[str] = f"aiortc is not here ({error}); make interop installs it"
else:
    MISSING = None


class WithJanus(InteropTest):
    def setUp(self) -> None:
        super().setUp()
        if MISSING:
            self.skipTest(MISSING)
        need("ffmpeg")
        self.film = material.make_film(self.directory / "film.y4m")
        self.janus = Janus(self)

    # ----------------------------------------------------------------------------------------------------------------- Streaming

    def check_streaming(self, suite: Optional[str]) -> None:
        video, audio = free_ports(2)
        keys, options, query = self.keys(suite)
        protection = {"srtpsuite": 80, "srtpcrypto": Keys.text(keys.own)} if keys else {}
        handle = self.janus.attach("streaming")
        handle.request(request="create", type="rtp", id=7, name="msdk", **protection, media=[
            {"type": "video", "mid": "v", "codec": "vp8", "pt": 96, "port": video}, {"type": "audio", "mid": "a", "codec": "opus", "pt": 111, "port": audio}])
        url = f"rtp://{self.janus.far}:{video}?audio={audio}&direction=sendonly&rtcp-mux=1{query}"
        sender = self.msdk("send", url, *options, "--producer", "testpattern:bars", "--size", "320x240", "--fps", "25", "--bitrate", "500000", "--sound", "tone",
                           "--seconds", "30")
        pictures, samples, info = asyncio.run(self.watch(handle))
        self.assertEqual(sender.end(30), 0, sender.said)
        # What Janus says: every medium was fed a moment ago.
        ages = [medium["age_ms"] for medium in info["info"]["media"]]
        self.assertEqual(len(ages), 2, info)
        self.assertLess(max(ages), 2000, info)
        self.assertGreater(len(pictures), 40)
        self.assertEqual(pictures[-1].shape, (240, 320))
        self.assert_bars(pictures[-1])
        spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
        self.assertAlmostEqual(np.argmax(spectrum) * 48_000 / len(samples), self.tone_of_ours(), delta=5)

    async def watch(self, handle: Any) -> tuple[list[np.ndarray], np.ndarray, dict]:
        """As a browser does."""
        viewer = Viewer()
        try:
            _, offer = await asyncio.to_thread(handle.command, request="watch", id=7)
            assert offer is not None
            await asyncio.to_thread(handle.command, await viewer.answer(offer), request="start")
            deadline = time.monotonic() + 40
            while (len(viewer.pictures) < 50 or len(viewer.samples) < 100) and time.monotonic() < deadline:
                await asyncio.sleep(0.1)
            info = await asyncio.to_thread(handle.request, request="info", id=7)
            return viewer.pictures, np.concatenate(viewer.samples[-50:] or [np.zeros(1)]).astype(np.float64), info
        finally:
            await viewer.close()

    def tone_of_ours(self) -> float:
        """What the tool's own tone is."""
        done = self.start(TOOL, "run", "--sound", "--producer", "tone", "--seconds", "2", "--renderer", "wav:own.wav", "--plugins", PLUGINS)
        self.assertEqual(done.wait(), 0, done.said)
        return material.tone(self.directory / "own.wav")[0]

    def assert_bars(self, picture: np.ndarray) -> None:
        """The same bars as the tool's own, which are what they are in every frame."""
        done = self.start(TOOL, "run", "--producer", "testpattern:bars", "--size", "320x240", "--frames", "5", "--renderer", "file:own.y4m", "--plugins", PLUGINS)
        self.assertEqual(done.wait(), 0, done.said)
        self.assertGreater(material.psnr(picture, material.read_luma(self.directory / "own.y4m")[-1]), 28)

    def test_streaming(self) -> None:
        self.check_streaming(None)

    def test_streaming_protected(self) -> None:
        self.check_streaming(COUNTER)

    # ----------------------------------------------------------------------------------------------------------------- VideoRoom

    def check_forward(self, suite: Optional[str]) -> None:
        video, audio = free_ports(2)
        keys, options, query = self.keys(suite)
        url = f"rtp://:{video}?audio={audio}&direction=recvonly&rtcp-mux=1{query}"
        receiver = self.msdk("receive", url, *options, "--renderer", "file:came.y4m", "--sound-renderer", "wav:came.wav", "--timeout", "60")
        self.await_port(video, audio, by=receiver)
        protection = {"srtp_suite": 80, "srtp_crypto": Keys.text(keys.theirs)} if keys else {}
        streams = [{"mid": "0", "port": video, "pt": 96, "host": self.janus.near, **protection},
                   {"mid": "1", "port": audio, "pt": 111, "host": self.janus.near, **protection}]
        asyncio.run(self.publish(streams, protection))
        time.sleep(2)
        self.assertEqual(receiver.end(30), 0, receiver.said)
        figures = receiver.figures["incoming-video"]
        self.assertEqual(figures["framesCorrupt"], 0, figures)
        self.assertGreater(figures["framesDelivered"], 60, figures)
        least, _ = material.likeness(material.read_luma(self.directory / "came.y4m")[10:], material.read_luma(self.film))
        self.assertGreater(least, 22)
        frequency, length = material.tone(self.directory / "came.wav")
        self.assertAlmostEqual(frequency, material.TONE, delta=5)
        self.assertGreater(length, 2.5)

    async def publish(self, streams: list[dict], protection: dict) -> None:
        handle, publisher = self.janus.attach("videoroom"), Publisher(self.film)
        try:
            await asyncio.to_thread(handle.request, request="create", room=1, publishers=2, bitrate=1_000_000, audiocodec="opus", videocodec="vp8")
            joined, _ = await asyncio.to_thread(handle.command, request="join", ptype="publisher", room=1)
            _, answer = await asyncio.to_thread(handle.command, await publisher.offer(), request="publish")
            assert answer is not None
            await publisher.take(answer)
            await publisher.await_connected()
            await asyncio.to_thread(handle.request, request="rtp_forward", room=1, publisher_id=joined["id"], host=self.janus.near, streams=streams, **protection)
            await asyncio.sleep(6)
        finally:
            await publisher.close()

    def test_rtp_forward(self) -> None:
        self.check_forward(None)

    def test_rtp_forward_protected(self) -> None:
        self.check_forward(COUNTER)


if __name__ == "__main__":
    unittest.main()
