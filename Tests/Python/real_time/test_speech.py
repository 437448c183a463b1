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
    def test_on_the_system_clock(self) -> None:
        start = time.monotonic()
        likeness, seconds = test_speech.hear(Clock.SYSTEM)
        self.assertGreater(time.monotonic() - start, 0.9 * seconds)  # speech leaves in real time
        self.assertGreater(likeness, 0.95)


if __name__ == "__main__":
    unittest.main()
