"""Sessions over webrtc: with a page in Chromium, on the loopback interface: who offers, and that it leaves."""
from __future__ import annotations

import asyncio
import shutil
import time
import unittest
from typing import Callable

import numpy as np

from rtc import browser
import material
import mediasdk
import numbered
from ours import OurEnd

PATIENCE = 60.0  # seconds for what takes a few: a browser that begins
OURS = 1  # whose the pictures are
TONE = 660.0  # of ours
PICTURES, SECONDS = 50, 2


class BrowserTest(unittest.IsolatedAsyncioTestCase):
    async def meet(self, offers: bool) -> None:
        """`offers`: the page."""
        if shutil.which("chromium") is None:
            self.skipTest("there is no chromium; make interop installs it")
        self.ours = OurEnd("webrtc:?loopback=1", OURS, TONE)
        self.addAsyncCleanup(self.ours.close)
        self.page = browser.Browser(self.take, offers)
        self.addCleanup(self.page.close)
        self.is_offering = not offers
        self.channels: list[mediasdk.DataChannelOpened] = []
        self.closed: list[mediasdk.DataChannel] = []
        self.ours.handle(self.carry)

    def describe(self) -> None:
        kind = self.ours.session.describe()
        self.page.say(type=kind.name.lower(), sdp=self.ours.session.local_description())

    async def carry(self, event: mediasdk.Event) -> None:
        if isinstance(event, mediasdk.NegotiationNeeded) and self.is_offering:
            self.describe()
        elif isinstance(event, mediasdk.LocalCandidate):
            self.page.say(candidate=event.candidate, mid=event.mid)
        elif isinstance(event, mediasdk.CandidatesComplete):
            self.page.say(candidate="")
        elif isinstance(event, mediasdk.DataChannelOpened):
            self.channels.append(event)
        elif isinstance(event, mediasdk.DataChannelClosed):
            self.closed.append(event.channel)

    async def take(self, message: browser.Message) -> None:
        session = self.ours.session
        if "candidate" in message:
            session.add_remote_candidate(message["candidate"], message["mid"] or None)
            return
        kind = mediasdk.SdpType[message["type"].upper()]
        self.assertEqual(session.set_remote_description(kind, message["sdp"]), mediasdk.DescriptionOutcome.APPLIED)
        if kind == mediasdk.SdpType.OFFER:
            self.describe()

    async def until(self, what: str, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            self.ours.check()
            self.assertIsNone(self.page.error)
            self.assertLess(time.monotonic(), deadline, f"{what}: not after {PATIENCE:g} s; ours is {self.ours.session.state.name}, with "
                            f"{len(self.ours.pictures)} pictures and {len(self.ours.samples)} buffers; {self.page.told}")
            await asyncio.sleep(0.02)

    async def await_media(self) -> None:
        await self.until("pictures of the page", lambda: len(self.ours.pictures) >= PICTURES)
        await self.until("sound of the page", lambda: sum(map(len, self.ours.samples)) >= SECONDS * 48_000)
        await self.until("pictures of ours", lambda: self.page.report.get("decoded", 0) >= PICTURES and self.page.picture is not None)
        await self.until("our tone", lambda: abs(self.page.report.get("tone", 0) - TONE) < 5)
        self.assertEqual(self.page.report["state"], "connected")
        last = self.ours.pictures[-1]
        self.assertEqual(last.shape, (240, 320))
        self.assertGreater(np.median(last[:, :150]), 200)
        self.assertLess(np.median(last[:, 170:]), 40)
        frequency, _ = material.tone_of(np.concatenate(self.ours.samples), 48_000)
        self.assertAlmostEqual(frequency, browser.TONE, delta=5)
        picture = self.page.picture
        assert picture is not None
        word = numbered.read(picture)
        assert word is not None, "the picture in the page cannot be read"
        self.assertEqual(word[0], OURS)
        sent = numbered.luma(OURS, word[1], False, material.WIDTH, material.HEIGHT)
        self.assertEqual(picture.shape, sent.shape)

    async def await_echo(self, channel: mediasdk.DataChannel) -> None:
        """The page sends back what comes."""
        messages = ["text", b"bytes", "", b"", bytes(range(256)) * 1024]
        for message in messages:
            channel.send(message)
        read: list[str | bytes] = []
        await self.until("the messages are back", lambda: read.extend(channel.messages()) or len(read) == len(messages))
        self.assertEqual(sorted(read, key=repr), sorted(messages, key=repr))

    async def test_the_page_offers(self) -> None:
        await self.meet(offers=True)
        await self.await_media()
        await self.until("the channel of the page", lambda: len(self.channels) == 1)
        opened = self.channels[0]
        self.assertEqual((opened.label, opened.direction), ("of the page", mediasdk.Direction.INCOMING))
        await self.until("its text", lambda: opened.channel.read() == "hello")
        await self.await_echo(opened.channel)

    async def test_ours_offers(self) -> None:
        await self.meet(offers=False)
        await self.await_media()
        # In the middle of the call: data channels are agreed on by another offer.
        channel = self.ours.session.open_data_channel("ours", "echo")
        await self.until("the page has it", lambda: len(self.channels) == 1)
        await self.await_echo(channel)
        channel.close()
        await self.until("both have closed it", lambda: self.closed == [channel])
        self.ours.session.disconnect()
        await self.until("the page has noticed", lambda: self.page.report.get("state") != "connected")


if __name__ == "__main__":
    unittest.main()
