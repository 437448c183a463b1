"""A call over webrtc: between a session of this library and another engine, each in a process and a network namespace of its own, with a bad link
between them. Descriptions and candidates are carried beside the link."""
from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import unittest
from typing import Any, Callable

from served.record import Record
from link import INTEROP, Link

PATIENCE = 40.0  # seconds for what takes one or two
OTHER = {"ours": "theirs", "theirs": "ours"}
NUMBERS = {"ours": 1, "theirs": 2}


class ImpairedCall:
    """Everything that both tell is kept in `told`, with who told it. Ours is at the near end of the link."""

    def __init__(self, test: unittest.TestCase, settings: str, size: str = "320x240", offers: str = "ours", restarts: bool = False) -> None:
        """`restarts`: ours restarts ICE when that is wanted."""
        self._test = test
        self._lock = threading.Lock()
        self.told: list[dict[str, Any]] = []
        self.link = Link(test, settings)
        where = {"ours": self.link.near, "theirs": self.link.far}
        self.parties = {who: self.link.start([sys.executable, str(INTEROP / "rtc/party.py"), who, size, *(["offers"] if offers == who else []),
                                              *(["restarts"] if restarts else [])], where[who]) for who in OTHER}
        self._readers = [threading.Thread(target=self._listen, args=one, daemon=True) for one in self.parties.items()]
        for reader in self._readers:
            reader.start()

    def _listen(self, who: str, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        for line in process.stdout:
            try:
                told = json.loads(line)
            except ValueError:
                told = {"what": "failed", "at": time.monotonic(), "words": line.rstrip()}
            with self._lock:
                self.told.append(told | {"by": who})
            if told["what"] in ("description", "candidate"):
                self._say(OTHER[who], line)

    def _say(self, who: str, line: str) -> None:
        process = self.parties[who]
        assert process.stdin is not None
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except (OSError, ValueError):
            pass  # it has ended

    def of(self, what: str, since: float = 0.0, **wanted: Any) -> list[dict[str, Any]]:
        with self._lock:
            return [one for one in self.told if one["what"] == what and one["at"] >= since and all(one.get(name) == value for name, value in wanted.items())]

    def until(self, what: str, is_so: Callable[[], bool], patience: float = PATIENCE) -> float:
        """Says when."""
        deadline = time.monotonic() + patience
        while not is_so():
            self._test.assertFalse([who for who, process in self.parties.items() if process.poll() is not None],
                                   "\n".join(one["words"] for one in self.of("failed")))
            words = "\n".join(one["words"] for one in self.of("failed"))
            self._test.assertLess(time.monotonic(), deadline, f"{what}: not after {patience:g} s; {self.of('state')}\n{words}")
            time.sleep(0.05)
        return time.monotonic()

    def until_media(self, since: float = 0.0, patience: float = PATIENCE) -> float:
        """Pictures and the tone, both ways."""
        def flows() -> bool:
            return all(len(self.of("shown", since, by=who, stream=NUMBERS[OTHER[who]])) >= 10
                       and sum(one["tone"] > 0.9 for one in self.of("heard", since, by=who)) >= 50 for who in OTHER)

        return self.until("pictures and sound both ways", flows, patience)

    def end(self) -> Record:
        """What both have told."""
        for process in self.parties.values():
            assert process.stdin is not None
            process.stdin.close()
        for who, process in self.parties.items():
            words = "\n".join(one["words"] for one in self.of("failed"))
            self._test.assertEqual(process.wait(PATIENCE), 0, f"{who}: {words}")
        for reader in self._readers:
            reader.join(PATIENCE)
        self.told.sort(key=lambda told: float(told["at"]))
        return Record(self.told)
