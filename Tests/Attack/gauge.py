"""What a process takes: read from /proc, twenty times a second."""
from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass

_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Look:
    time: float
    megabytes: float
    descriptors: int
    seconds: float  # of a processor


def look(process: int) -> Look:
    with open(f"/proc/{process}/status") as file:
        kilobytes = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
    with open(f"/proc/{process}/stat") as file:
        words = file.read().rpartition(")")[2].split()
    return Look(time.monotonic(), kilobytes / 1024, len(os.listdir(f"/proc/{process}/fd")), (int(words[11]) + int(words[12])) / _TICK)


class Gauge(threading.Thread):
    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.process = process
        self.looks = [look(process)]
        self._is_over = threading.Event()

    def run(self) -> None:
        while not self._is_over.wait(0.05):
            try:
                self.looks.append(look(self.process))
            except (OSError, StopIteration):
                return

    def end(self) -> list[Look]:
        self._is_over.set()
        self.join()
        return self.looks


def share(first: Look, last: Look) -> float:
    """Of one core, in per cent."""
    return 100 * (last.seconds - first.seconds) / max(0.001, last.time - first.time)
