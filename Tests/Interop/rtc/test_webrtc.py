"""Sessions over webrtc: with another engine: who offers, with and without trickle, who leaves."""
from __future__ import annotations

import asyncio
import socket
import unittest

import mediasdk
from rtc.call import MISSING, WebRTCCall

if not MISSING:
    from aioice import stun


class LateSTUN:
    """A server of STUN that keeps silent until it is told to begin. Says to whoever asks from the loopback address that they are seen at
    another one; others get no answer. To be made in a loop."""
    MAPPED = "127.0.0.77"

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self._has_begun = False
        self.port: int = self._socket.getsockname()[1]
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket, self._read)

    def begin(self) -> None:
        self._has_begun = True

    def _read(self) -> None:
        data, address = self._socket.recvfrom(2048)
        if not self._has_begun or address[0] != "127.0.0.1":
            return
        request = stun.parse_message(data)
        response = stun.Message(request.message_method, stun.Class.RESPONSE, request.transaction_id)
        response.attributes["XOR-MAPPED-ADDRESS"] = (self.MAPPED, address[1])
        self._socket.sendto(bytes(response), address)

    def close(self) -> None:
        self._loop.remove_reader(self._socket)
        self._socket.close()


class WebRTC(WebRTCCall):
    async def test_ours_offers_complete(self) -> None:
        self.meet("trickle=0")
        self.ours.handle(self.offer_complete)
        await self.await_media()
        self.assertIn("a=end-of-candidates", self.described[0])

    async def test_ours_offers_with_trickle(self) -> None:
        self.meet("trickle=1")
        self.ours.handle(self.offer_with_trickle)
        await self.await_media()

    async def test_the_other_end_offers_complete(self) -> None:
        self.meet("trickle=0")
        await self.take_offer()
        self.ours.handle(self.answer_complete)
        await self.await_media()
        self.assertIn("a=end-of-candidates", self.described[1])

    async def test_the_other_end_offers_with_trickle(self) -> None:
        self.meet("trickle=1")
        await self.take_offer()
        await self.answer_with_trickle()
        await self.await_media()

    async def test_late_candidate(self) -> None:
        """A server of STUN that answers only when the description was read: what it says comes as an event."""
        server = LateSTUN()
        self.addCleanup(server.close)
        self.meet(f"trickle=1&stun=127.0.0.1:{server.port}")
        self.when_described = server.begin
        self.ours.handle(self.offer_with_trickle)
        await self.until("all candidates came", lambda: "" in self.candidates)
        self.assertNotIn("typ srflx", self.described[0])
        late = [candidate for candidate in self.candidates if "typ srflx" in candidate]
        self.assertEqual(len(late), 1, self.candidates)
        self.assertRegex(late[0], rf"^candidate:\S+ 1 udp \d+ {LateSTUN.MAPPED} \d+ typ srflx raddr \S+ rport \d+")
        self.assertEqual(self.candidates[-1], "")
        await self.await_media()

    async def test_both_offer(self) -> None:
        """Ours is polite, and gives its own up, which was never sent."""
        self.meet("trickle=1&polite=1")
        self.assertEqual(self.ours.session.describe(), mediasdk.SdpType.OFFER)
        await self.take_offer()
        await self.answer_with_trickle()
        await self.await_media()

    async def test_the_other_end_leaves(self) -> None:
        self.meet("trickle=1")
        self.ours.handle(self.offer_with_trickle)
        await self.await_media()
        await self.theirs.connection.close()
        await self.until("ours is disconnected", lambda: self.ours.error is not None)
        self.assertIsInstance(self.ours.error, mediasdk.ClosedError)
        self.assertEqual(self.ours.session.state, mediasdk.SessionState.DISCONNECTED)

    async def test_ours_leaves(self) -> None:
        self.meet("trickle=1")
        self.ours.handle(self.offer_with_trickle)
        await self.await_media()
        self.ours.session.disconnect()
        await self.until("the other end is closed", lambda: self.theirs.connection.connectionState == "closed")


if __name__ == "__main__":
    unittest.main()
