"""Two people with the page and a program in C in one room: everybody sees and hears everybody. What the pages look like is in .build/interop."""
from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Callable

import mediasdk
from peers import need
from rtc.pages import page

ROOT = Path(__file__).resolve().parents[3]
SHOTS = ROOT / ".build/interop"
PATIENCE = 60.0  # seconds for what takes a few: a browser that begins
PICTURES = 40
BOT_TONE = 440.0


class WebRoom(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        need("chromium", "cc")
        self.engine = mediasdk.Engine()
        self.addCleanup(self.engine.close)
        self.server = mediasdk.serve_room(self.engine, "loopback:standup", "127.0.0.1")
        directory = tempfile.TemporaryDirectory(prefix="msdk-bot-")
        self.addCleanup(directory.cleanup)
        program, library = Path(directory.name) / "bot", os.environ["MSDK_LIB_DIR"]
        subprocess.run(["cc", "-std=c11", "-D_POSIX_C_SOURCE=200809L", str(ROOT / "Tests/Interop/rtc/pages/bot.c"), f"-I{ROOT / 'Include'}", "-o",
                        str(program), f"-L{library}", "-lmediasdk", "-lm", f"-Wl,-rpath,{library}"], check=True, timeout=60)
        self.bot = subprocess.Popen([program, self.server.url()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end_bot)

    def end_bot(self) -> str:
        if self.bot.poll() is None:
            said, _ = self.bot.communicate("\n", PATIENCE)
            return said
        return ""

    async def open(self, name: str) -> page.RoomPage:
        one = await asyncio.to_thread(page.RoomPage, f"{self.server.page_url}#name={name}&user={name.lower()}")
        self.addCleanup(one.close)
        return one

    async def join(self, one: page.RoomPage, buttons: list[str]) -> None:
        await asyncio.to_thread(one.click, "join")
        await self.until("a page is in the room", lambda: one.people)
        for button in buttons:
            await asyncio.to_thread(one.click, button)

    async def until(self, what: str, is_so: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + PATIENCE
        while not (found := await asyncio.to_thread(is_so)):
            self.assertIsNone(self.bot.poll(), "the bot has ended")
            self.assertLess(time.monotonic(), deadline, f"{what}: not after {PATIENCE:g} s")
            await asyncio.sleep(0.1)
        return found

    async def test_everybody_sees_and_hears_everybody(self) -> None:
        ann, bob = await asyncio.gather(self.open("Ann"), self.open("Bob"))
        ann.screenshot(SHOTS / "entry.png", 1280, 720)
        for one in (ann, bob):
            await self.join(one, ["camera", "microphone"])
        for one, name, other in [(ann, "Ann", "bob"), (bob, "Bob", "ann")]:
            await self.until(f"{name} knows both", lambda: {other, "bot"} <= one.people.keys())
            await self.until(f"{name} sees and hears both", lambda: all(
                one.people[user]["frames"] >= PICTURES and one.people[user]["energy"] > 0 for user in (other, "bot")))
            # The camera of the browser is a green one. The bot is grey, and varies.
            seen = await asyncio.to_thread(one.look, other)
            self.assertGreater(seen["green"], 40, seen)
            await self.until(f"{name} sees the own camera", lambda: one.look(name.lower())["green"] > 40)
            seen = await asyncio.to_thread(one.look, "bot")
            self.assertLess(abs(seen["green"]), 10, seen)
            self.assertGreater(seen["deviation"], 40, seen)
            await self.until(f"{name} hears the bot's tone", lambda: abs(one.look("bot")["tone"] - BOT_TONE) < 6)
            self.assertEqual(one.note, "")
        await asyncio.to_thread(ann.screenshot, SHOTS / "three.png", 1280, 720)
        await asyncio.to_thread(ann.screenshot, SHOTS / "three-phone.png", 390, 844)
        await asyncio.to_thread(ann.screenshot, SHOTS / "three-small.png", 640, 360)
        # Bob has no camera any more, and shares a screen.
        await asyncio.to_thread(bob.click, "camera")
        await asyncio.to_thread(bob.click, "screen")
        await self.until("Ann sees Bob's screen", lambda: len(ann.people["bob"]["words"]) == 2)
        await asyncio.sleep(1)
        await asyncio.to_thread(ann.screenshot, SHOTS / "screen.png", 1280, 720)
        await asyncio.to_thread(bob.screenshot, SHOTS / "screen-own.png", 1280, 720)
        await asyncio.to_thread(bob.click, "screen")
        await asyncio.to_thread(ann.click, "mute")
        await self.until("Bob knows that Ann is muted", lambda: "muted" in bob.people["ann"]["words"][0])
        await asyncio.to_thread(bob.screenshot, SHOTS / "no-camera.png", 1280, 720)
        said = await asyncio.to_thread(self.end_bot)
        self.assertEqual(self.bot.returncode, 0, said)
        lines = [line.split() for line in said.splitlines()]
        for user in ("ann", "bob"):
            pictures = [line for line in lines if line[:2] == [user, "video"]]
            self.assertGreater(max(int(line[2]) for line in pictures), PICTURES, said)
            self.assertGreater(max(float(line[4]) for line in pictures), 5, said)
            sound = [line for line in lines if line[:2] == [user, "audio"]]
            self.assertLess(min(int(line[3]) for line in sound), 40, said)
        self.assertEqual(ann.errors + bob.errors, [])


if __name__ == "__main__":
    unittest.main()
