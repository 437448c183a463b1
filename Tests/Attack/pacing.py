"""How often attackers attack: so many times a second and no more in all, however late the machine is."""
from __future__ import annotations

import time
from typing import Iterator


class Pace:
    """Gives the time, `rate` times a second, for so many seconds.  After a pause it makes up for a tenth of a second at most."""

    def __init__(self, rate: float, seconds: float) -> None:
        self.step, self.seconds = 1 / rate, seconds

    def __iter__(self) -> Iterator[float]:
        begin = due = time.monotonic()
        while (now := time.monotonic()) < begin + self.seconds:
            if now < due:
                time.sleep(min(due - now, 0.05))
                continue
            due = max(due + self.step, now - 0.1)
            yield now
