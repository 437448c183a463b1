"""Speech as in audio/test_speech.py, by the system's clock. Audio that is made or mixed late leaves a gap, so nothing else runs beside this
test: the folder is no package, which keeps it apart from the other tests, and `make test-real-time` runs it."""
from __future__ import annotations

import shutil
import time
import unittest

from audio import test_speech
from mediasdk import Clock


@unittest.skipUnless(shutil.which("espeak-ng"), "needs espeak-ng")
class SpeechTest(unittest.TestCase):
    def hear(self) -> float:
        start = time.monotonic()
        likeness, seconds = test_speech.hear(Clock.SYSTEM)
        self.assertGreater(time.monotonic() - start, 0.9 * seconds)  # speech leaves in real time
        return likeness

    def test_on_the_system_clock(self) -> None:
        first = self.hear()
        if first <= 0.95:
            second = self.hear()
            self.assertGreater(second, 0.95, f"the first time {first:.4f}")
            print(f"\nFLAKY: real_time.test_speech: the correlation was {first:.4f}, then {second:.4f}")


if __name__ == "__main__":
    unittest.main()
