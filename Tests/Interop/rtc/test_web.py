"""A room of ours over HTTP: with the page in Chromium, with a client of WHIP and a player of WHEP by aiortc, on the loopback interface."""
from __future__ import annotations

import asyncio
import shutil
import time
import unittest
from typing import Any, Callable, Optional
from unittest import mock
from urllib.parse import urlsplit

import material
import mediasdk
import numbered
from rtc import nat
from rtc.pages import page
from ours import OurEnd

try:
    from rtc import whip
except ImportError as error:
    MISSING: Optional[str] = f"aiortc is not here ({error}); make interop installs it"
else:
    MISSING = None

PATIENCE = 60.0  # seconds for what takes a few: a browser that begins
OURS, THEIRS = 1, 2  # whose the pictures are
TONE = 660.0  # of ours
PICTURES, BUFFERS = 50, 50
OUTSIDE = "127.0.0.2"


class Web(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.ours = OurEnd("loopback:web", OURS, TONE)
        self.addAsyncCleanup(self.ours.close)
        self.ours.handle(self.nothing)
        self.server = mediasdk.serve_room(self.ours.engine, "loopback:web", "127.0.0.1")
        self.base = self.server.page_url.rsplit("/", 1)[0]

    async def nothing(self, event: mediasdk.Event) -> None:
        pass

    async def until(self, what: str, is_so: Callable[[], Any]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not await asyncio.to_thread(is_so):
            self.ours.check()
            self.assertLess(time.monotonic(), deadline, f"{what}: not after {PATIENCE:g} s; ours has {len(self.ours.pictures)} pictures and "
                            f"{len(self.ours.samples)} buffers of {self.ours.participants}")
            await asyncio.sleep(0.1)


class PageTest(Web):
    async def asyncSetUp(self) -> None:
        if shutil.which("chromium") is None:
            self.skipTest("there is no chromium; make interop installs it")
        await super().asyncSetUp()

    async def open(self, name: str) -> page.RoomPage:
        one = await asyncio.to_thread(page.RoomPage, f"{self.server.page_url}#name={name}&user={name.lower()}")
        self.addCleanup(one.close)
        await asyncio.to_thread(one.click, "join")
        await self.until(f"{name} is in the room", lambda: name.lower() in one.people)
        return one

    async def test_a_person_and_a_program(self) -> None:
        ann = await self.open("Ann")
        await self.until("pictures and sound of ours", lambda: ann.people["ours"]["frames"] >= PICTURES and ann.people["ours"]["energy"] > 0)
        self.assertEqual(ann.people["ours"]["width"], material.WIDTH)
        for button in ("camera", "microphone"):
            await asyncio.to_thread(ann.click, button)
        await self.until("pictures and sound of the page", lambda: len(self.ours.pictures) >= PICTURES and len(self.ours.samples) >= BUFFERS)
        self.assertEqual(set(self.ours.participants), {"ann"})
        await asyncio.to_thread(ann.click, "leave")
        await self.until("the page has left", lambda: self.server.info.member_count == 0)
        self.assertEqual(ann.errors, [])

    async def test_two_people(self) -> None:
        ann, bob = await self.open("Ann"), await self.open("Bob")
        # Bob has no camera, and sees and hears.
        for button in ("camera", "microphone"):
            await asyncio.to_thread(ann.click, button)
        await self.until("Bob sees and hears Ann", lambda: bob.people["ann"]["frames"] >= PICTURES and bob.people["ann"]["energy"] > 0)
        await asyncio.to_thread(ann.click, "mute")
        await self.until("Bob knows that Ann is muted", lambda: "muted" in bob.people["ann"]["words"][0])
        # A camera that is switched on again comes in the same session.
        await asyncio.to_thread(ann.click, "camera")
        await self.until("her camera is off", lambda: not bob.evaluate(
            "[...people.get('ann').streams.values()].some(stream => stream.media === 'video')"))
        before = bob.people["ann"]["frames"]
        await asyncio.to_thread(ann.click, "camera")
        await self.until("Bob sees Ann again", lambda: bob.people["ann"]["frames"] >= before + PICTURES)
        await asyncio.to_thread(ann.click, "screen")
        await self.until("Bob sees her screen", lambda: len(bob.people["ann"]["words"]) == 2)
        await asyncio.to_thread(ann.close)
        await self.until("Ann has left", lambda: "ann" not in bob.people)
        self.assertEqual(bob.errors, [])


class ClientTest(Web):
    async def asyncSetUp(self) -> None:
        if MISSING:
            self.skipTest(MISSING)
        # aiortc leaves loopback addresses out, and which others there are depends on the machine.
        addresses = mock.patch("aioice.ice.get_host_addresses", return_value=["127.0.0.1"])
        addresses.start()
        self.addCleanup(addresses.stop)
        await super().asyncSetUp()

    async def test_a_client_of_whip(self) -> None:
        sender = whip.Sender(lambda number: numbered.luma(THEIRS, number, False, material.WIDTH, material.HEIGHT))
        self.addAsyncCleanup(sender.close)
        session = await sender.open(f"{self.base}/whip/web?user=film&name=A%20film")
        await self.until("pictures and sound of theirs", lambda: len(self.ours.pictures) >= PICTURES and len(self.ours.samples) >= BUFFERS)
        self.assertEqual(set(self.ours.participants), {"film"})
        words = [numbered.read(picture) for picture in self.ours.pictures]
        self.assertTrue(all(word is not None and word[0] == THEIRS for word in words), words)
        self.assertEqual([await session.end(), await session.end()], [200, 404])
        await self.until("the client has left", lambda: self.server.info.member_count == 0)

    async def test_a_server_behind_a_nat(self) -> None:
        """By an address that the server does not have: what comes there is handed on to it, port by port."""
        self.server.close()
        self.server = mediasdk.serve_room(self.ours.engine, "loopback:web", "127.0.0.1", media_port=mediasdk.PORT_ANY, public_addresses=OUTSIDE)
        self.assertEqual(urlsplit(self.server.page_url).hostname, OUTSIDE)
        forwarding = await nat.Forwarding.open(OUTSIDE, "127.0.0.1", self.server.media_port)
        self.addCleanup(forwarding.close)
        sender = whip.Sender(lambda number: numbered.luma(THEIRS, number, False, material.WIDTH, material.HEIGHT))
        self.addAsyncCleanup(sender.close)
        session = await sender.open(f"http://127.0.0.1:{self.server.port}/whip/web?user=film", only=OUTSIDE)
        await self.until("pictures and sound of theirs", lambda: len(self.ours.pictures) >= PICTURES and len(self.ours.samples) >= BUFFERS)
        self.assertGreater(forwarding.inward, PICTURES + BUFFERS)
        self.assertEqual(await session.end(), 200)

    async def test_a_player_of_whep(self) -> None:
        for path in ("/whep/web", "/whep/web/ours"):
            with self.subTest(path):
                player = whip.Player()
                self.addAsyncCleanup(player.close)
                session = await player.open(self.base + path)
                await self.until("pictures and sound of ours", lambda: len(player.pictures) >= PICTURES and len(player.samples) >= BUFFERS)
                words = [numbered.read(picture) for picture in player.pictures]
                self.assertTrue(all(word is not None and word[0] == OURS for word in words), words)
                self.assertEqual(await session.end(), 200)

    async def test_what_is_not_there(self) -> None:
        player = whip.Player()
        self.addAsyncCleanup(player.close)
        with self.assertRaisesRegex(AssertionError, "404 no member of the room has the user id"):
            await player.open(f"{self.base}/whep/web/nobody")
        other = whip.Player()
        self.addAsyncCleanup(other.close)
        with self.assertRaisesRegex(AssertionError, "404 there is no room"):
            await other.open(f"{self.base}/whep/elsewhere")


if __name__ == "__main__":
    unittest.main()
