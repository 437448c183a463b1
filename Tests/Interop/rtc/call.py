"""A call over webrtc: between a session of this library and another engine, all of it on the loopback interface."""
from __future__ import annotations

import asyncio
import time
import unittest
from typing import Any, Callable, Optional, Sequence
from unittest import mock

import numpy as np

import material
import mediasdk
import numbered
from ours import OurEnd

try:
    from rtc.end import ENGINE, Caller
except ImportError as error:
    MISSING: Optional[str] = f"an engine of WebRTC is not here ({error}); make interop installs it"
else:
    MISSING = None

PATIENCE = 30.0  # seconds for what takes one or two
PICTURES, SECONDS = 50, 2  # of pictures and of sound, that each end waits for
OURS, THEIRS = 1, 2  # whose the pictures are
TONE = 660.0  # of ours


class WebRTCCall(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        if MISSING:
            self.skipTest(MISSING)
        if ENGINE != "aiortc":
            return
        # It leaves loopback addresses out, and which others there are depends on the machine.
        addresses = mock.patch("aioice.ice.get_host_addresses", return_value=["127.0.0.1"])
        addresses.start()
        self.addCleanup(addresses.stop)

    def make_theirs(self, picture: Callable[[int], np.ndarray]) -> Any:
        return Caller(picture)

    def meet(self, options: str, servers: Sequence[tuple[str, str, str]] = ()) -> None:
        """Makes both ends, not connected yet. Servers are of ours: uri, user, password."""
        self.ours = OurEnd(f"webrtc:?loopback=1&{options}", OURS, TONE, servers)
        self.addAsyncCleanup(self.ours.close)
        self.theirs = self.make_theirs(lambda number: numbered.luma(THEIRS, number, False, material.WIDTH, material.HEIGHT))
        self.addAsyncCleanup(self.theirs.close)
        self.is_trickling = "trickle=1" in options
        self.candidates: list[str] = []
        self.described: list[str] = []
        self.when_described: Callable[[], None] = lambda: None

    async def until(self, what: str, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            self.ours.check()
            self.theirs.check()
            self.assertLess(time.monotonic(), deadline, f"{what}: not after {PATIENCE:g} s\n{self.told}")
            await asyncio.sleep(0.02)

    @property
    def told(self) -> str:
        return "\n".join([f"ours is {self.ours.session.state.name}, with {len(self.ours.pictures)} pictures and {len(self.ours.samples)} buffers",
                          f"{self.theirs.name} is {self.theirs.state}, with {len(self.theirs.pictures)} and {len(self.theirs.samples)}",
                          *self.described, *self.candidates])

    # --------------------------------------------------------------------------------------------------------------- carrying

    def own_description(self) -> str:
        text = self.ours.session.local_description()
        self.described.append(text)
        self.when_described()
        return text

    async def take_answer(self, offer: str) -> None:
        """The other end's, to an offer of ours."""
        answer = await self.theirs.answer({"type": "offer", "sdp": offer})
        self.described.append(answer["sdp"])
        self.set_theirs(mediasdk.SdpType.ANSWER, answer["sdp"])

    async def take_offer(self) -> None:
        """The other end's. The answer to it is made, not sent."""
        offer = await self.theirs.offer()
        self.described.append(offer["sdp"])
        self.set_theirs(mediasdk.SdpType.OFFER, offer["sdp"])
        self.assertEqual(self.ours.session.describe(), mediasdk.SdpType.ANSWER)

    def set_theirs(self, kind: mediasdk.SdpType, sdp: str) -> None:
        rest, candidates = apart(sdp) if self.is_trickling else (sdp, [])
        self.assertEqual(self.ours.session.set_remote_description(kind, rest), mediasdk.DescriptionOutcome.APPLIED)
        if self.is_trickling:
            for candidate in [*candidates, ""]:
                self.ours.session.add_remote_candidate(candidate, "0")

    async def offer_with_trickle(self, event: mediasdk.Event) -> None:
        if isinstance(event, mediasdk.NegotiationNeeded):
            self.assertEqual(self.ours.session.describe(), mediasdk.SdpType.OFFER)
            rest, candidates = apart(self.own_description())
            await self.take_answer(rest)
            for candidate in candidates:
                await self.theirs.add_candidate(candidate, "0")
        await self.carry_candidates(event)

    async def answer_with_trickle(self) -> None:
        rest, candidates = apart(self.own_description())
        await self.theirs.take({"type": "answer", "sdp": rest})
        for candidate in candidates:
            await self.theirs.add_candidate(candidate, "0")
        self.ours.handle(self.carry_candidates)

    async def carry_candidates(self, event: mediasdk.Event) -> None:
        if isinstance(event, mediasdk.LocalCandidate):
            self.candidates.append(event.candidate)
            await self.theirs.add_candidate(event.candidate, event.mid)
        elif isinstance(event, mediasdk.CandidatesComplete):
            self.candidates.append("")
            await self.theirs.add_candidate("", "")

    async def offer_complete(self, event: mediasdk.Event) -> None:
        self.assertNotIsInstance(event, mediasdk.LocalCandidate)
        if isinstance(event, mediasdk.NegotiationNeeded):
            self.assertEqual(self.ours.session.describe(), mediasdk.SdpType.OFFER)
        elif isinstance(event, mediasdk.CandidatesComplete):
            await self.take_answer(self.own_description())

    async def answer_complete(self, event: mediasdk.Event) -> None:
        self.assertNotIsInstance(event, mediasdk.LocalCandidate)
        if isinstance(event, mediasdk.CandidatesComplete):
            await self.theirs.take({"type": "answer", "sdp": self.own_description()})

    # --------------------------------------------------------------------------------------------------------------- checking

    async def await_media(self) -> None:
        """Both ways, and looks at all of it."""
        for end, name in [(self.ours, "pictures of the other end"), (self.theirs, "pictures of ours")]:
            await self.until(name, lambda end=end: len(end.pictures) >= PICTURES)
        await self.until("sound of the other end", lambda: sum(map(len, self.ours.samples)) >= SECONDS * 48_000)
        await self.until("sound of ours", lambda: sum(map(len, self.theirs.samples)) >= SECONDS * 48_000)
        self.assertEqual(self.ours.session.state, mediasdk.SessionState.CONNECTED)
        self.assertEqual(self.theirs.state, "connected")
        self.assertEqual(self.ours.participants, ["peer", "peer"])
        self.check_pictures(self.ours.pictures, THEIRS)
        self.check_pictures(self.theirs.pictures, OURS)
        self.check_sound(np.concatenate(self.ours.samples), material.TONE)
        self.check_sound(np.concatenate(self.theirs.samples) / self.theirs.LOUDEST, TONE)

    def check_pictures(self, pictures: list[np.ndarray], stream: int) -> None:
        """Each is one that was sent, later than the one before."""
        last = -1
        for picture in pictures:
            self.assertEqual(picture.shape, (material.HEIGHT, material.WIDTH))
            word = numbered.read(picture)
            assert word is not None, f"a picture of {stream} after {last} cannot be read"
            self.assertEqual(word[0], stream)
            self.assertGreater(word[1], last)
            last = word[1]
        sent = numbered.luma(stream, last, False, material.WIDTH, material.HEIGHT)
        self.assertGreater(material.psnr(pictures[-1], sent), 25)

    def check_sound(self, samples: np.ndarray, tone: float) -> None:
        frequency, length = material.tone_of(samples, 48_000)
        self.assertAlmostEqual(frequency, tone, delta=5)
        self.assertGreater(length, SECONDS / 2)


def apart(sdp: str) -> tuple[str, list[str]]:
    """A description without its candidates, and these, each once. All sections are in one bundle, so that the first one's are those of all."""
    lines = sdp.splitlines(keepends=True)
    candidates = dict.fromkeys(line[2:].strip() for line in lines if line.startswith("a=candidate:"))
    return "".join(line for line in lines if not line.startswith(("a=candidate:", "a=end-of-candidates"))), list(candidates)
