"""A worker of LiveKit's framework for agents in a room that a C program serves: Examples/Agents."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import mediasdk
from link import has_network

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / ".build/agents-venv/bin/python"
KEY, SECRET = "devkey", "a secret of thirty-two bytes, or more"
PATIENCE = 60.0  # seconds: a worker starts processes of its own
LOUD, LONG = 0.02, 0.5  # of full scale, and seconds


class Agents(unittest.TestCase):
    def setUp(self) -> None:
        if not PYTHON.exists() or shutil.which("espeak-ng") is None:
            self.skipTest("livekit-agents or espeak-ng is not here; make interop installs them")
        has_network(self)
        directory = tempfile.TemporaryDirectory(prefix="msdk-agents-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.lines: list[str] = []

    def begin(self, *words: object, output: int = subprocess.DEVNULL, **environment: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen([str(word) for word in words], cwd=self.directory, env={**os.environ, **environment}, stdout=output,
                                   stderr=subprocess.DEVNULL, text=True)

        def end() -> None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout:
                process.stdout.close()

        self.addCleanup(end)
        return process

    def serve(self) -> str:
        """The url of the room of the C program."""
        program, library = self.directory / "room", os.environ["MSDK_LIB_DIR"]
        subprocess.run(["cc", "-std=c11", ROOT / "Examples/Agents/room.c", f"-I{ROOT / 'Include'}", "-o", program, f"-L{library}",
                        f"-Wl,-rpath,{library}", "-lmediasdk"], check=True)
        process = self.begin(program, 600, output=subprocess.PIPE, MSDK_API_KEY=KEY, MSDK_API_SECRET=SECRET)

        def read() -> None:
            assert process.stdout is not None
            for line in process.stdout:
                self.lines.append(line.strip())

        threading.Thread(target=read, daemon=True).start()
        return self.await_line("ws://")

    def await_line(self, pattern: str) -> str:
        deadline = time.monotonic() + PATIENCE
        while True:
            found = next((line for line in list(self.lines) if re.match(pattern, line)), None)
            if found:
                return found
            self.assertLess(time.monotonic(), deadline, f"no {pattern!r} in {self.lines}")
            time.sleep(0.05)

    def hear(self, url: str) -> float:
        """Seconds of voice that rosa heard of the agent until it was silent again."""
        token = mediasdk.create_access_token(api_key=KEY, api_secret=SECRET, room="lobby", user_id="rosa", display_name="Rosa")
        with mediasdk.Engine() as engine, engine.create_session(f"livekit+{url}", "rosa", access_token=token) as session:
            session.connect()
            mix = session.mixed_audio
            mix.start(sample_rate=48_000, channels=1, sample_format="F32")
            loud, deadline, last = 0.0, time.monotonic() + PATIENCE, 0.0
            while time.monotonic() < deadline and (loud < LONG or time.monotonic() < last + 1):
                try:
                    samples = mix.read(timeout=0.1).to_numpy().copy()
                except TimeoutError:
                    continue
                if np.sqrt(np.mean(samples**2)) > LOUD:
                    loud, last = loud + len(samples) / 48_000, time.monotonic()
        return loud

    def test_an_agent_greets_whoever_comes(self) -> None:
        url = self.serve()
        self.begin(PYTHON, ROOT / "Examples/Agents/agent.py", "connect", "--room", "lobby", "--url", url, "--api-key", KEY, "--api-secret", SECRET)
        self.await_line("agent-.* is here")
        self.assertFalse([line for line in self.lines if "speaks" in line], "of what nobody receives nothing is said")
        self.assertGreater(self.hear(url), LONG)
        self.await_line("rosa is here")
        self.await_line("agent-.* speaks")
        self.await_line("agent-.* is silent")
        self.await_line("rosa left")


if __name__ == "__main__":
    unittest.main()
