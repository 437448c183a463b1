"""Sessions over webrtc: with Janus's EchoTest, which sends back what comes, and with its Streaming plugin, which offers what it is fed by RTP."""
from __future__ import annotations

import asyncio
import time
import unittest
from typing import Callable

import numpy as np

import material
import mediasdk
import numbered
from janus import Handle, Janus
from ours import OurEnd
from peers import InteropTest, free_ports

PATIENCE = 60.0  # seconds for what takes one or two
PICTURES, SECONDS = 50, 2
OURS = 1  # whose the pictures are
TONE = 660.0  # of ours


class JanusPlugins(InteropTest, unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.janus = Janus(self)
        self.complete = asyncio.Event()

    async def meet(self, *, sends: bool) -> None:
        self.ours = OurEnd("webrtc:?trickle=0", OURS, TONE, sends=sends)
        self.addAsyncCleanup(self.ours.close)
        self.ours.handle(self.note)

    async def note(self, event: mediasdk.Event) -> None:
        if isinstance(event, mediasdk.CandidatesComplete):
            self.complete.set()

    async def describe(self, kind: mediasdk.SdpType) -> dict[str, str]:
        """Ours, with all candidates."""
        self.assertEqual(self.ours.session.describe(), kind)
        await asyncio.wait_for(self.complete.wait(), PATIENCE)
        return {"type": kind.name.lower(), "sdp": self.ours.session.local_description()}

    def take(self, jsep: dict[str, str] | None) -> None:
        assert jsep is not None
        self.assertEqual(self.ours.session.set_remote_description(mediasdk.SdpType[jsep["type"].upper()], jsep["sdp"]), mediasdk.DescriptionOutcome.APPLIED)

    async def until(self, what: str, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            self.ours.check()
            self.assertIsNone(self.ours.error)
            self.assertLess(time.monotonic(), deadline, f"{what}: not after {PATIENCE:g} s; ours is {self.ours.session.state.name}, with "
                            f"{len(self.ours.pictures)} pictures and {len(self.ours.samples)} buffers")
            await asyncio.sleep(0.02)

    async def await_media(self) -> None:
        await self.until("pictures", lambda: len(self.ours.pictures) >= PICTURES)
        await self.until("sound", lambda: sum(map(len, self.ours.samples)) >= SECONDS * 48_000)
        self.assertEqual(self.ours.session.state, mediasdk.SessionState.CONNECTED)

    def check_sound(self, tone: float) -> None:
        frequency, length = material.tone_of(np.concatenate(self.ours.samples), 48_000)
        self.assertAlmostEqual(frequency, tone, delta=5)
        self.assertGreater(length, SECONDS / 2)

    async def test_echo(self) -> None:
        """Ours offers. What comes is what was sent, each picture later than the one before."""
        await self.meet(sends=True)
        handle: Handle = await asyncio.to_thread(self.janus.attach, "echotest")
        _, answer = await asyncio.to_thread(handle.command, await self.describe(mediasdk.SdpType.OFFER), request="echo", audio=True, video=True)
        self.take(answer)
        await self.await_media()
        last = -1
        for picture in self.ours.pictures:
            self.assertEqual(picture.shape, (material.HEIGHT, material.WIDTH))
            word = numbered.read(picture)
            assert word is not None, f"a picture after {last} cannot be read"
            self.assertEqual(word[0], OURS)
            self.assertGreater(word[1], last)
            last = word[1]
        self.check_sound(TONE)

    async def test_stream(self) -> None:
        """Janus offers, ours receives only. The stream is FFmpeg's."""
        video, audio = free_ports(2)
        film = material.make_film(self.directory / "film.y4m")
        handle: Handle = await asyncio.to_thread(self.janus.attach, "streaming")
        await asyncio.to_thread(handle.request, request="create", type="rtp", id=7, name="film", media=[
            {"type": "video", "mid": "v", "codec": "vp8", "pt": 96, "port": video}, {"type": "audio", "mid": "a", "codec": "opus", "pt": 111, "port": audio}])
        feeder = self.start(
            "ffmpeg", "-v", "error", "-stream_loop", "-1", "-re", "-i", film, "-re", "-f", "lavfi", "-i", f"sine=frequency={material.TONE:g}:sample_rate=48000",
            "-map", "0:v", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "1M", "-g", "25", "-payload_type", "96",
            "-f", "rtp", f"rtp://{self.janus.far}:{video}?pkt_size=1200",
            "-map", "1:a", "-af", "volume=8", "-c:a", "libopus", "-ac", "2", "-payload_type", "111", "-f", "rtp", f"rtp://{self.janus.far}:{audio}?pkt_size=1200")
        await self.meet(sends=False)
        _, offer = await asyncio.to_thread(handle.command, request="watch", id=7)
        self.take(offer)
        answer = await self.describe(mediasdk.SdpType.ANSWER)
        self.assertNotIn("a=sendrecv", answer["sdp"])
        await asyncio.to_thread(handle.command, answer, request="start")
        await self.await_media()
        self.assertIsNone(feeder.process.poll(), feeder.said)
        likeness, places = material.likeness(np.array(self.ours.pictures), material.read_luma(film))
        self.assertGreater(likeness, 25, places)
        self.check_sound(material.TONE)


if __name__ == "__main__":
    unittest.main()
