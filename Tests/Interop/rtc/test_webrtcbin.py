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
        if MISSING or not is_there():
            self.skipTest(MISSING or "GStreamer's webrtcbin with its bindings for Python is not here; make interop installs it")
        self.channels: list[mediasdk.DataChannelOpened] = []
        self.closed: list[mediasdk.DataChannel] = []

    def make_theirs(self, picture: Callable[[int], np.ndarray]) -> Any:
        return end.WebRTCBin(picture)

    async def carry_candidates(self, event: mediasdk.Event) -> None:
        self.note_channels(event)
        await super().carry_candidates(event)

    def note_channels(self, event: mediasdk.Event) -> None:
        if isinstance(event, mediasdk.DataChannelOpened):
            self.channels.append(event)
        elif isinstance(event, mediasdk.DataChannelClosed):
            self.closed.append(event.channel)

    async def take_candidate(self, text: str, line: int) -> None:
        self.ours.session.add_remote_candidate(text, None)

    async def test_ours_offers_complete(self) -> None:
        self.meet("trickle=0")
        self.ours.handle(self.offer_complete)
        await self.await_media()

    async def test_webrtcbin_offers_complete(self) -> None:
        self.meet("trickle=0")
        await self.take_offer()
        self.ours.handle(self.answer_complete)
        await self.await_media()


if __name__ == "__main__":
    unittest.main()
