"""When frames are due."""
from __future__ import annotations

import asyncio
import threading
import time
import unittest
from fractions import Fraction

from call import PATIENCE
from mediasdk import ClosedError, Engine, FramePacer, InvalidError, MediaTimeout

MS = 1_000_000
SECOND = 1000 * MS


class VirtualTest(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = Engine(clock="VIRTUAL", ignore_environment=True)
        self.addCleanup(self.engine.close)
        self.start = self.engine.now()

    def after(self, pacer: FramePacer, milliseconds: int) -> float:
        """When a frame is due that is asked for so much later, in milliseconds from the start."""
        self.engine.advance_clock(milliseconds * MS)
        return (pacer.wait(0) - self.start) / MS

    def test_absolute_times(self) -> None:
        pacer = FramePacer(self.engine, 10)
        self.assertEqual(self.after(pacer, 0), 0)
        with self.assertRaisesRegex(MediaTimeout, "within 0 s"):
            pacer.wait(0)
        self.assertEqual(self.after(pacer, 130), 100)
        self.assertEqual(self.after(pacer, 160), 200)  # at 290: nearly a frame late, which is made up for
        self.assertEqual(self.after(pacer, 10), 300)
        self.assertEqual(pacer.skipped, 0)

    def test_late_by_frames(self) -> None:
        pacer = FramePacer(self.engine, 10)
        self.assertEqual(self.after(pacer, 0), 0)
        self.assertEqual(self.after(pacer, 550), 500)  # and not 100, 200, 300 and 400 at once
        self.assertEqual(pacer.skipped, 4)
        self.assertEqual(self.after(pacer, 50), 600)

    def test_no_drift(self) -> None:
        pacer = FramePacer(self.engine, "30000/1001")
        self.assertEqual(pacer.fps, Fraction(30000, 1001))
        last = 0
        for _ in range(3001):
            while True:
                try:
                    last = pacer.wait(0)
                    break
                except MediaTimeout:
                    self.engine.advance_clock(33_366_667)
        self.assertEqual(last - self.start, 100_100 * MS)
        self.assertEqual(pacer.skipped, 0)

    def test_another_rate(self) -> None:
        pacer = FramePacer(self.engine, 10)
        self.assertEqual([self.after(pacer, 0), self.after(pacer, 100), self.after(pacer, 100)], [0, 100, 200])
        pacer.set_fps(20)
        with self.assertRaises(MediaTimeout):  # the frame after the last one of the old rate is due as it was
            self.after(pacer, 50)
        self.assertEqual([self.after(pacer, 50), self.after(pacer, 50)], [300, 350])
        pacer.set_fps(20.0)
        self.assertEqual(self.after(pacer, 50), 400)

    def test_the_clock_is_advanced_by_another_thread(self) -> None:
        pacer = FramePacer(self.engine, 10)
        pacer.wait(0)
        timer = threading.Timer(0.05, self.engine.advance_clock, (100 * MS,))
        timer.start()
        self.assertEqual(pacer.wait(PATIENCE) - self.start, 100 * MS)
        timer.join()

    def test_bad_rates(self) -> None:
        for fps in (0, -1, "fast"):
            with self.subTest(fps), self.assertRaisesRegex(InvalidError, "fps is"):
                FramePacer(self.engine, fps)
        with self.assertRaisesRegex(InvalidError, "fps is 0; a rate above 0"):
            FramePacer(self.engine, 5).set_fps(0)

    def test_closed(self) -> None:
        pacer = FramePacer(self.engine, 10)
        pacer.wait()
        timer = threading.Timer(0.05, self.engine.close)
        timer.start()
        with self.assertRaises(ClosedError):
            pacer.wait()
        timer.join()
        self.assertEqual(list(pacer), [])


class SystemTest(unittest.TestCase):
    """Nothing here depends on how late a busy machine wakes up."""

    def check(self, due: list[int], began: int) -> None:
        for earlier, later in zip(due, due[1:]):
            self.assertEqual((later - earlier) % (20 * MS), 0)
            self.assertGreater(later, earlier)
        self.assertGreaterEqual(time.monotonic_ns() - began, 180 * MS)

    def test_threads(self) -> None:
        with Engine(ignore_environment=True) as engine:
            began, due = time.monotonic_ns(), []
            for one in FramePacer(engine, 50):
                self.assertGreaterEqual(engine.now(), one)
                due.append(one)
                time.sleep(0.005)
                if len(due) == 10:
                    break
            self.check(due, began)

    def test_asyncio(self) -> None:
        async def go(engine: Engine) -> list[int]:
            pacer, due = FramePacer(engine, 50), []
            async for one in pacer:
                due.append(one)
                if len(due) == 9:
                    break
            with self.assertRaises(MediaTimeout):  # a busy machine may be so late that the next ones are due already
                for _ in range(1000):
                    due.append(await pacer.wait_async(0))
            return [*due, await pacer.wait_async()]

        with Engine(ignore_environment=True) as engine:
            began = time.monotonic_ns()
            self.check(asyncio.run(go(engine)), began)


if __name__ == "__main__":
    unittest.main()
