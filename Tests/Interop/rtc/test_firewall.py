"""A person with the page in a network that lets no UDP out, and a program in C with the room: media goes over the room's TCP port, both ways."""
from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Callable

from link import Link
from peers import need
from rtc.pages import page
from rtc.test_web_room import BOT_TONE, PATIENCE, PICTURES, ROOT

PORT = 7881


class Firewall(unittest.TestCase):
    def setUp(self) -> None:
        need("chromium", "cc")
        directory = tempfile.TemporaryDirectory(prefix="msdk-bot-")
        self.addCleanup(directory.cleanup)
        self.bot_program, library = Path(directory.name) / "bot", os.environ["MSDK_LIB_DIR"]
        subprocess.run(["cc", "-std=c11", "-D_POSIX_C_SOURCE=200809L", str(ROOT / "Tests/Interop/rtc/pages/bot.c"), f"-I{ROOT / 'Include'}", "-o",
                        str(self.bot_program), f"-L{library}", "-lmediasdk", "-lm", f"-Wl,-rpath,{library}"], check=True, timeout=60)
        self.said: list[str] = []

    def serve(self, link: Link) -> tuple[str, str]:
        """A room at the far end, whose media has one UDP port. The urls of the page and for sessions."""
        server = link.start([os.environ["MSDK_TOOL"], "serve", "standup", "--address", link.far_address, "--port", str(PORT),
                             "--media-port", str(PORT), "--no-qr"], link.far)

        def read() -> None:
            assert server.stdout is not None
            self.said.extend(iter(server.stdout.readline, ""))

        threading.Thread(target=read, daemon=True).start()
        return self.until("the room is served", lambda: self.url("https://")), self.until("it has a url", lambda: self.url("livekit+wss://"))

    def url(self, scheme: str) -> str:
        return next((word for line in self.said for word in line.split() if word.startswith(scheme)), "")

    def until(self, what: str, is_so: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + PATIENCE
        while not (found := is_so()):
            self.assertLess(time.monotonic(), deadline, f"{what}: not after {PATIENCE:g} s\n{''.join(self.said)}")
            time.sleep(0.1)
        return found

    def check(self, settings: str, protocol: str) -> None:
        link = Link(self, settings)
        page_url, session_url = self.serve(link)
        bot = link.start([str(self.bot_program), session_url], link.far)
        ann = page.RoomPage(f"{page_url}#name=Ann&user=ann", ["ip", "netns", "exec", link.near])
        self.addCleanup(ann.close)
        ann.click("join")
        self.until("Ann is in the room with the bot", lambda: "bot" in ann.people)
        for button in ("camera", "microphone"):
            ann.click(button)
        self.until("Ann sees and hears the bot", lambda: ann.people["bot"]["frames"] >= PICTURES and ann.people["bot"]["energy"] > 0)
        self.until("Ann hears its tone", lambda: abs(ann.look("bot")["tone"] - BOT_TONE) < 6)
        self.assertEqual(ann.protocols, {protocol})
        # The bot, which is asked only at its end, sees them a little later.
        self.until("Ann has sent pictures", lambda: ann.sent >= 3 * PICTURES)
        time.sleep(3)
        said, _ = bot.communicate("\n", PATIENCE)
        self.assertEqual(bot.returncode, 0, said)
        lines = [line.split() for line in said.splitlines()]
        pictures = [line for line in lines if line[:2] == ["ann", "video"]]
        self.assertGreater(max((int(line[2]) for line in pictures), default=0), PICTURES, said)
        self.assertGreater(max(float(line[4]) for line in pictures), 5, said)
        self.assertLess(min((int(line[3]) for line in lines if line[:2] == ["ann", "audio"]), default=127), 40, said)
        self.assertEqual(ann.errors, [])

    def test_no_udp(self) -> None:
        self.check("delay=10 udp=0", "tcp")

    def test_with_udp(self) -> None:
        """The same room, and everything at one UDP port."""
        self.check("delay=10", "udp")


if __name__ == "__main__":
    unittest.main()
