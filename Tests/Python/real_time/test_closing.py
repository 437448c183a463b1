"""How long closing waits for a server that is gone."""
from __future__ import annotations

import asyncio
import subprocess
import sys
import time
import unittest

from call import PATIENCE
from mediasdk import Engine, SessionState

SERVER = """
import sys
from mediasdk import Engine, serve_room

with Engine(ignore_environment=True) as engine:
    print(serve_room(engine, "loopback:closing", "127.0.0.1").url(), flush=True)
    sys.stdin.read()
"""
LIMIT = 5.0  # seconds that one session waits, Include/mediasdk/session.h


class ClosingTest(unittest.TestCase):
    def orphans(self, count: int) -> Engine:
        """An engine with sessions whose server has died, and which have something to send to it."""
        server = subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            engine = Engine(ignore_environment=True)
            self.addCleanup(engine.close)
            sessions = [engine.create_session(url, f"bot{number}") for number in range(count)]
            for session in sessions:
                session.connect(PATIENCE)
        finally:
            server.kill()
            server.communicate()
        deadline = time.monotonic() + PATIENCE
        while any(session.state != SessionState.RECONNECTING for session in sessions) and time.monotonic() < deadline:
            time.sleep(0.01)
        for session in sessions:
            session.send_data(b"late")
        return engine

    def test_many_sessions_wait_no_longer_than_one(self) -> None:
        engine = self.orphans(3)
        begun = time.monotonic()
        engine.close()
        self.assertLess(time.monotonic() - begun, 2 * LIMIT)

    def test_asyncio(self) -> None:
        async def go(engine: Engine) -> None:
            closing = asyncio.ensure_future(engine.close_async())
            begun, longest = time.monotonic(), 0.0
            while not closing.done():
                await asyncio.sleep(0.01)
                begun, longest = time.monotonic(), max(longest, time.monotonic() - begun)
            self.assertLess(longest, LIMIT / 2)
            await closing

        asyncio.run(asyncio.wait_for(go(self.orphans(1)), PATIENCE))


if __name__ == "__main__":
    unittest.main()
