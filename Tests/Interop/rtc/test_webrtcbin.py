"""Sessions over webrtc: with GStreamer's webrtcbin, on the loopback interface: who offers, with and without trickle, a data channel each way."""
from __future__ import annotations

import asyncio
import functools
import unittest
from typing import Any, Callable

import numpy as np

import mediasdk
from rtc.call import MISSING, WebRTCCall
from rtc.webrtcbin import end

is_there = functools.cache(end.is_there)


class WebRTCBin(WebRTCCall):
    async def asyncSetUp(self) -> None:
        if MISSING or not await asyncio.to_thread(is_there):
            self.skipTest(MISSING or "GStreamer's webrtcbin with its bindings for Python is not here; make interop installs it")
        self.channels: list[mediasdk.DataChannelOpened] = []
        self.closed: list[mediasdk.DataChannel] = []

    def make_theirs(self, picture: Callable[[int], np.ndarray]) -> Any:
        return end.WebRTCBin(picture)

    def note_channels(self, event: mediasdk.Event) -> None:
        if isinstance(event, mediasdk.DataChannelOpened):
            self.channels.append(event)
        elif isinstance(event, mediasdk.DataChannelClosed):
            self.closed.append(event.channel)

    async def carry_candidates(self, event: mediasdk.Event) -> None:
        self.note_channels(event)
        await super().carry_candidates(event)

    def set_theirs(self, kind: mediasdk.SdpType, sdp: str) -> None:
        if not self.is_trickling:
            super().set_theirs(kind, sdp)
            return
        self.assertEqual(self.ours.session.set_remote_description(kind, sdp), mediasdk.DescriptionOutcome.APPLIED)
        carrying = asyncio.ensure_future(self.carry_theirs())
        self.addCleanup(carrying.cancel)

    async def carry_theirs(self) -> None:
        while True:
            self.ours.session.add_remote_candidate(await self.theirs.candidates.get(), None)

    async def await_messages(self, channel: mediasdk.DataChannel, label: str) -> None:
        """Both ways, of both kinds."""
        texts = ["text", "gr\u00fc\u00dfe", "x" * 20_000]
        data = [b"bytes", bytes(range(256)) * 100]
        for message in [*texts, *data]:
            channel.send(message)
        for text in texts:
            self.theirs.say(label=label, text=text)
        for one in data:
            self.theirs.say(label=label, hex=one.hex())
        read: list[str | bytes] = []
        await self.until("messages of webrtcbin", lambda: read.extend(channel.messages()) or len(read) == 5)
        self.assertEqual(read, [*texts, *data])
        await self.until("messages of ours", lambda: len(self.theirs.messages) == 5)
        self.assertEqual(self.theirs.messages, [(label, message) for message in [*texts, *data]])

    async def test_ours_offers_complete(self) -> None:
        self.meet("trickle=0")
        self.ours.handle(self.offer_complete)
        await self.await_media()

    async def test_ours_offers_with_trickle(self) -> None:
        self.meet("trickle=1")
        self.theirs.is_trickling = True
        channel = self.ours.session.open_data_channel("ours")
        self.ours.handle(self.offer_with_trickle)
        await self.await_media()
        await self.until("the channel", lambda: self.theirs.channels.get("ours") == "there" and len(self.channels) == 1)
        await self.await_messages(channel, "ours")
        channel.close()
        await self.until("both have closed it", lambda: self.closed == [channel] and self.theirs.channels["ours"] == "closed")

    async def test_webrtcbin_offers_complete(self) -> None:
        self.meet("trickle=0")
        await self.take_offer()
        self.ours.handle(self.answer_complete)
        await self.await_media()

    async def test_webrtcbin_offers_with_trickle(self) -> None:
        self.meet("trickle=1")
        self.theirs.is_trickling = True
        self.theirs.say(open="theirs")
        await self.take_offer()
        await self.answer_with_trickle()
        await self.await_media()
        await self.until("the channel", lambda: len(self.channels) == 1)
        self.assertEqual((self.channels[0].label, self.channels[0].direction), ("theirs", mediasdk.Direction.INCOMING))
        await self.await_messages(self.channels[0].channel, "theirs")
        self.theirs.say(close="theirs")
        await self.until("it is closed", lambda: self.closed == [self.channels[0].channel])


if __name__ == "__main__":
    unittest.main()
