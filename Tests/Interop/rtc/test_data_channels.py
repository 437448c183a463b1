"""Data channels of sessions over webrtc: with aiortc, on the loopback interface: who offers, who opens, and long messages."""
from __future__ import annotations

import asyncio
import time
import unittest
from typing import Callable, Optional
from unittest import mock

import mediasdk

try:
    from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
except ImportError as error:
    MISSING: Optional[str] = f"aiortc is not here ({error}); make interop installs it"
else:
    MISSING = None

PATIENCE = 30.0  # seconds for what takes one or two


class DataChannels(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        if MISSING:
            self.skipTest(MISSING)
        # aiortc leaves loopback addresses out, and which others there are depends on the machine.
        addresses = mock.patch("aioice.ice.get_host_addresses", return_value=["127.0.0.1"])
        addresses.start()
        self.addCleanup(addresses.stop)
        engine = mediasdk.Engine()
        self.addCleanup(engine.close)
        self.ours = engine.create_session("webrtc:?loopback=1&trickle=0&receive=none", "ours")
        self.ours.connect(wait=False)
        self.theirs = RTCPeerConnection(RTCConfiguration([]))
        self.addAsyncCleanup(self.theirs.close)
        self.their_channels: list = []
        self.theirs.on("datachannel", self.take)
        self.received: list[str | bytes] = []  # by aiortc
        self.events: list[mediasdk.Event] = []

    def take(self, channel) -> None:
        self.their_channels.append(channel)
        channel.on("message", self.received.append)

    async def until(self, what: str, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            self.assertLess(time.monotonic(), deadline, f"{what}: not after {PATIENCE:g} s; {self.events}")
            try:
                self.events.append(self.ours.next_event(timeout=0))
            except mediasdk.MediaTimeout:
                await asyncio.sleep(0.01)

    def came(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    async def described(self) -> dict[str, str]:
        kind = self.ours.describe()
        await self.until("all candidates", lambda: bool(self.came(mediasdk.CandidatesComplete)))
        return {"type": kind.name.lower(), "sdp": self.ours.local_description()}

    async def ours_offers(self) -> None:
        offer = await self.described()
        await self.theirs.setRemoteDescription(RTCSessionDescription(**{"sdp": offer["sdp"], "type": offer["type"]}))
        await self.theirs.setLocalDescription(await self.theirs.createAnswer())
        self.ours.set_remote_description("answer", self.theirs.localDescription.sdp)

    async def theirs_offers(self) -> None:
        await self.theirs.setLocalDescription(await self.theirs.createOffer())
        self.ours.set_remote_description("offer", self.theirs.localDescription.sdp)
        answer = await self.described()
        await self.theirs.setRemoteDescription(RTCSessionDescription(sdp=answer["sdp"], type=answer["type"]))

    async def test_ours_opens(self) -> None:
        channel = self.ours.open_data_channel("chat", "json", ordered=False, max_retransmits=3)
        channel.send("hello")
        await self.ours_offers()
        await self.until("a message", lambda: len(self.received) == 1)
        theirs = self.their_channels[0]
        self.assertEqual((theirs.label, theirs.protocol, theirs.ordered, theirs.maxRetransmits), ("chat", "json", False, 3))
        self.assertEqual(self.received, ["hello"])
        for message in ("text", b"bytes", "", b""):
            theirs.send(message)
        read: list[str | bytes] = []
        await self.until("four messages", lambda: read.extend(channel.messages()) or len(read) == 4)
        self.assertEqual({(type(message), message) for message in read}, {(str, "text"), (bytes, b"bytes"), (str, ""), (bytes, b"")})
        channel.close()
        await self.until("both are closed", lambda: theirs.readyState == "closed" and bool(self.came(mediasdk.DataChannelClosed)))

    async def test_aiortc_opens(self) -> None:
        self.take(self.theirs.createDataChannel("theirs", maxPacketLifeTime=5000))
        await self.theirs_offers()
        await self.until("the channel", lambda: bool(self.came(mediasdk.DataChannelOpened)))
        opened = self.came(mediasdk.DataChannelOpened)[0]
        self.assertEqual((opened.label, opened.direction), ("theirs", mediasdk.Direction.INCOMING))
        # As long as aiortc takes them.
        large = bytes(range(256)) * 256
        for number in range(50):
            while True:
                try:
                    opened.channel.send(large[number:])
                    break
                except mediasdk.AgainError:
                    await asyncio.sleep(0.01)
        await self.until("large messages", lambda: len(self.received) == 50)
        self.assertEqual(self.received, [large[number:] for number in range(50)])
        with self.assertRaises(mediasdk.RangeError):
            opened.channel.send(large + b"0")
        self.their_channels[0].close()
        await self.until("it is closed", lambda: bool(self.came(mediasdk.DataChannelClosed)))

    async def test_aiortc_leaves(self) -> None:
        channel = self.ours.open_data_channel("chat")
        await self.ours_offers()
        await self.until("the channel", lambda: bool(self.came(mediasdk.DataChannelOpened)))
        await self.theirs.close()
        await self.until("the end", lambda: self.ours.state == mediasdk.SessionState.DISCONNECTED)
        with self.assertRaises(mediasdk.StateError):
            channel.send("late")


if __name__ == "__main__":
    unittest.main()
