"""A call in a served room between two network namespaces with a bad link between them: in the one the server and a member, in the other the other
two."""
from __future__ import annotations

import collections
import json
import subprocess
import sys
import threading
import time
from typing import Any

from link import INTEROP, Link
from peers import PATIENCE, TOOL, InteropTest

PITCHES = {"alice": 440, "bob": 660, "carol": 880}
CAMERAS = {"alice": 1, "bob": 2, "carol": 3}
SCREENS = {"carol": 4}
SPAN = 2.0  # seconds over which rates are looked at
SENDERS = {number: user for streams in (CAMERAS, SCREENS) for user, number in streams.items()}


class ServedCall:
    """Everything that the parties tell is kept in `told`, with who told it."""

    def __init__(self, test: InteropTest, link: str) -> None:
        self._test = test
        self._lock = threading.Lock()
        self.told: list[dict[str, Any]] = []
        self._link = Link(test, link)
        server = self._link.start([str(TOOL), "serve", "standup", "--address", self._link.near_address], self._link.near)
        assert server.stdout is not None
        self.url = next(line.split()[-1] for line in server.stdout if line.startswith("MediaSDK:"))
        self.parties = {user: self._party(user, self._link.near if user == "alice" else self._link.far) for user in CAMERAS}
        self._readers = [threading.Thread(target=self._listen, args=one, daemon=True) for one in self.parties.items()]
        for reader in self._readers:
            reader.start()

    def _party(self, user: str, where: str) -> "subprocess.Popen[str]":
        more = ["--video", str(CAMERAS[user])] + (["--screen", str(SCREENS[user])] if user in SCREENS else [])
        return self._link.start([sys.executable, str(INTEROP / "served/party.py"), self.url, user, json.dumps(PITCHES), *more], where)

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
        return self._link.set(words)

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
        """Until what the way carries has been found out, and holds: who sends makes the best format, and everybody sees all of it."""
        began = since = time.monotonic()
        while True:
            now = time.monotonic()
            with self._lock:
                widths = {told["by"]: told["width"] for told in self.told if told["what"] == "format" and told["kind"] == "VIRTUAL"}
                seen = collections.Counter((told["by"], told["stream"]) for told in reversed(self.told) if told["what"] == "shown"
                                           and told["at"] > now - SPAN and told["width"] == 640)
            rates = {(user, number): seen[user, number] / SPAN for user in CAMERAS for number in CAMERAS.values() if CAMERAS[user] != number}
            if len(widths) < len(CAMERAS) or set(widths.values()) != {640} or min(rates.values()) < 25:
                since = now
            elif now - since > 4:
                return print(f"the best formats {now - began:.1f} s after the first pictures")
            self._test.assertLess(now, began + PATIENCE, f"{widths} {rates}")
            time.sleep(0.25)

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
        return self._link.end()
