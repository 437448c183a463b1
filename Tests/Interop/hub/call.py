"""A call over a hub between two network namespaces with a bad link between them: in the one the hub and a member, in the other the other two."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Optional

from peers import PATIENCE, TOOL, InteropTest, environment, need

INTEROP = Path(__file__).resolve().parents[1]
PITCHES = {"alice": 440, "bob": 660, "carol": 880}
CAMERAS = {"alice": 1, "bob": 2, "carol": 3}
SCREENS = {"carol": 4}
SENDERS = {number: user for streams in (CAMERAS, SCREENS) for user, number in streams.items()}


def namespace(test: unittest.TestCase, name: str) -> str:
    """One of its own, with nothing but loopback, for as long as the test runs."""
    need("ip")
    if os.geteuid() != 0 or not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        raise unittest.SkipTest("only root can make network namespaces, and a link between them needs /dev/net/tun")
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, timeout=30)
    if made.returncode != 0:
        raise unittest.SkipTest(f"no network namespace can be made here: {made.stderr.strip()}")
    test.addCleanup(subprocess.run, ["ip", "netns", "del", name], check=False, timeout=30)
    subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True, timeout=30)
    return name


class HubCall:
    """Everything that the parties tell is kept in `told`, with who told it."""

    def __init__(self, test: InteropTest, link: str) -> None:
        self._test = test
        self._lock = threading.Lock()
        self.told: list[dict[str, Any]] = []
        near, far = (namespace(test, f"msdk-hub-{os.getpid()}-{letter}") for letter in "ab")
        self._link = self._start([sys.executable, str(INTEROP / "impair.py"), near, "10.79.0.1", far, "10.79.0.2", *link.split()], priority=2)
        self.assert_said(self._link, "ready")
        hub = self._start([str(TOOL), "serve", "standup", "--address", "10.79.0.1", "--no-web"], near)
        self.url = self._line(hub).split()[-1]
        self.parties = {user: self._party(user, near if user == "alice" else far) for user in CAMERAS}
        self._readers = [threading.Thread(target=self._listen, args=one, daemon=True) for one in self.parties.items()]
        for reader in self._readers:
            reader.start()

    def _start(self, words: list[str], where: Optional[str] = None, priority: int = 1) -> "subprocess.Popen[str]":
        prefix = ["ip", "netns", "exec", where] if where else []
        # It is the library that is looked at, not who else wants the processor.
        if shutil.which("chrt"):
            prefix = ["chrt", "--rr", str(priority), *prefix]
        env = environment() | {"PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{INTEROP}", "OPENBLAS_NUM_THREADS": "1"}
        process = subprocess.Popen(prefix + words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)

        def end() -> None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()

        self._test.addCleanup(end)
        return process

    def _line(self, process: "subprocess.Popen[str]") -> str:
        assert process.stdout is not None
        return process.stdout.readline().strip()

    def assert_said(self, process: "subprocess.Popen[str]", words: str) -> None:
        said = self._line(process)
        self._test.assertEqual(said, words)

    def _party(self, user: str, where: str) -> "subprocess.Popen[str]":
        more = ["--video", str(CAMERAS[user])] + (["--screen", str(SCREENS[user])] if user in SCREENS else [])
        return self._start([sys.executable, str(INTEROP / "hub/party.py"), self.url, user, json.dumps(PITCHES), *more], where)

    def _listen(self, user: str, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        for line in process.stdout:
            try:
                told = json.loads(line)
            except ValueError:
                told = {"what": "failed", "at": time.monotonic(), "of": "itself", "words": line.strip()}
            with self._lock:
                self.told.append(told | {"by": user})

    def set_link(self, words: str) -> float:
        """Says when."""
        assert self._link.stdin is not None
        self._link.stdin.write(words + "\n")
        self._link.stdin.flush()
        return time.monotonic()

    def await_pictures(self) -> None:
        """Until everybody sees everybody else."""
        wanted = {(user, number) for user in CAMERAS for number, sender in SENDERS.items() if sender != user}
        deadline = time.monotonic() + PATIENCE
        while True:
            with self._lock:
                seen = {(told["by"], told["stream"]) for told in self.told if told["what"] == "shown"}
            if wanted <= seen:
                return
            self._test.assertLess(time.monotonic(), deadline, f"not seen: {wanted - seen}; {[told for told in self.told if told['what'] == 'failed']}")
            time.sleep(0.1)

    def await_best_formats(self) -> None:
        """Until what the way carries has been found out, and holds."""
        since = time.monotonic()
        deadline = since + PATIENCE
        while True:
            with self._lock:
                widths = {told["by"]: told["width"] for told in self.told if told["what"] == "format" and told["kind"] == "VIRTUAL"}
            if len(widths) < len(CAMERAS) or set(widths.values()) != {640}:
                since = time.monotonic()
            elif time.monotonic() - since > 6:
                return
            self._test.assertLess(time.monotonic(), deadline, f"{widths}")
            time.sleep(0.1)

    def end(self) -> str:
        """Says what became of the link's packets."""
        for process in self.parties.values():
            assert process.stdin is not None
            process.stdin.close()
        for user, process in self.parties.items():
            self._test.assertEqual(process.wait(PATIENCE), 0, [told for told in self.told if told["by"] == user][-5:])
        for reader in self._readers:
            reader.join(PATIENCE)
        self.told.sort(key=lambda told: float(told["at"]))
        assert self._link.stdin is not None and self._link.stdout is not None
        self._link.stdin.close()
        return self._link.stdout.read().strip().replace("\n", "; ")
